"""Build the context of letters about the result of a phase: closed, judged, or the last of the
game."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.utils.text import capfirst

from games.base import links, text
from games.letters import account, headlines, in_doubt, play, proofs, report_files, story
from games.market.rolls import sales_decide
from games.models import Game, Phase, Resolution, Seat
from games.outbox import daily
from games.outbox.messages import game_letters
from games.records import proof
from games.rules import Board, wording
from games.rules.digits import digits_in_events, roll_number
from games.rules.names import all_of
from games.rules.verification import entries
from games.timing import local_time

from . import board_text
from .common import board_for, board_of, deadline_of, remarks_in_words
from .context import Context, Facts, builds
from .orders import requests_of

#: Remarks on orders that a report repeats; the receipt has had them all.
MOST_REMARKS = 8


@builds(game_letters.LOCKED)
def _lock_facts(context: Context) -> Facts:
    """Return the context of the lock letter: what decides, when the result comes, and the digest.
    PROOF sends the rest (`games.letters.proofs`)."""
    game, phase = context.game, context.phase
    asked = context.event.asked_in(phase)
    own_nations = [seat.nation for seat in context.ordering(phase) if seat.nation in asked]
    silent = [
        seat.nation
        for seat in context.event.seats
        if seat.nation in asked and seat.nation not in phase.leaves and not seat.referee
    ]
    rows = context.batch.in_doubt[phase.pk]
    left = [one for seat in context.ordering(phase) for one in in_doubt.left(rows, seat)]
    return {
        "digest": phase.digest,
        "digest_heading": entries.digest_heading(game.pk, phase.number),
        "own": _own_in_lock(own_nations, silent, left),
        "counted": _counted_in_doubt(context),
        "idle": phase.idle,
        "decides": _decides(context),
        "proof_link": links.link("proof", game.pk, phase.number),
        "silent": all_of([nation for nation in silent if nation not in own_nations]),
        "stocks": list(phase.stocks),
        "result_due": context.short_instant(phase.session_closes) if phase.session_closes else "",
    }


def _own_in_lock(own: Sequence[str], silent: Sequence[str], left: Sequence[str]) -> str:
    """Return whether the reader's orders are among those that were locked, and those in doubt that
    are `left`; "" for a reader without a nation that may order in this phase."""
    sent = [nation for nation in own if nation not in silent]
    whose = "Yours" if sent == list(own) else f"Yours for {all_of(sent)}"
    sentences = [f"{whose} are in."] if sent else []
    return " ".join([*sentences, *left] or ["You sent none."]) if own else ""


def _decides(context: Context) -> str:
    """Return what decides the attacks of a closed phase, and when the result comes, in words."""
    phase = context.phase
    if words := proofs.other_source(phase):
        return words
    if not phase.session_closes:
        return "The next session decides."
    session = context.describe_session(phase.session)
    closes = context.describe_instant(phase.session_closes)
    return f"{capfirst(session)} decides; the result comes after it closes, {closes}."


def _result_facts(context: Context) -> Facts:
    """Return the context about a resolution: what is public, and remarks only on the reader's own
    orders."""
    game, seats = context.game, context.seats
    resolution = context.event.resolution(context.about["resolution"])
    after = context.event.state_after(resolution.pk)
    under = "The final board" if resolution.winners is not None else "The board as judged"

    earlier = _earlier(context)
    first = (*earlier, resolution)[0]

    def board_before() -> Board:
        return board_for(game, context.event.state_before(first), seats)

    board = board_for(game, after, seats)
    own_nations = [seat.nation for seat in context.ordering(context.phase)]
    headline = headlines.headline((*earlier, resolution), board_before, board, own_nations)
    public = _public_facts(context, resolution)
    reader = headlines.reader_of(game, own_nations)
    told = story.tell(play.public_events(resolution), public["passed_over"], reader)
    # From now on the gamesmaster of a refereed game plays these orders out.
    closed = bool(game.rules.referee.seats) and context.phase.has_deadline and not told
    name = context.phase.short_title.removesuffix(" orders")
    under = f"{public.get('phase_title', context.phase.title)}\n{under}"
    happened = {
        "closed": closed,
        "version": resolution.version,
        "lateness": context.phase.lateness,
        "changes": _changes(game, resolution, seats) if resolution.version > 1 else [],
        "demo": game.sales_made_up,
        "earlier": [
            (result.phase.title, story.tell(play.public_events(result), reader=reader))
            for result in earlier
        ],
        "title": context.phase.title,
        "story": told,
        "files": report_files.names(context.phase),
        "looked_up": public["looked_up"],
        "seed": context.phase.seed,
        "seed_hash": context.phase.seed_hash,
        "sales": public["sales"],
        "rolls": not sales_decide(game),
    }
    return {
        **board_of(context.event, board, under, was=board_before),
        **public,
        **_own_facts(context, resolution),
        "happened": context.event.part("mail/_happened", happened),
        "headline": headline,
        "sent_hashes": _digests(context, (*earlier, resolution)),
        "closed": f"{name}: orders are closed" if closed else "",
    }


def _earlier(context: Context) -> list[Resolution]:
    """Return the results before this one that the reader has not heard of (`games.outbox.daily`),
    without those that a ruling has undone since."""
    results = [context.event.resolution(pk) for pk in context.about.get("earlier", ())]
    return [result for result in results if result.phase.status != Phase.Status.UNDONE]


def _digests(context: Context, results: Sequence[Resolution]) -> list[str]:
    """Return the digests of the phases of which the reader got no letter when they were locked."""
    nations = [seat.nation for seat in context.seats]
    return [
        f"{entries.digest_heading(context.game.pk, result.phase.number)} {result.phase.digest}"
        for result in results
        if nations and result.phase.draws and not daily.concerns(result.phase, nations)
    ]


def _own_facts(context: Context, resolution: Resolution) -> Facts:
    """Return the part of a result for the reader alone: remarks on their orders, changes for their
    nations, and new objectives."""
    ordered = context.ordering(context.phase)
    own_remarks = [
        (
            seat.nation,
            in_doubt.left(context.batch.in_doubt[context.phase.pk], seat)
            + _first_remarks(resolution.remarks.get(seat.nation, ()), context.letter.kind),
        )
        for seat in ordered
    ]
    following = context.batch.phases.get(context.about.get("next") or 0)
    return {
        "counted": _counted_in_doubt(context),
        "remarks": [(nation, remarks) for nation, remarks in own_remarks if remarks],
        "stands": _unique_sentences(
            play.changes_for(context.event, resolution, ordered, following)
        ),
        "dealt": _new_charts(context.game, resolution, context.seats),
    }


def _first_remarks(remarks: Sequence[dict[str, Any]], kind: str) -> list[str]:
    """Return the remarks on a nation's orders that its letter, of this kind, has.

    These are all rulings on its lines, which nothing else tells its player, and the first others:
    in the final report no warnings, since nothing can follow them any more.
    """
    ruled = remarks_in_words([remark for remark in remarks if remark["code"] == "ruled"])
    told = [remark for remark in remarks if remark["code"] != "ruled"]
    if kind == game_letters.OVER.id:
        told = [remark for remark in told if remark["severity"] == "error"]
    others = remarks_in_words(told)
    if len(others) > MOST_REMARKS:
        more = f"{len(others) - MOST_REMARKS + 1} more are on the page of the report."
        others = [*others[: MOST_REMARKS - 1], more]
    return [*ruled, *others]


def _counted_in_doubt(context: Context) -> list[str]:
    """Return the orders in doubt that counted, for their nation and for who only runs the game."""
    letter = context.letter
    only_runs = (context.game.pk, letter.person_id) in context.batch.only_run
    own_nations = {seat.nation for seat in context.ordering(context.phase)}
    return [
        f"{row.seat.nation}, No. {row.seat_number}: {'; '.join(row.text.splitlines())}"
        for row in context.batch.in_doubt[context.phase.pk]
        if row.counts and (only_runs or row.seat.nation in own_nations)
    ]


def _unique_sentences(stands: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Remove sentences that an earlier nation of the same reader already has."""
    seen: set[str] = set()
    remaining = []
    for nation, sentences in stands:
        if new := [sentence for sentence in sentences if sentence not in seen]:
            remaining.append((nation, new))
        seen.update(sentences)
    return remaining


def _public_facts(context: Context, resolution: Resolution) -> Facts:
    """Return the part of a result that is the same for every reader in a zone, and public. It is
    computed once for all letters written at the same time."""
    results = context.event.results
    key = (resolution.pk, context.letter.written_at, context.zone)
    if key not in results:
        results[key] = _work_out(context, resolution)
    return results[key]


def _work_out(context: Context, resolution: Resolution) -> Facts:
    event, game = context.event, context.game
    after = event.state_after(resolution.pk)
    standing = game.rules.standing(game.rules.view(after, None))
    before = game.rules.standing(game.rules.view(event.state_before(resolution), None)).scores
    return {
        "scores": wording.rank(standing.scores),
        "score_line": wording.scores_line(standing.scores, before),
        "sums": wording.alliance_sentences(standing),
        "winners": all_of(resolution.winners or ()),
        "shared": len(resolution.winners or ()) > 1,
        "closing": (closing := text.one_line(resolution.closing)),
        "passed_over": story.skipped_stocks(resolution, event.batch.figures[resolution.phase_id]),
        "standing_remark": "" if standing.remark == closing else standing.remark,
        "sales": _sales(context, resolution),
        **play.result_facts(event, resolution),
    }


@builds(game_letters.OVER)
def _final_facts(context: Context) -> Facts:
    """Return the context of the last report, including why the winners won: every score, objective
    by objective, the best first."""
    game = context.game
    resolution = context.event.resolution(context.about["resolution"])
    points_by_nation = account.account_of(game, resolution.after)
    facts = _result_facts(context)
    score_sheets = play.score_sheets(game, resolution, facts["scores"])
    scores = dict(facts["scores"])
    least = min((scores.get(winner, 0) for winner in resolution.winners or ()), default=0)
    unplayed = {seat.nation for seat in context.event.seats if seat.by_table}
    return {
        **facts,
        **score_sheets,
        "review_link": links.link("game-summary", game.pk),
        # nations that score more than the winners but cannot win, because nobody plays them (N6)
        "unheld": [
            nation for nation, score in scores.items() if score > least and nation in unplayed
        ],
        "place": _place(context, scores, resolution.winners or ()),
        "account": (
            []
            if score_sheets["worked"]
            else [(nation, points_by_nation[nation]) for nation, _ in facts["scores"]]
        ),
    }


PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")


def _place(context: Context, scores: Mapping[str, int], winners: Collection[str]) -> str:
    """Return the ranks of the reader's own nations: “You came third, with 12 points.” Nations that
    nobody plays, and games without scores, are left out."""
    seats = context.seats
    played = [seat.nation for seat in context.event.seats if not seat.by_table]
    sentences = []
    for seat in seats:
        if seat.nation not in scores or seat.nation not in played:
            continue
        points = scores[seat.nation]
        who = "You" if len(seats) == 1 else seat.nation
        if seat.nation in winners:
            sentences.append(f"{who} won, with {points_in_words(points)}.")
            continue
        better = sum(scores.get(nation, points) > points for nation in played)
        level = sum(scores.get(nation) == points for nation in played) > 1
        place = f"{'joint ' if level else ''}{PLACES[better]}"
        sentences.append(f"{who} came {place}, with {points_in_words(points)}.")
    return " ".join(sentences)


def points_in_words(points: int) -> str:
    return f"{wording.figure(points)} point{'' if points == 1 else 's'}"


@builds(game_letters.BOARD)
def _board_letter(context: Context) -> Facts:
    """Return the context of a report, and the requests of the next phase if one has opened with
    it."""
    following = context.batch.phases.get(context.about.get("next") or 0)
    facts = {**_result_facts(context), **deadline_of(context), "next_title": "", "asked": {}}
    if following is None:
        return facts
    resolution = context.about["resolution"]
    requests = requests_of(context, following, resolution) if following.has_deadline else {}
    nations_dealt = {nation for nation, _ in facts["dealt"]}
    for seat in requests.get("own", ()):
        if seat["nation"] in nations_dealt:  # the letter already has its chart
            seat["chart"] = []
    return {
        **facts,
        "awaited": following.awaited,
        "next_title": following.title,
        "next_idle": following.idle,
        "asked": requests,
    }


def _new_charts(
    game: Game, resolution: Resolution, seats: Sequence[Seat]
) -> list[tuple[str, list[str]]]:
    """Return the charts of the reader's own nations that this phase has drawn."""
    new_charts: list[tuple[str, list[str]]] = []
    if not game.secret:
        return new_charts
    for seat in seats:
        before, after = (
            dict(game.rules.guide.charts(game.rules.view(game.load(position), seat.nation)))
            for position in (resolution.before, resolution.after)
        )
        if before[seat.nation] != after[seat.nation]:
            new_charts.append((seat.nation, list(after[seat.nation])))
    return new_charts


def _changes(game: Game, resolution: Resolution, seats: Sequence[Seat]) -> list[str]:
    earlier = Resolution.objects.filter(
        phase=resolution.phase_id, version=resolution.version - 1
    ).first()
    if earlier is None:
        return []
    old, new = (
        board_for(game, game.load(version.after), seats) for version in (earlier, resolution)
    )
    return board_text.changes(old, new)


def _sales(context: Context, resolution: Resolution) -> list[tuple[str, str, str, str]]:
    """Return the figures that decided something in the phase: symbol, shares, reason (the readings,
    or the ruling), and what else the publisher reported before the letter was written.

    The page of the phase has all figures, also of stocks that orders only named.
    """
    figures = context.batch.figures[context.phase.pk]
    if not figures:
        return []
    if not sales_decide(context.game):
        figures = sorted(figures, key=lambda figure: roll_number(figure.symbol) or 0)
        rolled = proof.figures_in_force(
            [(f, "") for f in figures], proof.applied_rulings(resolution)
        )
        return [
            (f"Roll {roll_number(row.figure.symbol)}", str(row.digit), _reason(row, context), "")
            for row in rolled
        ]
    differ = context.event.restatements_by_symbol(context.phase, context.letter.written_at)
    decided = {row["stock"] for row in digits_in_events(resolution.events)}
    counted = proof.figures_in_force(
        [(f, differ.get(f.symbol, "")) for f in figures if f.symbol in decided],
        proof.applied_rulings(resolution),
    )
    return [
        (
            row.figure.symbol,
            f"{row.volume:,}" if row.volume is not None else "",
            _reason(row, context),
            local_time.localize(row.later, context.zone),
        )
        for row in counted
    ]


def _reason(row: proof.FigureInForce, context: Context) -> str:
    if row.ruled:
        return f"{row.ruled[0].lower()}{row.ruled[1:].rstrip('.')}"
    reason = local_time.localize(text.one_line(row.figure.reason), context.zone)
    return reason.removesuffix("; provisional")
