"""Letters about orders in doubt: receipt, reminder, lock and report (contract 3a.4)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import Settings

from orders.intake import telephone
from tests.support.campaign import Campaign
from tests.support.letters import letter_text

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
#: In doubt with one reading, because it asks for more beside orders that it replaces.
DOUBTFUL = "Also 3 in Austria"


@pytest.fixture
def campaign(db: None, settings: Settings) -> Campaign:
    settings.MAIL_IN = True
    return Campaign.begin(options={"orders.language": "plain"})


def newest(campaign: Campaign, kind: str, name: str = "gustav") -> str:
    """Return the newest letter of a kind to a person, on one line."""
    return " ".join(letter_text(campaign.letters(kind, name)[-1]).split())


def test_receipt_asks_and_says_what_stays_in_force(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 5 Poland")
    campaign.order("Germany", DOUBTFUL)
    text = newest(campaign, "receipt")
    assert "Orders No. 2 for Germany are in doubt." in text
    assert "We would read your orders so: PLACE 3 Austria Reply YES to send these" in text
    assert "orders No. 1 stay in force" in text
    assert "REJECTED" not in text


def test_receipt_names_orders_that_cannot_be_taken_back(campaign: Campaign) -> None:
    """Contract 3a.2."""
    campaign.order("Germany", "PLACE 5 Austria")
    campaign.pass_deadline()
    campaign.order("Germany", "CONTROL Austria")
    text = newest(campaign, "receipt")
    assert "CANNOT BE TAKEN BACK ONCE JUDGED CONTROL in Austria." in text
    assert text.index("CANNOT BE TAKEN BACK") < text.index("UNDERSTOOD")


def test_reminder_says_that_orders_wait_for_an_answer(campaign: Campaign) -> None:
    """Who wrote in doubt still owes an answer."""
    campaign.order("Germany", DOUBTFUL)
    remind_at = campaign.phase.remind_at
    assert remind_at is not None
    campaign.wait_until(remind_at)
    text = newest(campaign, "reminder")
    assert "Your orders are in doubt and wait for your answer." in text
    assert "PLACE 3 Austria Reply YES to send these." in text
    assert "orders No. 1 count at the deadline as we read them" in text
    assert "No orders of yours are in force yet" in newest(campaign, "reminder", "felix")


def test_report_tells_only_its_nation_and_who_runs_the_game(campaign: Campaign) -> None:
    campaign.order("Germany", DOUBTFUL)
    campaign.pass_deadline()
    told = "Germany, No. 2: PLACE 3 Austria"
    assert told in newest(campaign, "board")
    assert told in newest(campaign, "board", "ada")
    assert "IN DOUBT" not in newest(campaign, "board", "felix")


def test_report_and_lock_letter_tell_that_orders_in_doubt_did_not_count(campaign: Campaign) -> None:
    """They said “You sent no orders” alone, to a player who had sent some and had not seen the
    question (3a.4: what cannot be taken back never counts unconfirmed)."""
    left = "Orders No. {} were in doubt and were not confirmed before the deadline"
    campaign.order("Germany", "Sorry! Here they are again.\n\nI place\n5 in Poland")
    campaign.order("Russia", "PLACE 4 Poland")
    campaign.order("Russia", "Also 3 in Austria")
    campaign.order("France", "Also 3 in Austria")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    for name, number in (("gustav", 1), ("rosa", 2)):
        assert left.format(number) in newest(campaign, "board", name)
    for name in ("felix", "bea", "ada"):  # a newer set has answered France's question
        assert "were in doubt" not in newest(campaign, "board", name)
    campaign.order("France", "ATTACK Poland: Russia STOCK GE")
    campaign.order("Russia", "ATTACK Poland: France STOCK GE\nOnly if Felix agrees.")
    campaign.wait_until(campaign.phase.deadline + timedelta(seconds=5))
    locked = newest(campaign, "locked", "rosa")
    assert left.format(3) in locked
    assert "You sent none" not in locked


def test_lock_letter_tells_its_nation(campaign: Campaign) -> None:
    campaign.place_in_poland()
    campaign.order("Germany", "Also attack France in Poland with GE")
    campaign.wait_until(campaign.phase.deadline + timedelta(seconds=5))
    assert "counted because nothing else was in force" in newest(campaign, "locked")
    assert "counted because" not in newest(campaign, "locked", "felix")


def test_orders_in_doubt_by_telephone_are_told_and_answered(campaign: Campaign) -> None:
    seat, phase = campaign.seat("Germany"), campaign.phase
    back = telephone.read_back(seat, phase, DOUBTFUL, campaign.now)
    assert back.doubt is not None
    assert back.doubt.lines == ("PLACE 3 Austria",)
    submission = telephone.take_down(
        seat, DOUBTFUL, campaign.ada, campaign.now, caller=None, read_back=False
    )
    said = telephone.in_doubt(submission)
    assert "We would read them so: PLACE 3 Austria." in said
