"""The page of sent letters, in demonstrations only."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from games import tasks
from games.models import Letter
from games.positions import in_force
from orders.models import Mail
from tests.support.browser import OpenPage
from tests.support.campaign import Campaign

from .conftest import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def test_letters_page_exists_only_in_demonstrations(as_: Browser, campaign: Campaign) -> None:
    letter = Letter.objects.first()
    assert letter is not None
    for name in (None, "gustav", "ada"):
        assert as_(name).get(reverse("letters")).status_code == 404
        assert as_(name).get(reverse("letter", args=[letter.code])).status_code == 404
    assert reverse("letters") not in as_("gustav").read(reverse("home"))


def test_demonstration_shows_letters(as_: Browser, campaign: Campaign, settings: Any) -> None:
    settings.DEMONSTRATION = True
    tasks.do_all_due(campaign.now)
    page = as_().read(reverse("letters"))
    assert "gustav@example.org" in page
    letter = Letter.objects.filter(kind="opened").latest("pk")
    answer = as_().get(reverse("letter", args=[letter.code]))
    shown = answer.content.decode()
    assert letter.subject in shown
    assert 'sandbox="allow-same-origin" srcdoc="' in shown, "no scripts, no forms"
    assert "<html" not in shown.split("srcdoc", 1)[1].split(">", 1)[0], (
        "the letter's own markup is escaped in the frame's attribute"
    )
    assert "script-src" not in answer["Content-Security-Policy"]
    assert "DEMO" in shown
    assert as_().post(reverse("letters")).status_code == 405
    assert as_().get(reverse("letter", args=["0" * 24])).status_code == 404


def test_demonstration_shows_login_letters(as_: Browser, settings: Any) -> None:
    settings.DEMONSTRATION = True
    as_().post(reverse("login"), {"email": "una@example.org"})
    letter = Letter.objects.get(kind="login")
    assert "/login/" in as_().read(reverse("letter", args=[letter.code]))


@pytest.mark.parametrize("demonstration", [True, False])
def test_letters_are_answered_only_in_demonstrations_and_if_they_allow_it(
    as_: Browser, campaign: Campaign, settings: Any, demonstration: bool
) -> None:
    """Issue 24, 10: elsewhere the address does not exist for any reader, with or without incoming
    mail."""
    settings.DEMONSTRATION, settings.MAIL_IN = demonstration, not demonstration
    letter = Letter.objects.filter(kind="begins").latest("pk")
    at = reverse("letter-answer", args=[letter.code])
    for name in (None, "gustav", "ada"):
        assert as_(name).post(at, {"text": "PLACE 1 Poland"}).status_code == 404
        assert as_(name).get(at).status_code == (405 if demonstration else 404)
    assert not Mail.objects.exists()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_orders_are_sent_by_answering_a_letter(open_page: OpenPage, settings: Any) -> None:
    settings.DEMONSTRATION = settings.MAIL_IN = True
    campaign = Campaign.begin()
    letter = Letter.objects.filter(kind="begins", address__startswith="gustav").latest("pk")
    page = open_page(reverse("letter", args=[letter.code]), 390, script=False)
    page.get_by_label("Answer this letter").fill("4 to Poland, the rest to Austria")
    page.get_by_role("button", name="Send the answer").click()
    expect(page.locator("pre.letter")).to_contain_text("PLACE 4 Poland")
    assert in_force.in_force(campaign.phase)["Germany"].channel == "mail"


def test_list_of_letters_shows_kind_and_phase(
    as_: Browser, campaign: Campaign, settings: Any
) -> None:
    """Letters are told apart by subject, kind and phase."""
    settings.DEMONSTRATION = True
    tasks.do_all_due(campaign.now)
    page = as_().read(reverse("letters"))
    assert "Turn 1 placement: your orders by" in page, "the subject, as in a mailbox"
    assert "The letter that opens the phase" in page
    assert "The invitation" in page
    assert "Turn 1, placement" in page
    for kind in ("opened<", "begins<", "invitation<"):
        assert f">{kind}" not in page


def test_letters_are_filtered_by_reader(as_: Browser, campaign: Campaign, settings: Any) -> None:
    """Review of a player, S12."""
    settings.DEMONSTRATION = True
    everybody = as_().read(reverse("letters"))
    assert 'href="?to=gustav%40example.org"' in everybody
    page = as_().read(f"{reverse('letters')}?to=gustav@example.org")
    assert "To gustav@example.org" in page
    assert "To una@example.org" not in page
