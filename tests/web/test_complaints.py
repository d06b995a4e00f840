"""Blocking a player, and reporting a letter (issue 27, 8)."""

from __future__ import annotations

import pytest
from django.urls import reverse

from games.letters import rendering
from games.models import Block, Complaint, Game, Letter, Person, Press
from games.press import conversations
from games.seats.press_rules import PressError
from tests.support.campaign import Campaign, person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db


def send(campaign: Campaign, sender: str, text: str, *, to: str = "Germany") -> Press:
    seat, by = campaign.seat(sender), campaign.players[sender]
    return conversations.send(campaign.game, seat, by, [to], text, channel="web", now=campaign.now)


def act(press: Press, what: str) -> str:
    return reverse("press-act", args=[press.game_id, press.code, what])


def letters(name: str) -> int:
    return Letter.objects.filter(kind="press", person=person(name)).count()


def test_letters_of_a_blocked_player_do_not_arrive_and_nobody_is_notified(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    first = send(campaign, "France", "Hello.")
    campaign.now = watch.pass_by(minutes=1)
    gustav, page = as_("gustav"), reverse("press", args=[campaign.game.pk])
    assert "Block this player" in gustav.read(page, {"circle": first.code})
    before = (letters("gustav"), Letter.objects.count())
    gustav.post(act(first, "block"))
    assert Letter.objects.count() == before[1], "somebody was told"
    hidden = send(campaign, "France", "You again!")
    shown = gustav.read(page, {"circle": first.code})
    assert "You again!" not in shown
    assert "Hello." in shown, "what came before stays"
    assert letters("gustav") == before[0]
    answer = gustav.get(reverse("press-write", args=[campaign.game.pk]), {"answer": hidden.code})
    assert answer.status_code == 404
    assert "You again!" in as_("felix").read(page, {"circle": hidden.code})
    assert "Block" not in as_("felix").read("/me/")
    send(campaign, "Russia", "I am another.")
    assert letters("gustav") == before[0] + 1
    block = Block.objects.get()
    assert "France in “The lights go out”" in gustav.read("/me/")
    as_("felix").post(reverse("unblock", args=[block.code]))
    assert Block.objects.exists()
    gustav.post(reverse("unblock", args=[block.code]))
    send(campaign, "France", "Peace?")
    assert letters("gustav") == before[0] + 2


def test_unsigned_letter_does_not_reveal_its_sender_by_blocking(
    as_: Browser, campaign: Campaign
) -> None:
    """The list of blocked players would name the writer of an unsigned letter."""
    own = send(campaign, "Germany", "Mine.", to="France")
    theirs = send(campaign, "France", "Not for you.", to="Russia")
    ruled = conversations.send(
        campaign.game, None, campaign.ada, ["Germany"], "Rules.", channel="web", now=campaign.now
    )
    Game.objects.update(press={"sender": "anonymous"})
    campaign.game.refresh_from_db()
    unsigned = conversations.send(
        campaign.game,
        campaign.seat("France"),
        campaign.players["France"],
        ["Germany"],
        "Guess who.",
        channel="web",
        signed=False,
        now=campaign.now,
    )
    assert as_("gustav").post(act(theirs, "block")).status_code == 404
    for press in (own, ruled, unsigned):
        as_("gustav").post(act(press, "block"))
    assert not Block.objects.exists()


def unsigned(campaign: Campaign, sender: str) -> Press:
    Game.objects.filter(pk=campaign.game.pk).update(press={"sender": "anonymous"})
    campaign.game.refresh_from_db()
    seat, by = campaign.seat(sender), campaign.players[sender]
    return conversations.send(
        campaign.game, seat, by, ["Germany"], "Who?", channel="web", signed=False, now=campaign.now
    )


def test_unsigned_letters_of_blocked_players_arrive(as_: Browser, campaign: Campaign) -> None:
    """A reader who blocks all but one player would know who writes the letters."""
    as_("gustav").post(act(send(campaign, "France", "Hello."), "block"))
    before = letters("gustav")
    press = unsigned(campaign, "France")
    assert letters("gustav") == before + 1
    page = reverse("press", args=[campaign.game.pk])
    assert "Who?" in as_("gustav").read(page, {"circle": press.code})


def test_blocking_does_not_show_who_plays_in_an_anonymous_game(
    as_: Browser, campaign: Campaign
) -> None:
    """Neither the list of blocks nor a missing letter tells that two nations are one person."""
    named = send(campaign, "France", "Hello.")
    masked = Campaign.begin(title="Masks", anonymous=True)
    gustav = as_("gustav")
    gustav.post(act(named, "block"))
    before = letters("gustav")
    hidden = send(masked, "France", "Guess who.")
    assert letters("gustav") == before + 1
    gustav.post(act(hidden, "block"))
    assert Block.objects.count() == 2
    before = letters("gustav")
    send(masked, "France", "Hello?")
    assert letters("gustav") == before
    Block.objects.get(press=named).delete()
    send(campaign, "France", "Hello again.")
    assert letters("gustav") == before + 1, "a block of the anonymous game counts there alone"


def test_live_page_does_not_name_the_writer_of_an_unsigned_letter(
    as_: Browser, campaign: Campaign
) -> None:
    gustav, path = as_("gustav"), f"/games/{campaign.game.pk}/state.json"
    seen = gustav.get(path).json()["seen"]
    unsigned(campaign, "France")
    news = gustav.get(path, {"seen": seen}).json()["news"]
    assert [entry["text"] for entry in news] == ["A nation that does not sign wrote to you."]


def test_gamesmaster_and_operator_close_reported_letters(as_: Browser, campaign: Campaign) -> None:
    root = Person.objects.create(email="root@example.org", is_superuser=True, is_staff=True)
    press = send(campaign, "France", "I know where you live.")
    campaign.game.gamesmasters.add(person("bea"))  # plays, and reads no letters of others
    gustav = as_("gustav")
    for _ in range(2):
        gustav.post(act(press, "report"), {"reason": "He <b>threatens</b> me."})
    complaint = Complaint.objects.get()
    notices = Letter.objects.filter(kind="complaint")
    assert {letter.person for letter in notices} == {campaign.ada, root}
    text = rendering.render(notices.earliest("pk")).text
    assert "I know where" not in text
    assert "threatens" in text
    queue, close = reverse("complaints"), reverse("complaint-close", args=[complaint.code])
    for name in ("bea", "felix", "gustav", "charlie"):
        assert "I know where" not in as_(name).read(queue)
        assert as_(name).post(close).status_code == 404
    shown = as_("ada").read(queue)
    assert "I know where you live." in shown
    assert "He &lt;b&gt;threatens" in shown
    as_("ada").post(close)
    assert "No reported letter is open." in as_("ada").read(queue)
    complaint.refresh_from_db()
    assert complaint.closed_by == campaign.ada


def test_new_account_sends_a_limited_number_of_letters(campaign: Campaign) -> None:
    Person.objects.filter(pk=campaign.players["France"].pk).update(joined_at=campaign.now)
    campaign.players["France"].refresh_from_db()
    for number in range(conversations.MOST_A_DAY_WHEN_NEW):
        send(campaign, "France", f"Join us! {number}")
    with pytest.raises(PressError, match="Your account is new"):
        send(campaign, "France", "Join us!")
    campaign.now += conversations.NEW_FOR
    send(campaign, "France", "Join us!")
