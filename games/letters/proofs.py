"""Answer PROOF for a closed phase: what decides its attacks, and how to check the digest and one's
own orders in it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from games import market
from games.base import links
from games.models import Game, Phase
from games.records import announced, digest
from games.rules.options import game_options
from games.rules.verification import entries


@dataclass(frozen=True)
class Part:
    """A heading, sentences, lines to copy verbatim, and sentences below them."""

    heading: str
    sentences: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def other_source(phase: Phase) -> str:
    """Return in words what decides instead of sales; "" where sales decide."""
    match phase.game.digit_source:
        case market.GM_DICE:
            rolls = "rolled" if phase.status == Phase.Status.RESOLVED else "now rolls"
            return f"The gamesmaster {rolls} the digits, one by one and in order."
        case market.COMMIT_REVEAL:
            return (
                "The digits come from the seed whose SHA-256 was published when the phase opened."
            )
    return ""


def parts(
    phase: Phase, nations: Collection[str], describe: Callable[[datetime], str]
) -> list[Part]:
    """Return all parts of the answer. Salts and order texts are included only for `nations`, the
    reader's own; `describe` puts an instant into words in their zone."""
    return [*_decides(phase, describe), *_digest(phase), *_own_parts(phase, nations)]


def _decides(phase: Phase, describe: Callable[[datetime], str]) -> list[Part]:
    game = phase.game
    if not phase.draws:
        return []
    if words := other_source(phase):
        hashes = (phase.seed_hash,) if phase.seed_hash else ()
        return [Part(f"{phase.title}: what decides", (words,), hashes)]
    sentences = [announced.session_rule(game)]
    if phase.session:
        policy, session = market.policy_for(phase), market.session_of(phase)
        sentences.append(market.describe_policy(policy, session, describe))
    last = "The digit is the last one of the sales in hundreds of shares."
    sentences.append(die_in_words(game) or last)
    return [
        Part(f"{phase.title}: what decides", tuple(sentences)),
        Part("Stocks that the orders name", kept=tuple(_rows(phase.stocks))),
        Part("Reserve list, from the top", kept=tuple(_rows(game.reserves))),
        Part("If a stock gives no digit", after=tuple(announced.fallbacks(game))),
    ]


def die_in_words(game: Game) -> str:
    """Return a sentence on how sales become a die roll; "" where digits decide."""
    if game.rules.names_stocks and game.rules.guide.table().thrown != "die":
        return ""
    rule = next(candidate for candidate in game_options(game.rules) if candidate.id == "rng.d6")
    return rule.does.get(str(game.options.get(rule.id, rule.default)), "")


def _rows(symbols: Collection[str]) -> list[str]:
    all_symbols = list(symbols)
    return [" ".join(all_symbols[first : first + 10]) for first in range(0, len(all_symbols), 10)]


def _digest(phase: Phase) -> list[Part]:
    leaves = [f"{nation}: {leaf}" for nation, leaf in digest.leaves(phase)]
    heading = entries.digest_heading(phase.game_id, phase.number)
    if not leaves:
        return [Part("The digest", ("No orders were in force.", heading), (phase.digest,))]
    return [
        Part("The digest", (heading,), (phase.digest,)),
        Part("Its leaves, nation by nation", kept=tuple(leaves), after=(digest.LEAF_IN_WORDS,)),
        Part(
            "To compute the digest, in Python",
            kept=tuple(digest.digest_snippet(phase).splitlines()),
            after=(
                digest.DIGEST_IN_WORDS,
                "When the game is over all orders and salts are published.",
                f"The same on a page: {links.link('proof', phase.game_id, phase.number)}",
            ),
        ),
    ]


def _own_parts(phase: Phase, nations: Collection[str]) -> list[Part]:
    return [
        Part(
            f"Your own orders for {seal.nation} (no other nation is told)",
            (f"They are leaf no. {seal.place} of {seal.leaves}. This prints it:",),
            tuple(seal.lines),
        )
        for seal in digest.seals(phase, nations)
    ]
