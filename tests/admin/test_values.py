"""Values in the admin are words: no JSON, no codes, no numbers of rows, no invented dates."""

from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.db import models
from django.utils.html import conditional_escape

from games.admin import values
from games.models import Act, Figure, Game, Letter, Phase, Reading, Ruling
from games.timing import schedule
from orders.models import Submission
from tests.admin.test_admin import OURS, named, page
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, Campaign

pytestmark = pytest.mark.django_db
SHOWN = re.compile(r'<div class="readonly">(.*?)</div>', re.DOTALL)
JSON = re.compile(r"[\[{](\s|&quot;|[\]}])|\bnull\b")


@pytest.mark.parametrize("model", OURS, ids=named)
def test_page_of_a_row_shows_no_json(
    root: Visitor, campaign: Campaign, model: type[models.Model]
) -> None:
    for row in model._default_manager.all()[:3]:
        shown = SHOWN.findall(root.read(page(model, "change", row.pk)))
        assert [value for value in shown if JSON.search(value)] == []


@pytest.mark.parametrize("model", OURS, ids=named)
def test_list_shows_no_json_and_no_pictures_of_true_and_false(
    root: Visitor, campaign: Campaign, model: type[models.Model]
) -> None:
    shown = root.read(page(model, "changelist"))
    rows = shown.partition("<tbody>")[2].partition("</tbody>")[0]
    assert not JSON.search(rows)
    assert "icon-no" not in rows
    assert "icon-yes" not in rows


def test_games_are_filtered_by_what_their_rules_are_called(
    ada: Visitor, campaign: Campaign
) -> None:
    shown = ada.read(page(Game, "changelist"))
    assert "Origins of World War II</a>" in shown
    assert ">origins-ww2<" not in shown


def test_letters_are_filtered_by_the_names_of_their_kinds(ada: Visitor, campaign: Campaign) -> None:
    listed = ada.get(page(Letter, "changelist"))
    (kinds,) = (each for each in listed.context["cl"].filter_specs if each.title == "kind")
    shown = [choice["display"] for choice in kinds.choices(listed.context["cl"])]
    assert "The receipt for orders" in shown
    assert "Receipt" not in shown


def test_kind_of_a_ruling_and_sentences_are_in_words_on_their_pages(
    ada: Visitor, campaign: Campaign
) -> None:
    ruling = Ruling.objects.get()
    assert '<div class="readonly">Points</div>' in ada.read(page(Ruling, "change", ruling.pk))
    figure = Figure.objects.earliest("pk")
    shown = ada.read(page(Figure, "change", figure.pk))
    assert f"{figure.volume:,}" in shown
    assert f'<div class="readonly">{figure.volume}</div>' not in shown
    assert not re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", ada.read(page(Figure, "changelist")))


def test_session_of_a_reading_is_a_date(ada: Visitor, campaign: Campaign) -> None:
    reading = Reading.objects.earliest("pk")
    assert reading.session not in ada.read(page(Reading, "change", reading.pk))


def test_help_of_a_field_stays_beside_its_words(ada: Visitor, campaign: Campaign) -> None:
    sent = Submission.objects.earliest("pk")
    shown = ada.read(page(Submission, "change", sent.pk))
    assert "The sender marked the orders final." in shown


def test_deadline_of_a_phase_that_waits_for_a_report_is_no_date(
    ada: Visitor, campaign: Campaign
) -> None:
    """A phase without a deadline is stored with one in the year 2999."""
    Phase.objects.filter(pk=campaign.phase.pk).update(deadline=schedule.STANDS)
    for path in (page(Phase, "changelist"), page(Phase, "change", campaign.phase.pk)):
        assert "2999" not in ada.read(path)


def test_title_of_a_phase_is_the_one_that_players_read(campaign: Campaign) -> None:
    phase = campaign.phase
    assert str(phase) == f"{campaign.game.title}: {phase.title_within}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        ([], "–"),
        ({}, "–"),
        (True, "yes"),
        (0, "0"),
        (["USA", "Britain"], "USA, Britain"),
        ({"USA": 3}, "<ul><li>USA: 3</li></ul>"),
        ([[1, "PASS"]], "<ul><li>1, PASS</li></ul>"),
        ({"nobody_wins": {"b": False}}, "<ul><li>Nobody wins: <ul><li>B: no</li></ul></li></ul>"),
        (["<script>"], "&lt;script&gt;"),
        ({"<b>": ["<i>"]}, "<ul><li>&lt;b&gt;: &lt;i&gt;</li></ul>"),
    ],
)
def test_lists_and_keys_become_lists_of_a_page(value: object, shown: str) -> None:
    assert conditional_escape(values.format_nested(value)) == shown


def test_long_value_is_collapsed() -> None:
    shown = values.format_nested([[number, "PASS"] for number in range(values.ENTRIES_SHOWN + 1)])
    assert "<details><summary>31 entries</summary><ul>" in shown


def test_models_of_the_admin_are_ours_alone() -> None:
    """Rights in a game come from its rows, so Django's groups would be a trap."""
    assert set(OURS) == set(admin.site._registry)


def test_act_shows_no_numbers_of_rows(ada: Visitor, campaign: Campaign) -> None:
    about = {"standby": 77012345}
    act = Act.objects.create(
        game=campaign.game, kind="note", words="Done.", about=about, done_at=MONDAY
    )
    assert "77012345" not in ada.read(page(Act, "change", act.pk))
