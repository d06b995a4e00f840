"""What is written once. Submissions, readings, draws, resolutions and rulings are evidence: a later row supersedes, none is changed."""

from __future__ import annotations

from typing import Any

from django.db import models


class EvidenceError(Exception):
    """An attempt to change or delete a row that is evidence."""


class EvidenceQuerySet(models.QuerySet[Any]):
    def update(self, **changes: Any) -> int:
        raise EvidenceError(f"{self.model._meta.verbose_name} rows are evidence and are never changed")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise EvidenceError(f"{self.model._meta.verbose_name} rows are evidence and are never deleted")


class Evidence(models.Model):
    """Base of the append-only tables: the first save writes the row, every later save and every delete raises `EvidenceError`."""

    objects = EvidenceQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise EvidenceError(f"{self._meta.verbose_name} {self.pk} is evidence and is never changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise EvidenceError(f"{self._meta.verbose_name} {self.pk} is evidence and is never deleted")
