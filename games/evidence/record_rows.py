"""Rows in the form of a game's record.

Its document (games.evidence.export) and its entries (games.evidence.hashes) consist of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q, prefetch_related_objects

from games import market
from games.models import (
    Act,
    DeadlineChange,
    Draw,
    Figure,
    Game,
    Phase,
    Reading,
    Resolution,
    Ruling,
)
from games.rules.digits import roll_number
from games.rules.settling import NEWSPAPER
from games.rules.verification import form
from games.rules.verification.record import instant

Json = dict[str, Any]

#: The kind of the act by which a game was copied from a record (games.records.archive).
COPIED = "copied"


def moment(at: datetime | None) -> str | None:
    return None if at is None else instant(at)


def game(row: Game) -> Json:
    """Return what was fixed when a game began."""
    return form.BEGINNING.write(row, game=row.ruleset_id)


def abandonment(row: Game) -> Json | None:
    """Return when and why a game was abandoned; None for one that was not."""
    if row.status != Game.Status.ABANDONED:
        return None
    act = row.acts.filter(kind="abandoned").order_by("pk").last()
    return None if act is None else abandoned(act)


def copied(row: Game) -> Act | None:
    """Return the act by which a game was copied from a record; None for a game played here."""
    return row.acts.filter(kind=COPIED).first() if row.is_over else None


def abandoned(act: Act) -> Json:
    return {"at": instant(act.done_at), "words": act.words, "reason": act.reason}


def phase(row: Phase) -> Json:
    """Return the fields of a phase's own row, except its status."""
    return {
        "number": row.number,
        "turn": row.turn,
        "kind": row.kind,
        "previous": row.previous.number if row.previous else None,
        "opened": instant(row.opened_at),
        "deadline": instant(row.deadline),
        "controllers": row.controllers,
        **lock(row),
        "seed_hash": row.seed_hash,
        "seed": row.seed,
    }


def lock(row: Phase) -> Json:
    """Return what the lock set in a phase, all of it from its own row."""
    return form.LOCK.write(row, session=_session(row))


def _session(row: Phase) -> Json | None:
    if not row.session or row.session_opens is None or row.session_closes is None:
        return None
    opens, closes = instant(row.session_opens), instant(row.session_closes)
    return {"exchange": row.exchange, "label": row.session, "opens": opens, "closes": closes}


def deadline_change(row: DeadlineChange) -> Json:
    since, until = moment(row.outage_from), moment(row.outage_until)
    outage = {"since": since, "until": until} if since and until else None
    return form.DEADLINE_CHANGE.write(row, outage=outage)


def ruling(row: Ruling) -> Json:
    revokes = row.revokes.number if row.revokes else None
    return form.RULING.write(row, turn=row.phase.turn, phase=row.phase.number, revokes=revokes)


def resolution(row: Resolution) -> Json:
    """Return a version of a result, all of it."""
    return form.RESOLUTION.write(row, ruling=row.ruling.number if row.ruling else None)


def reading(row: Reading, number: int) -> Json:
    return {"number": number, **row.as_record()}


def figure(row: Figure, numbers: Mapping[int, int]) -> Json:
    """Return a figure. `numbers`: its phase's readings by primary key, as in the record."""
    return form.FIGURE.write(row, readings=sorted(numbers[pk] for pk in row.rests_on))


def draw(row: Draw) -> Json:
    return form.DRAW.write(row, stock=row.figure.symbol, volume=row.figure.volume)


def figures(row: Phase) -> list[Figure]:
    """Return the figures of a phase with their readings."""
    return figures_of([row])[row.pk]


def figures_of(phases: Iterable[Phase]) -> dict[int, list[Figure]]:
    """Return the figures of each phase by its primary key, with the readings they rest on.

    The links are queried by their own column: joined with figures, a query plan made while the
    tables were small took two thirds of an attack's time. Figures are sorted here, because
    databases sort hyphens differently.
    """
    by_phase: dict[int, list[Figure]] = {phase.pk: [] for phase in phases}
    figures = {row.pk: row for row in Figure.objects.filter(phase__in=list(by_phase))}
    for row in figures.values():
        row.rests_on = []
        by_phase[row.phase_id].append(row)
    through: Any = Figure.readings.through
    links = through.objects.filter(figure__in=list(figures)).order_by("figure_id", "reading_id")
    for figure, reading in links.values_list("figure_id", "reading_id"):
        figures[figure].rests_on.append(reading)
    return {pk: sorted(rows, key=lambda row: row.symbol) for pk, rows in by_phase.items()}


def draws(row: Phase) -> list[Json]:
    prefetch_related_objects([row], "draws_made__figure")  # unless the caller has read them
    rows = sorted(row.draws_made.all(), key=lambda made: (made.nation, made.line))
    return [draw(made) for made in rows]


def readings(phase: Phase, settled_as: Sequence[Figure]) -> list[Reading]:
    """Return readings of this phase's stocks from before each stock settled."""
    return behind(all_readings(phase, settled_as), settled_as)


def behind(readings: Iterable[Reading], settled_as: Sequence[Figure]) -> list[Reading]:
    """Return a phase's readings from before each stock settled, or on which a figure rests."""
    settled = {entry.symbol: entry.settled_at for entry in settled_as}
    linked = {pk for row in settled_as for pk in row.rests_on}
    return [
        row
        for row in readings
        if row.pk in linked or row.symbol not in settled or row.read_at <= settled[row.symbol]
    ]


def all_readings(phase: Phase, settled_as: Sequence[Figure]) -> list[Reading]:
    """Return all readings of this phase's stocks, made at any time."""
    return readings_of([phase], {phase.pk: settled_as})[phase.pk]


def readings_of(
    phases: Sequence[Phase], settled_as: Mapping[int, Sequence[Figure]]
) -> dict[int, list[Reading]]:
    """Return all readings of each phase's stocks. `settled_as`: its figures.

    Readings of a source are shared by all games and belong to none; typed-in ones belong to one
    game. Only an imported copy owns readings of a source (see `archive.restore`), and it has no
    others: what this service has read itself is not part of an imported record.
    """
    by_phase: dict[int, list[Reading]] = {}
    stocks = {
        phase.pk: {*phase.stocks, *(entry.symbol for entry in settled_as[phase.pk])}
        for phase in phases
    }
    symbols = Q(symbol__in=set[str]().union(*stocks.values()))
    query, places = Q(), set[tuple[str, str, int | None]]()
    for phase in phases:
        by_phase[phase.pk] = []
        if market.sales_decide(phase.game) and not phase.session:
            continue
        place = _place(phase)
        if place not in places:
            places.add(place)
            exchange, session, game = place
            in_session = Q(exchange=exchange, session=session)
            query |= in_session & (Q(game=game) if game else symbols)
    if not places:
        return by_phase
    rows: dict[tuple[str, str], list[Reading]] = {}
    for row in Reading.objects.filter(query).select_related("entered_by").order_by("read_at", "pk"):
        rows.setdefault((row.exchange, row.session), []).append(row)
    for phase in phases:
        exchange, session, game = _place(phase)
        read = rows.get((exchange, session), [])
        if game is not None:
            own_rows = [row for row in read if row.game_id == game]
            by_phase[phase.pk] = sorted(
                own_rows, key=lambda row: (roll_number(row.symbol) or 0, row.pk)
            )
        elif phase.session:
            of_stocks = [row for row in read if row.symbol in stocks[phase.pk]]
            by_phase[phase.pk] = _readings_of_sales(phase, of_stocks)
    return by_phase


def _place(phase: Phase) -> tuple[str, str, int | None]:
    """Return exchange and session of a phase's readings, and the game if they are its own."""
    if market.sales_decide(phase.game):
        return phase.exchange, phase.session, None
    place = market.place_of(phase)
    return place["exchange"], place["session"], phase.game_id


def _readings_of_sales(phase: Phase, rows: Sequence[Reading]) -> list[Reading]:
    selected = [row for row in rows if row.game_id == phase.game_id]
    if all(row.source == NEWSPAPER for row in selected):
        sources = [source for source in (phase.game.market, phase.game.second_source) if source]
        selected += [row for row in rows if row.game_id is None and row.source in sources]
    return sorted(selected, key=lambda row: (row.symbol, row.read_at, row.pk))


def public_list(game: Game, viewer_runs: bool) -> list[Ruling]:
    """Return the rulings of a game that a person may see, oldest first.

    A ruling on a phase without a result is public only with the result, or when the game is over;
    gamesmasters see it at once. Rollbacks are public at once.
    """
    rows = list(game.rulings.select_related("phase", "revokes", "made_by").order_by("number"))
    if viewer_runs or game.is_over:
        return rows
    judged_phases = set(Resolution.objects.filter(phase__game=game).values_list("phase", flat=True))
    visible = [
        row
        for row in rows
        if row.phase_id in judged_phases or root_of(row, rows).kind == "rollback"
    ]
    return visible


def root_of(row: Ruling, rows: Sequence[Ruling]) -> Ruling:
    """Return the ruling at the end of a chain of revocations."""
    by_pk = {other.pk: other for other in rows}
    while row.revokes_id is not None:
        row = by_pk[row.revokes_id]
    return row
