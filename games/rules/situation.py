"""Judge one situation, as a stranger may call the rules. Knows no game by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import Json, RulesError, cards, options
from .registry import ruleset


def adjudicate(tree: Json) -> Json:
    """Judge a situation. Raise `RulesError` naming the key where its form is wrong.

    Game, card and options select the rules; the ruleset reads turn, phase and board; orders,
    volumes and reserves are checked here; then the phase is resolved as in a running game.
    """
    if not isinstance(tree, dict):
        raise RulesError("a situation must be an object")
    for key in ("game", "card", "turn", "phase", "board"):
        if key not in tree:
            raise RulesError(f"{key} is missing")
    game = tree["game"]
    if not isinstance(game, str):
        raise RulesError("game must be text")
    try:
        rules = ruleset(game)
    except RulesError as error:
        raise RulesError(f"game: {error}") from error
    card = _card(tree["card"], game)
    if isinstance(tree["card"], dict):
        try:
            rules.check_card(card)
        except cards.CardError as error:
            raise RulesError(f"card.{error}") from error
    chosen = _options(_table(tree, "options"))
    before = rules.situation(tree, card, chosen)
    senders = (*rules.nations(before), *rules.referee.seats)
    orders = _orders(_table(tree, "orders"), senders)
    volumes = _volumes(_table(tree, "volumes"))
    _alliances(tree.get("alliances", []), rules.nations(before))
    reserves = _reserves(tree["reserves"]) if "reserves" in tree else chosen["rng.reserve_list"]
    resolution = rules.resolve(before, orders, volumes, reserves)
    return {"id": tree.get("id"), **rules.answer(before, resolution)}


def _card(given: object, game: str) -> Json:
    if isinstance(given, str):
        try:
            return cards.load(game, given)
        except RulesError as error:
            raise RulesError(f"card: {error}") from error
    if not isinstance(given, dict):
        raise RulesError("card must be the name of a card or a whole card")
    if given.get("game", game) != game:
        raise RulesError(f"card.game is not {game}, the game of the situation")
    return given


def _table(tree: Json, key: str) -> Json:
    value = tree.get(key, {})
    if not isinstance(value, dict):
        raise RulesError(f"{key} must be an object")
    return value


def _options(given: Json) -> dict[str, Any]:
    try:
        return options.validate(given)
    except RulesError as error:
        raise RulesError(f"options: {error}") from error


def _orders(given: Json, nations: tuple[str, ...]) -> dict[str, str]:
    for nation, text in given.items():
        if nation not in nations:
            raise RulesError(f"orders.{nation}: not a nation of this card")
        if not isinstance(text, str):
            raise RulesError(f"orders.{nation} must be text")
    return given


def _alliances(given: object, nations: tuple[str, ...]) -> None:
    """Check that these are pairs of nations on the card.

    Each game decides what an alliance means.
    """
    if not isinstance(given, list):
        raise RulesError("alliances must be a list of pairs")
    for index, pair in enumerate(given):
        if (
            not isinstance(pair, list)
            or len(pair) != 2
            or not all(isinstance(nation, str) for nation in pair)
        ):
            raise RulesError(f"alliances[{index}] must be a pair of nations")
        for nation in pair:
            if nation not in nations:
                raise RulesError(f"alliances[{index}]: {nation} is not a nation of this card")


def _volumes(given: Json) -> Mapping[str, int | None]:
    for stock, volume in given.items():
        # A caller without a report writes null, just as `Volumes` may return None.
        if volume is not None and (isinstance(volume, bool) or not isinstance(volume, int)):
            raise RulesError(f"volumes.{stock} must be a whole number")
    return given


def _reserves(given: object) -> list[str]:
    if not isinstance(given, list):
        raise RulesError("reserves must be a list of stocks")
    for index, stock in enumerate(given):
        if not isinstance(stock, str):
            raise RulesError(f"reserves[{index}] must be text")
    return given
