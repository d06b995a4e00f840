"""Hostile text in a refereed game is shown as text, in letters and on pages."""

from __future__ import annotations

import logging

import pytest
from django.test import override_settings as with_settings

from games.base import clock
from games.letters import rendering
from games.models import Letter
from tests.letters import every_letter
from tests.security.addresses import PART, Route, patterns
from tests.security.test_injection import headers, holds
from tests.support.browsing import log_in
from tests.ww2_multiplayer.campaign import Refereed

pytestmark = [pytest.mark.django_db, pytest.mark.guest, pytest.mark.letters]
SPITE = "qzx<img src=x onerror=qzx()>\"'</script><script>qzx()</script>{{ 7|add:7 }}{% now 'Y' %}"


def _refereed(monkeypatch: pytest.MonkeyPatch) -> Refereed:
    """Return a refereed game with hostile text in every free field."""
    war = Refereed.begin(players=4, options={"spi.last_turn": 1}, press={"sender": "grey"})
    monkeypatch.setattr(clock, "now", lambda: war.now)
    war.order("France", f"GRANT SUPPLY TO Britain IN {SPITE}\n{SPITE}")
    war.pass_deadline()
    war.order(
        "France",
        f"MOVE 1 SP {SPITE} TO Paris\nIF {SPITE} THEN MOVE 1 SP Paris TO Metz\n{SPITE}\nMINOR"
        f" Poland: {SPITE}",
    )
    war.pass_deadline()
    war.report(
        f"LINE France 1 VOID: {SPITE}\nLINE France 2 CHANGED: {SPITE}\nREST DONE\nNOTE"
        f" {SPITE}\nDICE 1 OF France FOR {SPITE}\nCONTEST France 2 Britain 2 IN {SPITE}\nCONTROLLER"
        f" Poland NOBODY: {SPITE}\nDUE France REPLACEMENT 1: {SPITE}\n{SPITE}\nEND"
    )
    return war


def test_letters_of_a_refereed_game_escape_orders_and_reasons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """B.8: free text is always accepted, so reports escape it."""
    war = _refereed(monkeypatch)
    war.carry_out()
    war.play_out()
    seen = 0
    with with_settings(**every_letter.SETTINGS, MAIL_PICTURES=False):
        readers = Letter.objects.filter(game=war.game, person__in=(war.ada, war.players["France"]))
        for letter in readers.select_related("game", "phase__game", "person"):
            rendered = rendering.render(letter)
            seen += "qzx" in rendered.html
            holds(rendered.html, letter.key)
            assert "14{%" not in rendered.text, letter.key
            assert "\n" not in rendered.subject
            lines = headers(letter, rendered)
            assert not [line for line in lines if line.startswith(("Bcc", "qzx"))], letter.key
    assert seen > 10


def test_pages_of_a_refereed_game_escape_orders_and_reasons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before the report is carried out and after; the referee's page too."""
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    war = _refereed(monkeypatch)
    seen = 0
    for carried_out in (False, True):
        if carried_out:
            war.carry_out()
        values = {
            "pk": str(war.game.pk),
            "number": str(war.phase.number - carried_out),
            "seat": str(war.seat("France").pk),
        }
        for who in (war.players["Germany"],) if carried_out else (war.players["France"], war.ada):
            browser = log_in(who)
            for pattern in patterns():
                names = {part["name"] for part in PART.finditer(pattern)}
                if not pattern.startswith("games/") or not names <= set(values):
                    continue
                answer = browser.get(Route(pattern, values).path())
                if answer.status_code == 200 and "html" in answer.headers.get("Content-Type", ""):
                    seen += b"qzx" in answer.content
                    holds(answer.content, f"{who}: {pattern}")
    assert seen > 3, "what was written is shown nowhere: this test looks at nothing"
