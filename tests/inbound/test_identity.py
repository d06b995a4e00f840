"""Reply addresses, senders on file, and proof of a sender (issue 4, item 2)."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games import desk
from games.accounts import addresses, tokens
from games.base.signing import Salt
from games.desk import addresses as desk_addresses
from games.letters import rendering
from games.models import Address, Game, Letter, Person, ReplyAddress
from games.pages import context
from games.positions import game_row
from orders.inbound import handle
from orders.inbound import queue as intake
from orders.inbound.identity import trust, waiting
from orders.models import Handling, Submission
from tests.inbound.signing import resolver, sign
from tests.inbound.writing import address_of, answers, hand_in, send, written
from tests.letters.conftest import office
from tests.letters.postoffice import PostOffice, parts
from tests.support.browsing import log_in, send_letters
from tests.support.campaign import Campaign, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("a_minute_later"),
    pytest.mark.letters,
]
Status = Handling.Status
__all__ = ["office"]


def link_in(letter: Letter) -> str:
    """Return the path of the link in a letter, as its reader gets it."""
    match = re.search(r"http://games\.test(/\S+)", rendering.render(letter).text)
    assert match is not None
    return match[1]


# --- reply addresses ---


def test_reply_key_is_not_stored(campaign: Campaign) -> None:
    """issue 4, 2; design 8: no key is stored."""
    address = address_of(campaign, "Germany")
    key = address.partition("+")[2].partition("@")[0]
    assert tokens.REPLY_KEY.fullmatch(key)
    assert address == address_of(campaign, "Germany") != address_of(campaign, "France")
    row = ReplyAddress.objects.get(person=campaign.players["Germany"])
    assert key not in (row.nonce, row.token_hash)
    assert tokens.find_reply(key.upper()) == row  # mail servers change case


def test_renewed_reply_address_replaces_the_old_one(campaign: Campaign) -> None:
    old = address_of(campaign, "Germany")
    new = tokens.renew_reply(campaign.players["Germany"], campaign.game, campaign.now)
    assert address_of(campaign, "Germany") != old
    assert tokens.reply_token(new) in address_of(campaign, "Germany")
    row = send(campaign, "Germany", "PLACE 10 Poland\n", to=old)
    assert not Submission.objects.exists()
    assert [letter.kind for letter in answers("gustav")] == ["word"]
    assert row.status == Status.DONE


def test_changed_secret_key_makes_new_reply_addresses(
    campaign: Campaign, settings: Settings
) -> None:
    """design 8: a key that cannot be derived again would make an unusable address."""
    old = address_of(campaign, "Germany")
    settings.SECRET_KEY = "another-secret-of-forty-characters-and-some-more"
    new = address_of(campaign, "Germany")
    assert new != old
    assert tokens.find_reply(new.partition("+")[2].partition("@")[0]) is not None


# --- proof of a sender ---


def forge(campaign: Campaign, count: int, nation: str = "Germany") -> list[Handling]:
    return [
        send(campaign, nation, f"PLACE {number} Italy\n", sender="mallory@example.net")
        for number in range(1, count + 1)
    ]


def kinds_of_answers(name: str) -> list[str]:
    return [letter.kind for letter in answers(name)]


def test_unproven_mail_uses_up_no_answer_to_proven_mail(
    campaign: Campaign, settings: Settings
) -> None:
    """reviews/fairness.md F6: nineteen forged messages silenced the answer to true orders."""
    settings.MAIL_ANSWERS_AN_HOUR = 2
    rows = forge(campaign, 5)
    assert {row.status for row in rows} == {Status.UNCONFIRMED}
    for _ in range(4):  # answered with a short letter each, and anybody can cause them
        several = "gustav@example.org, mallory@example.net"
        send(campaign, "Germany", "PASS\n", sender=several)
    send(campaign, "Germany", "PLACE 10 Poland\n")
    assert kinds_of_answers("gustav") == ["confirm", "word", "word", "answer"]
    send(campaign, "Germany", "UNMUTE\n")
    assert answers("gustav")[-1].about["heading"] == "You get letters of this game again"


def test_own_mail_uses_up_no_question_about_unproven_mail(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_ANSWERS_AN_HOUR = 1
    send(campaign, "Germany", "PLACE 10 Poland\n")
    forge(campaign, 1)
    assert kinds_of_answers("gustav") == ["answer", "confirm"]


def test_one_question_stands_for_all_unproven_mail_of_a_phase(campaign: Campaign) -> None:
    """Its page lists the others, and the newest of them is asked about after the answer."""
    first, second, third = forge(campaign, 3)
    assert first.answer is not None
    assert (second.answer, third.answer) == (None, None)
    page, browser = link_in(answers("gustav")[0]), Client()
    shown = browser.get(page).content.decode()
    assert "More mail in your name waits" in shown
    links = re.findall(r'<li><a href="([^"]+)">.+from mallory', shown)
    assert len(links) == 2
    assert "PLACE 3 Italy" in browser.get(links[0]).content.decode()
    browser.post(page, {"wish": "disown"})
    third.refresh_from_db()
    assert kinds_of_answers("gustav") == ["confirm", "confirm"]
    assert third.answer == answers("gustav")[1]
    browser.post(links[1], {"wish": "confirm"})  # the question about the third still stands
    assert kinds_of_answers("gustav") == ["confirm", "confirm", "answer"]
    assert Submission.objects.get().text.strip() == "PLACE 2 Italy"


def test_question_about_one_player_or_an_earlier_phase_stands_for_no_other(
    campaign: Campaign,
) -> None:
    forge(campaign, 2)
    forge(campaign, 2, "France")
    assert (kinds_of_answers("gustav"), kinds_of_answers("felix")) == (["confirm"], ["confirm"])
    campaign.wait_until(campaign.phase.deadline + timedelta(minutes=1))
    forge(campaign, 2)
    assert kinds_of_answers("gustav").count("confirm") == 2


def test_mail_of_a_stranger_with_the_key_needs_the_players_confirmation(campaign: Campaign) -> None:
    """issue 4, 2: the link goes to the first address on file, never to the stranger."""
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    assert row.status == Status.UNCONFIRMED
    assert not Submission.objects.exists()
    assert not Letter.objects.filter(address="mallory@example.net").exists()
    (letter,) = answers("gustav")
    assert (letter.kind, letter.secret) == ("confirm", True)
    assert "mallory@example.net" in row.words


def test_confirmation_page_shows_the_time_on_the_clock_of_the_player_without_login(
    campaign: Campaign,
) -> None:
    Person.objects.filter(pk=person("gustav").pk).update(zone="America/Sao_Paulo")
    came = datetime(2026, 11, 16, 17, 10, tzinfo=UTC)
    send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net", at=came)
    preview = Client().get(link_in(answers("gustav")[0])).content.decode()
    assert "Monday 16 November 2026, 14:10 UTC-3" in preview


def test_confirmation_page_previews_the_message_and_its_button_works_once(
    campaign: Campaign,
) -> None:
    """issue 4, 2: GET has no effect, for scanners. The orders count from their arrival."""
    came = campaign.phase.deadline - timedelta(minutes=50)
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net", at=came)
    page, browser = link_in(answers("gustav")[0]), Client()
    preview = browser.get(page)
    assert "PLACE 10 Poland" in preview.content.decode()
    assert not Submission.objects.exists()
    assert browser.post(page, {"wish": "confirm", "add": "on"}).status_code == 200
    submission = Submission.objects.get()
    assert submission.counts
    assert [letter.kind for letter in answers("gustav")] == ["confirm", "answer"]
    assert Address.objects.get().email == "gustav@example.net"
    assert browser.post(page, {"wish": "confirm"}).status_code == 410
    assert Submission.objects.count() == 1
    row.refresh_from_db()
    assert row.status == Status.DONE


def test_player_disowns_a_forged_letter(campaign: Campaign) -> None:
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    assert Client().post(link_in(answers("gustav")[0]), {"wish": "disown"}).status_code == 200
    row.refresh_from_db()
    assert row.status == Status.REFUSED
    assert not Submission.objects.exists()


def test_confirmation_link_expires_after_seven_days(campaign: Campaign) -> None:
    row = send(campaign, "Germany", "STATUS\n", sender="mallory@example.net")
    token = tokens.key_of(Salt.CONFIRMATION, row.nonce)
    assert waiting.find(token, campaign.now + timedelta(days=6)) == row
    with pytest.raises(waiting.NotWaitingError, match="has expired"):
        waiting.find(token, campaign.now + timedelta(days=7))

    lease, ids = intake.claim(campaign.now + timedelta(days=7, minutes=1))
    assert ids == [row.pk]
    handle.handle_mail(row.pk, lease, campaign.now + timedelta(days=7, minutes=1))
    row.refresh_from_db()
    assert (row.status, row.due_at) == (Status.REFUSED, None)


def test_unproven_mail_is_held_if_so_configured(campaign: Campaign, settings: Settings) -> None:
    """issue 4, 2: held for the gamesmaster, or confirmed by link."""
    settings.MAIL_UNPROVEN = "hold"
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    assert row.status == Status.HELD
    assert list(waiting.held_mail(campaign.game)) == [row]
    assert len(campaign.letters("mailheld", "ada")) == 1
    with pytest.raises(waiting.NotWaitingError, match="Only the gamesmaster"):
        waiting.let_in(row, person("charlie"), campaign.now)
    waiting.let_in(row, campaign.ada, campaign.now)
    assert Submission.objects.get().counts
    with pytest.raises(waiting.NotWaitingError, match="already decided"):
        waiting.refuse(row, campaign.ada, campaign.now)
    assert answers("mallory") == []


@pytest.mark.parametrize("decide", [waiting.let_in, waiting.refuse])
def test_game_that_is_handed_over_meanwhile_keeps_its_held_mail(
    campaign: Campaign, settings: Settings, monkeypatch: pytest.MonkeyPatch, decide: Any
) -> None:
    """Rules 0.2: who decides waited for the game's row, which another request had."""
    settings.MAIL_UNPROVEN = "hold"
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    take_row = game_row.take_row

    def wait(game: Game) -> bool:
        monkeypatch.setattr(game_row, "take_row", take_row)
        desk.hand_over(campaign.game, "otto@example.org", campaign.ada, campaign.now)
        return take_row(game)

    monkeypatch.setattr(game_row, "take_row", wait)
    with pytest.raises(waiting.NotWaitingError, match="Only the gamesmaster"):
        decide(row, campaign.ada, campaign.now)
    row.refresh_from_db()
    assert row.status == Status.HELD
    assert not Submission.objects.exists()


def test_gamesmaster_refuses_unbelievable_mail(campaign: Campaign, settings: Settings) -> None:
    settings.MAIL_UNPROVEN = "hold"
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    waiting.refuse(row, campaign.ada, campaign.now)
    assert not Submission.objects.exists()
    assert answers("gustav")[-1].about["heading"] == "A letter in your name was not let in"


def test_only_gamesmasters_see_the_page_of_held_mail(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_UNPROVEN = "hold"
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    page = reverse("mail-held", args=[campaign.game.pk])
    for name, code in (("gustav", 403), ("charlie", 403), ("ada", 200)):
        browser = log_in(name)
        assert browser.get(page).status_code == code
    assert Client().get(page).status_code == 302
    text = browser.read(page)
    assert "PLACE 10 Poland" in text
    assert browser.post(page, {"mail": row.code, "wish": "let_in"}).status_code == 302
    assert Submission.objects.count() == 1


def test_page_of_held_mail_shows_no_standstill(campaign: Campaign, settings: Settings) -> None:
    settings.MAIL_UNPROVEN = "hold"
    send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    response = log_in("ada").get(reverse("mail-held", args=[campaign.game.pk]))
    assert "STANDSTILL" not in response.content.decode()
    processed = set(context.site(response.wsgi_request))
    contexts: Any = response.context
    (page,) = [
        layer for layer in contexts[0].dicts if "waiting" in layer and "service_held" not in layer
    ]
    assert not processed & set(page)


def test_no_page_overwrites_a_variable_of_every_page() -> None:
    """No dictionary with a page's variables has a key of the context processor."""
    keys = {"demonstration", "announcements", "service_held", "may_open_games", "who_opens_games"}
    web = Path(context.__file__).parent
    for file in web.rglob("*.py"):
        if file.name == "context.py":
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Dict):
                named = {key.value for key in node.keys if isinstance(key, ast.Constant)}
                assert not named & keys, (file.name, node.lineno)


def test_playing_gamesmaster_sees_the_sender_and_not_the_text(
    campaign: Campaign, settings: Settings
) -> None:
    """permissions: they would see the orders of their opponents."""
    settings.MAIL_UNPROVEN = "hold"
    campaign.game.gamesmasters.add(campaign.players["France"])
    send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    text = log_in("felix").read(reverse("mail-held", args=[campaign.game.pk]))
    assert "mallory@example.net" in text
    assert "PLACE 10 Poland" not in text


# --- mail to the general address ---


def test_mail_without_a_key_is_obeyed_only_if_proven(
    campaign: Campaign, settings: Settings
) -> None:
    to = "gamesmaster@games.test"
    assert send(campaign, "Germany", "PLACE 10 Poland\n", to=to).status == Status.DONE
    assert not Submission.objects.exists()  # the address alone is no proof
    send(campaign, "Germany", "PLACE 10 Poland\n", to=to)
    assert [letter.kind for letter in answers("gustav")] == ["word"]
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.games.test"
    ours = "mx.games.test; dmarc=pass header.from=example.org"
    send(campaign, "Germany", "PLACE 10 Poland\n", to=to, headers={"Authentication_Results": ours})
    assert Submission.objects.get().seat.nation == "Germany"


def test_mail_without_a_key_from_a_player_in_two_games_is_not_obeyed(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.games.test"
    Campaign.begin(title="Another")
    ours = "mx.games.test; dmarc=pass header.from=example.org"
    to, headers = "orders@games.test", {"Authentication_Results": ours}
    send(campaign, "Germany", "PLACE 10 Poland\n", to=to, headers=headers)
    assert not Submission.objects.exists()
    assert (
        answers("gustav")[0].about["heading"] == "We cannot tell which game your message is about"
    )


@pytest.mark.parametrize("to", ["orders@games.test", "gamesmaster@games.test", "key"])
@pytest.mark.parametrize("text", ["PLACE 1 Italy\n", "EXTEND 24 HOURS\n"])
@pytest.mark.parametrize("passed", ["dkim=pass header.d=example.org", "dmarc=pass"])
def test_private_mail_handed_on_to_us_is_not_obeyed(
    campaign: Campaign, settings: Settings, to: str, text: str, passed: str
) -> None:
    """Any reader of a signed message can send it here; only To and Cc say whom it was for.

    They may know the key, too, from a copy of earlier orders (reviews/fairness.md F1).
    """
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.games.test"
    deadline = campaign.phase.deadline
    writer = "gustav" if "PLACE" in text else "ada"
    if to == "key":
        to = tokens.reply_address(person(writer), campaign.game, campaign.now)
    raw = written(f"{writer}@example.org", "felix@example.org", text).replace(b"\n", b"\r\n")
    raw = f"Authentication-Results: mx.games.test; {passed}\r\n".encode() + sign(raw)
    row = hand_in(campaign, raw, to, sender="felix@example.org")
    assert row.status == Status.UNCONFIRMED
    assert "does not name our address in a To or Cc" in row.words
    assert not Submission.objects.exists()
    campaign.phase.refresh_from_db()
    assert campaign.phase.deadline == deadline


@pytest.mark.parametrize(
    ("names", "to", "obeyed"),
    [
        (("from", "to", "subject"), "orders@games.test", True),
        (("from", "subject"), "orders@games.test", False),
        (("from", "to", "subject"), "felix@example.org", False),
        (("from", "to", "subject"), "KEY", True),
        (("from", "to", "subject"), "KEY at the old domain", True),
        (("from", "to", "cc", "subject"), "felix@example.org\nCc: KEY", True),
        (("from", "to", "subject"), "felix@example.org, Gustav's orders <KEY>", True),
        (("from", "subject"), "KEY", False),
        (("from", "to", "subject"), "felix@example.org\nCc: KEY", False),
        (("from", "to", "subject"), "KEY of France", False),
        (("from", "to", "subject"), "felix@example.org\nBcc: KEY", False),
    ],
)
def test_address_must_be_covered_by_the_signature(
    campaign: Campaign,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    names: tuple[str, ...],
    to: str,
    obeyed: bool,
) -> None:
    """RFC 6376, 5.4: a header that is not signed may have been changed on the way.

    With a key, To or Cc names this very key (reviews/fairness.md F1).
    """
    settings.MAIL_TRUST = "dkim"
    check = trust._check_signature
    monkeypatch.setattr(trust, "_check_signature", lambda m, raw, _: check(m, raw, resolver))
    own = address_of(campaign, "Germany")
    moved = own.replace("games.test", "old.example")  # docs/operations.md, “Another domain”
    named = to.replace("KEY of France", address_of(campaign, "France"))
    named = named.replace("KEY at the old domain", moved).replace("KEY", own)
    raw = written("gustav@example.org", "TO", "PLACE 10 Poland\n").replace(b"TO", named.encode())
    raw = sign(raw.replace(b"\n", b"\r\n"), names=names)
    hand_in(campaign, raw, own if "KEY" in to else "orders@games.test", sender="felix@example.org")
    assert Submission.objects.exists() is obeyed


def test_second_to_header_proves_no_address(campaign: Campaign, settings: Settings) -> None:
    """A signature covers the last one; a reader sees the first."""
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.games.test"
    ours = b"Authentication-Results: mx.games.test; dkim=pass header.d=example.org\n"
    raw = written("gustav@example.org", "felix@example.org", "PLACE 10 Poland\n")
    raw = ours + b"To: orders@games.test\n" + raw
    hand_in(campaign, raw, "orders@games.test", sender="felix@example.org")
    assert not Submission.objects.exists()


@pytest.mark.parametrize("policy", ["dkim", "results"])
@pytest.mark.parametrize(
    "added",
    [
        "X-Mailer: a\rTo: KEY\r\n",
        "X-Mailer: a\rFrom: gustav@example.org\rTo: KEY\r\rPLACE 9 Italy\r\n",
        "From: gustav@example.org\r\nTo: KEY\r\nno header\r\nPLACE 9 Italy\r\n",
        "To : KEY\r\n",
    ],
    ids=["recipient", "text", "no header", "blank"],
)
@pytest.mark.parametrize("writer", ["gustav", "felix"])
def test_headers_that_can_be_read_in_two_ways_prove_nothing(
    campaign: Campaign,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    policy: str,
    added: str,
    writer: str,
) -> None:
    """RFC 5322, 2.2: Python begins a header at a carriage return, who checks the sender does not.

    A person with a private letter of a player, or with an address at the same provider, could so
    send any orders in the player's name.
    """
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = policy, "mx.games.test"
    check = trust._check_signature
    monkeypatch.setattr(trust, "_check_signature", lambda m, raw, _: check(m, raw, resolver))
    own = address_of(campaign, "Germany")
    raw = written(f"{writer}@example.org", "felix@example.org", "PLACE 10 Poland\n")
    signature, start, rest = sign(raw.replace(b"\n", b"\r\n")).partition(b"From: ")
    results = b"Authentication-Results: mx.games.test; dkim=pass header.d=example.org\r\n"
    forged = results + signature + added.replace("KEY", own).encode() + start + rest
    hand_in(campaign, forged, own, sender="felix@example.org")
    assert not Submission.objects.exists()


# --- further addresses ---


def test_further_address_counts_once_confirmed(campaign: Campaign) -> None:
    """issue 4, 2."""
    gustav = campaign.players["Germany"]
    address = desk_addresses.add(gustav, "Gustav@Example.net", campaign.now)
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    assert row.status == Status.UNCONFIRMED
    (letter,) = Letter.objects.filter(kind="address")
    assert (letter.address, letter.secret) == ("gustav@example.net", True)
    page, browser = link_in(letter), Client()
    browser.get(page)
    address.refresh_from_db()
    assert address.confirmed_at is None
    browser.post(page)
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    assert row.status == Status.DONE
    assert row.answer is not None
    assert row.answer.address == "gustav@example.net"
    addresses.remove(gustav, address.code, campaign.now)
    row = send(campaign, "Germany", "PLACE 11 Poland\n", sender="gustav@example.net")
    assert row.status == Status.UNCONFIRMED


def test_address_of_another_player_cannot_be_taken(campaign: Campaign) -> None:
    address = desk_addresses.add(campaign.players["Germany"], "felix@example.org", campaign.now)
    with pytest.raises(addresses.AddressRefused, match="belongs to another account"):
        addresses.confirm(address, campaign.now)
    assert not addresses.belongs(campaign.players["Germany"], "felix@example.org")


@pytest.mark.both_databases
def test_address_belongs_to_one_person(campaign: Campaign) -> None:
    first = desk_addresses.add(campaign.players["Germany"], "shared@example.net", campaign.now)
    second = desk_addresses.add(campaign.players["France"], "shared@example.net", campaign.now)
    addresses.confirm(first, campaign.now)
    with pytest.raises(addresses.AddressRefused, match="belongs to another account"):
        addresses.confirm(second, campaign.now)


@pytest.mark.parametrize(
    ("email", "sentence"),
    [
        ("nonsense", "“nonsense” is not an e-mail address"),
        ("gustav@example.org", "your first address already"),
        ("x@y\n", "is not an e-mail"),
    ],
)
def test_invalid_address_is_refused_with_a_sentence(
    campaign: Campaign, email: str, sentence: str
) -> None:
    with pytest.raises(addresses.AddressRefused, match=sentence):
        desk_addresses.add(campaign.players["Germany"], email, campaign.now)


def test_sixth_further_address_is_refused(campaign: Campaign) -> None:
    for number in range(5):
        desk_addresses.add(campaign.players["Germany"], f"g{number}@example.net", campaign.now)
    with pytest.raises(addresses.AddressRefused, match="Remove one first"):
        desk_addresses.add(campaign.players["Germany"], "g5@example.net", campaign.now)


def test_profile_page_manages_addresses(campaign: Campaign) -> None:
    browser = log_in("gustav")
    browser.post(reverse("address-add"), {"email": "g@example.net"})
    text = browser.read(reverse("me"))
    assert "g@example.net" in text
    assert "The lights go out" in text
    old = address_of(campaign, "Germany")
    browser.post(reverse("letters-of-game", args=[campaign.game.pk]), {"wish": "renew"})
    assert address_of(campaign, "Germany") != old
    browser.post(reverse("address-remove", args=[Address.objects.get().code]))
    assert addresses.addresses_of(campaign.players["Germany"]) == []
    page = reverse("letters-of-game", args=[campaign.game.pk])
    assert log_in("charlie").post(page, {"wish": "mute"}).status_code == 404


# --- outgoing letters ---


def test_letters_have_the_readers_reply_address(
    campaign: Campaign, office: PostOffice, settings: Settings
) -> None:
    """issue 4, 2 and 6: Reply-To, List-Unsubscribe, and an envelope sender per letter."""
    settings.MAIL_IN, settings.MAIL_BOUNCES = True, "bounces@games.test"
    send_letters(campaign.now)
    message = office.to("gustav@example.org")[-1]
    assert message["Reply-To"] == address_of(campaign, "Germany")
    assert message["From"] == settings.DEFAULT_FROM_EMAIL
    assert f"<mailto:{address_of(campaign, 'Germany')}?subject=MUTE>" in message["List-Unsubscribe"]
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    to_ada = office.to("ada@example.org")[-1]
    assert to_ada["List-Unsubscribe"] is None  # she runs the game


def test_title_and_message_id_inject_no_header(
    campaign: Campaign, office: PostOffice, settings: Settings
) -> None:
    """issue 4, 6: no header injection."""
    settings.MAIL_IN = True
    campaign.game.title = "A title\r\nBcc: mallory@example.net"
    campaign.game.save()
    wicked = (
        "From: =?utf-8?q?Gus=0d=0aBcc=3a_mallory=40example.net?= <gustav@example.org>\r\n"
        f"To: {address_of(campaign, 'Germany')}\r\n"
        "Subject: =?utf-8?q?Orders=0d=0aBcc=3a_mallory=40example.net?=\r\n"
        "Message-ID: <a@b>\r\n X-Wicked: <c@d>\r\n\r\nSTATUS\r\n"
    )
    assert hand_in(campaign, wicked.encode()).status == Status.DONE
    waiting_letters = Letter.objects.filter(status="queued").count()
    assert send_letters(campaign.now) == waiting_letters
    for address, message in office.taken:
        assert address != "mallory@example.net"
        assert message["Bcc"] is None
        assert message["X-Wicked"] is None


def test_answer_is_in_the_senders_thread(
    campaign: Campaign, office: PostOffice, settings: Settings
) -> None:
    """issue 4, 4; RFC 3834: answers are marked as automatic."""
    settings.MAIL_IN = True
    send(campaign, "Germany", "PLACE 10 Poland\n", message_id="<mine@example.org>")
    send_letters(campaign.now)
    mine = office.to("gustav@example.org")
    (answer,) = [message for message in mine if message["Auto-Submitted"] == "auto-replied"]
    assert answer["In-Reply-To"] == "<mine@example.org>"
    assert "<mine@example.org>" in answer["References"]
    assert "Poland" in parts(answer)[0]
    assert "Poland" in parts(answer)[1]


def test_only_the_sender_learns_of_mail_to_anothers_reply_address(
    campaign: Campaign,
) -> None:
    """reviews/mail.md B4: players often reply to a letter that an ally forwarded."""
    row = send(campaign, "Germany", "PLACE 8 Italy\n", sender="felix@example.org")
    assert row.status == Status.DONE
    assert not Submission.objects.exists()
    assert answers("gustav") == []
    (letter,) = answers("felix")
    assert row.person == letter.person == person("felix")
    text = rendering.render(letter).text
    assert "went to the address of another player" in text
    assert "PLACE 8 Italy" not in text
    assert "gustav" not in text.lower()


def test_message_with_two_senders_is_refused_and_the_player_notified(
    campaign: Campaign,
) -> None:
    """reviews/mail.md B11: such a message got no answer."""
    raw = written("gustav@example.org", address_of(campaign, "Germany"), "PLACE 4 Poland\n")
    row = hand_in(campaign, b"From: mallory@example.net\r\n" + raw)
    assert row.status == Status.REFUSED
    assert not Submission.objects.exists()
    (letter,) = answers("gustav")
    assert "names several senders" in rendering.render(letter).text


def test_message_with_two_unknown_senders_is_ignored(campaign: Campaign) -> None:
    raw = written("eve@example.net", address_of(campaign, "Germany"), "PLACE 4 Poland\n")
    row = hand_in(campaign, b"From: mallory@example.net\r\n" + raw)
    assert row.status == Status.IGNORED
    assert answers("gustav") == []
