"""Evaluate alert rules on the text of /metrics, as Prometheus does.

Of its language only what deploy/alerts.yaml uses: metrics with or without labels, `absent(metric)`,
comparisons with a number or another metric, `and`, `or`. Anything else raises `ValueError`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from prometheus_client.parser import text_string_to_metric_families

Labels: TypeAlias = frozenset[tuple[str, str]]
#: Values by their labels.
Vector: TypeAlias = Mapping[Labels, float]
#: All values of a scrape, by name.
Samples: TypeAlias = Mapping[str, Vector]

_TOKEN = re.compile(
    r"\s*(?:(-?\d+(?:\.\d+)?)|([a-z_]+)(\{[^}]*\})?|(==|!=|>=|<=|>|<|\(|\)))", re.ASCII
)
_MATCHER = re.compile(r'(\w+)="([^"]*)"')
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def samples(text: str) -> Samples:
    """Return the values in the text of /metrics; none of an empty text, that is a failed scrape."""
    found: dict[str, dict[Labels, float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[frozenset(sample.labels.items())] = sample.value
    return found


def evaluate(expression: str, values: Samples) -> Vector:
    """Return what an expression selects: it is true if that is not empty."""
    tokens = list(_tokens(expression))
    vector, rest = _or(tokens, values)
    if rest:
        raise ValueError(f"“{expression}” goes on with {rest[0]}")
    return vector


def _tokens(expression: str) -> Iterator[tuple[str, str]]:
    """Yield the words of an expression, each with its label matchers."""
    place, text = 0, expression.strip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError(f"“{expression}”: what is “{text[place:]}”?")
        number, name, matchers, sign = match.groups()
        yield number or name or sign, matchers or ""
        place = match.end()


_Words: TypeAlias = Sequence[tuple[str, str]]


def _or(words: _Words, values: Samples) -> tuple[Vector, _Words]:
    left, words = _and(words, values)
    while words and words[0][0] == "or":
        right, words = _and(words[1:], values)
        left = {**right, **left}
    return left, words


def _and(words: _Words, values: Samples) -> tuple[Vector, _Words]:
    left, words = _comparison(words, values)
    while words and words[0][0] == "and":
        right, words = _comparison(words[1:], values)
        left = {labels: value for labels, value in left.items() if labels in right}
    return left, words


def _comparison(words: _Words, values: Samples) -> tuple[Vector, _Words]:
    left, words = _metric(words, values)
    if not words or words[0][0] not in _COMPARISONS:
        return left, words
    is_true, words = _COMPARISONS[words[0][0]], words[1:]
    if re.fullmatch(r"-?[\d.]+", words[0][0]):
        right: Vector = dict.fromkeys(left, float(words[0][0]))
        words = words[1:]
    else:
        right, words = _metric(words, values)
    return {
        labels: value
        for labels, value in left.items()
        if labels in right and is_true(value, right[labels])
    }, words


def _metric(words: _Words, values: Samples) -> tuple[Vector, _Words]:
    (name, matchers), words = words[0], words[1:]
    if name == "absent":
        if [word for word, _ in (words[0], words[2])] != ["(", ")"]:
            raise ValueError("absent() takes one metric")
        found, _ = _metric(words[1:2], values)
        return ({} if found else {frozenset(): 1.0}), words[3:]
    wanted = set(_MATCHER.findall(matchers))
    vector = values.get(name, {})
    return {labels: value for labels, value in vector.items() if wanted <= labels}, words


@dataclass
class Rule:
    """An alert. It fires for labels for which its expression has been true during `lasts`."""

    name: str
    expression: str
    lasts: timedelta
    since: dict[Labels, datetime] = field(default_factory=dict)

    @classmethod
    def of(cls, rule: Mapping[str, Any]) -> Rule:
        """Return a rule as it is in a file of rules."""
        number, unit = rule["for"][:-1], rule["for"][-1]
        lasts = timedelta(seconds=int(number) * _UNITS[unit])
        return cls(rule["alert"], rule["expr"], lasts)

    @property
    def metrics(self) -> set[str]:
        """Return the names in its expression."""
        words = {word for word, _ in _tokens(self.expression) if word[0].isalpha()}
        return words - {"and", "or", "absent"}

    def look(self, values: Samples, now: datetime) -> bool:
        """Evaluate it at an instant, later than the last; return whether it fires."""
        true = evaluate(self.expression, values)
        self.since = {labels: self.since.get(labels, now) for labels in true}
        return any(now - since >= self.lasts for since in self.since.values())
