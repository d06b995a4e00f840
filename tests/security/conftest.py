"""The tests of security use the clock and the browsers of the tests of the pages."""

from __future__ import annotations

from tests.support.browsing import BACKEND
from tests.web.conftest import Browser, Watch, _always_watched, as_, campaign, client, watch

__all__ = ["BACKEND", "Browser", "Watch", "_always_watched", "as_", "campaign", "client", "watch"]
