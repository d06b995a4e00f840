"""Doing what a message says, item by item, and keeping what is to be answered: orders, marks,
questions, absences and letters.

Who wrote it, and that he may be obeyed, has been decided before (orders.inbound.queue); what he may
do in the game `games.permissions` says. Whatever a part of a message comes to, the rest of it is
done all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from games import desk, permissions, positions
from games.accounts import letter_settings
from games.desk import absences, votes
from games.models import Game, Letter, Motion, Person, Phase, Press, Seat, Sitting
from games.outbox import subscriptions
from games.press import conversations, rules
from games.rules import PhaseId
from games.rules.names import NameFault, all_of, vocabulary
from games.rules.verification import entries
from games.seats import teams
from games.turns.ruling_plan import RulingError
from gamesmaster.text import short
from orders import ahead, in_force, ledger, proposals
from orders.models import Submission

from . import deals_by_mail, desk_by_mail, referee_reports
from .parsing import commands
from .parsing.message import Message
from .replies import orders as ordered
from .replies import questions, sending
from .replies.outcome import Outcome, Section

#: Letters that speak of their own phase: orders that answer one are meant for that phase, and for
# no later one.
OF_THEIR_PHASE = (
    "opened",
    "reminder",
    "moved",
    "receipt",
    "stock",
    "answer",
    "session",
    "locked",
    "sheet_due",
    "sheet_waits",
    "sheet",
)
#: Commands of a gamesmaster that are meant for the phase they are written in.
OF_A_PHASE = ("REMIND", "EXTEND", "PROCESS NOW")
QUOTED_AT_MOST = 80
#: So many attachments are named in an answer.
NAMED_AT_MOST = 5
_REPLY_MARK = re.compile(r"^\s*(?:re|aw|sv|antw|fwd?|wg)\s*:\s*", re.IGNORECASE)


class NotDone(Exception):
    """A part of a message that cannot be done. `str()` is one sentence for its sender."""


@dataclass(frozen=True)
class Sender:
    """Who wrote, to which game. That the mail is his own has been proven before
    (orders.inbound.handle): whoever stands here is obeyed."""

    person: Person
    game: Game
    seats: list[Seat] | None = None  # in which he sits now; None: not asked for yet


@dataclass
class _Doing:
    """One message being obeyed."""

    sender: Sender
    message: Message
    now: datetime
    received: datetime
    seats: list[Seat]
    held: ledger.Held
    phase: Phase | None
    meant_for: Phase | None
    outcome: Outcome
    own: list[Seat] = field(
        default_factory=list
    )  # in which he sits: `seats` are those and, behind them, the allies he orders for
    not_done: list[str] = field(default_factory=list)
    touched: dict[int, Phase] = field(
        default_factory=dict
    )  # seats whose orders were spoken of, with the phase meant
    done: list[str] = field(default_factory=list)
    final: dict[str, commands.Final] = field(default_factory=dict)  # by nation
    newest: dict[int, Submission] = field(
        default_factory=dict
    )  # by seat: what this message has put in force
    states: dict[int, Any] = field(
        default_factory=dict
    )  # by phase, the state in which it is played: nothing here changes it
    sent: list[Submission] = field(default_factory=list)
    unheaded: Seat | None = None  # whose lines are that stand below no heading
    unread: list[str] = field(default_factory=list)  # names of files of which nothing was taken

    def add(self, *sections: Section) -> None:
        self.outcome.sections += sections


def obey(
    sender: Sender, script: commands.Script, message: Message, now: datetime, *, received: datetime
) -> Outcome:
    """Does what a message says and gives what its one answer is to say. To be called in one
    transaction with the answer's writing.

    `received` is when it came in, by which lateness is judged; `now` is when it is done, which may
    be later (a confirmation).
    """
    game = sender.game
    # Taken once for the whole message, as the ledger takes it: of two messages at once the later
    # one holds.
    held = ledger.take(game)
    phase = held.phase
    outcome = Outcome(subject=_subject(message, game), phase=phase.pk if phase else None)
    meant_for = _phase_answered(message, sender) or _phase_open_at(phase, received)
    own = permissions.seats_held(sender.person, game) if sender.seats is None else sender.seats
    seats = _seats_to_order_for(sender, own, meant_for or phase)
    doing = _Doing(sender, message, now, received, seats, held, phase, meant_for, outcome, own)
    if not _belongs(doing):
        why = f"You neither play in “{game.title}” nor run it, so nothing changed."
        doing.add(Section("Not done", [why]))
        outcome.words = "The sender has no part in the game."
        return outcome
    doing.unheaded = _default_seat(game, own, seats, script.items)
    for item in _merge_orders(doing, script.items):
        try:
            _one(doing, item)
        except (
            NotDone,
            ledger.LedgerError,
            rules.PressError,
            subscriptions.MuteRefused,
            letter_settings.SettingRefused,
            desk.DeskError,
            RulingError,
        ) as refused:
            doing.not_done.append(_sentence(str(refused)))
    _keep_files(doing, script)
    outcome.quiet = _is_quiet(doing, script)
    _add_leftovers(doing, script)
    for seat in dict.fromkeys([*doing.seats, *_present(doing)]):
        if seat.pk in doing.touched:
            meant, alone = doing.touched[seat.pk], len(doing.seats) == 1
            known = ordered.Known(doing.states.get(meant.pk), doing.newest.get(seat.pk))
            if seat.referee:
                doing.add(referee_reports.holds(seat, meant, phase, sender.person, now))
                continue
            # What is in force for an ally that another nation controls by now is not told to who
            # controlled it then.
            current = phase if seat in doing.own or seat in _present(doing) else meant
            doing.add(
                ordered.holds(seat, meant, current, sender.person, now, alone=alone, known=known)
            )
    _queries(doing, script)
    outcome.words = "; ".join(doing.done)[:1000] or "Nothing changed."
    return outcome


def _keep_files(doing: _Doing, script: commands.Script) -> None:
    """Keep the files of a message with a report, or with nothing else, for the report."""
    files = doing.message.files
    phase = doing.meant_for or doing.phase
    reports = any(isinstance(item, commands.Orders) for item in script.items) or not script.items
    referee = any(seat.referee for seat in doing.seats)
    if files and referee and reports and phase is not None and phase.sheeted:
        doing.add(referee_reports.keep_files(phase, doing.sender.person, files, doing.received))
        doing.done.append("files with the report")
    else:
        doing.unread = [file.name for file in files]


def _is_quiet(doing: _Doing, script: commands.Script) -> bool:
    """Return whether a message was orders alone, taken whole: its answer is a receipt and nothing
    else."""
    left = [*doing.not_done, *script.refused, *script.doubtful, *doing.message.files]
    alone = all(isinstance(item, commands.Orders) and not item.ahead for item in script.items)
    whole = [one.taken_whole for one in doing.sent]
    return alone and bool(whole) and all(whole) and not left


def _with_allies(game: Game, own: list[Seat], phase: Phase | None) -> list[Seat]:
    """Return one's own seats, then those they order for (`permissions.seats_ordered`)."""
    allies = permissions.nations_controlled((seat.nation for seat in own), phase)
    if not allies:
        return own
    others = game.seats.filter(nation__in=allies).order_by("ordinal")
    return own + [seat for seat in others if seat not in own]


def _seats_to_order_for(sender: Sender, own: list[Seat], phase: Phase | None) -> list[Seat]:
    """The same, and of who runs a refereed game the seat in whose name he sends sheets."""
    found = _with_allies(sender.game, own, phase)
    return found or (
        referee_reports.seats(sender.person, sender.game) if sender.game.rules.referee else []
    )


def _present(doing: _Doing) -> list[Seat]:
    """Return the seats ordered for in the phase played now; `seats` are of the phase meant."""
    return _seats_to_order_for(doing.sender, doing.own, doing.phase)


def _default_seat(
    game: Game, own: list[Seat], seats: list[Seat], items: tuple[commands.Item, ...]
) -> Seat | None:
    """Return the seat that lines below no heading are for; None where that is not clear.

    Of several own nations it is the one that has no heading, where all others have one.
    """
    if len(own) <= 1:
        return next(iter(own or seats), None)
    headed = set()
    for typed in {item.nation for item in items if item.nation}:
        with suppress(NameFault):
            headed.add(_nation_named(game, typed))
    rest = [seat for seat in own if seat.nation not in headed]
    return rest[0] if len(rest) == 1 else None


def _nation_named(game: Game, typed: str) -> str:
    """Return the nation that a heading means. Raises `NameFault`."""
    names = tuple(game.seats.order_by("ordinal").values_list("nation", flat=True))
    return vocabulary(names, "nation").find(typed)


def _belongs(doing: _Doing) -> bool:
    return bool(doing.seats) or permissions.runs(doing.sender.person, doing.sender.game)


def _subject(message: Message, game: Game) -> str:
    """Return the answer's subject: the message's, so that the two stay together."""
    subject = " ".join(message.subject.split())
    while (shorter := _REPLY_MARK.sub("", subject)) != subject:
        subject = shorter
    return f"Re: {subject}" if subject else f"[{game.title}] Your message"


def _phase_answered(message: Message, sender: Sender) -> Phase | None:
    """Return the phase of the letter that a message answers; None if it answers none."""
    for letter in _answered_letters(message, sender):
        if letter.kind == "board":
            return Phase.objects.filter(pk=letter.about.get("next"), game=sender.game).first()
        return letter.phase if letter.kind in OF_THEIR_PHASE else None
    return None


def _answered_letters(message: Message, sender: Sender) -> Iterator[Letter]:
    """Yield the letters of ours that a message answers, the one that it names first."""
    mine = Letter.objects.filter(game=sender.game, person=sender.person)
    for name in (message.in_reply_to, *reversed(message.references)):
        if name and (letter := mine.filter(message_id=name).first()) is not None:
            yield letter


def _phase_open_at(phase: Phase | None, received: datetime) -> Phase | None:
    """Return the phase open when a message came, if not the present: it was put off."""
    if phase is None or received >= phase.opened_at:
        return None
    earlier = Phase.objects.filter(game=phase.game_id, opened_at__lte=received)
    return earlier.order_by("-number").first()


# --- item by item ---


def _merge_orders(doing: _Doing, items: tuple[commands.Item, ...]) -> list[commands.Item]:
    """The items with one set of orders for each seat, however often it is named: a second set would
    replace the first.

    Of FINAL and NOT FINAL the last counts; beside orders it marks them, alone the set in force.
    """
    orders: dict[str, commands.Orders] = {}
    for item in items:
        if isinstance(item, commands.Orders) and not item.ahead:
            whose = _nation_of(doing, item.nation)
            before = orders.get(whose)
            orders[whose] = (
                item if before is None else replace(before, lines=before.lines + item.lines)
            )
        elif isinstance(item, commands.Final):
            doing.final[_nation_of(doing, item.nation)] = item
    found: list[commands.Item] = []
    ordering = set(orders)
    for item in items:
        whose = _nation_of(doing, item.nation)
        if isinstance(item, commands.Orders) and not item.ahead:
            if whose in orders:
                found.append(orders.pop(whose))
        elif not isinstance(item, commands.Final) or (
            doing.final[whose] is item and whose not in ordering
        ):
            found.append(item)
    return found


def _nation_of(doing: _Doing, typed: str) -> str:
    """The nation that an item is for; what was typed, where that is none of the sender's."""
    try:
        return _seat(doing, typed, "").nation
    except NotDone:
        return typed


def _one(doing: _Doing, item: commands.Item) -> None:
    match item:
        case commands.Orders() | commands.Cancel() if item.ahead:
            _ahead(doing, item)
        case commands.Orders():
            _orders(doing, item)
        case commands.Final():
            _mark(doing, item)
        case commands.Cancel():
            _cancel(doing, item)
        case commands.Adopt():
            _adopt(doing, item)
        case commands.PressItem():
            _letter(doing, item)
        case commands.Propose() | commands.AnswerDeal():
            _deal(doing, item)
        case commands.Desk():
            _desk(doing, item)
        case commands.Absent():
            _absent(doing, item)
        case commands.Vote():
            _vote(doing, item)
        case commands.Mute():
            _mute(doing, item)
        case commands.Set():
            _set(doing, item)


def _orders(doing: _Doing, item: commands.Orders) -> None:
    try:
        seat = _seat(doing, item.nation, item.lines[0].written)
    except NotDone as refused:
        _refuse_orders(doing, item, str(refused))
        return
    if _is_for_the_open_phase(doing, seat, item.text):
        doing = replace(doing, meant_for=doing.phase)  # for these lines alone
    _check_newest(doing, seat, "Your orders")
    mark = doing.final.get(seat.nation)
    marked = mark is not None and mark.final
    submission = _receive(doing, seat, item.text, marked)
    if marked and not (submission.counts or submission.late or submission.proposal):
        doing.not_done.append(
            f"“FINAL” was ignored: no line of these orders of {seat.nation} is valid. Send them"
            " again, or PASS, with FINAL below."
        )
    state = doing.states[submission.phase.pk] = submission.read_in
    if seat.referee:
        doing.add(*referee_reports.answer_report(submission, doing.sender.person, state))
    else:
        doing.add(*ordered.answer_orders(submission, doing.sender.person, doing.now, marked, state))
    _note_entry(doing, submission)
    # What members of a team send may come to something else.
    if submission.counts and not submission.member:
        doing.newest[seat.pk] = submission
    what = "sheet" if seat.referee else "proposal" if submission.proposal else "orders"
    doing.done.append(f"{what} No. {submission.seat_number} of {seat.nation}")


def _refuse_orders(doing: _Doing, item: commands.Orders, why: str) -> None:
    """Say of all lines that they were not taken, as nobody can tell for which nation they are."""
    said = [_sentence(why)]
    if _nation_of(doing, item.nation) in doing.final:
        said.append("“FINAL” with them was ignored too.")
    lines = [_short(line.written) for line in item.lines]
    doing.add(Section("Not done", said, kept=lines))
    if (phase := doing.meant_for or doing.phase) is not None:
        for seat in doing.own:
            doing.touched.setdefault(seat.pk, phase)


def _is_for_the_open_phase(doing: _Doing, seat: Seat, text: str) -> bool:
    """Return whether lines that answer a letter of an earlier phase can mean the open one alone:
    attacks below a letter about placement. Lines that both phases can take are late for theirs."""
    meant, present = doing.meant_for, doing.phase
    if meant is None or present is None or meant.kind == present.kind:
        return False
    if present.status != Phase.Status.OPEN or doing.received < present.opened_at:
        return False
    rules = doing.sender.game.rules
    taken = {
        phase.pk: rules.read(text, seat.nation, positions.state_of(phase)).understood
        for phase in (meant, present)
    }
    return bool(taken[present.pk]) and not taken[meant.pk]


def _ahead(doing: _Doing, item: commands.Orders | commands.Cancel) -> None:
    """Orders below TURN 3 ATTACKS: keep them for that phase, or take back what is kept. For the
    phase that is open they are its orders."""
    heading = f"TURN {item.ahead.upper()}"
    seat = _seat(doing, item.nation, heading)
    phase = doing.phase
    if phase is None:
        raise NotDone(f"“{heading}” changed nothing: the game has not begun.")
    turn, _, name = item.ahead.partition(" ")
    if _names_phase(int(turn), name, (phase.turn, phase.title, phase.kind)):
        doing = replace(doing, meant_for=phase)
        _one(doing, replace(item, ahead=""))
        return
    person, now = doing.sender.person, doing.received
    offered = ahead.phases(seat, phase)
    wanted = next(
        (
            later.phase
            for later in offered
            if _names_phase(int(turn), name, (later.phase.turn, later.title, later.phase.kind))
        ),
        None,
    )
    try:
        if isinstance(item, commands.Cancel):
            title = ahead.cancel(seat, phase, person, wanted or _NONE)
            said = [f"No orders of {seat.nation} are kept for {title} any more."]
            doing.add(Section(f"Orders ahead for {seat.nation}", said))
        else:
            kept = ahead.keep(seat, phase, person, wanted or _NONE, item.text, now)
            title = kept.title
            doing.add(*ordered.answer_ahead(kept, seat.nation))
    except ahead.NotKept as refused:
        raise NotDone(f"“{heading}” changed nothing. {refused}") from refused
    doing.done.append(f"orders ahead of {seat.nation} for {title}")


#: No phase of any game.
_NONE = PhaseId(0, "")


def _names_phase(turn: int, name: str, phase: tuple[int, str, str]) -> bool:
    """Whether words such as ATTACKS, or the start of them, name a phase: turn, title, kind."""
    said = name.casefold().replace("-", " ")
    number, title, kind = phase
    named = (title.rpartition(", ")[2].casefold(), kind.casefold().replace("-", " "))
    return turn == number and any(one.startswith(said) for one in named)


def _receive(doing: _Doing, seat: Seat, text: str, final: bool) -> Submission:
    submission = ledger.receive(
        seat,
        text,
        channel=Submission.Channel.MAIL,
        person=doing.sender.person,
        now=doing.received,
        final=final,
        meant_for=doing.meant_for,
        answered=True,
        held=doing.held,
    )
    submission.phase.game = doing.sender.game
    return submission


def _adopt(doing: _Doing, item: commands.Adopt) -> None:
    """ADOPT n: the spokesman of a team sends a proposal as its orders."""
    phase = doing.meant_for or doing.phase
    proposed = proposals.find(doing.seats, phase, item.n)
    seat = proposed.seat
    _check_newest(doing, seat, f"“ADOPT {item.n}”")
    submission = proposals.adopt(
        proposed,
        doing.sender.person,
        channel=Submission.Channel.MAIL,
        now=doing.received,
        meant_for=doing.meant_for,
        answered=True,
        held=doing.held,
    )
    submission.phase.game = doing.sender.game
    state = doing.states[submission.phase.pk] = submission.read_in
    doing.add(
        *ordered.answer_orders(submission, doing.sender.person, doing.now, submission.final, state)
    )
    _note_entry(doing, submission)
    doing.newest.pop(seat.pk, None)
    doing.done.append(f"ADOPT {item.n} of {seat.nation}, No. {submission.seat_number}")


def _note_entry(doing: _Doing, submission: Submission) -> None:
    """Note an entry in the ledger: the answer shows the hash, as the sender's proof."""
    doing.sent.append(submission)
    doing.touched[submission.seat_id] = submission.phase
    doing.outcome.anchors.append(entries.submission_line(submission.game_id, submission.hash))


def _check_newest(doing: _Doing, seat: Seat, what: str) -> None:
    """Raises `NotDone` where orders, or a CANCEL, came after this message was received and before
    it could be obeyed: the newer holds."""
    phase = doing.meant_for or doing.phase
    if phase is None:
        return
    sat = [seat, *permissions.controlling(seat, phase)]
    if doing.received < doing.now and not _has_sat_since(doing, sat):  # he has changed seats
        raise NotDone(
            f"{what} changed nothing: you did not play {seat.nation} yet when your message"
            " arrived. If you still want it, send it again."
        )
    since = in_force.newer_submissions(seat, phase, doing.received)
    newer = list(since.values_list("seat_number", "member"))
    if (
        newer
        and teams.by_vote(doing.sender.game)
        and (mine := teams.member(sat[-1], doing.sender.person)) is not None
    ):
        newer = [
            (number, member) for number, member in newer if member == mine.number
        ]  # a vote takes no other member's place
    if newer:
        doing.touched[seat.pk] = phase
        raise NotDone(
            f"{what} of {ordered.time_for(doing.received, doing.sender.person, doing.sender.game)}"
            f" changed nothing: No. {newer[0][0]} arrived later and counts. If you still want it,"
            " send it again."
        )


def _has_sat_since(doing: _Doing, seats: list[Seat]) -> bool:
    """Whether the sender sat in one of these seats when his message came, and still does."""
    if any(seat.referee for seat in seats):  # nobody sits there: it is theirs who run the game
        return True
    sitting = Sitting.objects.current().filter(
        seat__in=seats, person=doing.sender.person, since__lte=doing.received
    )
    return sitting.exists()


def _mark(doing: _Doing, item: commands.Final) -> None:
    """FINAL or NOT FINAL without orders: enter the set in force once more, so marked."""
    seat, word = _seat(doing, item.nation, _word(item)), _word(item)
    _check_newest(doing, seat, f"“{word}”")
    phase = doing.meant_for or doing.phase
    text = in_force.own_text(seat, phase, doing.sender.person) if phase is not None else ""
    if phase is None or not text:
        raise NotDone(
            f"“{word}” was ignored: {seat.nation} has no orders in force. Write it below the"
            " orders that it marks, or below PASS."
        )
    submission = _receive(doing, seat, text, item.final)
    tells = referee_reports.mark_final if seat.referee else ordered.mark_final
    doing.add(tells(submission, doing.sender.person, item.final))
    doing.newest.pop(seat.pk, None)
    _note_entry(doing, submission)
    doing.done.append(f"{word} of {seat.nation}, No. {submission.seat_number}")


def _word(item: commands.Final) -> str:
    return "FINAL" if item.final else "NOT FINAL"


def _cancel(doing: _Doing, item: commands.Cancel) -> None:
    seat = _seat(doing, item.nation, "CANCEL")
    _check_newest(doing, seat, "“CANCEL”")
    submission = ledger.cancel(
        seat,
        channel=Submission.Channel.MAIL,
        person=doing.sender.person,
        now=doing.received,
        meant_for=doing.meant_for,
        held=doing.held,
    )
    submission.phase.game = doing.sender.game
    doing.add(
        referee_reports.answer_cancel(submission)
        if seat.referee
        else ordered.cancelled(submission, doing.sender.person)
    )
    doing.newest.pop(seat.pk, None)
    _note_entry(doing, submission)
    doing.done.append(f"CANCEL of {seat.nation}, No. {submission.seat_number}")


def _letter(doing: _Doing, item: commands.PressItem) -> None:
    sender = doing.sender
    answered = _message_answered(doing, item)
    asks = item.to_gamesmaster and not item.to and not item.to_all
    seat = None
    if doing.own and not (
        item.kind == "answer" or (answered is not None and _is_mine(doing, answered))
    ):
        seat = _writing_seat(doing, item)
    own = seat.nation if seat is not None else None
    if seat is None and asks:
        raise NotDone(
            "Your question was not sent: you run this game yourself. Write to a nation with PRESS"
            " TO and its name."
        )
    if item.to_team:
        if seat is None:
            raise NotDone(
                "TEAM was not sent: you run this game and play no nation. Write to a nation with"
                " PRESS TO and its name."
            )
        to, to_all, to_gamesmaster = conversations.team_of(seat), False, False
    else:
        to, to_all, to_gamesmaster = _circle(doing, item, answered, own)
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
        answers=answered if seat is None else None,
        now=doing.now,
    )
    said = (
        f"Sent to {conversations.goes_to(written)}" + ("" if written.signed else ", unsigned") + "."
    )
    # A gamesmaster may read answers: of an unsigned letter nothing may lead to its writer.
    section = Section("Your letter" if written.signed else "Your unsigned letter", [said])
    if nobody := conversations.nobody_there(written):
        section.paragraphs.append(
            f"Nobody plays {all_of(nobody)} now: the letter waits for the next player."
        )
    doing.add(section)
    doing.done.append("a letter" if written.signed else "an unsigned letter")


def _writing_seat(doing: _Doing, item: commands.PressItem) -> Seat:
    """The seat that a letter is written from: one in which he sits. Below the heading of an ally it
    is his own all the same."""
    if len(doing.own) == 1:
        named = _seat(doing, item.nation, "PRESS")
        return named if named in doing.own else doing.own[0]
    return _seat(doing, item.nation, "TEAM" if item.to_team else "PRESS", doing.own)


def _is_mine(doing: _Doing, answered: Press) -> bool:
    """Return whether the gamesmaster, not the sender's nation, is the one addressed."""
    if any(seat.nation in answered.to or seat.pk == answered.seat_id for seat in doing.own):
        return False
    return answered.to_gamesmaster and permissions.answers_questions(
        doing.sender.person, doing.sender.game
    )


def _message_answered(doing: _Doing, item: commands.PressItem) -> Press | None:
    """The letter that REPLY or ANSWER n is for; None for a letter of its own. Raises `NotDone`."""
    game, person = doing.sender.game, doing.sender.person
    if item.kind == "answer":
        if not permissions.answers_questions(person, game):
            raise NotDone(
                "ANSWER is for the gamesmaster. Write to other nations with PRESS TO and their"
                " names, and END below the letter."
            )
        found: Press | None = (
            Press.objects.filter(game=game, code=item.n or 0, to_gamesmaster=True)
            .select_related("seat")
            .first()
        )
        if found is None:
            raise NotDone(
                f"ANSWER {item.n or ''} was not sent: there is no question with that number. The"
                " questions page lists all."
            )
        return found
    if item.kind == "reply":
        for letter in _answered_letters(doing.message, doing.sender):
            if "press" in letter.about:
                rows = Press.objects.select_related("seat", "game")
                got: Press = rows.get(pk=letter.about["press"])
                if permissions.reads_press(person, got):
                    return got
        raise NotDone(
            "REPLY was not sent: your message does not answer another nation's letter. Use PRESS"
            " TO and the names of the nations."
        )
    return None


def _circle(
    doing: _Doing, item: commands.PressItem, answered: Press | None, own: str | None
) -> tuple[list[str], bool, bool]:
    """Return to whom it goes: nations in card order, whether all, whether the gamesmaster."""
    if answered is None:
        to = conversations.addressees(doing.sender.game, item.to, own)
        return to, item.to_all, item.to_gamesmaster
    return conversations.circle_of_reply(answered, own)


def _deal(doing: _Doing, item: commands.Propose | commands.AnswerDeal) -> None:
    """A proposal, or an answer to one: of the letter answered, where no number is named."""
    if not doing.own:
        raise NotDone(f"Deals are made by those who play: {_no_seat(doing)}")
    seats = [_seat(doing, item.nation, "FOR", doing.own)] if item.nation else doing.own
    if isinstance(item, commands.Propose) and item.n is None and len(seats) > 1:
        seats = [_seat(doing, "", "PROPOSE", doing.own)]
    about = next(
        (one.about["proposal"] for one in _answered_letters(doing.message, doing.sender)
         if "proposal" in one.about),
        None,
    )  # fmt: skip
    try:
        section, done = deals_by_mail.do(
            item, doing.sender.game, doing.sender.person, seats, about, doing.now
        )
    except deals_by_mail.Unclear as error:
        raise NotDone(str(error)) from error
    doing.add(section)
    doing.done.append(done)


def _desk(doing: _Doing, item: commands.Desk) -> None:
    """A gamesmaster's command. What is done later than it came is for the phase of that time."""
    game, phase = doing.sender.game, doing.phase
    if phase is not None and doing.received < phase.opened_at and item.asked.verb in OF_A_PHASE:
        raise NotDone(
            f"“{item.asked.verb}” changed nothing: {phase.short_title} has opened since you sent"
            " it. If you still want it, send it again."
        )
    try:
        desk_by_mail.carry_out(
            game, phase, doing.sender.person, item.asked, doing.outcome, doing.now
        )
    finally:
        game.refresh_from_db()
        if phase is not None:
            phase.refresh_from_db()
            phase.game = game
    doing.done.append(" ".join((item.asked.verb, item.asked.rest)).strip())


def _absent(doing: _Doing, item: commands.Absent) -> None:
    sender = doing.sender
    if not doing.own:
        raise NotDone(f"ABSENT changed nothing: {_no_seat(doing)}")
    try:
        absence = desk.announce(
            sender.game, sender.person, item.first, item.last, sender.person, doing.now
        )
    except desk.DeskError as error:
        raise NotDone(str(error)) from error
    said = f"Noted: {absences.in_words(absence)}. {absences.effect(absence)}"
    doing.add(Section("Your absence", [said]))
    doing.done.append("absence")


def _vote(doing: _Doing, item: commands.Vote) -> None:
    game, phase = doing.sender.game, doing.phase
    if phase is not None and doing.received < phase.opened_at:
        raise NotDone(
            f"Your vote was not counted: {phase.short_title} has opened since you sent it. If you"
            " still want it, send it again."
        )
    try:
        motion = votes.cast(game, doing.sender.person, item.kind, item.to, doing.now, yes=item.yes)
    except desk.DeskError as error:
        raise NotDone(f"Your vote was not counted. {error}") from error
    game.refresh_from_db()
    if phase is not None:
        phase.refresh_from_db()
        phase.game = game
    said = votes.state_in_words(motion)
    if motion.outcome == Motion.Outcome.CARRIED:
        said += " It has taken effect."
    elif motion.passed_at is not None:
        said += " The vote passed; everybody gets a letter that says when it takes effect."
    doing.add(Section("The vote", [said]))
    doing.done.append("VOTE")


def _mute(doing: _Doing, item: commands.Mute) -> None:
    game, person = doing.sender.game, doing.sender.person
    if item.mute:
        subscriptions.mute(person, game, doing.now)
        said = (
            "You get no more letters of this game, only answers to your own mail. UNMUTE turns"
            " letters on again. The gamesmaster was informed."
        )
        doing.add(Section("No more letters", [said]))
    else:
        subscriptions.unmute(person, game, doing.now)
        doing.add(Section("Letters again", ["You get letters of this game again."]))
    doing.done.append("MUTE" if item.mute else "UNMUTE")


def _set(doing: _Doing, item: commands.Set) -> None:
    person = doing.sender.person
    letter_settings.change(person, item.typed)
    said = f"{item.typed.upper()} is set, for all your games."
    doing.add(Section("Your settings", [f"{said} SETTINGS shows all settings."]))
    doing.done.append(f"SET {item.typed}")


def _seat(doing: _Doing, typed: str, what: str, among: list[Seat] | None = None) -> Seat:
    """Return the seat named, or the only one held. Raises `NotDone`."""
    seats = doing.seats if among is None else among
    if not seats:
        raise NotDone(f"“{_short(what)}” changed nothing: {_no_seat(doing)}")
    mine = _plays(doing, seats)
    if not typed:
        if doing.unheaded is None:
            one = doing.own[0].nation
            raise NotDone(
                f"“{_short(what)}” changed nothing: {mine}. Write the nation above it, such as FOR"
                f" {one}, and send it again."
            )
        return doing.unheaded
    try:
        nation = _nation_named(doing.sender.game, typed)
    except NameFault as fault:
        raise NotDone(f"{fault}; the lines below it changed nothing. {_sentence(mine)}.") from None
    for seat in seats:
        if seat.nation == nation:
            return seat
    raise NotDone(
        f"You cannot order for “{_short(typed)}”: {mine}. The lines below it changed nothing."
    )


def _plays(doing: _Doing, seats: list[Seat]) -> str:
    """“you play France and order for the USA this turn”."""
    if not doing.own:
        return (
            "you run this game and send its reports, which need no heading; enter a player's"
            " orders at the desk"
        )
    own = all_of([seat.nation for seat in seats if seat in doing.own])
    allies = all_of([seat.nation for seat in seats if seat not in doing.own])
    return f"you play {own}" + (f" and order for {allies} this turn" if allies else "")


def _no_seat(doing: _Doing) -> str:
    return "you run this game and play no nation. Enter a player's orders at the desk."


# --- what is said of the rest ---


def _add_leftovers(doing: _Doing, script: commands.Script) -> None:
    """Add what could not be done, quoted, and what may be a quotation."""
    doing.not_done += [refused.sentence for refused in script.refused]
    if doing.not_done:
        doing.add(Section("Not done", points=doing.not_done))
    if script.doubtful:
        said = (
            "These lines look like orders or commands, but are below the quoted text, so they did"
            " not count. If you wrote them, send them alone:"
        )
        doing.add(Section("Left aside", [said], kept=[_short(line) for line in script.doubtful]))
    if doing.unread:
        files = all_of([f"“{_short(name)}”" for name in doing.unread[:NAMED_AT_MOST]])
        said = f"We cannot read {files}. Write your lines into the message itself."
        doing.add(Section("Attachments", [said]))
    if script.passed_over and any(isinstance(item, commands.Orders) for item in script.items):
        shown = [f"“{_short(line.written)}”" for line in script.passed_over[:NAMED_AT_MOST]]
        if more := len(script.passed_over) - len(shown):
            shown.append(f"and {more} more lines" if more > 1 else "and one more line")
        said = f"Read as greeting, name or heading, not as orders: {', '.join(shown)}."
        doing.add(Section("Left out", [said]))
    files_alone = len(doing.message.files) > len(doing.unread)
    if not script.items and not script.refused and not files_alone:
        aside = " Quoted text never counts." if script.dropped else ""
        said = (
            f"Your message contains no order and no command.{aside} Write one order per line,"
            " above the quoted text."
        )
        doing.add(Section("Nothing changed", [said]))
        doing.add(*questions.guide(doing.sender.game, doing.phase, _present(doing)))
        if permissions.runs(doing.sender.person, doing.sender.game):
            doing.add(*desk_by_mail.guide())
        for seat in _present(doing):
            if doing.phase is not None and doing.sender.game.status == Game.Status.RUNNING:
                doing.touched.setdefault(seat.pk, doing.phase)


def _queries(doing: _Doing, script: commands.Script) -> None:
    """Answers to questions, each once, after everything else."""
    game, person, phase = doing.sender.game, doing.sender.person, doing.phase
    for about, n in dict.fromkeys(
        (item.about, item.n) for item in script.items if isinstance(item, commands.Ask)
    ):
        match about:
            case "orders":
                doing.add(*_on_record(doing))
            case "board":
                doing.add(questions.board(game, doing.own))
            case "history":
                doing.add(questions.history(game, n))
            case "status":
                doing.add(questions.status(game, phase, person, _present(doing)))
                if permissions.runs(person, game) and phase is not None:
                    doing.add(desk_by_mail.owing(game, phase))
            case "deadline":
                doing.add(questions.deadline(game, phase, person))
            case "help":
                doing.add(*questions.guide(game, phase, _present(doing), whole=True))
                if permissions.runs(person, game):
                    doing.add(*desk_by_mail.guide())
            case "settings":
                points = [one.in_words(person) for one in letter_settings.SETTINGS]
                doing.add(Section("Your settings, in all games", points=points))
            case "deals":
                doing.add(deals_by_mail.summary(game, person))
            case "proof":
                doing.add(*sending.proof(game, doing.own))
            case "rules":
                doing.add(*sending.rules(game))
            case "scenario":
                doing.add(*sending.scenario(game, doing.own))
        doing.done.append(about.upper())


def _on_record(doing: _Doing) -> list[Section]:
    if not doing.seats:
        return [Section("Your orders", ["You play no nation in this game."])]
    if doing.phase is None:
        why = f"“{doing.sender.game.title}” has not begun: you have not sent orders yet."
        return [Section("Your orders", [why])]
    tells = {True: referee_reports.on_record, False: ordered.on_record}
    return [tells[seat.referee](seat, doing.phase, doing.sender.person) for seat in _present(doing)]


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _short(text: str) -> str:
    return short(" ".join(text.split()), QUOTED_AT_MOST)
