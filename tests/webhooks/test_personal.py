"""Webhooks of a person: contents, signatures, management (issue 26, 5; issue 27, 7)."""

from __future__ import annotations

import json
import re
import runpy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from games import tasks
from games.models import Channel, Letter, Notice, ProposalAnswer
from games.operations.personal import erasure
from games.outbox import personal_webhooks, subscriptions
from games.press import conversations, deals
from tests.support.campaign import Campaign, person
from tests.support.letters import letter_text
from tests.support.programs import Program
from tests.web.conftest import Browser, Watch, as_, watch
from tests.webhooks.chat import Chat

__all__ = ["as_", "watch"]
pytestmark = [pytest.mark.django_db, pytest.mark.letters]
RECEIVER = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "receiver.py"))
HOOK = "https://hooks.example.org/mine"


def types(chat: Chat) -> list[str]:
    return [str(body["type"]) for _, body in chat.told]


def heard(campaign: Campaign, chat: Chat, name: str = "gustav") -> Channel:
    channel = personal_webhooks.add(person(name), chat.url(), "My phone", campaign.now)
    tasks.do_all_due(campaign.now)
    return channel


def press(campaign: Campaign, sender: str, text: str) -> None:
    seat, by = campaign.seat(sender), campaign.players[sender]
    to = ["Germany"]
    conversations.send(campaign.game, seat, by, to, text, channel="web", now=campaign.now)
    tasks.do_all_due(campaign.now)


def test_personal_webhook_notices_have_no_content(chat: Chat) -> None:
    campaign = Campaign.begin(public=False, title="Behind closed doors")
    heard(campaign, chat)
    press(campaign, "France", "Let us share Poland.")
    campaign.order("Germany", "PLACE 7 Baltic States # for Berlin")
    first = campaign.pass_deadline()
    assert types(chat)[:2] == ["test", "letter.arrived"]
    assert types(chat)[-1] == "phase.judged"
    judged = chat.told[-1][1]["data"]
    assert (judged["game"], judged["phase"]) == (campaign.game.pk, first.number)
    assert judged["deadline"] == campaign.phase.deadline.isoformat()
    assert judged["url"].endswith(f"/games/{campaign.game.pk}/")
    bodies = str(chat.told)
    for secret in ("Poland", "Baltic", "Berlin", "France", "Germany", "Behind", "@"):
        assert secret not in bodies, secret


def test_deals_are_announced_to_both_nations_without_content(chat: Chat) -> None:
    """Issue 27, 5 and 7: for a program a deal is a letter; Rosa, in neither nation, gets no
    notice."""
    campaign = Campaign.begin(public=False, title="Behind closed doors")
    for name in ("gustav", "felix", "rosa"):
        heard(campaign, chat, name)
    france, germany = campaign.seat("France"), campaign.seat("Germany")
    felix, gustav = campaign.players["France"], campaign.players["Germany"]
    made = deals.propose(
        campaign.game, france, felix, germany, "PEACE Poland", channel="web", now=campaign.now
    )
    accepted = ProposalAnswer.Kind.ACCEPTED
    deals.answer(made, germany, accepted, gustav, channel="web", now=campaign.now)
    notices = Notice.objects.filter(about__event="letter.arrived").order_by("pk")
    assert [notice.channel.person for notice in notices] == [gustav, felix]
    tasks.do_all_due(campaign.now)
    assert types(chat).count("letter.arrived") == 2
    bodies = str(chat.told)
    for secret in ("Poland", "PEACE", "France", "Germany", "accept", "Behind", "@"):
        assert secret not in bodies, secret


@pytest.mark.both_databases
def test_due_orders_are_announced_and_muted_games_are_silent(chat: Chat) -> None:
    campaign = Campaign.begin()
    heard(campaign, chat)
    campaign.wait_until(campaign.phase.deadline - timedelta(minutes=5))
    assert "orders.due" in types(chat)
    chat.told.clear()
    subscriptions.mute(person("gustav"), campaign.game, campaign.now)
    campaign.pass_deadline()
    assert chat.told == []


def test_notices_are_signed_and_the_example_receiver_verifies_them(chat: Chat) -> None:
    """Standard Webhooks 1: identifier, time and body are signed; docs/receiver.py checks them."""
    campaign = Campaign.begin()
    secret = personal_webhooks.secret(heard(campaign, chat))
    headers, body = chat.raw[0]
    read, now = RECEIVER["read"], campaign.now.timestamp()
    assert read(headers, body, secret, now) == json.loads(body)
    other = personal_webhooks.secret(personal_webhooks.add(person("felix"), HOOK, "", campaign.now))
    for spoilt in (
        (headers, body + b" ", secret, now),
        (headers, body, other, now),
        (headers | {"webhook-id": "msg_0"}, body, secret, now),
        (headers, body, secret, now + 301),
    ):
        with pytest.raises(ValueError, match=r"wrong|too old"):
            read(*spoilt)


def test_retry_repeats_the_identifier_and_removal_sends_a_letter(chat: Chat) -> None:
    campaign = Campaign.begin()
    chat.answers = [500, 404]
    channel = heard(campaign, chat)
    tasks.do_all_due(campaign.now + timedelta(minutes=2))
    assert chat.raw[0][0]["webhook-id"] == chat.raw[1][0]["webhook-id"]
    channel.refresh_from_db()
    assert (channel.removed_at is not None, channel.url) == (True, "")
    letter = Letter.objects.get(kind="webhook")
    assert letter.person == person("gustav")
    assert "answered with 404" in letter_text(letter)


@pytest.mark.both_databases
def test_account_page_adds_tests_pauses_and_removes_webhooks(
    chat: Chat, watch: Watch, as_: Browser
) -> None:
    campaign = Campaign.begin(now=watch.now)
    gustav = as_("gustav")
    page = gustav.submit("/me/webhooks/", {"label": "My <b>phone", "url": chat.url()})
    channel = Channel.objects.get()
    shown = re.search(r"whsec_[A-Za-z0-9+/]+=", page)
    assert shown
    assert shown[0] == personal_webhooks.secret(channel)
    account = gustav.read("/me/")
    assert "My &lt;b&gt;phone" in account
    assert shown[0] not in account
    assert str(chat.port) not in account
    at = f"/me/webhooks/{channel.code}"
    as_("felix").post(f"{at}/remove/")
    gustav.post(f"{at}/pause/")
    campaign.pass_deadline()
    assert types(chat) == ["test"]
    gustav.post(f"{at}/resume/")
    campaign.pass_deadline()
    assert types(chat) == ["test", "phase.judged"]
    gustav.post(f"{at}/remove/")
    campaign.pass_deadline()
    assert types(chat) == ["test", "phase.judged"]
    assert "on the public internet" in gustav.submit(
        "/me/webhooks/", {"url": "https://10.0.0.1/"}, follow=True
    )


def test_programs_manage_webhooks_with_a_token_that_may_write(chat: Chat) -> None:
    campaign = Campaign.begin()
    gustav, felix = (Program(name, campaign.now, sends_orders=True) for name in ("gustav", "felix"))
    post: dict[str, Any] = {"content_type": "application/json"}
    made = gustav.post("/api/v1/webhooks", {"url": HOOK, "label": "Bot"}, **post).json()
    assert made["secret"] == personal_webhooks.secret(Channel.objects.get())
    at = f"/api/v1/webhooks/{made['id']}"
    assert gustav.patch(at, {"paused": True}, **post).json()["paused"]
    (listed,) = gustav.read("webhooks")["webhooks"]
    assert listed == {key: made[key] for key in ("id", "label", "added_at")} | {"paused": True}
    assert felix.delete(at).status_code == 404
    again = gustav.post("/api/v1/webhooks", {"url": HOOK}, **post)
    assert (again.status_code, "already" in again.json()["detail"]) == (422, True)
    rosa = Program("rosa", campaign.now)  # a read-only token
    assert rosa.post("/api/v1/webhooks", {"url": HOOK}, **post).status_code == 403
    assert gustav.delete(at).status_code == 204
    assert gustav.read("webhooks") == {"webhooks": []}


def test_erasure_deletes_personal_webhooks(chat: Chat) -> None:
    campaign = Campaign.begin()
    heard(campaign, chat)
    erasure.erase(person("gustav"), campaign.now, by=None, press=False)
    assert not Channel.objects.exists()
    assert not Notice.objects.exists()


def test_documentation_lists_every_event() -> None:
    """26.5: docs/api.md says which notices there are, and when."""
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    documented = dict(re.findall(r"^\| `([a-z.]+)` \| (.+) \|$", page, re.MULTILINE))
    events = personal_webhooks.EVENTS.items()
    assert {name: event.when for name, event in events}.items() <= documented.items()
