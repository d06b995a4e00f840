"""The day on which a person was last here is shown only if they allow it (issue 44, 3)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games.models import Game, Person
from games.operations.personal import export
from tests.support.campaign import MONDAY, Campaign, person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db
ABOUT = {"name": "Gustav", "zone": "UTC"}


def allow(as_: Browser) -> None:
    as_("gustav").post(reverse("me"), {**ABOUT, "seen_shown": "on"})


def test_nothing_is_noted_of_people_who_do_not_allow_it(as_: Browser, campaign: Campaign) -> None:
    """It is off by default."""
    as_("gustav").get(campaign.game.get_absolute_url())
    assert not Person.objects.exclude(seen_on=None).exists()
    assert "seen today" not in as_("felix").read(campaign.game.get_absolute_url())


def test_day_is_shown_beside_the_name(as_: Browser, campaign: Campaign, watch: Watch) -> None:
    allow(as_)
    page, desk = campaign.game.get_absolute_url(), reverse("desk-people", args=[campaign.game.pk])
    for days, words in ((0, "seen today"), (1, "seen yesterday"), (3, "seen 3 days ago")):
        watch.set(MONDAY + timedelta(days=days))
        assert as_("felix").read(page).count(words) == 1
        assert words in as_("ada").read(desk)
    as_("gustav").get("/")
    assert "seen today" in as_("felix").read(page)


def test_one_write_a_day(as_: Browser, campaign: Campaign, watch: Watch) -> None:
    allow(as_)
    watch.pass_by(days=1)
    gustav = as_("gustav")
    for writes in (1, 0):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            gustav.get(reverse("rules"))
        assert (
            sum("seen_on" in one["sql"][:60] for one in asked if one["sql"].startswith("UPDATE"))
            == writes
        )


def test_withdrawn_consent_removes_the_day(as_: Browser, campaign: Campaign) -> None:
    allow(as_)
    gustav = person("gustav")
    assert export.all_data(gustav, MONDAY)["parts"][0]["rows"][0]["seen_on"] == "2026-11-16"
    as_("gustav").post(reverse("me"), ABOUT)
    gustav.refresh_from_db()
    assert gustav.seen_on is None
    as_("gustav").get("/")
    gustav.refresh_from_db()
    assert gustav.seen_on is None


def test_anonymous_game_does_not_tell_the_day(as_: Browser, campaign: Campaign) -> None:
    """Who may not know the name reads nothing; nor does the player themselves."""
    Game.objects.filter(pk=campaign.game.pk).update(anonymous=True)
    allow(as_)
    for reader in ("felix", "gustav", None):
        assert "seen " not in as_(reader).read(campaign.game.get_absolute_url())
