"""What lives beside the map, and unread marks (issue 44, 3; review of a player, N5)."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from playwright.sync_api import Browser as Chromium

from games import desk, permissions
from games.desk import votes
from games.models import Block, Press, Sitting
from games.press import conversations, deals
from games.rules import vote_kinds
from tests.support.axe import faults
from tests.support.browser import new_page
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign

from .conftest import Browser, Watch
from .test_game_page_quickly import QUESTIONS

pytestmark = pytest.mark.django_db


def write(campaign: Campaign, nation: str, to: list[str], text: str) -> Press:
    return conversations.send(
        campaign.game,
        campaign.seat(nation),
        campaign.players[nation],
        to,
        text,
        channel=Press.Channel.WEB,
        to_all=not to,
        now=campaign.now,
    )


def beside(visitor: Visitor, campaign: Campaign) -> str:
    page = visitor.read(campaign.game.get_absolute_url())
    return page.split('aria-labelledby="now"')[1].split("</section>")[0]


def test_game_page_names_who_is_waited_for_letters_deals_and_votes(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    watch.set(campaign.now)
    write(campaign, "Russia", ["Germany"], "Let us share Poland.")
    deals.propose(
        campaign.game,
        campaign.seat("France"),
        campaign.players["France"],
        campaign.seat("Germany"),
        "PEACE Poland UNTIL TURN 3",
        channel=Press.Channel.WEB,
        now=campaign.now,
    )
    campaign.order("Russia", "PASS")
    told = beside(as_("gustav"), campaign)
    waiting = told.split("Waiting for")[1].split("</li>")[0]
    assert "you," in waiting
    assert "Russia" not in waiting
    assert '<span class="face' in waiting, "people have faces"
    assert "Let us share Poland." in told
    assert "A deal waits" in told
    for name in ("felix", None):
        told = beside(as_(name), campaign)
        assert "Let us share Poland." not in told, "letters are between their nations"
        assert "A deal waits" not in told
    assert "Waiting for" in told, "a visitor learns who is waited for"


def test_open_vote_is_told_once_and_the_last_act_without_one(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    watch.set(campaign.now)
    later = campaign.phase.deadline.replace(day=25)
    desk.extend(campaign.phase, later, "The post is slow.", campaign.ada, campaign.now)
    act = campaign.game.acts.latest("pk")
    assert act.words in beside(as_("felix"), campaign)
    assert act.words not in beside(as_("ada"), campaign), "the gamesmaster's own"
    kind = next(iter(vote_kinds.KINDS))
    motion = votes.cast(campaign.game, campaign.players["France"], kind, "", campaign.now)
    told = beside(as_("gustav"), campaign)
    assert f"France voted for {motion.title}." in told
    assert told.count(motion.title) == 1
    assert ">Vote</a>" in told


def test_unread_letters_are_marked_until_their_circle_is_opened(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    watch.set(campaign.now)
    first = write(campaign, "Russia", ["Germany"], "Let us share Poland.")
    write(campaign, "Russia", ["Germany"], "Or Austria.")
    write(campaign, "France", [], "To all of you.")
    gustav, press = as_("gustav"), reverse("press", args=[campaign.game.pk])
    for address, marks in (("/", "3 unread letters"), (press, "2 unread"), ("/rules/", "3<span")):
        assert marks in gustav.read(address), address
    assert as_("rosa").read(press).count("1 unread") == 1, "one's own letters have no mark"
    opened = gustav.read(f"{press}?circle={first.code}")
    assert opened.count('<span class="unread-mark">new</span>') == 2
    assert "new</span>" not in gustav.read(f"{press}?circle={first.code}")
    assert "1 unread letter<" in gustav.read("/"), "another circle is still unread"
    assert "unread" not in as_("charlie").read("/")


def test_letter_of_a_blocked_player_leaves_no_mark(campaign: Campaign) -> None:
    """A count would tell that the blocked player wrote."""
    first = write(campaign, "Russia", ["Germany"], "Let us share Poland.")
    gustav, rosa = campaign.players["Germany"], campaign.players["Russia"]
    conversations.mark_read(gustav, campaign.game, {first.code})
    Block.objects.create(person=gustav, blocked=rosa, press=first, since=campaign.now)
    write(campaign, "Russia", ["Germany"], "Why do you not answer?")
    assert conversations.unread_letters(gustav) == {}
    assert Sitting.objects.get(person=gustav).unread == []
    assert conversations.unread_letters(rosa) == {}, "one's own letters"


def test_letters_beside_the_map_are_only_those_that_their_reader_may_read(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """A player who has blocked a player does not see beside the map what the press page hides."""
    watch.set(campaign.now)
    first = write(campaign, "Russia", ["Germany"], "Let us share Poland.")
    write(campaign, "Russia", ["France"], "Germany is weak.")
    write(campaign, "France", [], "To all of you.")
    gustav, rosa = campaign.players["Germany"], campaign.players["Russia"]
    Block.objects.create(person=gustav, blocked=rosa, press=first, since=first.sent_at)
    told = beside(as_("gustav"), campaign)
    assert "To all of you." in told
    assert "Poland" not in told, "a blocked player wrote it"
    assert "weak" not in told, "it is between others"
    for reader in (*campaign.players.values(), campaign.ada):
        readable = permissions.readable_press(reader, campaign.game)
        others = [press for press in reversed(readable) if press.person_id != reader.pk]
        assert list(permissions.letters_to(reader, campaign.game)) == others, reader.name


@pytest.mark.usefixtures("in_earnest")
def test_letters_beside_the_map_cost_few_queries(
    as_: Browser, private: Campaign, watch: Watch
) -> None:
    watch.set(private.now)
    for number in range(5):
        write(private, "Russia", ["Germany"], f"Letter {number}.")
    gustav = as_("gustav")
    gustav.read(private.game.get_absolute_url())
    with CaptureQueriesContext(connection) as queries:
        page = gustav.read(private.game.get_absolute_url())
    assert page.count('<li class="letter unread">') == 3
    assert len(queries) <= QUESTIONS, "\n".join(q["sql"][:300] for q in queries.captured_queries)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_pages_with_unread_letters_fit_and_are_accessible(
    chromium: Chromium, live_server: Any, watch: Watch
) -> None:
    campaign = Campaign.begin()
    watch.set(campaign.now)
    for nation in ("Russia", "France"):
        write(campaign, nation, ["Germany"], "Dear Gustav, let us share Poland. " * 9)
    votes.cast(
        campaign.game, campaign.players["France"], next(iter(vote_kinds.KINDS)), "", campaign.now
    )
    found, game = [], campaign.game.get_absolute_url()
    for width, dark in ((320, False), (1440, True)):
        with new_page(chromium, live_server.url, width, who="gustav", dark=dark) as page:
            for address in ("/", game, f"{game}press/", f"{game}deals/"):
                page.goto(address)
                head = page.locator(".masthead").bounding_box()
                assert head is not None
                assert head["height"] < 64, "the header takes one line"
                wide = page.evaluate("document.documentElement.scrollWidth")
                found += [f"{address} is {wide} wide at {width}"] if wide > width else []
                found += [f"{address} at {width}: {told}" for told in [faults(page)] if told]
    assert not found, "\n".join(found)
