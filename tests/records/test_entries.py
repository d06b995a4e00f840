"""Record entries and the record hash.

Every step of a game is covered, letters show it, and tampering is detected (contract.md 5; issue
19, item 6).
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from games import desk, market
from games.desk import closures, people, seats
from games.evidence import export
from games.evidence import hashes as record_hash
from games.letters import rendering
from games.models import Game, Letter, Pulse, Reading, RecordEntry, service
from games.operations import restore_hold
from games.rules.verification import entries, verify
from games.rules.verification.difference import Difference
from games.turns import clock_rollback, rulings
from orders.models import Submission
from tests.records import played
from tests.records.forging import recomputed
from tests.support.campaign import MONDAY, Campaign, person

Tree = dict[str, Any]
pytestmark = pytest.mark.django_db

RECORD_LINE = re.compile(r"^Record hash of game (\d+): ([0-9a-f]{32})$", re.MULTILINE)
SUBMISSION_LINE = re.compile(
    r"^Hash of this submission to game (\d+): ([0-9a-f]{32})$", re.MULTILINE
)


def record_of(campaign: Campaign, *, private: bool = True) -> Tree:
    tree: Tree = json.loads(export.text(export.record(campaign.game, private=private)))
    return tree


def covers(tree: Tree) -> list[list[Any]]:
    """Return the names of the parts that each entry covers."""
    return [
        [tuple(part[: entries.NAMED_BY[part[0]]]) for part in row["covers"]]
        for row in tree["entries"]
    ]


def entry_of(tree: Tree, name: tuple[Any, ...]) -> int:
    """Return the number of the entry that covers a part."""
    return next(number for number, names in enumerate(covers(tree), start=1) if name in names)


def differences(tree: Tree) -> list[str]:
    return [str(Difference(*difference)) for difference in entries.check(tree)]


@pytest.fixture
def tree(whole: Tree) -> Tree:
    return copy.deepcopy(whole)


# --- coverage ---


def test_each_step_writes_one_entry(whole: Tree) -> None:
    """One entry per transaction.

    A placement's lock, its result and the next phase come together, and so do a result, its figures
    and the next phase.
    """
    symbols = [("figure", 2, row["symbol"]) for row in whole["phases"][1]["figures"]]
    assert covers(whole)[:5] == [
        [("start",), ("opened", 1)],
        [("deadline", 1, 1)],
        [("locked", 1), ("result", 1, 1), ("opened", 2)],
        [("locked", 2)],
        [*symbols, ("result", 2, 1), ("opened", 3)],
    ]
    assert covers(whole)[-1][-1] == ("result", 4, 1)
    assert differences(whole) == []


def test_record_entries_cover_rulings_and_their_rollbacks() -> None:
    """Each version, the phase after a rollback, and the deadline of a restored phase."""
    campaign = played.begin()
    played.first_turn(campaign)
    campaign.now += timedelta(seconds=7)
    second = campaign.game.phases.get(number=2)
    rulings.rule(
        second,
        "points",
        {"nation": "Germany", "points": 4},
        "The newspaper.",
        campaign.ada,
        campaign.now,
    )
    back = rulings.rule(second, "rollback", {}, "A slip.", campaign.ada, campaign.now)
    rulings.revoke(back, "It was none.", campaign.ada, campaign.now)
    tree = record_of(campaign)
    assert covers(tree)[5:] == [
        [("ruling", 1), ("result", 2, 2)],
        [("ruling", 2)],
        [("opened", 4)],
        [("ruling", 3), ("deadline", 3, 1)],
    ]
    assert verify.check(tree) == []


def test_entries_cover_who_plays_a_seat_from_when() -> None:
    """A seat that missed a phase while a person had it is not a bot's for that phase."""
    campaign = played.begin()
    campaign.pass_deadline()
    assert "France" in campaign.game.phases.get(number=1).missed
    france, player = campaign.seat("France"), campaign.players["France"]
    desk.vacate(france, player, "Moved away.", player, campaign.now)
    desk.let_the_service_play(france, campaign.now, campaign.ada)
    campaign.pass_deadline()
    tree = record_of(campaign)
    assert [names for names in covers(tree) if ("seat", 1) in names] == [[("seat", 1)]]
    assert seat_of(tree, "France")["bot"] is True
    assert entries.seats(tree, ("locked", 1))["France"]["bot"] is False
    assert verify.check(tree) == []
    assert verify.check(record_of(campaign, private=False)) == []

    desk.stop_service(campaign.seat("France"), campaign.ada, campaign.now)
    assert verify.check(record_of(campaign)) == []
    seat_of(tree, "Germany")["bot"] = True
    assert "the seat of Germany is recorded as" in differences(tree)[0]


def seat_of(tree: Tree, nation: str) -> Tree:
    return next(seat for seat in tree["seats"] if seat["nation"] == nation)


def test_bot_that_is_left_out_of_the_seats_is_a_difference() -> None:
    """Even if the forger recomputes all hashes and leaves out the change."""
    campaign = played.begin()
    france, player = campaign.seat("France"), campaign.players["France"]
    desk.vacate(france, player, "Moved away.", player, campaign.now)
    desk.let_the_service_play(france, campaign.now, campaign.ada)
    letter = campaign.letters("seat", "gustav")[-1]
    campaign.pass_deadline()
    tree = record_of(campaign)
    assert letter.record_hash in {row["hash"][: entries.SHOWN] for row in tree["entries"]}
    seat_of(tree, "France")["bot"] = False
    assert differences(recomputed(copy.deepcopy(tree))) == [
        'the seat of France is recorded as {"bot": false, "by_table": false, "nation": "France",'
        ' "referee": false, "team": false}, but should be {"bot": true, "by_table": false,'
        ' "nation": "France", "referee": false, "team": false}.'
    ]
    for row in tree["entries"]:
        row["covers"] = [part for part in row["covers"] if part[0] != "seat"]
    forged = recomputed(tree)
    assert differences(forged) == []
    assert letter.record_hash not in {row["hash"][: entries.SHOWN] for row in forged["entries"]}


def test_team_that_takes_a_seat_of_a_running_game_is_covered() -> None:
    campaign = played.begin()
    desk.invite(
        campaign.seat("France"), "fiona@example.org", campaign.ada, campaign.now, joins=True
    )
    tree = record_of(campaign)
    assert covers(tree)[-1] == [("seat", 1)]
    assert seat_of(tree, "France")["team"] is True
    assert verify.check(tree) == []


def test_entry_covers_a_session_change() -> None:
    campaign = played.begin(market=Game.Market.NEWSPAPER)
    campaign.attack_in_poland("ATTACK Poland: France STOCK F")
    phase = campaign.pass_deadline()
    (change,) = closures.enter(
        "XNYS",
        date.fromisoformat(phase.session),
        "A day of mourning",
        campaign.ada,
        phase.deadline + timedelta(hours=1),
    )[1]
    tree = record_of(campaign)
    assert covers(tree)[-1] == [("session", 2, 1)]
    assert differences(tree) == []
    letter = campaign.letters("session", "gustav")[0]
    assert letter.about == {"session_change": change.pk, "seats": letter.about["seats"]}
    assert letter.record_hash == tree["entries"][-1]["hash"][: entries.SHOWN]
    locked = entries.content(tree, ["locked", 2])
    assert locked["session"]["label"] == change.old != tree["phases"][1]["session"]["label"]
    tree["phases"][1]["session_changes"][0]["reason"] = "A holiday"
    assert differences(tree)[0].startswith(
        f"Entry {len(tree['entries'])}: the leaf over session change 1 of phase 2"
    )


def test_lock_entry_covers_the_holders_of_seats() -> None:
    """People are numbered in the order in which they took a seat; bots and empty seats are not."""
    campaign = played.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()
    people.eject(
        campaign.seat("Germany"), person("gustav"), "On holiday.", campaign.ada, campaign.now
    )
    seats.sit_down(campaign.seat("Germany"), person("nadia"), campaign.ada, campaign.now)
    people.vacate(campaign.seat("France"), person("felix"), "Gone.", person("felix"), campaign.now)
    campaign.pass_deadline()
    tree = record_of(campaign)
    first, second = (phase["holders"] for phase in tree["phases"][:2])
    assert first == {"USA": [1], "France": [2], "Britain": [3], "Russia": [4], "Germany": [5]}
    assert second == {"USA": [1], "Britain": [3], "Russia": [4], "Germany": [6]}
    assert verify.check(tree) == []
    tree["phases"][1]["holders"]["Germany"] = [5]
    assert differences(tree)[0].startswith(
        f"Entry {entry_of(tree, ('locked', 2))}: the leaf over the lock of phase 2"
    )


def test_phase_opened_while_the_clock_was_ahead_is_covered_again() -> None:
    """The phase's old data stays on record, so that the leaf over its opening still verifies."""
    campaign = played.begin()
    now = MONDAY - timedelta(hours=5)
    Pulse.objects.update_or_create(name="tick", defaults={"at": MONDAY})
    before = record_of(campaign)
    assert clock_rollback.undo_clock_jump(now) == 1
    tree = record_of(campaign)
    assert covers(tree)[1:] == [[("renewed", 1, 1)], [("deadline", 1, 1)]]
    assert (
        tree["phases"][0]["opened"]
        != before["phases"][0]["opened"]
        == entries.content(tree, ["opened", 1])["opened"]
    )
    assert tree["entries"][1]["made"] < tree["entries"][0]["made"]  # and that is no difference
    assert verify.check(tree) == []


def test_orders_received_while_the_clock_was_ahead_verify() -> None:
    """The phase opened at an instant that is still to come when it is judged.

    The orders are in time.
    """
    right = MONDAY
    campaign = played.begin(now=right + timedelta(days=7))
    campaign.pass_deadline()
    campaign.order("Germany", "STANDING UNDERSTANDING ALL")
    Pulse.objects.update_or_create(name="tick", defaults={"at": campaign.now})
    clock_rollback.undo_clock_jump(right)
    campaign.now = right
    campaign.pass_deadline()
    assert not Submission.objects.get().late
    assert verify.check(record_of(campaign)) == []


def test_new_seed_after_a_restore_is_covered() -> None:
    campaign = Campaign.begin(options={"rng.source": "commit_reveal"})
    campaign.pass_deadline()
    old = campaign.phase.seed_hash
    restore_hold.begin(campaign.now, campaign.now + timedelta(hours=1))
    restore_hold.release(campaign.ada, campaign.now + timedelta(hours=2))
    service.forget()
    tree = record_of(campaign)
    assert ("renewed", 2, 1) in [name for names in covers(tree) for name in names]
    assert (
        entries.content(tree, ["opened", 2])["seed_hash"] == old != tree["phases"][1]["seed_hash"]
    )
    assert verify.check(tree) == []


def test_practice_game_has_entries() -> None:
    game = desk.practice.begin(person("eva"), "Germany", MONDAY)
    assert game.record_hash == game.entries.get().hash
    assert verify.check(export.record(game, private=True)) == []


# --- letters ---


def test_every_letter_shows_the_record_hash_of_its_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A letter shows the hash after the step that it reports, in text and HTML alike."""
    played.short_card(monkeypatch)
    campaign = played.finished()
    tree = record_of(campaign)
    hashes = {row["hash"][: entries.SHOWN]: row["number"] for row in tree["entries"]}
    letters = list(Letter.objects.filter(game=campaign.game).order_by("pk"))
    assert {"begins", "opened", "receipt", "moved", "locked", "board", "over"} <= {
        letter.kind for letter in letters
    }
    entries_by_kind: dict[str, set[int]] = {}
    for letter in letters:
        rendered = rendering.render(letter)
        if letter.kind in ("begins", "invitation"):  # written before the first entry
            assert not RECORD_LINE.search(rendered.text)
            continue
        ((game, short),) = RECORD_LINE.findall(rendered.text)
        assert int(game) == campaign.game.pk
        assert f">Record hash of game {game}: {short}<" in rendered.html
        entries_by_kind.setdefault(letter.kind, set()).add(hashes[short])
        assert rendering.render(letter) == rendered
    assert entries_by_kind["locked"] == {
        entry_of(tree, ("locked", 2)),
        entry_of(tree, ("locked", 4)),
    }
    assert entries_by_kind["board"] == {
        entry_of(tree, ("result", number, 1)) for number in (1, 2, 3)
    }
    assert entries_by_kind["moved"] == {entry_of(tree, ("deadline", 1, 1))}
    assert entries_by_kind["over"] == {len(tree["entries"])}


def test_receipt_shows_the_hash_of_the_submission() -> None:
    campaign = played.begin()
    submission = campaign.order("Germany", "PLACE 4 Poland")
    rendered = rendering.render(campaign.letters("receipt", "gustav")[0])
    ((game, short),) = SUBMISSION_LINE.findall(rendered.text)
    assert (int(game), short) == (campaign.game.pk, submission.hash[: entries.SHOWN])
    assert f">Hash of this submission to game {game}: {short}<" in rendered.html


def test_pages_show_the_full_record_hash(client: Client) -> None:
    campaign = played.begin()
    campaign.pass_deadline()
    for path in ("", "phases/1/proof/", "feed.xml"):
        page = client.get(f"{campaign.game.get_absolute_url()}{path}").content.decode()
        assert campaign.game.record_hash in page, path


# --- secrets ---


def test_public_record_reveals_nothing_of_open_orders(client: Client) -> None:
    """design 8: salts are left out; open orders change no entry and no letter's hash."""
    campaign = played.begin()
    played.first_turn(campaign)
    before = record_of(campaign, private=False)
    campaign.order("Germany", "PLACE 9 Rumania")
    text = export.text(export.record(campaign.game, private=False))
    assert json.loads(text)["entries"] == before["entries"]
    for entry in RecordEntry.objects.filter(game=campaign.game):
        assert entry.salt not in text
    for submission in Submission.objects.filter(game=campaign.game):
        assert submission.hash not in text
        assert submission.salt not in text
    assert verify.check(json.loads(text)) == []


def test_leaf_cannot_be_confirmed_without_its_salt(whole: Tree) -> None:
    """Without the salt, a guess at what an entry covers cannot be confirmed."""
    for row in whole["entries"]:
        parts = [(part, entries.content(whole, part)) for part in row["covers"]]
        assert entries.leaf(row["salt"], parts) == row["leaf"] != entries.leaf("", parts)
        assert len(row["salt"]) == 32
    assert len({row["salt"] for row in whole["entries"]}) == len(whole["entries"])


# --- tampering ---


def swap(tree: Tree) -> None:
    rows = tree["entries"]
    rows[2], rows[3] = rows[3], rows[2]


TAMPERED: dict[str, tuple[Callable[[Tree], Any], str]] = {
    "option": (
        lambda tree: tree["options"].update({"orders.grace_hours": 1}),
        "the leaf over the start",
    ),
    "seat at the start": (
        lambda tree: tree["entries"][0]["covers"][0][1]["seats"][0].update(bot=True),
        "the record hash",
    ),
    "reserve list": (lambda tree: tree["reserves"].reverse(), "the leaf over the start"),
    "opening": (
        lambda tree: tree["phases"][0].update(opened="2026-11-16T00:00:00+00:00"),
        "the leaf over the start, the opening of",
    ),
    "reason of a move": (
        lambda tree: tree["phases"][0]["deadline_changes"][0].update(reason="x"),
        "the leaf over deadline change 1",
    ),
    "move left out": (
        lambda tree: tree["phases"][0]["deadline_changes"].clear(),
        "the leaf over the start, the opening of",
    ),
    "who missed it": (
        lambda tree: tree["phases"][0].update(missed=[]),
        "the leaf over the lock of phase 1",
    ),
    "head": (
        lambda tree: tree["phases"][0]["submissions"][4].update(hash="0" * 64),
        "the leaf over the lock of phase 1",
    ),
    "reason of a figure": (
        lambda tree: tree["phases"][1]["figures"][0].update(reason="x"),
        "the leaf over the figure of",
    ),
    "reading left out": (
        lambda tree: tree["phases"][1]["readings"].pop(),
        "the list of readings behind",
    ),
    "drawn": (
        lambda tree: tree["phases"][1]["draws"][0].update(drawn="2026-11-16T00:00:00+00:00"),
        "the leaf over the figure of",
    ),
    "result": (
        lambda tree: tree["phases"][0]["resolutions"][0]["scores"].update(Germany=99),
        "version 1 of the result",
    ),
    "entry left out": (lambda tree: tree["entries"].pop(1), "the number of the entry"),
    "newest entry left out": (lambda tree: tree["entries"].pop(), "the entry of the figure of"),
    "entries changed places": (swap, "the number of the entry"),
    "time": (
        lambda tree: tree["entries"][3].update(made="2026-11-17T00:00:00+00:00"),
        "the record hash",
    ),
    "salt": (
        lambda tree: tree["entries"][3].update(salt="0" * 32),
        "the leaf over the lock of phase 2",
    ),
    "salt left out": (lambda tree: tree["entries"][3].update(salt=""), "the salt of the entry"),
    "part named twice": (
        lambda tree: tree["entries"][3]["covers"].append(["opened", 1]),
        "the record hash",
    ),
    "part that is none": (lambda tree: tree["entries"][3]["covers"].append([7]), "the record hash"),
}


@pytest.mark.parametrize("kind", TAMPERED)
def test_tampering_is_detected(tree: Tree, kind: str) -> None:
    change, sentence = TAMPERED[kind]
    change(tree)
    assert sentence in differences(tree)[0]
    assert verify.check(tree)


def forged(tree: Tree) -> Tree:
    """Recompute every leaf and hash, as the record's owner could."""
    previous = ""
    for row in tree["entries"]:
        row["leaf"] = entries.leaf(
            row["salt"], [(part, entries.content(tree, part)) for part in row["covers"]]
        )
        linked = {key: row[key] for key in ("number", "made", "leaf", "covers")}
        row["hash"] = previous = entries.entry_hash(previous=previous, **linked)
    return tree


def test_rewritten_record_verifies_but_changes_all_later_hashes(tree: Tree, whole: Tree) -> None:
    """The record alone does not show the change; every letter since that step does."""
    tree["phases"][0]["deadline_changes"][0]["reason"] = "Germany asked for it"
    assert differences(forged(tree)) == []
    changed = [
        old["hash"] != new["hash"]
        for old, new in zip(whole["entries"], tree["entries"], strict=True)
    ]
    assert changed == [False] + [True] * (len(changed) - 1)


OPENED = "2026-11-16T00:00:00+00:00"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda rows: rows[3]["covers"].append(["opened", 1]),
            "the opening of phase 1 is recorded as “covered again”",
        ),
        (
            lambda rows: rows[-1]["covers"].append(
                ["renewed", 1, 1, {"opened": OPENED, "seed_hash": "", "controllers": {}}]
            ),
            "covered after what follows",
        ),
        (lambda rows: rows[1].update(made="2026-11-16T16:59:59+00:00"), "the time of the entry"),
    ],
)
def test_rewritten_entries_must_cover_each_part_once_and_in_order(
    tree: Tree, change: Callable[[Any], Any], sentence: str
) -> None:
    change(tree["entries"])
    tree["entries"][0]["made"] = "2026-11-16T17:00:00+00:00"
    assert any(sentence in difference for difference in differences(forged(tree)))


# --- order in time ---


def test_next_entry_is_not_earlier_unless_the_clock_was_set_back() -> None:
    """A later entry never has an earlier time, unless the clock was set back."""
    game, now = Game(record_hash="ab"), MONDAY
    part: record_hash.Part = (["ruling", 1], {})
    assert (
        record_hash.next_entry(game, [part], (3, now), now - timedelta(seconds=40)).made_at == now
    )
    entry = record_hash.next_entry(game, [part], (4, now), now - timedelta(hours=1))
    assert (entry.number, entry.made_at) == (5, now - timedelta(hours=1))


def test_late_reading_is_not_part_of_a_settled_figure() -> None:
    """The entry covers the readings present when the figure settled."""
    campaign = played.begin()
    played.first_turn(campaign)
    before = record_of(campaign)
    row = Reading.objects.filter(game=None, symbol="GE").first()
    assert row is not None
    copied = {
        field: getattr(row, field)
        for field in ("source", "exchange", "session", "symbol", "kind", "volume", "read_at")
    }
    Reading.objects.create(**copied, detail="late")
    after = record_of(campaign)
    late = [phase.pop("later_readings") for phase in after["phases"]]
    assert [row["detail"] for rows in late for row in rows] == ["late"]
    assert after == {
        **before,
        "phases": [
            {key: value for key, value in phase.items() if key != "later_readings"}
            for phase in before["phases"]
        ],
    }


def test_resolved_phase_settles_no_more_figures() -> None:
    """A worker that lost its lease may still read; the result's entry covers all figures."""
    campaign = played.begin()
    played.first_turn(campaign)
    phase = campaign.game.phases.get(number=2)
    figures = phase.figures.count()
    outcome = market.observe_all([(phase, ["IBM"])], campaign.now)[phase.pk]
    assert isinstance(outcome, market.SessionChanged)
    assert phase.figures.count() == figures
