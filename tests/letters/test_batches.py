"""Letters sent in a batch share only what is common; each is marked separately (design.md 7, 8)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games.letters import delivery, rendering, sending
from games.models import Letter, ReplyAddress
from games.outbox.messages import game_letters
from games.outbox.outgoing import Outgoing
from tests.letters.postoffice import OK, PostOffice
from tests.support.campaign import Campaign

pytestmark = pytest.mark.letters

ORDERS = {
    "USA": "PLACE 5 Poland",
    "France": "PLACE 3 Austria\nPLACE 2 Rumania",
    "Britain": "PASS",
    "Russia": "PLACE 99 Poland",
    "Germany": "PLACE 6 Atlantis",
}


def passed(office: PostOffice, *titles: str, **given: Any) -> list[Campaign]:
    """Return games past their first deadline, with the report and the next phase's letter
    unsent."""
    campaigns = [Campaign.begin(title=title, **given) for title in titles]
    for campaign in campaigns:
        for nation, text in ORDERS.items():
            campaign.order(nation, text)
    Letter.objects.all().delete()
    campaigns[0].pass_deadline()  # the deadline of all games
    for campaign in campaigns:
        campaign.now = campaigns[0].now
    unsent: Any = {"status": "queued", "sent_at": None, "attempts": 0}
    Letter.objects.update(due_at=campaigns[0].now, subject="", text="", html="", **unsent)
    office.taken.clear()
    return campaigns


def alone() -> dict[int, tuple[str, str, str]]:
    """Return every letter as it is rendered by itself, without any cache."""
    return {
        letter.pk: (rendered.subject, rendered.text, rendered.html)
        for letter in Letter.objects.all()
        if (rendered := rendering.render(letter))
    }


def together(now: Any) -> int:
    token, ids = sending.claim(now, 500)
    return sending.send(ids, token, now)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "options",
    [{}, {"ow2.hidden": "face_down"}, {"ow2.running_score": "hidden"}, {"ow2.blind": "yes"}],
    ids=lambda options: ", ".join(options.values()) or "usual",
)
def test_batched_letter_equals_a_single_letter(office: PostOffice, options: dict[str, str]) -> None:
    """design 8: nothing of a reader gets into the letter of another reader or game."""
    campaigns = passed(
        office, "The lights go out", "Peace in our time", "The lights go out", options=options
    )
    expected = alone()
    assert together(campaigns[0].now) == len(expected) == len(office.taken)
    for letter in Letter.objects.all():
        assert (letter.subject, letter.text, letter.html) == expected[letter.pk]
        [text] = [
            part.get_content().replace("\r\n", "\n")
            for address, message in office.taken
            if message["Message-ID"] == letter.message_id and address == letter.address
            for part in [message.get_body(("plain",))]
            if part is not None
        ]
        assert text == letter.text


@pytest.mark.django_db
def test_remarks_on_orders_reach_only_their_nation(office: PostOffice) -> None:
    campaigns = passed(office, "The lights go out", "Peace in our time")
    together(campaigns[0].now)
    for campaign in campaigns:
        own = campaign.players["Germany"].email
        texts = {letter.address: letter.text for letter in campaign.letters("board")}
        assert [
            address for address, text in texts.items() if "ABOUT YOUR ORDERS FOR GERMANY" in text
        ] in ([own], [])
        for nation, player in campaign.players.items():
            others = [other for other in ORDERS if other != nation]
            report = texts[player.email]
            assert f"/orders/{campaign.seat(nation).pk}/" in report
            assert not any(
                f"/orders/{campaign.seat(other_nation).pk}/" in report for other_nation in others
            )


@pytest.mark.django_db
@pytest.mark.parametrize("mail_in", [False, True], ids=["no mail in", "mail in"])
@pytest.mark.parametrize("kind", ["board", "locked"])
def test_queries_do_not_grow_with_games_and_readers(
    office: PostOffice,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    mail_in: bool,
    kind: str,
) -> None:
    """Except for the statement that marks each letter. Readers get their reply addresses with the
    first letter of a game, together."""
    settings.MAIL_IN = mail_in
    # on a slow machine no lease must be renewed
    monkeypatch.setattr(sending, "MOMENT", timedelta(hours=1))
    queries = {}
    for number in (1, 4):
        campaigns = passed(office, *(f"Game {place} of {number}" for place in range(number)))
        if kind == "locked":
            Letter.objects.all().delete()
            with Outgoing([campaign.game for campaign in campaigns]) as out:
                for campaign in campaigns:
                    game_letters.announce_lock(campaign.phase, campaign.now, out)
        token, ids = sending.claim(campaigns[0].now, 500)
        with CaptureQueriesContext(connection) as counted:
            assert sending.send(ids, token, campaigns[0].now) == len(ids)
        assert not mail_in or ReplyAddress.objects.count() == number * 6
        ReplyAddress.objects.all().delete()
        queries[number] = len(counted) - len(ids)
        Letter.objects.all().delete()
    assert queries[4] <= queries[1] + 2  # letters beyond 100 are another batch


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_letter_is_marked_before_the_next_one_is_sent(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """design 4: killing a worker leaves one letter in doubt, because each mark is committed
    first."""
    campaigns = passed(office, "The lights go out")
    token, ids = sending.claim(campaigns[0].now, 500)
    real = delivery.Server.send
    left = 5

    class Killed(BaseException):
        pass

    def send(self: delivery.Server, message: Any) -> None:
        nonlocal left
        if not left:
            raise Killed
        left -= 1
        real(self, message)

    monkeypatch.setattr(delivery.Server, "send", send)
    with pytest.raises(Killed):
        sending.send(ids, token, campaigns[0].now)
    assert Letter.objects.filter(status="sent").count() == len(office.taken) == 5
    monkeypatch.setattr(delivery.Server, "send", real)
    Letter.objects.exclude(status="sent").update(status="queued", claim="", claimed_until=None)
    assert together(campaigns[0].now) == len(ids) - 5
    assert (
        len({message["Message-ID"] for _, message in office.taken}) == len(office.taken) == len(ids)
    )


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_outdated_mark_of_a_worker_changes_nothing(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """design 4: another worker has taken a letter over while this one was sending it."""
    campaigns = passed(office, "The lights go out")
    token, ids = sending.claim(campaigns[0].now, 500)
    real = delivery.Server.send

    def send(self: delivery.Server, message: Any) -> None:
        real(self, message)
        if len(office.taken) == 1:
            Letter.objects.filter(pk=ids[0]).update(claim="another")

    monkeypatch.setattr(delivery.Server, "send", send)
    sending.send(ids[:3], token, campaigns[0].now)
    assert set(Letter.objects.filter(status="sent").values_list("pk", flat=True)) == set(ids[1:3])
    letter = Letter.objects.get(pk=ids[0])
    assert (letter.status, letter.claim) == ("sending", "another")


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_refusal_within_a_batch_is_stored(office: PostOffice) -> None:
    campaigns = passed(office, "The lights go out")
    refused = campaigns[0].players["Russia"].email
    office.at_address[refused] = ["451 come back later", OK]
    sent = together(campaigns[0].now)
    assert sent == Letter.objects.filter(status="sent").count() == Letter.objects.count() - 1
    assert Letter.objects.get(status="deferred").address == refused
