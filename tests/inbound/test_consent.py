"""Confirming seats, messages and addresses by replying to a letter, without a page (issue 4)."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from games import desk
from games.accounts import addresses, tokens
from games.desk import addresses as desk_addresses
from games.desk import times
from games.letters import headers, rendering
from games.models import Address, Game, Invitation, Letter, Person
from orders.inbound import handle
from orders.inbound.identity import limits
from orders.models import Handling, Submission
from tests.inbound.writing import answers, send, written
from tests.support.campaign import MONDAY, PLAYERS, Campaign, person
from tests.support.letters import letter_text
from tests.support.opening import open_game

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
Status = Handling.Status


@pytest.fixture(autouse=True)
def _mail_in(settings: Settings) -> None:
    settings.MAIL_IN = True


def opened(*, starts_when_full: bool = True) -> Game:
    """Open a game with five seats offered by letter."""
    return open_game(
        person("ada"),
        MONDAY,
        title="The lights go out",
        ruleset_id="origins-ww2",
        card_name="historical",
        options={"rng.settle": "first_reading"},
        schedule={"every": "minutes", "minutes": 60},
        zone="America/New_York",
        market="demo",
        reserves=None,
        seats={nation: f"{name}@example.org" for nation, name in PLAYERS.items()},
        may_lock_early=False,
        public=True,
        starts_when_full=starts_when_full,
    )


def where(letter: Letter) -> str:
    """Return the reply address of a letter."""
    return headers.reply_to(letter, MONDAY)


def invitation_to(name: str) -> Letter:
    return Letter.objects.get(kind="invitation", address=f"{name}@example.org")


def reply(letter: Letter, text: str, sender: str, *, minutes: int = 1, **more: str) -> Handling:
    """Reply to a letter as `sender`. Return the handled message."""
    now = MONDAY + timedelta(minutes=minutes)
    raw = written(sender, where(letter), text, **more)
    plain = re.sub(r".*<|>.*", "", sender)
    mail = handle.take_in(
        raw, way="lmtp", envelope_from=plain, envelope_to=[where(letter)], now=now
    )
    return Handling.objects.get(mail=mail)


def answer_text(name: str) -> str:
    """Return the text of the newest answer to a person."""
    letters = Letter.objects.filter(
        address=f"{name}@example.org",
        kind__in=(*limits.TO_PROVEN, *limits.TO_ANYBODY, *limits.QUESTIONS),
    )
    return letter_text(letters.latest("pk"))


# --- invitations ---


def test_reply_to_an_invitation_takes_the_seat(settings: Settings) -> None:
    game = opened()
    row = reply(invitation_to("rosa"), "Accept.\n\nRosa\n", "Rosa Luxem <rosa@example.org>")
    assert (row.status, row.kind) == (Status.DONE, "invitation")
    seat = game.seats.get(nation="Russia")
    assert seat.sittings.get(until=None).person == person("rosa")
    assert person("rosa").name == "Rosa Luxem"
    letter = answers("rosa")[-1]
    assert letter.kind == "word"
    assert letter.in_reply_to == row.mail.message_id
    assert "You play Russia in “The lights go out”" in answer_text("rosa")
    assert "Deadlines come" in answer_text("rosa")
    assert "one order per line" in answer_text("rosa")


@pytest.mark.parametrize(
    ("sender", "name"),
    [
        ("rosa@example.org", "Rosa L"),
        ("Rosa Luxem <rosa@example.org>", "Rosa Luxem"),
        ('"rosa@example.org" <rosa@example.org>', "Rosa L"),
    ],
)
def test_name_given_by_the_gamesmaster_counts_where_the_mail_has_none(
    sender: str, name: str
) -> None:
    """Issue 43: the gamesmaster's name is shown until the person takes one; the answer tells it."""
    opened()
    Invitation.objects.filter(email="rosa@example.org").update(name="Rosa L")
    reply(invitation_to("rosa"), "Accept.", sender)
    assert Person.objects.get(email="rosa@example.org").name == name
    assert f"The others know you as “{name}”." in answer_text("rosa")


@pytest.mark.parametrize(
    "text", ["ACCEPT", "yes", "I accept!", "Yes, I accept.", "*ACCEPT*", "Hi Ada,\n\nYes\n\nBea"]
)
def test_acceptance_is_read_in_many_forms(text: str) -> None:
    opened()
    reply(invitation_to("bea"), text, "bea@example.org")
    assert Invitation.objects.get(email="bea@example.org").accepted_at is not None


def test_last_acceptance_by_mail_begins_the_game() -> None:
    """A new account reads the times of the game; one that has a zone keeps it."""
    game = opened()
    Person.objects.create(email="rosa@example.org", zone="Asia/Tokyo")
    for name in PLAYERS.values():
        reply(invitation_to(name), "ACCEPT", f"{name}@example.org")
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING
    # The answer to the last of the five has the first deadline.
    assert "Turn 1 placement: you can send orders until" in " ".join(answer_text("gustav").split())
    assert Letter.objects.filter(kind="opened").count() == 6
    assert "New York time" in answer_text("gustav")
    assert Person.objects.get(email="gustav@example.org").zone == game.zone
    assert Person.objects.get(email="rosa@example.org").zone == "Asia/Tokyo"


def test_acceptance_of_a_seat_says_what_the_game_waits_for() -> None:
    """In a paused game it said “The game begins once every seat is taken”, and named a deadline
    that was over."""
    campaign = Campaign.begin()
    seat = campaign.seat("Russia")
    desk.replace(seat, "zoe@example.org", "Away.", campaign.ada, campaign.now)
    times.pause(campaign.game, "A holiday.", campaign.ada, campaign.now)
    reply(invitation_to("zoe"), "ACCEPT", "zoe@example.org")
    words = " ".join(answer_text("zoe").split())
    assert "until a date to be announced, because the game is paused." in words
    assert "begins once every seat is taken" not in words


@pytest.mark.parametrize(
    "text",
    [
        "I would love to, but what does it cost?",
        "ACCEPT\nDECLINE",
        "> ACCEPT",
        "yes but only with Felix",
    ],
)
def test_unclear_reply_to_an_invitation_takes_no_seat(text: str) -> None:
    opened()
    reply(invitation_to("bea"), text, "bea@example.org")
    assert Invitation.objects.get(email="bea@example.org").accepted_at is None
    assert "ACCEPT to take the seat" in answer_text("bea")


@pytest.mark.parametrize(
    ("starts_when_full", "told"),
    [(True, "The game begins once"), (False, "The gamesmaster starts the game once")],
)
def test_acceptance_says_who_begins_the_game(starts_when_full: bool, told: str) -> None:
    opened(starts_when_full=starts_when_full)
    reply(invitation_to("bea"), "ACCEPT", "bea@example.org")
    assert f"{told} every seat is taken" in " ".join(answer_text("bea").split())


@pytest.mark.parametrize("first", ["Accept, with pleasure!", "DECLINE"])
def test_reply_to_the_answer_about_an_invitation_takes_the_seat(first: str) -> None:
    """It went to the address of a player of the game: “You have no seat in this game any more”."""
    opened()
    reply(invitation_to("bea"), first, "bea@example.org")
    answer = Letter.objects.get(kind="word", address="bea@example.org")
    assert "one word ACCEPT" in letter_text(answer)
    assert "You play this game" not in letter_text(answer), "not yet"
    row = reply(answer, "Accept.\n\nBea", "bea@example.org", minutes=2)
    assert row.words == "You play Britain."
    assert Invitation.objects.get(email="bea@example.org").accepted_at is not None


def test_decline_notifies_the_gamesmaster_once_and_keeps_the_invitation() -> None:
    opened()
    for minute in (1, 2):
        reply(invitation_to("bea"), "DECLINE", "bea@example.org", minutes=minute)
    assert Invitation.objects.get(email="bea@example.org").is_open
    (letter,) = Letter.objects.filter(kind="declined")
    assert letter.address == "ada@example.org"
    rendered = rendering.render(letter)
    assert "bea@example.org declined to play Britain" in " ".join(rendered.text.split())
    assert "declined to play" in rendered.html
    assert "stays open until it is withdrawn" in answer_text("bea")


def test_acceptance_from_another_address_must_be_confirmed_by_the_invitee() -> None:
    """Letters are forwarded: the key alone must not seat a person who was not invited."""
    game = opened()
    row = reply(invitation_to("bea"), "ACCEPT", "stranger@example.net")
    assert row.status == Status.UNCONFIRMED
    assert not Letter.objects.filter(address="stranger@example.net").exists()
    asks = answers("bea")[-1]
    assert asks.kind == "confirm"
    reply(asks, "CONFIRM", "bea@example.org", minutes=2)
    row.refresh_from_db()
    assert row.status == Status.DONE
    assert game.seats.get(nation="Britain").sittings.get(until=None).person == person("bea")
    assert "You play Britain in “The lights go out”" in answer_text("bea")
    assert person("bea").name == ""  # not the stranger's


def test_reply_to_a_withdrawn_or_used_invitation_is_answered_so() -> None:
    opened()
    desk.withdraw(Invitation.objects.get(email="bea@example.org"), MONDAY)
    reply(invitation_to("bea"), "ACCEPT", "bea@example.org")
    assert "no longer valid" in answer_text("bea")
    for minute in (1, 2):
        reply(invitation_to("rosa"), "ACCEPT", "rosa@example.org", minutes=minute)
    assert "has been accepted before" in answer_text("rosa")


def test_out_of_office_reply_takes_no_seat() -> None:
    """RFC 3834: an automatic reply does not count, whatever it quotes."""
    opened()
    row = reply(invitation_to("bea"), "YES\n", "bea@example.org", Auto_Submitted="auto-replied")
    assert row.status == Status.IGNORED
    assert not Letter.objects.filter(kind="word").exists()
    # The key says which game it is about, though the invited person has no account yet.
    assert row.game == invitation_to("bea").game
    assert [letter.address for letter in Letter.objects.filter(kind="mailaside")] == [
        "ada@example.org"
    ]


@pytest.mark.parametrize(
    "header", [{"Feedback-ID": "i1:Fastmail"}, {"X-Auto-Response-Suppress": "All"}]
)
def test_acceptance_counts_whatever_a_header_says_about_handling(header: dict[str, Any]) -> None:
    opened()
    row = reply(invitation_to("bea"), "ACCEPT\n", "bea@example.org", **header)
    assert (row.status, row.kind) == (Status.DONE, "invitation")
    assert Invitation.objects.get(email="bea@example.org").accepted_at is not None


def test_guessed_or_misused_key_has_no_effect() -> None:
    opened()
    letter = invitation_to("bea")
    own = where(letter)
    for other in (
        own.replace("+i", "+c"),
        own.replace("+i", "+a"),
        own[:-13] + "x" + own[-12:],
        where(invitation_to("rosa")).replace("+i", "+i9"),
    ):
        raw = written("bea@example.org", other, "ACCEPT")
        handle.take_in(
            raw, way="lmtp", envelope_from="bea@example.org", envelope_to=[other], now=MONDAY
        )
    assert not Invitation.objects.exclude(accepted_at=None).exists()
    assert tokens.invitation_token(Invitation.objects.get(email="bea@example.org")) not in own


def test_invitation_offers_a_reply_only_with_incoming_mail(
    settings: Settings,
) -> None:
    opened()
    text = rendering.render(invitation_to("bea")).text
    assert text.startswith("=== Write above this line ===")
    assert "\n    ACCEPT\n" in text
    settings.MAIL_IN = False
    text = rendering.render(invitation_to("bea")).text
    assert "ACCEPT" not in text
    assert "Read more and take the seat" in " ".join(text.split())


# --- unconfirmed messages and further addresses ---


def test_reply_confirms_a_message_which_is_obeyed_once() -> None:
    """The answer goes to the reply with CONFIRM: every message gets exactly one answer."""
    campaign = Campaign.begin()
    waits = send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    (asks,) = answers("gustav")
    row = reply(asks, "Confirm\n", "gustav@example.org")
    waits.refresh_from_db()
    assert waits.status == Status.DONE
    assert Submission.objects.get().counts
    question, answer = answers("gustav")
    assert (question.in_reply_to, answer.in_reply_to) == (
        waits.mail.message_id,
        row.mail.message_id,
    )
    assert row.answer == answer
    reply(asks, "CONFIRM", "gustav@example.org", minutes=2)
    assert Submission.objects.count() == 1
    assert "has been decided about" in answer_text("gustav")


def test_reply_disowns_a_message() -> None:
    campaign = Campaign.begin()
    waits = send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    reply(answers("gustav")[0], "Not mine!", "gustav@example.org")
    waits.refresh_from_db()
    assert waits.status == Status.REFUSED
    assert not Submission.objects.exists()
    assert "but it changes nothing" in answer_text("gustav")


def test_stranger_cannot_confirm_their_own_mail() -> None:
    campaign = Campaign.begin()
    waits = send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    reply(answers("gustav")[0], "CONFIRM", "mallory@example.net")
    waits.refresh_from_db()
    assert waits.status == Status.UNCONFIRMED
    assert not Submission.objects.exists()
    assert not Letter.objects.filter(address="mallory@example.net").exists()
    told = " ".join(answer_text("gustav").split())
    assert "“mallory@example.net”, which is not one of your addresses." in told


def test_orders_in_reply_to_a_confirmation_request_count() -> None:
    """A person who replies with orders instead of the one word means them."""
    campaign = Campaign.begin()
    send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    reply(answers("gustav")[0], "PLACE 4 Austria\n", "gustav@example.org")
    assert Submission.objects.get().text == "PLACE 4 Austria"


def test_confirm_always_adds_the_address_after_a_reply_from_it() -> None:
    campaign = Campaign.begin()
    gustav = campaign.players["Germany"]
    send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    reply(answers("gustav")[0], "CONFIRM ALWAYS", "gustav@example.org")
    assert Submission.objects.count() == 1
    assert not addresses.belongs(gustav, "gustav@example.net")
    asks = Letter.objects.get(kind="address")
    assert asks.address == "gustav@example.net"
    reply(asks, "CONFIRM", "mallory@example.net", minutes=2)
    assert not addresses.belongs(gustav, "gustav@example.net")
    reply(asks, "CONFIRM", "gustav@example.net", minutes=3)
    assert addresses.belongs(gustav, "gustav@example.net")
    row = send(campaign, "Germany", "PLACE 4 Austria\n", sender="gustav@example.net")
    assert row.status == Status.DONE
    assert Submission.objects.count() == 2


def test_reply_disowns_an_address() -> None:
    desk_addresses.add(person("rosa"), "someone@example.net", MONDAY)
    reply(Letter.objects.get(kind="address"), "NOT MINE", "someone@example.net")
    assert Address.objects.get().removed_at is not None
    assert Letter.objects.filter(address="someone@example.net", kind="word").exists()


def test_reply_to_the_answer_about_an_address_confirms_it() -> None:
    """It went to the service's general address, which answers nobody without a proven address."""
    desk_addresses.add(person("rosa"), "someone@example.net", MONDAY)
    reply(Letter.objects.get(kind="address"), "Yes, that is me", "someone@example.net")
    answer = Letter.objects.get(kind="word", address="someone@example.net")
    assert "Answer once more" in letter_text(answer)
    reply(answer, "CONFIRM", "someone@example.net", minutes=2)
    assert Address.objects.get().confirmed_at is not None


def test_confirmation_requests_name_the_word_to_reply(
    settings: Settings,
) -> None:
    campaign = Campaign.begin()
    send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    desk_addresses.add(person("rosa"), "rosa@example.net", MONDAY)
    for letter in (answers("gustav")[0], Letter.objects.get(kind="address")):
        rendered = rendering.render(letter)
        assert "\n    CONFIRM\n" in rendered.text
        assert "<strong>CONFIRM</strong>" in rendered.html
        assert "order lines alone" not in rendered.text
