"""Test that the count of the drills notices whatever a service could do wrong to a letter, an order
or a digit: lose, double, alter, misaddress or never write it.

A small league is played once. A true one counts to nothing; then one thing at a time is made wrong,
in the rows or on the way to the mail server (test_wrong_services.py: in functions of the service).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from django.db import transaction

from games.models import Draw, Letter, Resolution
from orders.models import Submission
from tests.drills.breaking import counting, expected
from tests.drills.breaking.players import sign_in
from tests.drills.breaking.small import SmallLeague
from tests.drills.breaking.tables import loaded
from tests.support.stored import stored

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

#: What is made wrong, and the counts that name it.
Mutation = Callable[[SmallLeague], object]
UNCAUSED, UNWRITTEN = "letters that nothing caused", "letters never written"
ELSEWHERE, OTHER = "letters to the wrong person", "letters about something else"
ALTERED = "letters that say something else than is stored"
TWICE, REFUTED = "letters twice without need", "records that do not follow"
ONCE = "letters of one kind to one person about one phase"

KINDS = (
    *("invitation", "begins", "opened", "reminder", "receipt", "answer", "word", "press"),
    *("locked", "board", "over", "vacant", "proposal"),
)


def _play() -> SmallLeague:
    league = SmallLeague(Path())
    league.play(more=2)
    return league


@pytest.fixture
def league(tmp_path: Path) -> Iterator[SmallLeague]:
    """Yield the league as played; what a test changes is undone before constraints are checked."""
    played = stored("small league", _play)
    played.notes = tmp_path
    with transaction.atomic():
        yield played
        transaction.set_rollback(True)


def counted(league: SmallLeague) -> dict[str, int]:
    """Return the counts that are not 0."""
    told = counting.count(league, league.sent).told()
    told.pop("examples", None)
    return told


@pytest.fixture
def unverified(league: SmallLeague, monkeypatch: pytest.MonkeyPatch) -> SmallLeague:
    """Return the league for a test that changes nothing in its records."""
    monkeypatch.setattr(league, "refuted", list)
    return league


def one_letter(league: SmallLeague, kind: str) -> tuple[int, str, str]:
    """Return id, key and code of a letter of this kind that must exist."""
    wanted = expected.letters(league, league.reminded)
    query = "SELECT id, key, code FROM games_letter WHERE kind = ? ORDER BY id DESC"
    return next(row for row in league.rows(query, kind) if wanted[row[1]].must)


def undeliver(league: SmallLeague, code: str) -> None:
    league.copies = [one for one in league.copies if one.code != code]


def delivered(league: SmallLeague, kind: str) -> int:
    """Return the place of the copy of a letter of this kind."""
    code = one_letter(league, kind)[2]
    return next(at for at, one in enumerate(league.copies) if one.code == code)


def test_true_league_counts_to_nothing(league: SmallLeague) -> None:
    found = counting.count(league, league.sent)
    assert found.told() == {}
    assert found.known == 0
    assert found.sizes["phases"] >= 16
    kinds = {kind for (kind,) in league.rows("SELECT DISTINCT kind FROM games_letter")}
    assert kinds == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_letter_never_written_is_counted(kind: str, unverified: SmallLeague) -> None:
    pk, key, code = one_letter(unverified, kind)
    unverified.rows("DELETE FROM games_letter WHERE id = ?", pk)
    undeliver(unverified, code)
    found = counting.count(unverified, unverified.sent)
    assert found.told() == {UNWRITTEN: 1, "examples": [f"{UNWRITTEN}: {key}"]}


# --- letters ---


def lose(league: SmallLeague) -> None:
    undeliver(league, one_letter(league, "receipt")[2])


def keep_back(league: SmallLeague) -> None:
    pk, _, code = one_letter(league, "locked")
    league.rows("UPDATE games_letter SET status = 'queued' WHERE id = ?", pk)
    undeliver(league, code)


def deliver_twice(league: SmallLeague) -> None:
    one = league.copies[delivered(league, "board")]
    league.copies.append(replace(one, at=one.at + 5))


def write_twice(league: SmallLeague) -> None:
    """Write a report again, under another key and code."""
    pk, key, code = one_letter(league, "board")
    one = league.copies[delivered(league, "board")]
    again = Letter.objects.get(pk=pk)
    again.pk, again.key = None, key.replace("board-v1", "board-v9")
    again.code = code[::-1]
    again.save(force_insert=True)
    raw = one.raw.replace(code.encode(), again.code.encode())
    league.copies.append(replace(one, raw=raw))


def alter(league: SmallLeague) -> None:
    at = delivered(league, "over")
    one = league.copies[at]
    league.copies[at] = replace(one, raw=one.raw.replace(b"Germany", b"Britain"))


def deliver_another_version(league: SmallLeague) -> None:
    one = league.copies[delivered(league, "over")]
    league.copies.append(replace(one, raw=one.raw.replace(b"Germany", b"Britain"), at=one.at + 5))


def address_row_to_another(league: SmallLeague) -> None:
    """Write and deliver a receipt of Una's to Gustav."""
    pk = one_letter(league, "receipt")[0]
    at = delivered(league, "receipt")
    gustav = league.games[0].writes_from
    league.rows("UPDATE games_letter SET address = ? WHERE id = ?", gustav, pk)
    una, raw = league.copies[at].address, league.copies[at].raw
    raw = raw.replace(f"To: {una}".encode(), f"To: {gustav}".encode())
    league.copies[at] = replace(league.copies[at], address=gustav, raw=raw)


def give_row_to_another(league: SmallLeague) -> None:
    pk = one_letter(league, "receipt")[0]
    ada = "(SELECT id FROM games_person WHERE email = 'ada@example.org')"
    league.rows(f"UPDATE games_letter SET person_id = {ada} WHERE id = ?", pk)


def deliver_elsewhere(league: SmallLeague) -> None:
    at = delivered(league, "press")
    league.copies[at] = replace(league.copies[at], address="stranger@example.org")


def write_of_another_phase(league: SmallLeague) -> None:
    pk = one_letter(league, "board")[0]
    league.rows("UPDATE games_letter SET phase_id = phase_id + 1 WHERE id = ?", pk)


def write_about_another_result(league: SmallLeague) -> None:
    pk = one_letter(league, "board")[0]
    about = Letter.objects.get(pk=pk).about
    changed = json.dumps({**about, "resolution": about["resolution"] - 1})
    league.rows("UPDATE games_letter SET about = ? WHERE id = ?", changed, pk)


def deliver_unwritten(league: SmallLeague) -> None:
    league.rows(
        "UPDATE games_letter SET code = 'another' WHERE id = ?",
        *one_letter(league, "word")[:1],
    )


def give_up_in_silence(league: SmallLeague) -> None:
    pk, _, code = one_letter(league, "board")
    league.rows("UPDATE games_letter SET status = 'failed' WHERE id = ?", pk)
    undeliver(league, code)


LETTERS: dict[Mutation, set[str]] = {
    lose: {"letters sent and never delivered"},
    keep_back: {"letters not sent"},
    deliver_twice: {TWICE},
    write_twice: {UNCAUSED, ONCE},
    alter: {ALTERED},
    deliver_another_version: {ALTERED, TWICE, "letters with two contents"},
    address_row_to_another: {ELSEWHERE},
    give_row_to_another: {ELSEWHERE},
    deliver_elsewhere: {"letters delivered to the wrong address"},
    write_of_another_phase: {OTHER},
    write_about_another_result: {OTHER},
    deliver_unwritten: {"letters sent and never delivered", "letters that nobody wrote"},
    give_up_in_silence: {UNWRITTEN},
}


@pytest.mark.parametrize("mutation", LETTERS, ids=lambda mutation: mutation.__name__)
def test_wrong_letter_is_counted_by_name(mutation: Mutation, unverified: SmallLeague) -> None:
    mutation(unverified)
    assert set(counted(unverified)) == LETTERS[mutation]


# --- orders, digits, results ---


def order(league: SmallLeague, channel: str) -> Submission:
    """Return the newest orders that came by a channel and were judged."""
    judged = Submission.objects.filter(channel=channel, counts=True, phase__status="resolved")
    newest: Submission = judged.latest("pk")
    return newest


def lose_orders(league: SmallLeague) -> None:
    """Lose orders by mail that were answered."""
    league.rows("DELETE FROM orders_submission WHERE id = ?", order(league, "mail").pk)


def lose_orders_of_the_page(league: SmallLeague) -> None:
    league.rows("DELETE FROM orders_submission WHERE id = ?", order(league, "web").pk)


def enter_twice(league: SmallLeague) -> None:
    twin = order(league, "mail")
    twin.pk, twin.number, twin._state.adding = None, twin.number + 100, True
    twin.save()


def enter_other_orders(league: SmallLeague) -> None:
    change = "UPDATE orders_submission SET text = replace(text, 'PLACE 1', 'PLACE 2') WHERE id = ?"
    league.rows(change, order(league, "mail").pk)


def enter_for_another(league: SmallLeague) -> None:
    mine = order(league, "mail")
    other = mine.game.seats.get(nation="France").pk
    league.rows("UPDATE orders_submission SET seat_id = ? WHERE id = ?", other, mine.pk)


def invent_orders(league: SmallLeague) -> None:
    league.rows(
        "UPDATE orders_submission SET text = replace(text, 'mark-0', 'mark-9') WHERE id = ?",
        order(league, "mail").pk,
    )


def lose_press(league: SmallLeague) -> None:
    """Lose a letter between nations, which had gone out."""
    league.rows("DELETE FROM games_press WHERE id = (SELECT max(id) FROM games_press)")


def a_draw(league: SmallLeague) -> tuple[int, int, int]:
    """Return id, phase and digit of the last draw."""
    draws = league.rows("SELECT id, phase_id, digit FROM games_draw ORDER BY id DESC LIMIT 1")
    return cast("tuple[int, int, int]", draws[0])


def lose_digit(league: SmallLeague) -> None:
    league.rows("DELETE FROM games_draw WHERE id = ?", a_draw(league)[0])


def draw_twice(league: SmallLeague) -> None:
    """Draw the digit of an attack again, for a line without one."""
    twin = Draw.objects.latest("pk")
    twin.pk, twin.line, twin._state.adding = None, twin.line + 50, True
    twin.save()


def alter_digit(league: SmallLeague) -> None:
    pk, _, digit = a_draw(league)
    league.rows("UPDATE games_draw SET digit = ? WHERE id = ?", (digit + 1) % 10, pk)


def give_digit_to_another(league: SmallLeague) -> None:
    league.rows("UPDATE games_draw SET nation = 'Italy' WHERE id = ?", a_draw(league)[0])


def alter_digit_and_result(league: SmallLeague) -> None:
    """Alter a digit wherever it is stored; the sales from which it follows stay."""
    pk, phase, digit = a_draw(league)
    other = (digit + 1) % 10
    league.rows("UPDATE games_draw SET digit = ? WHERE id = ?", other, pk)
    ((nation, line),) = league.rows("SELECT nation, line FROM games_draw WHERE id = ?", pk)
    ((stored,),) = league.rows("SELECT events FROM games_resolution WHERE phase_id = ?", phase)
    events = loaded(stored)
    for event in events:
        if event["kind"] == "attack" and (event["nation"], event["line"]) == (nation, line):
            event["digit"] = other
    league.rows(
        "UPDATE games_resolution SET events = ? WHERE phase_id = ?", json.dumps(events), phase
    )


def judge_other_orders(league: SmallLeague) -> None:
    mine = order(league, "mail")
    ((stored,),) = league.rows(
        "SELECT orders FROM games_resolution WHERE phase_id = ?", mine.phase_id
    )
    changed = json.dumps({**loaded(stored), mine.seat.nation: "PASS"})
    query = "UPDATE games_resolution SET orders = ? WHERE phase_id = ?"
    league.rows(query, changed, mine.phase_id)


def change_session(league: SmallLeague) -> None:
    """Read the sales of a session other than the announced one."""
    phase = a_draw(league)[1]
    league.rows("UPDATE games_phase SET session = '2026-11-16T18:00:06Z' WHERE id = ?", phase)


def lose_result(league: SmallLeague) -> None:
    league.rows("DELETE FROM games_resolution WHERE id = (SELECT max(id) FROM games_resolution)")


def judge_twice(league: SmallLeague) -> None:
    twin = Resolution.objects.latest("pk")
    twin.pk, twin.version, twin._state.adding = None, 2, True
    twin.save()


def hold(league: SmallLeague) -> None:
    open_phase = "(SELECT max(id) FROM games_phase WHERE status = 'open')"
    league.rows(f"UPDATE games_phase SET status = 'held' WHERE id = {open_phase}")


def pass_over(league: SmallLeague) -> None:
    """Judge no phase whose deadline has passed."""
    league.now += timedelta(days=1)


LOST_DIGIT, NO_ATTACK = "digits lost", "digits without an attack"
#: The counts that must name it; others may follow from it.
ENTRIES: dict[Mutation, set[str]] = {
    lose_orders: {"orders accepted by mail and not in the record", REFUTED},
    lose_orders_of_the_page: {"orders accepted by page and not in the record", REFUTED},
    enter_twice: {"orders entered twice", REFUTED},
    enter_other_orders: {"orders that differ from what was sent", REFUTED},
    enter_for_another: {"orders of another nation or game", REFUTED},
    invent_orders: {"orders that nobody sent", "orders accepted by mail and not in the record"},
    lose_press: {"letters between nations accepted and not in the record", UNCAUSED},
    lose_digit: {LOST_DIGIT, REFUTED},
    draw_twice: {NO_ATTACK, REFUTED},
    alter_digit: {LOST_DIGIT, NO_ATTACK, REFUTED},
    give_digit_to_another: {LOST_DIGIT, NO_ATTACK, REFUTED},
    alter_digit_and_result: {REFUTED},
    judge_other_orders: {"orders in force and not judged", REFUTED},
    change_session: {REFUTED},
    lose_result: {"results missing", REFUTED},
    judge_twice: {"phases judged twice", UNWRITTEN},
    hold: {"phases held"},
    pass_over: {"phases due and not judged"},
}


def test_message_not_handled_yet_is_not_counted_as_lost(unverified: SmallLeague) -> None:
    """A drill that a busy machine did not let end leaves messages; without an end it lost none."""
    mine = order(unverified, "mail")
    ((mail,),) = unverified.rows(
        "SELECT id FROM orders_mail WHERE message_id LIKE ?", f"%{sign_in(mine.text)}%"
    )
    unverified.rows("UPDATE orders_handling SET status = 'waiting' WHERE mail_id = ?", mail)
    unverified.rows("DELETE FROM orders_submission WHERE id = ?", mine.pk)
    ((answer,),) = unverified.rows(
        "SELECT code FROM games_letter WHERE key = ?", f"mail-{mail}/answer"
    )
    unverified.rows("DELETE FROM games_letter WHERE code = ?", answer)
    undeliver(unverified, answer)
    found = counting.count(unverified, unverified.sent)
    assert found.faults.undone["messages not handled"] == 1
    assert set(found.told()) == {"messages not handled", "examples"}
    assert found.told(ended=False) == {}


@pytest.mark.parametrize("mutation", ENTRIES, ids=lambda mutation: mutation.__name__)
def test_wrong_order_or_result_is_counted_by_name(mutation: Mutation, league: SmallLeague) -> None:
    mutation(league)
    counts = counted(league)
    assert ENTRIES[mutation] <= set(counts), counts
