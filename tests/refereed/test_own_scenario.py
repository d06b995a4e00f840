"""A gamesmaster corrects what the rules do not print, in a scenario of their own; and the checklist
of a Player-Turn beside the report."""

from __future__ import annotations

import pytest
from django.urls import reverse

from games.desk import sheet_toml
from games.models import Sheet
from games.rules import cards
from games.rules.ww2_multiplayer.checklist import AT_THE_END, SECTIONS
from tests.support.browsing import Visitor, log_in

from .campaign import Refereed

pytestmark = pytest.mark.django_db

PRINTED = cards.load("ww2-multiplayer", "standard")


def copied(browser: Visitor) -> Sheet:
    answer = browser.post(reverse("sheet-new", args=["ww2-multiplayer"]), {"from": "standard"})
    assert answer.status_code == 302
    return Sheet.objects.get()


def saved(browser: Visitor, sheet: Sheet, **changes: object) -> str:
    text = sheet_toml.to_toml({**sheet.card, **changes})
    page = browser.submit(reverse("sheet-edit", args=[sheet.pk]), {"text": text}, follow=True)
    sheet.refresh_from_db()
    return page


def test_who_held_what_before_the_war_is_corrected_in_a_copy_and_played_with() -> None:
    """The tables under `inferred` are worked out, not printed."""
    Refereed.open()  # Ada runs a game
    browser = log_in("ada")
    sheet = copied(browser)
    assert sheet.fault == ""
    prewar = {**PRINTED["prewar"], "Britain": ["Egypt", "Palestine", "Iraq", "Kuwait", "Persia"]}
    page = saved(browser, sheet, prewar=prewar, turns=24, checklist=["Movement", "Combat"])
    assert "is saved" in page
    assert sheet.card["prewar"]["Britain"][-1] == "Persia"
    war = Refereed.begin(card_name=f"sheet-{sheet.pk}")
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
def test_what_is_printed_stays_as_it_is(changes: dict[str, object], key: str) -> None:
    Refereed.open()
    browser = log_in("ada")
    sheet = copied(browser)
    before = dict(sheet.card)
    assert f"“{key}” is printed and stays as it is" in saved(browser, sheet, **changes)
    assert sheet.card == before


def test_the_checklist_stands_beside_the_report_and_keeps_what_is_ticked() -> None:
    """Sections that source 004 names, in their order; Russian resources in the last Player-Turn."""
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
