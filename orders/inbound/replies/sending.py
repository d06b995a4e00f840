"""Send on request what letters leave out: the proof of a closed phase, rules, scenario."""

from __future__ import annotations

from games import permissions, positions
from games.game_templates import template_of
from games.letters import proofs
from games.letters.common import provenance
from games.letters.environment import fill_in
from games.models import Game, Person, Seat
from games.rules import wording
from games.rules.options import game_options as options_of_game
from games.seats import press_rules

from .orders import time_for
from .outcome import Section


def proof(game: Game, seats: list[Seat], person: Person) -> list[Section]:
    """Return the answer to PROOF: how to check the last closed phase's digest and own orders."""
    closed = game.phases.not_undone().exclude(digest="").order_by("-number").first()
    if closed is None:
        return [Section("The proof", ["Nothing has been closed yet."])]
    closed.game = game
    own_nations = [seat.nation for seat in seats]
    nations = {*own_nations, *permissions.controlled_nations(own_nations, closed)}
    return [
        Section(part.heading, list(part.sentences), list(part.kept), after=list(part.after))
        for part in proofs.parts(closed, nations, lambda instant: time_for(instant, person))
    ]


def rules(game: Game) -> list[Section]:
    """Return the answer to SEND RULES: the game in short, its letters, and all options."""
    start = game.load(positions.start_position(game))
    turns = {"turns": game.rules.turns(start)}
    primer = fill_in(template_of(game.ruleset_id, "mail/primer/*.txt"), turns)
    shown_options = [
        option
        for option in options_of_game(game.rules)
        if option.ready and option.kind != "symbols" and option.id in game.options
    ]
    rows = wording.option_rows(shown_options, game.options)
    changed = [f"{text} Here: {value}." for text, value, unusual in rows if unusual]
    usual = [f"{text} Here: {value}." for text, value, unusual in rows if not unusual]
    draws = game.rules.guide.lots(start)
    return [
        Section("The game", [part.strip() for part in primer.split("\n\n") if part.strip()]),
        Section("Letters between nations", press_rules.describe_rules(game)),
        *([Section("Draws in this game", points=list(draws))] if draws else []),
        *([Section("House rules", points=changed)] if changed else []),
        Section("Rules as usual", points=usual),
        Section("Reserve list, from the top", [", ".join(game.reserves)]),
    ]


def scenario(game: Game, seats: list[Seat]) -> list[Section]:
    """Return the answer to SEND SCENARIO: what every nation gets and scores for.

    Only what the reader may know.
    """
    state = game.load(positions.start_position(game))
    charts = dict(game.rules.guide.charts(game.rules.view(state, None)))
    for seat in seats:
        own_charts = dict(game.rules.guide.charts(game.rules.view(state, seat.nation)))
        charts[seat.nation] = own_charts.get(seat.nation, charts.get(seat.nation, ()))
    source = provenance(game)
    note = [f"Not the printed numbers: {source['card_note']}"] if source["provenance"] else []
    return [
        Section(f"The scenario “{game.card.get('title', '')}”", note),
        *(Section(nation, points=list(lines)) for nation, lines in charts.items()),
    ]
