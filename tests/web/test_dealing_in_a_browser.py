"""Deals made in Chromium: proposed, changed, accepted by people and bots, kept and broken (issue
27, 5 and 6)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from games import tasks
from games.desk import practice
from games.models import Game, ProposalAnswer
from games.press import deals
from tests.orders.test_bargaining import begin, play_phase, propose, set_board
from tests.support.browser import OpenPage
from tests.support.campaign import MONDAY, Campaign

from .conftest import Watch

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def propose_peace(page: Page, to: str, until: str) -> None:
    page.locator("#id_to").select_option(to)
    page.locator("#id_who_0").select_option("BOTH")
    page.locator("#id_verb_0").select_option("peace")
    page.locator("#id_until_0").select_option(until)
    page.get_by_role("button", name="Propose it").click()
    expect(page.locator("body")).to_contain_text(f"Proposed to {to} as your deal No.")


def test_newcomer_deals_with_a_bot_that_keeps_its_word_and_one_that_breaks_it(
    open_page: OpenPage, watch: Watch
) -> None:
    """2 PFs beside 12 of each bot; in practice games bots answer at once."""
    game, newcomer = begin("France", Russia="honest", Germany="rogue")
    tasks.do_all_due(MONDAY)
    second = play_phase(game, newcomer, "PASS", 1)
    alone = dict.fromkeys(("USA", "Britain"), 0)
    weak = {"Poland": "Germany", "Rumania": "Russia"}
    set_board(game, {area: {**alone, bot: 12, "France": 2} for area, bot in weak.items()})
    watch.set(MONDAY + timedelta(seconds=second))
    page = open_page(game.get_absolute_url(), 390, who=newcomer)
    page.get_by_role("link", name="Deals").first.click()
    for bot in weak.values():
        propose_peace(page, bot, "1")
        # Issue 44.2 (N3): the answer stands on top, and the newest is the first.
        newest = page.locator("section.answers li").first
        expect(newest).to_contain_text(f"{bot} ")
        expect(page.locator("body")).not_to_contain_text("No deals yet.")
    boxes = [page.locator(at).first.bounding_box() for at in (".answers", ".deal", ".proposal")]
    tops = [box["y"] for box in boxes if box is not None]
    assert tops == sorted(tops)
    accepted = ProposalAnswer.objects.filter(kind=ProposalAnswer.Kind.ACCEPTED)
    for bot in weak.values():
        if accepted.filter(proposal__to__nation=bot).exists():
            continue
        agreed = propose(game, newcomer, bot, "PEACE UNTIL TURN 1", second)
        how = {"channel": "program", "now": agreed.made_at}
        deals.answer(agreed, agreed.to, ProposalAnswer.Kind.ACCEPTED, None, **how)  # type: ignore[arg-type]
    tasks.do_all_due(watch.pass_by(seconds=1))
    play_phase(game, newcomer, "PASS", second + 2)
    page.reload()
    russian = page.locator("article.deal").filter(
        has_text="France and Russia do not attack each other"
    )
    german = page.locator("article.deal").filter(
        has_text="France and Germany do not attack each other"
    )
    expect(russian.locator(".kept", has_text="Russia")).to_have_count(1)
    expect(german.locator(".broken", has_text="Germany")).to_contain_text("attacks France")
    expect(page.locator("body")).not_to_contain_text("Rogue")
    practice.give_up(Game.objects.get(pk=game.pk), newcomer, watch.now)
    page.reload()
    expect(german.locator(".broken", has_text="Germany")).to_contain_text(
        "Rogue: Germany promises anything and keeps what suits it"
    )
    page.get_by_text("The bots’ characters").click()
    expect(page.locator("details.characters")).to_contain_text(
        "Russia, Honest: makes deals readily"
    )


def test_two_people_agree_on_a_counter_proposal(open_page: OpenPage, watch: Watch) -> None:
    campaign = Campaign.begin()
    campaign.place_in_poland()
    watch.set(campaign.now)
    at = reverse("deals", args=[campaign.game.pk])
    felix, gustav = open_page(at, 1440, who="felix"), open_page(at, 390, who="gustav")
    watch.pass_by(seconds=1)
    propose_peace(felix, "Germany", "1")
    expect(gustav.locator("#news")).to_contain_text("France proposes a deal to you.")
    gustav.locator("#news a").click()
    gustav.get_by_role("link", name="Change it").click()
    expect(gustav.locator("#propose")).to_have_text("Instead of No. 1")
    expect(gustav.locator("#id_to")).to_have_value("France")
    gustav.locator("#id_area_0").select_option("Poland")
    watch.pass_by(seconds=1)  # the page of Felix is older than the proposal
    gustav.get_by_role("button", name="Propose it").click()
    expect(gustav.locator("body")).to_contain_text("Proposed to France as your deal No. 2.")
    expect(felix.locator("#news")).to_contain_text("Germany proposes a deal to you.")
    felix.reload()
    felix.get_by_role("button", name="Accept No. 2").click()
    expect(felix.locator("body")).to_contain_text("You have accepted No. 2.")
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    campaign.pass_deadline()
    watch.set(campaign.now)
    felix.reload()
    expect(felix.locator(".broken", has_text="Germany")).to_contain_text("attacks France")
    expect(felix.locator(".kept", has_text="France")).to_have_count(1)
