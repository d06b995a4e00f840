"""A refereed record verifies without a database and without secret texts (contract.md 5)."""

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

pytestmark = [pytest.mark.django_db, pytest.mark.guest]


def texts(phase: Any) -> dict[str, str]:
    """Return orders of every kind: binding lines, lines for the map, free text, secret ones."""
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
    """Return a game of five players at the third report."""

    def build() -> Refereed:
        war = Refereed.begin(players=5)
        war.play_to("referee-usa", texts)
        war.report("REST DONE\nEND")
        return war

    return stored("refereed, running", build)


def written(tree: Json) -> Json:
    """Return a record as it is read from a file."""
    read: Json = json.loads(export.text(tree))
    return read


@pytest.mark.parametrize(("players", "turns"), [(6, 1), (5, 2), (4, 1)])
def test_campaign_verifies_and_is_restored_identically(players: int, turns: int) -> None:
    """Exported, verified, restored as a copy, exported again: the same text."""
    war = played(players, turns)
    tree = written(export.record(war.game, private=False))
    assert tree["complete"]
    assert [seat for seat in tree["seats"] if seat.get("referee")] == [
        {"nation": "Referee", "bot": False, "referee": True, "team": False, "by_table": False}
    ]
    assert verify.check(tree) == []
    twin = archive.restore(tree, person("charlie"))
    assert twin.seats.get(referee=True).ordinal == 6
    again = export.record(twin, private=True)
    assert export.text({**again, "id": tree["id"]}) == export.text(tree)


def test_record_has_reports_as_submissions_and_dice_as_draws() -> None:
    """Reports are numbered, chained submissions of phases without deadlines."""
    tree = export.record(played(5, 2).game, private=False)
    reports = [phase for phase in tree["phases"] if phase["kind"].startswith(("referee", "count"))]
    assert all([row["nation"] for row in phase["submissions"]] == ["Referee"] for phase in reports)
    assert all(
        set(phase["leaves"]) == {"Referee"} and phase["deadline_changes"] == [] for phase in reports
    )
    thrown = [phase for phase in tree["phases"] if phase["kind"].startswith("dice")]
    assert any(phase["draws"] for phase in thrown)
    assert verify.counts(tree).withheld == 0


@pytest.mark.parametrize("private", [True, False])
def test_record_of_a_running_game_verifies_complete_and_public(private: bool) -> None:
    """The public one is without texts, reports, offers and columns."""
    tree = written(export.record(running().game, private=private))
    assert tree["complete"] is private
    assert verify.check(tree) == []
    assert (verify.counts(tree).judged == 0) is not private
    assert ("BLEND" in export.text(tree)) is private


def last(tree: Json, kind: str) -> Json:
    found: Json = [phase for phase in tree["phases"] if phase["kind"].startswith(kind)][-1]
    return found


def report_changed(tree: Json) -> None:
    last(tree, "referee")["submissions"][-1]["text"] = "INVASION Germany Poland\nREST DONE\nEND"


def no_seat(tree: Json) -> None:
    tree["seats"] = [seat for seat in tree["seats"] if not seat.get("referee")]


def no_report(tree: Json) -> None:
    last(tree, "count")["submissions"] = []


def ruling_changed(tree: Json) -> None:
    event = next(
        row for row in last(tree, "referee")["resolutions"][0]["events"] if row["kind"] == "line"
    )
    event["ruling"] = "void"


def seat_of_a_power(tree: Json) -> None:
    tree["seats"][0]["referee"] = True


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (report_changed, "the hash of submission"),
        (no_seat, "the seat of the gamesmaster"),
        (no_report, "after a report of the gamesmaster"),
        (ruling_changed, "(line)"),
        (seat_of_a_power, "the seat of the gamesmaster"),
    ],
)
def test_changed_record_of_reports_does_not_verify(
    spoil: Callable[[Json], None], message: str
) -> None:
    tree = written(export.record(played(5, 2).game, private=False))
    spoil(tree)
    try:
        differences = " ".join(map(str, verify.check(tree)))
    except RecordError as error:
        differences = str(error)
    assert message in differences


def test_commands_export_verify_and_import_a_refereed_game(
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
def test_stand_alone_checker_gives_the_same_verdict(tmp_path: Path) -> None:
    """And reports the same fault in a changed record."""
    checker = tmp_path / standalone.NAME
    checker.write_bytes(standalone.build_archive())
    tree = written(export.record(played(5, 2).game, private=False))
    spoilt = copy.deepcopy(tree)
    report_changed(spoilt)
    for record, code in ((tree, 0), (spoilt, 1)):
        path = tmp_path / "record.json"
        path.write_text(export.text(record), encoding="utf-8")
        command = [sys.executable, "-I", "-S", str(checker), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code, done.stdout + done.stderr
