"""The forms of the order page: what is sent, and builders that write one line at a time.

The builders offer what the rules allow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django import forms
from django.http import QueryDict

from games.base.text import shorten
from games.rules import Choice
from games.rules.markets import NEW_YORK, Market
from games.rules.verbs import Verbs

from .pointing import PointingError, stocks_of


class OrdersForm(forms.Form):
    """What is sent with the order text, which the ledger checks."""

    final = forms.BooleanField(
        label="Final",
        required=False,
        widget=forms.CheckboxInput({"aria-describedby": "what-final-is"}),
    )


def restore_line_ends(text: str) -> str:
    """Return the text with the line ends it had in the box.

    Browsers send every line end as two characters.
    """
    return text.replace("\r\n", "\n")


@dataclass(frozen=True)
class Builder:
    """The choices of one verb: a small form on the page."""

    key: str  # "FROM-HOME"
    heading: str
    button: str
    choices: tuple[Choice, ...]
    nations: tuple[str, ...] = ()  # all nations that any of the choices may name
    listed: tuple[str, ...] = ()  # the published list, where only its stocks may be named
    # The last choices in this form, so that a page that comes back still shows them.
    number: str = "1"
    counters: str = ""
    area: str = ""
    stocks: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    @property
    def areas(self) -> tuple[str, ...]:
        return tuple(choice.area for choice in self.choices if choice.area)

    @property
    def most(self) -> int | None:
        return max(
            (choice.most for choice in self.choices if choice.most is not None), default=None
        )

    @property
    def face_down(self) -> bool:
        """Return whether the line may say which counters are laid face down."""
        return any(choice.counters for choice in self.choices)

    @property
    def what(self) -> str:
        """Return the word for what the number counts."""
        return "blanks" if any(choice.blanks for choice in self.choices) else "PFs"

    @property
    def stock(self) -> bool:
        return any(choice.stock for choice in self.choices)

    @property
    def picks(self) -> tuple[tuple[str, str], ...]:
        """Return the stocks last picked from the list, in order of use, each with a label."""
        return tuple(zip(("Stock", "or then", "or then"), (*self.stocks, "", "", ""), strict=False))

    @property
    def many(self) -> bool:
        """Return whether the line may name several nations."""
        return any(choice.many for choice in self.choices)


def builders(
    verbs: Verbs,
    choices: Sequence[Choice],
    order: Sequence[str],
    typed: QueryDict | None = None,
    listed: Sequence[str] = (),
) -> list[Builder]:
    """Return one builder for each verb, in the order the rules offer them.

    `order` sorts the nations (scenario order). `listed`: the only stocks that may be named, if not
    empty. `typed`: the form as last sent.
    """
    typed = typed or QueryDict()
    by_verb: dict[str, list[Choice]] = {}
    for choice in choices:
        by_verb.setdefault(choice.verb, []).append(choice)
    verb_builders = []
    for verb, verb_choices in by_verb.items():
        words = verbs[verb]
        offered_nations = {nation for choice in verb_choices for nation in choice.nations}
        key = verb.replace(" ", "-")
        verb_builders.append(
            Builder(
                key,
                words.heading or verb.capitalize(),
                words.button or "Add",
                tuple(verb_choices),
                tuple(nation for nation in order if nation in offered_nations),
                number=typed.get(f"{key}-number", "1"),
                area=typed.get(f"{key}-area", ""),
                counters=typed.get(f"{key}-counters", ""),
                listed=tuple(listed),
                stocks=tuple(typed.getlist(f"{key}-stock")),
                named=tuple(typed.getlist(f"{key}-nations")),
            )
        )
    return verb_builders


def built_line(
    choices: Sequence[Choice], key: str, typed: QueryDict, market: Market = NEW_YORK
) -> str:
    """Return the order line for the choices made under the heading `key`.

    Raise `PointingError` if the rules do not offer that line.
    """
    verb = key.replace("-", " ")
    verb_choices = [choice for choice in choices if choice.verb == verb]
    area = typed.get(f"{key}-area") or None
    choice = next((item for item in verb_choices if item.area == area), None)
    if choice is None:
        raise PointingError("You cannot order that in this phase. Choose again.")
    number = 1
    if choice.most is not None:
        number = _number(
            str(typed.get(f"{key}-number", "")), choice.most, "blanks" if choice.blanks else "PFs"
        )
    nations = _chosen_nations(choice, typed.getlist(f"{key}-nations"))
    typed_stocks = " ".join(map(str, typed.getlist(f"{key}-stock"))) if choice.stock else ""
    counters = counters_of(choice, str(typed.get(f"{key}-counters", "")), number)
    return choice.line(number, nations, list(stocks_of(typed_stocks, market=market)), counters)


def counters_of(choice: Choice, text: str, number: int) -> list[int]:
    """Return the values of the counters typed for a line that lays PFs face down, such as “3+1”.

    Return an empty list if none were typed; then the fewest counters are used. Raise
    `PointingError` for an unknown counter, or where the sum is not `number`.
    """
    parts = [part for part in re.split(r"[+,\s]+", text) if part]
    if not choice.counters or not parts:
        return []
    values = {str(value): value for value in choice.counters}
    for part in parts:
        if part not in values:
            raise PointingError(
                f"“{shorten(part)}” is not a counter; there are {', '.join(values)}."
            )
    if sum(values[part] for part in parts) != number:
        raise PointingError(
            f"“{shorten(text)}” comes to {sum(values[part] for part in parts)}, and the line places"
            f" {number}."
        )
    return [values[part] for part in parts]


def _chosen_nations(choice: Choice, typed: Sequence[str]) -> list[str]:
    """Return the nations that the line names.

    Where only one can be named, the player need not choose it. Raise `PointingError` where a choice
    is missing or not possible.
    """
    nations = [nation for nation in typed if nation in choice.nations]
    if not choice.nations or nations:
        return nations
    if len(choice.nations) == 1 and not typed:
        return list(choice.nations)
    names, where = ", ".join(choice.nations), f" in {choice.area}" if choice.area else ""
    if typed:
        raise PointingError(f"“{shorten(typed[0])}” is not possible{where}; choose from {names}.")
    raise PointingError(f"Choose a nation{where}: {names}.")


def _number(text: str, most: int, what: str = "PFs") -> int:
    """Return the number typed. Raise `PointingError` unless it is from 1 to `most`."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= most:
        sentence = (
            f"“{shorten(text)}” is not a number of {what}; write" if text.strip() else "Write"
        )
        raise PointingError(f"{sentence} a whole number from 1 to {most}.")
    return number
