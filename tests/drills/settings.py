"""The service's own settings for drills, whose leases are as short as no service's may be."""

from __future__ import annotations

from gamesmaster.settings import *  # noqa: F403

SILENCED_SYSTEM_CHECKS = ["gamesmaster.E012"]
