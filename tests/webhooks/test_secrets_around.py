"""Channels, calendars and feeds reveal nothing that a game hides (design 8)."""

from __future__ import annotations

import re
from datetime import date

import pytest

from games import desk, positions
from games.desk import channels
from games.letters import entries, feeds
from games.models import Game, Letter, Notice
from games.outbox import channel_events
from games.webhooks import words
from tests.permissions.alike import alike
from tests.permissions.test_secrets_face_down import twins
from tests.support.browsing import Visitor
from tests.support.campaign import PLAYERS, Campaign, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("letters_with_pictures"),
    pytest.mark.letters,
]
HOOK = "https://hooks.example.org/x"


def noted(campaign: Campaign) -> None:
    for kind in ("discord", "slack"):
        url = f"{HOOK}/{campaign.game.pk}/{kind}"
        channels.add(campaign.game, kind, url, "", campaign.ada, campaign.now)


@pytest.fixture(autouse=True)
def _nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *given, **named: [])


def public_texts(campaign: Campaign) -> list[str]:
    """Return the texts of channels, the feed and all calendars but Germany's."""
    texts = []
    for notice in Notice.objects.filter(channel__game=campaign.game).order_by("pk"):
        message = channel_events.text_of(notice)
        texts.append(words.body(notice.channel.kind, message).decode() if message else "")
    texts.append(Visitor().read(f"/games/{campaign.game.pk}/feed.xml"))
    others = Letter.objects.filter(game=campaign.game).exclude(address="gustav@example.org")
    for letter in others.order_by("pk"):
        texts.append((entries.letter_calendar(letter) or "").replace("\r\n ", ""))
    return [re.sub(r"game-\d+|absence-\d+", "", alike(text, campaign)) for text in texts]


def test_channels_feed_and_calendars_do_not_reveal_face_down_counters() -> None:
    """F9: the two games differ only in what Germany has placed face down."""
    first, second = twins()
    for campaign in (first, second):
        noted(campaign)
    for _ in range(2):
        assert public_texts(first) == public_texts(second)
        first.pass_deadline()
        second.now = first.now
    different = positions.position(first.game) != positions.position(second.game)
    assert different, "the games differ in nothing: the test tests nothing"


def test_blind_game_reveals_no_scores_and_no_secret() -> None:
    """Objectives are drawn in secret, and there are no running scores before the last report."""
    campaign = Campaign.begin(options={"ow2.blind": "yes"})
    noted(campaign)
    for _ in range(3):
        campaign.pass_deadline()
    campaign.game.refresh_from_db()
    secret = campaign.game.secret
    assert secret
    texts = " ".join(public_texts(campaign))
    assert "Scores" not in texts
    assert re.search(r"Germany \d", texts) is None
    raw = Visitor().read(f"/games/{campaign.game.pk}/feed.xml")
    assert secret not in raw


def test_calendar_holds_no_orders_letters_or_names_of_others() -> None:
    campaign = Campaign.begin(schedule={"every": "days", "days": 1, "time": "18:00"})
    campaign.order("France", "PLACE 6 Poland")
    bea = person("bea")
    desk.announce(campaign.game, bea, date(2026, 11, 24), date(2026, 11, 26), bea, campaign.now)
    for name in (*PLAYERS.values(), "ada", "charlie"):
        text = feeds.person_calendar(person(name), campaign.now).replace("\r\n ", "")
        assert "Poland" not in text
        assert "@example.org" not in text
        assert ("Away from" in text) == (name == "bea"), "who is away is nobody else's to know"
        for nation, other in PLAYERS.items():
            assert (f"Orders for {nation} are due" in text) == (other == name)
    assert Game.objects.count() == 1
