"""Opens games in the database that the environment names: for tests of the service as separate
processes.

python -m tests.drills.rehearsal NUMBER     prints the numbers of the games, one a line
"""

from __future__ import annotations

import sys

import django


def main(number: int) -> None:
    django.setup()
    from games import desk
    from gamesmaster import clock
    from tests.support.cast import Campaign

    seats = {
        "USA": "una@example.org",
        **dict.fromkeys(("France", "Britain", "Russia", "Germany"), "bot"),
    }
    for count in range(number):
        now = clock.now()
        campaign = Campaign.open(
            now,
            title=f"Rehearsal {count + 1}",
            seats=seats,
            schedule={"every": "minutes", "minutes": 1},
        )
        desk.start(campaign.game, campaign.ada, now)
        print(campaign.game.pk)


if __name__ == "__main__":
    main(int(sys.argv[1]))
