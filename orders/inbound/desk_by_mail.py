"""Run a game by mail: execute the desk commands in a gamesmaster's message.

Each command calls the same function as the button at the desk, and appears in the game's log in the
same way. Rulings, and removing a person from a seat, are only previewed; `CONFIRM code` then does
them.
"""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta
from typing import Any

from games import desk, market, permissions, positions
from games.desk import votes
from games.desk.words import find_nation
from games.letters import board_text
from games.models import Game, Person, Phase, Seat, Sitting
from games.positions import in_force
from games.rules import RulesError, ruling_kinds
from games.rules.digits import roll_number, volume_of_roll
from games.rules.names import all_of
from games.timing import schedule
from games.turns import judging, late_orders, reminders, ruling_plan, rulings
from orders.inbound.parsing import desk_commands
from orders.inbound.replies.orders import time_for
from orders.inbound.replies.outcome import Outcome, Section
from orders.intake.telephone import ALPHABET
from orders.models import Handling

#: The log's reason where the gamesmaster gives none; rulings require one.
NO_REASON = "Decided by the gamesmaster."
#: How long a preview's code can be confirmed, and how many messages are searched for it.
CONFIRMED_WITHIN = timedelta(days=7)
MESSAGES_SEARCHED = 100
CODE_LENGTH = 6

COMMANDS = (
    "WHO OWES: who still owes orders",
    "LIST ORDERS: the orders in force of every nation, as far as you may read them",
    "REMIND: writes to everybody who owes orders",
    "EXTEND 24 HOURS: moves the deadline for everybody; or EXTEND 2 DAYS",
    "PAUSE, RESUME: stops the clock, and lets it go on",
    "VETO: stops what the players voted for, before it takes effect",
    "PROCESS NOW: closes orders if everybody has sent them, or looks for figures at once",
    "ANSWER 48213, your text, END: answers question No. 48213",
    "LETTER TO ALL, your text, END: a letter from you to all nations",
)
WITH_CONFIRMATION = (
    "RULE LATE Germany: its orders that came late count",
    "RULE RESULT 2 D: result D for attack 2 of the newest attacks; or VOID",
    "RULE FIGURE GE 1,234,500: what GE sold, in shares; NONE for no usable report; of a roll, such"
    " as ROLL-1, its digit",
    "RULE POINTS Germany 2: adds points from here on, or takes them with -2",
    "VACATE Germany: the player leaves",
    "EJECT Germany: removes the player",
)


def guide() -> list[Section]:
    """Return the answer to HELP for a gamesmaster."""
    return [
        Section(
            "Commands of the gamesmaster",
            ["You can give a reason after a colon: EXTEND 24 HOURS: Rosa is traveling."],
            points=list(COMMANDS),
        ),
        Section(
            "Rulings",
            [
                "These need a reason after a colon. The answer shows the effect and a code; reply"
                " with CONFIRM and the code to make it happen. Make other rulings at the desk."
            ],
            points=list(WITH_CONFIRMATION),
        ),
    ]


def owing(phase: Phase | None, person: Person) -> list[Section]:
    """Return the answer to WHO OWES: each nation with its players who have not sent orders, and
    which orders came late."""
    section = Section("Who owes orders")
    if phase is None:
        return [Section(section.heading, ["No orders are open now."])]
    for seat_owing in reminders.seats_to_remind(phase) if phase.is_timed else ():
        sender = next(iter(permissions.controlling_seats(seat_owing.seat, phase)), seat_owing.seat)
        sitting = Sitting.objects.current().filter(seat=sender).select_related("person")
        names = [str(row.person) for row in sitting if row.person_id not in seat_owing.done]
        section.points.append(f"{seat_owing.seat.nation}: {all_of(names) or 'nobody'}")
    if not phase.is_timed:
        section.paragraphs.append("No orders are open now.")
    elif not section.points:
        section.paragraphs.append(f"Nobody: all orders for {phase.short_title} have arrived.")
    late = [
        f"{row.seat.nation}, for {row.phase.short_title}: received"
        f" {time_for(row.received_at, person)}. To let them count, write “RULE LATE"
        f" {row.seat.nation}: the reason”."
        for row in late_orders.late_orders(phase.game, phase)
    ]
    return [section, *([Section("Came late, and change nothing", points=late)] if late else [])]


def list_orders(phase: Phase, person: Person) -> list[Section]:
    """Return the answer to LIST ORDERS: the orders in force that this person may read."""
    in_force_by_nation = in_force.in_force(phase)
    sections = []
    for nation in phase.game.rules.acting_nations(positions.state_of(phase)):
        submission = in_force_by_nation.get(nation)
        section = Section(f"Orders of {nation}")
        if submission is None:
            section.paragraphs.append("None are in force.")
        elif permissions.reads_orders(person, submission):
            section.kept += submission.text.strip().splitlines()
        else:
            section.paragraphs.append("They are in. You may not read them yet.")
        sections.append(section)
    return sections or [Section("Orders", ["Nobody orders anything in this phase."])]


def carry_out(
    game: Game,
    phase: Phase | None,
    person: Person,
    asked: desk_commands.DeskCommand,
    outcome: Outcome,
    now: datetime,
) -> None:
    """Do what one line asks, and add the result to the outcome.

    Raise `DeskError` or `RulingError` where it cannot be done. The caller has locked the game's
    row.
    """
    if not permissions.runs(person, game):
        raise desk.DeskError(f"{asked.verb} is for the gamesmaster.")
    reason = asked.reason or NO_REASON
    match asked.verb:
        case "WHO OWES":
            outcome.sections += owing(phase, person)
        case "LIST ORDERS":
            outcome.sections += list_orders(_open(game, phase), person)
        case "REMIND":
            nations = desk.remind(_open(game, phase), person, now)
            _note_done(outcome, f"A reminder goes to {all_of(nations)}.")
        case "EXTEND":
            _extend(_open(game, phase), person, asked, reason, outcome, now)
        case "PAUSE":
            desk.pause(game, reason, person, now)
            _note_done(outcome, "The game is paused. Everybody gets a letter.")
        case "RESUME":
            desk.resume(game, reason, person, now)
            _note_done(outcome, "The game goes on. Everybody gets a letter with the deadline.")
        case "VETO":
            votes.veto(game, reason, person, now)
            _note_done(outcome, "You vetoed what the players voted for. Everybody gets a letter.")
        case "PROCESS NOW":
            desk.process_now(_open(game, phase), reason, person, now)
            _note_done(outcome, "It happens within the next minute.")
        case "EJECT" | "VACATE":
            _preview_leaving(game, asked, outcome)
        case "CONFIRM":
            _confirm(game, person, asked.rest, outcome, now)
        case _:
            _preview_ruling(game, person, asked, outcome)


def _note_done(outcome: Outcome, sentence: str) -> None:
    outcome.sections.append(Section("Done", [sentence]))


def _open(game: Game, phase: Phase | None) -> Phase:
    if phase is None:
        raise desk.DeskError(f"“{game.title}” has not begun yet.")
    return phase


def _extend(
    phase: Phase,
    person: Person,
    asked: desk_commands.DeskCommand,
    reason: str,
    outcome: Outcome,
    now: datetime,
) -> None:
    days, hours = desk_commands.extension(asked.rest) or (0, 0)
    if not days and not hours:
        raise desk.DeskError(
            f"“EXTEND {asked.rest}” is not understood: write EXTEND 24 HOURS, or EXTEND 2 DAYS."
        )
    paused = phase.deadline >= schedule.STANDS
    later = schedule.later(now if paused else phase.deadline, phase.game.zone, days, hours)
    desk.extend(phase, later, reason, person, now)
    phase.refresh_from_db()
    until = time_for(phase.deadline, person)
    _note_done(outcome, f"{phase.short_title}: orders are due by {until}. Everybody gets a letter.")


# --- previews ---


def _reason(asked: desk_commands.DeskCommand) -> str:
    """Return the reason given with a command. Raise `DeskError` if there is none."""
    if not asked.reason:
        raise desk.DeskError(
            f"“{asked.verb} {asked.rest}” changed nothing: give a reason after a colon. Every"
            " player reads it."
        )
    return asked.reason


def _nation(game: Game, typed: str) -> Seat:
    """Return the seat of a nation. Raise `DeskError` for an unknown name."""
    seats = {seat.nation: seat for seat in game.seats.nations().order_by("ordinal")}
    return seats[find_nation(tuple(seats), typed)]


def _preview_leaving(game: Game, asked: desk_commands.DeskCommand, outcome: Outcome) -> None:
    reason, seat = _reason(asked), _nation(game, asked.rest)
    people = [row.person for row in seat.sittings.current().select_related("person")]
    if len(people) != 1:
        who = "nobody plays it" if not people else "a team plays it: choose the person at the desk"
        raise desk.DeskError(f"“{asked.verb} {seat.nation}” changed nothing: {who}.")
    leaves = "is removed from the game" if asked.verb == "EJECT" else "gives up the seat"
    sentences = [f"{people[0]} ({seat.nation}) {leaves}. Reason: {reason}"]
    pending = {"seat": seat.pk, "person": people[0].pk, "verb": asked.verb, "reason": reason}
    _ask(outcome, "Waiting for your confirmation", sentences, [], pending)


def _preview_ruling(
    game: Game, person: Person, asked: desk_commands.DeskCommand, outcome: Outcome
) -> None:
    phase, kind, content = _ruling(game, asked)
    reason = _reason(asked)
    if not permissions.may_rule(person, phase, kind):
        raise rulings.RulingError(rulings.PLAYS_HIMSELF)
    preview = rulings.preview(phase, kind, content)
    if preview.new is None:
        raise rulings.RulingError(preview.fault)
    effect = [message for change in preview.changed for message in change.messages]
    effect += board_text.changes(preview.board_before, preview.board_after)
    effect += [
        f"{nation}: {score} points, not {preview.scores_before.get(nation)}"
        for nation, score in preview.scores_after.items()
        if score != preview.scores_before.get(nation)
    ]
    sentences = [f"{phase.short_title}: {preview.new.words} Reason: {reason}"]
    if preview.changes_nothing:
        sentences.append("It changes neither the board nor the scores.")
    if preview.waits:
        sentences.append("The result is not published yet; the ruling goes out with it.")
    pending = {
        "phase": phase.pk,
        "kind": kind,
        "what": content,
        "reason": reason,
        "token": preview.token,
    }
    _ask(
        outcome,
        "A ruling that waits for your confirmation",
        sentences,
        list(dict.fromkeys(effect)),
        pending,
    )


def _ask(
    outcome: Outcome, heading: str, sentences: list[str], effect: list[str], pending: dict[str, Any]
) -> None:
    """Add a preview to the outcome, with a new code to confirm it."""
    code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
    after = [f"To confirm, reply with this line: CONFIRM {code}"]
    outcome.sections.append(Section(heading, sentences, points=effect, after=after))
    outcome.pending.append({**pending, "code": code})


def _ruling(game: Game, asked: desk_commands.DeskCommand) -> tuple[Phase, str, dict[str, Any]]:
    """Return the phase, kind and content of a ruling. Raise `DeskError` if it is not understood."""
    words = asked.rest.replace(",", "").split()
    if asked.verb == "RULE POINTS":
        phase = _newest(game, "points", judged=True)
        if len(words) < 2 or not re.fullmatch(r"[+-]?\d+", words[-1]) or not int(words[-1]):
            raise desk.DeskError(_form(asked, "RULE POINTS Germany 2"))
        nation = _nation(game, " ".join(words[:-1])).nation
        return phase, "points", {"nation": nation, "points": int(words[-1])}
    if asked.verb == "RULE RESULT":
        phase = _newest(game, "result", judged=True, draws=True)
        meanings = game.rules.guide.table().meanings
        result = words[1] if len(words) == 2 else ""
        code = next((known for known in (*meanings, "void") if known.upper() == result.upper()), "")
        attacks = _attacks(phase)
        if not code or not words[0].isdecimal() or not 1 <= int(words[0]) <= len(attacks):
            codes = ", ".join((*meanings, "VOID"))
            attack_list = "; ".join(
                f"{number}: {made['nation']} against {all_of(made['targets'])} in {made['area']}"
                for number, made in enumerate(attacks, start=1)
            )
            raise desk.DeskError(
                f"{_form(asked, 'RULE RESULT 2 D')} Results are {codes}. Attacks of"
                f" {phase.short_title}: {attack_list or 'none'}."
            )
        attack = attacks[int(words[0]) - 1]
        named = {key: attack[key] for key in ("nation", "line", "area")}
        return phase, "result", {**named, "result": code}
    if asked.verb == "RULE LATE":
        return _late(game, asked)
    phase = _newest(game, "digit", draws=True)
    if len(words) != 2 or not (words[1].isdecimal() or words[1].upper() == "NONE"):
        raise desk.DeskError(_form(asked, "RULE FIGURE GE 1,234,500"))
    stock, volume = words[0].upper(), int(words[1]) if words[1].isdecimal() else None
    if volume is not None and volume < 10 and roll_number(stock) is not None:
        volume = volume_of_roll(volume)
    return phase, "digit", {"stock": stock, "volume": volume}


def _late(game: Game, asked: desk_commands.DeskCommand) -> tuple[Phase, str, dict[str, Any]]:
    phase = _open(game, game.phases.current())
    late = {row.seat.nation: row for row in late_orders.late_orders(game, phase)}
    nation = _nation(game, asked.rest).nation
    if nation not in late:
        others = f"; those of {all_of(list(late))} do" if late else ""
        raise desk.DeskError(
            f"“RULE LATE {asked.rest}” changed nothing: no late orders of {nation} that can be read"
            f" wait for a ruling{others}."
        )
    return late[nation].phase, "orders", {"nation": nation, "submission": late[nation].number}


def _form(asked: desk_commands.DeskCommand, example: str) -> str:
    text = f"{asked.verb} {asked.rest}".strip()
    return f"“{text}” is not understood: write it as in “{example}: the reason”."


def _newest(game: Game, kind: str, *, judged: bool = False, draws: bool = False) -> Phase:
    """Return the newest phase for a ruling of this kind. Raise `DeskError` if there is none."""
    statuses = (Phase.Status.RESOLVED, Phase.Status.APPROVAL) if judged else ruling_plan.RULED_ON
    rows = game.phases.filter(status__in=statuses).select_related("game").order_by("-number")
    phase = next((candidate for candidate in rows if candidate.draws or not draws), None)
    if phase is None or kind not in ruling_kinds.kinds_of(game.rules):
        raise desk.DeskError("There is no phase yet to make this ruling on.")
    return phase


def _attacks(phase: Phase) -> list[dict[str, Any]]:
    """Return the attacks of a result, in the order of the report's numbers; none if the result that
    waits for approval can no longer be judged."""
    newest = phase.resolutions.order_by("-version").first()
    try:
        events = newest.events if newest else judging.judge_now(phase).resolution.events
    except (RulesError, market.Unsettled):
        return []
    return [event for event in events if event["kind"] in ("attack", "void")]


# --- confirmations ---


def _confirm(game: Game, person: Person, code: str, outcome: Outcome, now: datetime) -> None:
    """Do what a preview announced. Raise `DeskError` for an unknown or expired code."""
    pending = _pending(game, person, code, now)
    if pending is None:
        raise desk.DeskError(
            f"“CONFIRM {code}” changed nothing: no preview of the last {CONFIRMED_WITHIN.days}"
            " days has this code. Send the command again."
        )
    if "seat" in pending:
        seat = game.seats.select_related("game").get(pk=pending["seat"])
        leaving = Person.objects.get(pk=pending["person"])
        end = desk.eject if pending["verb"] == "EJECT" else desk.vacate
        end(seat, leaving, pending["reason"], person, now)
        _note_done(outcome, f"{leaving} no longer plays {seat.nation}. Everybody gets a letter.")
        return
    phase = game.phases.select_related("game").get(pk=pending["phase"])
    ruling = rulings.rule(
        phase,
        pending["kind"],
        pending["what"],
        pending["reason"],
        person,
        now,
        token=pending["token"],
    )
    _note_done(outcome, f"Ruling {ruling.number} is made: {ruling.words}")


def _pending(game: Game, person: Person, code: str, now: datetime) -> dict[str, Any] | None:
    """Return the previewed action with a code, for this gamesmaster and game; or None."""
    rows = Handling.objects.filter(
        game=game, person=person, handled_at__gte=now - CONFIRMED_WITHIN
    ).order_by("-handled_at")
    for outcome in rows.values_list("outcome", flat=True)[:MESSAGES_SEARCHED]:
        for pending in outcome.get("pending", ()):
            if pending["code"] == code:
                match: dict[str, Any] = pending
                return match
    return None
