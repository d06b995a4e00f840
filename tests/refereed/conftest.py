"""The tests of refereed games read pages as the tests of the pages do."""

from __future__ import annotations

from tests.web.conftest import client

__all__ = ["client"]
