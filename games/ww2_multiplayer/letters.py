"""Build the context of letters to the gamesmaster of a refereed game: a referee report is due, one
was received, or one is still missing (docs/refereed.md).

The content comes from the ruleset (`referee.table`), in the gamesmaster's view of the position. The
letter contains a prepared report with every line marked as done, so that a gamesmaster with nothing
to add need not write one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from games.base import links, text
from games.base.markers import MARKER_OF_REPORTS, REPORT_BEGINS, REPORT_ENDS
from games.letters import headers, story
from games.letters.context import Context, Facts, builds
from games.letters.orders import CHANNELS
from games.models import Game, Phase
from games.models.people import who
from games.outbox.messages import report_letters
from games.rules import REFEREE_SEAT, PhaseId, RulesError
from games.rules.verification import entries
from games.timing import local_time
from orders.models import Submission

from .rules import flow

#: Kinds of events that are shown only when a game is over.
OPENED = ("column", "score")


def referee_view(game: Game, state: Any) -> Any:
    """Return the gamesmaster's view of the position: every order, but no sealed column."""
    return game.rules.view(state, REFEREE_SEAT)


@dataclass(frozen=True)
class ReportPreview:
    """The effect of a referee report: the events everybody would read (`told`), the dice still to
    be thrown (`owed`), and what follows."""

    told: tuple[str, ...]
    owed: tuple[str, ...]
    follows: str


def foresee(game: Game, state: Any, text: str) -> ReportPreview:
    """Return the effect that a referee report would have now. `state` is the position that its
    phase starts from."""
    rules = game.rules
    view, before = referee_view(game, state), rules.phase(state)
    try:
        judged = rules.resolve(view, {REFEREE_SEAT: text}, {}, ())
    except RulesError:
        return ReportPreview((), (), "")
    sentences = tuple(
        story_event.sentence
        for story_event in story.tell([e for e in judged.events if e["kind"] not in OPENED])
    )
    return ReportPreview(
        sentences, rules.referee.pending_dice(judged.state), _follows(game, before, judged.state)
    )


def _follows(game: Game, before: PhaseId | None, state: Any) -> str:
    """Return what comes after a report. `before` is its phase, `state` the one after it."""
    after = flow.phase(state)
    if after is None:
        return "It ends the game: columns are shown and points are counted."
    following = game.rules.facts(after, game.options)
    if (
        before is not None
        and following.awaited
        and following.awaited == game.rules.facts(before, game.options).awaited
    ):
        return "It has no END, so you are asked for another report."
    if following.idle:
        thrown, _ = flow.state_after_dice(replace(state, owed=()))
        return f"Then dice are thrown, and nobody sends orders. {_follows(game, None, thrown)}"
    if following.awaited:
        return f"Then your next report is due: {following.title}."
    return f"The next phase is {following.title}."


def tables_of(game: Game, state: Any) -> list[Any]:
    """Return the table of each Player-Turn that the due report may cover, in order; an empty list
    in a phase that waits for no report."""
    referee_rules, text = game.rules.referee, ""
    tables: list[Any] = []
    table = referee_rules.table(state)
    while table is not None and (not tables or table.powers != tables[-1].powers):
        tables.append(table)
        if not table.following:
            break
        # The lines of the next Player-Turn do not depend on the rulings in this one.
        done = [line.removeprefix("# ") for line in _lines_of(table)]
        text = "\n".join([text, *done, "NEXT"])
        table = referee_rules.table(state, text)
    return tables


def prepare_report(tables: Sequence[Any]) -> list[str]:
    """Return a report to edit, with every line marked as done and NEXT between Player-Turns. Lines
    that only a person can judge are commented out."""
    lines = _lines_of(tables[0])
    for table in tables[1:]:
        lines += ["NEXT", *_lines_of(table)]
    return [*lines, "END"]


def _lines_of(table: Any) -> list[str]:
    lines = []
    for line in table.lines:
        if line.ruling:
            continue
        label = f"LINE {line.power} {line.line}"
        if line.met is False:
            lines.append(f"{label} VOID: its condition was not met")
        elif line.undecided:
            lines.append(f"# {label} DONE")
        else:
            lines.append(f"{label} DONE")
    if not table.powers:  # the count: forces as last reported, to be corrected
        lines += [
            f"FORCES {row.name} {power} {sp} SUPPLIED {supplied}"
            for row in table.countries
            for power, sp, supplied in row.forces
        ]
        lines += [f"# HEXES {power} 40 HOSTILE 0" for power in table.nations]
    return lines


def report_form_facts(tables: Sequence[Any]) -> Facts:
    """Return the context for writing a report: order lines in printed sequence with their facts,
    countries with forces, and the ledger."""
    table = tables[0]
    return {
        "heading": table.title,
        "turns": [
            _power_facts(turn_table, power) for turn_table in tables for power in turn_table.powers
        ],
        "several": len(tables) > 1,
        "countries": [_country(row) for row in table.countries if row.forces or row.hostile],
        "ledger": [(heading, list(ledger_lines)) for heading, ledger_lines in table.ledger],
        "prepared": prepare_report(tables),
        "forms": [
            (form.example, form.says) for form in (table.ruling, *table.forms) if form.example
        ],
        "needed": _needed_forms(tables[-1]),
        "left": sum(1 for turn_table in tables for line in turn_table.lines if not line.ruling),
        "counts": not table.powers,
    }


def _needed_forms(table: Any) -> list[tuple[str, str]]:
    """Return the few lines that the report needs besides rulings; the page of lines has them all.

    `table` is that of the last Player-Turn that the report may cover.
    """
    last = any("RESOURCES" in section for section in table.checklist)
    on_the_map = ("INVASION", "FORCES", "RESOURCES") if last else ("INVASION", "FORCES")
    verbs = on_the_map if table.powers else ("FORCES", "HEXES", "CONTROLLER")
    return [(form.example, form.says) for form in table.forms if form.verb in verbs]


def _power_facts(table: Any, power: str) -> Facts:
    lines = [
        {
            "number": line.line,
            "text": text.one_line(line.text),
            "ruling": line.ruling,
            "facts": [text.one_line(fact) for fact in (*line.facts, *_condition(line))],
        }
        for line in table.lines
        if line.power == power
    ]
    return {"power": power, "lines": lines}


def _condition(line: Any) -> list[str]:
    if not line.condition:
        return []
    if line.met is None:
        return ["You judge whether its condition is met."]
    return ["Its condition is met." if line.met else "Its condition is not met."]


def _country(row: Any) -> str:
    """Return “Poland: Germany 5 SP (4 in supply), France 1 SP. Nobody controls Poland. …”."""
    forces = [
        f"{power} {sp} SP" + (f" ({supplied} in supply)" if supplied != sp else "")
        for power, sp, supplied in row.forces
    ]
    sentences = [f"{row.name}: {', '.join(forces) or 'no forces told'}.", row.control.why]
    present = {power for power, _, _ in row.forces}
    if not row.control.controller:
        sentences += [
            f"{power}: {' '.join(lacking)}"
            for power, lacking in row.control.missing.items()
            if power in present
        ]
    return " ".join(text.one_line(words) for words in sentences)


@builds(report_letters.DUE)
def _due(context: Context) -> Facts:
    game, phase = context.game, context.phase
    state = referee_view(game, context.event.state_after(context.about["position"]))
    standing = game.rules.standing(state)
    return {
        **_asked_facts(phase, state),
        **_reply_facts(context),
        "scores": sorted(standing.scores.items(), key=lambda entry: -entry[1]),
        "standing_remark": standing.remark,
        "hours": game.report_hours,
        "link": links.link("referee", game.pk),
        "lines_link": links.link("report-lines", game.pk),
    }


def _asked_facts(phase: Phase, state: Any) -> Facts:
    """Return the context for writing a report, with the name of all that it may cover."""
    tables = tables_of(phase.game, state)
    several = len(tables) > 1
    name = flow.title_of_turns(state, len(tables), closed=True) if several else phase.short_title
    return {**report_form_facts(tables), "phase_name": name}


def _reply_facts(context: Context) -> Facts:
    """Return whether the reader may reply with a report, the marker line above which they write it,
    and the lines around the prepared one."""
    by_mail = headers.answerable(context.letter)
    return {
        "marker": MARKER_OF_REPORTS if by_mail else "",
        "report_by_mail": by_mail,
        "begins": REPORT_BEGINS,
        "ends": REPORT_ENDS,
    }


@builds(report_letters.WAITS)
def _waiting_facts(context: Context) -> Facts:
    game, phase = context.game, context.phase
    state = referee_view(game, context.event.state_after(context.about["position"]))
    return {
        **_asked_facts(phase, state),
        **_reply_facts(context),
        "since": context.describe_instant(local_time.parse(context.about["since"])),
        "days": game.report_days,
        "link": links.link("referee", game.pk),
    }


@builds(report_letters.RECEIPT)
def _receipt(context: Context) -> Facts:
    game = context.game
    submission = Submission.objects.select_related("person").get(pk=context.about["submission"])
    state = context.event.state_after(context.about["position"])
    preview = (
        foresee(game, state, submission.text) if submission.counts else ReportPreview((), (), "")
    )
    errors = [remark["message"] for remark in submission.remarks if remark["severity"] == "error"]
    warnings = [remark["message"] for remark in submission.remarks if remark["severity"] != "error"]
    return {
        **_reply_facts(context),
        "number": submission.seat_number,
        "by": (
            "You"
            if submission.person_id == context.letter.person_id
            else who(submission.person) or "The gamesmaster"
        ),
        "channel": (
            {**CHANNELS, "web": "from the page"}.get(
                submission.channel, submission.get_channel_display()
            )
        ),
        "received": context.describe_instant(submission.received_at),
        "counts": submission.counts,
        "late": submission.late,
        "taken": [text.one_line(words) for _, words in submission.understood],
        "refused": [text.one_line(words) for words in errors],
        "remarks": [text.one_line(words) for words in warnings],
        "told": [text.one_line(words) for words in preview.told],
        "owed": list(preview.owed),
        "follows": preview.follows,
        "final": submission.final or not game.report_hours,
        "due": (
            context.describe_instant(local_time.parse(context.about["due"]))
            if context.about["due"]
            else ""
        ),
        "link": links.link("referee", game.pk),
        "sent_hashes": [entries.submission_line(game.pk, submission.hash)],
    }
