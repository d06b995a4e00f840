"""What can be declared about the personal data in a model's rows (games.operations.personal.data).

Export, erasure and retention read the same declaration. A test demands one for every model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Model, Q

#: In a declaration, stands for the address that replaces those of an erased person.
STAND_IN = "(stand-in)"


@dataclass(frozen=True)
class Part:
    """Rows that a person's export contains, under a title: those with the relations to them, or
    with one of their addresses in a field and the first relation to nobody. Only the listed fields
    are exported, so that a new column is exported only after a person has decided so: a game's
    secret, a letter's forecast or another person's key must not leak."""

    title: str
    relations: str  # names with spaces between them, like `fields`
    fields: str
    address: str = ""

    def condition(self, person: int, addresses: list[str]) -> Q:
        of_nobody = Q(**{self.relations.partition(" ")[0]: None})
        return _about(self.relations, self.address, person, addresses, of_nobody)


@dataclass(frozen=True)
class Erased:
    """Rows that are deleted with a person, or whose fields get other values.

    `over`: only rows whose time in this field is over. `if_asked`: only if the person asks for
    their letters to other nations to be erased too.
    """

    relations: str = "person"
    address: str = ""
    only: Q = field(default_factory=Q)
    over: str = ""
    values: Mapping[str, Any] | None = None
    name: str = ""  # in the count of what was erased; "": the model's name
    if_asked: bool = False

    def condition(self, person: int, addresses: list[str], now: datetime) -> Q:
        about = _about(self.relations, self.address, person, addresses) & self.only
        return about & Q(**{f"{self.over}__lte": now}) if self.over else about


@dataclass(frozen=True)
class Old:
    """Rows that go when their time in `since` is long past: deleted, or given other values.

    `limit` names the months in `settings.KEEP`, where 0 is forever; `age` is a fixed time. With
    neither, rows go as soon as `only` is true.
    """

    name: str
    since: str = ""
    limit: str = ""
    age: timedelta | None = None
    only: Q = field(default_factory=Q)
    values: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Data:
    """The personal data in a model's rows: what is exported, erased, and removed when it is old.

    `kept` says why the rest stays, or what else happens to it.
    """

    model: type[Model]
    parts: tuple[Part, ...] = ()
    erased: tuple[Erased, ...] = ()
    old: Old | None = None
    kept: str = ""


def _about(
    relations: str,
    address: str,
    person: int,
    addresses: list[str],
    only: Q = Q(),  # noqa: B008 - never changed
) -> Q:
    """Return a condition on rows with one of the relations to a person, or, of `only` these, an
    address of theirs."""
    condition = Q(pk__in=[])
    for relation in relations.split():
        condition |= Q(**{relation: person})
    return condition | (only & Q(**{f"{address}__in": addresses})) if address else condition
