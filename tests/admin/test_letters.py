"""Letters in the admin: what became of each, and how one is sent again."""

from __future__ import annotations

import pytest
from django.urls import reverse

from games.models import Act, Letter
from tests.admin.test_admin import page
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, Campaign

pytestmark = pytest.mark.django_db


def letter(campaign: Campaign, **state: object) -> Letter:
    row = Letter.objects.filter(game=campaign.game, kind="begins").latest("pk")
    Letter.objects.filter(pk=row.pk).update(**{"due_at": None, **state})
    return row


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (
            {"status": "queued", "due_at": MONDAY},
            "It waits to be sent, due 16 Nov 2026, 17:00 UTC.",
        ),
        ({"status": "sent", "sent_at": MONDAY}, "The mail server took it, 16 Nov 2026, 17:00 UTC."),
        (
            {"status": "deferred", "due_at": MONDAY, "fault": "451 Greylisted."},
            "It waits for the next try, due 16 Nov 2026, 17:00 UTC: “451 Greylisted”.",
        ),
        (
            {"status": "failed", "fault": "550 no such mailbox"},
            "It was given up: “550 no such mailbox”. It can be sent again.",
        ),
        ({"status": "failed"}, "It was given up. It can be sent again."),
        (
            {"status": "bounced", "sent_at": MONDAY, "fault": "mailbox full"},
            "It went out, 16 Nov 2026, 17:00 UTC, and came back: “mailbox full”.",
        ),
        (
            {"status": "dropped", "fault": "The phase was closed."},
            "It was no longer to be sent: “The phase was closed”.",
        ),
        ({"status": "print"}, "It waits to be printed and posted"),
        ({"status": "posted", "sent_at": MONDAY}, "It was posted, 16 Nov 2026, 17:00 UTC."),
        ({"status": "sending"}, "It is being sent."),
    ],
)
def test_page_of_a_letter_says_what_became_of_it(
    ada: Visitor, campaign: Campaign, state: dict[str, object], words: str
) -> None:
    row = letter(campaign, **state)
    shown = ada.read(page(Letter, "change", row.pk))
    assert words in shown
    assert shown.index(words) < shown.index(">Kind:")


def test_every_status_of_a_letter_is_explained(ada: Visitor, campaign: Campaign) -> None:
    for status in Letter.Status:
        row = letter(campaign, status=status)
        assert ada.get(page(Letter, "change", row.pk)).status_code == 200


def send_again(browser: Visitor, *rows: Letter) -> str:
    chosen = {"action": "try_again", "_selected_action": [row.pk for row in rows]}
    return browser.post(page(Letter, "changelist"), chosen, follow=True).content.decode()


def test_letter_that_went_out_and_was_lost_is_sent_again(ada: Visitor, campaign: Campaign) -> None:
    """“I never got it”: the desk could send it again, the admin said that it had not failed."""
    row = letter(campaign, status="sent", sent_at=MONDAY)
    assert "1 letter will be sent again" in send_again(ada, row)
    row.refresh_from_db()
    assert row.status == "deferred"
    assert Act.objects.get(kind="sent-again").done_by == campaign.ada


def test_many_letters_that_went_out_are_not_sent_again_at_once(
    ada: Visitor, campaign: Campaign
) -> None:
    """One click on the box above all rows would send a hundred letters a second time."""
    rows = list(Letter.objects.filter(game=campaign.game, kind="begins")[:2])
    Letter.objects.filter(pk__in=[row.pk for row in rows]).update(
        status="sent", due_at=None, sent_at=MONDAY
    )
    assert "choose it alone" in send_again(ada, *rows)
    assert not Letter.objects.filter(status="deferred").exists()


def test_letter_leads_to_the_letters_of_its_game(ada: Visitor, campaign: Campaign) -> None:
    shown = ada.read(page(Letter, "change", letter(campaign).pk))
    assert f'href="{reverse("desk-letters", args=[campaign.game.pk])}"' in shown


def test_letters_are_found_by_the_name_of_their_reader(ada: Visitor, campaign: Campaign) -> None:
    found = ada.get(page(Letter, "changelist"), {"q": "Gustav"}).context["cl"].result_list
    assert {row.address for row in found} == {"gustav@example.org"}
