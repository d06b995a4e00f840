"""Build the context of letters about a whole game: its first letter, and a moved deadline."""

from __future__ import annotations

from typing import Any

from games.base import links
from games.game_templates import template_of
from games.letters import play, proofs
from games.market.rolls import COMMIT_REVEAL, GM_DICE, sales_decide
from games.models import DeadlineChange, Game, Seat, people
from games.outbox.messages import game_letters
from games.rules import wording
from games.rules.names import all_of
from games.rules.options import OPTIONS, game_options
from games.seats import pairs, press_rules
from games.timing import schedule

from .common import act_reason, options_for_templates, provenance, with_it
from .context import Context, Facts, builds

#: Options without meaning where no sales decide, and the source itself, which a sentence names.
OF_SALES = frozenset(name for name in OPTIONS if name.startswith("rng.") and name != "rng.d6")
#: Options that the letter states in a sentence anyway.
SAID = frozenset({"ow2.blind"})
#: What decides instead of sales.
OTHER_SOURCES = {
    GM_DICE: "The digit is the gamesmaster's own roll; no stock is named.",
    COMMIT_REVEAL: (
        "The digit comes from a secret seed. Its SHA-256 is published when a phase opens, the seed"
        " with the report; no stock is named."
    ),
}


@builds(game_letters.BEGINS)
def _begins(context: Context) -> Facts:
    """Return the context of the first letter: the players, the game in brief, its schedule, how to
    reply, every form of order, the table, and the reader's own objectives. SEND RULES and SEND
    SCENARIO send the rest.
    """
    game = context.game
    state, seats = context.event.state_after(None), context.seats
    card_title = game.card.get("title", "")
    meant = [
        option
        for option in game_options(game.rules)
        if option.ready
        and option.kind != "symbols"
        and option.id in game.options
        and option.id not in SAID
        and (sales_decide(game) or option.id not in OF_SALES)
    ]
    helped = bool(seats) and not game.rules.referee.seats
    return {
        "own": all_of(
            [
                power
                for seat in seats
                for power in (seat.nation, *play.other_powers(game, state, seat.nation))
            ]
        ),
        "players": [
            (
                seat.nation,
                play.holder_words(game, state, seat) or _player(seat, context),
            )
            for seat in context.event.seats
            if not seat.referee and not seat.bot
        ],
        "service": all_of([seat.nation for seat in context.event.seats if seat.bot]),
        "dealt": pairs.describe_lots(game),
        "gamesmasters": all_of(
            [name for name in map(people.who, game.gamesmasters.order_by("pk")) if name]
        ),
        "card_title": card_title,
        "scenario": "" if card_title.startswith(game.rules.title) else card_title,
        "charts": _charts(context, state),
        "forms": game.order_help if helped else (),
        "form_lines": wording.form_lines(game.order_help) if helped else [],
        "table": wording.table_lines(game.rules.guide.table()) if helped else [],
        "meanings": wording.outcomes_line(game.rules.guide.table()) if helped else "",
        "notes": list(game.rules.guide.notes(game.options)) if helped else [],
        "changed": wording.unusual_options(meant, game.options),
        "die": proofs.die_in_words(context.game),
        "lots": list(game.rules.guide.draws(state)),
        "reports": bool(game.rules.referee.seats),
        "secret_hash": game.secret_hash,
        "primer": template_of(game.ruleset_id, "mail/primer/*.txt"),
        "options": options_for_templates(game),
        "turns": game.rules.turns(state),
        "primer_html": template_of(game.ruleset_id, "mail/primer/*.html"),
        "voids": game.options.get("rng.no_stock") == "attack_void",
        "market": game.sales_in_words,
        "other_source": OTHER_SOURCES.get(game.digit_source, ""),
        "calendar": schedule.in_words(game.schedule, game.zone),
        "run": game.describe_settings(lambda setting: not setting.id.startswith("press.")),
        "press": press_rules.describe_rules(game),
        "press_differs": press_rules.describe_rules(game) != press_rules.describe_rules(Game()),
        "rules_link": links.link("game-scenario", game.pk),
        **provenance(game),
    }


def _charts(context: Context, state: Any) -> list[tuple[str, list[str]]]:
    """Return the reader's own nations with their allocations and objectives."""
    guide, view = context.game.rules.guide, context.game.rules.view
    return [
        (seat.nation, list(dict(guide.charts(view(state, seat.nation))).get(seat.nation, ())))
        for seat in context.seats
    ]


def _player(seat: Seat, context: Context) -> str:
    if seat.by_table:
        return "drawn each turn"
    sitting = context.event.batch.players.get(seat.pk, [])
    # A reader who has left the seat meanwhile must not learn who has it now.
    may_name = context.knows_names or context.letter.person in sitting
    names = [(people.who(person) if may_name else "") or "a player" for person in sitting]
    return all_of(names) if names else "nobody yet"


@builds(game_letters.MOVED)
def _deadline_change_facts(context: Context) -> Facts:
    change = DeadlineChange.objects.select_related("changed_by").get(pk=context.about["change"])
    game = context.game
    return {
        "with_it": with_it(context),
        "old": context.describe_instant(change.old),
        "new": context.describe_instant(change.new),
        "due": context.short_instant(change.new),
        "reason": act_reason(context, change),
        "by": (people.who(change.changed_by) or "the gamesmaster")
        if change.changed_by
        else "the service",
        "calendar": schedule.in_words(game.schedule, game.zone),
        "orders_links": [
            (seat.nation, links.link("orders", game.pk, seat.pk))
            for seat in context.ordering(context.phase)
        ],
    }
