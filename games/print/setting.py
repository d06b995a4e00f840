"""Set a sheet by typst, loaded only here: a template, its data as JSON, and PDF out."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from games.boards.picture import FONTS
from games.models import Game, Person, Seat
from games.models import people as models_people
from games.rules.names import all_of
from gamesmaster import text

HERE = Path(__file__).resolve().parent
A4, LETTER = "a4", "us-letter"
#: From here on writing systems that the built-in type does not have: then whatever is installed is
# looked through, which takes longer.
FIRST_FOREIGN = "\u0530"
TYPE_HAS_AS_WELL = range(0x1E00, 0x2E80)


def paper_size(name: str) -> str:
    """The sheet somebody asks for: American letter, or A4 like everybody else."""
    return LETTER if name == "letter" else A4


def pdf(template: str, data: dict[str, Any], at: datetime, paper: str = A4) -> bytes:
    """A sheet as PDF, dated `at`."""
    return bytes(_set(template, data, at, paper, "pdf"))


def picture(template: str, data: dict[str, Any], at: datetime, paper: str = A4) -> list[bytes]:
    """The same as pictures, a page each."""
    pages = _set(template, data, at, paper, "png")
    return pages if isinstance(pages, list) else [pages]


def _set(
    template: str, data: dict[str, Any], at: datetime, paper: str, form: Literal["pdf", "png"]
) -> Any:
    import typst

    told = json.dumps(
        {**data, "paper": paper, "date": [at.year, at.month, at.day]},
        ensure_ascii=False,
        sort_keys=True,
    )
    at = at.replace(microsecond=0)  # typst counts in seconds
    return typst.compile(
        str(HERE / f"{template}.typ"),
        root=str(HERE),
        format=form,
        sys_inputs={"data": told},
        font_paths=[str(FONTS)],  # for the map
        ignore_system_fonts=not any(
            sign >= FIRST_FOREIGN and ord(sign) not in TYPE_HAS_AS_WELL for sign in told
        ),
        timestamp=at,
    )


# --- what several sheets say ---


def sender_of(game: Game) -> list[str]:
    """Return a return address in lines: the gamesmaster's who gave one, else the first named."""
    people = list(game.gamesmasters.filter(is_active=True).order_by("pk"))
    people.sort(key=lambda person: not person.postal_address.strip())
    for person in people:
        if lines := address_of(person):
            return lines
    return ["The gamesmaster"]


def address_of(person: Person | None) -> list[str]:
    """Name and postal address, line by line, without empty lines."""
    if person is None:
        return []
    lines = [text.one_line(line) for line in (person.name, *person.postal_address.splitlines())]
    return [line for line in lines if line]


def players_of(seat: Seat) -> list[Person]:
    return [
        sitting.person
        for sitting in seat.sittings.current().select_related("person").order_by("pk")
    ]


def names_of(seat: Seat) -> str:
    return all_of([name for name in map(models_people.who, players_of(seat)) if name])


def zone_of(seat: Seat | None, game: Game) -> str:
    """Return the reader's zone; the game's where nobody in particular reads it."""
    people = players_of(seat) if seat is not None else []
    return people[0].zone if people else game.zone
