"""Execute orders, FINAL, CANCEL, ADOPT, and orders ahead."""

from __future__ import annotations

from dataclasses import replace

from games import permissions, positions
from games.models import Phase, Seat, Sitting
from games.positions import in_force
from games.rules import PhaseId
from games.rules.names import all_of, fold
from games.rules.verification import entries
from games.seats import teams
from orders.intake import ahead, ledger, proposals
from orders.models import Submission

from .. import reports
from ..parsing import commands
from ..replies import orders as ordered
from ..replies.outcome import Section
from .execution import (
    Execution,
    ItemError,
    answered_letters,
    find_seat,
    nation_of,
    quotation,
    sentence,
)
from .staleness import STILL_WANTED, known_until

#: The id of no phase of any game.
_NONE = PhaseId(0, "")


def receive_orders(run: Execution, item: commands.Orders) -> None:
    """Write an order set to the ledger, and add the answer about it."""
    try:
        seat = find_seat(run, item.nation, item.lines[0].written)
    except ItemError as refused:
        _refuse_orders(run, item, str(refused))
        return
    if why := _other_nation_in(run, seat, item):
        _refuse_orders(run, item, why)
        return
    if _is_for_the_open_phase(run, seat, item.text):
        run = replace(run, meant_for=run.phase)  # only for these lines
    replaced = _check_newest(run, seat, "Your orders")
    if replaced:
        _check_is_no_talk(run, seat, item)
    final_mark = run.final.get(seat.nation)
    marked = final_mark is not None and final_mark.final
    submission = _receive(run, seat, item.text, marked)
    if marked and not (submission.counts or submission.late or submission.proposal):
        run.not_done.append(
            f"“FINAL” was ignored: these orders of {seat.nation} are in doubt. Write it again with"
            " YES, or below the orders if you send them again."
            if submission.question
            else f"“FINAL” was ignored: no line of these orders of {seat.nation} is valid. Send"
            " them again, or PASS, with FINAL below."
        )
    state = run.states[submission.phase.pk] = submission.read_in
    if seat.referee:
        answers = reports.answers(run.sender.game)
        run.add(*answers.answer_report(submission, run.sender.person, state, replaced))
    else:
        person = run.sender.person
        run.add(*ordered.answer_orders(submission, person, run.now, marked, state, replaced))
    _note_entry(run, submission)
    # Orders of a team member may differ from what is then in force.
    run.newest.pop(seat.pk, None)
    if submission.counts and not submission.member:
        run.newest[seat.pk] = submission
    noun = "report" if seat.referee else "proposal" if submission.proposal else "orders"
    run.done.append(f"{noun} No. {submission.seat_number} of {seat.nation}")


def _check_is_no_talk(run: Execution, seat: Seat, item: commands.Orders) -> None:
    """Raise `ItemError` if lines in own words alone would replace orders in the game's forms.

    Where free text is accepted, “Sounds good.” would take all orders of a turn back.
    """
    game, phase = run.sender.game, run.meant_for or run.phase
    rules, nation = game.rules, seat.nation
    if phase is None or not rules.verbs.free_text or game.options["orders.amend"] == "merge_lines":
        return
    state, standing = positions.state_of(phase), in_force.submission_in_force(seat, phase)

    def is_talk(text: str) -> bool:
        understood = {line for line, _ in rules.read(text, nation, state).understood}
        return bool(understood) and understood <= {*rules.writing.own_words(state, nation, text)}

    if standing is not None and is_talk(item.text) and not is_talk(standing.text):
        run.touched[seat.pk] = phase
        raise ItemError(
            f"“{quotation(item.lines[0].written)}” did not replace your orders"
            f" No. {standing.seat_number}, because no line of your message has a form of an order."
            " If you want these words instead of them, write CANCEL on a line above them."
        )


def _other_nation_in(run: Execution, seat: Seat, item: commands.Orders) -> str:
    """Return why lines without a heading may not all be of a seat: “Italy: MOVE 1 SP Rome TO Bari”
    is free text of any other nation. "" if nothing shows it."""
    if item.nation or not run.sender.game.rules.verbs.free_text:
        return ""
    others = {fold(other.nation): other.nation for other in run.seats if other != seat}
    for line in item.lines:
        head, _, order = line.text.partition(":")
        if order.strip() and (nation := others.get(fold(head))):
            return (
                f"“{quotation(line.written)}” begins with {nation}, for which you order too. Write"
                f" FOR {nation} above its lines, FOR {seat.nation} above the others, and send all"
                " again."
            )
    return ""


def _refuse_orders(run: Execution, item: commands.Orders, why: str) -> None:
    """Add that no line was accepted, because it is unclear which nation they are for."""
    sentences = [sentence(why)]
    if nation_of(run, item.nation) in run.final:
        sentences.append("“FINAL” with them was ignored too.")
    lines = [quotation(line.written) for line in item.lines]
    run.add(Section("Not done", sentences, kept=lines))
    if (phase := run.meant_for or run.phase) is not None:
        for seat in run.own:
            run.touched.setdefault(seat.pk, phase)


def _is_for_the_open_phase(run: Execution, seat: Seat, text: str) -> bool:
    """Return whether lines that reply to a letter about an earlier phase fit only the open one.

    For example, attacks in reply to a letter about placement. Lines that fit both phases are late
    for the earlier one.
    """
    meant, present = run.meant_for, run.phase
    if meant is None or present is None or meant.kind == present.kind:
        return False
    if present.status != Phase.Status.OPEN or run.received < present.opened_at:
        return False
    rules = run.sender.game.rules
    understood = {
        phase.pk: rules.read(text, seat.nation, positions.state_of(phase)).understood
        for phase in (meant, present)
    }
    return bool(understood[present.pk]) and not understood[meant.pk]


def keep_ahead(run: Execution, item: commands.Orders | commands.Cancel) -> None:
    """Keep orders below TURN 3 ATTACKS for that phase, or take them back.

    If that phase is open, they are its orders.
    """
    heading = f"TURN {item.ahead.upper()}"
    seat = find_seat(run, item.nation, heading)
    phase = run.phase
    if phase is None:
        raise ItemError(f"“{heading}” changed nothing: the game has not begun.")
    turn, _, name = item.ahead.partition(" ")
    if _names_phase(int(turn), name, (phase.turn, phase.title, phase.kind)):
        run = replace(run, meant_for=phase)
        now_open = replace(item, ahead="")
        if isinstance(now_open, commands.Cancel):
            cancel(run, now_open)
        else:
            receive_orders(run, now_open)
        return
    person = run.sender.person
    later_phases = ahead.phases(seat, phase)
    phase_id = next(
        (
            later.phase
            for later in later_phases
            if name
            and _names_phase(int(turn), name, (later.phase.turn, later.title, later.phase.kind))
        ),
        None,
    )
    kept_at = ahead.kept_at(seat, person, phase_id or _NONE)
    if kept_at is not None and kept_at > known_until(run):
        raise ItemError(
            f"“{heading}”, written {ordered.time_for(run.written, person)}, changed nothing:"
            f" what you sent {ordered.time_for(kept_at, person)} is newer and stays."
            f" {STILL_WANTED}"
        )
    try:
        if isinstance(item, commands.Cancel):
            title = ahead.cancel(seat, phase, person, phase_id or _NONE)
            sentences = [f"No orders of {seat.nation} are kept for {title} any more."]
            run.add(Section(f"Orders ahead for {seat.nation}", sentences))
        else:
            stored = ahead.keep(seat, phase, person, phase_id or _NONE, item.text, run.written)
            title = stored.title
            run.add(*ordered.answer_ahead(stored, seat.nation))
    except ahead.OrdersAheadError as refused:
        raise ItemError(f"“{heading}” changed nothing. {refused}") from refused
    run.done.append(f"orders ahead of {seat.nation} for {title}")


def _names_phase(turn: int, name: str, phase: tuple[int, str, str]) -> bool:
    """Return whether words such as ATTACKS, or the start of them, name a phase.

    `phase` is turn, title and kind.
    """
    typed = name.casefold().replace("-", " ")
    number, title, kind = phase
    names = (title.rpartition(", ")[2].casefold(), kind.casefold().replace("-", " "))
    return turn == number and any(phase_name.startswith(typed) for phase_name in names)


def mark_final(run: Execution, item: commands.Final) -> None:
    """Handle FINAL or NOT FINAL without orders: store the set in force again, so marked."""
    seat, word = find_seat(run, item.nation, _word(item)), _word(item)
    _check_newest(run, seat, f"“{word}”")
    phase = run.meant_for or run.phase
    text = ""
    if phase is not None:
        standing = in_force.submission_in_force(seat, phase)
        text = in_force.own_text(seat, phase, run.sender.person, standing)
    if phase is None or not text:
        raise ItemError(
            f"“{word}” was ignored: {seat.nation} has no orders in force. Write it below the"
            " orders that it marks, or below PASS."
        )
    submission = _receive(run, seat, text, item.final)
    answers = reports.answers(run.sender.game) if seat.referee else ordered
    run.add(answers.mark_final(submission, run.sender.person, item.final))
    run.newest.pop(seat.pk, None)
    _note_entry(run, submission)
    run.done.append(f"{word} of {seat.nation}, No. {submission.seat_number}")


def _word(item: commands.Final) -> str:
    return "FINAL" if item.final else "NOT FINAL"


def cancel(run: Execution, item: commands.Cancel) -> None:
    """Handle CANCEL: take back the seat's orders."""
    seat = find_seat(run, item.nation, "CANCEL")
    _check_newest(run, seat, "“CANCEL”")
    submission = ledger.cancel(seat, _arrival(run), held=run.held)
    submission.phase.game = run.sender.game
    run.add(
        reports.answers(run.sender.game).answer_cancel(submission)
        if seat.referee
        else ordered.answer_cancel(submission, run.sender.person)
    )
    run.newest.pop(seat.pk, None)
    _note_entry(run, submission)
    run.done.append(f"CANCEL of {seat.nation}, No. {submission.seat_number}")


def confirm(run: Execution, item: commands.Yes) -> None:
    """Handle YES: send the lines of orders in doubt as new orders of their seat."""
    phase = run.meant_for or run.phase
    what = f"“{quotation(item.written.written)}” changed nothing"
    seats = [find_seat(run, item.nation, "YES")] if item.nation else run.seats
    asked = {
        seat.nation: question
        for seat in seats
        if phase is not None
        and (question := in_force.open_question(seat, phase, run.sender.person)) is not None
        and question.received_at < run.received
    }
    if not asked:
        raise ItemError(f"{what}: no orders of yours wait for it.")
    if len(asked) > 1:
        raise ItemError(
            f"{what}: orders of {all_of(list(asked))} wait for it. Write FOR and the nation above"
            " it, and send it again."
        )
    ((nation, question),) = asked.items()
    number = question.seat_number
    letter = next(iter(answered_letters(run.message, run.sender)), None)
    if letter is not None and letter.written_at < question.received_at:
        raise ItemError(
            f"{what}: the letter that you answer is older than your orders No. {number}, which are"
            " in doubt. Answer the letter about those."
        )
    lines = question.question.lines if question.question is not None else ()
    if not lines:
        raise ItemError(
            f"{what}: your orders No. {number} have no one reading. Send them again, one per line."
        )
    written = (commands.WrittenLine(item.line, line, line) for line in lines)
    receive_orders(run, commands.Orders(item.line, nation, tuple(written)))


def adopt(run: Execution, item: commands.Adopt) -> None:
    """Handle ADOPT n: send a proposal as the orders of the spokesman's team."""
    phase = run.meant_for or run.phase
    proposal = proposals.find(run.seats, phase, item.n)
    seat = proposal.seat
    replaced = _check_newest(run, seat, f"“ADOPT {item.n}”")
    submission = proposals.adopt(proposal, _arrival(run), held=run.held)
    submission.phase.game = run.sender.game
    state = run.states[submission.phase.pk] = submission.read_in
    person, final = run.sender.person, submission.final
    run.add(*ordered.answer_orders(submission, person, run.now, final, state, replaced))
    _note_entry(run, submission)
    run.newest.pop(seat.pk, None)
    run.done.append(f"ADOPT {item.n} of {seat.nation}, No. {submission.seat_number}")


def _arrival(run: Execution) -> ledger.Arrival:
    return ledger.Arrival(
        Submission.Channel.MAIL,
        run.sender.person,
        run.received,
        run.meant_for,
        written=run.written,
    )


def _receive(run: Execution, seat: Seat, text: str, final: bool) -> Submission:
    """Write an order set to the ledger."""
    submission = ledger.receive(seat, text, _arrival(run), final=final, held=run.held)
    submission.phase.game = run.sender.game
    return submission


def _note_entry(run: Execution, submission: Submission) -> None:
    """Note a submission; the answer shows its hash, as the sender's proof."""
    run.sent.append(submission)
    run.touched[submission.seat_id] = submission.phase
    run.outcome.anchors.append(entries.submission_line(submission.game_id, submission.hash))


def _check_newest(run: Execution, seat: Seat, what: str) -> int:
    """Return the number of the orders in force, which new ones replace; 0 if there are none.

    Raise `ItemError` if those orders, or a CANCEL, are newer than this message: they arrived after
    it, or people wrote them after the instant until which its sender can have known of them, since
    mail may be late by hours. Also raise it if the sender did not hold the seat when the message
    arrived.
    """
    phase = run.meant_for or run.phase
    if phase is None:
        return 0
    sending_seats = [seat, *permissions.controlling_seats(seat, phase)]
    # The sender may have changed seats since the message arrived.
    if run.received < run.now and not _has_sat_since(run, sending_seats):
        raise ItemError(
            f"{what} changed nothing: you did not play {seat.nation} yet when your message"
            " arrived. If you still want it, send it again."
        )
    standing, known = in_force.newest_decision(seat, phase), known_until(run)
    by_vote = teams.decides_by_vote(run.sender.game)
    # Mostly none: orders are received after they were written. What came last for a seat is its
    # newest, but of the votes of a team each member's own may be older.
    newer = (
        in_force.newer_submissions(seat, phase, run.received, known)
        if by_vote or (standing is not None and standing.received_at > min(run.received, known))
        else []
    )
    if (
        newer
        and by_vote
        and (member_now := teams.member(sending_seats[-1], run.sender.person)) is not None
    ):
        # A vote replaces no other member's vote.
        newer = [row for row in newer if row.member == member_now.number]
    if newer:
        run.touched[seat.pk] = phase
        person = run.sender.person
        if newer[0].received_at > run.received:
            raise ItemError(
                f"{what} of {ordered.time_for(run.received, person)} changed nothing:"
                f" No. {newer[0].seat_number} arrived later and counts. If you still want it, send"
                " it again."
            )
        raise ItemError(
            f"{what}, written {ordered.time_for(run.written, person)}, changed nothing:"
            f" No. {newer[0].seat_number} of {ordered.time_for(newer[0].sent_at, person)} is"
            f" newer and counts. {STILL_WANTED}"
        )
    return standing.seat_number if standing is not None and standing.counts else 0


def _has_sat_since(run: Execution, seats: list[Seat]) -> bool:
    """Return whether the sender has held one of these seats since the message arrived."""
    # The report seat has no sittings; it belongs to those who run the game.
    if any(seat.referee for seat in seats):
        return True
    sitting = Sitting.objects.current().filter(
        seat__in=seats, person=run.sender.person, since__lte=run.received
    )
    return sitting.exists()
