"""The remaining parts of an answer: parts not done, quotations, and answers to questions."""

from __future__ import annotations

from collections.abc import Sequence

from games import permissions
from games.accounts import letter_settings
from games.models import Game, Phase
from games.rules.names import all_of

from .. import desk_by_mail, reports
from ..parsing import commands, salutations
from ..replies import orders as ordered
from ..replies import questions, sending
from ..replies.outcome import Section
from .execution import Execution, present_seats, quotation
from .press_items import deals_section

#: The most attachments or lines named in an answer.
NAMED_AT_MOST = 5


def add_leftovers(run: Execution, script: commands.Script) -> None:
    """Add the parts that could not be done, and lines that may be quotations.

    Where the message contains nothing to execute, add the guide.
    """
    run.not_done += [refused.sentence for refused in script.refused]
    if run.not_done:
        run.add(Section("Not done", points=run.not_done))
    if left_aside := _set_aside(script):
        run.add(left_aside)
    if files := _unread_files(run, script):
        run.add(files)
    has_orders = any(isinstance(item, commands.Orders) for item in script.items)
    sentences = [
        f"{what}, not as orders: {_first_few(lines)}."
        for what, lines in (
            (
                "Read as greeting, name or heading",
                [line.written for line in script.passed_over] if has_orders else (),
            ),
            ("Read as a footer or a notice about your mail", script.unsure if script.items else ()),
        )
        if lines
    ]
    if sentences:
        run.add(Section("Left out", sentences))
    files_alone = len(run.message.files) > len(run.unread)
    if not script.items and not script.refused and not files_alone:
        _add_nothing_changed(run, script)


def _add_nothing_changed(run: Execution, script: commands.Script) -> None:
    """Say that a message changed nothing. The guide follows if its sender may need it."""
    only_courtesies = not (script.notes or script.doubtful or script.unused_files or run.unread)
    thanks = any(salutations.is_thanks(line.text) for line in script.passed_over)
    if run.message.unreadable:
        run.add(Section("Nothing changed", ["No line of your message counts."]))
    elif only_courtesies and thanks:
        run.add(Section("Nothing changed", ["Thank you. Nothing changed."]))
    else:
        quoted = " Quoted text never counts." if script.dropped else ""
        sentence = (
            f"Your message contains no order and no command.{quoted} Write one order per line,"
            " above the quoted text."
        )
        run.add(Section("Nothing changed", [sentence]))
        run.add(*questions.guide(run.sender.game, run.phase, present_seats(run)))
        if permissions.runs(run.sender.person, run.sender.game):
            run.add(*desk_by_mail.guide())
    for seat in present_seats(run):
        if run.phase is not None and run.sender.game.status == Game.Status.RUNNING:
            run.touched.setdefault(seat.pk, run.phase)


def _set_aside(script: commands.Script) -> Section | None:
    """Return what did not count, though its sender may have meant it."""
    if not (script.doubtful or script.notes):
        return None
    section = Section("Left aside", list(script.notes))
    if script.doubtful:
        section.paragraphs.append(
            "These lines look like orders or commands, but are in or below quoted text, a signature"
            " or a footer, so they did not count. If you wrote them, send them alone:"
        )
        section.kept = [quotation(line) for line in script.doubtful]
    return section


def _unread_files(run: Execution, script: commands.Script) -> Section | None:
    """Name the attached files that were not read: those of text, then the others."""
    sentences = []
    if script.unused_files:
        named = any(script.unused_files)
        files = _quoted(script.unused_files) if named else "the attached text"
        sentences.append(f"No line of {files} counts.")
    if run.unread:
        sentences.append(f"We cannot read {_quoted(run.unread)}.")
    if not sentences:
        return None
    sentences.append("Write your lines into the message itself.")
    return Section("Attachments", [" ".join(sentences)])


def _first_few(lines: Sequence[str]) -> str:
    quotations = [f"“{quotation(line)}”" for line in lines[:NAMED_AT_MOST]]
    if more := len(lines) - len(quotations):
        quotations.append(f"and {more} more lines" if more > 1 else "and one more line")
    return ", ".join(quotations)


def _quoted(names: Sequence[str]) -> str:
    """Return the first few names that are not empty, in quotation marks."""
    return all_of([f"“{quotation(name)}”" for name in names if name][:NAMED_AT_MOST])


def answer_questions(run: Execution, script: commands.Script) -> None:
    """Answer questions, each once, after everything else."""
    game, person, phase = run.sender.game, run.sender.person, run.phase
    for about, n in dict.fromkeys(
        (item.about, item.n) for item in script.items if isinstance(item, commands.Ask)
    ):
        match about:
            case "orders":
                run.add(*_orders_sections(run))
            case "board":
                run.add(questions.board(game, run.own))
            case "history":
                run.add(questions.history(game, n, run.own))
            case "status":
                run.add(questions.status(game, phase, person, present_seats(run)))
                if permissions.runs(person, game) and phase is not None:
                    run.add(*desk_by_mail.owing(phase, person))
            case "deadline":
                run.add(questions.deadline(game, phase, person))
            case "help":
                run.add(*questions.guide(game, phase, present_seats(run), whole=True))
                if permissions.runs(person, game):
                    run.add(*desk_by_mail.guide())
            case "settings":
                points = letter_settings.lines_for(person)
                run.add(Section("Your settings, in all games", points=points))
            case "deals":
                run.add(deals_section(game, person))
            case "proof":
                run.add(*sending.proof(game, run.own, person))
            case "rules":
                run.add(*sending.rules(game))
            case "scenario":
                run.add(*sending.scenario(game, run.own))
        run.done.append(about.upper())


def _orders_sections(run: Execution) -> list[Section]:
    if not run.seats:
        return [Section("Your orders", ["You play no nation in this game."])]
    if run.phase is None:
        why = f"“{run.sender.game.title}” has not begun: you have not sent orders yet."
        return [Section("Your orders", [why])]
    played_out = _played_out(run.phase)
    return [
        reports.answers(run.sender.game).orders_section(seat, run.phase, run.sender.person)
        if seat.referee
        else ordered.orders_section(seat, played_out, run.sender.person)
        for seat in present_seats(run)
    ]


def _played_out(phase: Phase) -> Phase:
    """Return the phase whose orders the gamesmaster of a refereed game plays out, else `phase`."""
    while phase.game.rules.referee.seats and (phase.awaited or phase.idle):
        if (previous := phase.previous) is None:
            break
        previous.game, phase = phase.game, previous
    return phase
