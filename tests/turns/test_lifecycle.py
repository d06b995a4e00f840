"""The table of phase transitions: listed steps work, others are refused, no other module writes."""

from __future__ import annotations

import itertools

import pytest

from games.models import Phase
from games.turns import lifecycle
from games.turns.lifecycle import TRANSITIONS, Event, TransitionError
from tests.support import phase_writes
from tests.support.campaign import Campaign


def is_listed(event: Event, status: Phase.Status, to: Phase.Status) -> bool:
    return to in TRANSITIONS[event].get(status, frozenset())


@pytest.mark.parametrize("event", Event)
def test_change_of_a_loaded_phase_allows_only_listed_steps(event: Event) -> None:
    for status, to in itertools.product(Phase.Status, Phase.Status):
        phase = Phase(status=status)
        if is_listed(event, status, to):
            lifecycle.change(phase, event, to=to)
            assert phase.status == to
        else:
            with pytest.raises(TransitionError):
                lifecycle.change(phase, event, to=to)
            assert phase.status == status


@pytest.mark.django_db
@pytest.mark.parametrize("event", Event)
def test_update_changes_only_rows_in_listed_states(event: Event) -> None:
    row = Phase.objects.filter(pk=Campaign.begin().phase.pk)
    for status, to in itertools.product(Phase.Status, Phase.Status):
        row.update(status=status)
        if not any(is_listed(event, state, to) for state in Phase.Status):
            with pytest.raises(TransitionError):
                lifecycle.update(row, event, to=to)
        else:
            assert lifecycle.update(row, event, to=to) == is_listed(event, status, to)
        expected = to if is_listed(event, status, to) else status
        assert row.get().status == expected


def test_resolved_phase_is_never_judged_or_locked_again() -> None:
    for event in (Event.CLOSED, Event.JUDGED, Event.HELD, Event.FAILED):
        assert not lifecycle.allows(event, Phase.Status.RESOLVED)
        assert not lifecycle.allows(event, Phase.Status.UNDONE)


def test_every_state_but_open_can_be_reached() -> None:
    reached = {to for by_state in TRANSITIONS.values() for ends in by_state.values() for to in ends}
    assert reached == set(Phase.Status)


@pytest.mark.django_db
def test_phase_write_from_another_module_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    phase = Campaign.begin().phase
    monkeypatch.setattr(phase_writes, "writer", lambda frame: "/x/games/desk/times.py")
    for write in (
        lambda: Phase.objects.filter(pk=phase.pk).update(due_at=None),
        lambda: phase.save(),
        lambda: phase.save(update_fields=["status"]),
        lambda: Phase.objects.bulk_update([phase], ["deadline"]),
    ):
        with pytest.raises(phase_writes.WrittenElsewhere):
            write()
    phase.save(update_fields=["stocks"])
