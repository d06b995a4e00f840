"""The page of deals: proposals, answers, counter-proposals, and results (issue 27.5)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.urls import reverse

from games import desk, permissions
from games.models import Game, Press, Proposal, ProposalAnswer
from games.press import conversations, deals
from games.seats.press_rules import PressError
from tests.support.campaign import Campaign, person

from .conftest import Browser

pytestmark = pytest.mark.django_db
Kind = ProposalAnswer.Kind


def page(campaign: Campaign) -> str:
    return reverse("deals", args=[campaign.game.pk])


def agree(campaign: Campaign, by: str, to: str, text: str) -> Proposal:
    how: dict[str, Any] = {"channel": "web", "now": campaign.now}
    seat, other = campaign.seat(by), campaign.seat(to)
    made = deals.propose(campaign.game, seat, campaign.players[by], other, text, **how)
    deals.answer(made, other, Kind.ACCEPTED, campaign.players[to], **how)
    return made


def form(to: str, **fields: str) -> dict[str, str]:
    return {"to": to, **{f"{name}_0": value for name, value in fields.items()}}


def test_deal_is_proposed_and_accepted_on_the_page(as_: Browser, campaign: Campaign) -> None:
    felix, gustav = as_("felix"), as_("gustav")
    peace = form("Germany", who="BOTH", verb="peace", area="Poland", until="4")
    felix.post(page(campaign), peace)
    assert Proposal.objects.get().text == "PEACE Poland UNTIL TURN 4"
    shown = gustav.read(page(campaign))
    assert "Waiting for your answer" in shown
    assert "France and Germany do not attack each other in Poland through turn 4." in shown
    assert "A deal waits" in gustav.read(campaign.game.get_absolute_url())
    gustav.post(reverse("deal-answer", args=[campaign.game.pk, 1]), {"answer": "accepted"})
    assert "Germany accepted" in felix.read(page(campaign))
    assert "not yet due" in felix.read(page(campaign))


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({"verb": "attack", "area": "Poland"}, "Choose whom you attack."),
        ({"verb": "attack", "target": "Russia"}, "Choose where you attack."),
        ({"verb": "leave"}, "Choose which area is left alone."),
        ({"verb": "share"}, "Choose where you share CONTROL."),
    ],
)
def test_incomplete_deal_is_refused_and_stays_chosen(
    as_: Browser, campaign: Campaign, fields: dict[str, str], asked: str
) -> None:
    """A reader who used lists was told how to write the line."""
    shown = as_("felix").submit(page(campaign), form("Germany", who="YOU", until="2", **fields))
    assert asked in shown
    assert "is missing" not in shown
    assert f'<option value="{fields["verb"]}" selected>' in shown
    assert not Proposal.objects.exists()


def test_deals_are_not_offered_while_letters_are_closed(as_: Browser, campaign: Campaign) -> None:
    """Deals follow the rules for letters: the buttons could only be refused."""
    as_("felix").post(page(campaign), form("Germany", verb="peace", until="4"))
    assert "<button" in as_("gustav").read(page(campaign)).partition("<main")[2]
    press = campaign.game.press | {"closed": "placement"}
    Game.objects.filter(pk=campaign.game.pk).update(press=press)
    for name in ("gustav", "felix"):
        shown = as_(name).read(page(campaign)).partition("<main")[2].partition("</main")[0]
        assert "no deals are made or answered until it is resolved" in shown
        assert "France and Germany do not attack each other" in shown
        assert "<button" not in shown
    refused = as_("gustav").submit(
        reverse("deal-answer", args=[campaign.game.pk, 1]), {"answer": "accepted"}, follow=True
    )
    assert "You cannot make or answer deals in Turn 1, placement, until it is resolved." in refused


def test_counter_proposal_is_prefilled_from_the_other_side(
    as_: Browser, campaign: Campaign
) -> None:
    how: dict[str, Any] = {"channel": "web", "now": campaign.now}
    seat, other = campaign.seat("France"), campaign.seat("Germany")
    text = "PEACE Poland UNTIL TURN 3; I LEAVE Austria UNTIL TURN 2"
    deals.propose(campaign.game, seat, person("felix"), other, text, **how)
    gustav = as_("gustav")
    shown = gustav.read(page(campaign), {"counter": 1})
    assert "Instead of No. 1" in shown
    assert '<option value="YOU" selected>you</option>' in shown
    fields = form("France", who="BOTH", verb="peace", area="Poland", until="5")
    gustav.post(page(campaign), {**fields, "counters": "1"})
    newest = Proposal.objects.latest("pk")
    assert newest.counters is not None
    assert newest.counters.answer.kind == Kind.COUNTERED


def test_deals_page_shows_broken_promises(as_: Browser, campaign: Campaign) -> None:
    campaign.place_in_poland()
    agree(campaign, "France", "Germany", "PEACE Poland")
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    campaign.pass_deadline()
    shown = as_("felix").read(page(campaign))
    assert '<span class="came broken"><strong>Germany</strong> broken' in shown
    assert '<span class="came kept"><strong>France</strong> kept' in shown


def test_deals_are_hidden_from_others(as_: Browser, campaign: Campaign) -> None:
    agree(campaign, "France", "Germany", "PEACE Baltic States UNTIL TURN 5")
    for name in ("bea", "ada"):
        assert "Baltic States through" not in as_(name).read(page(campaign)), name
    assert as_("charlie").get(page(campaign)).status_code == 403
    assert as_("bea").get(f"{page(campaign)}?counter=1").status_code == 200


def test_folded_deals_do_not_take_the_style_of_the_list_of_reports(
    as_: Browser, campaign: Campaign
) -> None:
    """That style keeps quiet words on one line, which made a telephone scroll sideways."""
    how: dict[str, Any] = {"channel": "web", "now": campaign.now}
    seat, other = campaign.seat("France"), campaign.seat("Germany")
    made = deals.propose(campaign.game, seat, person("felix"), other, "PEACE Poland", **how)
    why = "We may both want Poland."
    deals.answer(made, other, Kind.DECLINED, campaign.players["Germany"], reason=why, **how)
    shown = as_("felix").read(page(campaign))
    assert f"<q>{why}</q>" in shown
    assert "<strong>Germany declines No. 1</strong>" in shown
    assert "No deals yet" not in shown  # issue 44.2 (N3): there has been one
    assert "<details><summary>Declined, withdrawn and lapsed (1)</summary>" in shown
    assert 'class="past"' not in shown


def test_stranger_cannot_answer_a_deal(as_: Browser, campaign: Campaign) -> None:
    how: dict[str, Any] = {"channel": "web", "now": campaign.now}
    seat, other = campaign.seat("France"), campaign.seat("Germany")
    deals.propose(campaign.game, seat, person("felix"), other, "PEACE", **how)
    address = reverse("deal-answer", args=[campaign.game.pk, 1])
    for name in ("bea", "charlie", "felix"):
        as_(name).post(address, {"answer": "accepted"})
    assert not ProposalAnswer.objects.exists()


@pytest.mark.parametrize(("rule", "is_open"), [("private", False), ("released", True)])
def test_finished_game_shows_all_deals_if_the_game_says_so(
    as_: Browser, rule: str, is_open: bool
) -> None:
    campaign = Campaign.begin(press={"deals": rule})
    agree(campaign, "France", "Germany", "PEACE Baltic States UNTIL TURN 5")
    Game.objects.update(status=Game.Status.FINISHED)
    shown = as_("charlie").get(page(campaign))
    assert (shown.status_code == 200) is is_open
    if is_open:
        assert "do not attack each other in Baltic States" in shown.content.decode()


def test_example_by_mail_names_another_nation(
    as_: Browser, campaign: Campaign, settings: Any
) -> None:
    """Seen in a picture (issue 24): Germany was told to propose something to Germany."""
    settings.MAIL_IN = True
    shown = as_("gustav").read(page(campaign))
    assert "By mail, for example: PROPOSE USA: PEACE" in shown
    assert "PROPOSE France: PEACE" in as_("una").read(page(campaign))


@pytest.mark.both_databases
def test_who_is_removed_meanwhile_writes_for_the_nation_no_more(campaign: Campaign) -> None:
    """Who sits where is read at the beginning of a request, and may have changed before it gets the
    game's row: as with orders (`orders.intake.chain`)."""
    how: dict[str, Any] = {"channel": "web", "now": campaign.now}
    france, felix = campaign.seat("France"), person("felix")
    waiting = deals.propose(campaign.game, france, felix, campaign.seat("Germany"), "PEACE", **how)
    gustav = person("gustav")
    game = permissions.find_game(gustav, campaign.game.pk)
    assert game is not None
    (seat,) = permissions.held_seats(gustav, game)
    desk.eject(campaign.seat("Germany"), gustav, "He cheats.", campaign.ada, campaign.now)
    for act in (
        partial(conversations.send, game, seat, gustav, ["France"], "Peace?", **how),
        partial(deals.propose, game, seat, gustav, france, "PEACE Poland", **how),
        partial(deals.answer, waiting, seat, Kind.ACCEPTED, gustav, **how),
    ):
        with pytest.raises(PressError, match="You no longer play Germany in “The lights go out”"):
            act()
    assert not Press.objects.exists()
    assert not ProposalAnswer.objects.exists()
    assert Proposal.objects.get() == waiting
