"""Read an order line: one of the forms, plain words that can only mean one form, or free text.

Plain orders are those of contract 3a. Because the rules accept free text unchanged, plain reading
only strips punctuation, bullets, courtesies and names of peoples: if the rest is one of the forms,
the line is that form.
"""

from __future__ import annotations

import re
from dataclasses import replace

from games.rules.names import fold
from games.rules.orders import Line
from games.rules.plain.editions import is_canonical
from games.rules.plain.facts import CANONICAL, OPTION, is_plain
from games.rules.plain.tokens import tokens
from games.rules.plain.typography import tidy
from games.rules.plain.words import DOUBTS, KINDS, PEOPLES

from . import orders
from .card import Card
from .orders import FREE, Order, UnclearOrder
from .state import State

_BEFORE = re.compile(r"(?:(?:please|kindly|i|we|i'll|we'll|will|shall|hereby)\s+)+", re.IGNORECASE)
_BEHIND = re.compile(r"[\s,]+(?:please|thanks|thank you)[.!]*$", re.IGNORECASE)
_PEOPLE = re.compile(r"\bthe\s+([A-Za-z]+)", re.IGNORECASE)
_LINK = r"\s*(?::|-\s|\bwith\b)\s*"
_WORDS = (
    (re.compile(r"^(?:ally|make an alliance) with\b", re.IGNORECASE), "ALLY"),
    (re.compile(r"^(?:make )?peace with\b", re.IGNORECASE), "PEACE"),
    (re.compile(r"^declare war (?:against|upon)\b", re.IGNORECASE), "DECLARE WAR ON"),
    (re.compile(rf"^(?:propose |form |make )?(?:an )?alliance{_LINK}", re.IGNORECASE), "ALLY "),
    (re.compile(rf"^ally{_LINK}", re.IGNORECASE), "ALLY "),
    (re.compile(rf"^(?:make |offer |sign )?peace{_LINK}", re.IGNORECASE), "PEACE "),
    (re.compile(r"^(?:end|leave|break) (?:the |our |my |an )?alliance with\b", re.IGNORECASE),
     "UNALLY"),
    (re.compile(r"^(?:declare )?war(?: on| against)?:?\s+", re.IGNORECASE), "DECLARE WAR ON "),
)  # fmt: skip


def state_for(text: str, state: State) -> State:
    """Return the state in which a text is read: canonical lines are, whatever the language."""
    if not is_canonical(text):
        return state
    return replace(state, options={**state.options, OPTION: CANONICAL})


def read_line(line: Line, state: State) -> Order:
    """Read one line of a power. Raise `Unclear` if it binds and cannot be carried out."""
    try:
        order = orders.read_line(line, state.card)
    except UnclearOrder:
        plain = _plainly(line, state)
        if plain is None:
            raise
        return plain
    in_plain_words = is_plain(state.options)
    # A GRANT may end in any words as its place, so it would take a courtesy, or the sign at the
    # end of the sentence, for part of the place.
    courteous = in_plain_words and (_BEHIND.search(line.text) or line.text.endswith(("!", ";")))
    if order.core.verb == FREE or order.stray or courteous:
        order = _plainly(line, state) or order
    if order.binding and in_plain_words and (word := _doubt(line.text)):
        raise UnclearOrder(f"“{word}” makes a binding line unclear, so leave it out")
    return order


def _doubt(text: str) -> str:
    """Return the first word that makes an order doubtful; "" if there is none."""
    doubtful = (token.text for token in tokens(text) if KINDS.get((token.folded,)) in DOUBTS)
    return next(doubtful, "")


def _plainly(line: Line, state: State) -> Order | None:
    """Return the form that the line has without its courtesies; None if it has none."""
    if not is_plain(state.options) or len(line.text) > orders.LONGEST:
        return None
    text = _BEHIND.sub("", _BEFORE.sub("", tidy(line.text), count=1)).rstrip(" .!;")
    for pattern, form in _WORDS:
        text = pattern.sub(form, text)
    text = _PEOPLE.sub(lambda match: _nation(match, state.card), text)
    if not text or text == line.text:
        return None
    try:
        order = orders.read_line(line._replace(text=text), state.card)
    except UnclearOrder:
        return None
    return None if order.core.verb == FREE or order.stray else order


def _nation(match: re.Match[str], card: Card) -> str:
    """Replace a people by its nation: "the Germans" by Germany, "the USSR" by USSR."""
    people = fold(match[1])
    named = next((power for power in card.order if people in PEOPLES.get(power, ())), match[0])
    return match[1] if people in map(fold, card.order) else named
