"""What PROOF sends about a closed phase: what decides, and how anybody can check the digest and
their own orders in it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from games import market
from games.models import Phase
from games.records import proof
from gamesmaster import links


@dataclass(frozen=True)
class Part:
    """A heading, sentences, lines to copy as they stand, and sentences below them."""

    heading: str
    sentences: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def other_source(phase: Phase) -> str:
    """What decides where no sales do, in words; nothing where they do."""
    match market.source_of(phase.game):
        case market.GM_DICE:
            return "The gamesmaster now rolls the digits, one by one and in order."
        case market.COMMIT_REVEAL:
            return "The seed decides whose SHA-256 was published when the phase opened."
    return ""


def parts(phase: Phase, nations: Collection[str]) -> list[Part]:
    """Return everything about a closed phase; salts and texts only of `nations`, which are the
    reader's own."""
    return [*_decides(phase), *_digest(phase), *_own(phase, nations)]


def _decides(phase: Phase) -> list[Part]:
    game = phase.game
    if not phase.draws:
        return []
    if words := other_source(phase):
        hashes = (phase.seed_hash,) if phase.seed_hash else ()
        return [Part(f"{phase.title}: what decides", (words,), hashes)]
    said = [proof.session_rule(game)]
    if phase.session:
        said.append(market.in_words(market.policy_for(phase), market.session_of(phase)))
    said.append("The digit is the last one of the sales in hundreds of shares.")
    return [
        Part(f"{phase.title}: what decides", tuple(said)),
        Part("Stocks that the orders name", kept=tuple(_rows(phase.stocks))),
        Part("Reserve list, from the top", kept=tuple(_rows(game.reserves))),
        Part("If a stock gives no digit", after=tuple(proof.fallbacks(game))),
    ]


def _rows(symbols: Collection[str]) -> list[str]:
    listed = list(symbols)
    return [" ".join(listed[first : first + 10]) for first in range(0, len(listed), 10)]


def _digest(phase: Phase) -> list[Part]:
    leaves = [f"{nation}: {leaf}" for nation, leaf in proof.leaves(phase)]
    if not leaves:
        return [Part("The digest", ("No orders were in force.",), (phase.digest,))]
    return [
        Part("The digest", ("SHA-256 over all orders in force:",), (phase.digest,)),
        Part("Its leaves, nation by nation", kept=tuple(leaves), after=(proof.LEAF_IN_WORDS,)),
        Part(
            "To compute the digest, in Python",
            kept=tuple(proof.digest_snippet(phase).splitlines()),
            after=(
                proof.DIGEST_IN_WORDS,
                "When the game is over all orders and salts are published.",
                f"The same on a page: {links.link('proof', phase.game_id, phase.number)}",
            ),
        ),
    ]


def _own(phase: Phase, nations: Collection[str]) -> list[Part]:
    return [
        Part(
            f"Your own orders for {seal.nation} (nobody else is told)",
            (f"They are leaf no. {seal.place} of {seal.leaves}. This prints it:",),
            tuple(seal.lines),
        )
        for seal in proof.seals(phase, nations)
    ]
