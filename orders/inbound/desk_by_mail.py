"""Run a game by mail: what a gamesmaster's message asks of the desk.

Each command does what a button of the desk does, by the same function, and is in the game's log as
from there. A ruling, and taking somebody out of a seat, is shown first and done by `CONFIRM code`.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any

from games import desk, permissions
from games.desk import votes
from games.letters import board as boards
from games.models import Game, Person, Phase, Seat, Sitting
from games.rules.digits import roll_number, volume_of_roll
from games.rules.names import NameFault, all_of, vocabulary
from games.timing import schedule
from games.turns import reminders, ruling_plan, rulings
from orders.inbound.parsing import desk_commands
from orders.inbound.replies.orders import time_for
from orders.inbound.replies.outcome import Outcome, Section
from orders.models import Handling
from orders.telephone import ALPHABET

#: What the log says where no reason is given; rulings want one.
NO_REASON = "Decided by the gamesmaster."
#: A code of a preview may be confirmed so long; so many messages are searched for it.
CONFIRMED_WITHIN = timedelta(days=7)
MESSAGES_SEARCHED = 100
CODE_LENGTH = 6

COMMANDS = (
    "WHO OWES: who still owes orders",
    "REMIND: writes to everybody who owes orders",
    "EXTEND 24 HOURS: moves the deadline for everybody; or EXTEND 2 DAYS",
    "PAUSE, RESUME: stops the clock, and lets it go on",
    "VETO: stops what the players voted for, before it takes effect",
    "PROCESS NOW: closes orders if everybody has sent them, or looks for figures at once",
    "ANSWER 48213, your text, END: answers question No. 48213",
    "LETTER TO ALL, your text, END: a letter from you to all nations",
)
WITH_CONFIRMATION = (
    "RULE RESULT 2 D: result D for attack 2 of the newest attacks; or VOID",
    "RULE FIGURE GE 1,234,500: what GE sold, in shares; NONE for no usable report; of a roll, such"
    " as ROLL-1, its digit",
    "RULE POINTS Germany 2: adds points from here on, or takes them with -2",
    "VACATE Germany: the player leaves",
    "EJECT Germany: removes the player",
)


def guide() -> list[Section]:
    """HELP for a gamesmaster."""
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


def owing(game: Game, phase: Phase | None) -> Section:
    """WHO OWES: each nation with its players, without those of a team who have sent theirs."""
    section = Section("Who owes orders")
    if phase is None or phase.status != Phase.Status.OPEN or phase.sheeted:
        section.paragraphs.append("No orders are open now.")
        return section
    for one in reminders.seats_to_remind(phase):
        sender = next(iter(permissions.controlling(one.seat, phase)), one.seat)
        sitting = Sitting.objects.current().filter(seat=sender).select_related("person")
        names = [str(row.person) for row in sitting if row.person_id not in one.done]
        section.points.append(f"{one.seat.nation}: {all_of(names) or 'nobody'}")
    if not section.points:
        section.paragraphs.append(f"Nobody: all orders for {phase.short_title} have arrived.")
    return section


def carry_out(
    game: Game,
    phase: Phase | None,
    person: Person,
    asked: desk_commands.Asked,
    outcome: Outcome,
    now: datetime,
) -> None:
    """Do what one line asks, and add to the outcome what came of it.

    Raises `DeskError` or `RulingError` where it cannot be done. The caller holds the game's row.
    """
    if not permissions.runs(person, game):
        raise desk.DeskError(f"{asked.verb} is for the gamesmaster.")
    reason = asked.reason or NO_REASON
    match asked.verb:
        case "WHO OWES":
            outcome.sections.append(owing(game, phase))
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
            _preview_ruling(game, person, asked, outcome, now)


def _note_done(outcome: Outcome, sentence: str) -> None:
    outcome.sections.append(Section("Done", [sentence]))


def _open(game: Game, phase: Phase | None) -> Phase:
    if phase is None:
        raise desk.DeskError(f"“{game.title}” has not begun yet.")
    return phase


def _extend(
    phase: Phase,
    person: Person,
    asked: desk_commands.Asked,
    reason: str,
    outcome: Outcome,
    now: datetime,
) -> None:
    by = desk_commands.extension(asked.rest)
    if by is None or not by:
        raise desk.DeskError(
            f"“EXTEND {asked.rest}” is not understood: write EXTEND 24 HOURS, or EXTEND 2 DAYS."
        )
    paused = phase.deadline >= schedule.STANDS
    desk.extend(phase, (now if paused else phase.deadline) + by, reason, person, now)
    phase.refresh_from_db()
    until = time_for(phase.deadline, person, phase.game)
    _note_done(outcome, f"{phase.short_title}: orders are due by {until}. Everybody gets a letter.")


# --- what is shown first ---


def _reason(asked: desk_commands.Asked) -> str:
    if not asked.reason:
        raise desk.DeskError(
            f"“{asked.verb} {asked.rest}” changed nothing: give a reason after a colon. Every"
            " player reads it."
        )
    return asked.reason


def _nation(game: Game, typed: str) -> Seat:
    """Return the seat of a nation. Raises `DeskError`."""
    seats = {seat.nation: seat for seat in game.seats.nations().order_by("ordinal")}
    try:
        return seats[vocabulary(tuple(seats), "nation").find(typed)]
    except NameFault as fault:
        raise desk.DeskError(str(fault)) from None


def _preview_leaving(game: Game, asked: desk_commands.Asked, outcome: Outcome) -> None:
    reason, seat = _reason(asked), _nation(game, asked.rest)
    people = [row.person for row in seat.sittings.current().select_related("person")]
    if len(people) != 1:
        who = "nobody plays it" if not people else "a team plays it: choose the person at the desk"
        raise desk.DeskError(f"“{asked.verb} {seat.nation}” changed nothing: {who}.")
    leaves = "is removed from the game" if asked.verb == "EJECT" else "gives up the seat"
    said = [f"{people[0]} ({seat.nation}) {leaves}. Reason: {reason}"]
    pending = {"seat": seat.pk, "person": people[0].pk, "verb": asked.verb, "reason": reason}
    _ask(outcome, "Waiting for your confirmation", said, [], pending)


def _preview_ruling(
    game: Game, person: Person, asked: desk_commands.Asked, outcome: Outcome, now: datetime
) -> None:
    phase, kind, what = _ruling(game, asked)
    reason = _reason(asked)
    if not permissions.may_rule(person, phase, kind):
        raise rulings.RulingError(rulings.PLAYS_HIMSELF)
    seen = rulings.preview(phase, kind, what, now)
    if seen.fault:
        raise rulings.RulingError(seen.fault)
    effect = [message for change in seen.changed for message in change.messages]
    effect += boards.changes(seen.board_before, seen.board_after)
    effect += [
        f"{nation}: {score} points, not {seen.scores_before.get(nation)}"
        for nation, score in seen.scores_after.items()
        if score != seen.scores_before.get(nation)
    ]
    said = [f"{phase.short_title}: {seen.words} Reason: {reason}"]
    if seen.changes_nothing:
        said.append("It changes neither the board nor the scores.")
    if seen.waits:
        said.append("The result is not published yet; the ruling goes out with it.")
    pending = {"phase": phase.pk, "kind": kind, "what": what, "reason": reason, "token": seen.token}
    _ask(
        outcome,
        "A ruling that waits for your confirmation",
        said,
        list(dict.fromkeys(effect)),
        pending,
    )


def _ask(
    outcome: Outcome, heading: str, said: list[str], effect: list[str], pending: dict[str, Any]
) -> None:
    code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
    after = [f"To confirm, reply with this line: CONFIRM {code}"]
    outcome.sections.append(Section(heading, said, points=effect, after=after))
    outcome.pending.append({**pending, "code": code})


def _ruling(game: Game, asked: desk_commands.Asked) -> tuple[Phase, str, dict[str, Any]]:
    """Return phase, kind and content of a ruling. Raises `DeskError`."""
    words = asked.rest.replace(",", "").split()
    if asked.verb == "RULE POINTS":
        phase = _newest(game, "points", judged=True)
        if len(words) < 2 or not words[-1].lstrip("+-").isdecimal() or not int(words[-1]):
            raise desk.DeskError(_form(asked, "RULE POINTS Germany 2"))
        nation = _nation(game, " ".join(words[:-1])).nation
        return phase, "points", {"nation": nation, "points": int(words[-1])}
    if asked.verb == "RULE RESULT":
        phase = _newest(game, "result", judged=True, draws=True)
        meanings = game.rules.guide.table().meanings
        result = words[1] if len(words) == 2 else ""
        code = next((one for one in (*meanings, "void") if one.upper() == result.upper()), "")
        attacks = _attacks(phase)
        if not code or not words[0].isdecimal() or not 1 <= int(words[0]) <= len(attacks):
            codes = ", ".join((*meanings, "VOID"))
            listed = "; ".join(
                f"{number}: {one['nation']} against {all_of(one['targets'])} in {one['area']}"
                for number, one in enumerate(attacks, start=1)
            )
            raise desk.DeskError(
                f"{_form(asked, 'RULE RESULT 2 D')} Results are {codes}. Attacks of"
                f" {phase.short_title}: {listed or 'none'}."
            )
        attack = attacks[int(words[0]) - 1]
        what = {"nation": attack["nation"], "line": int(attack["line"]), "result": code}
        return phase, "result", what
    phase = _newest(game, "digit", draws=True)
    if len(words) != 2 or not (words[1].isdecimal() or words[1].upper() == "NONE"):
        raise desk.DeskError(_form(asked, "RULE FIGURE GE 1,234,500"))
    stock, volume = words[0].upper(), int(words[1]) if words[1].isdecimal() else None
    if volume is not None and volume < 10 and roll_number(stock) is not None:
        volume = volume_of_roll(volume)
    return phase, "digit", {"stock": stock, "volume": volume}


def _form(asked: desk_commands.Asked, example: str) -> str:
    said = f"{asked.verb} {asked.rest}".strip()
    return f"“{said}” is not understood: write it as in “{example}: the reason”."


def _newest(game: Game, kind: str, *, judged: bool = False, draws: bool = False) -> Phase:
    """Return the newest phase that a ruling of this kind may be about. Raises `DeskError`."""
    statuses = (Phase.Status.RESOLVED, Phase.Status.APPROVAL) if judged else ruling_plan.RULED_ON
    rows = game.phases.filter(status__in=statuses).select_related("game").order_by("-number")
    phase = next((one for one in rows if one.draws or not draws), None)
    if phase is None or kind not in game.rules.editor.ruling_kinds:
        raise desk.DeskError("There is no phase yet to make this ruling on.")
    return phase


def _attacks(phase: Phase) -> list[dict[str, Any]]:
    """Return the attacks of a judged phase, as the report numbers them."""
    newest = phase.resolutions.order_by("-version").first()
    events = newest.events if newest is not None else ()
    return [event for event in events if event["kind"] in ("attack", "void")]


# --- what is confirmed ---


def _confirm(game: Game, person: Person, code: str, outcome: Outcome, now: datetime) -> None:
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
    made = rulings.rule(
        phase,
        pending["kind"],
        pending["what"],
        pending["reason"],
        person,
        now,
        token=pending["token"],
    )
    _note_done(outcome, f"Ruling {made.number} is made: {made.words}")


def _pending(game: Game, person: Person, code: str, now: datetime) -> dict[str, Any] | None:
    """Return what a preview to this very gamesmaster in this very game has asked to confirm."""
    rows = Handling.objects.filter(
        game=game, person=person, handled_at__gte=now - CONFIRMED_WITHIN
    ).order_by("-handled_at")
    for outcome in rows.values_list("outcome", flat=True)[:MESSAGES_SEARCHED]:
        for pending in outcome.get("pending", ()):
            if pending["code"] == code:
                found: dict[str, Any] = pending
                return found
    return None
