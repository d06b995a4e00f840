"""The order page and the receipt."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Letter, Listing, Person, Phase
from games.turns import holds
from orders.models import Draft, Submission
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign, person
from tests.support.letters import letter_text

from .conftest import Browser, Watch

pytestmark = [pytest.mark.django_db, pytest.mark.quick]


def address(campaign: Campaign, nation: str = "Germany", name: str = "orders") -> str:
    return reverse(name, args=[campaign.game.pk, campaign.seat(nation).pk])


def send(client: Client, campaign: Campaign, text: str, **more: str) -> str:
    """Send orders, even invalid ones; return the receipt's address."""
    answer = client.post(address(campaign), {"text": text, "do": "send-anyway", **more})
    assert answer.status_code == 302, answer.content.decode()
    return str(answer["Location"])


def test_order_page_needs_permission(as_: Browser, campaign: Campaign, private: Campaign) -> None:
    """Wrong person, wrong role, wrong method, other game: the page and what its script requests."""
    for name in ("orders", "orders-point"):
        for username in ("charlie", "felix", "ada"):
            assert (
                as_(username).post(address(campaign, name=name), {"text": "PASS"}).status_code
                == 403
            ), (name, username)
        assert as_("charlie").post(address(private, name=name), {"text": "PASS"}).status_code == 404
        answer = as_().post(address(campaign, name=name), {"text": "PASS"})
        assert answer["Location"].startswith(reverse("login"))
        elsewhere = reverse(name, args=[private.game.pk, campaign.seat("Germany").pk])
        assert as_("gustav").post(elsewhere, {"text": "PASS"}).status_code == 404
    assert as_("gustav").put(address(campaign)).status_code == 405
    assert as_("gustav").get(address(campaign, name="orders-point")).status_code == 405
    assert not Submission.objects.exists()


def test_order_page_shows_the_nations_situation(as_: Browser, campaign: Campaign) -> None:
    page = as_("gustav").read(address(campaign))
    assert "Germany has 10 new PFs to place." in page
    assert '<span class="left">10</span> of 10 new PFs left to place.' in page
    assert "Place new PFs" in page
    assert "No orders of yours are in force yet." in page


def test_check_stores_nothing(as_: Browser, campaign: Campaign) -> None:
    text = "PLACE 4 Pol\r\n\r\nWobble 3\r\n# a note\r\n"
    for name, more in (("orders", {"do": "check"}), ("orders-point", {"do": "read"})):
        page = as_("gustav").submit(address(campaign, name=name), {"text": text, **more})
        assert "PLACE 4 Poland" in page
        assert "rejected</span>" in page
        assert "Wobble" in page
        assert "unreadable" not in page, "codes never reach a player"
    assert not Submission.objects.exists()


def test_builder_adds_a_line_with_and_without_a_script(as_: Browser, campaign: Campaign) -> None:
    built = {
        "text": "PLACE 2 Austria",
        "do": "add:PLACE",
        "PLACE-number": "3",
        "PLACE-area": "Poland",
    }
    for name in ("orders", "orders-point"):
        answer = as_("gustav").post(address(campaign, name=name), built)
        page = answer.content.decode() if name == "orders" else answer.json()["text"]
        assert "PLACE 2 Austria\nPLACE 3 Poland" in page, name
    page = as_("gustav").submit(address(campaign), built | {"PLACE-number": "300"})
    assert "whole number from 1 to 10" in page
    assert "PLACE 2 Austria" in page
    page = as_("gustav").submit(address(campaign), built | {"PLACE-area": "Atlantis"})
    assert "Choose again" in page
    assert not Submission.objects.exists()


def test_builder_makes_attacks(as_: Browser, campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("Russia", "PLACE 3 Poland")
    campaign.order("France", "PLACE 3 Poland")
    campaign.pass_deadline()
    built = {
        "text": "",
        "do": "add:ATTACK",
        "ATTACK-area": "Poland",
        "ATTACK-nations": ["Russia", "France"],
        "ATTACK-stock": "ge ibm",
    }
    page = as_("gustav").submit(address(campaign), built)
    assert "STOCK GE/IBM" in page
    page = as_("gustav").submit(address(campaign), built | {"ATTACK-nations": []})
    assert "Choose a nation in Poland: France, Russia." in page
    page = as_("gustav").submit(address(campaign), built | {"ATTACK-nations": ["Mars"]})
    assert "“Mars” is not possible in Poland" in page
    page = as_("gustav").submit(address(campaign), built | {"ATTACK-stock": "A B C D"})
    assert "“A B C D” names 4 stocks" in page
    page = as_("gustav").submit(address(campaign), built | {"ATTACK-stock": "4%"})
    assert "not a stock symbol" in page


def in_attacks(**given: Any) -> Campaign:
    campaign = Campaign.begin(**given)
    for nation in ("Germany", "France"):
        campaign.order(nation, "PLACE 6 Poland")
    campaign.pass_deadline()
    return campaign


def test_binding_list_of_stocks_is_offered_as_choices(as_: Browser) -> None:
    """rules.md 0.1, `rng.stock_choice` = list_only: allowed stocks are offered, others flagged."""
    campaign = in_attacks(options={"rng.stock_choice": "list_only"})
    client, built = (
        as_("gustav"),
        {"text": "", "do": "add:ATTACK", "ATTACK-area": "Poland", "ATTACK-nations": "France"},
    )
    page = client.read(address(campaign))
    assert page.count('name="ATTACK-stock"') == 3
    assert all(page.count(f">{symbol}</option>") == 3 for symbol in campaign.game.reserves)
    page = client.submit(address(campaign), built | {"ATTACK-stock": ["IBM", "", "GE"]})
    assert "ATTACK Poland: France STOCK IBM/GE" in page
    assert page.count("<option selected>IBM</option>") == 1, "what was picked stays picked"
    page = client.submit(address(campaign), built | {"ATTACK-stock": ["", "", ""]})
    assert "ATTACK Poland: France\n" in page
    typed = {"text": "ATTACK Poland: France STOCK QQQQ"}
    assert "names QQQQ, not on the published list" in client.submit(
        address(campaign, name="orders-point"), typed
    )


def test_free_choice_of_stock_is_typed(as_: Browser) -> None:
    page = as_("gustav").read(address(in_attacks()))
    assert page.count('name="ATTACK-stock"') == 1
    assert "<option>GE</option>" not in page


def test_doubtful_stock_is_flagged_while_typing_and_on_the_receipt(as_: Browser) -> None:
    """foundations.md 2, policies 3 and 4: unknown, or named twice; in time to change it."""
    campaign = in_attacks()
    client = as_("gustav")
    text = "ATTACK Poland: France STOCK ZZTOP\nATTACK Austria: France STOCK ZZTOP"
    page = client.submit(address(campaign, name="orders-point"), {"text": text})
    receipt = client.read(send(client, campaign, text))
    for shown in (page, receipt):
        assert shown.count("ZZTOP never has a report on the DEMO exchange") == 1
        assert "names ZZTOP again" in shown
        assert "warning</span>" in shown
        assert "stock_unknown" not in shown, "codes never reach a player"


def test_later_finding_about_a_stock_is_on_the_receipt_while_orders_can_change(
    as_: Browser,
) -> None:
    """foundations.md 2, policy 3: the submission is evidence and keeps its first remarks."""
    campaign = in_attacks(market="yahoo")
    client = as_("gustav")
    receipt = send(client, campaign, "ATTACK Poland: France STOCK GONE")
    assert "GONE is not a stock" not in client.read(receipt)
    Listing.objects.create(
        symbol="GONE", source="yahoo", verdict="unknown", checked_at=campaign.now
    )
    page = client.read(receipt)
    assert page.count("GONE is not a stock that Yahoo knows: it has no usable report") == 1
    assert Submission.objects.latest("number").remarks == []
    Phase.objects.filter(pk=campaign.phase.pk).update(status="locked")
    assert "GONE is not a stock" not in client.read(receipt)


def test_sent_orders_get_a_receipt(as_: Browser, campaign: Campaign) -> None:
    client = as_("gustav")
    receipt = send(client, campaign, "PLACE 4 Poland\r\nWobble 3")
    submission = Submission.objects.get()
    assert submission.text == "PLACE 4 Poland\nWobble 3"
    assert submission.channel == "web"
    assert submission.person == person("gustav")
    page = client.read(receipt)
    for phrase in (
        "Receipt No. 1",
        "PLACE 4 Poland",
        "Wobble 3",
        "rejected</span>",
        submission.hash,
        "These orders are in doubt",
        "18:00 UTC",
    ):
        assert phrase in page
    assert "unreadable" not in page
    assert "No. 1" in client.read(address(campaign))
    assert "PLACE 4 Poland" in client.read(address(campaign)), (
        "the text in force is there to be changed"
    )


def test_newer_orders_replace_older_ones(as_: Browser, campaign: Campaign) -> None:
    client = as_("gustav")
    first = send(client, campaign, "PLACE 4 Poland")
    send(client, campaign, "PLACE 5 Austria")
    page = client.read(first)
    assert "Newer orders have replaced these." in page
    assert "No. 2" in page


def test_empty_orders_are_explained_and_kept(as_: Browser, campaign: Campaign) -> None:
    answer = as_("gustav").post(address(campaign), {"text": "# only a note", "do": "send"})
    page = answer.content.decode()
    why = page.index("Nothing was written. To send no orders on purpose, write PASS.")
    assert page.index("Not sent") < why < page.index('id="pointing"'), "it stands above the map"
    assert "Your 10 PFs go to Germany." in page
    assert "# only a note" in page
    assert not Submission.objects.exists()


def test_lines_to_be_refused_need_a_confirmation(as_: Browser, campaign: Campaign) -> None:
    """Review S13: nothing is sent until the sender confirms, and the text is saved."""
    client, text = as_("gustav"), "PLACE 4 Poland\n\nPLACE 3 Atlantis\nWobble"
    page = client.submit(address(campaign), {"text": text, "do": "send"})
    assert "Not sent yet: 2 of 3 lines would be refused." in page
    assert 'value="send-anyway"' in page
    assert not Submission.objects.exists()
    assert Draft.objects.get().text == text
    receipt = client.read(send(client, campaign, text))
    assert "2 lines were rejected" in receipt
    assert Submission.objects.get().text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Wobble", "The line would be refused."),
        ("Wobble\nWibble", "All lines would be refused."),
        ("PLACE 2 Poland\n\nWobble", "1 of 2 lines would be refused."),
    ],
)
def test_confirmation_counts_refused_lines(
    as_: Browser, campaign: Campaign, text: str, words: str
) -> None:
    page = as_("gustav").submit(address(campaign), {"text": text, "do": "send"})
    assert f"Not sent yet: {words}" in page


def test_late_orders_are_received_without_a_confirmation(as_: Browser, campaign: Campaign) -> None:
    """Late orders change nothing and are stored as they came."""
    Phase.objects.filter(pk=campaign.phase.pk).update(status=Phase.Status.LOCKED)
    answer = as_("gustav").post(address(campaign), {"text": "Wobble", "do": "send"})
    assert answer.status_code == 302
    assert Submission.objects.get().late


def test_too_long_orders_are_refused(as_: Browser, campaign: Campaign) -> None:
    page = as_("gustav").submit(
        address(campaign), {"text": "PLACE 1 Poland\n" * 2000, "do": "send"}
    )
    assert "at most 20,000" in page
    assert not Submission.objects.exists()


def test_unreadable_orders_replace_nothing(as_: Browser, campaign: Campaign) -> None:
    client = as_("gustav")
    page = client.read(send(client, campaign, "Wobble"))
    assert "No line could be read" in page
    assert "has no orders in force" in page
    send(client, campaign, "PLACE 4 Poland")
    page = client.read(send(client, campaign, "Wobble"))
    assert "In force is" in page
    assert "No. 2" in page


def test_late_orders_are_stored_and_marked_as_late(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    watch.pass_by(minutes=61)
    client = as_("gustav")
    page = client.read(send(client, campaign, "PLACE 4 Poland"))
    assert "came late" in page
    assert Submission.objects.get().late


def test_orders_for_a_closed_phase_do_not_count_for_the_next(
    as_: Browser, campaign: Campaign
) -> None:
    """rules 0.2: a page left open over the deadline must not send its PASS into the next phase."""
    seat = campaign.seat("Germany")
    browser = as_("gustav")
    page = browser.read(f"/games/{campaign.game.pk}/orders/{seat.pk}/")
    assert 'name="phase" value="1"' in page
    first = campaign.pass_deadline()
    browser.post(
        f"/games/{campaign.game.pk}/orders/{seat.pk}/", {"text": "PASS", "do": "send", "phase": "1"}
    )
    submission = Submission.objects.get(seat=seat)
    assert submission.phase == first
    assert submission.late
    assert not submission.counts


def test_pages_of_an_open_phase_that_is_held_take_orders(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """They count if they come by the announced deadline (tests/orders/test_ledger.py); the pages
    said that they were late, and that those in force were so “when the phase closed”."""
    phase = campaign.phase
    holds.hold_open(phase, "It could not be given its time back.", campaign.now)
    gustav = as_("gustav")
    assert "Write Germany’s orders" in gustav.read(campaign.game.get_absolute_url())
    count = "The phase waits for the gamesmaster. Orders that you send by"
    assert count in gustav.read(address(campaign))
    receipt = gustav.read(send(gustav, campaign, "PLACE 10 Poland"))
    assert "send the whole set again before the deadline" in receipt
    assert "when the phase closed" not in receipt
    assert "<dt>Salt</dt>" not in receipt, "it would tell who else has sent orders since"
    assert "Held for the gamesmaster." in Visitor().read(campaign.game.get_absolute_url())
    assert "In force. You can replace them" in gustav.read(campaign.game.get_absolute_url())
    watch.set(phase.deadline + timedelta(minutes=1))
    assert "it is late and changes nothing" in gustav.read(address(campaign))


def test_order_page_of_a_closed_phase_does_not_say_that_orders_are_replaced(
    as_: Browser, campaign: Campaign
) -> None:
    client = as_("gustav")
    send(client, campaign, "PLACE 4 Poland")
    assert "What you send replaces it" in client.read(address(campaign))
    Phase.objects.filter(pk=campaign.phase.pk).update(status="locked")
    page = client.read(address(campaign))
    assert "In force: " in page
    assert "What you send replaces it" not in page


def test_receipt_says_that_a_letter_says_the_same_only_to_those_who_get_it(
    as_: Browser, campaign: Campaign
) -> None:
    client = as_("gustav")
    assert "A letter says the same." in client.read(send(client, campaign, "PLACE 4 Poland"))
    Person.objects.filter(pk=person("gustav").pk).update(receipts=False)
    page = client.read(send(client, campaign, "PLACE 10 Poland"))
    assert "Receipt No. 2" in page
    assert "A letter says the same." not in page


def test_final_is_offered_only_if_phases_may_end_early(as_: Browser, campaign: Campaign) -> None:
    assert 'name="final"' not in as_("gustav").read(address(campaign))
    early = Campaign.begin(may_lock_early=True)
    assert 'name="final"' in as_("gustav").read(address(early))
    client = as_("gustav")
    page = client.read(send(client, early, "PASS", final="on"))
    assert "and final" in page
    refused = client.read(send(client, early, "PLACE 4 Atlantis", final="on"))
    assert "No line could be read" in refused
    assert "to take yours back" not in refused


def test_forming_and_finished_games_take_no_orders(as_: Browser, db: None) -> None:
    campaign = Campaign.open()
    answer = as_("gustav").post(address(campaign), {"text": "PASS", "do": "send"})
    assert "has not begun" in answer.content.decode()
    campaign.game.status = "finished"
    campaign.game.save()
    assert "No orders are due now" in as_("gustav").read(address(campaign))
    assert not Submission.objects.exists()


def test_orders_of_another_nation_are_never_shown(as_: Browser, campaign: Campaign) -> None:
    submission = campaign.order("Germany", "PLACE 7 Rumania")
    receipt = submission.get_absolute_url()
    for name in ("felix", "charlie"):
        assert as_(name).get(receipt).status_code == 404
    assert as_().get(receipt).status_code == 302
    assert as_("ada").get(receipt).status_code == 200, "the gamesmaster reads what he has to run"
    assert as_("gustav").post(receipt).status_code == 405
    assert "PLACE 7" not in as_("felix").read(address(campaign, "France"))


def test_receipt_belongs_to_its_game(as_: Browser, campaign: Campaign, private: Campaign) -> None:
    submission = campaign.order("Germany", "PASS")
    there = reverse("receipt", args=[private.game.pk, submission.seat_id, 1])
    assert as_("gustav").get(there).status_code == 404
    secret = private.order("Germany", "PASS")
    assert as_("charlie").get(secret.get_absolute_url()).status_code == 404


def test_user_text_is_escaped_on_order_pages(as_: Browser, campaign: Campaign) -> None:
    evil = "</textarea><script>alert(1)</script>"
    for name in ("orders", "orders-point"):
        answer = as_("gustav").post(address(campaign, name=name), {"text": evil, "do": "check"})
        shown = [answer.content.decode()] if name == "orders" else answer.json()["parts"].values()
        assert not any("<script>alert" in html for html in shown)


def test_only_possible_target_is_attacked_without_choosing(
    as_: Browser, campaign: Campaign
) -> None:
    """Without scripts the page cannot tick the box by itself."""
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("Russia", "PLACE 3 Poland")
    campaign.pass_deadline()
    built = {"text": "", "do": "add:ATTACK", "ATTACK-area": "Poland", "ATTACK-stock": "GE"}
    assert "ATTACK Poland: Russia STOCK GE" in as_("gustav").submit(address(campaign), built)


@pytest.mark.parametrize("number", ["", "0", "-3", "99999999999999999999", "٣x", "<b>4</b>", "😀"])
def test_invalid_number_is_quoted_and_the_text_is_kept(
    as_: Browser, campaign: Campaign, number: str
) -> None:
    built = {
        "text": "PLACE 2 Poland",
        "do": "add:PLACE",
        "PLACE-number": number,
        "PLACE-area": "Austria",
    }
    page = as_("gustav").submit(address(campaign), built)
    assert "a whole number from 1 to 10." in page
    assert "PLACE 2 Poland" in page
    assert "<b>4</b>" not in page


def test_newcomer_finds_everything_needed_on_the_page(as_: Browser, campaign: Campaign) -> None:
    """What PFs are, what the own nation scores, what a line looks like; no other nation's
    objectives."""
    page = as_("gustav").read(address(campaign))
    assert "points of influence" in page
    assert "What Germany gets and what it scores" in page
    assert "Austria: CONTROL 5." in page
    assert "Such as <code>PLACE" in page
    assert "What France gets" not in page


def test_deadline_counts_down_by_the_services_clock(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """Without a script the words stay; a reader's own clock may be wrong and is not used."""
    watch.set(campaign.now)
    for page in (
        as_("gustav").get(address(campaign)),
        as_("gustav").get(campaign.game.get_absolute_url()),
    ):
        shown = page.content.decode()
        assert (
            f'class="countdown" datetime="{campaign.phase.deadline.isoformat()}"'
            f' data-now="{campaign.now.isoformat()}"' in shown
        )
        assert "n\xa060\xa0minutes</time>" in shown


def test_receipt_begins_with_rejected_lines(as_: Browser, campaign: Campaign) -> None:
    client = as_("gustav")
    page = client.read(send(client, campaign, "Wobble 3\nWibble 4\nPLACE 4 Poland"))
    assert "2 lines were rejected" in page.split("What was understood")[0]
    page = client.read(send(client, campaign, "PLACE 4 Poland"))
    assert "rejected" not in page


def test_check_buttons_return_to_the_text(as_: Browser, campaign: Campaign) -> None:
    """Without scripts a check is a new page: it opens at the orders, not at its top."""
    page = as_("gustav").read(address(campaign))
    assert 'value="check" class="quiet" formaction="#writing"' in page
    assert 'id="writing"' in page


def open_page(client: Client, campaign: Campaign, nation: str = "Germany") -> dict[str, str]:
    """Open the order page; return the fields that its form sends back."""
    page = client.get(address(campaign, nation)).content.decode()
    match = re.search(r'name="seen" value="([0-9a-f]*)"', page)
    assert match is not None
    return {"do": "send-anyway", "phase": "1", "seen": match[1]}


def test_repeated_orders_get_one_receipt(as_: Browser, campaign: Campaign) -> None:
    """ways-in.md B7: a double click, or Back and Send, gave two numbers and two letters."""
    gustav = as_("gustav")
    page = open_page(gustav, campaign)
    first = send(gustav, campaign, "PLACE 4 Poland", **page)
    assert send(gustav, campaign, "PLACE 4 Poland", **page) == first
    assert Submission.objects.count() == 1
    assert Letter.objects.filter(kind="receipt").count() == 1
    campaign.game.refresh_from_db()
    assert campaign.game.last_submission == 1
    final = send(gustav, campaign, "PLACE 4 Poland", final="on", **open_page(gustav, campaign))
    assert final != first


def test_orders_that_arrived_meanwhile_are_shown_before_they_are_replaced(
    as_: Browser, campaign: Campaign
) -> None:
    """ways-in.md B7: a tab opened before orders by mail replaced them without a word."""
    gustav = as_("gustav")
    old = open_page(gustav, campaign)
    campaign.order("Germany", "PLACE 7 Poland")
    answer = gustav.post(address(campaign), {"text": "PLACE 2 Poland", **old})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert Submission.objects.count() == 1
    assert "orders No. 1 came" in page
    assert "PLACE 7 Poland" in page
    assert "PLACE 2 Poland" in page
    again = re.search(r'name="seen" value="([0-9a-f]*)"', page)
    assert again is not None
    receipt = send(gustav, campaign, "PLACE 2 Poland", seen=again[1])
    assert "They replaced" in as_("gustav").read(receipt)


def test_order_page_replaces_the_orders_it_has_shown(as_: Browser, campaign: Campaign) -> None:
    gustav = as_("gustav")
    send(gustav, campaign, "PLACE 4 Poland", **open_page(gustav, campaign))
    send(gustav, campaign, "PLACE 5 Poland", **open_page(gustav, campaign))
    assert Submission.objects.count() == 2


def test_concurrent_sessions_are_told_of_each_others_orders(
    as_: Browser, campaign: Campaign
) -> None:
    """ways-in.md B7: two people in one seat in the same second did not see each other's orders."""
    gustav, again = as_("gustav"), as_("gustav")
    page, same = open_page(gustav, campaign), open_page(again, campaign)
    first = send(gustav, campaign, "PLACE 4 Poland", **page)
    shown = again.post(address(campaign), {"text": "PLACE 5 Poland", **same}).content.decode()
    assert "orders No. 1 came from the order page" in shown
    match = re.search(r'name="seen" value="([0-9a-f]*)"', shown)
    assert match is not None
    send(again, campaign, "PLACE 5 Poland", seen=match[1])
    assert "Newer orders have replaced these." in as_("gustav").read(first)
    letter = Letter.objects.filter(kind="receipt").order_by("-pk")[0]
    assert "they replace No. 1" in letter_text(letter)


def test_receipt_does_not_reveal_whether_others_have_sent_orders(
    as_: Browser, campaign: Campaign
) -> None:
    """mail.md B10: with its salt or the previous hash a player could compute what came between."""
    campaign.order("France", "PLACE 1 Poland")
    theirs = Submission.objects.get()
    receipt = send(as_("gustav"), campaign, "PLACE 4 Poland")
    mine = Submission.objects.last()
    assert mine is not None
    assert mine.previous_hash == theirs.hash
    page = as_("gustav").read(receipt)
    assert mine.hash in page
    assert theirs.hash not in page
    assert mine.salt not in page
    campaign.pass_deadline()
    page = as_("gustav").read(receipt)
    assert mine.salt in page
    assert theirs.hash not in page
