"""Unsubscribing from letters (issue 4, item 6; RFC 2369, 8058)."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from games.accounts import tokens
from games.models import Mute, ReplyAddress
from games.outbox import subscriptions
from orders.models import Handling
from tests.inbound.writing import address_of, answers, send
from tests.support.campaign import Campaign

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("a_minute_later"),
    pytest.mark.letters,
]


def page_of(campaign: Campaign, nation: str) -> str:
    address_of(campaign, nation)
    reply = ReplyAddress.objects.get(person=campaign.players[nation], ended_at=None)
    return reverse("mute", args=[campaign.game.pk, tokens.mute_token(reply)])


def test_mute_by_mail_stops_letters_and_says_so(campaign: Campaign) -> None:
    """issue 4, 6: List-Unsubscribe mutes, with an answer; the gamesmaster is notified."""
    row = send(campaign, "Germany", "\n", subject="MUTE")
    assert (row.status, row.kind) == (Handling.Status.DONE, "mute")
    assert subscriptions.is_muted(campaign.players["Germany"], campaign.game)
    assert answers("gustav")[0].about["heading"] == "No more letters of this game"
    assert len(campaign.letters("muted", "ada")) == 1
    before = len(campaign.letters("board", "gustav"))
    campaign.pass_deadline()
    assert len(campaign.letters("board", "gustav")) == before
    assert campaign.letters("board", "felix")


def test_unmute_by_mail_resumes_letters(campaign: Campaign) -> None:
    send(campaign, "Germany", "MUTE\n")
    row = send(campaign, "Germany", "UNMUTE\n")
    assert row.status == Handling.Status.DONE
    assert not subscriptions.is_muted(campaign.players["Germany"], campaign.game)
    assert len(campaign.letters("muted", "ada")) == 2
    campaign.pass_deadline()
    assert campaign.letters("board", "gustav")


def test_muted_player_still_gets_answers_to_own_letters(campaign: Campaign) -> None:
    send(campaign, "Germany", "MUTE\n")
    send(campaign, "Germany", "PLACE 10 Poland\n")
    assert [letter.kind for letter in answers("gustav")] == ["word", "answer"]


def test_one_click_unsubscribe_mutes_and_is_confirmed(campaign: Campaign) -> None:
    """RFC 8058: POST without cookies. One letter confirms it, since others may have the link."""
    page, gustav = page_of(campaign, "Germany"), campaign.players["Germany"]
    browser = Client(enforce_csrf_checks=True)
    assert browser.get(page).status_code == browser.head(page).status_code == 200
    assert not Mute.objects.exists()  # mail scanners follow links
    for _ in range(2):
        assert browser.post(page, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert subscriptions.is_muted(gustav, campaign.game)
    (confirmation,) = answers("gustav")
    assert confirmation.about["heading"] == "You get no more letters of this game"
    browser.post(page, {"wish": "unmute"})
    assert not subscriptions.is_muted(gustav, campaign.game)


def test_old_unsubscribe_link_still_mutes(campaign: Campaign) -> None:
    page = page_of(campaign, "Germany")
    tokens.renew_reply(campaign.players["Germany"], campaign.game, campaign.now)
    Client().post(page)
    assert subscriptions.is_muted(campaign.players["Germany"], campaign.game)


def test_guessed_unsubscribe_link_has_no_effect(campaign: Campaign) -> None:
    page_of(campaign, "Germany")
    assert Client().post(reverse("mute", args=[campaign.game.pk, "0" * 40])).status_code == 404
    other = Campaign.begin(title="Another")
    page = page_of(campaign, "Germany").replace(f"/{campaign.game.pk}/", f"/{other.game.pk}/")
    assert Client().post(page).status_code == 404
    assert not Mute.objects.exists()


def test_gamesmaster_cannot_mute_their_game(campaign: Campaign) -> None:
    """A gamesmaster must learn that a phase waits for them."""
    campaign.game.gamesmasters.add(campaign.players["Germany"])
    row = send(campaign, "Germany", "MUTE\n")
    assert not Mute.objects.exists()
    assert "You run “The lights go out”" in row.words


def test_automatic_unsubscribe_mutes_without_an_answer(campaign: Campaign) -> None:
    """issue 4, 6: automatic mail gets no answer, but the reader's own key mutes letters."""
    row = send(
        campaign, "Germany", "\n", subject="MUTE", headers={"Auto_Submitted": "auto-generated"}
    )
    assert row.status == Handling.Status.DONE
    assert subscriptions.is_muted(campaign.players["Germany"], campaign.game)
    assert row.answer is None
    # The address on file gets a letter that answers no message.
    assert [letter.in_reply_to for letter in answers("gustav")] == [""]
