"""Allies after rulings, rollbacks and players who leave (Rules N2-N4, N7)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from games import desk, permissions
from games.base import clock
from games.evidence import export
from games.models import Game, Phase
from games.positions import in_force
from games.rules.verification import verify
from games.turns import rulings
from orders.intake import bots, ledger
from orders.models import Submission
from tests.records.played import short_card
from tests.seats.test_fewer_players import TWO, seats
from tests.support.campaign import PLAYERS, Campaign, person

pytestmark = pytest.mark.django_db


def begin(monkeypatch: pytest.MonkeyPatch, **given: Any) -> Campaign:
    """Begin a game of two turns with two players, in its first placement."""
    short_card(monkeypatch, turns=2)
    campaign = Campaign.begin(seats=seats(*TWO), **given)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    campaign.pass_deadline()
    assert campaign.phase.kind == "placement"
    return campaign


def checked(campaign: Campaign) -> None:
    """Assert that the record verifies, with and without its private parts."""
    for private in (True, False):
        tree = json.loads(export.text(export.record(campaign.game, private=private)))
        assert [str(difference) for difference in verify.check(tree)] == []


def play_on(campaign: Campaign) -> None:
    for _ in range(20):
        campaign.game.refresh_from_db()
        if campaign.game.status == Game.Status.FINISHED:
            return
        bots.play(campaign.now)
        phase = campaign.pass_deadline()
        assert phase.status == Phase.Status.RESOLVED, phase.fault


def rule_other_controller(campaign: Campaign, drawn: Phase, ally: str) -> tuple[str, str]:
    """Rule a digit that gives `ally` to the other player. Return the old and new controller."""
    event = next(
        e
        for e in campaign.resolution(drawn).events
        if e["kind"] == "ally_drawn" and e["nation"] == ally
    )
    had = event["controller"]
    now, digit = ("Germany", 6) if had == "France" else ("France", 1)
    what = {"stock": event["stock"], "volume": 1_000_000 + 100 * digit}
    rulings.rule(drawn, "digit", what, "The figure was another day's.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    return had, now


def order_for(campaign: Campaign, by: str, ally: str, text: str) -> Submission:
    return ledger.receive(
        campaign.seat(ally), text, ledger.Arrival("web", person(PLAYERS[by]), campaign.now)
    )


def page(campaign: Campaign, nation: str, at: str) -> int:
    browser = Client()
    browser.force_login(
        person(PLAYERS[nation]), backend="django.contrib.auth.backends.ModelBackend"
    )
    return browser.get(f"/games/{campaign.game.pk}/{at}").status_code


def test_controller_ruling_in_an_open_phase_keeps_the_allys_orders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """N4: earlier orders stand; the former controller neither sends nor reads."""
    campaign = begin(monkeypatch)
    drawn, placing, seat = campaign.game.phases.get(number=1), campaign.phase, campaign.seat("USA")
    had = placing.controllers["USA"]
    sent = order_for(campaign, had, "USA", "PLACE 1 Poland")
    assert rule_other_controller(campaign, drawn, "USA")[0] == had
    now = campaign.phase.controllers["USA"]
    assert now != had
    assert in_force.texts_in_force(campaign.phase)["USA"] == "PLACE 1 Poland"
    assert seat in permissions.orderable_seats(person(PLAYERS[now]), campaign.game, campaign.phase)
    assert seat not in permissions.orderable_seats(
        person(PLAYERS[had]), campaign.game, campaign.phase
    )
    assert not permissions.reads_orders(person(PLAYERS[had]), Submission.objects.get(pk=sent.pk))
    with pytest.raises(ledger.LedgerError, match="may not send orders for USA"):
        order_for(campaign, had, "USA", "PLACE 2 Poland")
    assert page(campaign, had, f"orders/{seat.pk}/") in (302, 403, 404)
    assert page(campaign, now, f"orders/{seat.pk}/") == 200
    checked(campaign)
    order_for(campaign, now, "USA", "PASS")
    assert in_force.texts_in_force(campaign.phase)["USA"] == "PASS"
    campaign.pass_deadline()
    assert campaign.phase.controllers["USA"] == now, "N3: both phases of that turn"
    play_on(campaign)
    checked(campaign)


def test_controller_ruling_after_the_lock_keeps_this_phases_controller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """N4: `Phase.controllers` of a locked phase stays; the next one follows the draw."""
    campaign = begin(monkeypatch)
    campaign.pass_deadline()
    drawn, attacks = campaign.game.phases.get(number=1), campaign.phase
    had = attacks.controllers["USA"]
    order_for(campaign, had, "USA", "PASS")
    campaign.wait_until(attacks.deadline)
    attacks.refresh_from_db()
    assert attacks.status in (Phase.Status.LOCKED, Phase.Status.DRAWING), (
        "an attack phase waits for its session"
    )
    rule_other_controller(campaign, drawn, "USA")
    attacks.refresh_from_db()
    assert attacks.controllers["USA"] == had
    play_on(campaign)
    checked(campaign)


@pytest.mark.parametrize("options", [{}, {"ow2.ally_draw": "own_session"}, {"ow2.blind": "yes"}])
def test_rollback_redraws_allies_and_revoking_restores_the_first_draw(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 4 with N2 and F3: new digits decide; orders of the undone phases do not count."""
    short_card(monkeypatch, turns=2)
    campaign = Campaign.begin(seats=seats(*TWO), options=options)
    first = campaign.phase
    while campaign.phase.kind != "placement":
        campaign.pass_deadline()
    before = dict(campaign.phase.controllers)
    sent = order_for(campaign, before["USA"], "USA", "PASS")
    rollback = rulings.rule(
        first, "rollback", {}, "It was drawn by the wrong day.", campaign.ada, campaign.now
    )
    assert campaign.phase.kind == first.kind
    assert campaign.phase.number > sent.phase.number
    while campaign.phase.kind != "placement":
        assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    assert in_force.texts_in_force(campaign.phase) == {}
    assert set(campaign.phase.controllers) == set(before)
    assert not permissions.reads_orders(
        person(PLAYERS[next(nation for nation in TWO if nation != before["USA"])]), sent
    )
    checked(campaign)
    rulings.revoke(rollback, "The day was right.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    assert campaign.phase.pk == sent.phase.pk
    assert campaign.phase.controllers == before
    assert in_force.texts_in_force(campaign.phase) == {"USA": "PASS"}
    checked(campaign)
    play_on(campaign)
    checked(campaign)


def test_successor_of_a_controller_gets_the_ally(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """N4, N7: earlier orders stand; while the seat is empty, nobody orders for the ally."""
    campaign = begin(monkeypatch)
    had = campaign.phase.controllers["USA"]
    seat, leaver = campaign.seat("USA"), person(PLAYERS[had])
    sent = order_for(campaign, had, "USA", "PLACE 1 Poland")
    desk.vacate(campaign.seat(had), leaver, "He has no time.", campaign.ada, campaign.now)
    assert in_force.texts_in_force(campaign.phase)["USA"] == "PLACE 1 Poland"
    with pytest.raises(ledger.LedgerError, match="may not send orders for USA"):
        order_for(campaign, had, "USA", "PLACE 2 Poland")
    assert not permissions.reads_orders(leaver, sent)
    campaign.pass_deadline()
    assert campaign.phase.kind == "attacks", (
        "an ally without anybody to send for it holds nothing up"
    )
    campaign.now += timedelta(minutes=1)
    dana = person("dana")
    desk.accept(
        desk.invite(campaign.seat(had), "dana@example.org", campaign.ada, campaign.now),
        dana,
        campaign.now,
    )
    assert seat in permissions.orderable_seats(dana, campaign.game, campaign.phase)
    received = ledger.receive(seat, "PASS", ledger.Arrival("web", dana, campaign.now))
    assert received.counts
    play_on(campaign)
    checked(campaign)


@pytest.mark.parametrize("options", [{}, {"ow2.hidden": "face_down"}, {"ow2.blind": "yes"}])
def test_bots_and_stand_ins_order_for_their_allies(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """N4: for a nation played by a bot, and in games with stand-ins."""
    short_card(monkeypatch, turns=2)
    campaign = Campaign.begin(seats=seats(*TWO) | {"Germany": "bot"}, options=options)
    while campaign.phase.kind != "placement":
        campaign.pass_deadline()
    Game.objects.filter(pk=campaign.game.pk).update(stand_ins=True)
    desk.vacate(
        campaign.seat("France"), person("felix"), "He has no time.", campaign.ada, campaign.now
    )
    campaign.game.refresh_from_db()
    bots.play(campaign.now)
    sent = in_force.texts_in_force(campaign.phase)
    assert {"USA", "Russia", "Britain", *TWO} == set(sent)
    play_on(campaign)
    checked(campaign)
