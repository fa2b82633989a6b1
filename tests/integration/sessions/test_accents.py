"""A word is found with and without its accents, in any script."""

import unicodedata

import pytest

from tests.fakes.desk import Desk


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("η άνοιξη ήρθε νωρίς", "ανοιξη"),
        ("η άνοιξη ήρθε νωρίς", "ΝΩΡΙΣ"),
        ("η ανοιξη ηρθε", "άνοιξη"),
        ("ёлка стоит", "елка"),
        ("елка стоит", "ёлка"),
        ("le perché du naïf", "perche"),
        ("le perche du naif", "naïf"),
        (f"{unicodedata.normalize('NFD', 'ガ行')} once more", "ガ行"),
        ("ガ行 once more", unicodedata.normalize("NFD", "ガ行")),
        (unicodedata.normalize("NFD", "ёлка и 한국어"), "ёлка"),
    ],
)
def test_accents_do_not_keep_a_word_from_being_found(desk: Desk, said: str, typed: str) -> None:
    desk.pi("p1", [said, "nothing of that kind"])
    assert [hit["snippet"] for hit in desk.hits(typed)] == [said]


def test_a_word_that_is_there_as_it_stands_goes_before_its_kin(desk: Desk) -> None:
    desk.pi("p1", ["η άνοιξη ήρθε", "η ανοιξη ηρθε"])
    assert [hit["snippet"] for hit in desk.hits("ανοιξη")] == ["η ανοιξη ηρθε"]


SYLLABLES = unicodedata.normalize("NFD", "한국어처리")
KANA = unicodedata.normalize("NFD", "デザイン")


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("die Überprüfung ist fertig", "erprüfun"),
        ("die Überprüfung ist fertig", "erpru\u0308fun"),
        ("la de\u0301composition est finie", "écompos"),
        ("un re\u0301fe\u0301rentiel", "férent"),
        ("перестройка", "рестрой"),
    ],
)
def test_a_piece_with_accents_is_found_inside_a_word(desk: Desk, said: str, typed: str) -> None:
    desk.pi("p1", [said, "nothing of that kind"])
    assert [hit["snippet"] for hit in desk.hits(typed)] == [said]


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        (f"look at {SYLLABLES} once more", "국어처"),
        (f"look at {SYLLABLES} once more", "한국어처리"),
        ("look at 한국어처리 once more", unicodedata.normalize("NFD", "국어")),
        (f"look at {KANA}.md", "デザ"),
        ("look at デザイン.md", KANA),
        (f"{KANA} beside {SYLLABLES}", "デザイン"),
        (f"{KANA} beside {SYLLABLES}", KANA),
        (f"перестройка beside {SYLLABLES}", "рестрой"),
        (f"{unicodedata.normalize('NFD', 'ёлка й')} beside {SYLLABLES}", "ёлка й"),
        ("un re\u0301sume\u0301 court", "ésum"),
        ("un résumé court", "re\u0301sume\u0301 c"),
    ],
)
def test_exact_search_does_not_mind_whether_accents_and_syllables_are_one_sign(
    desk: Desk, said: str, typed: str
) -> None:
    desk.pi("p1", [said, "nothing of that kind"])
    assert [hit["snippet"] for hit in desk.hits("--exact", typed)] == [said]


def test_what_is_written_as_it_was_typed_comes_first_and_each_once(desk: Desk) -> None:
    both = "caf\u00e9 and cafe\u0301"
    desk.pi("p1", ["a caf\u00e9", both, "a cafe\u0301"])
    found = [hit["snippet"] for hit in desk.hits("--exact", "caf\u00e9")]
    assert found == [both, "a caf\u00e9", "a cafe\u0301"]
    first = desk.ask("search", "--exact", "--limit", "2", "caf\u00e9")
    second = desk.hits("--exact", "--limit", "2", "caf\u00e9", "--cursor", first["next_cursor"])
    assert [hit["snippet"] for hit in (*first["items"], *second)] == found


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("the con\ufb01guration e\ufb00ect", "effect"),
        ("the con\ufb01guration e\ufb00ect", "configuration"),
        ("the con\ufb01guration e\ufb00ect", "onfigurat"),
        ("an a\ufb03ne map", "affine"),
        ("an af\ufb01ne map", "affine"),
        ("open the file now", "\ufb01le"),
        ("open the files now", "\ufb01le"),
        ("the office there", "o\ufb03ce"),
        ("the office there", "o\ufb00ice"),
        ("the o\ufb03ce there", "o\ufb00ice"),
        ("the configuration there", "con\ufb01gurat"),
        ("the configuration there", "n\ufb01gurati"),
    ],
)
def test_letters_that_were_printed_as_one_sign_are_found(desk: Desk, said: str, typed: str) -> None:
    desk.pi("p1", [said, "nothing of that kind"])
    assert [hit["snippet"] for hit in desk.hits(typed)] == [said]
    desk.pi("p2", [f"plainly {typed}"])
    assert [hit["snippet"] for hit in desk.hits(typed)] == [f"plainly {typed}"]


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("horká čokoláda", "okolad"),
        ("une naïveté sans fin", "ivete"),
        ("la de\u0301composition est finie", "ecompos"),
        ("das ist überall so", "ubera"),
        ("das ist überall so", "beral"),
    ],
)
def test_a_piece_without_the_accents_of_its_word_is_found(desk: Desk, said: str, typed: str) -> None:
    desk.pi("p1", [said, "nothing of that kind → at all"])
    assert [hit["snippet"] for hit in desk.hits(typed)] == [said]


@pytest.mark.parametrize("typed", ["한국어처리", "한국어", "처리", "국어처", '"어처리 once"'])
@pytest.mark.parametrize("apart", [(False, True), (True, False), (True, True)])
def test_syllables_in_parts_are_those_that_are_whole(desk: Desk, typed: str, apart: tuple[bool, bool]) -> None:
    said = "look at 한국어처리 once more"
    said, typed = (
        unicodedata.normalize("NFD", one) if two else one for one, two in zip((said, typed), apart, strict=True)
    )
    desk.pi("p1", [said, "nothing of that kind"])
    [hit] = desk.hits(typed)
    assert hit["seq"] == 0


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("open the ﬁle in the oﬃce", "file"),
        ("open the ﬁle in the oﬃce", "file in the office"),
        ("open the ﬁle in the oﬃce", "ﬁle in the office"),
        ("open the file in the office", "oﬃce"),
        ("open the file in the office", "ﬁl"),
        ("open the ﬁle in the oﬃce", "fil"),
        ("open the ﬁle in the oﬃce", "e fi"),
        ("open the ﬁle in the oﬃce", "ile in the of"),
        ("open the ﬁle in the oﬃce", "ice"),
        ("open the ﬁle in the oﬃce", "ﬁl"),
        ("the conﬁguration eﬀect", "onfigurat"),
        ("the conﬁguration eﬀect", "guration ef"),
        ("the conﬁguration of the caf\u00e9 eﬀect", "figuration of the cafe\u0301 eff"),
        ("an aﬃne map", "aff"),
        ("an afﬁne map", "fﬁn"),
        ("an aﬀine map", "afﬁn"),
    ],
)
def test_exact_search_does_not_mind_letters_that_were_cast_together(desk: Desk, said: str, typed: str) -> None:
    desk.pi("p1", [said, "nothing of that kind"])
    assert [hit["snippet"] for hit in desk.hits("--exact", typed)] == [said]


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("25 m² of floor", "25 m2"),
        ("step ① of two", "step 1"),
        ("the \uff21\uff22\uff23 of it", "ABC"),
        ("and so on… at last", "on..."),
        ("the straße there", "strasse"),
        ("the oﬃce there", "oFfice"),
    ],
)
def test_exact_search_minds_every_other_difference_that_one_can_see(desk: Desk, said: str, typed: str) -> None:
    desk.pi("p1", [said, "nothing of that kind"])
    assert desk.hits("--exact", typed) == []
    assert [hit["snippet"] for hit in desk.hits("--exact", said)] == [said]


@pytest.mark.parametrize("typed", ["configuration", "onfigurat", "conﬁguration"])
def test_the_place_with_letters_cast_together_is_shown(desk: Desk, typed: str) -> None:
    desk.pi("p1", [f"{'word ' * 200}the conﬁguration here {'word ' * 200}"])
    [hit] = desk.hits("--exact", typed)
    assert "the conﬁguration here" in hit["snippet"]


def test_pages_go_on_among_words_with_letters_cast_together(desk: Desk) -> None:
    desk.pi("p1", [f"the conﬁguration {number}" for number in range(5)])
    first = desk.ask("search", "--exact", "--limit", "3", "onfigurat")
    second = desk.hits("--exact", "--limit", "3", "onfigurat", "--cursor", first["next_cursor"])
    numbers = [hit["snippet"][-1] for hit in (*first["items"], *second)]
    assert sorted(numbers) == list("01234")
