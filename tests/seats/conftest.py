"""The clock of the pages, as in tests/web."""

from __future__ import annotations

from tests.web.conftest import _always_watched, watch

__all__ = ["_always_watched", "watch"]
