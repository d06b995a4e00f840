"""Execute letters to other nations and the gamesmaster, deals, blocks and reports of letters."""

from __future__ import annotations

from games import permissions
from games.models import Game, Person, Press, Proposal, ProposalAnswer, Seat
from games.press import complaints, conversations, deals
from games.press.book import Book, Deal
from games.rules.names import all_of

from ..parsing import commands
from ..replies.outcome import Section
from .execution import NO_SEAT, Execution, ItemError, answered_letters, find_seat

#: How many deals the answer to DEALS lists, newest first; the page has all.
LISTED = 20


def send_letter(run: Execution, item: commands.PressItem) -> None:
    """Send a letter, question or answer, and add a confirmation. Raise `ItemError`."""
    sender = run.sender
    answered_press = _answered_message(run, item)
    is_question = item.to_gamesmaster and not item.to and not item.to_all
    seat = None
    if run.own and not (
        item.kind == "answer"
        or (answered_press is not None and _is_to_gamesmaster(run, answered_press))
    ):
        seat = _writing_seat(run, item)
    own_nation = seat.nation if seat is not None else None
    if seat is None and is_question:
        raise ItemError(
            "Your question was not sent: you run this game yourself. Write to a nation with PRESS"
            " TO and its name."
        )
    if item.to_team:
        if seat is None:
            raise ItemError(
                "TEAM was not sent: you run this game and play no nation. Write to a nation with"
                " PRESS TO and its name."
            )
        to, to_all, to_gamesmaster = conversations.team_of(seat), False, False
    else:
        to, to_all, to_gamesmaster = _circle(run, item, answered_press, own_nation)
    written = conversations.send(
        sender.game,
        seat,
        sender.person,
        to,
        item.body,
        channel=Press.Channel.MAIL,
        to_all=to_all,
        to_gamesmaster=to_gamesmaster,
        signed=item.signed,
        answers=answered_press if seat is None else None,
        now=run.now,
    )
    sentence = (
        f"Sent to {conversations.describe_addressees(written)}"
        + ("" if written.signed else ", unsigned")
        + "."
    )
    # Gamesmasters may read answers, so nothing in the answer may identify the writer of an unsigned
    # letter.
    section = Section("Your letter" if written.signed else "Your unsigned letter", [sentence])
    if vacant_nations := conversations.unheld_addressees(written):
        section.paragraphs.append(
            f"Nobody plays {all_of(vacant_nations)} now: the letter waits for the next player."
        )
    run.add(section)
    run.done.append("a letter")  # of unsigned ones too: gamesmasters may read this


def _writing_seat(run: Execution, item: commands.PressItem) -> Seat:
    """Return the seat that a letter is written from, which the sender must hold.

    Below the heading of an ally it is still their own seat.
    """
    if len(run.own) == 1:
        named = find_seat(run, item.nation, "PRESS")
        return named if named in run.own else run.own[0]
    return find_seat(run, item.nation, "TEAM" if item.to_team else "PRESS", run.own)


def _is_to_gamesmaster(run: Execution, answered: Press) -> bool:
    """Return whether the letter was addressed to the gamesmaster, not to the sender's nation."""
    if any(seat.nation in answered.to or seat.pk == answered.seat_id for seat in run.own):
        return False
    return answered.to_gamesmaster and permissions.answers_questions(
        run.sender.person, run.sender.game
    )


def _answered_message(run: Execution, item: commands.PressItem) -> Press | None:
    """Return the letter that REPLY or ANSWER n is about; None for a new letter.

    Raise `ItemError`.
    """
    game, person = run.sender.game, run.sender.person
    if item.kind == "answer":
        if not permissions.answers_questions(person, game):
            raise ItemError(
                "ANSWER is for the gamesmaster. Write to other nations with PRESS TO and their"
                " names, and END below the letter."
            )
        row: Press | None = (
            Press.objects.filter(game=game, code=item.n or 0, to_gamesmaster=True)
            .select_related("seat")
            .first()
        )
        if row is None:
            raise ItemError(
                f"ANSWER {item.n or ''} was not sent: there is no question with that number. The"
                " questions page lists all."
            )
        return row
    if item.kind == "reply":
        answered = _answered(run)
        if isinstance(answered, Press):
            return answered
        if isinstance(answered, Proposal):
            return None
        raise ItemError(
            "REPLY was not sent: your message does not answer another nation's letter. Use PRESS"
            " TO and the names of the nations."
        )
    return None


def _answered(run: Execution) -> Press | Proposal | None:
    """Return the other player's letter or proposal that the message replies to, if any."""
    for letter in answered_letters(run.message, run.sender):
        if "proposal" in letter.about:
            proposals = Proposal.objects.select_related("seat", "to")
            proposal: Proposal = proposals.get(pk=letter.about["proposal"])
            return proposal
        if "press" in letter.about:
            return _answered_press(run)
    return None


def _answered_press(run: Execution) -> Press | None:
    """Return the letter between nations that the message replies to, if its sender may read it."""
    for letter in answered_letters(run.message, run.sender):
        if "press" in letter.about:
            rows = Press.objects.select_related("seat", "game", "person")
            press: Press = rows.get(pk=letter.about["press"])
            if permissions.reads_press(run.sender.person, press):
                return press
    return None


def _circle(
    run: Execution, item: commands.PressItem, answered: Press | None, own: str | None
) -> tuple[list[str], bool, bool]:
    """Return the recipients: nations in scenario order, whether all, whether the gamesmaster."""
    if item.kind == "reply" and isinstance(proposal := _answered(run), Proposal):
        both = proposal.seat.nation, proposal.to.nation
        return [nation for nation in both if nation != own], False, False
    if answered is None:
        to = conversations.addressees(run.sender.game, item.to, own)
        return to, item.to_all, item.to_gamesmaster
    return conversations.circle_of_reply(answered, own)


def complain(run: Execution, item: commands.Complain) -> None:
    """Block the writer of the letter that the message replies to, or report that letter."""
    press = _answered_press(run)
    if press is None:
        verb = "BLOCK PLAYER" if item.block else "REPORT LETTER"
        raise ItemError(f"{verb} did nothing: reply with it to the letter of the other player.")
    if item.block:
        complaints.block(run.sender.person, press, run.now)
        words = complaints.blocked_sentence(run.sender.game)
        section, log_entry = Section("Blocked", [words]), "block"
    else:
        complaints.report(run.sender.person, press, item.reason, run.now)
        section, log_entry = Section("Reported", [complaints.REPORTED]), "report of a letter"
    run.add(section)
    run.done.append(log_entry)


def deal(run: Execution, item: commands.Propose | commands.AnswerDeal) -> None:
    """Execute a proposal, or an answer to one."""
    if not run.own:
        raise ItemError(f"Deals are made by those who play: {NO_SEAT}")
    seats = [find_seat(run, item.nation, "FOR", run.own)] if item.nation else run.own
    if isinstance(item, commands.Propose) and item.n is None and len(seats) > 1:
        seats = [find_seat(run, "", "PROPOSE", run.own)]
    section, log_entry = (
        _propose(run, item, seats)
        if isinstance(item, commands.Propose)
        else _answer_deal(run, item, seats)
    )
    run.add(section)
    run.done.append(log_entry)


def _answer_deal(
    run: Execution, item: commands.AnswerDeal, seats: list[Seat]
) -> tuple[Section, str]:
    """Answer a proposal. Return the section for the answer, and words for the log."""
    proposal, seat = _proposal_and_seat(run, item, seats)
    kind = ProposalAnswer.Kind(item.kind)
    deals.answer(proposal, seat, kind, run.sender.person, channel=Press.Channel.MAIL, now=run.now)
    number = proposal.number_for(seat.pk)
    deal = _in_book(run, proposal)
    sentences = [
        f"You have {kind.value} No. {number}; {deal.other.nation} is told.",
        *(clause.sentence() for clause in deal.clauses if kind == ProposalAnswer.Kind.ACCEPTED),
    ]
    return Section(f"Deal No. {number}", sentences), f"{kind.value} deal No. {number}"


def _propose(run: Execution, item: commands.Propose, seats: list[Seat]) -> tuple[Section, str]:
    """Propose a deal. Return the section for the answer, and words for the log."""
    game, person = run.sender.game, run.sender.person
    counters = None
    if item.n is not None:
        counters, seat = deals.find(person, game, seats, item.n)
        to = counters.seat
    else:
        seat = seats[0]
        to = deals.partner(game, seat, item.to)
    proposal = deals.propose(
        game,
        seat,
        person,
        to,
        item.terms,
        channel=Press.Channel.MAIL,
        now=run.now,
        counters=counters,
    )
    deal = _in_book(run, proposal)
    sentences = [
        f"Proposed to {to.nation} as your No. {proposal.number}:",
        *(clause.sentence() for clause in deal.clauses),
        f"WITHDRAW {proposal.number} takes it back until {to.nation} answers.",
    ]
    return Section(f"Deal No. {proposal.number}", sentences), f"proposal No. {proposal.number}"


def _in_book(run: Execution, proposal: Proposal) -> Deal:
    book = Book(run.sender.person, run.sender.game)
    return next(deal for deal in book.deals if deal.proposal.pk == proposal.pk)


def _proposal_and_seat(
    run: Execution, item: commands.AnswerDeal, seats: list[Seat]
) -> tuple[Proposal, Seat]:
    """Return the proposal that an answer is about, and the person's seat. Raise `ItemError`.

    Without a number, the answer is to the proposal in the letter replied to.
    """
    game, person = run.sender.game, run.sender.person
    if item.n is not None:
        return deals.find(person, game, seats, item.n)
    about = next(
        (letter.about["proposal"] for letter in answered_letters(run.message, run.sender)
         if "proposal" in letter.about),
        None,
    )  # fmt: skip
    for proposal in permissions.readable_deals(person, game) if about is not None else ():
        for seat in seats:
            if proposal.pk == about and seat.pk in (proposal.seat_id, proposal.to_id):
                return proposal, seat
    verb = {"accepted": "ACCEPT", "declined": "DECLINE", "withdrawn": "WITHDRAW"}[item.kind]
    raise ItemError(f"“{verb}” does not say which deal. Write its number, such as {verb} 3.")


def deals_section(game: Game, person: Person) -> Section:
    """Return a person's deals, newest first, with their outcomes."""
    own_deals = Book(person, game).deals
    if not own_deals:
        return Section("Your deals", ["You have no deals in this game."])
    return Section("Your deals", points=[_in_one_line(deal) for deal in own_deals[::-1][:LISTED]])


def _in_one_line(deal: Deal) -> str:
    """Return a deal in one line: number, both nations, promises, status and outcome."""
    proposal = deal.proposal
    text = " ".join(clause.sentence() for clause in deal.clauses)
    outcomes = "; ".join(f"{outcome.nation}: {outcome.words}" for outcome in deal.outcomes)
    number = f"No. {deal.number}, " if deal.number is not None else ""
    reason = f" “{deal.answer.reason}”" if deal.answer and deal.answer.reason else ""
    return (
        f"{number}{proposal.seat.nation} to {proposal.to.nation}, {deal.status}: {text}{reason}"
        + (f" What came of it: {outcomes}." if outcomes else "")
    )
