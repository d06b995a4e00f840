"""The beginning of a report, and stored reasons in readable words."""

from __future__ import annotations

from typing import Any

import pytest

from games.letters import headlines, rendering
from games.pages.tags import formatting
from games.print import letters as print_letters
from games.rules import Board, Cell
from games.rules.lands import Land
from games.timing import local_time
from tests.support.campaign import Campaign

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


@pytest.mark.parametrize(
    ("kept", "zone", "shown"),
    [
        (
            "the first reading, at 2026-12-11 14:00 UTC; provisional",
            "America/New_York",
            "the first reading, 11 Dec, 09:00 New York time; provisional",
        ),
        (
            "two readings agree, at 2026-12-11 22:00 UTC and at 2026-12-12 00:30 UTC",
            "Europe/Berlin",
            "two readings agree, 11 Dec, 23:00 Berlin time and 12 Dec, 01:30 Berlin time",
        ),
        (
            "Orders could not come in from 2026-12-11 22:00 to 2026-12-11 23:30 UTC.",
            "Europe/Berlin",
            "Orders could not come in from 11 Dec, 23:00 Berlin time to 12 Dec, 00:30 Berlin time.",
        ),
        (
            "two readings agree, at 2026-12-11 22:00 UTC",
            "UTC",
            "two readings agree, 11 Dec, 22:00 UTC",
        ),
    ],
)
def test_stored_reason_is_shown_with_local_times(kept: str, zone: str, shown: str) -> None:
    """Issue 22, 5: the record has UTC, letters and pages show a zone."""
    assert local_time.localize(kept, zone) == shown
    assert formatting.localized("nothing to localize") == "nothing to localize"


def board(**poland: Cell) -> Board:
    return Board(("Poland", "Austria"), ("France", "Germany"), {"Poland": poland})


def test_placement_report_begins_with_the_readers_placements() -> None:
    """Issue 22, 2: the reader's part first; PFs that stayed at home were not placed."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 6 Poland\nPLACE 2 Austria")
    campaign.pass_deadline()
    first = {}
    for name in ("gustav", "felix"):
        text = rendering.render(campaign.letters("board", name)[0]).text
        first[name] = " ".join(text.split("\n\n")[1].split())
    assert first == {
        "gustav": "Turn 1 placement: the result. You placed 6 in Poland and 2 in Austria. Orders by"
        " Mon 16 Nov, 19:00 UTC.",
        "felix": "Turn 1 placement: here is the result. Orders by Mon 16 Nov, 19:00 UTC.",
    }


def attack(**losses: int) -> dict[str, Any]:
    return {"kind": "attack", "area": "Poland", "losses": losses}


@pytest.mark.parametrize(
    ("losses", "was", "now", "told"),
    [
        (
            {"France": 6},
            board(Germany=Cell(10), France=Cell(6)),
            board(Germany=Cell(10)),
            "France lost 6 in Poland.",
        ),
        (
            {"Germany": 2, "France": 2},
            board(Germany=Cell(4), France=Cell(6)),
            board(Germany=Cell(2), France=Cell(4)),
            "You lost 2 in Poland. France lost 2 in Poland.",
        ),
        ({"France": 6}, board(France=Cell(6)), board(), ""),
        (
            {},
            board(Germany=Cell(8)),
            board(Germany=Cell(0, control=True)),
            "You won CONTROL in Poland.",
        ),
        (
            {},
            board(Germany=Cell(8), France=Cell(6)),
            board(Germany=Cell(8), France=Cell(1, understanding=True)),
            "",
        ),
        (
            {"Germany": 7},
            board(Germany=Cell(4, understanding=True)),
            board(Germany=Cell(2)),
            "You lost 2 in Poland and an Understanding in Poland.",
        ),
        # placed and lost in one phase; lost before what is left became an Understanding
        ({"Germany": 5}, board(), board(), "You lost 5 in Poland."),
        (
            {"Germany": 3},
            board(Germany=Cell(8)),
            board(Germany=Cell(0, understanding=True)),
            "You lost 3 in Poland and won an Understanding in Poland.",
        ),
    ],
)
def test_attack_report_begins_with_the_readers_gains_and_losses(
    losses: dict[str, int], was: Board, now: Board, told: str
) -> None:
    """Issue 22, 2: the reader's part first; losses of others where the reader stood, but no
    investments. Voice.md: “You lost Poland”, in every phase that has cost something."""
    events = [attack(**losses)]
    assert headlines.changes_headline(events, was, now, ["Germany"]) == told
    assert headlines.changes_headline(events, was, now, []) == ""


def test_forfeited_pfs_are_told_first_in_every_phase() -> None:
    forfeited = {"kind": "forfeited", "nation": "Germany", "pf": 4, "message": "…"}
    assert headlines.placement_headline([forfeited], ["Germany"]) == "You lost 4 new PFs."
    assert headlines.placement_headline([forfeited], ["France"]) == ""
    told = headlines.changes_headline([forfeited], board(), board(), ["Germany"])
    assert told == "You lost 4 new PFs."


def test_headline_of_areas_with_states_tells_who_controls_them() -> None:
    held = {"Germany": Cell(control=True)}
    was, now = (
        Board(("Poland", "Hungary"), ("France", "Germany"), cells, lands={"Poland": Land()})
        for cells in ({"Hungary": held}, {"Poland": held})
    )
    told = "You lost control of Hungary and won control of Poland."
    assert headlines.changes_headline([], was, now, ["Germany"]) == told
    assert headlines.changes_headline([], was, now, ["France"]) == ""


def test_reader_with_several_nations_is_addressed_by_their_names() -> None:
    """A player of Germany who sent Britain's orders read “You won the Understanding in Germany.”"""
    was, now = board(Germany=Cell(4), France=Cell(6)), board(France=Cell(5, understanding=True))
    sentence = "Germany lost 4 in Poland. France won an Understanding in Poland."
    events = [attack(Germany=4)]
    assert headlines.changes_headline(events, was, now, ["Germany", "France"]) == sentence


def test_sentence_wrapped_before_a_number_is_no_list() -> None:
    """Issue 22, 5: “Russia: Understanding / 1. Italy: …” was printed as a numbered list."""
    wrapped = "USA: Understanding 2. Germany: Understanding 1. Russia: Understanding\n1. Italy: 3."
    assert [block["kind"] for block in print_letters.blocks(wrapped)] == ["para"]
    listed = "1. France places 6 in Poland.\n2. Germany places 4 in Austria."
    assert [block["kind"] for block in print_letters.blocks(listed)] == ["numbered"]


def test_lines_that_end_by_themselves_stay_apart_on_paper() -> None:
    """The address of a game ran into the sentence below it."""
    lines = "“A year of Fridays”: http://games.test/games/3/\nYou play this game."
    [printed] = print_letters.blocks(lines)
    assert printed["text"] == lines


def test_drawn_objectives_are_shown_once() -> None:
    """Issue 22, 2: nothing twice."""
    campaign = Campaign.begin(options={"ow2.blind": "yes"})
    campaign.pass_deadline()
    text = rendering.render(campaign.letters("board", "gustav")[0]).text
    assert text.count("WHAT GERMANY HAS DRAWN") == 1
    assert "What Germany gets and scores" not in text
    assert text.count("PFs a turn: ") == 1
