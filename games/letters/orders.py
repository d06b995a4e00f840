"""Build the context of letters about orders: requests, reminders, receipts, doubtful stocks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from games.base import links
from games.market import listings
from games.models import Letter, Listing, Phase, Seat, people
from games.outbox.messages import game_letters
from games.positions import in_force
from games.rules.names import all_of
from games.rules.verification import entries
from games.seats.teams import decides_by_vote
from games.timing import local_time
from orders.intake import ledger
from orders.models import Submission

from . import in_doubt, play, silence, teams
from .common import board_for, board_of, deadline_of, remarks_in_words
from .context import Context, Facts, builds, outdated

#: How orders arrived, to follow "They came".
CHANNELS = {
    "web": "from the order page",
    "mail": "by mail",
    "telephone": "by telephone",
    "paper": "on paper",
    "program": "from the service",
    "ahead": "from the orders that you sent ahead",
    "api": "from a program",
    "doubt": "as orders in doubt",
}


@builds(game_letters.OPENED)
def _opening_facts(context: Context) -> Facts:
    game, phase, seats = context.game, context.phase, context.seats
    state = context.event.state_after(context.about["position"])
    return {
        **board_of(
            context.event, board_for(game, state, seats), "The board as orders begin", phase
        ),
        **deadline_of(context),
        "asked": requests_of(context, phase, context.about["position"]),
    }


def requests_of(context: Context, phase: Phase, position: int | None) -> Facts:
    """Return what the reader is asked to send in a phase: for each nation example orders and the
    consequences of sending nothing. `position`: the resolution after which the phase is played."""
    game, event = context.game, context.event
    acting, state = event.asked_after(position), event.state_after(position)
    own_nations = _own(context, state, context.ordering(phase), acting, phase)
    name = phase.short_title
    whose = "your team’s" if any(seat["team"] for seat in own_nations) else "your"
    return {
        "phase_title": phase.title,
        "phase_name": name,
        # avoids “Turn 1 orders: your orders by …”
        "due_by": "due by" if name.endswith("orders") else f"{whose} orders by",
        "heading": name.removesuffix(" orders"),
        "own": own_nations,
        "acts": any(seat["acts"] for seat in own_nations),
        "acting": all_of(acting),
        "all_act": len(acting) == len(game.rules.nations(state)),
        "idle": phase.idle,
        "seed_hash": phase.seed_hash,
        "early": game.may_lock_early,
        "how": list(game.rules.writing.instructions(state)),
        "reports": bool(game.rules.referee.seats),
    }


def _own(
    context: Context, state: Any, seats: Sequence[Seat], acting: Sequence[str], phase: Phase
) -> list[Facts]:
    """Return the context of each nation that the reader orders for. A sentence that holds for
    several nations is kept only in the first."""
    nations: list[Facts] = []
    seen: set[str] = set()
    for seat in seats:
        facts = _seat_now(context, state, seat, acting, phase, heading=len(seats) > 1)
        facts["brief"] = [words for words in facts["brief"] if words not in seen]
        seen.update(facts["brief"])
        nations.append(facts)
    return nations


def _seat_now(
    context: Context,
    state: Any,
    seat: Seat,
    acting: Sequence[str],
    phase: Phase,
    *,
    heading: bool,
) -> Facts:
    """Return the context of a nation that the reader orders for. A nation without a player comes
    with its objectives, because the reader's own are different (N4)."""
    game, reader = context.game, context.letter.person
    view = game.rules.view(state, seat.nation)
    acts = seat.nation in acting
    ally = seat.nation in phase.controllers
    team = teams.whose_orders_count(seat, phase, reader) if seat.team or ally else ""
    return {
        "nation": seat.nation,
        "acts": acts,
        "team": team,
        "brief": [
            *teams.brief(seat, phase, reader),
            *game.rules.planner.brief(view, seat.nation),
            *play.standing_wishes(game, view, seat.nation),
        ],
        "chart": (
            list(dict(game.rules.guide.charts(view)).get(seat.nation, ()))
            if ally or game.secret or game.rules.referee.seats
            else []
        ),
        "examples": silence.examples(game, view, seat.nation, heading=heading) if acts else [],
        "silence": silence.means(game, view, seat.nation, by_team=bool(team)) if acts else None,
        "link": links.link("orders", game.pk, seat.pk),
    }


@builds(game_letters.REMINDER)
def _reminder(context: Context) -> Facts:
    game, seats = context.game, context.seats
    position = context.about["position"]
    state, acting = context.event.state_after(position), context.event.asked_after(position)
    phase = context.phase
    own_nations = _own(context, state, seats, acting, phase)
    for seat, facts in zip(seats, own_nations, strict=True):
        asked = in_force.open_question(seat, phase, context.letter.person)
        facts["asked"] = in_doubt.question(asked, state, None) if asked is not None else None
        if facts["asked"]:  # it says what happens at the deadline
            facts["silence"], facts["examples"] = None, []
        # Teammates may have voted, so sending nothing may have no consequences.
        if facts["team"] and decides_by_vote(game):
            facts["silence"] = None
    return {
        **deadline_of(context),
        "own": own_nations,
        "missing": teams.missing(context.letter, seats, phase),
        "waits": all(facts["asked"] for facts in own_nations),
    }


@outdated(game_letters.REMINDER)
def _reminder_outdated(letter: Letter, now: datetime) -> str:
    if letter.phase is None or letter.game is None:
        return ""
    if letter.phase.status != Phase.Status.OPEN or letter.game.is_over:
        return "The phase was closed before the reminder could be sent."
    if letter.phase.deadline != local_time.parse(letter.about["deadline"]):  # also by a pause
        return "The deadline was moved before the reminder could be sent."
    return ""


@builds(game_letters.RECEIPT)
def _receipt(context: Context) -> Facts:
    game = context.game
    submission = Submission.objects.select_related("seat").get(pk=context.about["submission"])
    nation = submission.seat.nation
    state = context.event.state_after(context.about["position"])
    errors = [remark for remark in submission.remarks if remark["severity"] == "error"]
    read = play.accepted_lines(game, state, submission)
    asked = in_doubt.question(submission, state, context.about["in_force"])
    seen = game.rules.view(state, nation)
    replaced = in_force.replaced_submission(submission)
    merges = game.options.get("orders.amend") == "merge_lines"
    return {
        **deadline_of(context),
        "nation": nation,
        "number": submission.seat_number,
        "channel": CHANNELS.get(submission.channel, submission.get_channel_display()),
        "received": context.describe_instant(submission.received_at),
        "taken_down": _entry_note(submission),
        "understood": [
            play.order_with_original(words, written)
            for words, written in zip(read["understood"], read["written"], strict=True)
        ],
        "own_words": read["own_words"],
        "asked": asked if not submission.late else None,
        "binding": in_doubt.binding(game, seen, nation, read["understood"]),
        "refused": remarks_in_words(errors) if asked is None else [],
        "remarks": remarks_in_words(
            [remark for remark in submission.remarks if remark not in errors and asked is None]
        ),
        "counts": submission.counts,
        "late": submission.late,
        # Received before the deadline, but after the phase was closed: early, or while these orders
        # were on their way.
        "closed": (
            submission.late
            and ledger.is_in_time(
                submission.received_at, local_time.parse(context.about["deadline"]), game
            )
        ),
        "early": game.may_lock_early,
        "acts": nation in game.rules.acting_nations(state),
        "awaited": submission.phase.awaited,
        "final": submission.final and game.may_lock_early,
        "in_force": context.about["in_force"],
        "replaced": replaced,
        "merges": merges,
        "silence": silence.means(game, seen, nation, by_team="team" in context.about),
        "link": links.link("orders", game.pk, submission.seat_id),
        "team": teams.team_facts(context.letter, submission, replaced if not merges else None),
        "sent_hashes": [entries.submission_line(game.pk, submission.hash)],
    }


def _entry_note(submission: Submission) -> str:
    """Return who entered the orders for their sender, when they were posted, and whether they were
    read back; "" where the sender entered them."""
    if submission.entered_by is None:
        return ""
    by = people.who(submission.entered_by) or "The gamesmaster"
    posted = submission.posted_on
    told = [
        f"{by} took them down"
        + (f" from a letter posted on {posted.day} {posted:%B %Y}" if posted else "")
    ]
    if submission.read_back:
        told.append(f"and read them back under the code {submission.read_back}")
    return (
        f"{' '.join(told)}. If that is not what you said, tell the gamesmaster before the deadline."
    )


@builds(game_letters.STOCK)
def _stock(context: Context) -> Facts:
    game = context.game
    submission = Submission.objects.select_related("seat").get(pk=context.about["submission"])
    listing = Listing.objects.get(pk=context.about["listing"])
    return {
        **deadline_of(context),
        "nation": submission.seat.nation,
        "number": submission.seat_number,
        "symbol": listing.symbol,
        "fault": listings.fault(listing, game),
        "voids": game.options.get("rng.no_stock") == "attack_void",
        "link": links.link("orders", game.pk, submission.seat_id),
    }


@outdated(game_letters.STOCK)
def _stock_outdated(letter: Letter, now: datetime) -> str:
    if letter.phase is None or letter.phase.status == Phase.Status.OPEN:
        return ""
    return "The phase was closed before the letter about a stock could be sent."
