from __future__ import annotations

from typing import Any

from games import tasks
from gamesmaster import clock
from gamesmaster.commands import ServiceCommand


class Command(ServiceCommand):
    help = (
        "Does once whatever is due now, in this process, without Celery: deadlines, readings,"
        " resolutions, reminders, letters."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done = tasks.all_due(clock.now())
        self.stdout.write(
            f"{done} due thing{'' if done == 1 else 's'} done." if done else "Nothing was due."
        )
