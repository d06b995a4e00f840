"""A gamesmaster corrects what the rules do not print, in a scenario of their own; the checklist of
a Player-Turn beside the report."""

from __future__ import annotations

import pytest
from django.urls import reverse

from games.desk import scenario_toml
from games.models import Scenario
from games.rules import cards
from games.ww2_multiplayer.rules.checklist import AT_THE_END, SECTIONS
from tests.support.browsing import Visitor, log_in

from .campaign import Refereed

pytestmark = [pytest.mark.django_db, pytest.mark.guest]

PRINTED = cards.load("ww2-multiplayer", "standard")


def copied(browser: Visitor) -> Scenario:
    answer = browser.post(reverse("scenario-new", args=["ww2-multiplayer"]), {"from": "standard"})
    assert answer.status_code == 302
    return Scenario.objects.get()


def saved(browser: Visitor, scenario: Scenario, **changes: object) -> str:
    text = scenario_toml.to_toml({**scenario.card, **changes})
    page = browser.submit(reverse("scenario-edit", args=[scenario.pk]), {"text": text}, follow=True)
    scenario.refresh_from_db()
    return page


def test_pre_war_holders_are_corrected_in_a_copy_and_played() -> None:
    """The tables under `inferred` are derived, not printed."""
    Refereed.open()  # Ada becomes a gamesmaster
    browser = log_in("ada")
    scenario = copied(browser)
    assert scenario.fault == ""
    prewar = {**PRINTED["prewar"], "Britain": ["Egypt", "Palestine", "Iraq", "Kuwait", "Persia"]}
    page = saved(browser, scenario, prewar=prewar, turns=24, checklist=["Movement", "Combat"])
    assert "is saved" in page
    assert scenario.card["prewar"]["Britain"][-1] == "Persia"
    war = Refereed.begin(card_name=f"scenario-{scenario.pk}")
    war.play_to("referee")
    assert war.state().card.prewar["Persia"] == "Britain"
    page = browser.read(reverse("referee", args=[war.game.pk]))
    assert '<label for="checked-2">Combat</label>' in page


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"objectives": {}}, "objectives"),
        ({"order": ["Italy"]}, "order"),
        ({"operators": {**PRINTED["operators"], "4": {}}}, "operators"),
        ({"calendar": {**PRINTED["calendar"], "first_year": 1938}}, "calendar"),
        ({"mediterranean": {}}, "mediterranean"),
    ],
)
def test_printed_values_of_a_scenario_cannot_change(changes: dict[str, object], key: str) -> None:
    Refereed.open()
    browser = log_in("ada")
    scenario = copied(browser)
    before = dict(scenario.card)
    assert f"“{key}” is printed and cannot change" in saved(browser, scenario, **changes)
    assert scenario.card == before


def test_checklist_beside_the_report_keeps_its_ticks() -> None:
    """Sections of source 004 in their order; Russian resources only in the last Player-Turn."""
    war = Refereed.begin()
    war.play_to("referee")
    browser, url = log_in("ada"), reverse("referee", args=[war.game.pk])
    page = browser.read(url)
    for section in SECTIONS:
        assert section in page
    assert AT_THE_END[0] not in page
    typed = {"phase": war.phase.number, "do": "check", "text": "\n".join(["NEXT"] * 5)}
    page = browser.submit(url, {**typed, "was": typed["text"], "checked:2": "on"})
    assert 'name="checked:2" checked' in page
    assert 'name="checked:3" checked' not in page
    assert AT_THE_END[0] in page
