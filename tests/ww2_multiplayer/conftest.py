"""The tests of refereed games use the browsers of the tests of the pages."""

from __future__ import annotations

from tests.web.conftest import client

__all__ = ["client"]
