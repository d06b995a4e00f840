"""The transition table: every step is listed, what is not is refused, and nobody else writes."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

import pytest

from games.models import Phase
from games.turns import lifecycle
from games.turns.lifecycle import TRANSITIONS, Event, Refused
from tests.support import phase_writes
from tests.support.cast import Campaign

ROOT = Path(__file__).parents[2]


#: Methods of a query that write the columns they are given.
WRITERS = ("update", "release", "claim", "take_over")


def is_listed(event: Event, status: Phase.Status, to: Phase.Status) -> bool:
    return to in TRANSITIONS[event].get(status, frozenset())


@pytest.mark.parametrize("event", Event)
def test_phase_in_hand_takes_listed_steps_and_refuses_all_others(event: Event) -> None:
    for status, to in itertools.product(Phase.Status, Phase.Status):
        phase = Phase(status=status)
        if is_listed(event, status, to):
            lifecycle.change(phase, event, to=to)
            assert phase.status == to
        else:
            with pytest.raises(Refused):
                lifecycle.change(phase, event, to=to)
            assert phase.status == status


@pytest.mark.django_db
@pytest.mark.parametrize("event", Event)
def test_update_changes_only_rows_in_listed_states(event: Event) -> None:
    row = Phase.objects.filter(pk=Campaign.begin().phase.pk)
    for status, to in itertools.product(Phase.Status, Phase.Status):
        row.update(status=status)
        if not any(is_listed(event, state, to) for state in Phase.Status):
            with pytest.raises(Refused):
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


# --- nobody else writes ---


def modules() -> list[Path]:
    found = [
        path for top in ("games", "orders", "gamesmaster") for path in (ROOT / top).rglob("*.py")
    ]
    own = ROOT / "games/turns/lifecycle.py"
    return [path for path in found if path != own and "migrations" not in path.parts]


def phase_queries(function: ast.AST) -> set[str]:
    """Local names that stand for a query of phases."""
    return {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and "Phase.objects" in ast.unparse(node.value)
    }


def lines_that_write(source: str) -> list[int]:
    """Where a module updates these columns of phases itself, or sets them on one in hand."""
    tree = ast.parse(source)
    names = phase_queries(tree)
    found = []
    for node in ast.walk(tree):
        written = False
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if node.attr in lifecycle.COLUMNS:
                written = "phase" in ast.unparse(node.value).lower()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            keys = {word.arg for word in node.keywords}
            if node.func.attr in WRITERS and keys & set(lifecycle.COLUMNS):
                whose = ast.unparse(node.func.value)
                written = "Phase.objects" in whose or re.split(r"\W", whose)[0] in names
        if written:
            found.append(getattr(node, "lineno", 0))
    return found


def test_no_other_module_writes_status_deadline_or_due_at() -> None:
    found = {str(path): lines_that_write(path.read_text()) for path in modules()}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        "phase.deadline = now",
        "Phase.objects.filter(pk=1).update(due_at=now)",
        "mine = Phase.objects.all()\nmine.filter(pk=1).update(status='held')",
    ],
)
def test_writer_elsewhere_is_found_in_the_source(line: str) -> None:
    assert len(lines_that_write(line)) == 1


@pytest.mark.django_db
def test_writer_elsewhere_is_found_when_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
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
