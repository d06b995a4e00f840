"""What is announced about the digits of a game before anybody can know them."""

from __future__ import annotations

from games import market
from games.models import Game
from games.rules.markets import EVENING

#: What decides if sales do not.
OTHER_SOURCES = {
    "gm_dice": (
        "No session decides: the gamesmaster rolls the digits, and every roll is recorded with"
        " the gamesmaster's name."
    ),
    "commit_reveal": (
        "No session decides: the digits are computed from a seed whose hash was published when the"
        " phase opened."
    ),
}


def fallbacks(game: Game) -> list[str]:
    """Return what happens if a stock has no usable report, by the game's options, in order."""
    chosen = game.options
    if chosen["rng.source"] != "stocks":
        return []
    limits = market.limits_in_words(market.policy_of(game))
    never = "A missing, empty, zero or contradictory report is never a digit"
    if not game.rules.names_stocks:  # only the list counts
        left = (
            "If the list runs out, the remaining dice are thrown first in the next phase with dice,"
            " on another session."
        )
        return [*limits, f"{never}: the next stock of the list is read.", left]
    sentences = [*limits, f"{never}: the next stock on the attack's own line is asked."]
    if chosen["rng.stock_choice"] == "list_only":
        sentences.append("Only stocks on the reserve list count; others are passed over.")
    sentences.append(
        {
            "reserve_within_nation": (
                "A stock that an earlier line of the same nation names is passed over on the later"
                " line."
            ),
            "reserve_always": (
                "A stock that an earlier line of any nation names is passed over on the later line."
            ),
            "allow": "A stock may be named more than once, and gives the same digit each time.",
        }[chosen["rng.duplicate_stock"]]
    )
    if chosen["rng.no_stock"] == "attack_void":
        sentences.append("An attack whose own stocks give no digit is void.")
    else:
        sentences.append(
            "An attack whose own stocks give no digit takes the first unused stock of the reserve"
            " list, read from the top."
        )
        sentences.append(
            "If no stock on the list has a usable report either, the phase waits for the"
            " gamesmaster."
        )
    if game.second_source:
        sentences.append(
            f"{game.get_second_source_display()} is asked too. If the two settle on different"
            " digits, the gamesmaster rules."
        )
    return sentences


def session_rule(game: Game) -> str:
    """Return the rule for which session decides.

    If sales do not decide (`rng.source`), return what does.
    """
    if words := OTHER_SOURCES.get(game.options["rng.source"]):
        return words
    place = game.stock_market.place
    fixed = "the announced deadline, or after the lock where that came earlier"
    if game.strict_evening:
        evening = f"from {EVENING:%H:%M} {place} time of the evening before"
        return f"The session is the first whose overnight trading, {evening}, begins after {fixed}."
    where = "" if game.market == Game.Market.DEMO else f" in {place}"
    return (
        f"The session is the first{where} that opens after {fixed}: nobody can know its sales while"
        " orders can still be sent."
    )
