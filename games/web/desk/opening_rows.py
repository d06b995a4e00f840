"""Rows and sections of the page that opens a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.forms.boundfield import BoundField

from games.pages.headings import Heading
from games.rules import options
from games.web.scenarios.tables import Tables


@dataclass(frozen=True)
class CardChoice:
    """A scenario on offer, with its tables to read before choosing."""

    button: Any  # the radio button
    tables: Tables
    nations: Mapping[str, Heading]
    note: str
    owner: str  # empty for scenarios that come with the service


@dataclass(frozen=True)
class OptionRow:
    """An option of the rules with its field, and what each value does."""

    option: options.Option
    field: BoundField
    values: tuple[tuple[str, str], ...]  # label and effect of each value; the default first
    usual: str
    changed: bool


@dataclass(frozen=True)
class Line:
    """A collapsed section of the page, with its current settings; open if it has errors."""

    value: str
    open: bool


@dataclass(frozen=True)
class SettingSection:
    """Settings that are chosen together, collapsed, with what is set now; open if it has errors."""

    title: str
    rows: tuple[BoundField, ...]
    value: str

    @property
    def open(self) -> bool:
        return any(row.errors for row in self.rows)

    @property
    def blocks(self) -> list[list[BoundField]]:
        """The rows, where a number stands beside the choice or number before it."""
        blocks: list[list[BoundField]] = []
        for row in self.rows:
            beside = blocks and blocks[-1][-1].widget_type in ("select", "number")
            if row.widget_type == "number" and beside:
                blocks[-1].append(row)
            else:
                blocks.append([row])
        return blocks


@dataclass(frozen=True)
class OptionSection:
    title: str
    intro: str
    rows: tuple[OptionRow, ...]

    @property
    def open(self) -> bool:
        return any(row.field.errors for row in self.rows)

    @property
    def changed(self) -> int:
        return sum(row.changed for row in self.rows)
