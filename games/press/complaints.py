"""Block the writer of a letter, and report a letter."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import prefetch_related_objects

from games import permissions
from games.base import text
from games.models import Block, Complaint, Game, Person, Press
from games.outbox.messages import press_letters
from games.seats.press_rules import PressError

REPORTED = "The gamesmaster or the operator reads it."


def may_block(person: Person, press: Press) -> bool:
    """Return whether a letter names a person whom its reader could block.

    Writers of unsigned letters cannot be blocked, because the list of blocked people would name
    them; nor can the gamesmaster, whose letters everybody needs.
    """
    return bool(press.signed and press.seat_id and press.person_id not in (None, person.pk))


def block(person: Person, press: Press, now: datetime) -> None:
    """Let no more letters of a letter's writer reach a person.

    Raise `PressError` if the writer cannot be blocked.
    """
    if not may_block(person, press):
        raise PressError("You cannot block the writer of this letter. You can report the letter.")
    # Once in each game: one list over all games would show that two nations are one person.
    if not Block.objects.filter(
        person=person, blocked=press.person, press__game=press.game
    ).exists():
        row = Block(person=person, blocked=press.person, press=press, since=now)
        Block.objects.bulk_create([row], ignore_conflicts=True)


def blocked_sentence(game: Game) -> str:
    """Return what blocking the writer of a letter in this game does."""
    where = "in this game" if game.anonymous else "in any game that shows who plays"
    return (
        f"New signed letters of this player do not reach you, {where}. The player is not told. The"
        " page “About you” lists whom you blocked."
    )


def unblock(person: Person, code: str) -> bool:
    return Block.objects.filter(person=person, code=code).delete()[0] > 0


@transaction.atomic
def report(person: Person, press: Press, reason: str, now: datetime) -> None:
    """Report a letter to the people who handle complaints, once per reader.

    Raise `PressError` unless a player wrote it to `person`.
    """
    if press.person_id == person.pk or press.seat_id is None:
        raise PressError("You can report letters that players wrote to you.")
    complaint, is_new = Complaint.objects.get_or_create(
        press=press,
        person=person,
        defaults={"reason": text.one_line(reason)[:300], "made_at": now},
    )
    if is_new:
        operators = Person.objects.filter(is_superuser=True, is_active=True)
        readers = {reader.pk: reader for reader in (*press.game.gamesmasters.all(), *operators)}
        recipients = [
            reader
            for reader in readers.values()
            if reader.pk not in (person.pk, press.person_id)
            and permissions.hears_complaints(reader, press.game)
        ]
        press_letters.report_complaint(complaint, recipients, now)


def open_for(person: Person) -> list[Complaint]:
    """Return the open complaints that a person handles, oldest first.

    The writer of a letter does not decide about it, unless they are an operator.
    """
    rows = Complaint.objects.filter(closed_at=None).select_related(
        "press__game", "press__seat", "press__phase", "person"
    )
    if not permissions.operates(person):
        rows = rows.filter(press__game__in=person.games_run.values("pk"))
    complaints = list(rows.order_by("pk"))
    games = [complaint.press.game for complaint in complaints]
    prefetch_related_objects(games, "gamesmasters")
    permissions.load_seats(*games)
    return [complaint for complaint in complaints if decides(person, complaint)]


def decides(person: Person, complaint: Complaint) -> bool:
    """Return whether a person may read a complaint and close it."""
    return permissions.operates(person) or (
        complaint.press.person_id != person.pk
        and permissions.hears_complaints(person, complaint.press.game)
    )


def close(complaint: Complaint, by: Person, now: datetime) -> None:
    rows = Complaint.objects.filter(pk=complaint.pk, closed_at=None)
    rows.update(closed_at=now, closed_by=by)
