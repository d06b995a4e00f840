"""Letters about orders: those that are asked for, those that are missing, and those that came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.market import listings
from games.models import Game, Listing, Phase, Seat, people
from games.rules.names import all_of
from games.rules.verification import entries
from games.seats.teams import by_vote
from games.timing import local_time
from gamesmaster import links
from orders import in_force, ledger
from orders.models import Submission

from . import play, silence, teams
from .common import board_of, deadline_of, in_short, remarks_in_words, view_of
from .context import Build, Context, Facts
from .names import CHANNELS


def _opened(context: Context) -> Facts:
    game, phase, seats = context.game, context.phase, context.seats
    state = context.event.state_after(context.about["position"])
    return {
        **board_of(context.event, view_of(game, state, seats), "The board as orders begin", phase),
        **deadline_of(context),
        "asked": requests_of(context, phase, state),
    }


def requests_of(context: Context, phase: Phase, state: Any) -> Facts:
    """What a letter asks of its reader in a phase: for each nation what may be sent, by example,
    and what silence means. `state` is the position in which the phase is played."""
    game = context.game
    acting = game.rules.acting(state)
    own = context.ordering(phase)
    return {
        "phase_title": phase.title,
        "phase_name": in_short(phase),
        "own": [_seat_now(game, state, seat, acting, phase, heading=len(own) > 1) for seat in own],
        "acts": any(seat.nation in acting for seat in own),
        "acting": all_of(acting),
        "all_act": len(acting) == len(game.rules.nations(state)),
        "idle": phase.idle,
        "seed_hash": phase.seed_hash,
        "early": game.may_lock_early,
        "how": list(game.rules.referee.instructions(state)) if game.rules.referee else [],
        "refereed": game.rules.referee is not None,
    }


def _seat_now(
    game: Game,
    state: Any,
    seat: Seat,
    acting: Sequence[str],
    phase: Phase,
    *,
    heading: bool = False,
) -> Facts:
    """A nation that the reader orders for. Of one that nobody holds its card besides: the reader
    has another one (N4)."""
    seen = game.rules.view(state, seat.nation)
    acts = seat.nation in acting
    ally = seat.nation in phase.controllers
    return {
        "nation": seat.nation,
        "acts": acts,
        "brief": [
            *teams.brief(seat, phase),
            *game.rules.planner.brief(seen, seat.nation),
            *play.standing_wishes(game, seen, seat.nation),
        ],
        "chart": (
            list(dict(game.rules.guide.charts(seen)).get(seat.nation, ()))
            if ally or game.secret or game.rules.referee
            else []
        ),
        "examples": silence.examples(game, seen, seat.nation, heading=heading) if acts else [],
        "silence": silence.means(game, seen, seat.nation) if acts else None,
        "link": links.link("orders", game.pk, seat.pk),
    }


def _reminder(context: Context) -> Facts:
    game, seats = context.game, context.seats
    state = context.event.state_after(context.about["position"])
    acting = game.rules.acting(state)
    phase = context.phase
    own = [
        {
            **_seat_now(game, state, seat, acting, phase, heading=len(seats) > 1),
            "team": teams.how(seat, phase),
        }
        for seat in seats
    ]
    for told in own:
        if told["team"] and by_vote(
            game
        ):  # others may have voted: that nothing comes of silence is not said
            told["silence"] = None
    return {
        **deadline_of(context),
        "own": own,
        "missing": teams.missing(context.letter, seats, phase),
    }


def _receipt(context: Context) -> Facts:
    game = context.game
    submission = Submission.objects.select_related("seat").get(pk=context.about["submission"])
    nation = submission.seat.nation
    state = context.event.state_after(context.about["position"])
    errors = [remark for remark in submission.remarks if remark["severity"] == "error"]
    read = play.accepted_lines(game, state, submission)
    replaced = in_force.replaced_submission(submission)
    merges = game.options.get("orders.amend") == "merge_lines"
    return {
        **deadline_of(context),
        "nation": nation,
        "number": submission.seat_number,
        "channel": CHANNELS.get(submission.channel, submission.get_channel_display()),
        "received": context.in_words(submission.received_at),
        "taken_down": _taken_down(submission),
        "understood": [
            play.with_original(words, written)
            for words, written in zip(read["understood"], read["written"], strict=True)
        ],
        "own_words": read["own_words"],
        "refused": remarks_in_words(errors),
        "remarks": remarks_in_words(
            [remark for remark in submission.remarks if remark not in errors]
        ),
        "counts": submission.counts,
        "late": submission.late,
        # Before the deadline, but the phase had been closed: early, or while these orders were on
        # their way.
        "closed": (
            submission.late
            and ledger.in_time(
                submission.received_at, local_time.parse(context.about["deadline"]), game
            )
        ),
        "early": game.may_lock_early,
        "acts": nation in game.rules.acting(state),
        "awaited": submission.phase.awaited,
        "final": submission.final and game.may_lock_early,
        "in_force": context.about["in_force"],
        "replaced": replaced,
        "merges": merges,
        "silence": silence.means(game, game.rules.view(state, nation), nation),
        "link": links.link("orders", game.pk, submission.seat_id),
        "team": teams.team_facts(context.letter, submission, replaced if not merges else None),
        "sent_hashes": [entries.submission_line(game.pk, submission.hash)],
    }


def _taken_down(submission: Submission) -> str:
    """Who wrote the orders down for their sender, from when they are, and whether they were read
    back; empty where nobody had to."""
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


BUILDERS: dict[str, Build] = {
    "opened": _opened,
    "reminder": _reminder,
    "receipt": _receipt,
    "stock": _stock,
}
