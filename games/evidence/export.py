"""Write a game as one JSON document (`games.rules.verification.form`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Prefetch, prefetch_related_objects

from games import positions
from games.base.database import read_at_one_instant
from games.evidence import record_rows
from games.models import (
    DeadlineChange,
    Draw,
    Figure,
    Game,
    MarketClosure,
    Phase,
    Reading,
    RecordEntry,
    Resolution,
    Ruling,
    Seat,
    SessionChange,
    Sitting,
)
from games.rules.sessions import DEMO
from games.rules.verification import entries, form
from games.rules.verification.record import board, instant, reading_hash
from games.seats import press_rules
from orders.models import Submission

Json = dict[str, Any]


def current(game: Game, *, private: bool, people: bool = False) -> Json:
    """Return the record of a game as of one instant, even if rows are written meanwhile.

    A phase read before it is judged, with a result read after, would never verify.
    """
    with read_at_one_instant():
        game.refresh_from_db()
        return record(game, private=private, people=people)


def record(game: Game, *, private: bool, people: bool = False) -> Json:
    """Return the whole record of a game.

    Without `private`, leave out of a game that is not over what only its gamesmaster may know:
    submissions with their salts, the orders and remarks of resolutions, the figures of a phase that
    is not resolved, and all of positions and scores that the ruleset's public view does not show;
    "complete" is then false. `people` adds who sat where.
    """
    complete = private or game.is_over
    chain = list(game.entries.order_by("number"))
    covered = _covered_hashes(chain)
    phases = _phases(game, complete)
    figures = record_rows.figures_of(phases)
    readings = record_rows.readings_of(phases, figures)
    return form.GAME.write(
        game,
        game=game.ruleset_id,
        format=form.FORMAT,
        version=form.VERSION,
        complete=complete,
        may_lock_early=game.may_lock_early or _has_ended_early(game, phases),
        abandonment=record_rows.abandonment(game),
        seats=[_seat(seat, people) for seat in _seats(game)],
        secret=game.secret if complete else "",
        start=_position(game, positions.start_position(game), complete),
        phases=[
            _phase(game, phase, complete, figures[phase.pk], readings[phase.pk], covered)
            for phase in phases
        ],
        rulings=[
            _ruling(row, complete) for row in record_rows.public_list(game, viewer_runs=complete)
        ],
        press_rules=game.press,
        press=press_rules.letters_as_record(game, private),
        deals=press_rules.deals_as_record(game, private),
        closures=_closures(game, phases),
        # Without its salt nobody can find out what an entry's leaf covers.
        entries=[form.ENTRY.write(row, salt=row.salt if complete else "") for row in chain],
    )


def text(tree: Json) -> str:
    """Return the document as printed. The same record gives the same text, on every database."""
    return json.dumps(tree, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _phases(game: Game, complete: bool) -> list[Phase]:
    """Return the phases of a game in order, with their rows, in the same queries for any number."""
    results = Resolution.objects.select_related("ruling").order_by("version")
    submissions = Submission.objects.select_related("seat").order_by("number")
    return list(
        game.phases.select_related("previous", "undone_by")
        .order_by("number")
        .prefetch_related(
            # In the order in which they were made, even if the clock was set back.
            Prefetch("deadline_changes", DeadlineChange.objects.order_by("pk")),
            Prefetch("session_changes", SessionChange.objects.order_by("pk")),
            Prefetch("resolutions", results),
            *([Prefetch("submissions", submissions)] if complete else []),
            Prefetch("draws_made", Draw.objects.select_related("figure")),
        )
    )


def _seats(game: Game) -> list[Seat]:
    sittings = Sitting.objects.select_related("person").order_by("since", "pk")
    return list(game.seats.order_by("ordinal").prefetch_related(Prefetch("sittings", sittings)))


def _has_ended_early(game: Game, phases: Iterable[Phase]) -> bool:
    """Return whether a phase has ended before its time.

    The game allowed it then, even if its gamesmaster has forbidden it since.
    """
    return any(
        phase.locked_at < phase.deadline + game.grace
        for phase in phases
        if phase.locked_at is not None
    )


def _closures(game: Game, phases: Sequence[Phase]) -> list[Json]:
    """Return the days without trading that concern the phases, each once.

    A copy has those of its record: the service that it was copied to may know others. The exchange
    of demonstrations has none.
    """
    exchanges = {phase.exchange for phase in phases} - {"", DEMO}
    if not exchanges:
        return []
    copied = record_rows.copied(game)
    if copied is not None and "closures" in copied.about:  # 0.1.0 kept none
        of_its_record: list[Json] = copied.about["closures"]
        return of_its_record
    closures = MarketClosure.objects.filter(exchange__in=exchanges)
    readings = Prefetch("readings", Reading.objects.select_related("entered_by"))
    return [
        row.as_record()
        for row in closures.order_by("pk").prefetch_related(readings)
        if any(row.concerns(phase) for phase in phases)
    ]


def _covered_hashes(chain: Iterable[RecordEntry]) -> dict[tuple[int, str], list[str]]:
    """Return the first digits of the hashes of covered readings, by phase and symbol."""
    return {
        (part[1], part[2]): part[3] for row in chain for part in row.covers if part[0] == "figure"
    }


def _seat(seat: Seat, people: bool) -> Json:
    tree = form.SEAT.write(seat)
    if people:
        tree["people"] = [
            {
                "name": sitting.person.name,
                "since": instant(sitting.since),
                "until": record_rows.moment(sitting.until),
            }
            for sitting in seat.sittings.all()
        ]
    return tree


def _position(game: Game, position: Json, complete: bool) -> Json:
    """Return a position as stored, or as the public may see it.

    In a running game only their nation may see standing wishes.
    """
    return position if complete else game.rules.dump(game.rules.view(game.load(position), None))


def _phase(
    game: Game,
    phase: Phase,
    complete: bool,
    figures: Sequence[Figure],
    rows: Sequence[Reading],
    seen: Mapping[tuple[int, str], list[str]],
) -> Json:
    """Return a phase. `figures` and `rows`: its figures, and all readings of its stocks."""
    resolutions = list(phase.resolutions.all())
    if not (complete or resolutions):  # readers would take an earlier figure for the result
        figures, rows = (), ()
    readings, later = _split(phase, figures, rows, seen)
    numbers = {reading.pk: number for number, reading in enumerate(readings, start=1)}
    return {
        **record_rows.phase(phase),
        "status": str(phase.status),
        "undone_by": phase.undone_by.number if phase.undone_by else None,
        "deadline_changes": [
            record_rows.deadline_change(change) for change in phase.deadline_changes.all()
        ],
        "session_changes": [
            form.SESSION_CHANGE.write(change) for change in phase.session_changes.all()
        ],
        "submissions": [
            form.SUBMISSION.write(row, nation=row.seat.nation) for row in phase.submissions.all()
        ]
        if complete
        else [],
        "readings": [
            record_rows.reading(reading, number) for number, reading in enumerate(readings, start=1)
        ],
        "later_readings": [
            record_rows.reading(row, number)
            for number, row in enumerate(later, start=len(readings) + 1)
        ],
        "figures": [record_rows.figure(figure, numbers) for figure in figures],
        "draws": record_rows.draws(phase),
        "resolutions": [_resolution(game, resolution, complete) for resolution in resolutions],
        "board": board(game.rules, game.load(resolutions[-1].after)) if resolutions else None,
    }


def _was_covered(phase: Phase, row: Reading, seen: Mapping[tuple[int, str], list[str]]) -> bool:
    """Return whether a reading existed when the figure of its symbol was covered.

    Another game's worker may store an early one late.
    """
    prefixes = seen.get((phase.number, row.symbol))
    return prefixes is None or reading_hash(row.as_record())[: entries.SHOWN] in prefixes


def _ruling(row: Ruling, complete: bool) -> Json:
    """Return a ruling. In a running game leave out the text of orders that it gave a nation.

    Reports show what these orders did.
    """
    tree = record_rows.ruling(row)
    withheld = not complete and row.kind == "orders" and row.what.get("text") is not None
    return tree | {"what": {"nation": row.what["nation"], "withheld": True}} if withheld else tree


def readings_and_later(phase: Phase) -> tuple[list[Reading], list[Reading]]:
    """Return readings made before their stock settled, and those made after it."""
    prefetch_related_objects([phase], "figures__readings")  # unless the caller has read them
    figures = sorted(phase.figures.all(), key=lambda figure: figure.symbol)
    for figure in figures:
        figure.rests_on = [reading.pk for reading in figure.readings.all()]
    entries = RecordEntry.objects.filter(game=phase.game_id).order_by("number").only("covers")
    all_rows = record_rows.all_readings(phase, figures)
    return _split(phase, figures, all_rows, _covered_hashes(entries))


def _split(
    phase: Phase,
    figures: Sequence[Figure],
    all_rows: Sequence[Reading],
    seen: Mapping[tuple[int, str], list[str]],
) -> tuple[list[Reading], list[Reading]]:
    behind = [
        row for row in record_rows.behind(all_rows, figures) if _was_covered(phase, row, seen)
    ]
    behind_pks = {row.pk for row in behind}
    return behind, [row for row in all_rows if row.pk not in behind_pks]


def _resolution(game: Game, row: Resolution, complete: bool) -> Json:
    tree = record_rows.resolution(row)
    if complete:
        return tree
    after = _position(game, row.after, complete)
    scores = dict(game.rules.standing(game.load(after)).scores)
    return tree | {
        "orders": None,
        "remarks": None,
        "before": _position(game, row.before, complete),
        "after": after,
        "scores": scores,
    }
