"""Read sales from Tiingo, a second publisher, which needs a key
(https://www.tiingo.com/documentation/end-of-day).

A reading takes 2 requests: one for the days from 20 sessions before the session up to now, which
distinguishes a missing day from an unknown symbol and shows later splits; and one for Tiingo's data
on the symbol. Its figures cover all exchanges together and are not rounded to hundreds. Of our
markets it has only New York.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings

from games.market.report import LEADING_NEW_YORK as LEADING
from games.market.report import (
    Report,
    days_before,
    fault_of_volume,
    is_stale,
    median_before,
    not_over,
)
from games.rules import RulesError, strict_json
from games.rules.markets import DEFAULT, INSTRUMENTS, MARKETS
from games.rules.sessions import Session

from .sessions import NEW_YORK

LONGEST_WAIT = 10.0
BASE_URL = "https://api.tiingo.com"


class Tiingo:
    """The source of the market "tiingo". Every failure becomes one of the 5 kinds."""

    name = "tiingo"
    at_once = 8

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        if early := not_over(session, now):
            return early
        if not settings.MARKET["tiingo_key"]:
            return Report(
                "later", detail="This service has no key for Tiingo (MARKET_TIINGO_KEY).", down=True
            )
        name = symbol.replace(".", "-")
        report = _read(name, session, now.astimezone(NEW_YORK).date())
        return replace(report, facts=_probe(name, session)) if report.kind == "unknown" else report


def _probe(name: str, session: Session) -> dict[str, Any]:
    """Return the facts of an unknown symbol: a leading stock for which Tiingo has rows, if any."""
    probe = next(symbol for symbol in LEADING if symbol != name)
    params = {
        "startDate": (session.day - timedelta(days=7)).isoformat(),
        "endDate": session.day.isoformat(),
    }
    rows = _ask(f"{probe}/prices", params, {})
    return {"probe": probe} if isinstance(rows, list) and rows else {}


def _read(name: str, session: Session, today: date) -> Report:
    day = session.day
    evidence: dict[str, Any] = {"symbol_asked": name}
    first = min([*days_before(session.exchange, day)[:1], day - timedelta(days=7)])
    rows = _ask(
        f"{name}/prices",
        {"startDate": first.isoformat(), "endDate": max(day, today).isoformat()},
        evidence,
    )
    if isinstance(rows, Report):
        return rows
    days = _days(rows)
    if days is None:
        return Report("later", detail="Tiingo's rows cannot be read.", raw=evidence, down=True)
    about = _ask(name, {}, evidence)
    if isinstance(about, Report):
        return about
    if not isinstance(about, dict) or "exchangeCode" not in about:
        detail = "Tiingo does not say where the stock is listed."
        return Report("later", detail=detail, raw=evidence)
    facts = _facts(about, evidence)
    report = _judge(rows, day, evidence)
    if report.kind not in ("ok", "no_bar", "no_sales"):
        return report
    volumes = {
        at: row["volume"]
        for at, row in zip(days, rows, strict=True)
        if not fault_of_volume(row.get("volume"))
    }
    return replace(report, facts={**facts, "median": median_before(session, volumes)})


def _ask(path: str, params: dict[str, str], evidence: dict[str, Any]) -> Any:
    """Return the JSON from the end-of-day API, or a report where it gives none."""
    import requests  # here, because it is slow to load and most processes never read a figure

    def down(detail: str) -> Report:
        return Report("later", detail=detail, raw=evidence, down=True)

    base = settings.MARKET["tiingo_base_url"]
    if base:
        evidence["asked_instead_of_tiingo"] = base
    # The key goes into a header: in the URL it would end up in logs.
    headers = {
        "Authorization": f"Token {settings.MARKET['tiingo_key']}",
        "Accept": "application/json",
    }
    try:
        with requests.Session() as session:
            session.trust_env = not base
            address = f"{base or BASE_URL}/tiingo/daily/{path}"
            answer = session.get(
                address, params=params, headers=headers, timeout=LONGEST_WAIT, allow_redirects=False
            )
        status, body = answer.status_code, answer.text
    except requests.RequestException as fault:
        evidence["fault"] = type(fault).__name__
        return down(f"Tiingo did not answer ({type(fault).__name__}).")
    evidence["status"] = status
    try:
        tree = strict_json.loads(body)
    except RulesError:
        tree = None
    if status == 200 and tree is not None and "request allocation" not in body:
        return tree
    evidence["body"] = body[:300]
    if status == 404 and "not found" in body.lower():
        return Report("unknown", detail="Tiingo does not know the symbol.", raw=evidence)
    if status == 429 or "request allocation" in body:
        return down("Tiingo asks not to be asked for a while.")
    if status in (401, 403):
        return down("Tiingo refuses the service's key.")
    return down(f"Tiingo answered with status {status} and no figures.")


#: Tiingo's names of the New York exchanges, with their codes in `games.rules.markets`. All others
#: (PINK, OTCQX, NMFQS for funds without sales, Shanghai) have no code there and are stored as
#: Tiingo writes them.
CODES = {
    "NYSE": "NYQ",
    "NASDAQ": "NMS",
    "NYSE MKT": "ASE",
    "NYSE AMERICAN": "ASE",
    "AMEX": "ASE",
    "NYSE ARCA": "PCX",
    "BATS": "BTS",
}


def _facts(about: dict[str, Any], evidence: dict[str, Any]) -> dict[str, Any]:
    """Return where a symbol is listed according to Tiingo. It gives no kind of security: anything
    with sales on these exchanges is a share or a fund."""
    code = str(about.get("exchangeCode") or "")
    evidence["meta"] = {
        key: about.get(key) for key in ("ticker", "exchangeCode", "startDate", "endDate")
    }
    if code.upper() in CODES:
        return {
            "code": CODES[code.upper()],
            "zone": MARKETS[DEFAULT].zone,
            "instrument": INSTRUMENTS[0],
        }
    return {"code": code, "zone": "", "instrument": ""}


def _judge(rows: list[dict[str, Any]], day: date, evidence: dict[str, Any]) -> Report:
    """Return the report for an answer with rows, from the rows of the day and splits on or after
    it."""
    of_day = [row for row in rows if _day(row) == day.isoformat()]
    earlier = [row for row in rows if _day(row) < day.isoformat()]
    evidence["rows"] = of_day
    evidence["row_before"] = earlier[-1] if earlier else None
    evidence["later_splits"] = [
        row
        for row in rows
        if _day(row) >= day.isoformat() and row.get("splitFactor", 1) not in (1, None)
    ]

    def without_volume(kind: str, detail: str) -> Report:
        return Report(kind, detail=detail, raw=evidence)

    if len(of_day) > 1:
        return without_volume("later", f"Tiingo has {len(of_day)} rows for {day}.")
    if not of_day:
        return without_volume("no_bar", f"Tiingo has no entry for {day}.")
    volume = of_day[0].get("volume")
    if volume is None or (volume == 0 and not isinstance(volume, bool)):
        return without_volume("no_sales", f"Tiingo's entry for {day} has no sales.")
    if wrong := fault_of_volume(volume):
        return without_volume("later", f"Tiingo's sales for {day} {wrong}.")
    if volume < 0:
        return without_volume("later", f"Tiingo's sales for {day} are below zero.")
    if is_stale(of_day[0], evidence["row_before"]):
        detail = f"Tiingo's entry for {day} is that of the session before once more."
        return without_volume("later", detail)
    if evidence["later_splits"]:
        detail = f"Tiingo shows a split on or after {day}: the sales may be restated."
        return Report("ok", volume, detail, evidence, flag="split")
    return Report("ok", volume, raw=evidence)


def _days(rows: Any) -> list[date] | None:
    """Return the day of each row; None where the rows cannot be read."""
    if not isinstance(rows, list):
        return None
    try:
        return [date.fromisoformat(row["date"][:10]) for row in rows]
    except (LookupError, TypeError, ValueError):
        return None


def _day(row: dict[str, Any]) -> str:
    return str(row.get("date", ""))[:10]
