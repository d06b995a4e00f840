"""The example of docs/client.py does what it says."""

from __future__ import annotations

import io
import runpy
import sys
import urllib.error
import urllib.request
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from orders.models import Submission
from tests.support.campaign import Campaign
from tests.support.programs import Program

pytestmark = pytest.mark.django_db
CLIENT = Path(__file__).parents[2] / "docs" / "client.py"


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch, campaign: Campaign) -> list[str]:
    """Hand the client's requests to the API. The answers to the paths in the list are lost once."""
    gustav = Program("gustav", campaign.now, sends_orders=True)
    monkeypatch.setenv("GAMESMASTER", "http://games.test")
    monkeypatch.setenv("GAMESMASTER_TOKEN", gustav.token)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    dropped: list[str] = []

    def opened(request: urllib.request.Request, timeout: float) -> Any:
        body: Any = request.data
        answer = Program("", campaign.now).generic(
            request.get_method(),
            request.selector,
            body or b"",
            content_type="application/json",
            headers=dict(request.header_items()),
        )
        if request.selector in dropped:
            dropped.remove(request.selector)
            raise TimeoutError
        if answer.status_code >= 400:
            raise urllib.error.HTTPError(
                "", answer.status_code, "", Message(), io.BytesIO(answer.content)
            )
        return io.BytesIO(answer.content)

    monkeypatch.setattr(urllib.request, "urlopen", opened)
    return dropped


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, text: str = "") -> None:
    monkeypatch.setattr(sys, "argv", ["client.py", *arguments])
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    runpy.run_path(str(CLIENT), run_name="__main__")


def test_it_shows_what_is_due_and_nothing_once_orders_are_in(
    campaign: Campaign,
    lost: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(monkeypatch)
    due = "The lights go out: Germany, Turn 1, placement, by 2026-11-16T18"
    assert due in capsys.readouterr().out
    run(monkeypatch, str(campaign.game.pk), "Germany", text="PLACE 7 Poland\nNONSENSE\n")
    told = capsys.readouterr().out
    assert "1: PLACE 7 Poland" in told
    assert "2: error:" in told
    assert "No. 1, in force" in told
    run(monkeypatch)
    assert capsys.readouterr().out == ""


def test_orders_whose_answer_was_lost_arrive_once(
    campaign: Campaign, lost: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lost.append(f"/api/v1/games/{campaign.game.pk}/orders")
    run(monkeypatch, str(campaign.game.pk), "Germany", text="PLACE 7 Poland\n")
    assert lost == []
    assert Submission.objects.count() == 1


def test_a_refusal_ends_it_with_the_reason(
    campaign: Campaign, lost: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match="You do not send orders for France"):
        run(monkeypatch, str(campaign.game.pk), "France", text="PLACE 1 Poland\n")
    assert not Submission.objects.exists()
