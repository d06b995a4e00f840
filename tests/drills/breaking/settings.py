"""The service's settings in processes that are to be broken: with the points of `hooks`."""

import os

from gamesmaster.settings import *  # noqa: F403
from tests.drills.breaking import hooks

#: Seconds that a mail server may be silent: fewer than in earnest, as the leases of a rehearsal
# are shorter.
EMAIL_TIMEOUT = int(os.environ.get("PATIENCE", "20"))
hooks.install()
#: A drill's leases are shorter than a service's may be: nobody waits for 90 seconds each time.
SILENCED_SYSTEM_CHECKS = ["gamesmaster.E012"]
