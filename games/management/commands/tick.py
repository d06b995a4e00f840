from __future__ import annotations

from typing import Any

from games import tasks
from gamesmaster import clock
from gamesmaster.commands import ServiceCommand


class Command(ServiceCommand):
    help = (
        "Do everything that is due now, once, in this process, without Celery: deadlines, readings,"
        " results, reminders, letters."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        count = tasks.do_all_due(clock.now())
        self.stdout.write(
            f"Did {count} job{'' if count == 1 else 's'}." if count else "Nothing was due."
        )
