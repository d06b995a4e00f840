"""A refereed record proves itself with no database and no sealed text (contract.md 5)."""

from __future__ import annotations

import copy
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from games.evidence import export
from games.models import Game
from games.records import archive, standalone
from games.rules import Json
from games.rules.verification import verify
from games.rules.verification.record import RecordError
from tests.support.stored import stored

from .campaign import Refereed, person

pytestmark = pytest.mark.django_db


def texts(phase: Any) -> dict[str, str]:
    """Something of everything: binding lines, lines for the map, free words, sealed ones."""
    if phase.kind == "diplomacy":
        first = {"Italy": "MED ON"} if phase.turn == 1 and "Italy" not in phase.controllers else {}
        bound = {"France": "ALLY Britain\nGRANT SUPPLY TO Britain", "Britain": "ALLY France"}
        bound |= {"USSR": "PASS", **first}
        if phase.turn == 1 and "Italy" in phase.controllers:
            bound["Germany"] = "BLEND Poland Germany\nBLEND Greece Italy"
        return bound
    return {
        "Germany": (
            "INVADE Poland\nMOVE the 3rd army to Warsaw\nSEA 2 SP Kiel TO Oslo VIA BALTIC USING"
            " Germany"
        ),
        "France": (
            "IF Germany invades Poland THEN ATTACK from the Maginot line\nhold everything else"
        ),
        "Italy": "SEA 3 SP Naples TO Tripoli VIA MED USING Italy",
    }


def played(players: int, turns: int) -> Refereed:
    def build() -> Refereed:
        war = Refereed.begin(players=players, options={"spi.last_turn": turns})
        war.play_out(texts)
        return war

    return stored(("refereed", players, turns), build)


def running() -> Refereed:
    """Of five, at the third sheet."""

    def build() -> Refereed:
        war = Refereed.begin(players=5)
        war.play_to("referee-usa", texts)
        war.sheet("REST DONE\nEND")
        return war

    return stored("refereed, running", build)


def written(tree: Json) -> Json:
    """As it is read again from a file."""
    read: Json = json.loads(export.text(tree))
    return read


@pytest.mark.parametrize(("players", "turns"), [(6, 1), (5, 2), (4, 1)])
def test_a_campaign_is_checked_without_a_difference_and_comes_back_the_same(
    players: int, turns: int
) -> None:
    """Exported, checked, brought in as a copy, exported again: the same text."""
    war = played(players, turns)
    tree = written(export.record(war.game, private=False))
    assert tree["complete"]
    assert [seat for seat in tree["seats"] if seat.get("referee")] == [
        {"nation": "Referee", "bot": False, "referee": True}
    ]
    assert verify.check(tree) == []
    twin = archive.restore(tree, person("charlie"))
    assert twin.seats.get(referee=True).ordinal == 6
    again = export.record(twin, private=True)
    assert export.text({**again, "id": tree["id"]}) == export.text(tree)


def test_what_a_checked_campaign_holds() -> None:
    """Sheets are numbered, chained submissions without deadlines; dice are drawn."""
    tree = export.record(played(5, 2).game, private=False)
    sheets = [phase for phase in tree["phases"] if phase["kind"].startswith(("referee", "count"))]
    assert all([row["nation"] for row in phase["submissions"]] == ["Referee"] for phase in sheets)
    assert all(
        set(phase["leaves"]) == {"Referee"} and phase["deadline_changes"] == [] for phase in sheets
    )
    thrown = [phase for phase in tree["phases"] if phase["kind"].startswith("dice")]
    assert any(phase["draws"] for phase in thrown)
    assert verify.counts(tree).withheld == 0


@pytest.mark.parametrize("private", [True, False])
def test_the_record_of_a_running_game_is_checked_in_both_forms(private: bool) -> None:
    """Complete, and public without texts, sheets, offers, columns: neither differs."""
    tree = written(export.record(running().game, private=private))
    assert tree["complete"] is private
    assert verify.check(tree) == []
    assert (verify.counts(tree).judged == 0) is not private
    assert ("BLEND" in export.text(tree)) is private


def last(tree: Json, kind: str) -> Json:
    found: Json = [phase for phase in tree["phases"] if phase["kind"].startswith(kind)][-1]
    return found


def sheet_changed(tree: Json) -> None:
    last(tree, "referee")["submissions"][-1]["text"] = "INVASION Germany Poland\nREST DONE\nEND"


def no_seat(tree: Json) -> None:
    tree["seats"] = [seat for seat in tree["seats"] if not seat.get("referee")]


def no_sheet(tree: Json) -> None:
    last(tree, "count")["submissions"] = []


def ruling_changed(tree: Json) -> None:
    event = next(
        one for one in last(tree, "referee")["resolutions"][0]["events"] if one["kind"] == "line"
    )
    event["ruling"] = "void"


def seat_of_a_power(tree: Json) -> None:
    tree["seats"][0]["referee"] = True


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (sheet_changed, "the hash of submission"),
        (no_seat, "the seat of the gamesmaster"),
        (no_sheet, "after a sheet of the gamesmaster"),
        (ruling_changed, "(line)"),
        (seat_of_a_power, "the seat of the gamesmaster"),
    ],
)
def test_a_record_of_sheets_that_somebody_has_changed_is_found_out(
    spoil: Callable[[Json], None], said: str
) -> None:
    tree = written(export.record(played(5, 2).game, private=False))
    spoil(tree)
    try:
        found = " ".join(map(str, verify.check(tree)))
    except RecordError as error:
        found = str(error)
    assert said in found


def test_the_commands_take_it_out_and_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`exportgame`, `verify`, `importgame`: as for any other game."""
    war = played(5, 2)
    out = io.StringIO()
    call_command("exportgame", str(war.game.pk), stdout=out)
    path = tmp_path / "record.json"
    path.write_text(out.getvalue(), encoding="utf-8")
    call_command("verify", str(path), stdout=io.StringIO())
    call_command("importgame", str(path), stdout=io.StringIO())
    twin = Game.objects.order_by("-pk").first()
    assert twin is not None
    assert (twin.status, twin.seats.filter(referee=True).count()) == ("finished", 1)


@pytest.mark.processes
def test_a_stranger_checks_it_with_the_one_file_and_nothing_else(tmp_path: Path) -> None:
    """The stand-alone checker gives the same verdict, and the same fault if tampered."""
    checker = tmp_path / standalone.NAME
    checker.write_bytes(standalone.build_archive())
    tree = written(export.record(played(5, 2).game, private=False))
    spoilt = copy.deepcopy(tree)
    sheet_changed(spoilt)
    for one, code in ((tree, 0), (spoilt, 1)):
        path = tmp_path / "record.json"
        path.write_text(export.text(one), encoding="utf-8")
        command = [sys.executable, "-I", "-S", str(checker), str(path)]
        found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert found.returncode == code, found.stdout + found.stderr
