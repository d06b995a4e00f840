"""A class list as pasted: one pupil a line, with address and team, and teams for the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from games.models.people import tidy_address
from games.rules.names import fold

from .words import DeskError, one_line

MOST_PUPILS = 120
LONGEST_NAME = 80
_PARTS = re.compile(r"\t|;|,")


@dataclass(frozen=True)
class Pupil:
    """A line of the list. `nation` is empty until a team is found for him."""

    name: str
    email: str = ""
    nation: str = ""


def read_list(text: str, nations: Sequence[str]) -> list[Pupil]:
    """Return the pupils of a pasted list. Raises `DeskError` that quotes the first bad line.

    What stands between commas, semicolons or tabs is a name, an address or a team, whichever it
    looks like, in any order.
    """
    known = {fold(nation): nation for nation in nations}
    pupils: list[Pupil] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            pupils.append(_pupil(line, number, known))
    if not pupils:
        raise DeskError(
            "Paste the class list: one pupil a line, such as “Anna Berg, anna@school.example,"
            " France”."
        )
    if len(pupils) > MOST_PUPILS:
        raise DeskError(f"The list has {len(pupils)} pupils; the limit is {MOST_PUPILS}.")
    for what, said in (
        ("name", [pupil.name.lower() for pupil in pupils]),
        ("address", [pupil.email for pupil in pupils if pupil.email]),
    ):
        if twice := next((one for one in said if said.count(one) > 1), ""):
            raise DeskError(
                f"The {what} “{twice}” is in the list twice. Write each pupil once; if two share"
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
            f"The name in line {number} is {len(name)} signs long; at most {LONGEST_NAME} are"
            " taken."
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
    """Return the pupils with a team each; who has one keeps it, the rest fill what lacks most.

    `sizes` are how many a team has of so many in all (the printed sizes, or one each); `there` who
    sits there already. The same list gives the same teams.
    """
    count = {
        nation: there.get(nation, 0) + sum(pupil.nation == nation for pupil in pupils)
        for nation in nations
    }
    parts = {nation: sizes.get(nation, 1) for nation in nations}
    found = []
    for pupil in pupils:
        if not pupil.nation:
            # Nobody is left without a player while others have two; then the one whose next member
            # is due first.
            nation = min(
                nations,
                key=lambda one: (
                    count[one] > 0,
                    (count[one] + 0.5) / parts[one],
                    nations.index(one),
                ),
            )
            count[nation] += 1
            pupil = replace(pupil, nation=nation)
        found.append(pupil)
    return found
