"""What is written once. Submissions, readings, draws, resolutions and rulings are evidence: a later
row supersedes, none is changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.db import models


class EvidenceError(Exception):
    """An attempt to change or delete a row that is evidence."""


class EvidenceQuerySet(models.QuerySet[Any]):
    def update(self, **changes: Any) -> int:
        raise EvidenceError(
            f"{self.model._meta.verbose_name} rows are evidence and are never changed"
        )

    def delete(self) -> tuple[int, dict[str, int]]:
        raise EvidenceError(
            f"{self.model._meta.verbose_name} rows are evidence and are never deleted"
        )


class Evidence(models.Model):
    """Base of the append-only tables: the first save writes the row, every later save and every
    delete raises `EvidenceError`."""

    objects = EvidenceQuerySet.as_manager()
    #: What erasure and retention may empty (`empty`): people's words and addresses, never anything
    # that a result follows from.
    may_be_emptied: ClassVar[frozenset[str]] = frozenset()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise EvidenceError(
                f"{self._meta.verbose_name} {self.pk} is evidence and is never changed"
            )
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise EvidenceError(f"{self._meta.verbose_name} {self.pk} is evidence and is never deleted")


#: What stands in the place of words that their writer has had erased.
ERASED = "(Erased at its writer’s wish.)"


def empty(model: type[Evidence], rows: Iterable[int], **values: str | bytes | list[str]) -> int:
    """The one exception to "never changed" (docs/design.md 4): empties fields of rows that hold
    what a person may have erased.

    Only fields that the model names in `may_be_emptied`, and only to nothing, or to the words that
    say so; everything that a game is verified by stays as it was written. Called by orders.personal
    alone. Gives how many rows there were. Raises `EvidenceError`.
    """
    refused = set(values) - model.may_be_emptied or {
        name for name, value in values.items() if value and value != ERASED
    }
    if refused:
        raise EvidenceError(
            f"{model._meta.verbose_name} rows are evidence: {', '.join(sorted(refused))} is never"
            " changed"
        )
    return models.QuerySet(model).filter(pk__in=list(rows)).update(**values)
