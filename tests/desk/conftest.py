"""The tests of the desk use the clock and the browsers of the tests of the pages."""

from __future__ import annotations

from tests.web.conftest import (
    Browser,
    Watch,
    _always_watched,
    as_,
    campaign,
    client,
    private,
    watch,
)

__all__ = ["Browser", "Watch", "_always_watched", "as_", "campaign", "client", "private", "watch"]
