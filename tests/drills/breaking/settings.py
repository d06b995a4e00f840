"""The service's settings for drills: install the points of `hooks`."""

import os

from gamesmaster.settings import *  # noqa: F403
from tests.drills.breaking import hooks

#: Seconds to wait for a mail server: fewer than in production, because a drill's leases are
# shorter.
EMAIL_TIMEOUT = int(os.environ.get("PATIENCE", "20"))
hooks.install()
#: A drill moves the clock from deadline to deadline; two of them mean it as an outage.
GIVE_TIME_BACK = "OUTAGES" in os.environ
# People order now and then, and the games go on all the same.
PAUSE_UNATTENDED = False
#: A drill's leases are shorter than this check allows, so that drills do not wait 90 seconds.
SILENCED_SYSTEM_CHECKS = ["gamesmaster.E012"]
