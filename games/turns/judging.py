"""Gather the inputs of a phase's judgment and store its result, for first versions and rulings.

A result is a pure function of the position before, the orders sent, the figures, the reserve list
and the rulings in force (`games.rules.rulings.judge`). A `Case` has all of these but the figures,
and needs no further query.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from games import market, positions
from games.models import Draw, Figure, Game, Phase, Resolution, Ruling
from games.positions import in_force
from games.rules import Standing, Volumes, rulings
from games.rules.digits import digits_in_events
from games.rules.plain import editions
from games.rules.rulings import JudgedPhase
from orders.models import Submission

Json = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """All inputs of a phase's judgment except the figures.

    `after_ruling`: the number of the game's newest ruling.
    """

    phase: Phase
    position: Json
    sent: Mapping[str, str]
    submissions: Mapping[int, rulings.RuledSubmission]
    rulings: tuple[rulings.Ruling, ...]
    after_ruling: int

    @cached_property
    def state(self) -> Any:
        """Return the ruleset's state in which the phase is played."""
        return self.phase.game.load(self.position)

    def judge(self, volumes: Volumes) -> JudgedPhase:
        """Judge the phase.

        Raise `market.Unsettled` for a figure that `volumes` does not have, `RulesError` if the
        rules cannot decide.
        """
        game = self.phase.game
        return rulings.judge(
            game.rules,
            game.card,
            game.options,
            self.position,
            self.sent,
            volumes,
            game.reserves,
            self.rulings,
            self.submissions,
            self.state,
        )

    def lacks_a_digit(self, judged: JudgedPhase) -> bool:
        """Return whether an attack or a draw failed only because no stock gave a digit.

        False if the rules do not wait for one.
        """
        return self.without_digit(judged) is not None

    def without_digit(self, judged: JudgedPhase) -> Mapping[str, Any] | None:
        """Return the first attack or draw for which `lacks_a_digit` is true."""
        options = rulings.ruled_options(self.phase.game.options, self.rulings)
        waits = options["rng.no_stock"] != "attack_void"
        for event in judged.resolution.events:
            if event["kind"] in ("ally_not_drawn", "chart_not_drawn"):
                return event
            if waits and event["kind"] == "void" and event["reason"] == "no_digit":
                return event
        return None


#: The columns of a ruling as the rules have it (`rulings.Ruling`).
RULING = ("number", "phase__number", "kind", "what", "words", "reason", "revokes__number")


def figures_of(phase: Phase) -> market.Figures:
    """Return the phase's settled figures; a lookup of any other raises `market.Unsettled`."""
    return market.Figures(dict(Figure.objects.filter(phase=phase).values_list("symbol", "volume")))


def ruling_for_rules(row: Ruling) -> rulings.Ruling:
    revokes = row.revokes.number if row.revokes else None
    return rulings.Ruling(
        row.number, row.phase.number, row.kind, row.what, row.words, row.reason, revokes
    )


def rulings_of(game: Game) -> list[rulings.Ruling]:
    """Return all rulings of a game, in order."""
    rows = game.rulings.order_by("number").values_list(*RULING)
    return [rulings.Ruling(*row) for row in rows]


def scores_after(game: Game, judged: JudgedPhase) -> Standing:
    """Return the scores after a phase; winners and closing remark only if the game is over."""
    rules, state = game.rules, judged.resolution.state
    standing = rules.standing(state)
    return standing if rules.phase(state) is None else Standing(standing.scores)


def store(
    case: Case,
    judged: JudgedPhase,
    settled: Iterable[Figure],
    now: datetime,
    *,
    version: int,
    ruling: Ruling,
) -> Resolution:
    """Write a version of the phase's result, and the digits of attacks that had none.

    `settled`: the figures of the phase.
    """
    resolution = resolution_row(case, judged, now, version=version, ruling=ruling)
    resolution.save()
    phase = case.phase
    # An earlier version's draws stay.
    drawn = set(Draw.objects.filter(phase=phase).values_list("nation", "line"))
    new_draws = draws(phase, resolution.events, settled, now)
    Draw.objects.bulk_create(draw for draw in new_draws if (draw.nation, draw.line) not in drawn)
    return resolution


def resolution_row(
    case: Case,
    judged: JudgedPhase,
    now: datetime,
    *,
    version: int = 1,
    ruling: Ruling | None = None,
) -> Resolution:
    """Return a version of the phase's result, not yet saved."""
    game, result = case.phase.game, judged.resolution
    standing = scores_after(game, judged)
    return Resolution(
        phase=case.phase,
        version=version,
        before=case.position,
        orders=dict(judged.orders),
        events=list(result.events),
        remarks={
            nation: [remark.as_json() for remark in remarks]
            for nation, remarks in result.remarks.items()
        },
        after=game.rules.dump(result.state),
        scores=dict(standing.scores),
        winners=list(standing.winners) if standing.winners is not None else None,
        closing=standing.remark,
        # Clocks differ and can be set back: never before the lock, which is never before the
        # orders.
        resolved_at=max(now, case.phase.locked_at or now),
        ruling=ruling,
        after_ruling=case.after_ruling,
    )


def draws(
    phase: Phase, events: Iterable[Json], settled: Iterable[Figure], now: datetime
) -> list[Draw]:
    """Return the digit of each attack and die, not yet saved; a ruled figure is no draw.

    `settled`: the figures of the phase.
    """
    figures = {figure.symbol: figure for figure in settled}
    return [
        Draw(
            phase=phase,
            nation=event["nation"],
            line=event["line"],
            area=event["area"],
            figure=figures[event["stock"]],
            digit=event["digit"],
            drawn_at=now,
        )
        for event in digits_in_events(events)
        if event["stock"] in figures and figures[event["stock"]].volume == event["volume"]
    ]


def case_of(phase: Phase) -> Case:
    """Return the current inputs of a phase's judgment: position, orders and rulings in force."""
    newest = Game.objects.values_list("last_ruling", flat=True).get(pk=phase.game_id)
    known = rulings_of(phase.game) if newest else []
    return Case(
        phase=phase,
        position=positions.position_before(phase),
        sent=in_force.texts_in_force(phase),
        submissions=ruled_submissions([phase] if known else []).get(phase.pk, {}),
        rulings=rulings.rulings_on(known, phase.number),
        after_ruling=newest,
    )


def ruled_submissions(
    phases: Iterable[Phase],
) -> dict[int, dict[int, rulings.RuledSubmission]]:
    """Return every submission of the phases by its number, including late and superseded ones.

    A ruling may put any of them in force.
    """
    options = {phase.pk: phase.game.options for phase in phases}
    by_phase: dict[int, dict[int, rulings.RuledSubmission]] = {}
    rows = Submission.objects.filter(phase__in=options).values_list(
        "phase", "number", "seat__nation", "text", "edition", "understood"
    )
    for phase, number, nation, text, edition, understood in rows:
        before = editions.understood_before(options[phase], nation, edition, understood)
        submission = rulings.RuledSubmission(nation, editions.judged_text(text, before))
        by_phase.setdefault(phase, {})[number] = submission
    return by_phase


def judge_now(phase: Phase) -> JudgedPhase:
    """Judge a phase by its settled figures and current rulings, without writing.

    Raise `market.Unsettled` if a figure is missing, `RulesError` if the rules cannot decide.
    """
    return case_of(phase).judge(figures_of(phase))
