"""Letters of a refereed game to whoever runs it: a sheet is due, one has come, one is still waited
for (docs/refereed.md).

What the gamesmaster reads is asked of the ruleset (`referee_table`), in his own view of the
position. A sheet is prepared in the letter, every line of it as done: who has nothing to add need
not write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from games.models import Game
from games.models.people import who
from games.outbox.messages import referee
from games.outbox.messages.markers import MARKER_OF_REPORTS, REPORT_BEGINS, REPORT_ENDS
from games.rules import REFEREE_SEAT, PhaseId, RulesError
from games.rules.contract import referee_of
from games.rules.verification import entries
from games.timing import local_time
from gamesmaster import links, text
from orders.models import Submission

from . import headers, story
from .context import Build, Context, Facts
from .names import CHANNELS

#: What of a result is told when a game is over, and nobody before.
OPENED = ("column", "score")


def referee_view(game: Game, state: Any) -> Any:
    """The position as the gamesmaster may see it: every order, and no sealed column."""
    return game.rules.view(state, REFEREE_SEAT)


@dataclass(frozen=True)
class Foreseen:
    """What a sheet would come to: what everybody would be told, what it leaves to be thrown for,
    and what comes after it."""

    told: tuple[str, ...]
    owed: tuple[str, ...]
    follows: str


def foresee(game: Game, state: Any, text: str) -> Foreseen:
    """What a sheet would come to if it were carried out now. `state` is that in which its phase is
    played."""
    rules = game.rules
    mine, before = referee_view(game, state), rules.phase(state)
    try:
        judged = rules.resolve(mine, {REFEREE_SEAT: text}, {}, ())
    except RulesError:
        return Foreseen((), (), "")
    after = rules.phase(judged.state)
    told = tuple(
        one.sentence for one in story.tell([e for e in judged.events if e["kind"] not in OPENED])
    )
    return Foreseen(told, referee_of(rules).owed(judged.state), _follows(game, before, after))


def _follows(game: Game, before: PhaseId | None, after: PhaseId | None) -> str:
    if after is None:
        return "It ends the game: columns are shown and points are counted."
    following = game.rules.facts(after, game.options)
    if (
        before is not None
        and following.sheeted
        and following.awaited == game.rules.facts(before, game.options).awaited
    ):
        return "It has no END, so you are asked for another report."
    if following.idle:
        return (
            "Then dice are thrown. Nobody sends orders; you are asked for your next report after"
            " them."
        )
    if following.sheeted:
        return f"Then your next report is due: {following.title}."
    return f"The next phase is {following.title}."


def tables_of(game: Game, state: Any) -> list[Any]:
    """Return the table of each Player-Turn that the report due may tell of, in their order; none in
    a phase that waits for no report."""
    referee_rules, text = referee_of(game.rules), ""
    found: list[Any] = []
    table = referee_rules.table(state)
    while table is not None and (not found or table.powers != found[-1].powers):
        found.append(table)
        if not table.following:
            break
        # Whatever the gamesmaster will rule of this Player-Turn, the next one has its own lines.
        done = [line.removeprefix("# ") for line in _lines_of(table)]
        text = "\n".join([text, *done, "NEXT"])
        table = referee_rules.table(state, text)
    return found


def prepare_sheet(tables: Sequence[Any]) -> list[str]:
    """Return a report that lets everything be done, ready to be edited, NEXT between Player-Turns.
    A line that only a person can judge is left to them."""
    found = _lines_of(tables[0])
    for table in tables[1:]:
        found += ["NEXT", *_lines_of(table)]
    return [*found, "END"]


def _lines_of(table: Any) -> list[str]:
    found = []
    for line in table.lines:
        if line.ruling:
            continue
        rules = f"LINE {line.power} {line.line}"
        if line.met is False:
            found.append(f"{rules} VOID: its condition was not met")
        elif line.met is None and line.condition:
            found.append(f"# {rules} DONE")
        else:
            found.append(f"{rules} DONE")
    if not table.powers:  # the count: forces as they were told last, to be put right
        found += [
            f"FORCES {row.name} {power} {sp} SUPPLIED {supplied}"
            for row in table.countries
            for power, sp, supplied in row.forces
        ]
        found += [f"# HEXES {power} 40 HOSTILE 0" for power in table.nations]
    return found


def of_tables(tables: Sequence[Any]) -> Facts:
    """What a sheet is made from: lines in printed sequence with what is known of each, countries
    with forces, the ledger."""
    table = tables[0]
    return {
        "heading": table.title,
        "turns": [_of_power(one, power) for one in tables for power in one.powers],
        "several": len(tables) > 1,
        "countries": [_country(row) for row in table.countries if row.forces or row.hostile],
        "ledger": [(heading, list(said)) for heading, said in table.ledger],
        "prepared": prepare_sheet(tables),
        "forms": [
            (form.example, form.says) for form in (table.ruling, *table.forms) if form.example
        ],
        "left": sum(1 for one in tables for line in one.lines if not line.ruling),
        "counts": not table.powers,
    }


def _of_power(table: Any, power: str) -> Facts:
    lines = [
        {
            "number": line.line,
            "text": text.one_line(line.text),
            "ruling": line.ruling,
            "facts": [text.one_line(said) for said in (*line.facts, *_condition(line))],
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
    """ "Poland: Germany 5 SP (4 in supply), France 1 SP. Nobody controls Poland. Germany: ... " """
    here = [
        f"{power} {sp} SP" + (f" ({supplied} in supply)" if supplied != sp else "")
        for power, sp, supplied in row.forces
    ]
    said = [f"{row.name}: {', '.join(here) or 'no forces told'}.", row.control.why]
    present = {power for power, _, _ in row.forces}
    if not row.control.controller:
        said += [
            f"{power}: {' '.join(lacking)}"
            for power, lacking in row.control.missing.items()
            if power in present
        ]
    return " ".join(text.one_line(words) for words in said)


def _due(context: Context) -> Facts:
    game, phase = context.game, context.phase
    state = referee_view(game, context.event.state_after(context.about["position"]))
    standing = game.rules.standing(state)
    return {
        **of_tables(tables_of(game, state)),
        **_answered(context),
        "awaited": phase.awaited,
        "scores": sorted(standing.scores.items(), key=lambda entry: -entry[1]),
        "standing_remark": standing.remark,
        "hours": game.sheet_hours,
        "link": links.link("referee", game.pk),
    }


def _answered(context: Context) -> Facts:
    """Whether the reader may answer with a sheet, the line above which he writes it, and the fences
    round the one that is prepared."""
    by_mail = (
        headers.answerable(context.letter)
        and context.letter.person is not None
        and not context.letter.person.by_post
    )
    return {
        "marker": MARKER_OF_REPORTS if by_mail else "",
        "sheet_by_mail": by_mail,
        "begins": REPORT_BEGINS,
        "ends": REPORT_ENDS,
    }


def _waits(context: Context) -> Facts:
    game, phase = context.game, context.phase
    state = referee_view(game, context.event.state_after(context.about["position"]))
    return {
        **of_tables(tables_of(game, state)),
        **_answered(context),
        "awaited": phase.awaited,
        "since": context.in_words(local_time.parse(context.about["since"])),
        "days": game.sheet_days,
        "link": links.link("referee", game.pk),
    }


def _sheet(context: Context) -> Facts:
    game = context.game
    submission = Submission.objects.select_related("person").get(pk=context.about["submission"])
    state = context.event.state_after(context.about["position"])
    told = foresee(game, state, submission.text) if submission.counts else Foreseen((), (), "")
    errors = [one["message"] for one in submission.remarks if one["severity"] == "error"]
    noted = [one["message"] for one in submission.remarks if one["severity"] != "error"]
    return {
        **_answered(context),
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
        "received": context.in_words(submission.received_at),
        "counts": submission.counts,
        "late": submission.late,
        "taken": [text.one_line(words) for _, words in submission.understood],
        "refused": [text.one_line(words) for words in errors],
        "remarks": [text.one_line(words) for words in noted],
        "told": [text.one_line(words) for words in told.told],
        "owed": list(told.owed),
        "follows": told.follows,
        "final": submission.final or not game.sheet_hours,
        "due": (
            context.in_words(local_time.parse(context.about["due"])) if context.about["due"] else ""
        ),
        "link": links.link("referee", game.pk),
        "sent_hashes": [entries.submission_line(game.pk, submission.hash)],
    }


BUILDERS: dict[str, Build] = {
    referee.DUE: _due,
    referee.WAITS: _waits,
    referee.SHEET: _sheet,
}
