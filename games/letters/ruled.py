"""What the letters about rulings say: what was ruled and what has changed by it; a result that
waits for the gamesmaster."""

from __future__ import annotations

from games.models import Game, Phase, Resolution, Ruling
from games.models.people import who
from games.rules import Standing, facts
from games.rules.names import all_of
from games.timing import local_time
from gamesmaster.links import link
from gamesmaster.text import one_line

from . import board as boards
from . import story, wording
from .common import board_of, deadline_of, view_of
from .context import Build, Context, Facts


def _ruled(context: Context) -> Facts:
    game, seats = context.game, context.seats
    ruling = Ruling.objects.select_related("made_by").get(pk=context.about["ruling"])
    old, new = (context.event.state_after(context.about[key]) for key in ("before", "after"))
    was, now = (game.rules.board(view_of(game, state, seats)) for state in (old, new))
    scores = {
        key: dict(game.rules.standing(game.rules.view(state, None)).scores)
        for key, state in (("old", old), ("new", new))
    }
    made = [
        Resolution.objects.select_related("phase__game").get(pk=pk)
        for pk in context.about["resolutions"]
    ]
    winners = made[-1].winners if made else None
    following = (
        Phase.objects.filter(pk=context.about["next"]).first() if context.about["next"] else None
    )
    return {
        **board_of(
            context.event,
            view_of(game, new, seats),
            f"The board after ruling {ruling.number}",
            context.letter.phase,
            lambda: view_of(game, old, seats),
        ),
        **deadline_of(context),
        "number": ruling.number,
        "words": one_line(ruling.words),
        "reasons": [one_line(line) for line in ruling.reason.splitlines() if line.strip()],
        "by": who(ruling.made_by) or "The gamesmaster",
        "changes": boards.changes(was, now),
        "score_changes": [
            f"{nation}: {score}, not {scores['old'].get(nation)}"
            for nation, score in scores["new"].items()
            if scores["old"].get(nation) != score
        ],
        "scores": sorted(scores["new"].items(), key=lambda entry: -entry[1]),
        "reports": [_report(game, one) for one in made],
        "undone": context.about["undone"],
        "restored": context.about["restored"],
        "winners": all_of(winners or ()),
        "shared": len(winners or ()) > 1,
        "closing": one_line(made[-1].closing) if made else "",
        "next_title": following.title if following else "",
        "awaited": following.awaited if following else "",
        "orders_links": [(seat.nation, link("orders", game.pk, seat.pk)) for seat in seats]
        if following and not following.sheeted
        else [],
        "rulings_link": link("rulings", game.pk),
    }


def _report(game: Game, resolution: Resolution) -> Facts:
    """A version that the ruling made: what it tells and the one before did not."""
    earlier = Resolution.objects.filter(
        phase=resolution.phase_id, version=resolution.version - 1
    ).first()
    before = list(earlier.events) if earlier else []
    known, now = ([facts(event) for event in events] for events in (before, resolution.events))
    new = [event for event in resolution.events if facts(event) not in known]
    phase = resolution.phase
    return {
        "title": phase.title,
        "version": resolution.version,
        "story": story.tell(new, story.skipped_stocks(resolution, phase.figures.all())),
        "dropped": [
            one_line(event["message"])
            for event in before
            if event.get("message") and facts(event) not in now
        ],
        "link": link("phase", game.pk, phase.number),
    }


def _approval(context: Context) -> Facts:
    game = context.game
    after = game.load(context.about["after"])
    seen = game.rules.view(after, None)
    standing: Standing = game.rules.standing(seen)
    return {
        **board_of(context.event, seen, "As judged, and not yet released", context.letter.phase),
        "due": context.in_words(local_time.parse(context.about["due"]))
        if context.about["due"]
        else "",
        "left": [
            f"{nation}: {pfs} PF{'' if pfs == 1 else 's'}"
            for nation, pfs in context.about.get("left", [])
        ],
        "story": story.tell(context.about["events"]),
        "scores": sorted(standing.scores.items(), key=lambda entry: -entry[1]),
        "sums": wording.of_sums(standing),
        "winners": all_of(standing.winners or ()),
        "phase_number": context.phase.number,
        "approval_link": link("desk-approval", game.pk),
    }


BUILDERS: dict[str, Build] = {"ruled": _ruled, "approval": _approval}
