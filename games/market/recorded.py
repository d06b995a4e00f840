"""Read sales from a file, for rehearsals and for games played with old newspapers."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from games.market.report import Report, fault_of_volume, not_over
from games.rules import RulesError, strict_json
from games.rules.sessions import Session


class Recorded:
    """The source of the market "recorded": a JSON file of days, symbols and shares, `{"2026-11-24":
    {"GE": 5412345}}`.

    Its path is `settings.MARKET["recorded_file"]`. It is read each time, so that days can be added
    while games run.
    """

    name = "recorded"
    at_once = 1

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        if early := not_over(session, now):
            return early
        try:
            days = _days(Path(settings.MARKET["recorded_file"]))
        except (OSError, ValueError, RulesError) as fault:
            return Report(
                "later",
                detail=f"The file of recorded figures cannot be read: {fault}"[:300],
                down=True,
            )
        if symbol in days.get(session.label, {}):
            return _report(days[session.label][symbol])
        if any(symbol in day for day in days.values()):
            return Report(
                "no_bar", detail=f"The recorded figures have {symbol}, but not on {session.label}."
            )
        if session.label not in days:
            return Report(
                "no_bar", detail=f"The recorded figures have nothing for {session.label}."
            )
        return Report("unknown", detail=f"The recorded figures do not have {symbol} on any day.")


def _report(volume: Any) -> Report:
    raw = {"recorded": volume}
    if volume is None:
        return Report("no_sales", detail="Recorded without a figure.", raw=raw)
    if wrong := fault_of_volume(volume):
        return Report("later", detail=f"The recorded sales {wrong}.", raw=raw)
    if volume <= 0:
        return Report("no_sales", detail="Recorded without sales.", raw=raw)
    return Report("ok", volume, raw=raw)


def _days(path: Path) -> dict[str, dict[str, Any]]:
    """Read the days of the file. Raise OSError, ValueError or RulesError for a malformed file."""
    tree = strict_json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(tree, dict) or not all(isinstance(day, dict) for day in tree.values()):
        raise ValueError("it is not a table of days, each with a table of symbols")
    return tree
