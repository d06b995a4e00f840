"""The language of orders: a line in one of the forms, in plain words that mean one (contract 3a),
or free text.

Free text is taken as it is, so plain reading goes no further than signs, bullets, courtesies and
peoples: where a line is one of the forms without them, it is that.
"""

from __future__ import annotations

import re

from ..names import fold
from ..orders import Line
from ..plain.facts import OPTION, PLAIN
from ..plain.tokens import tokens
from ..plain.typography import tidy
from ..plain.words import DOUBTS, KINDS, PEOPLES
from . import orders
from .card import Card
from .orders import FREE, Order, Unclear
from .state import State

_BEFORE = re.compile(r"(?:(?:please|kindly|i|we|i'll|we'll|will|shall|hereby)\s+)+", re.IGNORECASE)
_BEHIND = re.compile(r"[\s,]+(?:please|thanks|thank you)[.!]*$", re.IGNORECASE)
_PEOPLE = re.compile(r"\bthe\s+([A-Za-z]+)", re.IGNORECASE)
_WORDS = (
    (re.compile(r"^(?:ally|make an alliance) with\b", re.IGNORECASE), "ALLY"),
    (re.compile(r"^(?:make )?peace with\b", re.IGNORECASE), "PEACE"),
    (re.compile(r"^declare war (?:against|upon)\b", re.IGNORECASE), "DECLARE WAR ON"),
)


def read_line(line: Line, state: State) -> Order:
    """One line of a power. Raises `Unclear` where it binds and cannot be carried out."""
    try:
        order = orders.read_line(line, state.card)
    except Unclear:
        plain = _plainly(line, state)
        if plain is None:
            raise
        return plain
    if order.core.verb == FREE or order.stray:
        order = _plainly(line, state) or order
    if order.binding and state.options[OPTION] == PLAIN and (word := _doubt(line.text)):
        raise Unclear(f"“{word}” makes a binding line unclear, so leave it out")
    return order


def _doubt(text: str) -> str:
    """The first word that leaves an order in doubt; "" for none."""
    found = (token.text for token in tokens(text) if KINDS.get((token.folded,)) in DOUBTS)
    return next(found, "")


def _plainly(line: Line, state: State) -> Order | None:
    """The form that the line is without its courtesies; None for none."""
    if state.options[OPTION] != PLAIN or len(line.text) > orders.LONGEST:
        return None
    text = _BEHIND.sub("", _BEFORE.sub("", tidy(line.text), count=1)).rstrip(" .!;")
    for pattern, form in _WORDS:
        text = pattern.sub(form, text)
    text = _PEOPLE.sub(lambda said: _nation(said, state.card), text)
    if not text or text == line.text:
        return None
    try:
        order = orders.read_line(line._replace(text=text), state.card)
    except Unclear:
        return None
    return None if order.core.verb == FREE or order.stray else order


def _nation(said: re.Match[str], card: Card) -> str:
    """The Germans: Germany."""
    people = fold(said[1])
    return next((power for power in card.order if people in PEOPLES.get(power, ())), said[0])
