"""Leases: how workers share the rows of a table that is a queue (docs/design.md 5)."""

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
    """The queries that take rows, keep them and give them up.

    The tick claims rows under a token and hands ids and token to a worker. The worker exchanges the
    token for its own before it starts (`take_over`), so that of a task that is delivered twice the
    second finds nothing. Whatever it writes, it writes where the row's claim is still its token.
    """

    def free(self, now: datetime) -> LeasedQuerySet[_Row]:
        """Return the rows that no worker holds.

        A lease that ends later than any lease can was taken before the clock was set back: it has
        run out too.
        """
        return self.filter(_free(now))

    def held(self, now: datetime) -> LeasedQuerySet[_Row]:
        """Return the rows that workers hold, that is, all the others."""
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
        """Take up to `most` rows that are due. Of two callers each row goes to one.

        `due` is checked again by the update, so it must concern the row alone: PostgreSQL does not
        ask a subquery again. What else narrows this queryset only chooses. `changes` are written
        together with the lease. Return a fresh token and the ids in order; ("", []) for none.
        """
        due &= Q(due_at__lte=now) & _free(now)
        ids = list(self.filter(due).order_by(*order).values_list("pk", flat=True)[: max(most, 0)])
        if not ids:
            return "", []
        token = secrets.token_hex(16)
        chosen = self.model._default_manager.filter(pk__in=ids)
        # The condition once more: whoever comes second updates no row.
        taken = chosen.filter(due).update(claim=token, claimed_until=now + lease(), **changes)
        if taken < len(ids):
            ids = self._under(token, ids)
        return (token, ids) if ids else ("", [])

    def take_over(
        self, ids: Collection[int], token: str, now: datetime, own: str = "", **changes: Any
    ) -> tuple[str, list[int]]:
        """Exchange the token of a claim for a worker's own, and renew the lease.

        `own` is the worker's token where it has one already. `changes` are written with it, such
        as a try counted. Return the own token and those of the ids that this queryset has and the
        token still held.
        """
        own = own or secrets.token_hex(16)
        if not token or not ids:
            return own, []
        held = self.filter(pk__in=list(ids), claim=token)
        taken = held.update(claim=own, claimed_until=now + lease(), **changes)
        if taken in (0, len(ids)):
            return own, list(ids) if taken else []
        return own, self._under(own, ids)

    def _under(self, token: str, ids: Collection[int]) -> list[int]:
        """Return those of the ids that stand under a token, in the same order. Not asked of this
        queryset: what was written with the token may have taken rows out of it."""
        held = self.model._default_manager.filter(pk__in=list(ids), claim=token)
        mine = set(held.values_list("pk", flat=True))
        return [pk for pk in ids if pk in mine]

    def renew(self, ids: Collection[int], token: str, now: datetime) -> set[int]:
        """Renew the lease of rows. Return the ids that this token still holds."""
        mine = self.filter(pk__in=list(ids), claim=token)
        if mine.update(claimed_until=now + lease()) == len(ids):
            return set(ids)
        return set(mine.values_list("pk", flat=True))

    def release(self, ids: Collection[int], token: str, **changes: Any) -> int:
        """End this token's lease and write `changes` with it. Return how many rows it held."""
        held = self.filter(pk__in=list(ids), claim=token)
        return held.update(claim="", claimed_until=None, **changes)


def _free(now: datetime) -> Q:
    ends = now + 2 * lease()
    return Q(claimed_until=None) | Q(claimed_until__lte=now) | Q(claimed_until__gt=ends)


class Leased(models.Model):
    """A row of a queue: `due_at` says when something is next to be done with it, and is empty once
    it is done with. A worker holds it by a lease: `claim` is its token, until `claimed_until`."""

    due_at = models.DateTimeField(null=True, blank=True)
    claim = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(null=True, blank=True)

    objects = LeasedQuerySet.as_manager()

    class Meta:
        abstract = True


def leased_models() -> list[type[Leased]]:
    """Return all models whose rows workers take by a lease."""
    return [model for model in apps.get_models() if issubclass(model, Leased)]
