"""Say exactly which letters a league must have caused: derived from its phases, people, orders,
results and messages, and from nothing that the outbox says.

The keys are those of docs/design.md 7: they name what happened and the reader. Kinds that a league
does not cause are not here, so that such a letter counts as one that nothing caused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.drills.breaking import tables
from tests.drills.breaking.tables import Database, Phase, Seat, instant, loaded

#: Phases in a row without orders after which a seat counts as vacant (the option seat.nmr_limit,
# which the games of a league leave as it is).
VACANT_AFTER = 2
#: Players are reminded two days before a deadline, or in the last quarter of a shorter phase; in
# one of some minutes, never.
REMINDED, QUARTER, TOO_SHORT = timedelta(days=2), 4, timedelta(minutes=10)
#: What the service writes down of a message that came after the end of its game.
OVER = "The game is over."


@dataclass(frozen=True)
class Expected:
    """A letter that must exist, or may: then nothing in the tables says whether it had to."""

    key: str
    kind: str
    game: int
    phase: int | None
    person: int | None
    address: str
    about: Mapping[str, Any] = field(default_factory=dict)  # part of what it is about
    must: bool = True


@dataclass(frozen=True)
class Person:
    """What decides whether and where a person gets letters."""

    address: str
    receipts: bool
    locks: bool


class Readers:
    """Everybody in a league: who runs a game, and who plays which nation of it."""

    def __init__(self, database: Database) -> None:
        people = database.rows("SELECT id, email, receipts, lock_letters FROM games_person")
        self.people = {row[0]: Person(row[1], bool(row[2]), bool(row[3])) for row in people}
        self.seats = tables.seats(database)
        self.run: dict[int, list[int]] = defaultdict(list)
        for game, person in database.rows(
            "SELECT game_id, person_id FROM games_game_gamesmasters ORDER BY id"
        ):
            self.run[game].append(person)
        self.of_game: dict[int, list[Seat]] = defaultdict(list)
        for seat in self.seats.values():
            self.of_game[seat.game].append(seat)

    def everybody(self, game: int) -> list[int]:
        """Return who runs or plays a game, each once."""
        players = [person for seat in self.of_game[game] for person in seat.people]
        return list(dict.fromkeys([*self.run[game], *players]))

    def write(
        self,
        people: Iterable[int],
        kind: str,
        event: str,
        game: int,
        phase: Phase | None = None,
        *,
        must: bool = True,
        **about: Any,
    ) -> Iterator[Expected]:
        """Yield a letter about an event of a game or phase to each of these people."""
        place = phase.place if phase is not None else f"game-{game}"
        number = phase.pk if phase is not None else None
        for person in people:
            address, key = self.people[person].address, f"{place}/{event}/person-{person}"
            yield Expected(key, kind, game, number, person, address, about, must)


def letters(
    database: Database, reminded: Mapping[int, datetime], *, leapt: bool = False
) -> dict[str, Expected]:
    """Return by key the letters that must or may exist.

    `reminded`: phases by id of which the service was seen to have sent the reminders, and when.
    `leapt`: whether the clock was set while people ordered.
    """
    readers, phases = Readers(database), tables.phases(database)
    found = [
        *_of_games(database, readers),
        *_of_phases(readers, phases),
        *_of_results(database, readers, phases),
        *_of_vacancies(database, readers, phases),
        *_of_moves(database, readers, phases),
        *_reminders(database, readers, phases, reminded, leapt),
        *_receipts(database, readers, phases),
        *_answers(database, readers),
        *_press(database, readers, phases),
        *_deals(database, readers),
        *_undelivered(database, readers, phases),
        *_bounces(database, readers),
    ]
    return {letter.key: letter for letter in found}


def _of_games(database: Database, readers: Readers) -> Iterator[Expected]:
    """Yield the invitations, and the first letter of each game that has begun."""
    for invitation, seat, address in database.rows(
        "SELECT id, seat_id, email FROM games_invitation"
    ):
        game = readers.seats[seat].game
        key, about = f"game-{game}/invitation-{invitation}", {"invitation": invitation}
        yield Expected(key, "invitation", game, None, None, address, about)
    for (game,) in database.rows("SELECT id FROM games_game WHERE started_at IS NOT NULL"):
        yield from readers.write(readers.everybody(game), "begins", "begins", game)


def _of_phases(readers: Readers, phases: Mapping[int, Phase]) -> Iterator[Expected]:
    """Yield the letters that open the first phase; the report before it opens each later one."""
    for phase in phases.values():
        if phase.previous is None:
            everybody = readers.everybody(phase.game)
            yield from readers.write(everybody, "opened", "opened", phase.game, phase)


def _of_results(
    database: Database, readers: Readers, phases: Mapping[int, Phase]
) -> Iterator[Expected]:
    """Yield the letters with the digest of phases that need digits, and all reports.

    While a phase waits for its digits, the letter with the digest is all that it has caused.
    """
    following = {phase.previous: phase.pk for phase in phases.values() if phase.previous}
    drawing = {phase.pk for phase in phases.values() if phase.status == "drawing"}
    for resolution, pk, version, events in database.rows(
        "SELECT id, phase_id, version, events FROM games_resolution"
    ):
        phase = phases[pk]
        everybody, about = readers.everybody(phase.game), {"resolution": resolution}
        kind = "board" if pk in following else "over"
        about |= {"next": following[pk]} if pk in following else {}
        event = f"{kind}-v{version}"
        yield from readers.write(everybody, kind, event, phase.game, phase, **about)
        if any(event["kind"] == "attack" for event in loaded(events)):
            drawing.add(pk)
    for phase in (phases[pk] for pk in sorted(drawing)):
        wanted = [one for one in readers.everybody(phase.game) if readers.people[one].locks]
        yield from readers.write(wanted, "locked", "locked", phase.game, phase)


def _of_vacancies(
    database: Database, readers: Readers, phases: Mapping[int, Phase]
) -> Iterator[Expected]:
    """Yield the letters about seats that have just missed too many phases in a row, once each run.

    A phase in which a nation had nothing to order neither counts nor ends its run.
    """
    ordered = set(database.rows("SELECT phase_id, seat_id FROM orders_submission WHERE counts"))
    acts = {
        (phase, seat): act
        for act, phase, seat in database.rows(
            "SELECT id, phase_id, seat_id FROM games_act WHERE kind = 'vacant'"
        )
    }
    run: dict[int, int] = defaultdict(int)
    for phase in phases.values():
        for seat in readers.of_game[phase.game]:
            if (phase.pk, seat.pk) in ordered:
                run[seat.pk] = 0
            elif seat.people and seat.nation in phase.missed:
                run[seat.pk] += 1
                if run[seat.pk] == VACANT_AFTER:
                    act = acts.get((phase.pk, seat.pk), "of-no-act")
                    masters, event = readers.run[phase.game], f"vacant-{act}"
                    yield from readers.write(masters, "vacant", event, phase.game, phase, act=act)


def _of_moves(
    database: Database, readers: Readers, phases: Mapping[int, Phase]
) -> Iterator[Expected]:
    for change, pk in database.rows("SELECT id, phase_id FROM games_deadlinechange"):
        phase, event = phases[pk], f"moved-{change}"
        everybody = readers.everybody(phase.game)
        yield from readers.write(everybody, "moved", event, phase.game, phase, change=change)


def _reminders(
    database: Database,
    readers: Readers,
    phases: Mapping[int, Phase],
    reminded: Mapping[int, datetime],
    leapt: bool,
) -> Iterator[Expected]:
    """Yield the reminders of players without orders.

    One must exist if the service was seen to have sent those of the deadline and the player never
    ordered. Other players may have ordered a moment before it, and mail is read after it comes in;
    a clock that was set back gives orders after a reminder an instant before it.
    """
    arrived: dict[tuple[int, int], datetime] = {}
    for pk, seat, stored in database.rows(
        "SELECT phase_id, seat_id, received_at FROM orders_submission WHERE counts"
        " AND channel != 'mail' ORDER BY number DESC"
    ):
        arrived[pk, seat] = instant(stored)
    for phase, announced, deadline in _deadlines(database, phases):
        length = deadline - announced
        if length < TOO_SHORT:
            continue
        since, seen = deadline - min(REMINDED, length / QUARTER), reminded.get(phase.pk)
        event = f"reminder-{deadline:%Y%m%d%H%M}"
        for seat in readers.of_game[phase.game]:
            first = arrived.get((phase.pk, seat.pk))
            if leapt or first is None or first > since:
                silent = seat.nation in phase.missed
                must = silent and seen is not None and announced <= seen < deadline
                yield from readers.write(
                    seat.people, "reminder", event, phase.game, phase, must=must
                )


def _deadlines(
    database: Database, phases: Mapping[int, Phase]
) -> Iterator[tuple[Phase, datetime, datetime]]:
    """Yield every deadline that a phase has had, after the instant when it was announced."""
    changes: dict[int, list[tuple[datetime, datetime, datetime]]] = defaultdict(list)
    for pk, *instants in database.rows(
        "SELECT phase_id, changed_at, old, new FROM games_deadlinechange ORDER BY id"
    ):
        at, old, new = map(instant, instants)
        changes[pk].append((at, old, new))
    for phase in phases.values():
        moves = changes[phase.pk]
        yield phase, phase.opened_at, moves[0][1] if moves else phase.deadline
        for at, _, new in moves:
            yield phase, at, new


def _receipts(
    database: Database, readers: Readers, phases: Mapping[int, Phase]
) -> Iterator[Expected]:
    """Yield the receipts of orders from the page; to mail the answer is the receipt."""
    for submission, pk, seat, number, person in database.rows(
        "SELECT id, phase_id, seat_id, seat_number, person_id FROM orders_submission"
        " WHERE channel = 'web' AND person_id IS NOT NULL"
    ):
        phase, event = phases[pk], f"receipt-{seat}-{number}"
        wanted = [person] if readers.people[person].receipts else []
        yield from readers.write(wanted, "receipt", event, phase.game, phase, submission=submission)


def _answers(database: Database, readers: Readers) -> Iterator[Expected]:
    """Yield the answer to each message of a player; after the end of a game, one to each person."""
    for handling, mail, words, game, person, outcome in database.rows(
        "SELECT h.id, h.mail_id, h.words, h.game_id, h.person_id, h.outcome"
        " FROM orders_handling h JOIN games_game g ON g.id = h.game_id WHERE h.status = 'done'"
    ):
        address = readers.people[person].address
        if words == OVER:
            yield from readers.write([person], "word", "over-mail", game)
        else:
            key, phase = f"mail-{mail}/answer", loaded(outcome).get("phase")
            about = {"handling": handling}
            yield Expected(key, "answer", game, phase, person, address, about)


def _press(database: Database, readers: Readers, phases: Mapping[int, Phase]) -> Iterator[Expected]:
    """Yield the letters between nations, to everybody in the seats addressed but the writer."""
    for press, pk, code, seat, person, to in database.rows(
        'SELECT id, phase_id, code, seat_id, person_id, "to" FROM games_press'
    ):
        phase = phases[pk]
        people = [
            reader
            for other in readers.of_game[phase.game]
            if other.nation in loaded(to) or other.pk == seat
            for reader in other.people
            if reader != person
        ]
        yield from readers.write(people, "press", f"press-{code}", phase.game, phase, press=press)


def _deals(database: Database, readers: Readers) -> Iterator[Expected]:
    """Yield the letters about proposed deals and the answers to them, to the people of both nations
    but their writer. Each nation has its own number for a deal.
    """
    proposals = {
        row[0]: row[1:]
        for row in database.rows(
            "SELECT id, game_id, phase_id, seat_id, number, to_id, to_number, person_id"
            " FROM games_proposal"
        )
    }
    written = [("proposal", proposal, row[-1]) for proposal, row in proposals.items()]
    written += [
        ("proposal_answer", proposal, person)
        for proposal, person in database.rows(
            "SELECT proposal_id, person_id FROM games_proposalanswer"
        )
    ]
    for kind, proposal, writer in written:
        game, phase, *numbers, _ = proposals[proposal]
        for seat, number in (numbers[:2], numbers[2:]):
            for person in readers.seats[seat].people:
                if person != writer:
                    key = f"game-{game}/seat-{seat}/{kind}-{number}/person-{person}"
                    address, about = readers.people[person].address, {"proposal": proposal}
                    yield Expected(key, kind, game, phase, person, address, about)


def _undelivered(
    database: Database, readers: Readers, phases: Mapping[int, Phase]
) -> Iterator[Expected]:
    """Yield the notices of letters that were given up, one a phase and person, to those who run the
    game. A reminder may be given up because it is too late, of which nobody is told.
    """
    for letter, kind, game, pk, person, status in database.rows(
        "SELECT id, kind, game_id, phase_id, person_id, status FROM games_letter"
        " WHERE status IN ('failed', 'bounced') AND kind != 'undelivered' AND game_id IS NOT NULL"
        " ORDER BY kind = 'reminder' DESC"
    ):
        if status == "bounced" and person is not None:
            continue
        whom = f"of-{person}" if person is not None else f"of-letter-{letter}"
        masters = [master for master in readers.run[game] if master != person]
        phase, event = phases.get(pk), f"undelivered-{whom}"
        must = kind != "reminder"
        yield from readers.write(masters, "undelivered", event, game, phase, must=must)


def _bounces(database: Database, readers: Readers) -> Iterator[Expected]:
    """Yield the notices of a player whose letters bounce. Which bounce begins a run depends on when
    each came, so none of them must exist."""
    for letter, game, person in database.rows(
        "SELECT id, game_id, person_id FROM games_letter WHERE status = 'bounced' AND person_id IS"
        " NOT NULL"
    ):
        masters = [master for master in readers.run[game] if master != person]
        event = f"bouncing-{person}-{letter}"
        about = {"person": person}
        yield from readers.write(masters, "bouncing", event, game, must=False, **about)
