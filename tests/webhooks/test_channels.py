"""Chat channels: events, order, leases, and what they must not say (issue 6, 5; design 8)."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.urls import reverse
from pytest_django import Settings

from games import desk, tasks
from games.base import https
from games.desk import DeskError, channels
from games.letters import rendering
from games.models import Act, Channel, Game, Letter, Notice
from games.outbox.channel_events import NoticeText
from games.records import archive
from games.turns import rulings
from games.webhooks import delivery, words
from tests.support.campaign import MONDAY, NATIONS, Campaign, person
from tests.support.letters import letter_text
from tests.web.conftest import Browser, as_, watch
from tests.webhooks.chat import Chat

__all__ = ["as_", "watch"]
pytestmark = [pytest.mark.django_db, pytest.mark.letters]
SECRET = "https://hooks.example.org/services/T0/B1/very-secret-key"


def heard(
    campaign: Campaign, chat: Chat, kind: str = "discord", path: str = "/hooks/abc"
) -> Channel:
    """Return a channel of the game that has sent its greeting."""
    channel = channels.add(
        campaign.game, kind, chat.url(path), "The café", campaign.ada, campaign.now
    )
    tasks.do_all_due(campaign.now)
    return channel


def text(chat: Chat) -> str:
    return str(chat.told)


# --- contents ---


def test_channel_gets_deadlines_digests_and_results_in_order(chat: Chat) -> None:
    """Issue 6, 5: deadline announced and moved, digest at the lock, results."""
    campaign = Campaign.open()
    heard(campaign, chat)
    desk.start(campaign.game, campaign.now)
    campaign.game.refresh_from_db()
    campaign.wait_until(campaign.now + timedelta(minutes=1))
    later = campaign.phase.deadline + timedelta(minutes=30)
    desk.extend(campaign.phase, later, "The post is slow.", campaign.ada, campaign.now)
    campaign.order("Germany", "PLACE 6 Poland\nPLACE 4 Austria")
    campaign.order("France", "PLACE 6 Poland")
    first = campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    second = campaign.pass_deadline()
    game = "“The lights go out”"
    first_title = f"{game}: {first.title}"
    assert chat.titles()[:4] == [game, first_title, f"{game}: a new deadline", first_title]
    assert f"{game}: {second.title}" in chat.titles()
    shown = text(chat)
    assert second.digest in shown
    assert "GE" in shown
    assert f"/games/{campaign.game.pk}/phases/{first.number}/board.png?version=1" in shown
    assert "Scores: " in shown
    assert "made up" in shown, "a DEMO figure says so wherever it appears"
    at = [index for index, title in enumerate(chat.titles()) if title == f"{game}: {second.title}"]
    digest = next(index for index in at if second.digest in str(chat.told[index]))
    result = next(index for index in at if "board.png" in str(chat.told[index]))
    assert digest < result


def test_report_comes_before_the_deadline_of_the_next_phase(chat: Chat) -> None:
    campaign = Campaign.begin()
    heard(campaign, chat)
    first = campaign.pass_deadline()
    assert [title.split(": ", 1)[1] for title in chat.titles()[1:]] == [
        first.title,
        campaign.phase.title,
    ]


def test_pauses_and_rulings_are_announced_in_public_words(chat: Chat) -> None:
    campaign = Campaign.begin()
    heard(campaign, chat)
    desk.pause(campaign.game, "A wedding.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    desk.resume(campaign.game, "Back.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    phase = campaign.pass_deadline()
    what = {"nation": "Russia", "points": 2}
    rulings.rule(phase, "points", what, "Agreed at the table.", campaign.ada, campaign.now)
    tasks.do_all_due(campaign.now)
    shown = text(chat)
    assert "The game is paused." in shown
    assert "The game goes on." in shown
    assert "Agreed at the table." in shown
    assert "ruling 1" in shown


def test_channel_says_nothing_that_is_not_public(chat: Chat) -> None:
    """Design 8: no orders before the lock, no press, no player names, no order texts."""
    campaign = Campaign.begin(title="A quiet game")
    heard(campaign, chat)
    campaign.order("Germany", "PLACE 7 Baltic States -- for Berlin")
    tasks.do_all_due(campaign.now)
    assert "Baltic" not in text(chat)
    campaign.pass_deadline()
    shown = text(chat)
    assert "for Berlin" not in shown
    for name in ("Gustav", "Felix", "@example.org"):
        assert name not in shown


def test_private_game_only_says_that_a_report_is_out(chat: Chat) -> None:
    campaign = Campaign.begin(public=False, title="Behind closed doors")
    for kind in ("discord", "slack"):
        heard(campaign, chat, kind, f"/{kind}")
    desk.pause(campaign.game, "A wedding.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    desk.resume(campaign.game, "Back.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    campaign.order("Germany", "PLACE 6 Poland")
    campaign.pass_deadline()
    assert chat.titles() == ["Gamesmaster"] * 2 + ["A new report is out"] * 2
    shown = text(chat)
    for word in ("Behind", "Poland", "Germany", "board.png", "wedding", "Scores"):
        assert word not in shown


def test_user_text_adds_no_markup_and_mentions_nobody() -> None:
    message = NoticeText(
        "@everyone <!channel> **bold**",
        ("[here](https://evil.example) <https://evil.example|x> & `code`",),
        "https://a.example/",
    )
    discord = words._discord(message)
    assert discord["allowed_mentions"] == {"parse": []}
    assert "\\[here\\]\\(https://evil.example\\)" in discord["embeds"][0]["description"]
    slack = words._slack(message)
    assert slack["attachments"][0]["text"].startswith(
        "[here](https://evil.example) &lt;https://evil.example|x&gt; &amp;"
    )
    assert "<!channel>" not in str(slack)


def test_long_result_is_cut_to_the_limits_of_chat_programs() -> None:
    message = NoticeText("t" * 400, tuple("word " * 60 for _ in range(60)), "https://a.example/")
    for kind in Channel.Kind.values:
        assert len(words.body(kind, message)) < 6000


# --- delivery ---


def failing(campaign: Campaign, chat: Chat, *answers: int) -> Channel:
    channel = heard(campaign, chat)
    chat.told.clear()
    chat.answers = list(answers)
    channels.greet(channel, campaign.now + timedelta(minutes=2))
    return channel


def step(now: datetime) -> int:
    token, notices = delivery.claim(now)
    return delivery.send(notices, token, now)


def test_failed_notice_is_retried_after_growing_delays(chat: Chat) -> None:
    campaign = Campaign.begin()
    failing(campaign, chat, 500, 502, 204)
    now = campaign.now + timedelta(minutes=2)
    assert step(now) == 0
    assert step(now + timedelta(seconds=59)) == 0
    assert len(chat.told) == 1
    assert step(now + timedelta(minutes=1)) == 0
    assert step(now + timedelta(minutes=5, seconds=59)) == 0
    assert step(now + timedelta(minutes=6)) == 1
    assert len(chat.told) == 3


def test_retry_after_header_is_respected(chat: Chat) -> None:
    campaign = Campaign.begin()
    failing(campaign, chat, 429, 204)
    chat.headers = {"Retry-After": "600"}
    now = campaign.now + timedelta(minutes=2)
    step(now)
    assert Notice.objects.get(status="queued").due_at == now + timedelta(minutes=10)


@pytest.mark.both_databases
def test_later_notices_wait_for_a_failed_one(chat: Chat) -> None:
    """A channel gets its notices in the order of events."""
    campaign = Campaign.begin()
    failing(campaign, chat, 500, 204)
    now = campaign.now + timedelta(minutes=2)
    campaign.pass_deadline()
    assert len(chat.told) == 1 or chat.told
    sent = Notice.objects.filter(status="sent").order_by("sent_at", "written_at", "pk")
    order = list(sent.values_list("pk", flat=True))
    assert order == sorted(order)
    assert now < campaign.now


@pytest.mark.parametrize("answer", [404, 410, 401, 403])
def test_webhook_that_is_gone_is_removed_and_the_gamesmaster_notified(
    answer: int, chat: Chat
) -> None:
    campaign = Campaign.begin()
    channel = failing(campaign, chat, answer)
    campaign.pass_deadline()
    step(campaign.now)
    channel.refresh_from_db()
    assert channel.removed_at is not None
    assert channel.url == ""
    (letter,) = Letter.objects.filter(kind="channel")
    assert letter.person == campaign.ada
    assert not Notice.objects.filter(status="queued").exists()
    messages = len(chat.told)
    campaign.pass_deadline()
    assert len(chat.told) == messages


def test_channel_is_removed_after_several_failures(chat: Chat) -> None:
    campaign = Campaign.begin()
    channel = failing(campaign, chat, 500)
    now = campaign.now + timedelta(minutes=2)
    for _ in range(6):
        step(now)
        now += timedelta(hours=4)
    channel.refresh_from_db()
    assert "6 tries failed, the last because it answered with 500" in channel.removed_because
    letter = Letter.objects.get(kind="channel")

    assert "6 tries failed" in letter_text(letter)
    assert str(chat.port) not in rendering.render(letter).text


@pytest.mark.both_databases
def test_notice_is_claimed_by_one_of_two_workers(chat: Chat) -> None:
    campaign = Campaign.begin()
    failing(campaign, chat, 204)
    now = campaign.now + timedelta(minutes=2)
    first, mine = delivery.claim(now)
    second, others = delivery.claim(now)
    assert mine
    assert not others
    Notice.objects.release(mine, first)
    token, again = delivery.claim(now)
    assert again == mine
    assert delivery.send(mine, "another person's", now) == 0
    assert delivery.send(again, token, now) == 1
    assert second == ""


@pytest.mark.both_databases
def test_repeated_task_sends_no_notice_twice(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/faults.md: a queue may deliver a task five times at once."""
    campaign = Campaign.begin()
    channels.add(
        campaign.game, "discord", chat.url("/hooks/abc"), "The café", campaign.ada, campaign.now
    )
    token, mine = delivery.claim(campaign.now)
    again: list[int] = []
    post = https.post

    def meanwhile(*given: Any, **named: Any) -> Any:
        if not again:
            # the same task, delivered again while the first run is at work
            again.append(delivery.send(mine, token, campaign.now))
        return post(*given, **named)

    monkeypatch.setattr(https, "post", meanwhile)
    assert delivery.send(mine, token, campaign.now) == len(mine) == len(chat.titles())
    assert again == [0]


@pytest.mark.both_databases
def test_notices_of_a_dead_worker_are_claimed_by_the_next(chat: Chat) -> None:
    campaign = Campaign.begin()
    failing(campaign, chat, 204)
    now = campaign.now + timedelta(minutes=2)
    delivery.claim(now)
    assert delivery.claim(now + timedelta(minutes=1)) == ("", [])
    assert step(now + timedelta(minutes=10)) == 1


def test_letters_do_not_wait_for_a_channel(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = Campaign.begin()
    heard(campaign, chat)

    def broken(*given: object) -> Any:
        raise https.NoAnswerError("it did not answer in time")

    monkeypatch.setattr(https, "post", broken)
    phase = campaign.pass_deadline()
    assert phase.status == "resolved"
    assert Letter.objects.filter(kind="board", status="sent").count() == 6


# --- permissions and secrecy ---


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.org/x",
        "https://10.0.0.1/x",
        "https://user:word@a.example/",
        "nonsense",
        "",
    ],
)
def test_forbidden_address_is_refused_and_not_stored(url: str) -> None:
    campaign = Campaign.begin()
    with pytest.raises(DeskError):
        channels.add(campaign.game, "slack", url, "", campaign.ada, campaign.now)
    assert not Channel.objects.exists()


@pytest.mark.both_databases
def test_channels_of_a_game_are_limited_and_distinct() -> None:
    campaign = Campaign.begin()
    for number in range(channels.MOST):
        channels.add(campaign.game, "slack", f"{SECRET}{number}", "", campaign.ada, campaign.now)
    for url in (f"{SECRET}9", f"{SECRET}1"):
        with pytest.raises(DeskError):
            channels.add(campaign.game, "slack", url, "", campaign.ada, campaign.now)


def page(campaign: Campaign) -> str:
    return reverse("desk-channels", args=[campaign.game.pk])


@pytest.mark.parametrize(
    ("who", "status"), [("ada", 200), ("gustav", 403), ("charlie", 403), (None, 302)]
)
def test_only_the_gamesmaster_opens_the_page_of_channels(
    who: str | None, status: int, as_: Browser
) -> None:
    campaign = Campaign.begin()
    assert as_(who).get(page(campaign)).status_code == status
    assert as_(who).post(page(campaign), {"kind": "slack", "url": SECRET}).status_code == (
        302 if who in ("ada", None) else status
    )
    assert Channel.objects.exists() == (who == "ada")


def test_invalid_address_is_explained_in_a_sentence(as_: Browser) -> None:
    campaign = Campaign.begin()
    answer = as_("ada").post(page(campaign), {"kind": "slack", "url": "http://hooks.example.org/x"})
    assert answer.status_code == 400
    assert "must begin with https://" in answer.content.decode()


def test_channel_of_another_game_is_not_found(as_: Browser) -> None:
    mine, other = Campaign.begin(), Campaign.begin(title="Another")
    channel = channels.add(other.game, "slack", SECRET, "", other.ada, other.now)
    for name in ("desk-channel-greet", "desk-channel-remove"):
        assert as_("ada").post(reverse(name, args=[mine.game.pk, channel.code])).status_code == 404
        assert (
            as_("gustav").post(reverse(name, args=[other.game.pk, channel.code])).status_code == 403
        )
        assert as_("ada").get(reverse(name, args=[other.game.pk, channel.code])).status_code == 405


def test_stored_address_is_never_shown(
    as_: Browser, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a write key: in no page, letter, log, act or record. Removal deletes it."""
    caplog.set_level(logging.DEBUG)
    campaign = Campaign.begin()
    monkeypatch.setattr("socket.getaddrinfo", lambda *given, **named: [])
    as_("ada").post(page(campaign), {"kind": "slack", "url": SECRET, "label": "The café"})
    tasks.do_all_due(campaign.now)
    campaign.pass_deadline()
    of_game = f"/games/{campaign.game.pk}/"
    shown = [as_("ada").read(url) for url in (page(campaign), f"{of_game}desk/", of_game)]
    shown += [str(archive.export(campaign.game)) if hasattr(archive, "export") else ""]
    shown += Notice.objects.values_list("fault", flat=True)
    shown += [caplog.text, *Act.objects.values_list("words", flat=True)]
    shown += [str(channel) for channel in Channel.objects.all()]
    assert "The café" in shown[0]
    assert all("very-secret" not in text for text in shown)
    channel = Channel.objects.get()
    as_("ada").post(reverse("desk-channel-remove", args=[campaign.game.pk, channel.code]))
    channel.refresh_from_db()
    assert (channel.url, channel.removed_at is not None) == ("", True)


def test_new_channel_is_announced_to_all_nations() -> None:
    """No act at the desk is invisible."""
    campaign = Campaign.begin()
    channels.add(campaign.game, "slack", SECRET, "", campaign.ada, campaign.now)
    assert Act.objects.get(kind="channel").private is False


def test_idle_phase_requests_no_orders(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = Campaign.open()
    heard(campaign, chat)
    desk.start(campaign.game, campaign.now)
    monkeypatch.setattr(type(campaign.game.rules), "acting_nations", lambda self, state: ())
    token, ids = delivery.claim(campaign.now)
    delivery.send(ids, token, campaign.now)
    assert len(chat.told) == 1
    assert not Notice.objects.filter(status="queued").exists()


def test_production_service_refuses_loopback_channels(settings: Settings) -> None:
    settings.CHANNELS_LOOPBACK, settings.SITE_HOST = True, "games.example.org"
    with pytest.raises(SystemCheckError, match="CHANNELS_LOOPBACK"):
        call_command("check", "--deploy", "--tag", "serve", stderr=StringIO())


def test_end_of_a_game_is_announced_once(chat: Chat) -> None:
    campaign = Campaign.begin(now=MONDAY)
    heard(campaign, chat)
    for _ in range(40):
        if campaign.game.status == Game.Status.FINISHED:
            break
        campaign.pass_deadline()
    assert campaign.game.status == Game.Status.FINISHED
    won = [body for _, body in chat.told if " wins." in str(body) or "share the win" in str(body)]
    assert len(won) == 1
    assert len(NATIONS) == 5
    assert person("ada") == campaign.ada
