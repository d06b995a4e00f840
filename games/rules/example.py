"""Examples by which pages explain the rules: positions, and what the engine itself makes of them."""

from __future__ import annotations

from dataclasses import dataclass

from . import Board


@dataclass(frozen=True)
class Example:
    """`orders` are lines by nation, `told` what the engine said when it judged them; `figures` are worked out beside it, by name."""

    name: str
    area: str
    before: Board
    after: Board
    orders: tuple[tuple[str, tuple[str, ...]], ...]
    told: tuple[str, ...]
    figures: dict[str, object]
