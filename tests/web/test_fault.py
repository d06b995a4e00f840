"""A page that fails, or refuses what was sent, says what to do and gives it back (design 7)."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games.operations import restore_hold
from orders.intake import ledger
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db

#: A letter with what needs escaping.
WORDS = "Dear France,\r\n5 in <Poland> & then?"


@pytest.mark.parametrize(
    "fault",
    [OperationalError("database or disk is full"), OperationalError("the connection is closed")],
)
def test_database_failure_answers_503_and_keeps_the_text(
    fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign.begin()

    def failing(*given: object, **named: object) -> None:
        raise fault

    monkeypatch.setattr(ledger, "receive", failing)
    browser = Client(raise_request_exception=False)
    browser.force_login(campaign.players["Germany"])
    path = f"/games/{campaign.game.pk}/orders/{campaign.seat('Germany').pk}/"
    answer = browser.post(path, {"text": "PLACE 10 Poland # <b>&", "do": "send"})
    page = answer.content.decode()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert "Everything with a receipt is safe" in page
    assert "PLACE 10 Poland # &lt;b&gt;&amp;</textarea>" in page
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


def test_other_failure_answers_500(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = Campaign.begin()

    def failing(*given: object, **named: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(ledger, "receive", failing)
    browser = Client(raise_request_exception=False)
    browser.force_login(campaign.players["Germany"])
    path = f"/games/{campaign.game.pk}/orders/{campaign.seat('Germany').pk}/"
    answer = browser.post(path, {"text": "PLACE 10 Poland", "do": "send"})
    assert answer.status_code == 500
    assert "Something went wrong" in answer.content.decode()
    assert "PLACE 10 Poland</textarea>" in answer.content.decode()


def _logged_out(browser: Client, campaign: Campaign, settings: Settings) -> None:
    browser.logout()


def _logged_in_again(browser: Client, campaign: Campaign, settings: Settings) -> None:
    """In another tab, which gives the browser a new token for its forms."""
    browser.handler.enforce_csrf_checks = True


def _hold_the_service(browser: Client, campaign: Campaign, settings: Settings) -> None:
    restore_hold.begin(campaign.now, campaign.now)


def _lose_the_seat(browser: Client, campaign: Campaign, settings: Settings) -> None:
    campaign.seat("Germany").sittings.update(until=campaign.now)


def _send_too_often(browser: Client, campaign: Campaign, settings: Settings) -> None:
    settings.LIMITS = settings.LIMITS | {"sent": (0, 600)}


@pytest.mark.parametrize(
    ("refused", "status", "says"),
    [
        (_logged_out, 403, "You are no longer logged in"),
        (_logged_in_again, 403, "Your form was not accepted"),
        (_hold_the_service, 503, "was restored from a backup"),
        (_lose_the_seat, 403, "You cannot open this page"),
        (_send_too_often, 429, "Too many requests"),
    ],
)
def test_refused_letter_is_given_back_to_its_writer(
    refused: Callable[[Client, Campaign, Settings], None],
    status: int,
    says: str,
    settings: Settings,
) -> None:
    campaign = Campaign.begin()
    browser = log_in(campaign.players["Germany"])
    refused(browser, campaign, settings)
    path = reverse("press-write", args=[campaign.game.pk])
    answer = browser.post(path, {"text": WORDS, "to": "France", "key": "k" * 40})
    page = answer.content.decode()
    assert (answer.status_code, "Location" in answer.headers) == (status, False)
    assert says in page
    assert page.count(escape(WORDS)) == page.count("</textarea>") == 1
    assert "k" * 40 not in page  # nobody typed it
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    assert not campaign.game.press_written.exists()


def test_who_was_logged_out_is_told_where_to_log_in() -> None:
    campaign = Campaign.begin()
    path = reverse("orders", args=[campaign.game.pk, campaign.seat("Germany").pk])
    page = Visitor().submit(path, {"text": "PLACE 10 Poland", "do": "send"})
    door = f"{reverse('login')}?next={campaign.game.get_absolute_url()}"
    assert f'<a href="{door}">Log in</a>' in page


def test_address_typed_to_log_in_is_no_text_to_give_back() -> None:
    """The page leads on as usual."""
    answer = Visitor().post(reverse("login"), {"email": "gustav@example.org"})
    assert "What you wrote" not in answer.content.decode()
