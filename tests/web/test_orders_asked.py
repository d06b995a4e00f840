"""Nothing is thrown away by one click: the page asks before it sends (issue 44, 1)."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from orders.models import Submission
from tests.support.browsing import unmarked
from tests.support.campaign import Campaign
from tests.support.origins_ww1 import Campaign as WorldWarI

from .conftest import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.quick]

ASKED = "Not sent yet: part of your turn would be wasted."


def address(campaign: Campaign, nation: str = "Germany") -> str:
    return reverse("orders", args=[campaign.game.pk, campaign.seat(nation).pk])


def asked(client: Client, campaign: Campaign, text: str, do: str = "send", **more: str) -> str:
    """Send orders; return the page that asks about them, or "" if they were received."""
    fields = {"text": text, "do": do, **more}
    answer = client.post(address(campaign), fields)
    return "" if answer.status_code == 302 else answer.content.decode()


def in_attacks() -> Campaign:
    campaign = Campaign.begin()
    for nation, number in {"Germany": 4, "France": 6}.items():
        campaign.order(nation, f"PLACE {number} Poland")
    campaign.pass_deadline()
    return campaign


def test_unplaced_pfs_are_asked_about_once(as_: Browser, campaign: Campaign) -> None:
    client, text = as_("gustav"), "PLACE 2 Austria"
    page = asked(client, campaign, text)
    assert ASKED in page
    assert "8 of 10 PFs are not placed: they go to Germany." in page
    assert not Submission.objects.exists()
    match = re.search(r'name="asked" value="([0-9a-f]+)"', page)
    assert match is not None
    other = "PLACE 1 Austria"
    page = asked(client, campaign, other, "send-anyway", asked=match[1])
    assert "9 of 10 PFs" in page, "the answer was about another text"
    assert not asked(client, campaign, text, "send-anyway", asked=match[1])
    assert not asked(client, campaign, text, final="on"), "confirmed once for the same text"
    assert Submission.objects.count() == 2


def test_all_pfs_placed_are_not_asked_about(as_: Browser, campaign: Campaign) -> None:
    assert not asked(as_("gustav"), campaign, "PLACE 8 Austria\nPLACE 2 Germany")


def test_nothing_is_asked_about_and_then_sent_as_pass(as_: Browser, campaign: Campaign) -> None:
    client = as_("gustav")
    page = asked(client, campaign, "# later")
    assert "Not sent yet: Nothing was written." in page
    assert "Your 10 PFs go to Germany." in page
    assert not asked(client, campaign, "# later", "send-anyway")
    assert Submission.objects.get().text == "# later\nPASS"


def test_pass_is_not_asked_about(as_: Browser, campaign: Campaign) -> None:
    """Who writes PASS says so on purpose."""
    assert not asked(as_("gustav"), campaign, "PASS")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ATTACK Poland: France", "below 1-1 on the published board, 4 against 6"),
        ("ATTACK Italy: France", "will be void: Germany has nothing to attack with in Italy"),
        ("ATTACK Poland: Russia", "cannot be made: Russia has nothing in Poland"),
        ("CONTROL Austria", "has no effect: Germany needs 5 PFs in Austria and has none"),
    ],
)
def test_orders_without_effect_are_asked_about(as_: Browser, text: str, words: str) -> None:
    page = unmarked(asked(as_("gustav"), in_attacks(), text))
    assert ASKED in page
    assert words in page


def test_merged_lines_are_asked_about_as_a_whole(as_: Browser) -> None:
    """Rules 0.2, orders.amend = merge_lines: a text may have only the lines that change."""
    campaign = Campaign.begin(options={"orders.amend": "merge_lines"})
    campaign.order("Germany", "PLACE 6 Poland\nPLACE 1 Italy")
    client = as_("gustav")
    seen = {"seen": Submission.objects.get().hash}
    assert not asked(client, campaign, "PLACE 4 Italy\nPLACE 6 Poland", **seen)


def test_orders_by_mail_are_not_held_up(campaign: Campaign) -> None:
    """The answer to the letter names what would be lost (tests/inbound/test_answers.py)."""
    submission = campaign.order("Germany", "PLACE 2 Austria")
    assert submission.counts
    assert [remark["message"] for remark in submission.remarks] == [
        "8 of 10 PFs are not placed: they go to Germany."
    ]


def test_world_war_i_asks_about_unplaced_pfs(as_: Browser) -> None:
    campaign = WorldWarI.begin()
    fields = {"text": "PLACE 1 Serbia", "do": "send"}
    answer = as_("rosa").post(address(campaign, "Russia"), fields)
    assert ASKED in answer.content.decode()
