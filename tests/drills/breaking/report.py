"""A line of the table of faults, and what is printed while it is made."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.drills.breaking import counting
from tests.drills.breaking.league import League
from tests.drills.breaking.players import Sent


@dataclass
class Row:
    """One fault: how often and among how much it was tried, and what was lost or doubled by it:
    nothing, or it says what."""

    fault: str
    rounds: int
    games: int = 0
    phases: int = 0
    orders: int = 0
    letters: int = 0
    lost: int = 0
    doubled: int = 0
    known: int = 0
    lag: float = 0.0
    seconds: float = 0.0
    seed: int | None = None
    remark: str = ""
    wrong: dict[str, Any] = field(default_factory=dict)  # what was lost or doubled, by name
    measured: dict[str, Any] = field(default_factory=dict)


def row(
    fault: str,
    running: League,
    sent: Sent,
    *,
    rounds: int,
    began: float,
    seed: int | None = None,
    remark: str = "",
    lag: float | None = None,
) -> Row:
    """Counts, when everything is calm."""
    found = counting.found(running, sent)
    wrong = found.told()
    spoiled = len(sent.spoiled)
    if spoiled:
        wrong["answers without a sentence"] = sent.spoiled[:3]
        wrong["log"] = [
            line
            for line in Path(running.log.name).read_text(errors="replace").splitlines()
            if "Error" in line
        ][-12:]
    measured = {
        "tries without an answer": sent.unanswered,
        "tries refused with a sentence": len(sent.refused),
        "longest wait for an acknowledgement": round(sent.waited, 2),
        "what was counted": {**found.lost, **found.doubled},
    }
    return Row(
        fault,
        rounds,
        **found.sizes,
        lost=sum(found.lost.values()) + spoiled,
        doubled=sum(found.doubled.values()),
        known=found.known,
        lag=round(running.longest_lag() if lag is None else lag, 2),
        seconds=round(time.monotonic() - began, 1),
        seed=seed,
        remark=remark,
        wrong=wrong,
        measured=measured,
    )


def progress(running: League, where: str) -> None:
    resolved, unsent = (
        running.count("games_phase WHERE status = 'resolved'"),
        running.count("games_letter WHERE due_at IS NOT NULL"),
    )
    print(
        f"  {where}: {resolved} phases judged, {unsent} letters to send",
        file=sys.stderr,
        flush=True,
    )
