"""The feed of public games: valid by RFC 4287, without private games (issue 6, 5)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any
from xml.etree import ElementTree

import pytest
from django.urls import reverse

from games.desk import words
from games.models import Game
from games.print import board
from games.turns import rulings
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign, person

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"


def feed(path: str = "/feed.xml") -> ElementTree.Element:
    response = Visitor().get(path)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    tree = ElementTree.fromstring(response.content)
    is_valid(tree)
    return tree


def is_valid(tree: ElementTree.Element) -> None:
    """Check what RFC 4287 requires of a feed and its entries (4.1.1, 4.1.2, 4.2)."""
    assert tree.tag == f"{ATOM}feed"
    for holder in (tree, *tree.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(holder.findall(f"{ATOM}{name}")) == 1, f"{holder.tag} has one {name}"
        assert re.fullmatch(r"tag:[a-z0-9.-]+,\d{4}:\S+", str(holder.findtext(f"{ATOM}id")))
        assert datetime.fromisoformat(str(holder.findtext(f"{ATOM}updated"))).tzinfo is not None
        links = [link.attrib for link in holder.findall(f"{ATOM}link")]
        assert all(link["href"].startswith("http://games.test/") for link in links)
        assert len([link for link in links if link.get("rel") == "alternate"]) == 1
    assert tree.find(f"{ATOM}author/{ATOM}name") is not None, (
        "a feed without an author needs one in every entry"
    )
    assert [link for link in tree.findall(f"{ATOM}link") if link.attrib["rel"] == "self"]
    ids = [entry.findtext(f"{ATOM}id") for entry in tree.findall(f"{ATOM}entry")]
    assert len(set(ids)) == len(ids)


def titles(tree: ElementTree.Element) -> list[str]:
    return [str(entry.findtext(f"{ATOM}title")) for entry in tree.findall(f"{ATOM}entry")]


def text_of(tree: ElementTree.Element) -> str:
    return " ".join(tree.itertext())


@pytest.mark.both_databases
def test_feed_has_new_games_results_and_rulings_newest_first() -> None:
    campaign = Campaign.begin(title="Peace & <b>quiet</b>")
    campaign.order("Germany", "PLACE 6 Poland")
    phase = campaign.pass_deadline()
    what, why = {"nation": "Russia", "points": 2}, "Agreed <i>at the table</i>."
    rulings.rule(phase, "points", what, why, campaign.ada, campaign.now)
    tree = feed()
    assert titles(tree)[-1] == "A new game: “Peace & <b>quiet</b>”"
    assert any("ruling 1" in title for title in titles(tree))
    assert any(title.endswith(phase.title) for title in titles(tree))
    text = text_of(tree)
    assert "Germany" in text
    assert "Poland" in text
    assert "<i>at the table" not in text, (
        "HTML in a summary is escaped twice: once as HTML, once as XML"
    )
    assert titles(feed(f"/games/{campaign.game.pk}/feed.xml")) == titles(tree)


@pytest.mark.parametrize(("source", "said"), [("stocks", True), ("commit_reveal", False)])
def test_feed_and_printed_board_say_that_sales_are_made_up_only_where_sales_decide(
    source: str, said: bool
) -> None:
    """A class by a sealed seed read “The sales of this game are made up” on its printed board."""
    campaign = Campaign.begin(options={"rng.source": source})
    campaign.pass_deadline()
    assert ("the sales are made up" in text_of(feed())) == said
    assert board.content(campaign.game, None, campaign.now)["demo"] == said


def test_empty_feed_is_valid() -> None:
    assert titles(feed()) == []


@pytest.mark.parametrize("changes", [{"public": False}, {"practice": True}])
def test_private_game_is_in_no_feed(changes: dict[str, Any]) -> None:
    """Design 8: nobody logs in to a feed, so even its players have none."""
    campaign = Campaign.begin(title="Behind closed doors")
    Game.objects.filter(pk=campaign.game.pk).update(**changes)
    campaign.pass_deadline()
    assert "Behind closed doors" not in text_of(feed())
    path = reverse("game-feed", args=[campaign.game.pk])
    for name in (None, "ada", "una", "charlie"):
        browser = Visitor()
        if name:
            browser.force_login(person(name))
        assert browser.get(path).status_code == 404


def test_orders_before_the_result_are_in_no_feed() -> None:
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 7 Baltic States")
    assert "Baltic" not in text_of(feed())


@pytest.mark.both_databases
def test_hidden_scores_are_in_no_feed() -> None:
    """ow2.running_score = hidden: everything comes from `view`."""
    campaign = Campaign.begin(options={"ow2.running_score": "hidden"})
    campaign.pass_deadline()
    assert re.search(r"Germany \d", text_of(feed())) is None
    shown = Campaign.begin(title="Shown")
    shown.pass_deadline()
    assert re.search(r"Germany \d", text_of(feed(f"/games/{shown.game.pk}/feed.xml")))


@pytest.mark.parametrize("sign", ["\x1b", "\ufffe", "\uffff"])
def test_title_with_a_sign_that_xml_forbids_leaves_the_feed_readable(sign: str) -> None:
    """XML 1.0, 2.2: news readers take none of a feed with such a sign in it."""
    campaign = Campaign.begin()
    Game.objects.filter(pk=campaign.game.pk).update(title=f"Peace{sign} and quiet")
    assert "Peace" in text_of(feed())
    assert sign not in words.one_line("Peace\ufffe\uffff", "The title")


@pytest.mark.both_databases
def test_unchanged_feed_gives_304() -> None:
    campaign = Campaign.begin()
    first = Visitor().get("/feed.xml")
    assert Visitor().get("/feed.xml", headers={"If-None-Match": first["ETag"]}).status_code == 304
    campaign.pass_deadline()
    assert Visitor().get("/feed.xml", headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_pages_link_to_the_feed() -> None:
    campaign = Campaign.begin()
    assert f'href="/games/{campaign.game.pk}/feed.xml"' in Visitor().read(
        campaign.game.get_absolute_url()
    )
    assert 'href="/feed.xml"' in Visitor().read("/")


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_feed_is_read_only(method: str) -> None:
    assert getattr(Visitor(), method)("/feed.xml").status_code == 405
