"""The page's ways to write orders: the text itself, and a builder that makes one line at a time out
of what the rules offer."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict

from games.rules import Choice
from games.rules.markets import NEW_YORK, Market
from gamesmaster.text import short

from .pointing import ONE_OPPONENT, PointingError, stocks_of

#: What the builder calls a verb: a heading, and the words on its button.
HEADINGS = {
    "PLACE": ("Place new PFs", "Add placement"),
    "FROM HOME": ("Move PFs from home", "Add move"),
    "BLANKS": ("Lay blanks face down", "Add blanks"),
    "ATTACK": ("Attack", "Add attack"),
    "UNDERSTANDING": ("Place an Understanding", "Add Understanding"),
    "CONTROL": ("Place CONTROL", "Add CONTROL"),
    "SHARE": ("Share CONTROL", "Add share"),
    "STANDING UNDERSTANDING ALL": ("Every Understanding, every turn", "Add standing wish"),
    "LOSE UNDERSTANDING FIRST": ("Lose an Understanding first", "Add what is lost first"),
    "LOSE UNDERSTANDING FIRST ALL": ("Lose every Understanding first", "Add for everywhere"),
    "ALLY": ("Name an ally", "Add alliance"),
    "LEAVE ALLIANCE": ("Leave the alliance", "Write LEAVE ALLIANCE"),
    "UNALLY": ("End an alliance", "Write UNALLY"),
    "PEACE": ("Offer peace, or accept it", "Add PEACE"),
    "DECLARE WAR ON": ("Declare war", "Add declaration"),
    "PASS": ("Send no orders on purpose", "Write PASS"),
}


class OrdersForm(forms.Form):
    """The order text. Blanks at its ends are the player's own and are kept: the ledger stores what
    was sent."""

    text = forms.CharField(
        label="Your orders",
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={
                "rows": 12,
                "spellcheck": "false",
                "autocapitalize": "characters",
                "autocomplete": "off",
            }
        ),
    )
    final = forms.BooleanField(label="My orders are final", required=False)

    def clean_text(self) -> str:
        return as_typed(self.cleaned_data["text"])


def as_typed(text: str) -> str:
    """The text as it stood in the box: browsers send every line end as two characters."""
    return text.replace("\r\n", "\n")


@dataclass(frozen=True)
class Builder:
    """The choices of one verb: one little form of the page."""

    key: str  # "FROM-HOME"
    heading: str
    button: str
    choices: tuple[Choice, ...]
    nations: tuple[str, ...] = ()  # all that any of the choices may name
    listed: tuple[str, ...] = ()  # the published list, where no other stock may be named
    # What was last chosen here, so that a page that comes back has it still.
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
        """Whether the line may say which counters are laid face down."""
        return any(choice.counters for choice in self.choices)

    @property
    def what(self) -> str:
        """What the number counts."""
        return "blanks" if any(choice.blanks for choice in self.choices) else "PFs"

    @property
    def stock(self) -> bool:
        return any(choice.stock for choice in self.choices)

    @property
    def picks(self) -> tuple[tuple[str, str], ...]:
        """What was last picked from the list, in order of use, with a label for each place."""
        return tuple(zip(("Stock", "or then", "or then"), (*self.stocks, "", "", ""), strict=False))

    @property
    def many(self) -> bool:
        """Whether several nations may be named: a share has one partner, an attack any number of
        targets unless its form says one."""
        return self.stock and not self.one_opponent

    @property
    def one_opponent(self) -> bool:
        return any(choice.form == ONE_OPPONENT for choice in self.choices)


def builders(
    choices: Sequence[Choice],
    order: Sequence[str],
    typed: QueryDict | None = None,
    listed: Sequence[str] = (),
) -> list[Builder]:
    """The choices sorted by verb, as the rules offer them, with nations in card order. `listed`:
    the only stocks that may be named."""
    typed = typed or QueryDict()
    by_verb: dict[str, list[Choice]] = {}
    for choice in choices:
        by_verb.setdefault(choice.verb, []).append(choice)
    made = []
    for verb, offered in by_verb.items():
        heading, button = HEADINGS.get(verb, (verb.capitalize(), "Add"))
        named = {nation for choice in offered for nation in choice.nations}
        key = verb.replace(" ", "-")
        made.append(
            Builder(
                key,
                heading,
                button,
                tuple(offered),
                tuple(nation for nation in order if nation in named),
                number=typed.get(f"{key}-number", "1"),
                area=typed.get(f"{key}-area", ""),
                counters=typed.get(f"{key}-counters", ""),
                listed=tuple(listed),
                stocks=tuple(typed.getlist(f"{key}-stock")),
                named=tuple(typed.getlist(f"{key}-nations")),
            )
        )
    return made


def language_of(choices: Collection[Choice]) -> dict[str, Any]:
    """Return what the page that explains the order language needs to know of the choices."""
    return {
        "face_down": any(choice.counters for choice in choices),
        "offered": {choice.verb: choice.conditions for choice in choices},
    }


def built_line(
    choices: Sequence[Choice], key: str, typed: QueryDict, market: Market = NEW_YORK
) -> str:
    """Return the order line for what was chosen under one heading. Raises `PointingError`."""
    verb = key.replace("-", " ")
    offered = [choice for choice in choices if choice.verb == verb]
    area = typed.get(f"{key}-area") or None
    choice = next((one for one in offered if one.area == area), None)
    if choice is None:
        raise PointingError("That cannot be ordered in this phase; choose again.")
    number = 1
    if choice.most is not None:
        number = _number(
            str(typed.get(f"{key}-number", "")), choice.most, "blanks" if choice.blanks else "PFs"
        )
    nations = _named(choice, typed.getlist(f"{key}-nations"))
    named = " ".join(map(str, typed.getlist(f"{key}-stock"))) if choice.stock else ""
    counters = counters_of(choice, str(typed.get(f"{key}-counters", "")), number)
    return choice.line(number, nations, list(stocks_of(named, market=market)), counters)


def counters_of(choice: Choice, text: str, number: int) -> list[int]:
    """The counters typed for a line that lays PFs face down: “3+1”; none typed: the fewest. Raises
    `PointingError`."""
    parts = [part for part in re.split(r"[+,\s]+", text) if part]
    if not choice.counters or not parts:
        return []
    known = {str(value): value for value in choice.counters}
    for part in parts:
        if part not in known:
            raise PointingError(f"“{short(part)}” is no counter; there are {', '.join(known)}.")
    if sum(known[part] for part in parts) != number:
        raise PointingError(
            f"“{short(text)}” comes to {sum(known[part] for part in parts)}, and the line places"
            f" {number}."
        )
    return [known[part] for part in parts]


def _named(choice: Choice, typed: Sequence[str]) -> list[str]:
    """Whom the line names. Where only one can be named, nobody need be chosen."""
    nations = [nation for nation in typed if nation in choice.nations]
    if not choice.nations or nations:
        return nations
    if len(choice.nations) == 1 and not typed:
        return list(choice.nations)
    offered, where = ", ".join(choice.nations), f" in {choice.area}" if choice.area else ""
    if typed:
        raise PointingError(f"“{short(typed[0])}” cannot be named{where}; choose among {offered}.")
    raise PointingError(f"Nobody has been chosen{where}; choose among {offered}.")


def _number(text: str, most: int, what: str = "PFs") -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= most:
        said = f"“{short(text)}” is not a number of {what}; write" if text.strip() else "Write"
        raise PointingError(f"{said} a whole number from 1 to {most}.")
    return number
