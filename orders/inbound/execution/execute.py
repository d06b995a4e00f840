"""Obey a message: execute it item by item, and answer it once.

Items are orders, marks, questions, absences and letters. Whether the sender is proven has been
decided before (orders.inbound.decide); `games.permissions` decides what they may do in the game. If
one part of a message fails, the rest is executed anyway.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from games import desk, permissions
from games.accounts import addresses, letter_settings
from games.models import Game, Person, Phase, Press, Seat
from games.outbox import subscriptions
from games.outbox.messages import KINDS, answer_letters, game_letters
from games.press import conversations
from games.rules.names import NameFault
from games.seats import press_rules
from games.turns.ruling_plan import RulingError
from orders.intake import chain, ledger
from orders.models import Handling

from .. import canned, parsed, player_letters, reports
from ..identity import limits
from ..parsing import commands
from ..parsing.message import Message
from ..replies import standing
from ..replies.outcome import Outcome, Section
from . import desk_items, leftovers, order_items, press_items
from .execution import (
    Execution,
    ItemError,
    Sender,
    answered_letters,
    find_nation,
    nation_of,
    present_seats,
    seats_to_order_for,
    sentence,
)

_REPLY_MARK = re.compile(r"^\s*(?:re|aw|sv|antw|fwd?|wg)\s*:\s*", re.IGNORECASE)


def obey(
    row: Handling,
    mail: parsed.ParsedMail,
    now: datetime,
    *,
    how: str,
    sender: Sender | None = None,
    chosen: bool = False,
) -> None:
    """Do what a message says, as of the time it was received, and write its answer.

    Postpone it if its sender has sent too many. `sender`: its sender, with what the caller has read
    of them. `chosen`: they have said what it is, so that they are not asked.
    """
    assert row.game is not None
    assert row.person is not None
    if limits.has_reached_limit(row.sender, now):
        row.due_at = now + limits.PUT_OFF
        row.words = "This sender has sent too many messages within an hour, so this one waits."
        return
    sender = sender or Sender(row.person, row.game)
    script = mail.script
    lines: tuple[commands.WrittenLine, ...] = ()
    to = None if chosen else player_letters.addressee_of(mail, sender)
    if to is not None:
        if player_letters.is_unclear(mail):
            rehearsed = _rehearse(row, mail, to, sender, now)
            if player_letters.ask(row, mail, to, sender, rehearsed, now):
                return
        script, lines = player_letters.leave_out_lines(mail.script)
    outcome = execute(sender, script, mail.message, now, received=row.mail.received_at)
    if lines and to is not None:
        outcome.sections.append(player_letters.left_out(lines, to))
    row.status, row.kind, row.words = Handling.Status.DONE, "commands", f"{outcome.words} ({how})"
    _answer(row, row.person, outcome, now)


def _rehearse(
    row: Handling,
    mail: parsed.ParsedMail,
    to: player_letters.Addressee,
    sender: Sender,
    now: datetime,
) -> tuple[str, str]:
    """Return to whom a message would be sent, or why it cannot be. Send nothing."""
    letters = Press.objects.filter(game=sender.game)
    with transaction.atomic():
        before = letters.count()
        script = player_letters.as_letter(mail, to).script
        outcome = execute(sender, script, mail.message, now, received=row.mail.received_at)
        written = letters.latest("number") if letters.count() > before else None
        transaction.set_rollback(True)
    if written is not None:
        return conversations.describe_addressees(written), ""
    return "", player_letters.reason_not_sent(outcome.as_json())


def _answer(row: Handling, person: Person, outcome: Outcome, now: datetime) -> None:
    """Write the answer, to the address the message came from if it is one of the person's.

    Otherwise to their first address.
    """
    to = row.sender if addresses.belongs(person, row.sender) else person.email
    if outcome.quiet and not person.receipts:
        row.outcome = outcome.as_json()
    elif limits.may_answer(to, limits.TO_PROVEN, now):
        answer_letters.write(row, outcome, now, to=to)
    else:
        row.outcome = outcome.as_json()
        canned.give(row, canned.ENOUGH_ANSWERS, now, to=to)


def execute(
    sender: Sender, script: commands.Script, message: Message, now: datetime, *, received: datetime
) -> Outcome:
    """Execute a message, and return the content of its answer.

    Call it in one transaction with writing the answer. `received` is when the message arrived,
    which decides whether orders are late; `now` is when it is executed, which may be later (after a
    confirmation).
    """
    game = sender.game
    # Lock the game once for the whole message, as the ledger does: of two concurrent messages the
    # later one counts.
    own = permissions.held_seats(sender.person, game) if sender.seats is None else sender.seats
    # Most messages are one set of orders: the lock writes its number.
    one_set = bool(own) and [type(item) for item in script.items] == [commands.Orders]
    held = chain.take(game, next(iter(own), None), several=not one_set)
    phase = held.phase
    outcome = Outcome(subject=_subject(message, game), phase=phase.pk if phase else None)
    meant_for = _answered_phase(message, sender, phase) or _phase_open_at(phase, received)
    seats = seats_to_order_for(sender, own, meant_for or phase)
    run = Execution(sender, message, now, received, seats, held, phase, meant_for, outcome, own)
    if not run.seats and not permissions.runs(sender.person, game):
        why = f"You neither play in “{game.title}” nor run it, so nothing changed."
        run.add(Section("Not done", [why]))
        outcome.words = "The sender has no part in the game."
        return outcome
    run.unheaded = _default_seat(game, own, seats, script.items)
    for item in _merge_orders(run, script.items):
        try:
            _carry_out(run, item)
        except (
            ItemError,
            ledger.LedgerError,
            press_rules.PressError,
            subscriptions.MuteRefused,
            letter_settings.SettingRefused,
            desk.DeskError,
            RulingError,
        ) as refused:
            run.not_done.append(sentence(str(refused)))
    chain.give_back(held)
    _keep_files(run, script)
    outcome.quiet = _is_quiet(run, script)
    leftovers.add_leftovers(run, script)
    _add_orders_in_force(run)
    leftovers.answer_questions(run, script)
    outcome.words = "; ".join(run.done)[:1000] or "Nothing changed."
    return outcome


def _add_orders_in_force(run: Execution) -> None:
    """Add what is in force for each seat whose orders the message was about."""
    person, now, alone = run.sender.person, run.now, len(run.seats) == 1
    for seat in dict.fromkeys([*run.seats, *present_seats(run)]):
        if seat.pk not in run.touched:
            continue
        phase = run.touched[seat.pk]
        if seat.referee:
            run.add(reports.answers(run.sender.game).holds(seat, phase, run.phase, person, now))
            continue
        known = standing.KnownState(run.states.get(phase.pk), run.newest.get(seat.pk))
        # If another nation controls the ally by now, do not tell its orders to the former
        # controller.
        current = run.phase if seat in run.own or seat in present_seats(run) else phase
        run.add(standing.holds(seat, phase, current, person, now, alone=alone, known=known))


def _keep_files(run: Execution, script: commands.Script) -> None:
    """Store the files of a message that contains a report, or nothing else, for the report."""
    files = run.message.files
    phase = run.meant_for or run.phase
    may_report = any(isinstance(item, commands.Orders) for item in script.items) or not script.items
    referee = any(seat.referee for seat in run.seats)
    if files and referee and may_report and phase is not None and phase.awaited:
        answers = reports.answers(run.sender.game)
        run.add(answers.keep_files(phase, run.sender.person, files, run.received))
        run.done.append("files with the report")
    else:
        run.unread = [file.name for file in files]


def _is_quiet(run: Execution, script: commands.Script) -> bool:
    """Return whether the answer is just a receipt, for orders accepted without remarks."""
    leftover_parts = [
        *(*run.not_done, *script.refused, *script.doubtful, *script.notes),
        *(*script.unused_files, *run.message.files),
    ]
    only_orders = all(isinstance(item, commands.Orders) and not item.ahead for item in script.items)
    accepted = [submission.taken_whole for submission in run.sent]
    return only_orders and bool(accepted) and all(accepted) and not leftover_parts


def _default_seat(
    game: Game, own: list[Seat], seats: list[Seat], items: tuple[commands.Item, ...]
) -> Seat | None:
    """Return the seat that lines without a heading are for; None if that is not clear.

    Of several own nations it is the one without a heading, if all others have one.
    """
    if len(own) <= 1:
        return next(iter(own or seats), None)
    headed_nations = set()
    for typed in {item.nation for item in items if item.nation}:
        with suppress(NameFault):
            headed_nations.add(find_nation(game, typed))
    unheaded = [seat for seat in own if seat.nation not in headed_nations]
    return unheaded[0] if len(unheaded) == 1 else None


def _subject(message: Message, game: Game) -> str:
    """Return the answer's subject: the message's, to keep the two in one thread."""
    subject = " ".join(message.subject.split())
    while (shorter := _REPLY_MARK.sub("", subject)) != subject:
        subject = shorter
    return f"Re: {subject}" if subject else f"[{game.title}] Your message"


def _answered_phase(message: Message, sender: Sender, current: Phase | None) -> Phase | None:
    """Return the phase of the letter that a message replies to; None if there is none."""
    for letter in answered_letters(message, sender)[:1]:
        board = letter.kind == game_letters.BOARD.id
        if not board and not KINDS[letter.kind].of_phase:
            return None
        answered = letter.about.get("next") if board else letter.phase_id
        if current is not None and answered == current.pk:
            return current
        return Phase.objects.filter(pk__in=[answered], game=sender.game).first()
    return None


def _phase_open_at(phase: Phase | None, received: datetime) -> Phase | None:
    """Return the earlier phase that was open when a postponed message arrived, or None."""
    if phase is None or received >= phase.opened_at:
        return None
    earlier = Phase.objects.filter(game=phase.game_id, opened_at__lte=received)
    return earlier.order_by("-number").first()


def _merge_orders(run: Execution, items: tuple[commands.Item, ...]) -> list[commands.Item]:
    """Return the items with one set of orders for each seat, however often it is named.

    Otherwise a second set would replace the first. Of FINAL and NOT FINAL the last counts; with
    orders it marks them, without orders the set in force.
    """
    orders: dict[str, commands.Orders] = {}
    for item in items:
        if isinstance(item, commands.Orders) and not item.ahead:
            nation = nation_of(run, item.nation)
            before = orders.get(nation)
            orders[nation] = (
                item if before is None else replace(before, lines=before.lines + item.lines)
            )
        elif isinstance(item, commands.Final):
            run.final[nation_of(run, item.nation)] = item
    results: list[commands.Item] = []
    ordering_nations = set(orders)
    for item in items:
        nation = nation_of(run, item.nation)
        if isinstance(item, commands.Orders) and not item.ahead:
            if nation in orders:
                results.append(orders.pop(nation))
        elif not isinstance(item, commands.Final) or (
            run.final[nation] is item and nation not in ordering_nations
        ):
            results.append(item)
    return results


def _carry_out(run: Execution, item: commands.Item) -> None:
    """Execute one item."""
    match item:
        case commands.Orders() | commands.Cancel() if item.ahead:
            order_items.keep_ahead(run, item)
        case commands.Orders():
            order_items.receive_orders(run, item)
        case commands.Final():
            order_items.mark_final(run, item)
        case commands.Cancel():
            order_items.cancel(run, item)
        case commands.Yes():
            order_items.confirm(run, item)
        case commands.Adopt():
            order_items.adopt(run, item)
        case commands.PressItem():
            press_items.send_letter(run, item)
        case commands.Propose() | commands.AnswerDeal():
            press_items.deal(run, item)
        case commands.Complain():
            press_items.complain(run, item)
        case commands.Desk():
            desk_items.carry_out(run, item)
        case commands.Absent():
            desk_items.change_absence(run, item)
        case commands.Vote():
            desk_items.vote(run, item)
        case commands.Mute():
            desk_items.mute(run, item)
        case commands.Set():
            desk_items.change_setting(run, item)
