"""The corpus: messages as mail programs send them, and the expected result of each."""

from __future__ import annotations

import tomllib
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from orders.inbound.parsing import commands, understanding
from orders.inbound.parsing.message import Message, parse

FOLDER = Path(__file__).parent / "corpus"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "expected.toml").read_text())
TODAY = date(2026, 11, 3)


@cache
def raw(name: str) -> bytes:
    return (FOLDER / f"{name}.eml").read_bytes()


def parsed(data: bytes) -> Message:
    return parse(data, own_domain="play.example.net", own_addresses=["orders@play.example.net"])


def understood(message: Message) -> commands.Script:
    return understanding.understand(message, today=TODAY)


def orders(script: commands.Script) -> dict[str, list[str]]:
    """Return the order lines of each nation."""
    return {
        item.nation: [line.text for line in item.lines]
        for item in script.items
        if isinstance(item, commands.Orders)
    }


def item_text(item: commands.Item) -> str:
    """Return an item other than orders as one line."""
    nation = f" ({item.nation})" if item.nation else ""
    match item:
        case commands.Final():
            return ("FINAL" if item.final else "NOT FINAL") + nation
        case commands.Mute():
            return "MUTE" if item.mute else "UNMUTE"
        case commands.Ask():
            return f"ASK {item.about}" + (f" {item.n}" if item.n is not None else "")
        case commands.Absent():
            first, last = item.days or ("", "")
            return f"ABSENT {first} {last}"
        case commands.PressItem():
            to = [
                *item.to,
                *(["all"] if item.to_all else []),
                *(["the gamesmaster"] if item.to_gamesmaster else []),
            ]
            number = f" {item.n}" if item.n is not None else ""
            return (
                f"{item.kind.upper()}{number} to"
                f" {', '.join(to)}{'' if item.signed else ' unsigned'}: {item.body}"
            )
    return type(item).__name__.upper() + nation
