<html>
function not_me() {}
<?php
namespace App\Http;

use App\Models\User;

abstract class Controller
{
    public static function make(array $options): self
    {
        $text = <<<HTML
function nor_me() {}
HTML;
        return new self($text);
    }
}

interface Runs {}
trait Loud {}
function helper($x) { return "function nope() {"; }
?>
class NorMeEither {}
