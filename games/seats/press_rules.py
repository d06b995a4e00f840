"""A game's rules for letters between nations, and the letters and deals of its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.models import Game, Press, Proposal
from games.rules.names import all_of
from games.rules.verification import record

NAMED, GREY, ANONYMOUS = "named", "grey", "anonymous"
NONE, PRIVATE, RELEASED = "none", "private", "released"


#: Choices for the sender, in the words of the first letter.
SENDERS = {
    NAMED: "Every letter says which nation wrote it.",
    GREY: "A letter to all nations may be unsigned; any other says which nation wrote it.",
    ANONYMOUS: (
        "Any letter between nations may be unsigned: then nobody learns which nation wrote it."
    ),
}


#: Choices for deals between nations (games/press/deals.py).
DEALS = {
    NONE: "There are no deals.",
    PRIVATE: "Two nations may make deals, which nobody else ever sees.",
    RELEASED: (
        "Two nations may make deals. When the game is over, everybody sees who kept their word."
    ),
}
KINDS = ("placement", "attacks")


class PressError(Exception):
    """A letter is not accepted. `str()` is one sentence for its writer."""


@dataclass(frozen=True)
class Rules:
    """What a game allows: `Game.press` with its defaults filled in."""

    sender: str = NAMED
    closed: tuple[str, ...] = ()  # kinds of phases without letters
    gamesmaster_reads: bool = False
    released: bool = False  # all who see the game may read all letters once it is over
    deals: str = NONE


def rules_of(game: Game) -> Rules:
    return _rules(game.press)


def _rules(given: Mapping[str, Any]) -> Rules:
    return Rules(
        given.get("sender", NAMED),
        tuple(given.get("closed", ())),
        bool(given.get("gamesmaster_reads", False)),
        bool(given.get("released", False)),
        given.get("deals", NONE),
    )


def check(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules in the form that a game stores.

    Raise `PressError` for unknown or bad values.
    """
    fields = {"sender", "closed", "gamesmaster_reads", "released", "deals"}
    if unknown := sorted(set(given) - fields):
        raise PressError(
            f"“{unknown[0]}” is not a rule for letters between nations; there are"
            f" {', '.join(sorted(fields))}."
        )
    if (sender := given.get("sender", NAMED)) not in SENDERS:
        raise PressError(
            f"“{sender}” is not a way to sign letters; there are {', '.join(SENDERS)}."
        )
    if (deals := given.get("deals", PRIVATE)) not in DEALS:
        raise PressError(f"“{deals}” is not a rule for deals; there are {', '.join(DEALS)}.")
    closed = list(given.get("closed", ()))
    if unknown_kinds := [kind for kind in closed if kind not in KINDS]:
        raise PressError(
            f"“{unknown_kinds[0]}” is not a kind of phase; there are {', '.join(KINDS)}."
        )
    if set(closed) == set(KINDS):
        raise PressError(
            "Players could never send a letter. Leave one kind of phase open for letters."
        )
    for flag in ("gamesmaster_reads", "released"):
        if not isinstance(given.get(flag, False), bool):
            raise PressError(
                f"“{given[flag]}” is not a value for “{flag}”, which is true or false."
            )
    return {
        "sender": sender,
        "closed": [kind for kind in KINDS if kind in closed],
        "gamesmaster_reads": given.get("gamesmaster_reads", False),
        "released": given.get("released", False),
        "deals": deals,
    }


def describe_rules(given: Mapping[str, Any]) -> list[str]:
    """Return the rules of a game as sentences, for its first letter and its page."""
    rules = _rules(given)
    sentences = [SENDERS.get(rules.sender, SENDERS[NAMED])]
    if rules.closed:
        sentences.append(
            f"Nations cannot write to each other while {all_of(rules.closed)}"
            f" {'are' if rules.closed != ('placement',) else 'is'} open or judged."
        )
    if rules.gamesmaster_reads:
        sentences.append("The gamesmaster can read them all, unless the gamesmaster plays.")
    else:
        sentences.append("The gamesmaster reads only letters addressed to the gamesmaster.")
    sentences.append(
        "When the game is over, everybody can read them."
        if rules.released
        else "They stay private when the game is over."
    )
    if rules.deals == RELEASED:
        sentences.append(DEALS[RELEASED])
    return sentences


def letters_as_record(game: Game, private: bool) -> list[dict[str, Any]]:
    """Return the letters for a game's record: nations, never persons.

    It has only what the person who gets the record may read. `private`: the record is a
    gamesmaster's own and has what they may read. If letters are released, all have all of them once
    the game is over. The writer of an unsigned letter is in no record.
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
    """Return the deals for a game's record, by the same rules as `letters_as_record`.

    `counters` is the index in the list, from 0, of the proposal that this one answers.
    """
    rules = rules_of(game)
    released = rules.deals == RELEASED and game.status == Game.Status.FINISHED
    if not released and not (private and rules.gamesmaster_reads):
        return []
    rows = Proposal.objects.filter(game=game).select_related("seat", "to", "phase", "answer")
    proposals = list(rows.order_by("pk"))
    places = {row.pk: place for place, row in enumerate(proposals)}
    return [_deal(row, places) for row in proposals]


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
