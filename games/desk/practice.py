"""Run practice games and their guests: opened with one click, against bots, on the DEMO exchange.

A guest has given no address: they are a person whose address can receive nothing, logged in on one
browser. A practice game sends no letters (games.outbox.rows) and appears in no public list.
Evidence is never deleted: old games are abandoned and hidden, and an old guest's account is closed.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef

from games.base import signing
from games.evidence import hashes
from games.models import Game, Notebook, Person, Phase, Pulse, Seat, Sitting
from games.positions import game_row
from games.rules import cards
from games.rules.registry import RULESETS, ruleset
from games.seats.press_rules import RELEASED
from games.turns import lifecycle
from games.turns.lifecycle import Event

from . import acts
from .opening import BOT, Opening, open_game
from .seats import start
from .words import DeskError

HOUSE = "house@practice.invalid"
GUESTS = "guest.invalid"
#: Guests from one network address a day (a class may share one), and running games in all.
A_DAY_FROM_ONE_ADDRESS = 40
AT_ONCE = 500
#: A phase ends as soon as the one player's orders are final, and after this time at the latest.
MINUTES_A_PHASE = 120
LASTS = timedelta(days=3)
GUEST_LASTS = timedelta(days=30)
LOOKED_AFTER_EVERY = timedelta(hours=1)


def usual_game() -> str:
    """Return the default ruleset to practice: the first playable one."""
    return games()[0]


def games() -> list[str]:
    """Return the rulesets that can be practiced: those that bots can play."""
    return [name for name, rules in RULESETS.items() if rules.playable]


def nations(game: str = "") -> list[str]:
    """Return the nations a visitor may play in a game, in scenario order."""
    game = game or usual_game()
    return list(cards.load(game, cards.names(game)[0])["order"])


def current_game(person: Person) -> Game | None:
    """Return the practice game that a person is playing."""
    sittings = Sitting.objects.current().filter(
        person=person, seat__game__practice=True, seat__game__status=Game.Status.RUNNING
    )
    newest = sittings.select_related("seat__game").order_by("-pk").first()
    return newest.seat.game if newest is not None else None


def new_guest(address: str, now: datetime) -> Person:
    """Create a guest from this network address. Raise `DeskError` if it has too many today.

    Only a keyed hash of the address and the day is kept.
    """
    mark = signing.derive(signing.Salt.GUEST, f"{now:%Y-%m-%d} {address}")[:16]
    today = Person.objects.filter(guest=True, email__startswith=f"{mark}-")
    if today.count() >= A_DAY_FROM_ONE_ADDRESS:
        raise DeskError(
            "Your network has started many practice games today. Log in, or try again tomorrow."
        )
    return Person.objects.create(
        email=f"{mark}-{secrets.token_hex(8)}@{GUESTS}", name="Guest", guest=True, joined_at=now
    )


@transaction.atomic
def begin(person: Person, nation: str, now: datetime, ruleset_id: str = "") -> Game:
    """Begin a practice game of this person, as this nation, against bots. Raise `DeskError`.

    Return the one they are playing, if any.
    """
    ruleset_id = ruleset_id or usual_game()
    if ruleset_id not in games():
        raise DeskError(
            f"Bots cannot play {ruleset(ruleset_id).title}, so there are no practice games of it."
        )
    if nation not in nations(ruleset_id):
        raise DeskError(
            f"“{nation}” is not a nation of this game; choose from"
            f" {', '.join(nations(ruleset_id))}."
        )
    if (current := current_game(person)) is not None:
        return current
    if Game.objects.filter(practice=True, status=Game.Status.RUNNING).count() >= AT_ONCE:
        raise DeskError(
            "Too many practice games are in progress. Try again in an hour, or watch a game."
        )
    house = Person.objects.at(HOUSE, name="The service", guest=True)
    asked = Opening(
        title="Practice game",
        ruleset_id=ruleset_id,
        card_name=cards.names(ruleset_id)[0],
        options={"rng.settle": "first_reading"},
        schedule={"every": "minutes", "minutes": MINUTES_A_PHASE},
        zone="Europe/London",
        seats={each: "" if each == nation else BOT for each in nations(ruleset_id)},
        settings={
            "market": Game.Market.DEMO,
            "may_lock_early": True,
            "public": False,
            **({"press.deals": RELEASED} if ruleset(ruleset_id).deals is not None else {}),
        },
        practice=True,
    )
    game = open_game(asked, house, now)
    Sitting.objects.create(seat=game.seats.get(nation=nation), person=person, since=now)
    start(game, now)
    return game


@transaction.atomic
def give_up(game: Game, person: Person, now: datetime) -> None:
    """End a person's practice game for good, so that they may begin another."""
    _end(game, "The practice game was abandoned.", person, now)


def _end(game: Game, words: str, by: Person | None, now: datetime) -> None:
    game_row.take_row(game)
    open_game_row = Game.objects.filter(
        pk=game.pk, practice=True, status__in=Game.Status.going_on()
    )
    if open_game_row.update(status=Game.Status.ABANDONED, finished_at=now):
        act = acts.write(game, "abandoned", words, now, by=by)
        hashes.append(game, [hashes.abandonment(act)], now)
        lifecycle.update(
            Phase.objects.filter(game=game), Event.GIVEN_UP, due_at=None, remind_at=None
        )


@transaction.atomic
def adopt(guest: Person, person: Person, now: datetime) -> None:
    """Give a guest's seats to the person who logged in, and close the guest's account.

    Raise `DeskError`. Rows are locked in the order of `game_row.take_row`: games before a person.
    """
    if not guest.guest or person.guest or guest.email == HOUSE:
        raise DeskError("Only a guest's practice games can be moved to an account with an address.")
    current = Sitting.objects.current().filter(person=guest)
    seats = list(
        Seat.objects.filter(sittings__in=current)
        .select_related("game")
        .order_by("game_id", "ordinal")
    )
    for seat in seats:
        game_row.take_row(seat.game)
    if Person.objects.filter(pk=guest.pk, is_active=True).update(is_active=False) != 1:
        raise DeskError("These practice games already belong to an account.")
    Notebook.objects.filter(person=guest).exclude(game__notebooks__person=person).update(
        person=person
    )
    for seat in seats:
        left = current.filter(seat=seat).update(
            until=now, ended_because="The guest now has an account."
        )
        in_game = Sitting.objects.current().filter(seat__game=seat.game, person=person)
        if left and not in_game.exists():
            Sitting.objects.create(seat=seat, person=person, since=now)


def look_after(now: datetime) -> int:
    """End practice games left for days and close accounts of old guests, once an hour.

    Return how many games ended. A job of each tick (games.tasks).
    """
    if not Pulse.objects.take_turn("practice", LOOKED_AFTER_EVERY, now):
        return 0
    old = Game.objects.filter(practice=True, opened_at__lt=now - LASTS)
    ended = 0
    for game in old.filter(status__in=Game.Status.going_on()):
        with transaction.atomic():
            _end(game, f"The practice game was abandoned after {LASTS.days} days.", None, now)
        ended += 1
    playing = Sitting.objects.current().filter(
        person=OuterRef("pk"), seat__game__status=Game.Status.RUNNING
    )
    old_guests = Person.objects.filter(
        guest=True, is_active=True, joined_at__lt=now - GUEST_LASTS
    ).exclude(email=HOUSE)
    old_guests.exclude(Exists(playing)).update(is_active=False)
    return ended
