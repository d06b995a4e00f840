"""Write a game as one JSON document (contract.md 5; `games.rules.verification.record`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from games import positions
from games.base.database import read_at_one_instant
from games.evidence import record_rows
from games.models import (
    Figure,
    Game,
    MarketClosure,
    Phase,
    Reading,
    RecordEntry,
    Resolution,
    Ruling,
    Seat,
)
from games.rules.verification import entries
from games.rules.verification import record as form
from games.rules.verification.record import instant
from games.seats import press_rules

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
    phases = list(game.phases.select_related("previous", "undone_by").order_by("number"))
    return {
        **record_rows.game(game),
        "format": form.FORMAT,
        "version": form.VERSION,
        "id": game.pk,
        "title": game.title,
        "complete": complete,
        "status": str(game.status),
        "card_name": game.card_name,
        "schedule": game.schedule,
        "zone": game.zone,
        "may_lock_early": game.may_lock_early or _has_ended_early(game),
        "public": game.public,
        "opened": instant(game.opened_at),
        "finished": record_rows.moment(game.finished_at),
        "abandonment": record_rows.abandonment(game),
        "seats": [_seat(seat, people) for seat in game.seats.order_by("ordinal")],
        "secret": game.secret if complete else "",
        "start": _position(game, positions.start_position(game), complete),
        "phases": [_phase(game, phase, complete, covered) for phase in phases],
        "rulings": [
            _ruling(row, complete) for row in record_rows.public_list(game, viewer_runs=complete)
        ],
        "press_rules": game.press,
        "press": press_rules.letters_as_record(game, private),
        "deals": press_rules.deals_as_record(game, private),
        "closures": _closures(phases),
        "entries": [_entry(row, complete) for row in chain],
    }


def text(tree: Json) -> str:
    """Return the document as printed. The same record gives the same text, on every database."""
    return json.dumps(tree, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _has_ended_early(game: Game) -> bool:
    """Return whether a phase has ended before its time.

    The game allowed it then, even if its gamesmaster has forbidden it since.
    """
    return any(
        phase.locked_at < phase.deadline + game.grace
        for phase in game.phases.all()
        if phase.locked_at is not None
    )


def _closures(phases: Sequence[Phase]) -> list[Json]:
    """Return the days without trading that concern the phases, each once."""
    exchanges = {phase.exchange for phase in phases}
    if not MarketClosure.objects.filter(exchange__in=exchanges).exists():
        return []
    by_pk = {row.pk: row for phase in phases for row in MarketClosure.objects.concerning(phase)}
    return [row.as_record() for _, row in sorted(by_pk.items())]


def _entry(row: RecordEntry, complete: bool) -> Json:
    """Return an entry of the record hash.

    Without its salt nobody can find out what its leaf covers.
    """
    facts = {
        "number": row.number,
        "made": instant(row.made_at),
        "covers": row.covers,
        "leaf": row.leaf,
        "hash": row.hash,
    }
    return facts | {"salt": row.salt if complete else ""}


def _covered_hashes(chain: Iterable[RecordEntry]) -> dict[tuple[int, str], list[str]]:
    """Return the first digits of the hashes of covered readings, by phase and symbol."""
    return {
        (part[1], part[2]): part[3] for row in chain for part in row.covers if part[0] == "figure"
    }


def _seat(seat: Seat, people: bool) -> Json:
    tree = record_rows.seat(seat)
    if people:
        tree["people"] = [
            {
                "name": sitting.person.name,
                "since": instant(sitting.since),
                "until": record_rows.moment(sitting.until),
            }
            for sitting in seat.sittings.select_related("person").order_by("since", "pk")
        ]
    return tree


def _position(game: Game, position: Json, complete: bool) -> Json:
    """Return a position as stored, or as the public may see it.

    In a running game only their nation may see standing wishes.
    """
    return position if complete else game.rules.dump(game.rules.view(game.load(position), None))


def _phase(
    game: Game, phase: Phase, complete: bool, seen: Mapping[tuple[int, str], list[str]]
) -> Json:
    resolutions = list(phase.resolutions.select_related("ruling").order_by("version"))
    shown = complete or bool(resolutions)  # readers would take an earlier figure for the result
    figures = record_rows.figures(phase) if shown else []
    readings, later = _split(phase, figures, seen) if shown else ([], [])
    numbers = {reading.pk: number for number, reading in enumerate(readings, start=1)}
    return {
        **record_rows.phase(phase),
        "status": str(phase.status),
        "undone_by": phase.undone_by.number if phase.undone_by else None,
        # In the order in which they were made, even if the clock was set back.
        "deadline_changes": [
            record_rows.deadline_change(change) for change in phase.deadline_changes.order_by("pk")
        ],
        "session_changes": [
            record_rows.session_change(change) for change in phase.session_changes.order_by("pk")
        ],
        "submissions": _submissions(phase) if complete else [],
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
        "board": form.board(game.rules, game.load(resolutions[-1].after)) if resolutions else None,
    }


def _was_covered(phase: Phase, row: Reading, seen: Mapping[tuple[int, str], list[str]]) -> bool:
    """Return whether a reading existed when the figure of its symbol was covered.

    Another game's worker may store an early one late.
    """
    prefixes = seen.get((phase.number, row.symbol))
    return prefixes is None or form.reading_hash(row.as_record())[: entries.SHOWN] in prefixes


def _ruling(row: Ruling, complete: bool) -> Json:
    """Return a ruling. In a running game leave out the text of orders that it gave a nation.

    Reports show what these orders did.
    """
    tree = record_rows.ruling(row)
    withheld = not complete and row.kind == "orders" and row.what.get("text") is not None
    return tree | {"what": {"nation": row.what["nation"], "withheld": True}} if withheld else tree


def _submissions(phase: Phase) -> list[Json]:
    return [
        {
            "number": row.number,
            "seat_number": row.seat_number,
            "nation": row.seat.nation,
            "received": instant(row.received_at),
            "channel": str(row.channel),
            "text": row.text,
            "late": row.late,
            "counts": row.counts,
            "final": row.final,
            "salt": row.salt,
            "previous_hash": row.previous_hash,
            "hash": row.hash,
            "member": row.member,
            "proposal": row.proposal,
        }
        for row in phase.submissions.select_related("seat").order_by("number")
    ]


def readings_of(phase: Phase) -> list[Reading]:
    """Return the readings behind a phase, as its record has them."""
    return readings_and_later(phase)[0]


def later_readings(phase: Phase) -> list[Reading]:
    """Return readings made after their stock had settled: for a witness or another game."""
    return readings_and_later(phase)[1]


def readings_and_later(phase: Phase) -> tuple[list[Reading], list[Reading]]:
    """Return readings made before their stock settled, and those made after it."""
    return _split(
        phase,
        record_rows.figures(phase),
        _covered_hashes(RecordEntry.objects.filter(game=phase.game_id)),
    )


def _split(
    phase: Phase, figures: Sequence[Figure], seen: Mapping[tuple[int, str], list[str]]
) -> tuple[list[Reading], list[Reading]]:
    all_rows = record_rows.all_readings(phase, figures)
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
