"""Bots that bargain (issue 27.6): they answer, propose, keep and break deals by character."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from games import permissions, positions, tasks
from games.desk import practice
from games.evidence import export
from games.models import Game, Person, Phase, Proposal, ProposalAnswer, Pulse, Seat
from games.positions import in_force
from games.press import deals
from games.press.book import Book, revealed_characters
from games.rules.deals import bargaining as pure
from games.rules.deals import characters, outcomes
from games.rules.verification import verify
from games.turns import rulings
from orders.intake import bargaining, bots, ledger
from tests.support.campaign import MONDAY, PLAYERS, Campaign

pytestmark = pytest.mark.django_db
Kind = ProposalAnswer.Kind


def secret_for(**wanted: str) -> str:
    """Return a secret from which these nations draw these characters."""
    return next(
        secret
        for secret in map(str, range(100_000))
        if all(characters.draw(secret, nation).id == kind for nation, kind in wanted.items())
    )


def begin(nation: str = "France", **wanted: str) -> tuple[Game, Person]:
    newcomer = practice.new_guest("192.0.2.7", MONDAY)
    game = practice.begin(newcomer, nation, MONDAY)
    if wanted:
        Game.objects.filter(pk=game.pk).update(bots_secret=secret_for(**wanted))
        game.refresh_from_db()
    return game, newcomer


def propose(game: Game, by: Person, to: str, text: str, seconds: int = 1) -> Proposal:
    seat = permissions.held_seats(by, game)[0]
    return deals.propose(
        game,
        seat,
        by,
        game.seats.get(nation=to),
        text,
        channel="web",
        now=MONDAY + timedelta(seconds=seconds),
    )


def answer_of(proposal: Proposal) -> str:
    row = ProposalAnswer.objects.filter(proposal=proposal).first()
    return row.kind if row else ""


def test_practice_bot_answers_in_the_next_tick() -> None:
    game, newcomer = begin(Germany="honest")
    proposal = propose(game, newcomer, "Germany", "PEACE UNTIL TURN 2")
    bargaining.bargain(MONDAY + timedelta(seconds=2))
    assert answer_of(proposal)


def test_bot_declines_a_deal_that_costs_too_much() -> None:
    game, newcomer = begin(Germany="honest")
    proposal = propose(game, newcomer, "Germany", "YOU LEAVE Austria; YOU LEAVE Poland")
    bargaining.bargain(MONDAY + timedelta(seconds=2))
    assert answer_of(proposal) == Kind.DECLINED


def test_bot_of_a_long_game_answers_after_hours() -> None:
    seats = {"USA": "bot", "France": "bot", "Britain": "bot", "Russia": "bot"}
    campaign = Campaign.begin(
        seats={**seats, "Germany": "gustav@example.org"},
        schedule={"every": "days", "days": 7, "time": "18:00"},
    )
    gustav = campaign.players["Germany"]
    proposal = propose(campaign.game, gustav, "France", "PEACE UNTIL TURN 2")
    bargaining.bargain(MONDAY + timedelta(minutes=30))
    assert not answer_of(proposal)
    assert not Proposal.objects.exclude(pk=proposal.pk).exists(), "a bot proposed at once"
    bargaining.bargain(MONDAY + bargaining.LATEST + timedelta(minutes=1))
    assert answer_of(proposal)


def test_bot_revises_its_orders_after_a_deal() -> None:
    game, newcomer = begin(Germany="honest")
    tasks.do_all_due(MONDAY)
    germany = game.seats.get(nation="Germany")
    before = germany.submissions.count()
    proposal = propose(game, newcomer, "Germany", "YOU LEAVE Austria")
    answer = {"channel": "program", "now": MONDAY + timedelta(seconds=2)}
    deals.answer(proposal, germany, Kind.ACCEPTED, None, **answer)  # type: ignore[arg-type]
    bots.play(MONDAY + timedelta(seconds=3))
    assert germany.submissions.count() == before + 1
    assert "Austria" not in germany.submissions.latest("number").text
    bots.play(MONDAY + timedelta(seconds=4))
    assert germany.submissions.count() == before + 1, "the same orders were sent again"


def test_revised_orders_of_a_bot_replace_its_first_where_lines_are_merged() -> None:
    """orders.amend = merge_lines is for a player's own lines; a bot keeps its deal."""
    players = {nation: f"{name}@example.org" for nation, name in PLAYERS.items()}
    seats = {**players, "Germany": "bot"}
    campaign = Campaign.begin(seats=seats, options={"orders.amend": "merge_lines"})
    game, germany, felix = campaign.game, campaign.seat("Germany"), campaign.players["France"]
    Game.objects.filter(pk=game.pk).update(bots_secret=secret_for(Germany="honest"))
    bots.play(MONDAY)
    first = germany.submissions.get().understood
    area = next(area for _, line in first if (area := line.split(" ", 2)[2]) != "Germany")
    proposal = propose(game, felix, "Germany", f"YOU LEAVE {area}")
    answer = {"channel": "program", "now": MONDAY + timedelta(seconds=2)}
    deals.answer(proposal, germany, Kind.ACCEPTED, None, **answer)  # type: ignore[arg-type]
    bots.play(MONDAY + timedelta(seconds=3))
    newest = germany.submissions.latest("number").text
    assert area not in newest
    assert in_force.texts_in_force(campaign.phase)["Germany"] == newest
    campaign.pass_deadline()
    assert verify.check(export.record(game, private=True)) == []


@pytest.mark.parametrize("nation", ["Germany", "France"])
def test_bots_open_talks_with_a_person_and_propose_little(nation: str) -> None:
    """Issue 44.2: talks in turn 1; one proposal a phase, and one more to the person at first."""
    game, newcomer = begin(nation)
    for second in range(1, 4):
        bargaining.bargain(MONDAY + timedelta(seconds=second))
    own = permissions.held_seats(newcomer, game)[0]
    made = list(Proposal.objects.filter(counters=None))
    assert any(proposal.to_id == own.pk for proposal in made)
    for bot in game.seats.filter(bot=True):
        to = [proposal.to_id for proposal in made if proposal.seat_id == bot.pk]
        assert len(to) == len(set(to)) <= 2, bot
        assert len(to) < 2 or own.pk in to, bot
    made_before = Proposal.objects.count()
    play_phase(game, newcomer, "PASS", 5)
    phase = game.phases.current()
    assert phase is not None
    for bot in game.seats.filter(bot=True):
        assert phase.proposals.filter(seat=bot, counters=None).count() <= 1, bot
    assert Proposal.objects.count() <= made_before + 2 * 4


def test_refusal_of_a_bot_gives_its_reason_and_an_offer_that_it_accepts() -> None:
    """Issue 44.2: a price is a deal that can be made."""
    game, newcomer = begin("France", Germany="honest")
    proposal = propose(game, newcomer, "Germany", "PEACE UNTIL TURN 6; YOU LEAVE Austria")
    bargaining.bargain(MONDAY + timedelta(seconds=2))
    refusal = ProposalAnswer.objects.get(proposal=proposal)
    assert refusal.kind == Kind.COUNTERED
    assert refusal.reason.startswith("We may both want Poland. My offer through turn ")
    offer = Proposal.objects.get(counters=proposal)
    ground = deals.ground_of(game, proposal.phase)
    for clause in deals.clauses_of(offer, ground):
        assert clause.said_by("Germany") in refusal.reason
    again = propose(game, newcomer, "Germany", offer.text, 3)
    bargaining.bargain(MONDAY + timedelta(seconds=4))
    assert answer_of(again) == Kind.ACCEPTED


def test_bots_bring_their_counter_proposals_to_an_end() -> None:
    game, _ = begin("France", Germany="honest")
    germany, russia = (game.seats.get(nation=name) for name in ("Germany", "Russia"))
    text, now = "PEACE UNTIL TURN 6; YOU LEAVE Austria", MONDAY
    deals.propose(game, russia, None, germany, text, channel="program", now=now)
    for second in range(1, 9):
        bargaining.bargain(MONDAY + timedelta(seconds=second))
    both = Proposal.objects.filter(seat__in=(germany, russia), to__in=(germany, russia))
    assert not both.filter(answer=None).exists()
    assert both.exclude(counters=None).count() <= 1


def test_bot_of_a_demonstration_answers_at_once(settings: Any) -> None:
    """Issue 44.2 (N10): no phase of a demonstration ends before the answer."""
    settings.DEMONSTRATION = True
    seats = dict.fromkeys(("USA", "France", "Britain", "Russia"), "bot")
    campaign = Campaign.begin(
        seats={**seats, "Germany": "gustav@example.org"},
        schedule={"every": "minutes", "minutes": 4},
    )
    proposal = propose(campaign.game, campaign.players["Germany"], "France", "PEACE UNTIL TURN 2")
    bots.answer_at_once(campaign.game, MONDAY + timedelta(seconds=1))
    assert answer_of(proposal)


def test_bot_answers_in_the_next_phase_when_all_orders_are_final() -> None:
    """Issue 44.2 (N10): the phase of the proposal is over before the bot has thought for hours."""
    game, newcomer = begin("France", Germany="honest")
    Game.objects.filter(pk=game.pk).update(practice=False)
    game.refresh_from_db()
    proposal = propose(game, newcomer, "Germany", "PEACE UNTIL TURN 1")
    bargaining.bargain(MONDAY + timedelta(seconds=2))
    assert not answer_of(proposal)
    play_phase(game, newcomer, "PASS", 3)
    assert answer_of(proposal)


def test_bots_propose_nothing_in_a_game_without_deals() -> None:
    seats = dict.fromkeys(("USA", "France", "Britain", "Russia", "Germany"), "bot")
    Campaign.begin(seats=seats, press={"deals": "none"})
    bargaining.bargain(MONDAY + timedelta(minutes=59))
    assert not Proposal.objects.exists()


def play_phase(game: Game, newcomer: Person, text: str, second: int) -> int:
    """Send the newcomer's final orders and tick until the phase is resolved. Return the second."""
    seat, phase = permissions.held_seats(newcomer, game)[0], game.phases.current()
    assert phase is not None
    now = MONDAY + timedelta(seconds=second)
    ledger.receive(seat, text, ledger.Arrival("web", newcomer, now), final=True)
    for _ in range(10):
        Pulse.objects.filter(at__gt=now).delete()
        tasks.do_all_due(now)
        phase.refresh_from_db()
        if phase.status == Phase.Status.RESOLVED:
            break
        now = max(now, phase.due_at or now) + timedelta(seconds=1)
    return int((now - MONDAY).total_seconds()) + 1


def set_board(game: Game, board: dict[str, dict[str, int]]) -> None:
    """Rule the given PFs onto the board after the newest resolved phase."""
    cells = {
        area: {
            nation: {"pf": pf, "understanding": False, "control": False}
            for nation, pf in here.items()
        }
        for area, here in board.items()
    }
    judged = game.phases.filter(status=Phase.Status.RESOLVED).latest("number")
    house = Person.objects.get(email=practice.HOUSE)
    at = judged.locked_at or MONDAY
    rulings.rule(judged, "position", {"cells": cells}, "A test.", house, at)


def test_honest_bot_keeps_its_deal_and_rogue_breaks_it() -> None:
    """Two PFs stand beside twelve of a bot: an honest bot lets them be, a rogue attacks."""
    game, newcomer = begin("France", Russia="honest", Germany="rogue")
    tasks.do_all_due(MONDAY)
    second = play_phase(game, newcomer, "PASS", 1)
    weak = {"Germany": "Poland", "Russia": "Rumania"}
    alone = dict.fromkeys(("USA", "Britain"), 0)
    set_board(game, {area: {**alone, bot: 12, "France": 2} for bot, area in weak.items()})
    for nation in weak:
        proposal = propose(game, newcomer, nation, "PEACE UNTIL TURN 1", second)
        seat, how = game.seats.get(nation=nation), {"channel": "program", "now": proposal.made_at}
        deals.answer(proposal, seat, Kind.ACCEPTED, None, **how)  # type: ignore[arg-type]
    tasks.do_all_due(MONDAY + timedelta(seconds=second + 1))
    play_phase(game, newcomer, "PASS", second + 2)
    Game.objects.filter(pk=game.pk).update(status=Game.Status.FINISHED)
    game.refresh_from_db()
    outcomes_by_nation = {
        outcome.nation: outcome
        for deal in Book(newcomer, game).deals
        if deal.proposal.person_id == newcomer.pk
        for outcome in deal.outcomes
    }
    assert outcomes_by_nation["Russia"].result == outcomes.KEPT
    assert outcomes_by_nation["Germany"].result == outcomes.BROKEN
    assert "Rogue: Germany promises anything" in outcomes_by_nation["Germany"].why
    assert dict(revealed_characters(game))["Germany"].id == "rogue"


def test_character_is_hidden_before_the_end() -> None:
    game, newcomer = begin(Germany="rogue")
    assert revealed_characters(game) == []
    practice.give_up(game, newcomer, MONDAY)
    game.refresh_from_db()
    assert len(revealed_characters(game)) == 4


def test_a_bot_decides_from_its_own_view() -> None:
    """Orders and orders ahead of others do not change a bot's decision."""
    game, _ = begin(Germany="honest")
    bargains = game.rules.deals
    assert bargains is not None
    phase = game.phases.current()
    assert phase is not None
    whole = game.load(positions.position_before(phase))
    own_view = game.rules.view(whole, "Germany")
    honest = characters.CHARACTERS[0]
    assert honest.id == "honest"
    ideas = [bargains.ideas(bargains.outlook(state), "Germany") for state in (whole, own_view)]
    assert ideas[0] == ideas[1]
    answers = {
        pure.reply(bargains, bargains.outlook(state), "Germany", honest, ideas[0][0], 1)
        for state in (whole, own_view)
    }
    assert len(answers) == 1
    assert Seat.objects.filter(game=game, bot=True).count() == 4
