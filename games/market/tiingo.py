"""Sales as Tiingo reports them: a second publisher, with a key (https://www.tiingo.com/documentation/end-of-day).

One request a reading: the days from a week before the session up to now, so that a missing day differs from an unknown symbol and a
split after the day is seen. Its figures are those of all exchanges together and not rounded to hundreds.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings

from games.rules.sessions import Session

from .sessions import NEW_YORK
from .sources import Report, not_over, stale

LONGEST_WAIT = 10.0
BASE_URL = "https://api.tiingo.com"


class Tiingo:
    """The source of the market "tiingo". Every failure becomes one of the five kinds."""

    name = "tiingo"

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        if early := not_over(session, now):
            return early
        if not settings.MARKET["tiingo_key"]:
            return Report("later", detail="This service has no key for Tiingo (MARKET_TIINGO_KEY).", down=True)
        return _read(symbol.replace(".", "-"), date.fromisoformat(session.label), now.astimezone(NEW_YORK).date())


def _read(name: str, day: date, today: date) -> Report:
    import requests  # here, because it takes a while to load and most processes never read a figure

    evidence: dict[str, Any] = {"symbol_asked": name}
    days = {"startDate": (day - timedelta(days=7)).isoformat(), "endDate": max(day, today).isoformat()}
    base = settings.MARKET["tiingo_base_url"]
    if base:
        evidence["asked_instead_of_tiingo"] = base
    # The key goes into the header: in the address it would stand in every log on the way.
    headers = {"Authorization": f"Token {settings.MARKET['tiingo_key']}", "Accept": "application/json"}
    try:
        with requests.Session() as session:
            session.trust_env = not base
            address = f"{base or BASE_URL}/tiingo/daily/{name}/prices"
            answer = session.get(address, params=days, headers=headers, timeout=LONGEST_WAIT, allow_redirects=False)
        status, body = answer.status_code, answer.text
    except requests.RequestException as fault:
        evidence["fault"] = type(fault).__name__
        return Report("later", detail=f"Tiingo did not answer ({type(fault).__name__}).", raw=evidence, down=True)
    evidence["status"] = status
    try:
        tree = answer.json()
    except ValueError:
        tree = None
    if status == 200 and isinstance(tree, list) and all(isinstance(row, dict) for row in tree):
        return _judge(tree, day, evidence)
    evidence["body"] = body[:300]
    if status == 404 and "not found" in body.lower():
        return Report("unknown", detail=f"Tiingo does not know the symbol {name}.", raw=evidence)
    if status == 429 or "request allocation" in body:
        return Report("later", detail="Tiingo asks not to be asked for a while.", raw=evidence, down=True)
    if status in (401, 403):
        return Report("later", detail="Tiingo refuses the service's key.", raw=evidence, down=True)
    return Report("later", detail=f"Tiingo answered with status {status} and no figures.", raw=evidence, down=True)


def _judge(rows: list[dict[str, Any]], day: date, evidence: dict[str, Any]) -> Report:
    """The report of an answer that has rows: those of the day, and the splits on or after it."""
    of_day = [row for row in rows if _day(row) == day.isoformat()]
    earlier = [row for row in rows if _day(row) < day.isoformat()]
    evidence["rows"] = of_day
    evidence["row_before"] = earlier[-1] if earlier else None
    evidence["later_splits"] = [row for row in rows if _day(row) >= day.isoformat() and row.get("splitFactor", 1) not in (1, None)]
    if len(of_day) > 1:
        return Report("later", detail=f"Tiingo has {len(of_day)} rows for {day}.", raw=evidence)
    if not of_day:
        return Report("no_bar", detail=f"Tiingo has no entry for {day}.", raw=evidence)
    volume = of_day[0].get("volume")
    if volume is None or volume == 0:
        return Report("no_sales", detail=f"Tiingo's entry for {day} has no sales.", raw=evidence)
    if isinstance(volume, float) and volume.is_integer():
        volume = int(volume)
    if not isinstance(volume, int) or isinstance(volume, bool) or volume < 0:
        return Report("later", detail=f"Tiingo's sales for {day} are not a whole number.", raw=evidence)
    if stale(of_day[0], evidence["row_before"]):
        return Report("later", detail=f"Tiingo's entry for {day} is that of the session before once more.", raw=evidence)
    if evidence["later_splits"]:
        return Report("ok", volume, f"Tiingo shows a split on or after {day}: the sales may be restated.", evidence, flag="split")
    return Report("ok", volume, raw=evidence)


def _day(row: dict[str, Any]) -> str:
    return str(row.get("date", ""))[:10]
