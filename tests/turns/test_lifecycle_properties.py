"""Phases take only listed steps, each once, even if workers die at any point."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.conf import settings as configured
from django.db.models import Model, QuerySet
from hypothesis import HealthCheck, given, settings
from hypothesis import Phase as Phases
from hypothesis import strategies as st

from games import desk
from games.models import Game, Phase, Pulse, Resolution
from games.outbox.messages import game_letters
from games.turns import clock_rollback, lifecycle, outage_credit, process
from tests.records import played
from tests.support.campaign import Campaign
from tests.support.examples import examples
from tests.turns.test_ruling_properties import STEPS, Table, rolled_back

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
CLOSED = (Phase.Status.LOCKED, Phase.Status.DRAWING, Phase.Status.APPROVAL, Phase.Status.RESOLVED)
#: Status before and after each listed step. A placement is closed and judged by one write.
LISTED = {
    (str(before), str(after))
    for by_state in lifecycle.TRANSITIONS.values()
    for before, ends in by_state.items()
    for after in ends
} | {("open", "resolved"), ("open", "approval")}


class Killed(BaseException):
    """Raised in place of a worker's death."""


class Clockwork(Table):
    """Play a random game with machine failures. `steps`: phase, status before and after."""

    def __init__(self, campaign: Campaign, chance: random.Random) -> None:
        super().__init__(campaign, chance)
        self.steps: list[tuple[int, str, str]] = []

    def step(self) -> None:
        if self.chance.random() < 0.7:
            return super().step()
        self.campaign.now += timedelta(seconds=1)
        doing = self.chance.choice(
            [
                self.a_worker_dies,
                self.a_write_fails,
                self.a_hold,
                self.nothing_ticks_for_hours,
                self.the_clock_is_set_back,
            ]
        )
        self.log.append(f"{doing.__name__} at {self.campaign.now:%d %H:%M:%S}")
        doing()
        self.game.refresh_from_db()
        return self.check()

    def a_worker_dies(self) -> None:
        """Stop a worker between loading and writing; its lease runs out."""
        with mock.patch.object(process, "_write", side_effect=Killed):
            try:
                self.time_comes()
            except Killed:
                self.campaign.now += timedelta(seconds=configured.LEASE_SECONDS + 1)

    def a_write_fails(self) -> None:
        """Fail after the phases of a step are written: all of it is rolled back."""
        steps_before = len(self.steps)
        with mock.patch.object(game_letters, "board", side_effect=OSError("the disk is full")):
            self.time_comes()
        led_to = dict(self.game.phases.values_list("pk", "status"))
        for place in reversed(range(steps_before, len(self.steps))):
            phase, before, after = self.steps[place]
            if after == led_to[phase]:
                led_to[phase] = before
            else:
                del self.steps[place]

    def a_hold(self) -> None:
        phase = self.campaign.phase
        if phase.status in (Phase.Status.LOCKED, Phase.Status.DRAWING):
            desk.hold(phase, "Let me look.", self.campaign.ada, self.campaign.now)

    def nothing_ticks_for_hours(self) -> None:
        self.pulse()
        self.campaign.now += timedelta(hours=self.chance.choice((1, 5)))
        outage_credit.credit_time(self.campaign.now)

    def the_clock_is_set_back(self) -> None:
        """Run the clock one hour ahead for a single tick, then set it right."""
        right = self.campaign.now
        self.campaign.now += timedelta(hours=1)
        self.pulse()
        outage_credit.credit_time(self.campaign.now)
        self.campaign.now = right
        clock_rollback.undo_clock_jump(right)

    def pulse(self) -> None:
        Pulse.objects.update_or_create(name="tick", defaults={"at": self.campaign.now})

    def check(self) -> None:
        super().check()
        assert {(before, after) for _, before, after in self.steps} <= LISTED
        closings = Counter(
            phase for phase, before, after in self.steps if before == "open" and after in CLOSED
        )
        assert set(closings.values()) <= {1}
        judged = Resolution.objects.filter(phase__game=self.game, ruling=None)
        assert max(Counter(judged.values_list("phase", flat=True)).values(), default=1) == 1
        for phase in self.game.phases.all():
            versions = list(phase.resolutions.values_list("version", flat=True))
            assert versions == list(range(1, len(versions) + 1))


@contextmanager
def traced(table: Clockwork) -> Iterator[None]:
    """Record each status change that any write to phases makes."""

    def statuses() -> dict[int, str]:
        return dict(Phase.objects.filter(game=table.game).values_list("pk", "status"))

    def trace(owner: Any, name: str) -> Any:
        real = getattr(owner, name)

        def traced_write(self: Any, *args: Any, **named: Any) -> Any:
            model = self.model if isinstance(self, QuerySet) else type(self)
            if model is not Phase:
                return real(self, *args, **named)
            before = statuses()
            result = real(self, *args, **named)
            after = statuses()
            table.steps += [(pk, old, after[pk]) for pk, old in before.items() if after[pk] != old]
            return result

        return mock.patch.object(owner, name, traced_write)

    with trace(QuerySet, "update"), trace(QuerySet, "bulk_create"), trace(Model, "save_base"):
        yield


@settings(
    max_examples=examples(2, daily=1),
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phases.generate,),  # no shrinking: it takes minutes
    suppress_health_check=list(HealthCheck),
)
@given(chance=st.randoms(note_method_calls=False, use_true_random=False))
def test_random_play_takes_only_listed_transitions(chance: random.Random) -> None:
    with pytest.MonkeyPatch.context() as patch, rolled_back():
        played.short_card(patch)
        options = {
            "rng.source": chance.choice(("stocks", "gm_dice", "commit_reveal")),
            "orders.grace_hours": chance.choice((0, 1)),
        }
        campaign = Campaign.begin(
            options=options, reserves=played.RESERVES, may_lock_early=chance.random() < 0.5
        )
        Game.objects.filter(pk=campaign.game.pk).update(approval_hours=chance.choice((0, 6)))
        campaign.game.refresh_from_db()
        table = Clockwork(campaign, chance)
        with traced(table):
            try:
                for _ in range(STEPS):
                    table.step()
                table.play_to_the_end()
            except BaseException:
                print("\n".join(table.log))  # what led here
                raise
