"""Digits that no sales decide (`rng.source`): the gamesmaster's own rolls, and a seed whose hash
was published beforehand.

They are kept as sales are, so that draws, records and checks need nothing else: a reading and a
figure for each, whose hundreds end in the digit, under the names ROLL-1, ROLL-2 in order of use
(`games.rules.digits`).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet

from games.models import Game, Person, Phase, Reading
from games.rules import digits

from .errors import MarketError

GM_DICE, COMMIT_REVEAL = "gm_dice", "commit_reveal"
#: As `Reading.source` has them, with the "exchange" under which they are kept.
DICE, SEED = "dice", "seed"
EXCHANGES = {GM_DICE: "DICE", COMMIT_REVEAL: "SEED"}
MOST_ROLLS = 200


def source_of(game: Game) -> str:
    """`rng.source` of the game."""
    return str(game.options.get("rng.source", digits.STOCKS))


def by_sales(game: Game) -> bool:
    """Whether sales decide, and with them a market session."""
    return source_of(game) == digits.STOCKS


def place_of(phase: Phase) -> dict[str, str]:
    """Return exchange and session under which a game keeps a phase's rolls: the phase's alone."""
    return {"exchange": EXCHANGES[source_of(phase.game)], "session": f"phase-{phase.number}"}


def as_rolls(rolls: Sequence[int]) -> dict[str, int | None]:
    """Rolls in order as the rules take figures."""
    return {
        digits.roll_symbol(number): digits.volume_of_roll(digit)
        for number, digit in enumerate(rolls, start=1)
    }


# --- the seed ---


def choose_seed(phase: Phase) -> None:
    """Chooses the seed of a phase about to be opened, and sets its published hash. The caller saves
    the phase.

    The seed itself is computed from a nonce and the service's secret: neither the database nor a
    copy of it can tell the digits.
    """
    phase.seed_nonce = secrets.token_hex(32)
    phase.seed_hash = digits.seed_hash(_seed(phase.seed_nonce, settings.SECRET_KEY))


def seed_of(phase: Phase) -> str:
    """Return the seed for judging the locked phase. Raises `MarketError` where it is lost."""
    if phase.seed:
        return phase.seed
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if (
            phase.seed_nonce
            and digits.seed_hash(seed := _seed(phase.seed_nonce, key)) == phase.seed_hash
        ):
            return seed
    raise MarketError(
        "The seed of this phase is lost: the service's SECRET_KEY has changed; put the old one into"
        " SECRET_KEY_FALLBACKS."
    )


def _seed(nonce: str, key: str | bytes) -> str:
    return hmac.new(
        key.encode() if isinstance(key, str) else key, f"seed/{nonce}".encode(), hashlib.sha256
    ).hexdigest()


# --- readings ---


def readings_of(
    asked: Sequence[tuple[Phase, Sequence[str]]], now: datetime
) -> dict[int, dict[str, Reading] | MarketError]:
    """Return the rolls behind symbols of these phases, by id of the phase: the first that was
    entered for each, or what the seed gives, which is written. Those not rolled yet are missing.

    Where a phase's seed is lost, its error stands in their place.
    """
    found: dict[int, dict[str, Reading]] = {phase.pk: {} for phase, _ in asked}
    places = {_place(phase.game_id, **place_of(phase)): phase.pk for phase, _ in asked}
    wanted = {phase.pk: set(symbols) for phase, symbols in asked}
    rows = Reading.objects.filter(
        game__in=[phase.game_id for phase, _ in asked],
        exchange__in=EXCHANGES.values(),
        session__in={session for _, _, session in places},
    )
    for row in rows.order_by("pk"):
        pk = places.get(_place(row.game_id, row.exchange, row.session))
        if pk is not None and row.symbol in wanted[pk]:
            found[pk].setdefault(row.symbol, row)
    made: list[Reading] = []
    lost: dict[int, MarketError] = {}
    for phase, symbols in asked:
        if source_of(phase.game) != COMMIT_REVEAL:
            continue
        missing = {symbol: digits.roll_number(symbol) for symbol in symbols}
        try:
            for symbol, number in missing.items():
                if number is not None and symbol not in found[phase.pk]:
                    found[phase.pk][symbol] = _of_seed(phase, symbol, number, now)
                    made.append(found[phase.pk][symbol])
        except MarketError as error:
            lost[phase.pk] = error
    Reading.objects.bulk_create(made)
    return {**found, **lost}


def _place(game: int | None, exchange: str, session: str) -> tuple[int | None, str, str]:
    return game, exchange, session


def _of_seed(phase: Phase, symbol: str, number: int, now: datetime) -> Reading:
    digit = digits.seed_digit(seed_of(phase), phase.turn, phase.kind, number)
    how = f"HMAC-SHA256 of {phase.turn}/{phase.kind}/{number}"
    return _roll(phase, symbol, digit, SEED, now, None, how)


def entered_rolls(phase: Phase) -> list[int]:
    """The rolls entered for a phase so far, in order."""
    by_symbol: dict[str, int] = {}
    for reading in _rolls(phase).order_by("pk"):
        by_symbol.setdefault(reading.symbol, digits.digit_of_shares(reading.volume or 0))
    return [
        by_symbol[symbol]
        for symbol in sorted(by_symbol, key=lambda symbol: digits.roll_number(symbol) or 0)
    ]


@transaction.atomic
def enter_rolls(
    phase: Phase, after: int, rolls: Sequence[int], by: Person, now: datetime, note: str = ""
) -> list[Reading]:
    """The gamesmaster's rolls, following on the `after` that are there, each as a reading with his
    name.

    Raises `MarketError` where others were entered meanwhile.
    """
    Game.objects.filter(pk=phase.game_id).update(
        last_submission=F("last_submission")
    )  # two gamesmasters, one after the other
    if len(entered_rolls(phase)) != after:
        raise MarketError("Other rolls have been entered meanwhile. Look at the phase again.")
    if after + len(rolls) > MOST_ROLLS:
        raise MarketError(f"More than {MOST_ROLLS} rolls are more than a phase can use.")
    return Reading.objects.bulk_create(
        _roll(phase, digits.roll_symbol(number), digit, DICE, now, by, note)
        for number, digit in enumerate(rolls, start=after + 1)
    )


def _rolls(phase: Phase) -> QuerySet[Reading]:
    return Reading.objects.filter(game=phase.game_id, **place_of(phase))


def _roll(
    phase: Phase, symbol: str, digit: int, source: str, now: datetime, by: Person | None, note: str
) -> Reading:
    """Return a roll as a reading, not yet written."""
    made = Reading(
        game=phase.game,
        source=source,
        symbol=symbol,
        kind=Reading.Kind.OK,
        volume=digits.volume_of_roll(digit),
        read_at=now,
        detail=note,
        raw={"digit": digit},
        entered_by=by,
        **place_of(phase),
    )
    made.set_hash()
    return made
