"""Time zones by the names people use: a country, a city, or both.

Countries and their zones come from the tables of the tz database, each zone under one country.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo, available_timezones

from games.rules.names import fold

from .schedule import place

#: The beginnings of names that end with a place.
CONTINENTS = (
    "Africa/",
    "America/",
    "Antarctica/",
    "Asia/",
    "Atlantic/",
    "Australia/",
    "Europe/",
    "Indian/",
    "Pacific/",
)
#: Names of countries that the table lacks.
ALSO_CALLED = {
    "United States": ("USA", "America"),
    "Britain (UK)": ("Britain", "UK", "United Kingdom", "Great Britain", "England"),
    "Korea (South)": ("South Korea",),
    "Korea (North)": ("North Korea",),
}
CITIES_NAMED = 8


class ZoneUnknown(ValueError):
    """Raised for a text that names no zone, or several. `str()` says why, after the quoted text."""


def zone_of(text: str) -> str:
    """Return the zone of a country, a city, or a zone's own name. Raise `ZoneUnknown`."""
    if "/" in text and text.strip() in available_timezones():
        return text.strip()
    wanted = _key(text)
    if zone := _names().get(wanted):
        return zone
    if several := _zones_of_countries().get(wanted):
        *cities, last = (place(zone) for zone in several[:CITIES_NAMED])
        raise ZoneUnknown(
            f"has several time zones; write a city, such as {', '.join(cities)} or {last}."
        )
    raise ZoneUnknown(
        "is not a time zone; write a country, such as Germany, or a large city, such as New York."
    )


def name_of(zone: str) -> str:
    """Return a zone as people call it: “Berlin, Germany”. The zone's own name if it has no country.

    `zone_of` reads it back.
    """
    country = _countries().get(zone)
    return f"{place(zone)}, {country}" if country else zone


def all_names() -> Iterator[str]:
    """Yield the name of each zone that has a country, by city."""
    yield from sorted(name_of(zone) for zone in _countries())
    yield "UTC"


def _key(text: str) -> str:
    """Return a name without capitals, accents and punctuation."""
    plain = unicodedata.normalize("NFKD", text.replace("_", " "))
    return fold("".join(each for each in plain if each.isalnum() or each in " -/,()"))


@cache
def _countries() -> Mapping[str, str]:
    """Return the country of each zone; a country's zones stay in the table's order."""
    tables = resources.files("tzdata.zoneinfo")
    names = dict(_rows((tables / "iso3166.tab").read_text(encoding="utf-8")))
    rows = [line.split("\t") for line in _lines((tables / "zone.tab").read_text(encoding="utf-8"))]
    return {zone: names[code] for code, _, zone, *_ in rows}


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _rows(text: str) -> Iterator[tuple[str, str]]:
    for line in _lines(text):
        code, name = line.split("\t")
        yield code, name


@cache
def _zones_of_countries() -> Mapping[str, Sequence[str]]:
    """Return one zone for each time that the clocks of a country show, by each of its names."""
    by_country: dict[str, dict[tuple[object, ...], str]] = {}
    for zone, country in _countries().items():
        by_country.setdefault(country, {}).setdefault(_offsets(zone), zone)
    return {
        _key(name): tuple(zones.values())
        for country, zones in by_country.items()
        for name in (country, *ALSO_CALLED.get(country, ()))
    }


def _offsets(zone: str) -> tuple[object, ...]:
    """Return what tells the zones of a country apart today: the clock of each month."""
    year = datetime.now(UTC).year
    return tuple(
        datetime(year, month, 15, 12, tzinfo=UTC).astimezone(ZoneInfo(zone)).utcoffset()
        for month in range(1, 13)
    )


@cache
def _names() -> Mapping[str, str]:
    """Return the zone of each name that means one.

    A city or country of the table wins over an older name of a zone: Turkey, Istanbul, Kiev.
    """
    every = sorted(available_timezones())
    return {
        **{_key(zone): zone for zone in every},
        **{_key(place(zone)): zone for zone in every if zone.startswith(CONTINENTS)},
        **{name: zones[0] for name, zones in _zones_of_countries().items() if len(zones) == 1},
        **{_key(place(zone)): zone for zone in _countries()},
        **{_key(name_of(zone)): zone for zone in _countries()},
    }
