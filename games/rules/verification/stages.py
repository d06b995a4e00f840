"""Check that a phase of a record says no more than can be known at its stage (`verify`).

While orders are open nobody is missing and nothing is sealed, read or drawn. No hash covers what a
record says of such a phase beyond its opening, so that anybody could write it there.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import Json
from .difference import Check, Difference, phase_name

#: What the lock and later steps set in a phase, each with its subject and its value before.
_SET_LATER: dict[str, tuple[str, object]] = {
    "digest": ("the digest", ""),
    "leaves": ("the leaves", {}),
    "missed": ("the list of those who sent nothing", []),
    "teams": ("the list of teams", {}),
    "holders": ("the list of who held the seats", None),
    "stocks": ("the list of stocks", []),
    "session": ("the session", None),
    "session_changes": ("the list of session changes", []),
    "policy": ("the policy by which figures are read", None),
    "seed": ("the seed", ""),
    "readings": ("the list of readings", []),
    "later_readings": ("the list of later readings", []),
    "figures": ("the list of settled stocks", []),
    "draws": ("the list of digits", []),
    "resolutions": ("the list of results", []),
}


def differences(phase: Json) -> Iterator[Difference]:
    """Yield what a phase says too early, and a status that is not of its stage."""
    check = Check(phase_name(phase))
    if phase["locked"] is None:
        statuses = ["open", "held"]
        for key, (subject, before) in _SET_LATER.items():
            yield from check.expect(subject, phase[key], before)
    elif phase["resolutions"]:
        statuses = ["resolved"]
    else:
        statuses = ["locked", "drawing", "held", "approval"]
    if phase["status"] not in (*statuses, "undone"):  # `verify` checks which phases are undone
        yield check.wrong("the status", phase["status"], " or ".join(statuses))
