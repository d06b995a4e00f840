"""The tests of the guest's pages use the browsers and the clock of the tests of the pages."""

from __future__ import annotations

from tests.web.conftest import _always_watched, as_, campaign, client, watch

__all__ = ["_always_watched", "as_", "campaign", "client", "watch"]
