"""Divide long lists into pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlencode

from django.http import HttpRequest

from .requests import parse_number

ROWS = 30
LONGEST_NUMBER = 6

Row = TypeVar("Row")


@dataclass(frozen=True)
class ListPage(Generic[Row]):
    """A page of a list. Does not count all rows, because that would get ever slower.

    `query`: the rest of the address's query, for links to the pages beside it.
    """

    number: int
    rows: list[Row]
    more: bool
    query: str

    @classmethod
    def load(cls, request: HttpRequest, rows: Callable[[slice], list[Row]]) -> ListPage[Row]:
        """Return the page with the requested number; the first if it is not a number.

        `rows` returns a slice of the list.
        """
        number = parse_number(request.GET.get("page", ""), LONGEST_NUMBER) or 1
        first = (number - 1) * ROWS
        found = rows(slice(first, first + ROWS + 1))
        query = urlencode([item for item in request.GET.items() if item[0] != "page"])
        return cls(number, found[:ROWS], len(found) > ROWS, query)

    @property
    def previous(self) -> int:
        return self.number - 1

    @property
    def next(self) -> int:
        return self.number + 1
