"""Rows as a game's record has them (contract.md 5): what its document (games.records.archive) and
its entries (games.evidence.hashes) are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q

from games import market
from games.models import (
    DeadlineChange,
    Draw,
    Figure,
    Game,
    Phase,
    Reading,
    Resolution,
    Ruling,
    Seat,
    SessionChange,
)
from games.rules.digits import roll_number
from games.rules.verification.record import instant

Json = dict[str, Any]
NEWSPAPER = "newspaper"
#: The source of readings in games from the time when drand's beacon could end a reserve list.
DRAND = "drand"


def moment(at: datetime | None) -> str | None:
    return None if at is None else instant(at)


def game(row: Game) -> Json:
    """What was fixed when a game began."""
    return {
        "game": row.ruleset_id,
        "card": row.card,
        "options": row.options,
        "reserves": row.reserves,
        "market": str(row.market),
        "second_source": str(row.second_source),
        "strict_evening": row.strict_evening,
        "started": moment(row.started_at),
        **({"secret_hash": row.secret_hash} if row.secret else {}),
    }


def seat(row: Seat) -> Json:
    flags = (("team", row.team), ("by_table", row.by_table), ("referee", row.referee))
    return {"nation": row.nation, "bot": row.bot} | {key: True for key, holds in flags if holds}


def phase(row: Phase) -> Json:
    """What the row of a phase says, without what other tables say of it and without its status."""
    return {
        "number": row.number,
        "turn": row.turn,
        "kind": row.kind,
        "previous": row.previous.number if row.previous else None,
        "opened": instant(row.opened_at),
        "deadline": instant(row.deadline),
        **({"controllers": row.controllers} if row.controllers else {}),
        **lock(row),
        "seed_hash": row.seed_hash,
        "seed": row.seed,
    }


def lock(row: Phase) -> Json:
    """What the lock has made of a phase: its own row says all of it."""
    return {
        "missed": row.missed,
        "locked": moment(row.locked_at),
        "digest": row.digest,
        "leaves": row.leaves,
        **({"teams": row.teams} if row.teams else {}),
        "holders": row.holders,
        "stocks": row.stocks,
        "session": _session(row),
        "policy": row.policy,
    }


def _session(row: Phase) -> Json | None:
    if not row.session or row.session_opens is None or row.session_closes is None:
        return None
    opens, closes = instant(row.session_opens), instant(row.session_closes)
    return {"exchange": row.exchange, "label": row.session, "opens": opens, "closes": closes}


def deadline_change(row: DeadlineChange) -> Json:
    return {
        "old": instant(row.old),
        "new": instant(row.new),
        "reason": row.reason,
        "changed": instant(row.changed_at),
    }


def session_change(row: SessionChange) -> Json:
    moments = ("old_opens", "old_closes", "new_opens", "new_closes")
    told = {
        "old": row.old,
        "new": row.new,
        "reason": row.reason,
        "changed": instant(row.changed_at),
    }
    return told | {key: instant(getattr(row, key)) for key in moments}


def ruling(row: Ruling) -> Json:
    return {
        "number": row.number,
        "turn": row.phase.turn,
        "phase": row.phase.number,
        "kind": row.kind,
        "what": row.what,
        "words": row.words,
        "reason": row.reason,
        "made": instant(row.made_at),
        "revokes": row.revokes.number if row.revokes else None,
    }


def resolution(row: Resolution) -> Json:
    """A version of a result, all of it."""
    return {
        "version": row.version,
        "ruling": row.ruling.number if row.ruling else None,
        "after_ruling": row.after_ruling,
        "orders": row.orders,
        "events": row.events,
        "remarks": row.remarks,
        "before": row.before,
        "after": row.after,
        "scores": row.scores,
        "winners": row.winners,
        "closing": row.closing,
        "resolved": instant(row.resolved_at),
    }


def reading(row: Reading, number: int) -> Json:
    return {"number": number, **row.as_record()}


def figure(row: Figure, numbers: Mapping[int, int]) -> Json:
    """Return a figure. `numbers`: its phase's readings by primary key, as in the record."""
    readings = sorted(numbers[pk] for pk in row.rests_on)
    return {
        "symbol": row.symbol,
        "volume": row.volume,
        "reason": row.reason,
        "readings": readings,
        "settled": instant(row.settled_at),
    }


def draw(row: Draw) -> Json:
    return {
        "nation": row.nation,
        "line": row.line,
        "area": row.area,
        "stock": row.figure.symbol,
        "volume": row.figure.volume,
        "digit": row.digit,
        "drawn": instant(row.drawn_at),
    }


def figures(row: Phase) -> list[Figure]:
    """The figures of a phase with their readings."""
    return figures_of([row])[row.pk]


def figures_of(phases: Iterable[Phase]) -> dict[int, list[Figure]]:
    """The figures of each phase, with which readings they rest on. Sorted here and not by the
    database: each has its own opinion on a hyphen."""
    found: dict[int, list[Figure]] = {phase.pk: [] for phase in phases}
    through: Any = Figure.readings.through
    rests_on: dict[int, list[int]] = {}
    pairs = through.objects.filter(figure__phase__in=list(found)).order_by("figure", "reading")
    for figure, reading in pairs.values_list("figure", "reading"):
        rests_on.setdefault(figure, []).append(reading)
    for one in Figure.objects.filter(phase__in=list(found)):
        one.rests_on = rests_on.get(one.pk, [])
        found[one.phase_id].append(one)
    return {phase: sorted(rows, key=lambda one: one.symbol) for phase, rows in found.items()}


def draws(row: Phase) -> list[Json]:
    found = sorted(row.draws_made.select_related("figure"), key=lambda one: (one.nation, one.line))
    return [draw(one) for one in found]


def readings(phase: Phase, settled_as: Sequence[Figure]) -> list[Reading]:
    """What was read of this phase's stocks up to the moment each settled."""
    return behind(all_readings(phase, settled_as), settled_as)


def behind(found: Iterable[Reading], settled_as: Sequence[Figure]) -> list[Reading]:
    """Return a phase's readings from before each stock settled, or on which a figure rests."""
    settled = {one.symbol: one.settled_at for one in settled_as}
    linked = {pk for row in settled_as for pk in row.rests_on}
    return [
        row
        for row in found
        if row.pk in linked or row.symbol not in settled or row.read_at <= settled[row.symbol]
    ]


def all_readings(phase: Phase, settled_as: Sequence[Figure]) -> list[Reading]:
    """What was read of this phase's stocks, whenever it was read."""
    return readings_of([phase], {phase.pk: settled_as})[phase.pk]


def readings_of(
    phases: Sequence[Phase], settled_as: Mapping[int, Sequence[Figure]]
) -> dict[int, list[Reading]]:
    """What was read of each phase's stocks, whenever it was read. `settled_as`: its figures.

    Readings of a source are shared by all games (no game); those typed in belong to one. Only a
    copy has readings of a source as its own (see `archive.restore`), and then no others: what this
    service has read itself is no part of a record brought in.
    """
    found: dict[int, list[Reading]] = {}
    stocks = {
        phase.pk: {*phase.stocks, *(one.symbol for one in settled_as[phase.pk])} for phase in phases
    }
    symbols = Q(symbol__in=set[str]().union(*stocks.values()))
    asked, places = Q(), set[tuple[str, str, int | None]]()
    for phase in phases:
        found[phase.pk] = []
        if market.by_sales(phase.game) and not phase.session:
            continue
        place = _place(phase)
        if place not in places:
            places.add(place)
            exchange, session, game = place
            there = Q(exchange=exchange, session=session)
            asked |= there & (Q(game=game) if game else symbols)
    if not places:
        return found
    rows: dict[tuple[str, str], list[Reading]] = {}
    for row in Reading.objects.filter(asked).select_related("entered_by").order_by("read_at", "pk"):
        rows.setdefault((row.exchange, row.session), []).append(row)
    for phase in phases:
        exchange, session, game = _place(phase)
        read = rows.get((exchange, session), [])
        if game is not None:
            own = [row for row in read if row.game_id == game]
            found[phase.pk] = sorted(own, key=lambda row: (roll_number(row.symbol) or 0, row.pk))
        elif phase.session:
            of_stocks = [row for row in read if row.symbol in stocks[phase.pk]]
            found[phase.pk] = _readings_of_sales(phase, of_stocks)
    return found


def _place(phase: Phase) -> tuple[str, str, int | None]:
    """Exchange and session where a phase's readings stand, and the game where they are its own."""
    if market.by_sales(phase.game):
        return phase.exchange, phase.session, None
    place = market.place_of(phase)
    return place["exchange"], place["session"], phase.game_id


def _readings_of_sales(phase: Phase, rows: Sequence[Reading]) -> list[Reading]:
    own = [row for row in rows if row.game_id == phase.game_id]
    if all(row.source == NEWSPAPER for row in own):
        sources = _sources(phase.game)
        own += [row for row in rows if row.game_id is None and row.source in sources]
    return sorted(own, key=lambda row: (row.symbol, row.read_at, row.pk))


def _sources(game: Game) -> list[str]:
    return [source for source in (game.market, game.second_source, DRAND) if source]


def public_list(game: Game, viewer_runs: bool) -> list[Ruling]:
    """The rulings of a game as somebody may see them, the oldest first.

    A ruling on a phase that has no result yet is told with it, to gamesmasters alone until then;
    what turned the game back at once.
    """
    rows = list(game.rulings.select_related("phase", "revokes", "made_by").order_by("number"))
    if viewer_runs:
        return rows
    judged = set(Resolution.objects.filter(phase__game=game).values_list("phase", flat=True))
    told = [row for row in rows if row.phase_id in judged or root_of(row, rows).kind == "rollback"]
    return told


def root_of(row: Ruling, rows: Sequence[Ruling]) -> Ruling:
    """The ruling at the end of a chain of revocations: what it is all about."""
    by_pk = {one.pk: one for one in rows}
    while row.revokes_id is not None:
        row = by_pk[row.revokes_id]
    return row
