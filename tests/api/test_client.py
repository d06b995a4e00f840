"""The example client of docs/client.py works as documented."""

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
    """Hand the client's requests to the API; drop the first answer to each path in the list."""
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


def test_client_lists_due_phases_until_orders_are_in(
    campaign: Campaign,
    lost: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(monkeypatch)
    due = "The lights go out: Germany, Turn 1, placement, by 2026-11-16T18"
    assert due in capsys.readouterr().out
    run(monkeypatch, str(campaign.game.pk), "Germany", text="PLACE 7 Poland\n\nNONSENSE\n")
    output = capsys.readouterr().out
    assert "1: PLACE 7 Poland" in output
    assert "3: error:" in output
    assert "No. 1, in force" in output
    run(monkeypatch)
    assert capsys.readouterr().out == ""


def test_client_retries_a_lost_answer_without_sending_orders_twice(
    campaign: Campaign, lost: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lost.append(f"/api/v1/games/{campaign.game.pk}/orders")
    run(monkeypatch, str(campaign.game.pk), "Germany", text="PLACE 7 Poland\n")
    assert lost == []
    assert Submission.objects.count() == 1


def test_client_stops_at_a_refusal_and_shows_the_reason(
    campaign: Campaign, lost: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match="You do not send orders for France"):
        run(monkeypatch, str(campaign.game.pk), "France", text="PLACE 1 Poland\n")
    assert not Submission.objects.exists()
