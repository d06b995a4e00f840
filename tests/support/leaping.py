"""The service's settings for tests and benchmarks that move the clock by hours and days at once.

Such a leap is no outage: nobody lacked the time to order.
"""

from gamesmaster.settings import *  # noqa: F403

GIVE_TIME_BACK = False
PAUSE_UNATTENDED = False
