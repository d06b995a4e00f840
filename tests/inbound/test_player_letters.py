"""Answers to another player's letter are neither sent nor read as orders before their sender says
which they are (design 6: it is settled in answer to what a message was written)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from games.base import clock
from games.letters import headers, rendering
from games.models import Letter, Phase, Press, Sitting
from games.positions import in_force
from games.press import conversations, deals
from orders.inbound import handle, queue
from orders.models import Handling, Submission
from tests.inbound import test_webhook
from tests.inbound.test_lmtp import Running
from tests.inbound.writing import address_of, answers, hand_in, written
from tests.support.campaign import PLAYERS, Campaign, person
from tests.support.letters import letter_text
from tests.support.processes import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
Status = Handling.Status
PROSE = "Hello Russia,\nI place 5 in Poland.\nGustav"
IN_FORCE = "PLACE 4 Austria"


@pytest.fixture(autouse=True)
def _mail_in(settings: Settings) -> None:
    settings.MAIL_IN = True


@pytest.fixture
def campaign(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Begin a game in which Germany has orders in force."""
    monkeypatch.setattr(clock, "now", lambda: campaign.now + timedelta(minutes=1))
    campaign.order("Germany", IN_FORCE)
    return campaign


def letter_from(campaign: Campaign, nation: str | None, *to: str, **how: Any) -> Letter:
    """Write a letter as a nation or the gamesmaster. Return Germany's copy."""
    press = conversations.send(
        campaign.game,
        campaign.seat(nation) if nation else None,
        campaign.players[nation] if nation else campaign.ada,
        to or ("Germany",),
        how.pop("text", "Where do you place?\n\nPLACE 9 Italy"),
        channel=Press.Channel.WEB,
        now=campaign.now,
        **how,
    )
    return Letter.objects.get(about__press=press.pk, person=campaign.players["Germany"])


def reply(
    campaign: Campaign,
    letter: Letter,
    text: str,
    *,
    nation: str = "Germany",
    to: str = "",
    minutes: int = 1,
    sender: str = "",
    fields: Mapping[str, str] | None = None,
) -> Handling:
    """Answer a letter as a mail program does, by LMTP. Return the handled message."""
    to = to or headers.reply_to(letter, campaign.now)
    if fields is None:
        fields = {"In_Reply_To": letter.message_id, "References": letter.message_id}
    sender = sender or f"{PLAYERS[nation]}@example.org"
    subject = f"Re: {rendering.render(letter).subject}"
    raw = written(sender, to, text, subject=subject, **fields)
    at = campaign.now + timedelta(minutes=minutes)
    return hand_in(campaign, raw, to, sender=sender, at=at)


def question() -> Letter:
    """Return the newest question what a message is."""
    return Letter.objects.filter(kind="choice").latest("pk")


def quoted(letter: Letter) -> str:
    """Return a letter as a mail program quotes it."""
    text = rendering.render(letter).text
    return "On Monday, Gamesmaster wrote:\n" + "".join(f"> {line}\n" for line in text.split("\n"))


def orders_of_germany(campaign: Campaign) -> str:
    return in_force.in_force(campaign.phase)["Germany"].text


def is_asked(campaign: Campaign, row: Handling) -> bool:
    """Return whether a message was neither sent nor obeyed, and its sender was asked, once."""
    asked = row.status == Status.UNCONFIRMED and row.kind == Handling.CHOICE
    kinds = [letter.kind for letter in Letter.objects.filter(answers_mail=row)]
    assert kinds == (["choice"] if asked else [row.answer.kind] if row.answer else [])
    if asked:
        assert orders_of_germany(campaign) == IN_FORCE
        assert not Press.objects.filter(seat__nation="Germany").exists()
    return asked


# --- which letter a message answers ---


def by_lmtp(campaign: Campaign, raw: bytes, to: str) -> None:
    with Running(f"127.0.0.1:{free_port()}") as server, server.client() as client:
        assert client.sendmail("gustav@example.org", [to], raw) == {}


def by_webhook(campaign: Campaign, raw: bytes, to: str) -> None:
    body = {
        "OriginalRecipient": to,
        "MessageStream": "inbound",
        "RawEmail": raw.decode(),
        "Headers": [{"Name": "Return-Path", "Value": "<gustav@example.org>"}],
    }
    assert test_webhook.post("inbound", body) == 200


def by_pipe(campaign: Campaign, raw: bytes, to: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
        call_command("receivemail", recipient=to, sender="gustav@example.org")


@pytest.fixture
def provider(settings: Settings) -> Iterator[None]:
    yield from test_webhook._provider.__wrapped__(settings)  # type: ignore[attr-defined]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("deliver", [by_lmtp, by_webhook, by_pipe])
def test_answer_to_a_player_changes_nothing_by_any_way_in(
    campaign: Campaign, deliver: Any, provider: None
) -> None:
    letter = letter_from(campaign, "Russia")
    to = headers.reply_to(letter, campaign.now)
    raw = written("gustav@example.org", to, PROSE, In_Reply_To=letter.message_id)
    deliver(campaign, raw, to)
    row = Handling.objects.select_related("answer", "mail").get()
    assert is_asked(campaign, row)
    assert bytes(row.mail.raw).replace(b"\r\n", b"\n").rstrip() == raw.rstrip()


@pytest.mark.parametrize("text", [PROSE, "PLACE 5 Poland", "Thank you!", "How are you?", "Gladly."])
@pytest.mark.parametrize("shape", ["{0}", "{0}\n\n{1}", "{1}\n\n{0}", "{0}\n\n-- \nHans Maier\n"])
def test_answer_to_a_player_is_asked_wherever_the_quotation_is(
    campaign: Campaign, text: str, shape: str
) -> None:
    letter = letter_from(campaign, "Russia")
    assert is_asked(campaign, reply(campaign, letter, shape.format(text, quoted(letter))))
    asks = question()
    assert asks.about["lines"] == text.split("\n")
    assert (asks.address, asks.secret) == ("gustav@example.org", True)
    said = rendering.render(asks)
    assert said.subject == "[The lights go out] A letter to Russia, or your orders?"
    for part in (" ".join(said.text.split()), said.html):
        assert "You answered a letter from Russia without a command" in part
        assert "?choice=send" in part
        assert "?choice=orders" in part
        assert "neither sent nor read as orders; orders that you sent before" in part


@pytest.mark.parametrize("threading", ["In_Reply_To", "References", "References and others"])
def test_either_header_names_the_answered_letter(campaign: Campaign, threading: str) -> None:
    """RFC 5322, 3.6.4: mail programs write In-Reply-To, References, or both."""
    letter = letter_from(campaign, "Russia")
    names = letter.message_id
    if threading == "References and others":
        names = f"<circle@example.org> {letter.message_id} <own-earlier-answer@example.org>"
    row = reply(campaign, letter, PROSE, fields={threading.partition(" ")[0]: names})
    assert is_asked(campaign, row)


def test_subject_names_the_letter_if_a_mail_program_wrote_neither_header(
    campaign: Campaign,
) -> None:
    letter = letter_from(campaign, "Russia")
    subject = rendering.render(letter).subject
    assert subject == "[The lights go out] Russia and Germany"
    Letter.objects.filter(pk=letter.pk).update(subject=subject)  # as when it was sent
    assert is_asked(campaign, reply(campaign, letter, PROSE, fields={}))
    assert question().about["addressees"] == "Russia"
    reply(campaign, question(), "SEND", minutes=2)
    assert Press.objects.get(seat__nation="Germany").to == ["Russia"]


def test_choice_from_another_address_sends_nothing(campaign: Campaign) -> None:
    """The key of a question that was forwarded must not speak for its reader."""
    assert is_asked(campaign, reply(campaign, letter_from(campaign, "Russia"), PROSE))
    reply(campaign, question(), "SEND", sender="mallory@example.net", minutes=2)
    assert not Press.objects.filter(seat__nation="Germany").exists()
    told = " ".join(letter_text(Letter.objects.latest("pk")).split())
    assert "“mallory@example.net”, which is not one of your addresses." in told
    reply(campaign, question(), "SEND", minutes=3)
    assert Press.objects.get(seat__nation="Germany").to == ["Russia"]


@pytest.mark.parametrize(
    "subject",
    [
        "[The lights go out] Russia and Germany",
        "Re: [The lights go out] Russia",
        "Re: [The lights go out] Turn 1 placement",
        "Orders",
    ],
)
def test_new_message_is_orders(campaign: Campaign, subject: str) -> None:
    """Near miss: it answers no letter, whatever letters have come before."""
    letter = letter_from(campaign, "Russia")
    sent = "[The lights go out] Russia and Germany"
    Letter.objects.filter(pk=letter.pk).update(subject=sent)
    to = headers.reply_to(letter, campaign.now)
    raw = written("gustav@example.org", to, "PLACE 5 Poland", subject=subject)
    at = campaign.now + timedelta(minutes=1)
    assert not is_asked(campaign, hand_in(campaign, raw, to, at=at))
    assert orders_of_germany(campaign) == "PLACE 5 Poland"


def test_answers_to_letters_of_the_service_are_orders(campaign: Campaign) -> None:
    """Near miss: the letter that opened the phase, also in a thread with a player's letter."""
    opened = campaign.letters("opened", "gustav")[-1]
    row = reply(campaign, opened, "PLACE 5 Poland")
    assert not is_asked(campaign, row)
    assert orders_of_germany(campaign) == "PLACE 5 Poland"
    press = letter_from(campaign, "Russia")
    receipt = row.answer
    assert receipt is not None
    fields = {
        "In_Reply_To": receipt.message_id,
        "References": f"{press.message_id} {receipt.message_id}",
    }
    assert not is_asked(campaign, reply(campaign, receipt, "PLACE 6 Poland", fields=fields))
    assert orders_of_germany(campaign) == "PLACE 6 Poland"


def test_letter_of_another_reader_is_not_the_one_answered(campaign: Campaign) -> None:
    """Near miss: a Message-ID that Germany never got proves nothing."""
    letter_from(campaign, "Russia", "Germany", "France")
    theirs = campaign.letters("press", "felix")[-1]
    own = address_of(campaign, "Germany")
    reply(campaign, theirs, "PLACE 5 Poland", to=own, fields={"In_Reply_To": theirs.message_id})
    assert orders_of_germany(campaign) == "PLACE 5 Poland"


def test_message_without_words_of_its_own_is_not_asked(campaign: Campaign) -> None:
    letter = letter_from(campaign, "Russia")
    row = reply(campaign, letter, quoted(letter))
    assert not is_asked(campaign, row)
    assert orders_of_germany(campaign) == IN_FORCE


def test_orders_in_the_subject_of_an_answer_to_a_player_are_asked(campaign: Campaign) -> None:
    letter = letter_from(campaign, "Russia")
    to = headers.reply_to(letter, campaign.now)
    subject = "Re: PLACE 5 Poland"
    raw = written("gustav@example.org", to, "\n", subject=subject, In_Reply_To=letter.message_id)
    assert is_asked(campaign, hand_in(campaign, raw, to))
    assert question().about["lines"] == ["PLACE 5 Poland"]


# --- commands ---


@pytest.mark.parametrize("text", ["PLACE 5 Poland\nFINAL", "CANCEL\nPLACE 5 Poland"])
def test_command_about_orders_makes_lines_orders(campaign: Campaign, text: str) -> None:
    reply(campaign, letter_from(campaign, "Russia"), text)
    assert orders_of_germany(campaign) == "PLACE 5 Poland"
    assert not Letter.objects.filter(kind="choice").exists()


@pytest.mark.parametrize(
    ("text", "to"),
    [("REPLY\nGladly.\nEND", ["Russia"]), ("PRESS TO France\nGladly.\nEND", ["France"])],
)
def test_letter_with_heading_and_end_is_sent_at_once(
    campaign: Campaign, text: str, to: list[str]
) -> None:
    reply(campaign, letter_from(campaign, "Russia"), text)
    press = Press.objects.get(seat__nation="Germany")
    assert (press.to, press.text) == (to, "Gladly.")
    assert orders_of_germany(campaign) == IN_FORCE


@pytest.mark.parametrize("text", ["STATUS", "ORDERS", "VOTE DRAW", "SET RECEIPTS OFF", "HELP"])
def test_other_commands_do_what_they_say_and_lines_beside_them_are_left_aside(
    campaign: Campaign, text: str
) -> None:
    letter = letter_from(campaign, "Russia")
    row = reply(campaign, letter, text)
    assert (row.status, row.kind) == (Status.DONE, "commands")
    alone = row.words
    row = reply(campaign, letter, f"{text}\n\n{PROSE}", minutes=2)
    assert row.words == alone
    assert orders_of_germany(campaign) == IN_FORCE
    assert row.answer is not None
    said = letter_text(row.answer)
    assert "these lines may be words to that player" in said
    assert "I place 5 in Poland" in said


def test_letter_without_its_end_is_refused_as_usual(campaign: Campaign) -> None:
    row = reply(campaign, letter_from(campaign, "Russia"), f"REPLY\n{PROSE}")
    assert not is_asked(campaign, row)
    assert row.answer is not None
    assert "has no END" in letter_text(row.answer)
    assert orders_of_germany(campaign) == IN_FORCE


# --- what its sender says ---


@pytest.mark.parametrize(
    "word", ["SEND", "send", "Send it!", "*SEND*", "Send.\n\nHans", "> SENT\n\nSEND"]
)
def test_send_sends_the_words_to_the_writer(campaign: Campaign, word: str) -> None:
    letter = letter_from(campaign, "Russia")
    reply(campaign, letter, f"{PROSE}\n\n{quoted(letter)}")
    asks = question()
    row = reply(campaign, asks, f"{word}\n\n{quoted(asks)}", minutes=2)
    press = Press.objects.get(seat__nation="Germany")
    assert (press.to, press.text, press.channel) == (["Russia"], PROSE, "mail")
    assert len(campaign.letters("press", "rosa")) == 1
    assert orders_of_germany(campaign) == IN_FORCE
    assert row.answer is not None
    assert row.answer.in_reply_to == row.mail.message_id
    assert "Sent to Russia." in letter_text(row.answer)


@pytest.mark.parametrize("word", ["ORDERS", "orders", "My orders.", "These are my orders!"])
def test_orders_obeys_the_message_as_of_its_arrival(campaign: Campaign, word: str) -> None:
    asked = reply(campaign, letter_from(campaign, "Russia"), PROSE)
    reply(campaign, question(), f"{word}\n\n{quoted(question())}", minutes=5)
    standing = in_force.in_force(campaign.phase)["Germany"]
    assert "place 5 in Poland" in standing.text
    assert standing.received_at == asked.mail.received_at
    assert not Press.objects.filter(seat__nation="Germany").exists()
    assert answers("gustav")[-1].kind == "answer"


def test_choosing_twice_does_nothing_more(campaign: Campaign) -> None:
    reply(campaign, letter_from(campaign, "Russia"), PROSE)
    asks = question()
    for minute, word in ((2, "SEND"), (3, "SEND"), (4, "ORDERS")):
        row = reply(campaign, asks, word, minutes=minute)
    assert Press.objects.filter(seat__nation="Germany").count() == 1
    assert orders_of_germany(campaign) == IN_FORCE
    assert row.answer is not None
    assert "You have said before what your message is" in letter_text(row.answer)


@pytest.mark.parametrize("text", ["SEND\nORDERS", "I place 6 in Poland, please send it.", "yes"])
def test_answer_to_the_question_in_other_words_is_asked_again(
    campaign: Campaign, text: str
) -> None:
    """Even if it names the question alone, which itself is no player's letter."""
    reply(campaign, letter_from(campaign, "Russia"), PROSE)
    first = question()
    row = reply(campaign, first, text, minutes=2, fields={"In_Reply_To": first.message_id})
    assert row.answer is not None
    assert not Press.objects.filter(seat__nation="Germany").exists()
    assert orders_of_germany(campaign) == IN_FORCE
    if text != "SEND\nORDERS":  # ORDERS without its question is a command of its own
        assert is_asked(campaign, row)
        assert question() != first


def test_stranger_with_the_question_decides_nothing(campaign: Campaign) -> None:
    reply(campaign, letter_from(campaign, "Russia"), PROSE)
    reply(campaign, question(), "ORDERS", minutes=2, sender="mallory@example.net")
    assert orders_of_germany(campaign) == IN_FORCE
    assert Submission.objects.count() == 1


def links(letter: Letter) -> list[str]:
    """Return the paths of the links to the page where its sender says what a message is."""
    found = re.findall(r"https?://[^/\s]+(/mail/\S+)", rendering.render(letter).text)
    assert [path.partition("?")[2] for path in found] == ["choice=send", "choice=orders"]
    return found


def test_links_show_buttons_and_do_nothing_by_themselves(campaign: Campaign) -> None:
    """Mail scanners follow links."""
    reply(campaign, letter_from(campaign, "Russia"), PROSE)
    browser = Client()
    for path in links(question()):
        page = browser.get(path).content.decode()
        assert "I place 5 in Poland." in page
        assert "Send this to Russia" in page
        assert "These are my orders" in page
        assert browser.post(path).status_code == 200  # without a button
    assert orders_of_germany(campaign) == IN_FORCE
    assert Press.objects.count() == 1


@pytest.mark.parametrize(("at", "wish"), [(0, "send"), (1, "orders")])
def test_button_works_once(campaign: Campaign, at: int, wish: str) -> None:
    reply(campaign, letter_from(campaign, "Russia"), PROSE)
    path = links(question())[at]
    assert Client().post(path, {"wish": wish}).status_code == 200
    sent = Press.objects.filter(seat__nation="Germany").count()
    assert (sent, orders_of_germany(campaign) == IN_FORCE) == (
        (1, True) if wish == "send" else (0, False)
    )
    again = Client().post(path, {"wish": "orders"})
    assert again.status_code == 410
    assert "You have said before what your message is" in again.content.decode()
    assert Press.objects.filter(seat__nation="Germany").count() == sent
    assert Client().get(path).status_code == 410


def test_newer_orders_stay_in_force(campaign: Campaign) -> None:
    """A message obeyed later changes nothing if orders have come since."""
    reply(campaign, letter_from(campaign, "Russia"), PROSE)
    campaign.order("Germany", "PLACE 7 Italy", at=campaign.now + timedelta(minutes=2))
    reply(campaign, question(), "ORDERS", minutes=3)
    assert orders_of_germany(campaign) == "PLACE 7 Italy"
    assert "arrived later and counts" in letter_text(answers("gustav")[-1])


@pytest.mark.parametrize("word", ["SEND", "ORDERS"])
def test_question_ends_with_its_phase(campaign: Campaign, word: str) -> None:
    row = reply(campaign, letter_from(campaign, "Russia"), PROSE)
    asks, first = question(), campaign.phase
    campaign.pass_deadline()
    late = reply(campaign, asks, word, minutes=70)
    assert late.answer is not None
    said = letter_text(late.answer)
    assert f"{first.short_title} is over, and with it this question" in said
    assert "REPLY above your words" in said
    assert not Press.objects.filter(seat__nation="Germany").exists()
    assert Submission.objects.filter(seat__nation="Germany").count() == 1
    assert Client().get(links(asks)[0]).status_code == 410
    week = campaign.now + timedelta(days=8)
    lease, ids = queue.claim(week)
    assert ids == [row.pk]
    handle.handle_mail(row.pk, lease, week)
    row.refresh_from_db()
    assert (row.status, row.due_at) == (Status.REFUSED, None)


def test_question_outlives_a_week_if_its_phase_does(campaign: Campaign) -> None:
    row = reply(campaign, letter_from(campaign, "Russia"), PROSE)
    week = campaign.now + timedelta(days=8)
    Phase.objects.filter(pk=campaign.phase.pk).update(deadline=week + timedelta(days=1))
    lease, _ids = queue.claim(week)
    handle.handle_mail(row.pk, lease, week)
    row.refresh_from_db()
    assert row.status == Status.UNCONFIRMED
    assert row.due_at is not None
    assert row.due_at > week
    assert Client().get(links(question())[0]).status_code == 200


# --- to whom ---


def test_answer_goes_to_everybody_in_the_circle(campaign: Campaign) -> None:
    letter = letter_from(campaign, "Russia", "Germany", "France")
    reply(campaign, letter, "Gladly, both of you.")
    assert question().about["addressees"] == "France and Russia"
    reply(campaign, question(), "SEND", minutes=2)
    assert Press.objects.get(seat__nation="Germany").to == ["France", "Russia"]


def test_answer_to_a_letter_to_all_goes_to_all(campaign: Campaign) -> None:
    letter = letter_from(campaign, "Russia", to_all=True)
    reply(campaign, letter, "Hear, hear.")
    assert question().about["addressees"] == "all nations"
    reply(campaign, question(), "SEND", minutes=2)
    assert Press.objects.get(seat__nation="Germany").to_all


def test_answer_to_the_gamesmaster_is_asked_too(campaign: Campaign) -> None:
    reply(campaign, letter_from(campaign, None), "I place 5 in Poland.")
    assert question().about["addressees"] == "the Gamesmaster"
    reply(campaign, question(), "SEND", minutes=2)
    assert Press.objects.get(seat__nation="Germany").to_gamesmaster


def test_gamesmaster_is_asked_whether_an_answer_goes_to_the_player(campaign: Campaign) -> None:
    conversations.send(
        campaign.game, campaign.seat("Germany"), campaign.players["Germany"], [], "May I?",
        channel="web", to_gamesmaster=True, now=campaign.now,
    )  # fmt: skip
    letter = campaign.letters("question", "ada")[-1]
    reply(campaign, letter, "Yes, you may.\n\nAda", sender="ada@example.org")
    assert (question().about["addressees"], question().about["may_order"]) == ("Germany", False)
    assert "ORDERS" not in rendering.render(question()).text
    reply(campaign, question(), "SEND", sender="ada@example.org", minutes=2)
    assert "Yes, you may." in letter_text(campaign.letters("press", "gustav")[-1])
    assert not conversations.unanswered_questions([campaign.game])


def test_answer_to_an_unsigned_letter_can_only_be_orders() -> None:
    """It must not reveal who wrote it."""
    campaign = Campaign.begin(press={"sender": "anonymous"})
    campaign.order("Germany", IN_FORCE)
    letter = letter_from(campaign, "Russia", to_all=True, signed=False)
    assert is_asked(campaign, reply(campaign, letter, PROSE))
    said = rendering.render(question())
    assert "You cannot answer an unsigned letter" in " ".join(said.text.split())
    assert "choice=send" not in said.text + said.html
    assert all("Russia" not in part.replace("Hello Russia", "") for part in (said.text, said.html))
    refused = reply(campaign, question(), "SEND", minutes=2)
    assert refused.answer is not None
    assert "You cannot answer an unsigned letter" in letter_text(refused.answer)
    reply(campaign, question(), "ORDERS", minutes=3)  # the question still stands
    assert "place 5 in Poland" in orders_of_germany(campaign)


def test_answer_while_letters_are_closed_waits_until_it_is_said_what_it_is() -> None:
    campaign = Campaign.begin(press={"closed": "attacks"})
    letter = letter_from(campaign, "Russia")
    campaign.pass_deadline()
    reply(campaign, letter, "ATTACK Poland: Russia STOCK GE")
    assert "You cannot send letters in" in question().about["why_not"]
    assert not Press.objects.filter(seat__nation="Germany").exists()


def test_answer_to_a_proposal_goes_to_its_maker(campaign: Campaign) -> None:
    deals.propose(
        campaign.game, campaign.seat("Russia"), campaign.players["Russia"],
        campaign.seat("Germany"), "PEACE Poland", channel="web", now=campaign.now,
    )  # fmt: skip
    letter = campaign.letters("proposal", "gustav")[-1]
    assert is_asked(campaign, reply(campaign, letter, PROSE))
    assert "a letter about a deal with Russia" in letter_text(question())
    reply(campaign, question(), "SEND", minutes=2)
    press = Press.objects.get(seat__nation="Germany")
    assert (press.to, press.text) == (["Russia"], PROSE)


def test_acceptance_of_a_proposal_leaves_the_words_below_it_aside(campaign: Campaign) -> None:
    proposal = deals.propose(
        campaign.game, campaign.seat("Russia"), campaign.players["Russia"],
        campaign.seat("Germany"), "PEACE Poland", channel="web", now=campaign.now,
    )  # fmt: skip
    letter = campaign.letters("proposal", "gustav")[-1]
    row = reply(campaign, letter, "ACCEPT\nI place 5 in Poland as agreed.\n\nHans")
    assert proposal.answer.kind == "accepted"
    assert orders_of_germany(campaign) == IN_FORCE
    assert row.answer is not None
    assert "I place 5 in Poland as agreed" in letter_text(row.answer)


def test_member_of_a_team_is_asked_about_the_copy_of_a_letter(campaign: Campaign) -> None:
    hilda = person("hilda")
    Sitting.objects.create(seat=campaign.seat("Germany"), person=hilda, since=campaign.now)
    conversations.send(
        campaign.game, campaign.seat("Germany"), campaign.players["Germany"], ["Russia"], "Well?",
        channel="web", now=campaign.now,
    )  # fmt: skip
    copy = Letter.objects.get(kind="press", person=hilda)
    reply(campaign, copy, "I place 5 in Poland.", sender="hilda@example.org")
    assert question().about["addressees"] == "Russia"
    assert orders_of_germany(campaign) == IN_FORCE


# --- proof and limits ---


def test_unproven_answer_to_a_player_is_confirmed_before_it_is_asked(campaign: Campaign) -> None:
    letter = letter_from(campaign, "Russia")
    row = reply(campaign, letter, PROSE, sender="gustav@example.net")
    (confirm,) = answers("gustav")
    assert (row.status, confirm.kind) == (Status.UNCONFIRMED, "confirm")
    reply(campaign, confirm, "CONFIRM", minutes=2)
    row.refresh_from_db()
    assert row.kind == Handling.CHOICE
    assert orders_of_germany(campaign) == IN_FORCE
    reply(campaign, question(), "SEND", minutes=3)
    assert Press.objects.get(seat__nation="Germany").text == PROSE


def test_answer_beyond_the_limit_of_answers_is_asked_later(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_ANSWERS_AN_HOUR = 1
    letter = letter_from(campaign, "Russia")
    reply(campaign, letter, "STATUS")
    row = reply(campaign, letter, PROSE, minutes=2)
    assert (row.status, row.answer) == (Status.WAITING, None)
    later = campaign.now + timedelta(minutes=62)
    lease, ids = queue.claim(later)
    assert ids == [row.pk]
    handle.handle_mail(row.pk, lease, later)
    row.refresh_from_db()
    assert row.kind == Handling.CHOICE
