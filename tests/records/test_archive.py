"""Export and import of a game, and the parts that a record leaves out.

See contract.md 1 and 5, docs/design.md 8.
"""

from __future__ import annotations

import copy
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from games import market, tasks
from games.evidence import export
from games.models import Figure, Game, Letter, MarketClosure, Person, Phase, Reading
from games.rules.verification import verify
from orders.models import Submission
from tests.records import played
from tests.support.campaign import Campaign
from tests.support.stored import stored

Tree = dict[str, Any]
Change = Callable[[Tree], object]
pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
#: Keys that differ in a copy.
ITS_OWN = ("id",)


@pytest.fixture
def finished(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    played.short_card(monkeypatch)
    return stored("a short game is over", played.finished)


@pytest.fixture
def running() -> Campaign:
    """Return a game in turn 2: Germany has a standing wish and has sent its placement."""
    return stored("the second turn has begun", _running)


def _running() -> Campaign:
    campaign = played.begin()
    played.first_turn(campaign)
    campaign.order("Germany", "PLACE 9 Rumania")
    return campaign


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def written(tmp_path: Path, tree: Tree) -> str:
    path = tmp_path / "record.json"
    path.write_text(export.text(tree), encoding="utf-8")
    return str(path)


# --- export ---


@pytest.mark.both_databases
def test_public_record_of_a_finished_game_is_complete(finished: Campaign) -> None:
    number = str(finished.game.pk)
    assert run("exportgame", number) == run("exportgame", number, "--public")
    tree = json.loads(run("exportgame", number))
    assert (tree["format"], tree["version"], tree["complete"], tree["game"]) == (
        "gamesmaster-record",
        1,
        True,
        "origins-ww2",
    )
    assert verify.check(tree) == []
    assert tree["phases"][-1]["resolutions"][0]["winners"]
    assert tree["phases"][-1]["board"] == tree["phases"][-1]["resolutions"][0]["after"]["board"]


@pytest.mark.both_databases
def test_export_is_reproducible(finished: Campaign) -> None:
    """Two exports can be compared byte by byte."""
    assert run("exportgame", str(finished.game.pk)) == run("exportgame", str(finished.game.pk))


def test_record_of_a_running_game_verifies(running: Campaign) -> None:
    tree = json.loads(run("exportgame", str(running.game.pk)))
    assert verify.check(tree) == []
    assert tree["complete"] is True
    assert tree["phases"][2]["submissions"][0]["text"] == "PLACE 9 Rumania"


def test_public_record_of_a_running_game_has_no_secrets(
    running: Campaign,
) -> None:
    """design 8: no orders, salts, remarks or standing wishes of a running game."""
    text = run("exportgame", str(running.game.pk), "--public")
    tree = json.loads(text)
    assert verify.check(tree) == []
    assert tree["complete"] is False
    for submission in Submission.objects.filter(game=running.game):
        assert submission.salt not in text
        assert submission.hash not in text
        assert json.dumps(submission.text)[1:-1] not in text
    for words in ("secret reason", "STANDING UNDERSTANDING", "ZZTOP STANDING", "instead", "DANCE"):
        assert words not in text
    whole = json.loads(run("exportgame", str(running.game.pk)))
    assert whole["phases"][1]["resolutions"][0]["after"]["standing"] == ["Germany"]
    assert tree["phases"][1]["resolutions"][0]["after"]["standing"] == []
    assert (
        whole["phases"][1]["resolutions"][0]["events"]
        == tree["phases"][1]["resolutions"][0]["events"]
    )


def test_figure_is_public_only_after_its_phase_is_resolved(running: Campaign) -> None:
    """A figure shown while others are missing would be read as the result."""
    running.pass_deadline()
    running.order("Germany", "ATTACK Rumania: Russia STOCK IBM/GE")
    phase = running.phase
    running.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.first_reading_at is not None
    market.observe_all([(phase, ["IBM"])], phase.first_reading_at + timedelta(seconds=1))
    assert Figure.objects.filter(phase=phase).exists()
    public, whole = (
        export.record(running.game, private=private)["phases"][-1] for private in (False, True)
    )
    assert (public["figures"], public["readings"]) == ([], [])
    assert [figure["symbol"] for figure in whole["figures"]] == ["IBM"]
    assert public["stocks"] == whole["stocks"] == ["IBM", "GE"]
    assert public["digest"]
    assert verify.check(json.loads(export.text(export.record(running.game, private=True)))) == []


def test_public_record_has_no_hidden_scores() -> None:
    """ow2.running_score = hidden."""
    campaign = played.begin(options={"ow2.running_score": "hidden"})
    played.first_turn(campaign)
    public = export.record(campaign.game, private=False)
    assert [row["resolutions"][0]["scores"] for row in public["phases"][:2]] == [{}, {}]
    assert verify.check(json.loads(export.text(public))) == []


def test_export_names_people_only_on_request(finished: Campaign) -> None:
    number = str(finished.game.pk)
    assert "Gustav" not in run("exportgame", number)
    assert "example.org" not in run("exportgame", number, "--people")
    seats = json.loads(run("exportgame", number, "--people"))["seats"]
    assert {seat["nation"]: [person["name"] for person in seat["people"]] for seat in seats}[
        "Germany"
    ] == ["Gustav"]


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "options",
    [{"orders.amend": "merge_lines"}, {"orders.grace_hours": 2}, {"ow2.placement": "ordered"}],
)
def test_records_verify_under_options_that_change_orders_in_force(options: dict[str, Any]) -> None:
    campaign = played.begin(options=options)
    played.first_turn(campaign)
    assert verify.check(json.loads(export.text(export.record(campaign.game, private=True)))) == []


def test_record_of_an_early_lock_verifies() -> None:
    campaign = played.begin(may_lock_early=True)
    for nation in campaign.players:
        campaign.order(nation, "PASS", final=True)
    campaign.wait_until(campaign.now)
    assert campaign.phase.number == 2
    tree = json.loads(export.text(export.record(campaign.game, private=True)))
    assert verify.check(tree) == []
    tree["phases"][0]["submissions"][0]["final"] = False
    assert "the lock" in str(verify.check(tree)[0])


@pytest.mark.both_databases
@pytest.mark.parametrize("number", ["999", "poland", "-1", "9" * 30])
def test_exporting_an_unknown_game_fails_with_one_sentence(number: str) -> None:
    with pytest.raises(CommandError, match=f"There is no game {number}") as refused:
        call_command("exportgame", "--", number)
    assert refused.value.returncode == 1


# --- import ---


@pytest.mark.both_databases
def test_copy_exports_the_same_record(finished: Campaign, tmp_path: Path) -> None:
    """Except for the game's number, the copy exports the same document."""
    tree = played.whole_record(finished)
    letters = Letter.objects.count()
    assert "/games/" in run("importgame", written(tmp_path, tree))
    copied = Game.objects.latest("pk")
    assert copied.pk != finished.game.pk
    again = played.whole_record(Campaign(copied, finished.now, finished.ada))
    assert {**again, **{key: tree[key] for key in ITS_OWN}} == tree
    assert verify.check(again) == []
    assert Letter.objects.count() == letters
    assert tasks.do_all_due(finished.now + timedelta(days=400)) == 0


@pytest.mark.both_databases
def test_copy_of_a_running_game_is_not_continued(running: Campaign, tmp_path: Path) -> None:
    tree = played.whole_record(running)
    run("importgame", written(tmp_path, tree), "--gamesmaster", "ada@example.org")
    copied = Game.objects.latest("pk")
    assert copied.status == Game.Status.ABANDONED
    assert list(copied.gamesmasters.all()) == [running.ada]
    again = played.whole_record(Campaign(copied, running.now, running.ada))
    assert again["entries"][:-1] == tree["entries"]
    of_the_copy = ("id", "status", "finished", "abandonment", "entries")
    assert {**again, **{key: tree[key] for key in of_the_copy}} == tree
    before = copied.phases.get(number=3)
    tasks.do_all_due(running.now + timedelta(days=400))
    assert Phase.objects.get(pk=before.pk).status == Phase.Status.OPEN
    assert Letter.objects.filter(game=copied).count() == 0


@pytest.mark.both_databases
def test_copy_has_the_closures_of_its_record_and_no_others(abandoned: Tree, tmp_path: Path) -> None:
    """Days without trading are the service's, and the service that a game is copied to may know
    others: what the copy exports did not verify. Nor may a file close an exchange there."""
    (closure,) = abandoned["closures"]
    MarketClosure.objects.all().delete()
    MarketClosure.objects.create(
        exchange=closure["exchange"],
        day=date.fromisoformat(closure["day"]) + timedelta(days=1),
        reason="Another service's own",
        entered_at=datetime.fromisoformat(closure["entered"]),
    )
    run("importgame", written(tmp_path, abandoned))
    again = export.record(Game.objects.latest("pk"), private=True)
    assert again["closures"] == abandoned["closures"]
    assert verify.check(again) == []
    assert MarketClosure.objects.count() == 1


def test_owner_of_imported_games_cannot_log_in(whole: Tree, tmp_path: Path) -> None:
    run("importgame", written(tmp_path, whole))
    keeper = Game.objects.latest("pk").opened_by
    assert keeper.is_active is False
    assert Person.objects.get(pk=keeper.pk).has_usable_password() is False


@pytest.mark.both_databases
def test_imported_readings_are_not_shared(finished: Campaign, tmp_path: Path) -> None:
    """All games share readings. Imported ones are not shared, or a file could forge digits."""
    readings = Reading.objects.filter(game=None).count()
    run("importgame", written(tmp_path, played.whole_record(finished)))
    assert Reading.objects.filter(game=None).count() == readings
    assert Reading.objects.filter(game=Game.objects.latest("pk")).count() == readings


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda tree: tree["phases"][1]["draws"][0].update(digit=9),
            "the digit for the attack in Poland is recorded as 9",
        ),
        (lambda tree: tree.update(title="x" * 200), "at most 80 characters"),
        (lambda tree: tree.update(market="the moon"), "“market” is not one of demo, recorded"),
        (lambda tree: tree.update(zone="Mars/Olympus"), "calendar cannot be read"),
        (lambda tree: tree.update(zone="../../etc/passwd"), "calendar cannot be read"),
        (lambda tree: tree.update(schedule={"every": "blue moon"}), "calendar cannot be read"),
        (
            lambda tree: tree["phases"][0]["submissions"][0].update(channel="pigeon"),
            "the hash of submission 1",
        ),
        (lambda tree: tree.update(version=7), "version 7"),
    ],
)
def test_record_that_does_not_verify_is_not_imported(
    whole: Tree, tmp_path: Path, change: Change, sentence: str
) -> None:
    tree = copy.deepcopy(whole)
    change(tree)
    games = Game.objects.count()
    with pytest.raises(CommandError) as refused:
        run("importgame", written(tmp_path, tree))
    assert sentence in str(refused.value)
    assert Game.objects.count() == games


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda tree: tree["deals"][0].update(by="Narnia"), 'deal 1 is recorded as {"answer"'),
        (lambda tree: tree["deals"][0].update(by="France"), "deal 1 is recorded as"),
        (lambda tree: tree["deals"][0].update(phase=99), "deal 1 is recorded as"),
        (lambda tree: tree["deals"][0].update(counters=0), "deal 1 is recorded as"),
        (lambda tree: tree["deals"][0].update(counters=-1), "deal 1 is recorded as"),
        (lambda tree: tree["deals"][1].update(answer="accepted"), "deal 2 is recorded as"),
        (
            lambda tree: tree["deals"][0].update(text="garbage"),
            "deal 1 is recorded as “garbage”, but should be “promises that can be read”",
        ),
        (
            lambda tree: tree["press_rules"].update(sender={"a": 1}),
            "rules of letters cannot be read: “{'a': 1}” is not possible for",
        ),
    ],
)
def test_record_that_pages_could_not_show_is_not_imported(
    abandoned: Tree, tmp_path: Path, change: Change, sentence: str
) -> None:
    """No hash binds letters and deals, so the sender of a record can write anything."""
    tree = copy.deepcopy(abandoned)
    change(tree)
    with pytest.raises(CommandError) as refused:
        run("importgame", written(tmp_path, tree))
    assert sentence in str(refused.value)


def test_public_record_of_a_running_game_is_not_imported(running: Campaign, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="needs the whole record"):
        run("importgame", written(tmp_path, export.record(running.game, private=False)))


# --- verify ---


def test_verify_reports_the_first_difference(whole: Tree, tmp_path: Path) -> None:
    """contract 1: exit code 1 and the first difference."""
    assert run("verify", written(tmp_path, whole)).startswith(
        "All 4 phases follow: 11 submissions, 2 digits and 4 results checked."
    )
    broken = copy.deepcopy(whole)
    broken["phases"][3]["resolutions"][0]["winners"] = ["Nobody"]
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify", written(tmp_path, broken), stdout=out)
    assert ended.value.code == 1
    assert out.getvalue().startswith(
        'Phase 4 (turn 2, attacks): the list of winners is recorded as ["Nobody"], but should be ['
    )
    assert out.getvalue().count("\n") == 1


def test_verify_names_parts_withheld_from_a_public_record(
    running: Campaign, tmp_path: Path
) -> None:
    output = run("verify", written(tmp_path, export.record(running.game, private=False)))
    assert "running game" in output
    assert "2 results are withheld" in output


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "not a JSON document"),
        ("[]", "no record"),
        ("[" * 100_000, "not a JSON document"),
        ("\udc80", "cannot be read"),
    ],
)
def test_verify_refuses_other_documents(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(CommandError, match=sentence) as refused:
        run("verify", str(path))
    assert refused.value.returncode == 1
    with pytest.raises(CommandError, match="cannot be read"):
        run("verify", str(tmp_path / "nowhere"))


def test_verify_needs_no_database(whole: Tree) -> None:
    """contract 1: from standard input, in a process whose database does not exist."""
    text = export.text(whole)
    environment = {
        **os.environ,
        "DATABASE_URL": "sqlite:////nowhere/at/all.sqlite3",
        "DJANGO_SETTINGS_MODULE": "gamesmaster.settings",
    }
    completed = subprocess.run(
        [sys.executable, "manage.py", "verify", "-"],
        cwd=ROOT,
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout.startswith("All 4 phases follow")
