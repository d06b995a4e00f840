"""Leases, by which workers share the rows of a table that is a queue (docs/design.md 5)."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.apps import apps
from django.conf import settings
from django.db import models
from django.db.models import Q

_Row = TypeVar("_Row", bound=models.Model, covariant=True)


def lease() -> timedelta:
    return timedelta(seconds=settings.LEASE_SECONDS)


class LeasedQuerySet(models.QuerySet[_Row]):
    """Queries that claim rows, keep them and release them.

    The tick claims rows under a token and hands ids and token to a worker. The worker exchanges the
    token for its own before it starts (`take_over`), so that the second run of a task delivered
    twice finds nothing. Every write of the worker requires that the row's claim is still its token.
    """

    def free(self, now: datetime) -> LeasedQuerySet[_Row]:
        """Return the rows that no worker holds.

        A lease that ends later than any lease can was taken before the clock was set back: it has
        expired too.
        """
        return self.filter(_free(now))

    def held(self, now: datetime) -> LeasedQuerySet[_Row]:
        """Return the rows that workers hold: all rows that are not `free`."""
        return self.filter(claimed_until__gt=now, claimed_until__lte=now + 2 * lease())

    def in_flight(self, now: datetime) -> int:
        """Count the rows that workers hold and have not finished."""
        return self.held(now).filter(due_at__isnull=False).count()

    def claim(
        self,
        now: datetime,
        most: int,
        due: Q = Q(),  # noqa: B008 - never changed
        order: Sequence[Any] = ("due_at", "pk"),
        **changes: Any,
    ) -> tuple[str, list[int]]:
        """Lease up to `most` rows that are due. Each row goes to only one of two callers.

        The update checks `due` again, so it must be about the row alone: PostgreSQL does not
        evaluate a subquery again. Other filters of this queryset only select. `changes` are written
        together with the lease. Return a new token and the ids in order; ("", []) for none.
        """
        due &= Q(due_at__lte=now) & _free(now)
        ids = list(self.filter(due).order_by(*order).values_list("pk", flat=True)[: max(most, 0)])
        if not ids:
            return "", []
        token = secrets.token_hex(16)
        chosen = self.model._default_manager.filter(pk__in=ids)
        # The condition again: the second caller updates no row.
        count = chosen.filter(due).update(claim=token, claimed_until=now + lease(), **changes)
        if count < len(ids):
            ids = self._under(token, ids)
        return (token, ids) if ids else ("", [])

    def take_over(
        self, ids: Collection[int], token: str, now: datetime, own: str = "", **changes: Any
    ) -> tuple[str, list[int]]:
        """Exchange the token of a claim for a worker's own, and renew the lease.

        `own` is the worker's token if it has one already. `changes` are written with it, such as
        the count of a try. Return the own token, and those of the ids that are in this queryset and
        were still held by the old token.
        """
        own = own or secrets.token_hex(16)
        if not token or not ids:
            return own, []
        claimed = self.filter(pk__in=list(ids), claim=token)
        count = claimed.update(claim=own, claimed_until=now + lease(), **changes)
        if count in (0, len(ids)):
            return own, list(ids) if count else []
        return own, self._under(own, ids)

    def _under(self, token: str, ids: Collection[int]) -> list[int]:
        """Return those of the ids that a token holds, in the same order.

        Does not filter by this queryset: the changes written with the token may have taken rows out
        of it.
        """
        claimed = self.model._default_manager.filter(pk__in=list(ids), claim=token)
        claimed_pks = set(claimed.values_list("pk", flat=True))
        return [pk for pk in ids if pk in claimed_pks]

    def renew(self, ids: Collection[int], token: str, now: datetime) -> set[int]:
        """Renew the lease of rows. Return the ids that this token still holds."""
        claimed = self.filter(pk__in=list(ids), claim=token)
        if claimed.update(claimed_until=now + lease()) == len(ids):
            return set(ids)
        return set(claimed.values_list("pk", flat=True))

    def release(self, ids: Collection[int], token: str, **changes: Any) -> int:
        """End this token's lease and write `changes` with it. Return how many rows it held."""
        claimed = self.filter(pk__in=list(ids), claim=token)
        return claimed.update(claim="", claimed_until=None, **changes)


def _free(now: datetime) -> Q:
    ends = now + 2 * lease()
    return Q(claimed_until=None) | Q(claimed_until__lte=now) | Q(claimed_until__gt=ends)


class Leased(models.Model):
    """A row of a queue.

    `due_at`: when the next step is due, empty once all is done. A worker leases it: `claim` is its
    token, valid until `claimed_until`.
    """

    due_at = models.DateTimeField(null=True, blank=True)
    claim = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(null=True, blank=True)

    objects = LeasedQuerySet.as_manager()

    class Meta:
        abstract = True


def leased_models() -> list[type[Leased]]:
    """Return all models whose rows workers lease."""
    return [model for model in apps.get_models() if issubclass(model, Leased)]
