"""Base of rows that are written once: submissions, readings, draws, resolutions and rulings.

Later rows supersede earlier ones; none is changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.db import models


class EvidenceError(Exception):
    """Raised for an attempt to change or delete a row that is evidence."""


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
    """Base of the append-only tables.

    The first save writes the row; every later save and every delete raises `EvidenceError`.
    """

    objects = EvidenceQuerySet.as_manager()
    #: Fields that erasure and retention may empty (`empty`): people's words and addresses, never
    #: the input of a result.
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


#: Replaces a text that its writer has had erased.
ERASED = "(Erased at its writer’s wish.)"


def empty(model: type[Evidence], rows: Iterable[int], **values: str | bytes | list[str]) -> int:
    """Empty fields of evidence rows for erasure and retention; return how many rows.

    The only exception to "never changed" (docs/design.md 4). Only fields in the model's
    `may_be_emptied` can be emptied, to nothing or to `ERASED`; the inputs of verification stay as
    written. Raise `EvidenceError` for anything else.
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
