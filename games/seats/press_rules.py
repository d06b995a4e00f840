"""A game's rules for letters between nations, their conversations, and the letters and deals of its
record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.models import Game, Press, Proposal
from games.rules.verification import form

# Values that code refers to. games/rules/settings.toml has their texts.
NAMED, GREY = "named", "grey"
NONE, PRIVATE, RELEASED = "none", "private", "released"

#: The writer of a letter without a seat, and the addressee of a question.
GAMESMASTER = "the Gamesmaster"
ALL = "all nations"
UNSIGNED = "unsigned"


class PressError(Exception):
    """A letter is not accepted. `str()` is one sentence for its writer."""


@dataclass(frozen=True)
class Rules:
    """What a game allows: its settings of letters between nations (`Game.press`)."""

    sender: str
    closed: str  # the kind of phase without letters, if any
    gamesmaster_reads: bool
    released: bool  # all who see the game may read all letters once it is over
    deals: str


def rules_of(game: Game) -> Rules:
    return Rules(
        sender=game.setting("press.sender"),
        closed=game.setting("press.closed"),
        gamesmaster_reads=game.setting("press.gamesmaster_reads"),
        released=game.setting("press.released"),
        deals=game.setting("press.deals"),
    )


def describe_rules(game: Game) -> list[str]:
    """Return the rules of a game as sentences, for its first letter and its page."""
    return game.describe_settings(lambda setting: setting.id.startswith("press."))


def conversation(press: Press) -> tuple[str, ...]:
    """Return the participants of a letter's conversation, in card order.

    Unsigned letters have UNSIGNED instead of their writer.
    """
    if press.to_all:
        return (ALL,)
    nations = [
        seat.nation for seat in sorted(press.game.seats.all(), key=lambda seat: seat.ordinal)
    ]
    participants = {
        *press.to,
        *([press.seat.nation] if press.seat is not None and press.signed else []),
    }
    masters = [GAMESMASTER] if press.to_gamesmaster or press.seat is None else []
    return (
        *(nation for nation in nations if nation in participants),
        *masters,
        *([] if press.signed else [UNSIGNED]),
    )


def letters_as_record(game: Game, private: bool) -> list[dict[str, Any]]:
    """Return the letters for a game's record: nations, never persons.

    It has only what the person who gets the record may read. `private`: the record is a
    gamesmaster's own and has what they may read. If letters are released, all have all of them once
    the game is over. The writer of an unsigned letter is in no record.
    """
    rules = rules_of(game)
    released = rules.released and game.is_over
    rows = (
        Press.objects.filter(game=game)
        .select_related("seat", "phase", "answers")
        .order_by("number")
    )
    if not released and not (private and rules.gamesmaster_reads):
        return []
    return [_letter(row) for row in rows]


def _letter(row: Press) -> dict[str, Any]:
    writer = "gamesmaster" if row.seat is None else row.seat.nation
    return form.PRESS.write(
        row,
        phase=row.phase.number if row.phase else None,
        answers=row.answers.number if row.answers else None,
        **{"from": writer if row.signed else None},
    )


def deals_as_record(game: Game, private: bool) -> list[dict[str, Any]]:
    """Return the deals for a game's record, by the same rules as `letters_as_record`.

    `counters` is the index in the list, from 0, of the proposal that this one answers.
    """
    rules = rules_of(game)
    released = rules.deals == RELEASED and game.is_over
    if not released and not (private and rules.gamesmaster_reads):
        return []
    rows = Proposal.objects.filter(game=game).select_related("seat", "to", "phase", "answer")
    proposals = list(rows.order_by("pk"))
    places = {row.pk: place for place, row in enumerate(proposals)}
    return [_deal(row, places) for row in proposals]


def _deal(row: Proposal, places: Mapping[int, int]) -> dict[str, Any]:
    answer = getattr(row, "answer", None)
    return form.DEAL.write(
        row,
        phase=row.phase.number,
        by=row.seat.nation,
        to=row.to.nation,
        counters=places[row.counters_id] if row.counters_id else None,
        answer=answer.kind if answer else None,
        answered=answer.made_at if answer else None,
    )
