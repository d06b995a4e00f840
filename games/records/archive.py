"""Import a game from one JSON document.

`games.rules.verification.form` defines the format, `games.rules.verification.verify` the check,
and `games.evidence.export` writes the document. An imported game is a copy without a running clock
that sends no letters. It is opened only after the record has been checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ValidationError
from django.db import Error as DatabaseError
from django.db import models, transaction

from games import market
from games.base import clock
from games.evidence import hashes, record_rows
from games.models import (
    Act,
    DeadlineChange,
    Draw,
    Figure,
    Game,
    Person,
    Phase,
    Press,
    Proposal,
    ProposalAnswer,
    Reading,
    RecordEntry,
    Resolution,
    Ruling,
    Seat,
    SessionChange,
)
from games.rules import RulesError, doubts
from games.rules.plain import editions
from games.rules.settings import SETTINGS
from games.rules.verification import form, verify
from games.rules.verification.record import RecordError
from games.rules.verification.shapes import Form
from games.timing import schedule
from orders.models import Submission

Json = dict[str, Any]
Row = TypeVar("Row", bound=models.Model)


class RestoreError(RecordError):
    """A record is not imported.

    `str()` says why; if results do not follow, the first difference.
    """


@transaction.atomic
def restore(tree: Json, gamesmaster: Person) -> Game:
    """Open a copy of a recorded game.

    Raise `RestoreError` for a record that is incomplete or whose results do not follow.

    The copy is over like the game, or abandoned now if the game was not over, so its clock never
    runs; no letter is written. Its readings belong only to the copy: a figure that a person wrote
    into a file must never decide an attack in a running game.
    """
    if differences := verify.check(tree):
        raise RestoreError(str(differences[0]))
    if not tree["complete"]:
        public = "This record leaves out what only the gamesmaster of a running game may see"
        raise RestoreError(f"{public}; a copy needs the whole record.")
    for name, value in tree["press_rules"].items():
        try:
            SETTINGS[f"press.{name}"].check(value)
        except RulesError as error:
            raise RestoreError(f"The record's rules of letters cannot be read: {error}") from error
    try:
        schedule.check(tree["schedule"])
        ZoneInfo(tree["zone"])
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:
        raise RestoreError(f"The record's calendar cannot be read: {error}") from error
    try:
        with transaction.atomic():
            return _restore(tree, gamesmaster)
    except (DatabaseError, ValueError) as error:
        raise RestoreError(
            f"The record contains something that cannot be stored: {error}"
        ) from error


def _restore(tree: Json, gamesmaster: Person) -> Game:
    over = tree["status"] == Game.Status.FINISHED
    game = _write_part(
        Game,
        form.GAME,
        tree,
        id=None,
        ruleset_id=tree["game"],
        status=Game.Status.FINISHED if over else Game.Status.ABANDONED,
        opened_by=gamesmaster,
        last_submission=sum(len(phase["submissions"]) for phase in tree["phases"]),
        last_ruling=len(tree["rulings"]),
        press=tree["press_rules"],
    )
    game.gamesmasters.add(gamesmaster)
    seats = {
        row["nation"]: _write_part(Seat, form.SEAT, row, game=game, ordinal=ordinal)
        for ordinal, row in enumerate(tree["seats"])
    }
    phases: dict[int, Phase] = {}
    positions = {
        phase["number"]: phase["resolutions"][0]["after"]
        for phase in tree["phases"]
        if phase["resolutions"]
    } | {None: tree["start"]}
    for phase in tree["phases"]:
        previous = phase["previous"]
        before = phases.get(previous), positions[previous]
        phases[phase["number"]] = _restore_phase(game, phase, *before, seats, gamesmaster)
    _restore_press(game, tree["press"], phases, seats)
    _restore_deals(game, tree["deals"], phases, seats)
    rulings = _restore_rulings(game, tree["rulings"], phases)
    for phase in tree["phases"]:
        _restore_resolutions(phases[phase["number"]], phase, rulings)
    _restore_entries(game, tree["entries"])
    words = "This game is a copy, made from its record."
    _write(
        Act(
            game=game,
            kind=record_rows.COPIED,
            words=words,
            about={"closures": tree["closures"]},
            done_at=clock.now(),
        )
    )
    if not over:
        _abandon(game, tree["abandonment"])
    return game


def _abandon(game: Game, tree: Json | None) -> None:
    """Restore the act by which the game was abandoned; abandon the copy of a game that goes on."""
    words = tree["words"] if tree else "This is a copy of a game that was not over."
    Game.objects.filter(pk=game.pk).update(ending=words[:300])
    if tree is not None:
        text = {"words": words, "reason": tree["reason"]}
        _write(Act(game=game, kind="abandoned", done_at=_moment(tree["at"]), **text))
    else:
        now = clock.now()
        act = _write(Act(game=game, kind="abandoned", words=words, done_at=now))
        Game.objects.filter(pk=game.pk).update(finished_at=now)
        hashes.append(game, [hashes.abandonment(act)], now)
    game.refresh_from_db()


def _restore_entries(game: Game, trees: Sequence[Json]) -> None:
    """Restore entries unchanged: letters with their hashes are evidence for the copy too."""
    for row in trees:
        _write_part(RecordEntry, form.ENTRY, row, game=game)
    Game.objects.filter(pk=game.pk).update(record_hash=trees[-1]["hash"] if trees else "")


def _restore_press(
    game: Game, trees: Sequence[Json], phases: Mapping[int, Phase], seats: Mapping[str, Seat]
) -> None:
    """Restore press. The record does not have its writers, nor the nation of unsigned letters."""
    written: dict[int, Press] = {}
    for row in trees:
        written[row["number"]] = _write_part(
            Press,
            form.PRESS,
            row,
            game=game,
            phase=phases.get(row["phase"]),
            seat=seats.get(row["from"]),
            signed=row["from"] is not None,
            answers=written.get(row["answers"]),
            code=row["number"],
            channel=Press.Channel.PAPER,
        )
    Game.objects.filter(pk=game.pk).update(last_press=max(written, default=0))


def _restore_deals(
    game: Game, trees: Sequence[Json], phases: Mapping[int, Phase], seats: Mapping[str, Seat]
) -> None:
    """Restore deals. Their numbers are counted again by nation, in their order."""
    proposals: list[Proposal] = []
    counts = dict.fromkeys(seats, 0)
    for row in trees:
        for nation in (row["by"], row["to"]):
            counts[nation] += 1
        proposal = _write_part(
            Proposal,
            form.DEAL,
            row,
            game=game,
            seat=seats[row["by"]],
            to=seats[row["to"]],
            number=counts[row["by"]],
            to_number=counts[row["to"]],
            phase=phases[row["phase"]],
            counters=proposals[row["counters"]] if row["counters"] is not None else None,
            channel=Press.Channel.PAPER,
        )
        proposals.append(proposal)
        if row["answer"] is not None:
            answer_fields = {"kind": row["answer"], "made_at": _moment(row["answered"])}
            channel = Press.Channel.PAPER
            _write(ProposalAnswer(proposal=proposal, channel=channel, **answer_fields))
    Game.objects.filter(pk=game.pk).update(last_deal=len(proposals))


def _restore_rulings(
    game: Game, trees: Sequence[Json], phases: Mapping[int, Phase]
) -> dict[int, Ruling]:
    """Restore rulings and return them by number. The record does not say who made them."""
    rulings: dict[int, Ruling] = {}
    for row in trees:
        revokes = rulings[row["revokes"]] if row["revokes"] is not None else None
        others = {"phase": phases[row["phase"]], "revokes": revokes}
        rulings[row["number"]] = _write_part(Ruling, form.RULING, row, game=game, **others)
    return rulings


def _restore_resolutions(phase: Phase, tree: Json, made: Mapping[int, Ruling]) -> None:
    if tree["undone_by"] is not None:
        Phase.objects.filter(pk=phase.pk).update(undone_by=made[tree["undone_by"]])
    for row in tree["resolutions"]:
        ruling = made[row["ruling"]] if row["ruling"] is not None else None
        _write_part(Resolution, form.RESOLUTION, row, phase=phase, ruling=ruling)


def _status_before_undoing(tree: Json) -> str:
    """Return the status of a phase before it was undone, as far as the record shows it."""
    if tree["status"] != Phase.Status.UNDONE:
        return ""
    if tree["resolutions"]:
        return str(Phase.Status.RESOLVED)
    return str(Phase.Status.LOCKED if tree["locked"] else Phase.Status.OPEN)


def _restore_phase(
    game: Game,
    tree: Json,
    previous: Phase | None,
    position: Json,
    seats: Mapping[str, Seat],
    gamesmaster: Person,
) -> Phase:
    session = tree["session"] or {"exchange": "", "label": "", "opens": None, "closes": None}
    phase = _write_part(
        Phase,
        form.PHASE,
        tree,
        game=game,
        previous=previous,
        undone_by=None,
        undone_from=_status_before_undoing(tree),
        exchange=session["exchange"],
        session=session["label"],
        session_opens=_moment_if_any(session["opens"]),
        session_closes=_moment_if_any(session["closes"]),
    )
    by = {"phase": phase, "changed_by": gamesmaster}
    for change in tree["deadline_changes"]:
        outage = change["outage"] or {"since": None, "until": None}
        since, until = _moment_if_any(outage["since"]), _moment_if_any(outage["until"])
        gap = {"outage_from": since, "outage_until": until}
        _write_part(DeadlineChange, form.DEADLINE_CHANGE, change, **by, **gap)
    for change in tree["session_changes"]:
        _write_part(SessionChange, form.SESSION_CHANGE, change, **by)
    _restore_submissions(phase, tree["submissions"], position, seats)
    _restore_digits(phase, tree, gamesmaster)
    return phase


def _restore_submissions(
    phase: Phase, trees: Sequence[Json], position: Json, seats: Mapping[str, Seat]
) -> None:
    """Restore submissions. What a record does not say was understood is read from the text."""
    state = phase.game.load(position)
    for row in trees:
        parsed = phase.game.rules.read(row["text"], row["nation"], state)
        reading = {
            "understood": parsed.understood,
            "doubt": doubts.as_json(parsed.doubt),
            "edition": editions.EDITION,
        }
        _write_part(
            Submission,
            form.SUBMISSION,
            reading | row,
            game=phase.game,
            seat=seats[row["nation"]],
            phase=phase,
            remarks=[remark.as_json() for remark in parsed.remarks],
        )


def _restore_digits(phase: Phase, tree: Json, gamesmaster: Person) -> None:
    place = {"exchange": phase.exchange, "session": phase.session}
    if not market.sales_decide(phase.game):
        place = market.place_of(phase)
    readings = {}
    for row in (*tree["readings"], *tree["later_readings"]):
        readings[row["number"]] = _write_part(
            Reading,
            form.READING,
            row,
            game=phase.game,
            **place,
            read_at=_moment(row["time"]),
            entered_by=gamesmaster if row["entered_by_gamesmaster"] else None,
        )
    figures: dict[str, Figure] = {}
    for row in tree["figures"]:
        figure = _write_part(Figure, form.FIGURE, row, phase=phase)
        figure.readings.set([readings[number] for number in row["readings"]])
        figures[row["symbol"]] = figure
    for row in tree["draws"]:
        # Dice and lots have no area, and neither do digits that an attack discarded.
        unasked = () if row["area"] else ("area",)
        of = {"phase": phase, "figure": figures[row["stock"]]}
        _write_part(Draw, form.DRAW, row, unasked, **of)


def _moment(written: str) -> datetime:
    return datetime.fromisoformat(written)


def _moment_if_any(written: str | None) -> datetime | None:
    return None if written is None else _moment(written)


def _write_part(
    model: type[Row], part: Form, tree: Json, unasked: Iterable[str] = (), /, **others: Any
) -> Row:
    """Write a row as a part of the record says (`Form.write` the other way round).

    `others`: fields that the part does not say so.
    """
    for field in model._meta.fields:
        key = field.name if field.name in part.keys else field.name.removesuffix("_at")
        if key in part.keys and field.name not in others:
            is_instant = isinstance(field, models.DateTimeField)
            others[field.name] = _moment_if_any(tree[key]) if is_instant else tree[key]
    return _write(model(**others), unasked)


def _write(row: Row, unasked: Iterable[str] = ()) -> Row:
    """Check a row's plain fields and save it. Raise `RestoreError` if the model refuses them.

    A file from outside may have longer texts or other values than this service. `unasked`: fields
    that are not checked.
    """
    others = {
        field.name
        for field in row._meta.fields
        if isinstance(field, models.ForeignKey | models.JSONField)
    }
    try:
        row.clean_fields(exclude={*others, *unasked})
    except ValidationError as error:
        subject = f"a {row._meta.verbose_name} that this service cannot store"
        raise RestoreError(f"The record contains {subject}: {'; '.join(error.messages)}") from error
    row.save()
    return row
