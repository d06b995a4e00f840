"""The archive finds games by scenario, winner, name and end; private ones only for their people."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games.models import Game, Phase, Resolution
from games.pages import list_pages
from tests.support.campaign import MONDAY, Campaign
from tests.support.stored import stored

from .conftest import Browser

pytestmark = pytest.mark.django_db


def over(title: str, winners: list[str], when: datetime, **given: Any) -> Campaign:
    """Return a finished game with these winners: one phase is judged, and the rest is written to
    the rows."""
    campaign = Campaign.begin(title=title, **given)
    phase = campaign.pass_deadline()
    row = Resolution.objects.get(phase=phase)
    row.pk, row.version, row.winners = None, 2, winners
    row._state.adding = True
    row.save()
    campaign.game.phases.exclude(pk=phase.pk).update(status=Phase.Status.UNDONE)
    Game.objects.filter(pk=campaign.game.pk).update(status=Game.Status.FINISHED, finished_at=when)
    campaign.game.refresh_from_db()
    return campaign


def read_archive(as_: Browser, asked: str = "", name: str | None = None) -> str:
    answer = as_(name).get(reverse("archive") + asked)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def shelf(db: None) -> None:
    stored("three games are over", _shelf)


def _shelf() -> None:
    over("The short autumn", ["Germany"], datetime(2026, 10, 5, 12, tzinfo=UTC))
    over("A shared winter", ["France", "Britain"], datetime(2026, 12, 24, 23, 30, tzinfo=UTC))
    over("French spring", ["Russia"], datetime(2027, 3, 1, tzinfo=UTC), card_name="french-policy")


def titles(page: str) -> list[str]:
    titles = ("The short autumn", "A shared winter", "French spring")
    return [title for title in titles if f">{title}</a>" in page]


def test_empty_archive_says_so(as_: Browser, campaign: Campaign) -> None:
    page = read_archive(as_)
    assert "No game has ended yet" in page
    assert campaign.game.title not in page


@pytest.mark.both_databases
def test_archive_lists_all_games_latest_first(as_: Browser, shelf: None) -> None:
    page = read_archive(as_)
    assert titles(page) == ["The short autumn", "A shared winter", "French spring"]
    assert (
        page.index("French spring") < page.index("A shared winter") < page.index("The short autumn")
    )
    assert "share the win" in page
    assert re.search(r"<h2><a [^>]*>A shared winter</a></h2>", page), "below the page's h1"


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("?won=Germany", ["The short autumn"]),
        ("?won=Britain", ["A shared winter"]),
        ("?won=USA", []),
        ("?card=french-policy", ["French spring"]),
        ("?card=historical&won=France", ["A shared winter"]),
        ("?title=WINTER", ["A shared winter"]),
        ("?since=2026-12-24&until=2026-12-24", ["A shared winter"]),
        ("?since=2026-12-25", ["French spring"]),
        ("?until=2026-12-01", ["The short autumn"]),
    ],
)
def test_archive_is_searched_by_scenario_winner_title_and_date(
    as_: Browser, shelf: None, asked: str, expected: list[str]
) -> None:
    page = read_archive(as_, asked)
    assert titles(page) == expected
    if not expected:
        assert "No finished game is like that" in page


def test_archive_links_each_game_to_its_review(as_: Browser, shelf: None) -> None:
    """Review of a player, S8: only the classroom's desk linked to skill and luck."""
    page = read_archive(as_)
    for game in Game.objects.filter(status=Game.Status.FINISHED):
        assert reverse("game-summary", args=[game.pk]) in page


@pytest.mark.both_databases
def test_archive_uses_days_of_the_readers_zone(as_: Browser, shelf: None) -> None:
    """23:30 in London is the next day in Tokyo."""
    from tests.support.campaign import person

    gustav = person("gustav")
    gustav.zone = "Asia/Tokyo"
    gustav.save()
    assert titles(read_archive(as_, "?since=2026-12-25&until=2026-12-25", "gustav")) == [
        "A shared winter"
    ]


def test_invalid_search_is_quoted_and_typed_text_stays(as_: Browser, shelf: None) -> None:
    page = read_archive(as_, "?since=christmas&title=winter&won=Atlantis")
    assert "“christmas” is not a day; write it as 2026-12-31." in page
    assert "No finished game has a nation “Atlantis”" in page
    assert 'value="winter"' in page


@pytest.mark.both_databases
def test_private_games_are_archived_for_their_people_only(as_: Browser, db: None) -> None:
    over("The short autumn", ["Germany"], MONDAY, public=False)
    for name in (None, "charlie"):
        assert titles(read_archive(as_, name=name)) == []
        assert titles(as_(name).read(reverse("home"))) == []
    for name in ("gustav", "ada"):
        assert titles(read_archive(as_, name=name)) == ["The short autumn"]


def test_front_page_shows_the_latest_finished_games_and_links_to_the_archive(
    as_: Browser, shelf: None
) -> None:
    page = as_().read(reverse("home"))
    assert titles(page) == ["The short autumn", "A shared winter", "French spring"]
    assert reverse("archive") in page
    watched = page.split('id="watched"')[1].split('id="over"')[0]
    assert titles(watched) == []


def test_archive_refuses_post(as_: Browser) -> None:
    assert as_().post(reverse("archive")).status_code == 405


@pytest.mark.both_databases
def test_archive_is_split_into_pages(
    as_: Browser, shelf: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 10, W3: without counting rows; an invalid page number shows the first page."""
    monkeypatch.setattr(list_pages, "ROWS", 2)
    first, second = read_archive(as_), read_archive(as_, "?page=2")
    assert titles(first) == ["A shared winter", "French spring"]
    assert "?page=2" in first
    assert "later games" not in first
    assert titles(second) == ["The short autumn"]
    assert "?page=1" in second
    assert "earlier games" not in second
    for page_number in ("0", "-1", "two", "", "99999999999999999999", "²"):
        assert titles(read_archive(as_, f"?page={page_number}")) == titles(first)
    beyond = read_archive(as_, "?page=9&won=Germany")
    assert titles(beyond) == []
    assert "The list ends before page 9" in beyond
    assert "No finished game is like that" not in beyond
    assert f'href="{reverse("archive")}?won=Germany"' in beyond
    assert titles(read_archive(as_, "?won=Germany&page=1")) == ["The short autumn"]


def test_archive_queries_scan_no_table_of_games(as_: Browser, shelf: None) -> None:
    """Issue 10, W3: one query for each scenario and one for the page."""
    with CaptureQueriesContext(connection) as queries:
        read_archive(as_)
    for query in queries:
        if "games_game" in query["sql"] and query["sql"].startswith("SELECT"):
            plan = " ".join(str(row) for row in _plan(query["sql"]))
            assert "DISTINCT" not in query["sql"]
            assert "COUNT(" not in query["sql"]
            assert connection.vendor != "sqlite" or "SCAN games_game" not in plan, plan
    assert len(queries) <= 8


def _plan(statement: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{statement}"
        )
        return list(cursor.fetchall())
