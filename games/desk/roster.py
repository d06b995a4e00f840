"""Read whom a gamesmaster names: addresses with or without names, and a pasted class list.

Deal teams to pupils who have none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from games.models.people import tidy_address
from games.rules.names import fold

from .words import DeskError, one_line

MOST_PUPILS = 120
LONGEST_NAME = 80
_PARTS = re.compile(r"\t|;|,")
#: Of a line of addresses: a quoted name, an address in angle brackets, a word, a separator.
_PIECES = re.compile(r'"([^"]*)"|<([^<>]*)>|([^\s,;"<>]+)|[,;]')


class Addressee(NamedTuple):
    """An address to invite, and the gamesmaster's name for the person; "" without one."""

    email: str
    name: str = ""

    def __str__(self) -> str:
        return f'"{self.name}" <{self.email}>' if self.name else self.email


def read_addressees(written: str) -> list[Addressee]:
    """Return the addresses of a line, each once, separated by commas, semicolons or blanks.

    A name counts only before an address in angle brackets, so that a mistyped address is not taken
    for the name of the next one.
    """
    read: list[Addressee] = []
    words: list[str] = []
    for quoted, bracketed, word in [*_PIECES.findall(written), ("", "", "")]:
        if quoted or word:
            words.append(quoted or word)
            continue
        own_name = [each for each in words if "@" not in each] if bracketed else []
        read += [Addressee(each) for each in words if each not in own_name]
        if bracketed:
            read.append(Addressee(bracketed.strip(), " ".join(" ".join(own_name).split())))
        words = []
    by_email: dict[str, Addressee] = {}
    for addressee in read:
        key = tidy_address(addressee.email)
        by_email[key] = max(by_email.get(key, addressee), addressee, key=lambda row: bool(row.name))
    return list(by_email.values())


@dataclass(frozen=True)
class Pupil:
    """A line of the list. `nation` is empty until the pupil has a team."""

    name: str
    email: str = ""
    nation: str = ""


def read_list(text: str, nations: Sequence[str]) -> list[Pupil]:
    """Return the pupils of a pasted list. Raise `DeskError` that quotes the first bad line.

    Commas, semicolons or tabs separate a name, an address and a team, in any order.
    """
    nation_by_key = {fold(nation): nation for nation in nations}
    pupils: list[Pupil] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            pupils.append(_pupil(line, number, nation_by_key))
    if not pupils:
        raise DeskError(
            "Paste the class list, one pupil per line, such as “Anna Berg, anna@school.example,"
            " France”."
        )
    if len(pupils) > MOST_PUPILS:
        raise DeskError(f"The list has {len(pupils)} pupils; the limit is {MOST_PUPILS}.")
    for label, values in (
        ("name", [pupil.name.lower() for pupil in pupils]),
        ("address", [pupil.email for pupil in pupils if pupil.email]),
    ):
        if repeat := next((value for value in values if values.count(value) > 1), ""):
            raise DeskError(
                f"The {label} “{repeat}” is in the list twice. Write each pupil once; if two share"
                f" a name, add an initial."
            )
    return pupils


def _pupil(line: str, number: int, known: Mapping[str, str]) -> Pupil:
    name = email = nation = ""
    shown = line.strip()[:60]
    for part in (one_line(part, f"Line {number}") for part in _PARTS.split(line)):
        if not part:
            continue
        if "@" in part:
            if email:
                raise DeskError(f"Line {number}, “{shown}”, has two addresses. Write one.")
            email = _address(part, number)
        elif fold(part) in known and (name or nation or fold(line) != fold(part)):
            nation = known[fold(part)]
        elif name:
            raise DeskError(
                f"Line {number}, “{shown}”: “{part}” is not a team. Choose from"
                f" {', '.join(known.values())}."
            )
        else:
            name = part
    if not name:
        raise DeskError(f"Line {number}, “{shown}”, has no name. Write the pupil’s name first.")
    if len(name) > LONGEST_NAME:
        raise DeskError(
            f"The name in line {number} is {len(name)} characters long; the limit is"
            f" {LONGEST_NAME}."
        )
    return Pupil(name, email, nation)


def _address(written: str, number: int) -> str:
    email = tidy_address(written.strip("<>"))
    try:
        validate_email(email)
    except ValidationError:
        raise DeskError(
            f"“{written}” in line {number} is not an e-mail address; write one such as"
            " anna@school.example."
        ) from None
    return email


def deal_teams(
    pupils: Sequence[Pupil],
    nations: Sequence[str],
    sizes: Mapping[str, int],
    there: Mapping[str, int],
) -> list[Pupil]:
    """Return the pupils with a team each. Pupils keep their team; the others fill the smallest.

    `sizes`: the relative sizes of the teams (the printed sizes, or one each). `there`: how many sit
    there already. The same list gives the same teams.
    """
    count = {
        nation: there.get(nation, 0) + sum(pupil.nation == nation for pupil in pupils)
        for nation in nations
    }
    parts = {nation: sizes.get(nation, 1) for nation in nations}
    dealt = []
    for pupil in pupils:
        if not pupil.nation:
            # First nations without a player, then the one whose next member is due first.
            nation = min(
                nations,
                key=lambda name: (
                    count[name] > 0,
                    (count[name] + 0.5) / parts[name],
                    nations.index(name),
                ),
            )
            count[nation] += 1
            pupil = replace(pupil, nation=nation)
        dealt.append(pupil)
    return dealt
