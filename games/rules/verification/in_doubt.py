"""Check which orders in doubt counted in a phase (games.rules.doubts)."""

from __future__ import annotations

from collections.abc import Iterator

from .. import Json, PhaseId, doubts
from . import record
from .difference import Difference, parse_time
from .phases import PhaseCheck


def differences(check: PhaseCheck) -> Iterator[Difference]:
    """Yield where orders in doubt were entered against the rules, or were not.

    The submissions of the phase have been checked before.
    """
    phase, closes = check.phase, parse_time(check.phase["deadline"]) + check.grace
    if not check.tree["complete"]:
        return
    entered = [row for row in phase["submissions"] if row["channel"] == doubts.CHANNEL]
    follow = [_texts_that_count(check, which) for which in (0, -1)]
    texts = {row["nation"]: row["text"] for row in entered}
    if len(texts) < len(entered) or texts not in follow:
        recorded = [[row["nation"], row["text"]] for row in entered]
        expected = [[nation, text] for nation, text in follow[-1].items()]
        yield check.wrong("the list of orders in doubt that count", recorded, expected)
    for row in entered:
        subject, expected_time = f"the time of submission {row['number']}", record.instant(closes)
        yield from check.expect(subject, row["received"], expected_time, row["nation"])


def _texts_that_count(check: PhaseCheck, which: int) -> dict[str, str]:
    """Return the texts that count though they were in doubt, by nation.

    `which`: 0 or -1, by which position a text is read if a ruling was made at that very instant.
    """
    phase, rules, options = check.phase, check.rules, check.options
    facts = rules.facts(PhaseId(phase["turn"], phase["kind"]), options)
    locked = phase["locked"] and parse_time(phase["locked"])
    if not locked or facts.awaited or locked < parse_time(phase["deadline"]) + check.grace:
        return {}
    submissions = [row for row in phase["submissions"] if row["channel"] != doubts.CHANNEL]
    sent = [item for row in submissions if (item := _sent(row, check, which)) is not None]
    stands = check.orders_of(submissions)
    state = check.states(locked)[which]
    counting = doubts.counting(rules, state, options, sent, stands, phase["teams"])
    return {
        nation: doubts.text_of(item.doubt)
        for nation, item in counting.items()
        if item.doubt is not None
    }


def _sent(row: Json, check: PhaseCheck, which: int) -> doubts.Sent | None:
    """Return a submission that settles what its nation orders, or asks; None for another."""
    if row["counts"] or record.is_withdrawal(row["text"], row["late"]):
        return doubts.Sent(row["number"], row["nation"])
    doubt = check.doubts[row["number"]][which]
    if doubt is None or row["late"]:
        return None
    return doubts.Sent(row["number"], row["nation"], doubt)
