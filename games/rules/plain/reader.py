"""Read a text of orders line by line, in canonical or else in plain words.

The canonical parser reads every resulting order, so that a line has one meaning however it is
written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .. import Doubt, Remark
from ..orders import (
    PASS,
    Line,
    Order,
    UnreadableLine,
    line_of,
    lines,
    quote_line,
    shorten,
    unreadable_sentence,
)
from ..sifting import Accepted, Sifted, check_lines, warning
from .editions import is_canonical, parts_of
from .examples import example_about, fitting_example
from .facts import Facts, Look, UnclearLine, is_plain
from .grammar import drafts
from .quoting import quote_reading
from .sentences import is_mere_courtesy
from .stocks import exchange
from .together import Cause, ReadLine, causes, courtesies, is_courtesy
from .typography import tidy
from .words import KINDS

Read = Callable[[Line], Order]
Refusal = Callable[[Line, Order], Remark | None]


#: Most characters of two lines that may be one broken line.
_LONGEST_BROKEN = 200
#: Most characters of a line of which each sentence is read by itself if the whole is no order.
_LONGEST_PROSE = 400
_SENTENCE_END = re.compile(r"(?<=[.!?]) +")


class _Part(NamedTuple):
    """One order of a line; `rest`: the verb of which it takes all that is left."""

    line: Line
    order: Order | None
    rest: str = ""
    expected: int | None = None


class _LineReading(NamedTuple):
    """A line with its orders and remarks; `fault` says why it has none, or why it says more.

    `total` and `turn` as in `LineDrafts`. `last` is the number of its last line, where a program or
    writer broke it.
    """

    line: Line
    parts: list[_Part]
    remarks: Sequence[Remark] = ()
    fault: UnclearLine | None = None
    total: int | None = None
    turn: int | None = None
    last: int = 0
    plain: bool = False

    def as_read(self) -> ReadLine:
        return ReadLine(
            self.line,
            self.last or self.line.number,
            tuple(_canonical(part) for part in self.parts),
            bool(self.parts) or not any(remark.severity == "error" for remark in self.remarks),
            self.fault.look if self.fault else Look(like_order=True),
            self.turn,
            self.plain,
            partly=bool(self.parts) and self.fault is not None,
        )


def read_orders(
    text: str,
    read: Read,
    refusal: Refusal,
    options: Mapping[str, Any],
    facts: Callable[[], Facts],
) -> Sifted:
    """Return the orders of a text in its game's language, and remarks (orders.language).

    Remarks are about lines that are refused or corrected.
    """
    written = lines(text)
    if not written:  # frequent: letters tell every nation what happens if it sends nothing
        return Sifted([], [])
    if is_canonical(text):
        return check_lines([part for line in written for part in parts_of(line)], read, refusal)
    if is_plain(options):
        replaces = options.get("orders.amend", "replace_all") == "replace_all"
        return read_text(written, read, refusal, facts(), replaces=replaces)
    return check_lines(written, read, refusal)


def read_text(
    written: Sequence[Line], read: Read, refusal: Refusal, facts: Facts, *, replaces: bool = True
) -> Sifted:
    """Return the orders of a text in plain words, remarks, and what is in doubt.

    `replaces`: the text replaces all that its sender sent before.
    """
    results = _join_lines([_read_line(line, read, facts) for line in written], read, facts)
    read_lines = [result.as_read() for result in results]
    courteous = courtesies(read_lines)
    found = causes(read_lines, courteous, facts.turn, replaces=replaces)
    told = {cause.at for cause in found if not read_lines[cause.at].look.like_order}
    for index, result in enumerate(results):
        if index in told:
            results[index] = result._replace(remarks=())
        elif courteous[index]:
            sentence = f"{quote_line(result.line)} is a courtesy and no order."
            courtesy = Remark(result.line.number, "note", "courtesy", sentence)
            results[index] = result._replace(remarks=[courtesy])
    parts = [part for result in results for part in result.parts]
    remarks = [remark for result in results for remark in result.remarks]
    idle = {result.line.number for result in results if result.fault and result.fault.look.idle}
    if idle:
        facts = replace(facts, idle=frozenset(idle))
    accepted, remarks = _settle_rest(parts, remarks, read, refusal, facts)
    found += _wrong_totals(results, accepted)
    if not found:
        return Sifted(accepted, remarks)
    asked = [_unreadable(results[cause.at].line, cause.sentence) for cause in found]
    lines = tuple(order.words() for _, order in accepted)
    lines = lines if all(cause.readable for cause in found) else ()
    binds = any(facts.verbs[line].binds for line in lines if line != PASS)
    may_count = bool(lines) and not binds and all(cause.may_count for cause in found)
    for line, order in accepted:
        meant = "" if order.words() == line.written else f": it may mean “{order.words()}”"
        asked.append(warning(line, "in_doubt", f"is in doubt{meant}"))
    return Sifted(accepted, [*remarks, *asked], Doubt(lines, may_count))


def _wrong_totals(results: Sequence[_LineReading], accepted: Accepted) -> list[Cause]:
    """Return the totals of a text that are not what its placements come to."""
    total = sum(_placement(order)[1] for _, order in accepted)
    return [
        Cause(
            index,
            f"{quote_line(result.line)} is not what your lines come to, which is {total}, so they"
            " are not sent before you say so.",
        )
        for index, result in enumerate(results)
        if result.total not in (None, total)
    ]


def _read_line(line: Line, read: Read, facts: Facts) -> _LineReading:
    try:
        order = read(line)
    except UnreadableLine as fault:
        return _plainly(line, fault, read, facts)
    stocks: tuple[str, ...] = getattr(order, "stocks", ())
    known = exchange(facts.market)
    meant = known.joined(stocks, line.text)
    remarks = _corrected(line, [("/".join(stocks), "/".join(meant))] if meant != stocks else ())
    meant = tuple(known.symbol_for(stock, line.text) for stock in meant)
    if meant != stocks:
        order = replace(order, stocks=meant)  # type: ignore[call-arg]
    return _LineReading(line, [_Part(line, order)], remarks)


def _corrected(line: Line, slips: Iterable[tuple[str, str]]) -> list[Remark]:
    """Return a remark for each misspelled word and what it is read as."""
    return [
        Remark(
            line.number,
            "note",
            "corrected",
            f"{quote_line(line)}: “{shorten(typed)}” is read as {name}.",
        )
        for typed, name in slips
    ]


def _join_lines(lines: Sequence[_LineReading], read: Read, facts: Facts) -> list[_LineReading]:
    """Return the lines, with each that only continues the one above joined to it: MIN 4-1."""
    joined: list[_LineReading] = []
    for current in lines:
        before = joined[-1] if joined else None
        if before and current.fault:
            both = _rejoined_line(before, current, read, facts)
            open_end = before.fault or current.fault.look.continues
            if both and (open_end or _completes(before, current, both)):
                joined[-1] = both
                continue
        joined.append(current)
    return joined


def _completes(above: _LineReading, line: _LineReading, both: _LineReading) -> bool:
    """Return whether a line has the rest of the last words above: “the Baltic” and “States”."""
    before, after = [list(map(_canonical, reading.parts)) for reading in (above, both)]
    return before == after and not is_courtesy([line.as_read()], 0)


def _canonical(part: _Part) -> str:
    return part.order.words() if part.order else part.line.text.replace("{}", "THE REST", 1)


def _rejoined_line(
    first: _LineReading, second: _LineReading, read: Read, facts: Facts
) -> _LineReading | None:
    """Return a line that a program or writer broke in two; None if these are two lines."""
    if second.line.number != (first.last or first.line.number) + 1:
        return None
    if len(first.line.text) + len(second.line.text) > _LONGEST_BROKEN:
        return None
    line = Line(
        first.line.number,
        f"{first.line.written} {second.line.written}",
        f"{first.line.text} {tidy(second.line.text)}",
    )
    joined = _read_line(line, read, facts)
    if not joined.parts:
        return None
    sentence = f"{quote_line(first.line)} and {quote_line(second.line)} are read as one line."
    return joined._replace(
        remarks=[*joined.remarks, Remark(line.number, "note", "joined", sentence)],
        last=second.line.number,
    )


def _plainly(line: Line, fault: UnreadableLine, read: Read, facts: Facts) -> _LineReading:
    """Read a line that is not canonical: its orders, or why it has none."""
    try:
        drafted = drafts(line.text, facts)
        parts = []
        for index, draft in enumerate(drafted.orders):
            part = line.part(index, draft.text)
            order = None if draft.rest else read(part)
            parts.append(_Part(part, order, draft.rest, draft.expected))
    except UnclearLine as unclear:
        if partly := _partly(line, unclear, read, facts):
            return partly
        refused = _unreadable(line, _sentence(line, fault, unclear, facts))
        return _LineReading(line, [], [refused], unclear)
    except UnreadableLine as another:
        return _LineReading(line, [], [_unreadable(line, unreadable_sentence(line, another))])
    remarks = _corrected(line, drafted.slips)
    if not parts:
        noun = "a heading" if drafted.total is None else "a total"
        sentence = f"{quote_line(line)} is {noun} and no order."
        remarks.append(Remark(line.number, "note", "heading", sentence))
    return _LineReading(line, parts, remarks, total=drafted.total, turn=drafted.turn, plain=True)


def _partly(line: Line, fault: UnclearLine, read: Read, facts: Facts) -> _LineReading | None:
    """Return a line of several sentences with the orders of those that can be read.

    The others leave them in doubt: “5 in Poland. I hope that is fine.”, unless they are nothing but
    a courtesy: “5 in Poland. Bye!” None if there are no orders.
    """
    sentences = _SENTENCE_END.split(line.text)
    if len(sentences) < 2 or len(line.text) > _LONGEST_PROSE:
        return None
    readings = [_read_line(Line(line.number, text, text), read, facts) for text in sentences]
    parts = [part for reading in readings for part in reading.parts]
    if not parts:
        return None
    numbered = [
        part._replace(line=line.part(index, part.line.text)) for index, part in enumerate(parts)
    ]
    others = (reading.line.text for reading in readings if not reading.parts)
    said = None if all(map(is_mere_courtesy, others)) else fault
    return _LineReading(line, numbered, (), said, plain=True)


def _unreadable(line: Line, message: str) -> Remark:
    return Remark(line.number, "error", "unreadable", message)


def _sentence(line: Line, fault: UnreadableLine, unclear: UnclearLine, facts: Facts) -> str:
    """Return why a line is refused, with its possible readings."""
    # To say that there is no area “Atlantis” says more than that orders have no such word.
    named = bool(unclear.stray) and f"“{unclear.stray}".casefold() in str(fault).casefold()
    vague = named and not unclear.readings and not fault.verbless
    if str(unclear) and not vague:
        sentence = f"{quote_line(line)}: {unclear}."
        suggestions = " or ".join(f"“{shorten(reading)}”" for reading in unclear.readings)
        if suggestions:
            return f"{sentence} Did you mean {suggestions}?"
        return f"{sentence} {_example(line, facts)}" if unclear.example else sentence
    first = line.text.split()[0]  # “no order begins with Please” is not true in plain words
    if not fault.verbless and (first.upper() in facts.verbs or (first.casefold(),) not in KINDS):
        form = fitting_example(fault.form, facts)
        fitting = UnreadableLine(str(fault), form, near=fault.near)
        return unreadable_sentence(line, fitting)
    return f"{quote_line(line)}: this is not an order. {_example(line, facts)}"


def _example(line: Line, facts: Facts) -> str:
    return f"Example: “{example_about(line.text, facts)}”."


def _settle_rest(
    parts: Sequence[_Part], remarks: Sequence[Remark], read: Read, refusal: Refusal, facts: Facts
) -> tuple[Accepted, list[Remark]]:
    """Return the orders that are not refused, with numbers for THE REST, and all remarks.

    A line whose number cannot be known does nothing at all, and then what is left for other lines
    is unknown, too.
    """
    accepted: Accepted = []
    remarks = list(remarks)
    known = not any(
        remark.severity == "error" and remark.line not in facts.idle for remark in remarks
    )
    counts = any(part.rest for part in parts)
    last = {
        verb: index
        for index, part in enumerate(parts if counts else ())
        if (verb := part.rest or _placement(part.order)[0])
    }
    left = dict(facts.left)
    numbers = Counter(line_of(part.line.number) for part in parts)
    for index, part in enumerate(parts):
        order = part.order
        if order is None:
            try:
                order = _rest_order(part, left, read, known and last[part.rest] == index)
            except UnreadableLine as fault:
                line = line_of(part.line.number)
                error = _unreadable(part.line, f"{quote_line(part.line)}: {fault}.")
                others = [other for other in parts if line_of(other.line.number) != line]
                return _settle_rest(others, [*remarks, error], read, refusal, facts)
        verb, number = _placement(order) if counts else ("", 0)
        several = numbers[line_of(part.line.number)] > 1
        quoted = quote_reading(part.line, order) if several else part.line
        if refused := refusal(quoted, order):
            remarks.append(refused)
            known = known and not verb
        else:
            accepted.append((part.line, order))
            left[verb] = left.get(verb, 0) - number
    return accepted, remarks


def _rest_order(part: _Part, left: dict[str, int], read: Read, known: bool) -> Order:
    """Return the order for what is left. Raise `Unreadable` where that is unknown or nothing."""
    if not known or part.rest not in left:
        raise UnreadableLine("it is unclear how many are left, so write a number")
    if left[part.rest] < 1:
        raise UnreadableLine("nothing is left to place, so leave this out")
    if part.expected not in (None, left[part.rest]):
        raise UnreadableLine(f"{left[part.rest]} are left, so write how many you mean")
    return read(part.line._replace(text=part.line.text.replace("{}", str(left[part.rest]), 1)))


def _placement(order: Order | None) -> tuple[str, int]:
    """Return the verb and number of “PLACE 5 Poland” or “FROM HOME 3 Austria”.

    Return "" and 0 for any other order.
    """
    words = order.words().split() if order is not None else []
    if words[:1] == ["PLACE"]:
        return "PLACE", int(words[1])
    if words[:2] == ["FROM", "HOME"]:
        return "FROM HOME", int(words[2])
    return "", 0
