"""Typeset printouts with typst, which is loaded only here, from a template and data as JSON."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from games.base import text
from games.boards.picture import FONTS
from games.models import Game, Person, Seat
from games.models import people as models_people
from games.rules.names import all_of

HERE = Path(__file__).resolve().parent
A4, LETTER = "a4", "us-letter"
#: From this character on, writing systems that the built-in font lacks: for them typst also
#: searches the installed fonts, which takes longer.
FIRST_FOREIGN = "\u0530"
TYPE_HAS_AS_WELL = range(0x1E00, 0x2E80)


def paper_size(name: str) -> str:
    """Return the paper size with this name: US letter for “letter”, else A4."""
    return LETTER if name == "letter" else A4


def pdf(template: str | Path, data: dict[str, Any], at: datetime, paper: str = A4) -> bytes:
    """Return a printout as PDF, dated `at`. A template is a name here, or a guest's file."""
    return bytes(_compile(template, data, at, paper, "pdf"))


def picture(
    template: str | Path, data: dict[str, Any], at: datetime, paper: str = A4
) -> list[bytes]:
    """Return a printout as PNGs, one per page."""
    pages = _compile(template, data, at, paper, "png")
    return pages if isinstance(pages, list) else [pages]


def _compile(
    template: str | Path,
    data: dict[str, Any],
    at: datetime,
    paper: str,
    form: Literal["pdf", "png"],
) -> Any:
    import typst

    payload = json.dumps(
        {**data, "paper": paper, "date": [at.year, at.month, at.day]},
        ensure_ascii=False,
        sort_keys=True,
    )
    at = at.replace(microsecond=0)  # typst counts in seconds
    return typst.compile(
        str(template if isinstance(template, Path) else HERE / f"{template}.typ"),
        root=str(HERE.parent),  # games: a guest's template imports the style from here
        format=form,
        sys_inputs={"data": payload},
        font_paths=[str(FONTS)],  # for the map
        ignore_system_fonts=not any(
            character >= FIRST_FOREIGN and ord(character) not in TYPE_HAS_AS_WELL
            for character in payload
        ),
        timestamp=at,
    )


# --- shared by several printouts ---


def sender_of(game: Game) -> list[str]:
    """Return the lines of the return address: of the first gamesmaster with a postal address, else
    a gamesmaster's name."""
    people = list(game.gamesmasters.filter(is_active=True).order_by("pk"))
    people.sort(key=lambda person: not person.postal_address.strip())
    for person in people:
        if lines := address_of(person):
            return lines
    return ["The gamesmaster"]


def address_of(person: Person | None) -> list[str]:
    """Return the lines of name and postal address, without empty lines."""
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
    """Return the zone of the seat's player; the game's zone without a seat or player."""
    people = players_of(seat) if seat is not None else []
    return people[0].zone if people else game.zone
