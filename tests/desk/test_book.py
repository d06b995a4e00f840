"""What docs/gamesmaster.md tells the gamesmaster to press, choose or write exists in those words.

Issue 43: the book followed literally. Its chapter on the telephone has tests of its own.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from django.urls import resolve

from games.rules.ruling_kinds import TITLES
from orders.inbound.parsing import desk_commands

ROOT = Path(__file__).parents[2]
BOOK = (ROOT / "docs" / "gamesmaster.md").read_text()
BY_TELEPHONE = "## 9."
#: Words of which a part changes, or which Django makes: what the source has for them.
IN_THE_SOURCE = {
    "See the game as Germany": ">See the game as {{ row.seat.nation }}<",
    "Place them": '>Place {{ pfs|pluralize:"it,them" }}<',
    "Public": "public = models.BooleanField(",
    "Proof": "<h1>Proof of {{",
}


@cache
def source() -> str:
    """Return templates, code and tables on one line, with literals joined and plain quotes."""
    files = [
        path
        for folder in ("templates", "games", "orders")
        for suffix in ("html", "py", "toml")
        for path in sorted((ROOT / folder).rglob(f"*.{suffix}"))
    ]
    joined = (re.sub(r'"\s*\n\s*f?"', "", path.read_text()) for path in files)
    return " ".join(" ".join(text.split()) for text in joined).replace("’", "'")


def labels() -> list[tuple[str, str]]:
    """Return the words that the book has in quotation marks, each with its chapter."""
    chapters = re.split(r"\n(?=##+ )", BOOK)
    return [
        (chapter.splitlines()[0], label)
        for chapter in chapters
        if not chapter.startswith(BY_TELEPHONE)
        for label in dict.fromkeys(re.findall(r"“([^”]*[a-z][^”]*)”", " ".join(chapter.split())))
    ]


@pytest.mark.parametrize(("chapter", "label"), labels())
def test_label_quoted_in_the_book_is_a_whole_label_of_the_service(chapter: str, label: str) -> None:
    if label in IN_THE_SOURCE:
        assert IN_THE_SOURCE[label] in source()
        return
    whole = rf'[>"}}›] ?{re.escape(label)} ?[<"{{:,.]'
    assert re.search(whole, source()), f"{chapter}: nothing is called “{label}”"


def test_table_of_rulings_lists_every_kind_once() -> None:
    table = re.search(r"\| kind \|.*?\n\n", BOOK, re.DOTALL)
    assert table is not None
    listed = re.findall(r"^\| ([A-Z][^|]*?) \|", table[0], re.MULTILINE)
    assert sorted(listed) == sorted(set(TITLES.values()) - {TITLES["revoke"]})


@pytest.mark.parametrize("written", ["EXTEND 24 HOURS", "REMIND", "PAUSE", "VETO: reason"])
def test_commands_of_the_book_are_read(written: str) -> None:
    assert f"`{written}`" in BOOK
    command = desk_commands.read(written)
    assert command is not None
    assert command.verb == re.split("[ :]", written)[0]


def test_addresses_of_the_book_are_pages() -> None:
    addresses = re.findall(r"`(/[\w/.…-]+)`", BOOK)
    assert addresses
    for address in addresses:
        resolve(address.replace("…", "1"))
