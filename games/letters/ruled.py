"""Build the context of letters about a ruling and its changes, and about a result that waits for
approval."""

from __future__ import annotations

from games.base.links import link
from games.base.text import one_line
from games.letters import headlines, story
from games.models import Phase, Resolution, Ruling
from games.models.people import who
from games.outbox.messages import game_letters
from games.rules import Standing, facts, wording
from games.rules.names import all_of, count_of
from games.timing import local_time

from . import board_text
from .common import board_for, board_of, deadline_of
from .context import Context, Facts, builds


@builds(game_letters.RULED)
def _ruling_facts(context: Context) -> Facts:
    game, seats = context.game, context.seats
    ruling = Ruling.objects.select_related("made_by").get(pk=context.about["ruling"])
    old, new = (context.event.state_after(context.about[key]) for key in ("before", "after"))
    was, now = (board_for(game, state, seats) for state in (old, new))
    scores = {
        key: dict(game.rules.standing(game.rules.view(state, None)).scores)
        for key, state in (("old", old), ("new", new))
    }
    resolutions = [
        Resolution.objects.select_related("phase__game").get(pk=pk)
        for pk in context.about["resolutions"]
    ]
    winners = resolutions[-1].winners if resolutions else None
    following = (
        Phase.objects.filter(pk=context.about["next"]).first() if context.about["next"] else None
    )
    return {
        **board_of(
            context.event,
            now,
            f"The board after ruling {ruling.number}",
            context.letter.phase,
            lambda: was,
        ),
        **deadline_of(context),
        "number": ruling.number,
        "words": one_line(ruling.words),
        "reasons": [one_line(line) for line in ruling.reason.splitlines() if line.strip()],
        "by": who(ruling.made_by) or "The gamesmaster",
        "changes": board_text.changes(was, now),
        "score_changes": [
            f"{nation}: {wording.figure(score)}, not {wording.figure(scores['old'][nation])}"
            for nation, score in scores["new"].items()
            if scores["old"][nation] != score
        ],
        "scores": wording.rank(scores["new"]),
        "reports": [
            _report(
                resolution,
                headlines.reader_of(
                    game, [seat.nation for seat in context.ordering(resolution.phase)]
                ),
            )
            for resolution in resolutions
        ],
        "undone": context.about["undone"],
        "lapsed": context.about.get("lapsed", ()),  # older letters have no such line
        "restored": context.about["restored"],
        "winners": all_of(winners or ()),
        "shared": len(winners or ()) > 1,
        "closing": one_line(resolutions[-1].closing) if resolutions else "",
        "next_title": following.title if following else "",
        "awaited": following.awaited if following else "",
        "orders_links": [(seat.nation, link("orders", game.pk, seat.pk)) for seat in seats]
        if following and following.has_deadline
        else [],
        "rulings_link": link("rulings", game.pk),
    }


def _report(resolution: Resolution, reader: str) -> Facts:
    """Return the context about a result version that the ruling made: the events that are new in
    it, and those dropped from the version before. `reader` is the nation that is “you”."""
    earlier = Resolution.objects.filter(
        phase=resolution.phase_id, version=resolution.version - 1
    ).first()
    before = list(earlier.events) if earlier else []
    earlier_facts, current_facts = (
        [facts(event) for event in events] for events in (before, resolution.events)
    )
    new = [
        event
        for event in resolution.events
        if facts(event) not in earlier_facts
        and event["kind"] != "ruled"  # the letter begins with it
    ]
    dropped = [
        event for event in before if event.get("message") and facts(event) not in current_facts
    ]
    phase = resolution.phase
    return {
        "title": resolution.title,
        "version": resolution.version,
        "story": story.tell(new, story.skipped_stocks(resolution, phase.figures.all()), reader),
        "dropped": [told.sentence for told in story.tell(dropped, reader=reader)],
        "link": link("phase", phase.game_id, phase.number),
    }


@builds(game_letters.APPROVAL)
def _approval(context: Context) -> Facts:
    game = context.game
    after = game.load(context.about["after"])
    view = game.rules.view(after, None)
    standing: Standing = game.rules.standing(view)
    return {
        **board_of(
            context.event,
            game.rules.board(view),
            "As judged, and not yet released",
            context.letter.phase,
        ),
        "due": context.describe_instant(local_time.parse(context.about["due"]))
        if context.about["due"]
        else "",
        "left": [
            f"{nation}: {count_of(pfs, 'PF')}" for nation, pfs in context.about.get("left", [])
        ],
        "story": story.tell(context.about["events"]),
        "scores": wording.rank(standing.scores),
        "sums": wording.alliance_sentences(standing),
        "winners": all_of(standing.winners or ()),
        "approval_link": link("desk-approval", game.pk),
    }
