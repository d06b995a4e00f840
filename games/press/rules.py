"""What a game allows of letters between nations, and what its record has of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.models import Game, Press, Proposal
from games.rules.names import all_of
from games.rules.verification import record

NAMED, GREY, ANONYMOUS = "named", "grey", "anonymous"
NONE, PRIVATE, RELEASED = "none", "private", "released"


#: What may be chosen of the sender, in the words of the first letter.
SENDERS = {
    NAMED: "Every letter says which nation wrote it.",
    GREY: "A letter to all nations may be unsigned; any other says which nation wrote it.",
    ANONYMOUS: (
        "Any letter between nations may be unsigned: then nobody is told which nation wrote it."
    ),
}


#: What may be chosen of deals between nations (games/press/deals.py).
DEALS = {
    NONE: "The service carries no deals.",
    PRIVATE: "Two nations may make deals; nobody else ever sees them.",
    RELEASED: (
        "Two nations may make deals; when the game is over everybody sees who kept their word."
    ),
}
KINDS = ("placement", "attacks")


class PressError(Exception):
    """A letter that is not carried. `str()` is one sentence for its writer."""


@dataclass(frozen=True)
class Rules:
    """What a game allows: the form of `Game.press` with its defaults filled in."""

    sender: str = NAMED
    closed: tuple[str, ...] = ()  # kinds of phases in which nothing is carried
    gamesmaster_reads: bool = False
    released: bool = False  # everybody who sees the game reads all of it once it is over
    deals: str = NONE


def rules_of(game: Game) -> Rules:
    return _rules(game.press)


def _rules(given: Mapping[str, Any]) -> Rules:
    return Rules(
        given.get("sender", NAMED),
        tuple(given.get("closed", ())),
        bool(given.get("gamesmaster_reads", False)),
        bool(given.get("released", False)),
        given.get("deals", NONE),  # games from before deals keep the rules they began with
    )


def check(given: Mapping[str, Any]) -> dict[str, Any]:
    """The rules as a game keeps them. Raises `PressError` for what is none."""
    known = {"sender", "closed", "gamesmaster_reads", "released", "deals"}
    if unknown := sorted(set(given) - known):
        raise PressError(
            f"“{unknown[0]}” is no rule of letters between nations; there are"
            f" {', '.join(sorted(known))}."
        )
    if (sender := given.get("sender", NAMED)) not in SENDERS:
        raise PressError(f"“{sender}” is no way to sign letters; there are {', '.join(SENDERS)}.")
    if (deals := given.get("deals", PRIVATE)) not in DEALS:
        raise PressError(f"“{deals}” is no rule of deals; there are {', '.join(DEALS)}.")
    closed = list(given.get("closed", ()))
    if strange := [kind for kind in closed if kind not in KINDS]:
        raise PressError(f"“{strange[0]}” is no kind of phase; there are {', '.join(KINDS)}.")
    if set(closed) == set(KINDS):
        raise PressError(
            "No letter could ever be carried: leave one kind of phase open to letters."
        )
    for flag in ("gamesmaster_reads", "released"):
        if not isinstance(given.get(flag, False), bool):
            raise PressError(f"“{given[flag]}” is no answer to “{flag}”: it is true or false.")
    return {
        "sender": sender,
        "closed": [kind for kind in KINDS if kind in closed],
        "gamesmaster_reads": given.get("gamesmaster_reads", False),
        "released": given.get("released", False),
        "deals": deals,
    }


def in_words(given: Mapping[str, Any]) -> list[str]:
    """The rules of a game as sentences, for its first letter and its page."""
    rules = _rules(given)
    told = [SENDERS.get(rules.sender, SENDERS[NAMED])]
    if rules.closed:
        told.append(
            f"No letters are carried while {all_of(rules.closed)}"
            f" {'are' if rules.closed != ('placement',) else 'is'} open or judged."
        )
    if rules.gamesmaster_reads:
        told.append("The gamesmaster can read them all, unless the gamesmaster plays.")
    else:
        told.append("The gamesmaster reads only letters addressed to the gamesmaster.")
    told.append(
        "When the game is over everybody may read them."
        if rules.released
        else "They stay private when the game is over."
    )
    if rules.deals == RELEASED:
        told.append(DEALS[RELEASED])
    return told


def as_record(game: Game, private: bool) -> list[dict[str, Any]]:
    """The letters as a game's record has them: nations, never persons. Nothing but what whoever
    gets the record may read.

    `private`: the record is a gamesmaster's own. He has what he reads; everybody has all of it once
    the game is over and it is released. Who wrote an unsigned letter stands in no record.
    """
    rules = rules_of(game)
    released = rules.released and game.status == Game.Status.FINISHED
    rows = (
        Press.objects.filter(game=game)
        .select_related("seat", "phase", "answers")
        .order_by("number")
    )
    if not released and not (private and rules.gamesmaster_reads):
        return []
    return [
        {
            "number": row.number,
            "sent": record.instant(row.sent_at),
            "phase": row.phase.number if row.phase else None,
            "from": (
                None if not row.signed else "gamesmaster" if row.seat is None else row.seat.nation
            ),
            "to": list(row.to),
            "to_all": row.to_all,
            "to_gamesmaster": row.to_gamesmaster,
            "answers": row.answers.number if row.answers else None,
            "text": row.text,
        }
        for row in rows
    ]


def deals_as_record(game: Game, private: bool) -> list[dict[str, Any]]:
    """Return the deals as a game's record has them, as `as_record` does letters: nations, never
    persons. `counters` is the place in the list of the proposal that one answers, from 0."""
    rules = rules_of(game)
    released = rules.deals == RELEASED and game.status == Game.Status.FINISHED
    if not released and not (private and rules.gamesmaster_reads):
        return []
    rows = Proposal.objects.filter(game=game).select_related("seat", "to", "phase", "answer")
    found = list(rows.order_by("pk"))
    places = {row.pk: place for place, row in enumerate(found)}
    return [_deal(row, places) for row in found]


def _deal(row: Proposal, places: Mapping[int, int]) -> dict[str, Any]:
    answer = getattr(row, "answer", None)
    return {
        "made": record.instant(row.made_at),
        "phase": row.phase.number,
        "by": row.seat.nation,
        "to": row.to.nation,
        "text": row.text,
        "counters": places[row.counters_id] if row.counters_id else None,
        "answer": answer.kind if answer else None,
        "answered": record.instant(answer.made_at) if answer else None,
    }
