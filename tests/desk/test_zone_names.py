"""Time zones by country and city (issue 43: by country or by search, not 420 names in a list)."""

from __future__ import annotations

from zoneinfo import available_timezones

import pytest

from games.pages.forms import MeForm
from games.timing import zone_names


@pytest.mark.parametrize(
    ("written", "zone"),
    [
        ("Berlin", "Europe/Berlin"),
        ("germany", "Europe/Berlin"),
        ("Berlin, Germany", "Europe/Berlin"),
        ("Europe/Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("New York, United States", "America/New_York"),
        ("UK", "Europe/London"),
        ("São Paulo", "America/Sao_Paulo"),
        ("St. John's", "America/St_Johns"),
        # Names that occur twice: the table of countries has each zone once.
        ("Istanbul", "Europe/Istanbul"),
        ("Nicosia", "Asia/Nicosia"),
        ("Turkey", "Europe/Istanbul"),
        # Older names, and none of a place.
        ("Calcutta", "Asia/Calcutta"),
        ("Asia/Istanbul", "Asia/Istanbul"),
        ("UTC", "UTC"),
    ],
)
def test_zone_is_found_by_city_country_or_its_own_name(written: str, zone: str) -> None:
    assert zone_names.zone_of(written) == zone


def test_name_shown_for_each_zone_is_read_back_as_that_zone() -> None:
    """A person who saves a form unchanged keeps the zone."""
    for zone in (zone for zone in available_timezones() if "/" in zone):
        assert zone_names.zone_of(zone_names.name_of(zone)) == zone


def test_every_offered_name_is_a_zone_and_offered_once() -> None:
    names = list(zone_names.all_names())
    assert len(names) == len(set(names)) > 400
    assert len({zone_names.zone_of(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (
            "Munich",
            "“Munich” is not a time zone; write a country, such as Germany, or a large city, such"
            " as New York.",
        ),
        ("<b>", "“<b>” is not a time zone;"),
        ("USA", "“USA” has several time zones; write a city, such as New York, Chicago, Denver"),
        ("Spain", "“Spain” has several time zones; write a city, such as Madrid or Canary."),
        ("", "Write a city or a country, such as Berlin or Germany."),
    ],
)
def test_other_text_is_refused_with_one_sentence_that_quotes_it(
    written: str, sentence: str
) -> None:
    (fault,) = MeForm({"zone": written}).errors["zone"]
    assert str(fault).startswith(sentence)


def test_zone_is_shown_by_city_and_country_with_all_names_to_choose_from() -> None:
    field = str(MeForm(initial={"zone": "Europe/Berlin"})["zone"])
    assert 'value="Berlin, Germany"' in field
    assert field.count("<option") == len(list(zone_names.all_names()))
