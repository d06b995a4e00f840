"""A page that fails says what to do, and returns what was typed (issue 10, 2)."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.test import Client

from orders.intake import ledger
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db


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
