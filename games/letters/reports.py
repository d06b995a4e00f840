"""Letters about what became of a phase: it is closed, it was judged, the game is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.market.rolls import by_sales
from games.models import Game, Resolution, Seat
from games.rules.digits import digit_of_shares, roll_number
from games.rules.names import all_of
from games.timing import local_time
from gamesmaster import links, text

from . import account, headlines, play, proofs, report_files, story, wording
from . import board as boards
from .common import board_of, deadline_of, is_demo, remarks_in_words, view_of
from .context import Build, Context, Event, Facts
from .orders import requests_of


def _locked(context: Context) -> Facts:
    """Orders are closed: what decides, when the result comes, and the digest. The rest is sent by
    PROOF (`games.letters.proofs`)."""
    game, phase = context.game, context.phase
    silent = [
        seat.nation
        for seat in context.event.seats
        if seat.nation not in phase.leaves and not seat.referee
    ]
    return {
        "digest": phase.digest,
        "idle": phase.idle,
        "decides": _decides(context),
        "proof_link": links.link("proof", game.pk, phase.number),
        "silent": all_of(silent),
        "stocks": list(phase.stocks),
        "result_due": context.in_short(phase.session_closes) if phase.session_closes else "",
    }


def _decides(context: Context) -> str:
    """What decides the attacks of a closed phase, and when the result comes, in words."""
    phase = context.phase
    if words := proofs.other_source(phase):
        return words
    if not phase.session_closes:
        return "The next session decides."
    session = local_time.session(phase.session)
    session = session[:1].upper() + session[1:]
    closes = context.in_words(phase.session_closes)
    return f"{session} decides; the result comes after it closes on {closes}."


def _judged(context: Context) -> Facts:
    """What a resolution says to everybody; of the remarks only those on the reader's own orders."""
    game, seats = context.game, context.seats
    resolution = context.event.resolution(context.about["resolution"])
    after = context.event.state_after(resolution.pk)
    under = "The final board" if resolution.winners is not None else "The board as judged"

    def was() -> Any:
        return view_of(game, context.event.state_before(resolution), seats)

    seen = view_of(game, after, seats)
    own = [seat.nation for seat in context.ordering(context.phase)]
    headline = (
        headlines.of_change(game.rules.board(was()), game.rules.board(seen), own)
        if context.phase.draws
        else ""
    )
    public = _public_facts(context.event, resolution)
    happened = {
        "version": resolution.version,
        "changes": _changes(game, resolution, seats) if resolution.version > 1 else [],
        "demo": is_demo(game),
        "story": public["story"],
        "files": report_files.names(context.phase),
        "looked_up": public["looked_up"],
        "seed": context.phase.seed,
        "seed_hash": context.phase.seed_hash,
        "sales": _sales(context),
        "rolls": not by_sales(game),
    }
    return {
        **board_of(context.event, seen, under, resolution.phase, was),
        **public,
        **_of_own(context, resolution),
        "happened": context.event.part("mail/_happened", happened),
        "headline": headline,
        "sheeted": context.phase.sheeted,
    }


def _of_own(context: Context, resolution: Resolution) -> Facts:
    """What only the reader is told of a result: remarks on their orders, and what was dealt."""
    ordered = context.ordering(context.phase)
    own = [
        (seat.nation, remarks_in_words(resolution.remarks.get(seat.nation, ()))) for seat in ordered
    ]
    following = context.batch.phases.get(context.about.get("next") or 0)
    return {
        "remarks": [(nation, remarks) for nation, remarks in own if remarks],
        "stands": play.changes_for(context.event, resolution, ordered, following),
        "dealt": _dealt(context.game, resolution, context.seats),
    }


def _public_facts(event: Event, resolution: Resolution) -> Facts:
    """What of a result is the same for every reader, and no more than a stranger may know: worked
    out once for all of them."""
    if resolution.pk not in event.results:
        event.results[resolution.pk] = _work_out(event, resolution)
    return event.results[resolution.pk]


def _work_out(event: Event, resolution: Resolution) -> Facts:
    game, after = event.game, event.state_after(resolution.pk)
    standing = game.rules.standing(game.rules.view(after, None))
    before = game.rules.standing(game.rules.view(event.state_before(resolution), None)).scores
    ranked = sorted(standing.scores.items(), key=lambda entry: -entry[1])
    return {
        "scores": ranked,
        "score_line": wording.of_scores(ranked, before),
        "sums": wording.of_sums(standing),
        "winners": all_of(resolution.winners or ()),
        "shared": len(resolution.winners or ()) > 1,
        "closing": text.one_line(resolution.closing),
        "story": story.tell(
            play.public_events(resolution),
            story.skipped_stocks(resolution, event.batch.figures[resolution.phase_id]),
        ),
        "standing_remark": standing.remark,
        **play.of_result(event, resolution),
    }


def _over(context: Context) -> Facts:
    """The last report, and why the winners have won: every score, objective by objective, the best
    first."""
    game = context.game
    resolution = context.event.resolution(context.about["resolution"])
    paid = account.account_of(game, resolution.after)
    facts = _judged(context)
    worked = play.score_sheets(game, resolution, facts["scores"])
    unheld = _cannot_win(context, facts["scores"], resolution)
    return {
        **facts,
        **worked,
        "unheld": unheld,
        "account": (
            [] if worked["worked"] else [(nation, paid[nation]) for nation, _ in facts["scores"]]
        ),
    }


def _cannot_win(
    context: Context, scores: Sequence[tuple[str, int]], resolution: Resolution
) -> list[str]:
    """Nations that nobody plays with a better score than the winners: they cannot win (N6)."""
    least = min((dict(scores).get(one, 0) for one in resolution.winners or ()), default=0)
    unheld = {seat.nation for seat in context.event.seats if seat.by_table}
    return [nation for nation, score in scores if score > least and nation in unheld]


def _board_letter(context: Context) -> Facts:
    """The report, and what the next phase asks where one has opened with it."""
    following = context.batch.phases.get(context.about.get("next") or 0)
    facts = {**_judged(context), **deadline_of(context), "next_title": "", "asked": {}}
    if following is None:
        return facts
    after = context.event.state_after(context.about["resolution"])
    asks = not following.sheeted
    return {
        **facts,
        "awaited": following.awaited,
        "next_title": following.title,
        "next_idle": following.idle,
        "asked": requests_of(context, following, after) if asks else {},
    }


def _dealt(
    game: Game, resolution: Resolution, seats: Sequence[Seat]
) -> list[tuple[str, list[str]]]:
    """The reader's own charts where this phase has drawn them: nobody else's."""
    told: list[tuple[str, list[str]]] = []
    if not game.secret:
        return told
    for seat in seats:
        before, after = (
            dict(game.rules.guide.charts(game.rules.view(game.load(each), seat.nation)))
            for each in (resolution.before, resolution.after)
        )
        if before[seat.nation] != after[seat.nation]:
            told.append((seat.nation, list(after[seat.nation])))
    return told


def _changes(game: Game, resolution: Resolution, seats: Sequence[Seat]) -> list[str]:
    earlier = Resolution.objects.filter(
        phase=resolution.phase_id, version=resolution.version - 1
    ).first()
    if earlier is None:
        return []
    old, new = (
        game.rules.board(view_of(game, game.load(each.after), seats))
        for each in (earlier, resolution)
    )
    return boards.changes(old, new)


def _sales(context: Context) -> list[tuple[str, str, str, str]]:
    """The figures of the phase as they were settled: symbol, shares, by which readings, and what
    else the publisher said until then."""
    figures = context.batch.figures[context.phase.pk]
    if not figures:
        return []
    if not by_sales(context.game):
        rolled = sorted(figures, key=lambda figure: roll_number(figure.symbol) or 0)
        return [
            (
                f"Roll {roll_number(f.symbol)}",
                str(digit_of_shares(f.volume or 0)),
                text.one_line(f.reason),
                "",
            )
            for f in rolled
        ]
    differ = context.event.restated(context.phase, context.letter.written_at)
    return [
        (
            f.symbol,
            f"{f.volume:,}" if f.volume is not None else "",
            text.one_line(f.reason).removesuffix("; provisional"),
            differ.get(f.symbol, ""),
        )
        for f in figures
    ]


BUILDERS: dict[str, Build] = {"locked": _locked, "board": _board_letter, "over": _over}
