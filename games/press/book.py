"""The deals of a game as a reader may see them, judged by its reports, and its bots' characters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter

from django.db.models import prefetch_related_objects

from games import permissions, positions
from games.models import Game, Phase, Proposal, ProposalAnswer, Resolution, Seat
from games.press import deals
from games.rules import PhaseId
from games.rules.deals import outcomes, terms
from games.rules.deals.characters import Character, draw
from games.rules.deals.terms import Clause


@dataclass(frozen=True)
class Deal:
    """A proposal as its reader may see it: promises, status and outcomes."""

    proposal: Proposal
    #: The reader's own seat in the deal; None for spectators.
    own: Seat | None
    clauses: tuple[Clause, ...]
    status: str  # "open", "lapsed", or a kind of answer
    outcomes: tuple[outcomes.Outcome, ...] = ()
    #: How it ended, and the number by which the reader knows the offer that was made instead.
    answer: ProposalAnswer | None = None
    instead: int | None = None

    @property
    def number(self) -> int | None:
        return self.proposal.number_for(self.own.pk) if self.own is not None else None

    @property
    def other(self) -> Seat:
        """The other nation; for spectators, the one that the deal was proposed to."""
        is_addressee = self.own is not None and self.own.pk == self.proposal.to_id
        return self.proposal.seat if is_addressee else self.proposal.to

    @property
    def may_answer(self) -> bool:
        return self.status == "open" and self.own is not None and self.own.pk == self.proposal.to_id

    @property
    def may_withdraw(self) -> bool:
        return (
            self.status == "open" and self.own is not None and self.own.pk == self.proposal.seat_id
        )


class Book:
    """The deals of a game that a reader may see, judged as far as they may know the game."""

    def __init__(self, person: permissions.Someone, game: Game) -> None:
        self.person, self.game = person, game
        self.seats = permissions.held_seats(person, game)
        self.phase = positions.annotate_positions(game.phases.all()).current()
        if self.phase is not None:
            self.phase.game = game

    @cached_property
    def deals(self) -> list[Deal]:
        """The deals, oldest first."""
        proposals = permissions.readable_deals(self.person, self.game)
        if not proposals or self.phase is None or self.game.rules.deals is None:
            return []
        prefetch_related_objects(proposals, "phase")  # joined, each would be read again
        for proposal in proposals:
            proposal.phase.game = self.game
        instead = {proposal.counters_id: proposal for proposal in proposals}
        return [self._deal(proposal, instead.get(proposal.pk)) for proposal in proposals]

    def answers(self) -> list[Deal]:
        """Return the reader's proposals of this turn that others have answered, newest first."""
        if self.phase is None or self.game.is_over:
            return []
        answered = [
            (deal.answer.made_at, deal.proposal.pk, deal)
            for deal in self.deals
            if deal.answer is not None
            and deal.answer.kind != ProposalAnswer.Kind.WITHDRAWN
            and deal.own is not None
            and deal.own.pk == deal.proposal.seat_id
            and deal.proposal.phase.turn == self.phase.turn
        ]
        return [deal for *_, deal in sorted(answered, key=itemgetter(0, 1), reverse=True)]

    @cached_property
    def ground(self) -> terms.Ground:
        """What the deals of the present phase are read against. Raise `DealError`."""
        assert self.phase is not None
        return deals.ground_of(self.game, self.phase)

    @cached_property
    def _chapters(self) -> list[tuple[Phase, outcomes.Chapter]]:
        rows = Resolution.objects.filter(
            phase__game=self.game, phase__status=Phase.Status.RESOLVED
        ).select_related("phase")
        newest = {row.phase_id: row for row in rows.order_by("phase__number", "version")}
        return [(row.phase, self._chapter(row)) for row in newest.values()]

    def _chapter(self, row: Resolution) -> outcomes.Chapter:
        game, phase = self.game, row.phase
        phase.game = game
        nation = self.seats[0].nation if self.seats else None
        readable = permissions.readable_nations(
            self.person, game, settled=permissions.is_settled(phase), phase=phase
        )
        return outcomes.Chapter(
            PhaseId(phase.turn, phase.kind),
            permissions.view(game, row.before, nation),
            permissions.view(game, row.after, nation),
            row.events,
            {
                seat.nation: row.orders.get(seat.nation, "")
                for seat in game.seats.all()
                if seat.nation in readable
            },
        )

    def _deal(self, proposal: Proposal, instead: Proposal | None) -> Deal:
        clauses = deals.clauses_of(proposal, self.ground)
        ended: ProposalAnswer | None = getattr(proposal, "answer", None)
        own_seat = next(
            (seat for seat in self.seats if seat.pk in (proposal.seat_id, proposal.to_id)), None
        )
        if ended is None:
            assert self.phase is not None
            last = max(clause.until for clause in clauses)
            over = self.game.is_over or self.phase.turn > last
            return Deal(proposal, own_seat, clauses, "lapsed" if over else "open")
        if ended.kind != ProposalAnswer.Kind.ACCEPTED:
            number = instead.number_for(own_seat.pk) if instead and own_seat else None
            return Deal(proposal, own_seat, clauses, ended.kind, answer=ended, instead=number)
        chapters = [
            chapter
            for phase, chapter in self._chapters
            if phase.locked_at is None or phase.locked_at > ended.made_at
        ]
        turn = None if self.game.is_over or self.phase is None else self.phase.turn
        results = outcomes.judge(self.game.rules, clauses, chapters, turn)
        return Deal(
            proposal,
            own_seat,
            clauses,
            ended.kind,
            tuple(self._add_character(outcome) for outcome in results),
            ended,
        )

    def _add_character(self, came: outcomes.Outcome) -> outcomes.Outcome:
        """Return an outcome, with the character of a bot that broke its word if it is public."""
        character = self._characters.get(came.nation)
        if character is None or came.result != outcomes.BROKEN:
            return came
        why = f"{came.why} {character.name}: {came.nation} {character.words}".strip()
        return replace(came, why=why)

    @cached_property
    def _characters(self) -> dict[str, Character]:
        return dict(revealed_characters(self.game))


def character_of(game: Game, seat: Seat) -> Character | None:
    """Return the character of a seat's bot; None if the seat has no bot."""
    return draw(game.bots_secret, seat.nation) if seat.bot and game.bots_secret else None


def revealed_characters(game: Game) -> list[tuple[str, Character]]:
    """Return the characters of a game's bots. They are secret until it is over."""
    if not game.is_over or not deals.has_deals(game):
        return []
    seats = permissions.nations_of(game)
    return [(seat.nation, character) for seat in seats if (character := character_of(game, seat))]
