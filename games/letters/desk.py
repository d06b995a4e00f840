"""Build the context of letters about acts at the desk: pauses, schedules, seats, gamesmasters, and
the game so far for a newcomer.

Each letter is based on an `Act`, whose sentence names nations, never persons. People who play a
nation now are mentioned by name, never by address.
"""

from __future__ import annotations

from games import permissions
from games.base import links, text
from games.game_templates import template_of
from games.letters import story
from games.models import Act, Game, Motion, Person, Resolution, Standby, people
from games.outbox.messages import desk_letters
from games.rules import wording
from games.rules.names import count_of
from games.rules.vote_kinds import KINDS
from games.seats.teams import decides_by_vote
from games.timing import schedule
from orders.models import Submission

from .common import (
    act_in_words,
    act_reason,
    board_for,
    board_of,
    deadline_of,
    options_for_templates,
    with_it,
)
from .context import Context, Facts, builds

#: For letters to a person who cannot send orders yet.
NOT_ANSWERED: Facts = {"marker": "", "order_by_mail": False}


@builds(desk_letters.RESUMED, desk_letters.RESCHEDULED, desk_letters.CHANGE)
def _act(context: Context) -> Facts:
    act = Act.objects.select_related("done_by", "seat").get(pk=context.about["act"])
    game = context.game
    return {
        **deadline_of(context),
        "words": act_in_words(context, act),
        "headline": act_in_words(context, act).partition(". ")[0],
        "reason": act_reason(context, act),
        "with_it": with_it(context),
        "by": _doer(context, act),
        "nation": act.seat.nation if act.seat else "",
        # Before the game there are none, and in a team that votes they change with its members.
        "orders_stay": game.started_at is not None
        and game.started_at <= act.done_at
        and not (act.seat is not None and act.seat.team and decides_by_vote(game)),
        "orders_links": [
            (seat.nation, links.link("orders", game.pk, seat.pk)) for seat in context.seats
        ],
        "open_phase": context.open_phase,
        "is_vote": act.kind == "vote",
        "vote": _wanted_vote(context, act),
        "votes_link": links.link("votes", game.pk),
    }


def _wanted_vote(context: Context, act: Act) -> str:
    """Return the line by which the reader agrees to a vote that is open; "" if there is none, or
    none of their nations can add to it."""
    motion = Motion.objects.filter(
        pk=act.about.get("motion"), game=act.game_id, passed_at=None, closed_at=None
    ).first()
    if motion is None or all(
        seat.nation in (*motion.nations, motion.nation) for seat in context.seats
    ):
        return ""
    return f"VOTE {KINDS[motion.kind].command.format(nation=motion.nation)}"


def _doer(context: Context, act: Act) -> str:
    """Return who did an act, as far as the reader may know."""
    if act.done_by is None:
        return "the service"
    if permissions.sees_doer(act, context.game, names=context.knows_names):
        return people.who(act.done_by) or "the gamesmaster"
    return f"the player of {act.seat.nation}" if act.seat else "a player"


@builds(desk_letters.ABANDONED)
def _abandonment_facts(context: Context) -> Facts:
    """Return the context for a game that ends early; no phase has a deadline then."""
    ending = context.game.ending.partition(". ")[0].rstrip(".")
    return {
        **_act(context),
        "open_phase": "",
        "ending": ending or "The game ends without a result",
    }


@builds(desk_letters.LEFT)
def _departure_facts(context: Context) -> Facts:
    """Return the context for a player who has left a seat. One without another seat is not asked
    for orders."""
    return {**_act(context), **({} if context.seats else {**NOT_ANSWERED, "open_phase": ""})}


@builds(desk_letters.PAUSED)
def _pause_facts(context: Context) -> Facts:
    seconds_left = context.about["left"]
    runs = (context.game.pk, context.letter.person_id) in context.batch.run
    return {
        **_act(context),
        "resume_link": f"{links.link('desk-times', context.game.pk)}#resume" if runs else "",
        "left": span(seconds_left) if seconds_left is not None else "",
        "open": seconds_left is not None,
    }


def span(seconds: float) -> str:
    """Return a length of time, such as “3 days and 4 hours” or “25 minutes”, in its 2 largest
    units: exact enough to plan a week."""
    minutes = max(0, int(seconds // 60))
    parts = [(minutes // 1440, "day"), (minutes % 1440 // 60, "hour"), (minutes % 60, "minute")]
    amounts = [count_of(number, unit) for number, unit in parts if number]
    return " and ".join(amounts[:2]) or "less than a minute"


@builds(desk_letters.SEAT)
def _seat(context: Context) -> Facts:
    newcomer = (
        Person.objects.filter(pk=context.about["newcomer"]).first()
        if context.about["newcomer"]
        else None
    )
    joins = Act.objects.get(pk=context.about["act"]).kind in ("joined", "class-moved")
    return {
        **_act(context),
        "newcomer": people.who(newcomer) if context.knows_names else "",
        "anonymous": not context.knows_names,
        "taken": newcomer is not None,
        "joins": joins,
    }


@builds(desk_letters.SPOKESMAN)
def _spokesman(context: Context) -> Facts:
    """Return the new spokesman of the reader's team, and whether that is the reader."""
    chosen = Person.objects.get(pk=Act.objects.get(pk=context.about["act"]).about["person"])
    return {
        **_act(context),
        "spokesman": people.who(chosen) or "A member of your team",
        "mine": chosen.pk == context.letter.person_id,
    }


@builds(desk_letters.HANDED)
def _handover_facts(context: Context) -> Facts:
    person = (
        Person.objects.filter(pk=context.about["person"]).first()
        if context.about["person"]
        else None
    )
    return {
        **_act(context),
        "yours": person is not None and context.letter.person_id == person.pk,
        "whom": people.who(person),
        "desk_link": links.link("desk", context.game.pk),
    }


@builds(desk_letters.VACANT)
def _vacant(context: Context) -> Facts:
    """Return the context, with what became of orders that came and did not count: such a player is
    not away."""
    act = Act.objects.get(pk=context.about["act"])
    sent = Submission.objects.filter(phase=act.phase_id, seat=act.seat_id).order_by("number")
    return {
        **_act(context),
        "sent": [f"No. {row.seat_number}, {row.outcome}" for row in sent],
        "missed": act.about["missed"],
        "people_link": links.link("desk-people", context.game.pk),
    }


@builds(desk_letters.ASKS)
def _asks(context: Context) -> Facts:
    standby = Standby.objects.select_related("person").get(pk=context.about["standby"])
    return {
        "whom": people.who(standby.person) or "Somebody",
        "note": text.one_line(standby.note),
        "address": standby.person.email,
        "people_link": links.link("desk-people", context.game.pk),
    }


@builds(desk_letters.SEATS)
def _free_seats(context: Context) -> Facts:
    """Return the context about a game with free seats, for a person who wants to hear of such
    games."""
    game = context.game
    return {
        "kind": game.rules.title,
        "card": game.card["title"],
        "pace": schedule.in_words(game.schedule, game.zone),
        "free": context.about["free"],
        "at_once": game.joining == Game.Joining.OPEN,
        "list_link": links.link("standby"),
        **NOT_ANSWERED,
    }


@builds(desk_letters.NEWCOMER)
def _newcomer(context: Context) -> Facts:
    game, seats, phase = context.game, context.seats, context.letter.phase
    state = context.event.state_after(context.about["resolution"])
    standing = (
        game.rules.standing(game.rules.view(state, None)) if context.about["resolution"] else None
    )
    charts = dict(game.rules.guide.charts(game.rules.view(state, seats[0].nation)))
    return {
        **board_of(context.event, board_for(game, state, seats), "The board now", phase),
        **deadline_of(context),
        "nation": seats[0].nation,
        "begun": game.status != Game.Status.FORMING,
        "awaited": phase.awaited if phase is not None else "",
        "own_chart": list(charts.get(seats[0].nation, ())),
        "scores": wording.rank(standing.scores) if standing else [],
        "sums": wording.alliance_sentences(standing) if standing else [],
        "past": _phase_history(game, context.about["resolution"]),
        "open_phase": context.open_phase,
        "orders_links": [(seat.nation, links.link("orders", game.pk, seat.pk)) for seat in seats],
        "primer": template_of(game.ruleset_id, "mail/primer/*.txt"),
        "options": options_for_templates(game),
        "turns": game.rules.turns(state),
        "primer_html": template_of(game.ruleset_id, "mail/primer/*.html"),
        **({} if phase is not None else NOT_ANSWERED),
    }


def _phase_history(game: Game, newest: int | None) -> list[tuple[str, str, list[str]]]:
    """Return each phase up to a resolution: its title, the link to its report, and its events in
    words, except those that the board shows."""
    last = Resolution.objects.select_related("phase").get(pk=newest).phase if newest else None
    past: list[tuple[str, str, list[str]]] = []
    while last is not None:
        last.game = game
        resolution = last.resolutions.order_by("-version").first()
        events = (
            [
                event
                for event in resolution.events
                if event["kind"] not in desk_letters.TOLD_BY_THE_BOARD
            ]
            if resolution
            else []
        )
        if sentences := [story_event.sentence for story_event in story.tell(events)]:
            title = resolution.title if resolution else last.title
            past.append((title, links.link("phase", game.pk, last.number), sentences))
        last = last.previous
    return past[::-1]
