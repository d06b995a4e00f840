"""Deals between two nations: propose and answer them.

Deals do not bind: no order is rejected or changed for one. `games.rules.deals` reads their text,
`games.press.book` shows them, judged by the reports.
Who may propose to whom follows the game's rules for letters.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Max, Q

from games import permissions, positions
from games.models import Game, Person, Phase, Press, Proposal, ProposalAnswer, Seat
from games.outbox.messages import deal_letters
from games.press import conversations
from games.rules.deals import terms
from games.rules.deals.terms import Clause
from games.rules.names import NameFault, vocabulary
from games.seats import press_rules

#: Most proposals of a nation in a day, and most unanswered ones to the same nation.
MOST_A_DAY, MOST_OPEN = 30, 5

Kind = ProposalAnswer.Kind


class DealError(press_rules.PressError):
    """A deal cannot be proposed or answered. `str()` is one sentence for its writer."""


def has_deals(game: Game) -> bool:
    """Return whether a game has deals: its rules allow them, and its ruleset can judge them."""
    return press_rules.rules_of(game).deals != press_rules.NONE and game.rules.deals is not None


def ground_of(game: Game, phase: Phase) -> terms.Ground:
    """Return what terms are read against. Raise `DealError` in a game without deals."""
    deals = game.rules.deals
    if deals is None or not has_deals(game):
        raise DealError(f"There are no deals in “{game.title}”. You can write letters.")
    state = positions.state_of(phase)
    board = game.rules.board(permissions.view(game, positions.position_before(phase), None))
    return terms.Ground(
        board.nations, board.areas, phase.turn, game.rules.turns(state), tuple(deals.verbs)
    )


def partner(game: Game, own: Seat, typed: str) -> Seat:
    """Return the seat of the nation that a proposal goes to.

    Raise `DealError` if it cannot answer.
    """
    seats = {seat.nation: seat for seat in game.seats.nations().order_by("ordinal")}
    try:
        nation = vocabulary(tuple(seats), "nation").find(typed)
    except NameFault as fault:
        raise DealError(f"Nothing was proposed: {fault}. Name one of {', '.join(seats)}.") from None
    addressee = seats[nation]
    if addressee.pk == own.pk:
        raise DealError(f"You are {nation} yourself. Propose the deal to another nation.")
    if addressee.by_table:
        raise DealError(f"Nobody plays {nation}, so nobody can answer for it.")
    return addressee


def propose(
    game: Game,
    seat: Seat,
    person: Person | None,
    to: Seat,
    text: str,
    *,
    channel: Press.Channel | str,
    now: datetime,
    counters: Proposal | None = None,
    reason: str = "",
    request_key: str = "",
) -> Proposal:
    """Store a proposal and write to the other side. Raise `DealError` or `PressError`.

    `counters` is the proposal that this one answers, which ends with it, and `reason` says why it
    was not accepted. `request_key` is the one
    of a program (games.api.requests). The caller has to check with `games.permissions` whether
    `person` may act for the seat.
    """
    with transaction.atomic():
        conversations.take_row_for(game, seat, person)
        phase = _check_time(game, seat)
        if counters is not None and counters.to_id != seat.pk:
            raise DealError(
                f"You proposed No. {counters.number} yourself. Withdraw it and propose another."
            )
        try:
            clauses = terms.read(text, seat.nation, to.nation, ground_of(game, phase))
        except terms.DealFault as fault:
            raise DealError(f"Nothing was proposed. {fault}") from None
        written = terms.write(clauses)
        conversations.check_newcomer(None if game.practice else person, now)
        _check_number(seat, to, written, now)
        if counters is not None:
            _answer(counters, Kind.COUNTERED, person, channel, now, phase, reason=reason)
        proposal = Proposal.objects.create(
            game=game,
            seat=seat,
            to=to,
            number=_next_number(seat),
            to_number=_next_number(to),
            phase=phase,
            text=written,
            person=person,
            channel=channel,
            counters=counters,
            made_at=now,
            request_key=request_key,
        )
        _count(proposal)
        deal_letters.announce_proposal(proposal, now)
    return proposal


def answer(
    proposal: Proposal,
    seat: Seat,
    kind: Kind,
    person: Person | None,
    *,
    channel: Press.Channel | str,
    now: datetime,
    reason: str = "",
) -> None:
    """Accept, decline or withdraw a proposal, and tell the other side. Raise `DealError`."""
    game = proposal.game
    with transaction.atomic():
        conversations.take_row_for(game, seat, person)
        phase = _check_time(game, seat)
        is_proposer = proposal.seat_id == seat.pk
        number = proposal.number_for(seat.pk)
        if is_proposer and kind != Kind.WITHDRAWN:
            raise DealError(
                f"You proposed No. {number} yourself; {proposal.to.nation} answers it. You can"
                " withdraw it."
            )
        if not is_proposer and kind == Kind.WITHDRAWN:
            raise DealError(f"{proposal.seat.nation} proposed No. {number}. You can decline it.")
        row = _answer(proposal, kind, person, channel, now, phase, number, reason)
        _count(proposal)
        deal_letters.report_answer(row, now)


def _answer(
    proposal: Proposal,
    kind: Kind,
    person: Person | None,
    channel: Press.Channel | str,
    now: datetime,
    phase: Phase,
    number: int | None = None,
    reason: str = "",
) -> ProposalAnswer:
    number = number or proposal.to_number
    before = ProposalAnswer.objects.filter(proposal=proposal).first()
    if before is not None:
        raise DealError(f"No. {number} was already {before.get_kind_display().lower()}.")
    if has_lapsed(proposal, phase):
        raise DealError(f"No. {number} has expired. Propose it again.")
    return ProposalAnswer.objects.create(
        proposal=proposal, kind=kind, person=person, channel=channel, made_at=now, reason=reason
    )


def clauses_of(proposal: Proposal, ground: terms.Ground) -> tuple[Clause, ...]:
    """Return the promises of a stored proposal. `terms.write` has written its text."""
    # Read as on the day of the proposal, because its turns may be over by now.
    original_ground = terms.Ground(ground.nations, ground.areas, 1, ground.turns, ground.verbs)
    return terms.read(proposal.text, proposal.seat.nation, proposal.to.nation, original_ground)


def has_lapsed(proposal: Proposal, phase: Phase | None) -> bool:
    """Return whether a proposal has expired, because all its turns are over."""
    if phase is None or proposal.game.is_over:
        return True
    return phase.turn > terms.last_turn(proposal.text)


def find(person: Person, game: Game, seats: Iterable[Seat], number: int) -> tuple[Proposal, Seat]:
    """Return the deal that one of these seats knows by a number. Raise `DealError`."""
    matches = [
        (proposal, seat)
        for proposal in permissions.readable_deals(person, game)
        for seat in seats
        if seat.pk in (proposal.seat_id, proposal.to_id) and proposal.number_for(seat.pk) == number
    ]
    if not matches:
        raise DealError(f"You have no deal No. {number}. Send DEALS for a list.")
    if len(matches) > 1:
        raise DealError(
            f"You play more than one nation with a deal No. {number}. Write the nation above it,"
            f" such as FOR {matches[0][1].nation}."
        )
    return matches[0]


def _check_time(game: Game, seat: Seat) -> Phase:
    """Return the current phase. Raise `DealError` or `PressError` if no deals can be made in it."""
    if not has_deals(game):
        raise DealError(f"There are no deals in “{game.title}”. You can write letters.")
    phase = game.phases.current()
    if phase is not None and game.in_progress and conversations.shut(game, phase):
        raise DealError(
            f"You cannot make or answer deals in {phase.title}, until it is resolved. Nothing was"
            " sent."
        )
    conversations.check_time(game, phase, seat, False)
    assert phase is not None
    return phase


def _check_number(seat: Seat, to: Seat, text: str, now: datetime) -> None:
    unanswered = Proposal.objects.filter(seat=seat, to=to, answer=None)
    if (same := unanswered.filter(text=text).first()) is not None:
        raise DealError(f"You have already proposed that, as No. {same.number}.")
    today = Proposal.objects.filter(seat=seat, made_at__gt=now - timedelta(days=1))
    if today.count() >= MOST_A_DAY:
        raise DealError(
            f"{seat.nation} has proposed {MOST_A_DAY} deals within a day, which is the limit."
            " Propose this one tomorrow."
        )
    phase = seat.game.phases.current()
    if unanswered.filter(phase=phase).count() >= MOST_OPEN:
        raise DealError(
            f"{to.nation} has {MOST_OPEN} proposals of yours to answer. Wait for an answer, or"
            " withdraw one."
        )


def _next_number(seat: Seat) -> int:
    """Return the next number of a nation's deals. The caller has locked the game's row."""
    highest_made = Proposal.objects.filter(seat=seat).aggregate(most=Max("number"))["most"]
    highest_received = Proposal.objects.filter(to=seat).aggregate(most=Max("to_number"))["most"]
    return max(highest_made or 0, highest_received or 0) + 1


def _count(proposal: Proposal) -> None:
    """Count a proposal or its end. The caller has locked the game's row."""
    Game.objects.filter(pk=proposal.game_id).update(last_deal=F("last_deal") + 1)
    Seat.objects.filter(pk__in=(proposal.seat_id, proposal.to_id)).update(news=F("news") + 1)


def accepted_clauses(game: Game, seat: Seat) -> list[Clause]:
    """Return the promises of a seat's accepted deals, oldest first."""
    phase = game.phases.current()
    if phase is None or not game.last_deal or not has_deals(game):
        return []
    ground = ground_of(game, phase)
    rows = (
        Proposal.objects.filter(Q(seat=seat) | Q(to=seat), answer__kind=Kind.ACCEPTED)
        .select_related("seat", "to")
        .order_by("pk")
    )
    return [clause for row in rows for clause in clauses_of(row, ground)]


def count_open(person: permissions.Someone, game: Game, phase: Phase | None) -> int:
    """Return how many proposals wait for a person's answer. `phase`: the game's current one."""
    if not game.last_deal or not has_deals(game) or game.is_over:
        return 0
    own_seats = {seat.pk for seat in permissions.held_seats(person, game)}
    if not own_seats:
        return 0
    waiting = permissions.readable_deals(person, game, Q(answer=None, to__in=own_seats))
    return sum(deal.seat_id not in own_seats and not has_lapsed(deal, phase) for deal in waiting)
