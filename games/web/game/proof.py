"""Pages for anybody who checks us: a phase's proof, the record, and the checker."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import quote_etag
from django.views.decorators.http import condition, require_safe

from games import market, permissions, positions
from games.base import clock
from games.evidence import export
from games.models import Game, Phase
from games.pages.decorators import for_readers
from games.pages.headings import headings
from games.pages.tags.formatting import in_full
from games.records import announced, digest, proof, standalone
from games.timing import schedule
from games.turns import witnessing


@require_safe
@for_readers
def proof_page(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """Show what was announced about a phase before its digits could be known, and its result."""
    phase = get_object_or_404(game.phases, number=number)
    resolution = phase.resolutions.order_by("-version").first()
    settled = permissions.is_settled(phase)
    own = {seat.nation for seat in permissions.orderable_seats(request.user, game, phase)}
    readable = permissions.readable_nations(request.user, game, settled=settled, phase=phase)
    seals = digest.seals(phase, readable)
    readings, later = export.readings_and_later(phase) if resolution else ([], [])
    lots = proof.lots(phase, resolution) if resolution else []
    applied = proof.applied_rulings(resolution)
    context = {
        "game": game,
        "phase": phase,
        "resolution": resolution,
        "now": clock.now(),
        "nations": headings(game.card["order"]),
        "announced": announcement_of(game, phase),
        "reading_rule": _reading_rule(game, phase),
        "sales_decide": market.sales_decide(game),
        "session_rule": announced.session_rule(game),
        "fallbacks": announced.fallbacks(game),
        "leaves": digest.leaves(phase),
        "leaf_in_words": digest.LEAF_IN_WORDS,
        "digest_in_words": digest.DIGEST_IN_WORDS,
        "leaf_snippet": digest.leaf_snippet(),
        "digest_snippet": digest.digest_snippet(phase) if phase.leaves else "",
        "silent": [nation for nation in game.card["order"] if nation not in phase.leaves],
        "mine": own,
        "own_seals": [seal for seal in seals if seal.nation in own],
        "other_seals": [seal for seal in seals if seal.nation not in own],
        "workings": proof.workings(phase, resolution, applied) if resolution else [],
        "lots": lots,
        "lots_in_words": _describe_lots(game) if phase.idle or lots else (),
        "looked_up": game.rules.referee.tables_used(game.load(resolution.before), resolution.events)
        if resolution
        else (),
        "secret_draw": proof.secret_draw(game, resolution),
        "table": game.rules.guide.table(),
        # Nobody may see readings before the phase is judged: an early figure would be taken for the
        # result.
        "figures": proof.figures_in_force(
            witnessing.figures_with_restatements(
                phase,
                sorted(phase.figures.all(), key=lambda figure: figure.symbol),
                [*readings, *later],
            ),
            applied,
        )
        if resolution
        else [],
        "readings": [proof.describe_reading(row) for row in readings],
        "later_readings": [proof.describe_reading(row) for row in later],
        "checker_fingerprint": standalone.fingerprint(),
    }
    return render(request, "games/proof.html", context)


def _describe_lots(game: Game) -> tuple[str, ...]:
    """Return how anything but attack digits is drawn."""
    return game.rules.guide.lots(game.load(positions.start_position(game)))


def announcement_of(game: Game, phase: Phase | None) -> market.Announced | None:
    """Return the announcement of an open phase of attacks; None for any other phase, while it is
    paused, and if there is no session."""
    if (
        phase is None
        or phase.status != Phase.Status.OPEN
        or not phase.draws
        or phase.deadline >= schedule.STANDS
    ):
        return None
    try:
        return market.announcement(game, phase.deadline)
    except market.MarketError:
        return None


def _reading_rule(game: Game, phase: Phase) -> str:
    if phase.session and phase.session_opens and phase.session_closes:
        policy, session = market.policy_for(phase), market.session_of(phase)
        return market.describe_policy(policy, session, in_full)
    expected = announcement_of(game, phase)
    return (
        market.describe_policy(market.policy_of(game), expected.session, in_full)
        if expected and expected.session
        else ""
    )


@require_safe
@for_readers
def record(request: HttpRequest, game: Game) -> HttpResponse:
    """Serve the public record: without private parts while the game runs, then complete."""
    text = export.text(export.current(game, private=False))
    headers = {
        "Content-Disposition": f'attachment; filename="game-{game.pk}.json"',
        "Cache-Control": "no-cache",
    }
    return HttpResponse(text, content_type="application/json", headers=headers)


@require_safe
@condition(etag_func=lambda request: quote_etag(standalone.fingerprint()))
def checker(request: HttpRequest) -> HttpResponse:
    """Serve the program that checks a record, as one file. It contains only the rules."""
    headers = {
        "Content-Disposition": f'attachment; filename="{standalone.NAME}"',
        "Cache-Control": "no-cache",
    }
    return HttpResponse(standalone.build_archive(), content_type="application/zip", headers=headers)
