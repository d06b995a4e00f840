"""The record of a game: one JSON document with everything that a stranger needs to
check it. `form` has its form.

Here are the names and hashes on which writer (`games.evidence.export`), ledger
(`orders.intake.ledger`) and checker (`verify`) must agree.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from .. import Json, RulesError
from ..contract import Ruleset

#: The text in the ledger by which a nation takes back all that it has sent in a phase
#: (`is_withdrawal`).
CANCELLED = "# CANCEL: whatever was sent before is taken back"
#: Begins the reason of a deadline that was corrected after the clock had been ahead.
CLOCK_WAS_AHEAD = "The service’s clock was ahead until "


class RecordError(RulesError):
    """A document that is not a record. `str()` is one sentence that names the key at fault."""


# --- hashes ---


def leaf(nation: str, text: str, salt: str) -> str:
    """Hash a nation's part of the digest: salt, nation and text, each ended by a zero byte."""
    return sha256(b"".join(part.encode() + b"\0" for part in (salt, nation, text))).hexdigest()


def digest(leaves: Mapping[str, str]) -> str:
    """Return the hash that is published at the lock.

    It is SHA-256 over the leaves in the order of the nations' names, each a line `nation leaf` with
    a newline.
    """
    return sha256(
        "".join(f"{nation} {leaves[nation]}\n" for nation in sorted(leaves)).encode()
    ).hexdigest()


def canonical(value: object) -> bytes:
    """Return the one form in which a value is hashed: JSON, keys sorted, no spaces, in UTF-8."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def chain_hash(
    *,
    previous: str,
    number: int,
    nation: str,
    turn: int,
    phase: str,
    received: str,
    channel: str,
    salt: str,
    text: str,
    member: int,
    proposal: bool,
) -> str:
    """Return the hash of a submission and the hash of the one before.

    So none can be changed, left out or inserted later unnoticed. `received` is an instant as
    `instant` writes it. `member` is the number of the team's member who sent it; 0 for a seat
    without a team.
    """
    fields: Json = {
        "previous": previous,
        "number": number,
        "nation": nation,
        "turn": turn,
        "phase": phase,
        "received": received,
        "channel": channel,
        "salt": salt,
        "text": text,
        "member": member,
        "proposal": proposal,
    }
    return sha256(canonical(fields)).hexdigest()


def is_withdrawal(text: str, late: bool) -> bool:
    """Return whether a submission takes back all earlier ones of its nation in its phase.

    The nation has then sent nothing. The text is a comment and no order. Text without an order is
    never received from a sender, so nobody can write it by chance.
    """
    return text == CANCELLED and not late


def reading_hash(row: Mapping[str, Any]) -> str:
    """Return the hash of a reading, so that figure and raw answer cannot change unnoticed."""
    return sha256(
        canonical({key: row[key] for key in row if key not in ("number", "hash")})
    ).hexdigest()


def instant(moment: datetime) -> str:
    """Return an instant as records write it: ISO 8601 in UTC.

    Microseconds are included where there are any.
    """
    return moment.astimezone(UTC).isoformat()


# --- the board ---


def board(rules: Ruleset, state: Any) -> Json:
    """Return the public board of a position in the form of situations.

    It includes the number of counters that lie face down.
    """
    cells = rules.board(rules.view(state, None)).cells
    return {
        area: {
            nation: {
                "pf": c.pf,
                **{counter: getattr(c, counter) for counter in rules.counters},
                **({"face_down": c.face_down} if c.face_down else {}),
            }
            for nation, c in here.items()
        }
        for area, here in cells.items()
        if here
    }
