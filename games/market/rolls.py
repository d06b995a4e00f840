"""Digits that do not come from sales (`rng.source`): the gamesmaster's rolls, and a seed whose hash
was published in advance.

They are stored like sales, so that draws, records and checks need no special case: each has a
reading and a figure whose hundreds end in the digit, named ROLL-1, ROLL-2 in order of use
(`games.rules.digits`).
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime

from games.base import signing
from games.models import Game, Person, Phase, Reading
from games.rules import digits

from .errors import MarketError

GM_DICE, COMMIT_REVEAL = "gm_dice", "commit_reveal"
#: Values of `Reading.source`, and the "exchange" under which rolls are stored.
DICE, SEED = "dice", "seed"
EXCHANGES = {GM_DICE: "DICE", COMMIT_REVEAL: "SEED"}
MOST_ROLLS = 200


def sales_decide(game: Game) -> bool:
    """Return whether sales, and therefore a market session, decide."""
    return game.digit_source == digits.STOCKS


def needs_exchange(source: str, digit_source: str) -> bool:
    """Return whether the sales of a real exchange decide.

    `source`: where sales come from (`Game.market`); `digit_source`: the value of `rng.source`.
    """
    return digit_source == digits.STOCKS and source != Game.Market.DEMO


def place_of(phase: Phase) -> dict[str, str]:
    """Return the exchange and session under which a phase's rolls are stored; unique in a game."""
    return {"exchange": EXCHANGES[phase.game.digit_source], "session": f"phase-{phase.number}"}


def figures_from_rolls(rolls: Sequence[int]) -> dict[str, int | None]:
    """Return rolls, in order, as figures for the rules."""
    return {
        digits.roll_symbol(number): digits.volume_of_roll(digit)
        for number, digit in enumerate(rolls, start=1)
    }


# --- the seed ---


def choose_seed(phase: Phase) -> None:
    """Choose the seed of a phase that is about to open, and set the hash to publish. The caller
    saves the phase.

    The seed is computed from a nonce and the service's secret, so that neither the database nor a
    copy of it reveals the digits.
    """
    phase.seed_nonce = secrets.token_hex(32)
    phase.seed_hash = digits.seed_hash(signing.derive(signing.Salt.SEED, phase.seed_nonce))


def seed_of(phase: Phase) -> str:
    """Return the seed of a locked phase. Raise `MarketError` where it cannot be computed."""
    if phase.seed:
        return phase.seed
    for key in signing.every_key():
        seed = signing.derive(signing.Salt.SEED, phase.seed_nonce, key)
        if phase.seed_nonce and digits.seed_hash(seed) == phase.seed_hash:
            return seed
    raise MarketError(
        "The seed of this phase cannot be computed because the service's SECRET_KEY has changed."
        " Put the old key into SECRET_KEY_FALLBACKS."
    )


# --- readings ---


def readings_of(
    asked: Sequence[tuple[Phase, Sequence[str]]], now: datetime
) -> dict[int, dict[str, Reading] | MarketError]:
    """Return the readings of rolls by symbol, for each phase's id: the first one entered, or the
    one computed from the seed, which is written. Symbols that are not rolled yet are left out.

    Where a phase's seed cannot be computed, its value is the error.
    """
    readings_by_phase: dict[int, dict[str, Reading]] = {phase.pk: {} for phase, _ in asked}
    places = {_place(phase.game_id, **place_of(phase)): phase.pk for phase, _ in asked}
    symbols_by_phase = {phase.pk: set(symbols) for phase, symbols in asked}
    rows = Reading.objects.filter(
        game__in=[phase.game_id for phase, _ in asked],
        exchange__in=EXCHANGES.values(),
        session__in={session for _, _, session in places},
    )
    for row in rows.order_by("pk"):
        pk = places.get(_place(row.game_id, row.exchange, row.session))
        if pk is not None and row.symbol in symbols_by_phase[pk]:
            readings_by_phase[pk].setdefault(row.symbol, row)
    new_readings: list[Reading] = []
    errors: dict[int, MarketError] = {}
    for phase, symbols in asked:
        if phase.game.digit_source != COMMIT_REVEAL:
            continue
        missing = {symbol: digits.roll_number(symbol) for symbol in symbols}
        try:
            for symbol, number in missing.items():
                if number is not None and symbol not in readings_by_phase[phase.pk]:
                    readings_by_phase[phase.pk][symbol] = _seed_reading(phase, symbol, number, now)
                    new_readings.append(readings_by_phase[phase.pk][symbol])
        except MarketError as error:
            errors[phase.pk] = error
    Reading.objects.bulk_create(new_readings)
    return {**readings_by_phase, **errors}


def _place(game: int | None, exchange: str, session: str) -> tuple[int | None, str, str]:
    return game, exchange, session


def _seed_reading(phase: Phase, symbol: str, number: int, now: datetime) -> Reading:
    digit = digits.seed_digit(seed_of(phase), phase.turn, phase.kind, number)
    detail = f"HMAC-SHA256 of {phase.turn}/{phase.kind}/{number}"
    return _roll(phase, symbol, digit, SEED, now, None, detail)


def entered_rolls(phase: Phase) -> list[int]:
    """Return the digits entered for a phase so far, in order."""
    by_symbol: dict[str, int] = {}
    rolls = Reading.objects.filter(game=phase.game_id, **place_of(phase))
    for reading in rolls.order_by("pk"):
        by_symbol.setdefault(reading.symbol, digits.digit_of_shares(reading.volume or 0))
    return [
        by_symbol[symbol]
        for symbol in sorted(by_symbol, key=lambda symbol: digits.roll_number(symbol) or 0)
    ]


def enter_rolls(
    phase: Phase, after: int, rolls: Sequence[int], by: Person, now: datetime, note: str = ""
) -> None:
    """Store the gamesmaster's rolls after the first `after` ones, as readings with their name.

    The caller holds the game's row. Raise `MarketError` where there are too many.
    """
    if after + len(rolls) > MOST_ROLLS:
        raise MarketError(f"More than {MOST_ROLLS} rolls are more than a phase can use.")
    Reading.objects.bulk_create(
        _roll(phase, digits.roll_symbol(number), digit, DICE, now, by, note)
        for number, digit in enumerate(rolls, start=after + 1)
    )


def _roll(
    phase: Phase, symbol: str, digit: int, source: str, now: datetime, by: Person | None, note: str
) -> Reading:
    """Return a roll as an unsaved reading."""
    reading = Reading(
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
    reading.set_hash()
    return reading
