"""Read an order line: one of the forms, plain words that can only mean one form, or free text.

Because the rules accept free text unchanged, plain reading
only strips punctuation, bullets, courtesies and names of peoples: if the rest is one of the forms,
the line is that form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
from .state import REFEREE, State

_BEFORE = re.compile(r"(?:(?:please|kindly|i|we|i'll|we'll|will|shall|hereby)\s+)+", re.IGNORECASE)
#: The verb after a nation as the subject: “France declares war”, “France allies with Britain”.
_THIRD_PERSON = re.compile(r"(?P<stem>\w+?)(?P<ending>ies|s)\b", re.IGNORECASE)
_BEHIND = re.compile(r"[\s,]+(?:please|thanks|thank you)[.!]*$", re.IGNORECASE)
_PEOPLE = re.compile(r"\bthe\s+([A-Za-z]+)", re.IGNORECASE)


#: How a line goes on that its writer or a mail program broke: the words inside the forms.
_GOES_ON = re.compile(r"(?:TO|VIA|USING|IN|WITH|THEN|AGAINST|FROM|AT|THROUGH)\s", re.IGNORECASE)
#: Between two orders of one line: a place may be any words, so it would take the second.
_SEVERAL = re.compile(r";\s*\w")
_SEA = re.compile(r"\bvia\s+(?:the\s+)?(med\w*|baltic)(?:\s+sea)?\b", re.IGNORECASE)
_USING_VIA = re.compile(r"^(.+?)(\s+using\s.+?)(\s+via\s+\S+)$", re.IGNORECASE)


def _accepted(match: re.Match[str]) -> str:
    return f"{'ALLY' if match[2] else 'PEACE'} {match[1]}"


_LINK = r"\s*(?::|-\s|\bwith\b|\bto\b)\s*"
_OFFER = r"(?:(?:propose|offer|accept|agree to|form|make|conclude|sign)\s+)?(?:an\s+|the\s+)?"
_PERMIT, _KIND = r"(?:grant|allow|permit|give)", r"(?:supply|transit|base|lend[ -]lease|transport)"
_WORDS = tuple(
    (re.compile(rf"^{words}", re.IGNORECASE), form)
    for words, form in (
        (r"(?:offer|propose) (.+) peace$", r"PEACE \1"),
        (r"(?:offer|propose) (.+) an alliance$", r"ALLY \1"),
        (r"accept (.+)['’]s? (?:offer of )?(?:an )?(?:(alliance)|peace)(?: offer)?$", _accepted),
        (rf"{_OFFER}alliance{_LINK}", "ALLY "),
        (rf"ally{_LINK}", "ALLY "),
        (rf"{_OFFER}peace{_LINK}", "PEACE "),
        (r"(?:end|leave|break|dissolve) (?:the |our |my |an )?alliance with\b", "UNALLY"),
        (r"(?:declare )?war(?: on| against| upon)?:?\s+", "DECLARE WAR ON "),
        (r"if (.+?), (?:then )?", r"IF \1 THEN "),
        (rf"{_PERMIT} ({_KIND} to)\b", r"GRANT \1"),
        (rf"{_PERMIT} (.+?) (?:an? )?({_KIND})(?= in | at | through |$)", r"GRANT \2 TO \1"),
    )
)


def state_for(text: str, state: State) -> State:
    """Return the state in which a text is read: canonical lines are, whatever the language."""
    if not is_canonical(text):
        return state
    return replace(state, options={**state.options, OPTION: CANONICAL})


def reads_as_written(state: State) -> bool:
    """Return whether texts are as their senders wrote them.

    Those that a position keeps for the gamesmaster's reports are read line by line, as 0.1.0 did,
    so that its records keep their results (`checking.kept_text`).
    """
    return is_plain(state.options) and state.step != REFEREE


def read_lines(
    written: Sequence[Line], power: str, state: State
) -> Iterator[tuple[Line, Order | UnclearOrder]]:
    """Yield each line with its order, or with what is unclear in it.

    A line that only goes on, such as “VIA MED”, is read with the one above.
    """
    at = 0
    while at < len(written):
        line, read = written[at], try_line(written[at], power, state)
        at += 1
        while at < len(written) and _may_go_on(read, written[at - 1], written[at], state):
            below = written[at]
            both = Line(line.number, f"{line.written} {below.written}", f"{line.text} {below.text}")
            joined = try_line(both, power, state)
            if not isinstance(joined, Order) or not _continues(read, joined):
                break
            line, read, at = both, joined, at + 1
        yield line, read


def try_line(line: Line, power: str, state: State) -> Order | UnclearOrder:
    """Return the order of one line, or what is unclear in it."""
    try:
        return read_line(line, power, state)
    except UnclearOrder as fault:
        return fault


def _may_go_on(read: Order | UnclearOrder, last: Line, below: Line, state: State) -> bool:
    """Return whether the line right below a form, or what begins like one, may go on with it."""
    is_form = isinstance(read, UnclearOrder) or read.core.verb != FREE or bool(read.stray)
    is_next = reads_as_written(state) and below.number == last.number + 1
    return is_form and is_next and _GOES_ON.match(below.text) is not None


def _continues(read: Order | UnclearOrder, joined: Order) -> bool:
    """Return whether the second line only adds what the order of the first does not have yet."""
    core = joined.core
    if joined.verb == FREE or core.stray:
        return False
    if isinstance(read, UnclearOrder) or read.core.verb == FREE:
        return True
    said, now = _said(read.core), _said(core)
    return read.core.verb == core.verb and all(
        before in (after, "", (), None) for before, after in zip(said, now, strict=True)
    )


def _said(order: Order) -> tuple[object, ...]:
    return (
        order.sp, order.origin, order.to, order.country, order.powers, order.sea, order.using,
    )  # fmt: skip


def read_line(line: Line, power: str, state: State) -> Order:
    """Read one line of a power. Raise `Unclear` if it binds and cannot be carried out."""
    try:
        order = orders.read_line(line, state.card)
    except UnclearOrder:
        plain = _plainly(line, power, state)
        if plain is None:
            raise
        return plain
    in_plain_words = is_plain(state.options)
    # A GRANT may end in any words as its place, so it would take a courtesy, or the sign at the
    # end of the sentence, for part of the place.
    courteous = in_plain_words and (_BEHIND.search(line.text) or line.text.endswith(("!", ";")))
    in_place = reads_as_written(state) and _SEA.search(
        order.core.to
    )  # TO Suez VIA the Mediterranean
    if order.core.verb == FREE or order.stray or courteous or in_place:
        order = _plainly(line, power, state) or order
    if order.binding and reads_as_written(state) and _SEVERAL.search(order.text):
        raise UnclearOrder("it has several orders, so write each in a line of its own", order.verb)
    if order.binding and in_plain_words and (word := _doubt(line.text)):
        raise UnclearOrder(f"“{word}” makes a binding line unclear, so leave it out", order.verb)
    return order


def _doubt(text: str) -> str:
    """Return the first word that makes an order doubtful; "" if there is none."""
    doubtful = (token.text for token in tokens(text) if KINDS.get((token.folded,)) in DOUBTS)
    return next(doubtful, "")


def _plainly(line: Line, power: str, state: State) -> Order | None:
    """Return the form that the line has without its courtesies; None if it has none."""
    if not is_plain(state.options) or len(line.text) > orders.LONGEST:
        return None
    text = _BEHIND.sub("", _without_subject(tidy(line.text), power)).rstrip(" .!;")
    for pattern, form in _WORDS:
        text = pattern.sub(form, text)
    if reads_as_written(state):
        text = _USING_VIA.sub(r"\1\3\2", _SEA.sub(r"VIA \1", text))
    text = _PEOPLE.sub(lambda match: _nation(match, state.card), text)
    if not text or text == line.text:
        return None
    try:
        order = orders.read_line(line._replace(text=text), state.card)
    except UnclearOrder:
        return None
    if order.condition is not None:  # its comma may part anything else: “If A, B or C attack, hold”
        return order if order.condition.kind else None
    return None if order.core.verb == FREE or order.stray else order


def _without_subject(text: str, power: str) -> str:
    """Return a line without who orders: “I”, “we”, or the writer's own power."""
    text = _BEFORE.sub("", text, count=1)
    names = "|".join(map(re.escape, (power, *PEOPLES.get(power, ()))))
    own = re.match(rf"(?:the\s+)?(?:{names})\s+", text, re.IGNORECASE)
    if own is None:
        return text
    said = _BEFORE.sub("", text[own.end() :], count=1)
    verb = _THIRD_PERSON.match(said)
    if verb is None:
        return said
    return verb["stem"] + ("y" if len(verb["ending"]) > 1 else "") + said[verb.end() :]


def _nation(match: re.Match[str], card: Card) -> str:
    """Replace a people by its nation: "the Germans" by Germany, "the USSR" by USSR."""
    people = fold(match[1])
    named = next((power for power in card.order if people in PEOPLES.get(power, ())), match[0])
    return match[1] if people in map(fold, card.order) else named
