"""Chat channels: events, order, leases, and what nobody hears there (issue 6, 5; design 8)."""

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
from games.desk import DeskError, channels
from games.letters import rendering
from games.models import Act, Channel, Game, Letter, Notice
from games.records import archive
from games.turns import rulings
from games.webhooks import delivery, wire, words
from games.webhooks.words import Said
from tests.support.campaign import MONDAY, NATIONS, Campaign, person
from tests.web.conftest import Browser, as_, watch
from tests.webhooks.chat import Chat

__all__ = ["as_", "watch"]
pytestmark = pytest.mark.django_db
SECRET = "https://hooks.example.org/services/T0/B1/very-secret-key"


def heard(
    campaign: Campaign, chat: Chat, kind: str = "discord", path: str = "/hooks/abc"
) -> Channel:
    """A channel of the game, greeted."""
    channel = channels.add(
        campaign.game, kind, chat.url(path), "The café", campaign.ada, campaign.now
    )
    tasks.all_due(campaign.now)
    return channel


def text(chat: Chat) -> str:
    return str(chat.told)


# --- what is said ---


def test_a_channel_hears_of_deadlines_digests_and_results_in_their_order(chat: Chat) -> None:
    """Issue 6, 5: deadline announced and moved, digest at the lock, results."""
    campaign = Campaign.open()
    heard(campaign, chat)
    desk.start(campaign.game, campaign.ada, campaign.now)
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
    said = text(chat)
    assert second.digest in said
    assert "GE" in said
    assert f"/games/{campaign.game.pk}/phases/{first.number}/board.png?version=1" in said
    assert "Scores: " in said
    assert "made up" in said, "a DEMO figure says so wherever it appears"
    at = [index for index, title in enumerate(chat.titles()) if title == f"{game}: {second.title}"]
    digest = next(index for index in at if second.digest in str(chat.told[index]))
    result = next(index for index in at if "board.png" in str(chat.told[index]))
    assert digest < result


def test_the_report_comes_before_the_deadline_that_it_opens(chat: Chat) -> None:
    campaign = Campaign.begin()
    heard(campaign, chat)
    first = campaign.pass_deadline()
    assert [title.split(": ", 1)[1] for title in chat.titles()[1:]] == [
        first.title,
        campaign.phase.title,
    ]


def test_pauses_and_rulings_are_told_by_the_sentence_that_anybody_may_read(chat: Chat) -> None:
    campaign = Campaign.begin()
    heard(campaign, chat)
    desk.pause(campaign.game, "A wedding.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    desk.resume(campaign.game, "Back.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    phase = campaign.pass_deadline()
    what = {"nation": "Russia", "points": 2}
    rulings.rule(phase, "points", what, "Agreed at the table.", campaign.ada, campaign.now)
    tasks.all_due(campaign.now)
    said = text(chat)
    assert "The game is paused." in said
    assert "The game goes on." in said
    assert "Agreed at the table." in said
    assert "ruling 1" in said


def test_nothing_is_told_that_the_public_may_not_know(chat: Chat) -> None:
    """Design 8: no orders before the lock, no press, no player names, no order texts."""
    campaign = Campaign.begin(title="A quiet game")
    heard(campaign, chat)
    campaign.order("Germany", "PLACE 7 Baltic States -- for Berlin")
    tasks.all_due(campaign.now)
    assert "Baltic" not in text(chat)
    campaign.pass_deadline()
    said = text(chat)
    assert "for Berlin" not in said
    for name in ("Gustav", "Felix", "@example.org"):
        assert name not in said


def test_a_private_game_says_only_that_a_report_is_out(chat: Chat) -> None:
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
    said = text(chat)
    for word in ("Behind", "Poland", "Germany", "board.png", "wedding", "Scores"):
        assert word not in said


def test_whatever_people_write_marks_nothing_up_and_calls_nobody() -> None:
    said = Said(
        "@everyone <!channel> **bold**",
        ("[here](https://evil.example) <https://evil.example|x> & `code`",),
        "https://a.example/",
    )
    discord = words._discord(said)
    assert discord["allowed_mentions"] == {"parse": []}
    assert "\\[here\\]\\(https://evil.example\\)" in discord["embeds"][0]["description"]
    slack = words._slack(said)
    assert slack["attachments"][0]["text"].startswith(
        "[here](https://evil.example) &lt;https://evil.example|x&gt; &amp;"
    )
    assert "<!channel>" not in str(slack)


def test_a_long_result_is_cut_to_what_the_programs_take() -> None:
    said = Said("t" * 400, tuple("word " * 60 for _ in range(60)), "https://a.example/")
    for kind in Channel.Kind.values:
        assert len(words.body(kind, said)) < 6000


# --- how it gets out ---


def failing(campaign: Campaign, chat: Chat, *answers: int) -> Channel:
    channel = heard(campaign, chat)
    chat.told.clear()
    chat.answers = list(answers)
    channels.greet(channel, campaign.now + timedelta(minutes=2))
    return channel


def step(now: datetime) -> int:
    token, notices = delivery.claim(now)
    return delivery.send(notices, token, now)


def test_a_channel_that_does_not_answer_is_tried_again_later_and_later(chat: Chat) -> None:
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


def test_a_channel_says_how_long_it_wants_to_be_left_alone(chat: Chat) -> None:
    campaign = Campaign.begin()
    failing(campaign, chat, 429, 204)
    chat.headers = {"Retry-After": "600"}
    now = campaign.now + timedelta(minutes=2)
    step(now)
    assert Notice.objects.get(status="queued").due_at == now + timedelta(minutes=10)


def test_later_notices_wait_behind_one_that_failed(chat: Chat) -> None:
    """A channel hears of things in the order in which they happened."""
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
def test_a_webhook_that_is_gone_is_removed_and_the_gamesmaster_told(
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
    told = len(chat.told)
    campaign.pass_deadline()
    assert len(chat.told) == told


def test_after_several_failures_a_channel_is_given_up(chat: Chat) -> None:
    campaign = Campaign.begin()
    channel = failing(campaign, chat, 500)
    now = campaign.now + timedelta(minutes=2)
    for _ in range(6):
        step(now)
        now += timedelta(hours=4)
    channel.refresh_from_db()
    assert "6 tries failed, the last because it answered with 500" in channel.removed_because
    letter = Letter.objects.get(kind="channel")

    assert "6 tries failed" in " ".join(rendering.render(letter).text.split())
    assert str(chat.port) not in rendering.render(letter).text


def test_of_two_workers_each_notice_goes_to_one(chat: Chat) -> None:
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


def test_a_task_that_is_delivered_twice_tells_nothing_twice(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/faults.md: a queue may deliver a task five times at once."""
    campaign = Campaign.begin()
    channels.add(
        campaign.game, "discord", chat.url("/hooks/abc"), "The café", campaign.ada, campaign.now
    )
    token, mine = delivery.claim(campaign.now)
    again: list[int] = []
    post = wire.post

    def meanwhile(*given: Any, **named: Any) -> Any:
        if not again:
            again.append(
                delivery.send(mine, token, campaign.now)
            )  # the same task, come once more while the first is at work
        return post(*given, **named)

    monkeypatch.setattr(wire, "post", meanwhile)
    assert delivery.send(mine, token, campaign.now) == len(mine) == len(chat.titles())
    assert again == [0]


def test_a_worker_that_died_leaves_its_notices_to_the_next(chat: Chat) -> None:
    campaign = Campaign.begin()
    failing(campaign, chat, 204)
    now = campaign.now + timedelta(minutes=2)
    delivery.claim(now)
    assert delivery.claim(now + timedelta(minutes=1)) == ("", [])
    assert step(now + timedelta(minutes=10)) == 1


def test_no_letter_waits_for_a_channel(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = Campaign.begin()
    heard(campaign, chat)

    def broken(*given: object) -> Any:
        raise wire.Unreached("it did not answer in time")

    monkeypatch.setattr(wire, "post", broken)
    phase = campaign.pass_deadline()
    assert phase.status == "resolved"
    assert Letter.objects.filter(kind="board", status="sent").count() == 6


# --- whose, and kept from whom ---


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
def test_an_address_that_may_not_be_asked_is_not_kept(url: str) -> None:
    campaign = Campaign.begin()
    with pytest.raises(DeskError):
        channels.add(campaign.game, "slack", url, "", campaign.ada, campaign.now)
    assert not Channel.objects.exists()


def test_a_game_has_only_so_many_channels_and_each_once() -> None:
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
def test_only_the_gamesmaster_opens_the_page(who: str | None, status: int, as_: Browser) -> None:
    campaign = Campaign.begin()
    assert as_(who).get(page(campaign)).status_code == status
    assert as_(who).post(page(campaign), {"kind": "slack", "url": SECRET}).status_code == (
        302 if who in ("ada", None) else status
    )
    assert Channel.objects.exists() == (who == "ada")


def test_what_is_typed_in_wrongly_is_said_in_a_sentence(as_: Browser) -> None:
    campaign = Campaign.begin()
    answer = as_("ada").post(page(campaign), {"kind": "slack", "url": "http://hooks.example.org/x"})
    assert answer.status_code == 400
    assert "must begin with https://" in answer.content.decode()


def test_a_channel_of_another_game_is_not_there(as_: Browser) -> None:
    mine, other = Campaign.begin(), Campaign.begin(title="Another")
    channel = channels.add(other.game, "slack", SECRET, "", other.ada, other.now)
    for name in ("desk-channel-greet", "desk-channel-remove"):
        assert as_("ada").post(reverse(name, args=[mine.game.pk, channel.pk])).status_code == 404
        assert (
            as_("gustav").post(reverse(name, args=[other.game.pk, channel.pk])).status_code == 403
        )
        assert as_("ada").get(reverse(name, args=[other.game.pk, channel.pk])).status_code == 405


def test_the_address_is_shown_to_nobody_once_it_is_kept(
    as_: Browser, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a write key: in no page, letter, log, act or record; removal forgets it."""
    caplog.set_level(logging.DEBUG)
    campaign = Campaign.begin()
    monkeypatch.setattr("socket.getaddrinfo", lambda *given, **named: [])
    as_("ada").post(page(campaign), {"kind": "slack", "url": SECRET, "label": "The café"})
    tasks.all_due(campaign.now)
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
    as_("ada").post(reverse("desk-channel-remove", args=[campaign.game.pk, channel.pk]))
    channel.refresh_from_db()
    assert (channel.url, channel.removed_at is not None) == ("", True)


def test_every_nation_hears_that_there_is_a_channel() -> None:
    """Nothing done at the desk is invisible."""
    campaign = Campaign.begin()
    channels.add(campaign.game, "slack", SECRET, "", campaign.ada, campaign.now)
    assert Act.objects.get(kind="channel").private is False


def test_nobody_acts_in_a_phase_nobody_is_asked_for_orders(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign.open()
    heard(campaign, chat)
    monkeypatch.setattr(words, "_somebody_acts", lambda phase: False)
    desk.start(campaign.game, campaign.ada, campaign.now)
    tasks.all_due(campaign.now)
    assert len(chat.told) == 1
    assert not Notice.objects.filter(status="queued").exists()


def test_a_service_for_real_does_not_start_with_channels_on_its_own_machine(
    settings: Settings,
) -> None:
    settings.CHANNELS_LOOPBACK, settings.SITE_HOST = True, "games.example.org"
    with pytest.raises(SystemCheckError, match="CHANNELS_LOOPBACK"):
        call_command("check", "--deploy", "--tag", "serve", stderr=StringIO())


def test_a_finished_game_and_all_its_nations_are_told_once(chat: Chat) -> None:
    campaign = Campaign.begin(now=MONDAY)
    heard(campaign, chat)
    for _ in range(40):
        if campaign.game.status == Game.Status.FINISHED:
            break
        campaign.pass_deadline()
    assert campaign.game.status == Game.Status.FINISHED
    won = [body for _, body in chat.told if "has won" in str(body) or "share the win" in str(body)]
    assert len(won) == 1
    assert len(NATIONS) == 5
    assert person("ada") == campaign.ada
