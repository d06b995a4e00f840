"""Letters about a game as a whole: the first one, and a deadline that moves."""

from __future__ import annotations

from typing import Any

from games.game_templates import template_of
from games.market.rolls import COMMIT_REVEAL, GM_DICE, source_of
from games.models import DeadlineChange, Seat, people
from games.press import rules as press_rules
from games.rules.names import all_of
from games.rules.options import of_game as options_of_game
from games.seats import pairs
from games.timing import schedule
from gamesmaster import links, text

from . import play, wording
from .common import provenance
from .context import Build, Context, Facts

#: What decides where no sales do.
OTHER_SOURCES = {
    GM_DICE: "The digit is the gamesmaster's own roll; no stock is named.",
    COMMIT_REVEAL: (
        "The digit comes from a secret seed. Its SHA-256 is published when a phase opens, the seed"
        " with the report; no stock is named."
    ),
}


def _begins(context: Context) -> Facts:
    """The first letter: who plays, the game in short, when, how to answer, every form of order,
    the table, and the reader's own objectives. SEND RULES and SEND SCENARIO send the rest."""
    game = context.game
    state, seats = context.event.state_after(None), context.seats
    meant = [
        option
        for option in options_of_game(game.rules)
        if option.ready and option.kind != "symbols" and option.id in game.options
    ]
    forms = game.rules.guide.forms(state) if seats else ()
    return {
        "own": all_of(
            [
                power
                for seat in seats
                for power in (seat.nation, *play.with_it(game, state, seat.nation))
            ]
        ),
        "players": [
            (
                seat.nation,
                play.in_hand(game, state, seat) or _player(seat, context),
            )
            for seat in game.seats.all()
            if not seat.referee
        ],
        "dealt": pairs.in_words(game),
        "gamesmasters": all_of(
            [name for name in map(people.who, game.gamesmasters.order_by("pk")) if name]
        ),
        "card_title": game.card.get("title", ""),
        "charts": _charts(context, state),
        "forms": forms,
        "widest": max((len(form) for form, _ in forms), default=0),
        "table": wording.of_table(game.rules.guide.table()) if forms else [],
        "meanings": wording.of_outcomes(game.rules.guide.table()) if forms else "",
        "notes": list(game.rules.guide.notes()) if forms else [],
        "changed": wording.unusual_options(meant, game.options),
        "lots": list(game.rules.guide.draws(state)),
        "refereed": game.rules.referee is not None,
        "secret_hash": game.secret_hash,
        "primer": template_of(game.ruleset_id, "mail/primer/*.txt"),
        "primer_html": template_of(game.ruleset_id, "mail/primer/*.html"),
        "voids": game.options.get("rng.no_stock") == "attack_void",
        "market": game.sales_in_words,
        "other_source": OTHER_SOURCES.get(source_of(game), ""),
        "calendar": schedule.in_words(game.schedule, game.zone),
        "early": game.may_lock_early,
        "approval_hours": game.approval_hours,
        "press": press_rules.in_words(game.press),
        "press_differs": press_rules.in_words(game.press) != press_rules.in_words({}),
        "rules_link": links.link("game-sheet", game.pk),
        **provenance(game),
    }


def _charts(context: Context, state: Any) -> list[tuple[str, list[str]]]:
    """The reader's own nations with what they get and score for."""
    guide, view = context.game.rules.guide, context.game.rules.view
    return [
        (seat.nation, list(dict(guide.charts(view(state, seat.nation))).get(seat.nation, ())))
        for seat in context.seats
    ]


def _player(seat: Seat, context: Context) -> str:
    if seat.bot:
        return "played by the service"
    if seat.by_table:
        return "drawn each turn"
    sitting = [
        one.person for one in seat.sittings.current().select_related("person").order_by("pk")
    ]
    # Who has left the seat meanwhile does not learn who has it now.
    named = context.knows_names or context.letter.person in sitting
    names = [(people.who(person) if named else "") or "a player" for person in sitting]
    return " and ".join(names) if names else "nobody yet"


def _moved(context: Context) -> Facts:
    change = DeadlineChange.objects.select_related("changed_by").get(pk=context.about["change"])
    game = context.game
    return {
        "old": context.in_words(change.old),
        "new": context.in_words(change.new),
        "due": context.in_short(change.new),
        "reason": text.one_line(change.reason),
        "by": (people.who(change.changed_by) or "the gamesmaster")
        if change.changed_by
        else "the service",
        "calendar": schedule.in_words(game.schedule, game.zone),
        "orders_links": [
            (seat.nation, links.link("orders", game.pk, seat.pk))
            for seat in context.ordering(context.phase)
        ],
    }


BUILDERS: dict[str, Build] = {"begins": _begins, "moved": _moved}
