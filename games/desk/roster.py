"""Read whom a gamesmaster names: addresses with or without names, and a pasted class list.

Deal teams to pupils who have none.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from games.models.people import tidy_address
from games.rules.names import Vocabulary, vocabulary

from .words import DeskError, one_line

MOST_PUPILS = 120
LONGEST_NAME = 80
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

    Tabs, semicolons or commas separate a name, an address and a team, in any order; quotation marks
    keep what is between them together. A name may take the first two columns.
    """
    teams = vocabulary(tuple(nations), "team")
    lines = [
        (number, line.strip()[:60], _fields(line, number))
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip()
    ]
    if _has_two_names([fields for _, _, fields in lines], teams):
        lines = [
            (number, line, [" ".join(fields[:2]), *fields[2:]]) for number, line, fields in lines
        ]
    pupils = [_pupil(fields, number, line, teams) for number, line, fields in lines]
    if not pupils:
        raise DeskError(
            "Paste the class list, one pupil per line, such as “Anna Berg, anna@school.example,"
            " France”."
        )
    if len(pupils) > MOST_PUPILS:
        raise DeskError(f"The list has {len(pupils)} pupils; the limit is {MOST_PUPILS}.")
    for label, values in (
        ("name", [pupil.name for pupil in pupils]),
        ("address", [pupil.email for pupil in pupils if pupil.email]),
    ):
        often = Counter(value.lower() for value in values)
        if repeat := next((value for value in values if often[value.lower()] > 1), ""):
            raise DeskError(
                f"The {label} “{repeat}” is in the list twice. Write each pupil once; if two share"
                f" a name, add an initial."
            )
    return pupils


def _fields(line: str, number: int) -> list[str]:
    separator = next((sign for sign in "\t;," if sign in line), ",")
    (fields,) = csv.reader([line], delimiter=separator, skipinitialspace=True)
    return [one_line(field, f"Line {number}") for field in fields]


def _has_two_names(lines: Sequence[Sequence[str]], teams: Vocabulary) -> bool:
    """Return whether surname and first name stand in the first two columns of a list.

    Then no field there is empty, an address or a team, and some first field is a single word.
    """
    are_words = all(
        len(fields) > 1
        and all(field and "@" not in field and not teams.exactly(field) for field in fields[:2])
        for fields in lines
    )
    return are_words and any(len(fields[0].split()) == 1 for fields in lines)


def _pupil(fields: Sequence[str], number: int, line: str, teams: Vocabulary) -> Pupil:
    name = email = nation = ""
    for field in fields:
        if not field:
            continue
        if "@" in field:
            if email:
                raise DeskError(f"Line {number}, “{line}”, has two addresses. Write one.")
            beside, _, address = field.rpartition("<")
            email, name = _address(address, number), name or beside.strip()
        elif len(fields) > 1 and teams.exactly(field):
            nation = teams.exactly(field)
        elif name:
            heading = " If line 1 is a heading, delete it." if number == 1 else ""
            raise DeskError(
                f"Line {number}, “{line}”: “{field}” is not a team. Choose from"
                f" {', '.join(teams.names)}.{heading}"
            )
        else:
            name = field
    if not name:
        raise DeskError(f"Line {number}, “{line}”, has no name. Write the pupil’s name first.")
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
