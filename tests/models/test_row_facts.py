"""Test properties and querysets of models."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.base import clock
from games.models import Game, Invitation, Phase, Sitting
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("status", "in_progress", "is_over"),
    [
        (Game.Status.FORMING, False, False),
        (Game.Status.RUNNING, True, False),
        (Game.Status.PAUSED, True, False),
        (Game.Status.FINISHED, False, True),
        (Game.Status.ABANDONED, False, True),
    ],
)
def test_game_is_over_once_finished_or_abandoned(
    status: str, in_progress: bool, is_over: bool
) -> None:
    game = Game(status=status)
    assert (game.in_progress, game.is_over) == (in_progress, is_over)


def test_phase_closes_after_its_grace() -> None:
    phase = Campaign.begin(options={"orders.grace_hours": 3}).phase
    assert phase.closes_at == phase.deadline + timedelta(hours=3)


@pytest.mark.both_databases
def test_current_phase_is_the_newest_that_is_not_undone() -> None:
    campaign = Campaign.begin()
    campaign.pass_deadline()
    phases = campaign.game.phases
    assert (current := phases.current()) is not None
    assert current.number == 2
    phases.filter(number=2).update(status=Phase.Status.UNDONE)
    assert phases.current() == phases.get(number=1)


@pytest.mark.both_databases
def test_current_sittings_leave_out_those_that_ended() -> None:
    seat = Campaign.begin().seat("Germany")
    sitting = seat.sittings.current().get()
    assert sitting.is_current
    Sitting.objects.filter(pk=sitting.pk).update(until=clock.now())
    assert not seat.sittings.current().exists()


@pytest.mark.parametrize("ended", ["accepted_at", "withdrawn_at"])
def test_open_invitations_leave_out_accepted_and_withdrawn(ended: str) -> None:
    seat = Campaign.begin().seat("Germany")
    seat.invitations.all().delete()
    invitation = seat.invitations.create(
        email="new@example.org",
        invited_by=seat.game.opened_by,
        nonce="n",
        token_hash="h",
        invited_at=clock.now(),
    )
    assert list(seat.invitations.open()) == [invitation]
    Invitation.objects.filter(pk=invitation.pk).update(**{ended: clock.now()})
    assert not seat.invitations.open().exists()
