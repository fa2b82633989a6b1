"""Of claims that contradict each other and are told at the same time, one is kept and the others are refused."""

from tests.fakes.desk import Desk


def test_one_of_several_contradicting_claims_is_kept(desk: Desk) -> None:
    desk.pi("p1", ["which port is it"])
    desk.ask("index")
    started = [desk.start("memory", "add", "p1", f"port is {number}") for number in range(5)]
    ended = [(process.communicate(timeout=60)[1], process.returncode) for process in started]
    assert sorted(code for _, code in ended) == [0, 2, 2, 2, 2], ended
    assert all("contradicts" in err for err, code in ended if code == 2)
    kept = desk.run("memory", "list", "p1", "--all", "--json").json
    assert [item["status"] for item in kept["items"]] == ["active"]
    assert kept["warnings"] == []


def test_what_is_superseded_cannot_be_superseded_again(desk: Desk) -> None:
    desk.pi("p1", ["which port is it"])
    first = desk.run("memory", "add", "p1", "port is 1", "--json").json["item"]["id"]
    assert desk.run("memory", "supersede", "p1", first, "port is 2").code == 0
    answer = desk.run("memory", "supersede", "p1", first, "port is 3")
    assert (answer.code, f"{first} is superseded already" in answer.err) == (2, True), answer.err
