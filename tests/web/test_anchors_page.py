"""Record hashes of public games by day: page, feed, root for timestamps (issue 19, item 7)."""

from __future__ import annotations

import io
import subprocess
from datetime import date, timedelta
from hashlib import sha256
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.base import clock
from games.models import Game
from games.records import anchors
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, Campaign

pytestmark = pytest.mark.django_db
DAY = MONDAY.date()
ATOM = "{http://www.w3.org/2005/Atom}"


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("anchors", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.fixture
def games() -> list[Campaign]:
    """Return two public games changed on Monday, one of them on Tuesday too; a private one and a
    practice game."""
    campaigns = [Campaign.begin(title=title) for title in ("First", "Second", "Hidden", "Practice")]
    Game.objects.filter(pk=campaigns[2].game.pk).update(public=False)
    Game.objects.filter(pk=campaigns[3].game.pk).update(practice=True)
    campaigns[0].pass_deadline()
    campaigns[1].wait_until(MONDAY + timedelta(days=1))
    for campaign in campaigns:
        campaign.game.refresh_from_db()
    return campaigns


@pytest.mark.both_databases
def test_day_has_the_newest_hash_of_each_public_game(games: list[Campaign]) -> None:
    first, second = games[:2]
    monday = anchors.anchors_of_day(DAY)
    newest = {
        game.game.pk: game.game.entries.filter(made_at__date=DAY).latest("number").hash
        for game in (first, second)
    }
    assert {anchor.game: anchor.hash for anchor in monday.anchors} == newest
    tuesday = anchors.anchors_of_day(DAY + timedelta(days=1))
    assert second.game.pk in {anchor.game for anchor in tuesday.anchors}
    assert anchors.previous_day(DAY + timedelta(days=1)) == DAY
    assert anchors.next_day(DAY) == tuesday.day
    assert [day.day for day in anchors.newest_days(5)] == [tuesday.day, DAY]


def test_root_can_be_computed_from_the_lines(games: list[Campaign]) -> None:
    """SHA-256 over the sorted lines, “GAME HASH” and a newline each."""
    lines = "".join(
        sorted(f"{anchor.game} {anchor.hash}\n" for anchor in anchors.anchors_of_day(DAY).anchors)
    )
    assert run(DAY.isoformat(), "--lines") == lines
    assert run(DAY.isoformat()) == f"{sha256(lines.encode()).hexdigest()}\n"
    locale = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    how: Any = {"capture_output": True, "text": True, "check": True, "env": locale}
    piped = subprocess.run(["sort"], input=lines, **how)
    assert piped.stdout == lines


def test_anchors_command_uses_yesterday_by_default(
    games: list[Campaign], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: MONDAY + timedelta(days=1))
    assert run() == run(DAY.isoformat()) == f"{anchors.anchors_of_day(DAY).root}\n"


def test_anchors_command_explains_the_date_format() -> None:
    with pytest.raises(CommandError, match="“Monday” is not a date"):
        run("Monday")


def test_anchors_page_shows_games_and_root_and_links_to_other_days(
    client: Visitor, games: list[Campaign], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: MONDAY + timedelta(days=3))
    page = client.read(f"/anchors/{DAY}/")
    monday = anchors.anchors_of_day(DAY)
    assert monday.root in page
    assert all(f"{anchor.game} {anchor.hash}" in page for anchor in monday.anchors)
    main = page[page.index("<main") : page.index("</main>")]
    assert "Hidden" not in main
    assert "Practice" not in main
    assert f"/anchors/{DAY + timedelta(days=1)}/" in page
    today = client.read("/anchors/")
    assert "No public game changed on this day." in today
    assert f"/anchors/{DAY + timedelta(days=1)}/" in today


@pytest.mark.parametrize("day", ["2999-01-01", "2026-13-01", "2026-02-30", "monday"])
def test_invalid_day_is_not_found(client: Visitor, day: str) -> None:
    assert client.get(f"/anchors/{day}/").status_code == 404


def test_anchors_feed_has_the_newest_days(client: Visitor, games: list[Campaign]) -> None:
    answer = client.get("/anchors/feed.xml")
    assert answer["Content-Type"].startswith("application/atom+xml")
    entries = ElementTree.fromstring(answer.content).findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == [
        f"Record hashes of {day.day}" for day in anchors.newest_days(7)
    ]
    assert anchors.anchors_of_day(DAY).root in (entries[-1].findtext(f"{ATOM}summary") or "")
    assert (
        client.get("/anchors/feed.xml", headers={"If-None-Match": answer["ETag"]}).status_code
        == 304
    )


def test_day_is_found_by_an_index(client: Visitor, games: list[Campaign]) -> None:
    with CaptureQueriesContext(connection) as queries:
        anchors.anchors_of_day(date(2026, 11, 16))
    (query,) = queries.captured_queries
    with connection.cursor() as cursor:
        cursor.execute(
            f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{query['sql']}"
        )
        plan = str(cursor.fetchall())
    assert connection.vendor != "sqlite" or "entries_by_time" in plan
