"""Orders in doubt on the order page and the receipt (contract 3a.4)."""

from __future__ import annotations

import html
import re

import pytest
from django.urls import reverse

from games.positions import in_force
from orders.models import Submission
from tests.support.campaign import Campaign

from .conftest import Browser

pytestmark = pytest.mark.django_db
#: In doubt with one reading, because it asks for more beside orders that it replaces.
DOUBTFUL = "Also 3 in Austria"


@pytest.fixture
def campaign(db: None, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    campaign = Campaign.begin(options={"orders.language": "plain"})
    monkeypatch.setattr("games.base.clock.now", lambda: campaign.now)
    return campaign


def address(campaign: Campaign) -> str:
    return reverse("orders", args=[campaign.game.pk, campaign.seat("Germany").pk])


def form_text(page: str) -> str:
    found = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


def test_sending_orders_in_doubt_fills_the_form_and_sends_nothing(
    as_: Browser, campaign: Campaign
) -> None:
    campaign.order("Germany", "PLACE 5 Poland")
    client = as_("gustav")
    page = client.submit(address(campaign), {"text": DOUBTFUL, "do": "send"})
    assert "Not sent yet: your orders could mean something else" in page
    assert f'<pre class="ordertext">{DOUBTFUL}</pre>' in page
    assert form_text(page) == "PLACE 3 Austria"
    assert "7 of 10 PFs are not placed" in page, "its one question names what would be lost, too"
    assert Submission.objects.count() == 1
    answer = client.post(address(campaign), {"text": form_text(page), "do": "send-anyway"})
    assert answer.status_code == 302
    assert in_force.texts_in_force(campaign.phase)["Germany"] == "PLACE 3 Austria"


def test_link_to_a_question_fills_the_form_and_sends_nothing(
    as_: Browser, campaign: Campaign
) -> None:
    """Mail scanners follow links, so only the button sends (design 8)."""
    asked = campaign.order("Germany", DOUBTFUL)
    page = as_("gustav").read(f"{address(campaign)}?question={asked.seat_number}")
    assert form_text(page) == "PLACE 3 Austria"
    shown = '<pre class="ordertext">PLACE 3 Austria</pre>'
    assert shown in as_("gustav").read(address(campaign))
    assert shown in as_("gustav").read(asked.get_absolute_url())
    assert "Orders No. 1 wait for your answer" in page
    assert "orders No. 1 count at the deadline as we read them" in page
    assert Submission.objects.count() == 1


def test_link_to_a_settled_question_fills_in_the_orders_in_force(
    as_: Browser, campaign: Campaign
) -> None:
    asked = campaign.order("Germany", DOUBTFUL)
    campaign.order("Germany", "PLACE 5 Poland")
    page = as_("gustav").read(f"{address(campaign)}?question={asked.seat_number}")
    assert form_text(page) == "PLACE 5 Poland"
    assert "wait for your answer" not in page


def test_receipt_of_orders_in_doubt_shows_the_reading_and_what_stays(
    as_: Browser, campaign: Campaign
) -> None:
    campaign.order("Germany", "PLACE 5 Poland")
    asked = campaign.order("Germany", DOUBTFUL)
    page = as_("gustav").read(asked.get_absolute_url())
    assert "These orders are in doubt" in page
    assert "orders No. 1 stay in force" in page
    assert "PLACE 3 Austria" in page
    assert f"?question={asked.seat_number}" in page
    campaign.order("Germany", "PLACE 6 Poland")
    page = as_("gustav").read(asked.get_absolute_url())
    assert "which is answered or over" in page
    assert "?question" not in page


def test_receipt_names_orders_that_cannot_be_taken_back_first(
    as_: Browser, campaign: Campaign
) -> None:
    """Contract 3a.2."""
    campaign.order("Germany", "PLACE 5 Austria")
    campaign.pass_deadline()
    submission = campaign.order("Germany", "CONTROL Austria")
    page = as_("gustav").read(submission.get_absolute_url())
    warning = page.index("Cannot be taken back once judged:")
    assert "CONTROL in Austria." in page
    assert warning < page.index("What was understood")


def test_receipt_of_orders_that_counted_in_doubt_is_an_ordinary_one(
    as_: Browser, campaign: Campaign
) -> None:
    campaign.order("Germany", DOUBTFUL)
    campaign.pass_deadline()
    entry = Submission.objects.latest("number")
    page = as_("gustav").read(entry.get_absolute_url())
    assert "Sent in doubt, and counted at the deadline" in page
