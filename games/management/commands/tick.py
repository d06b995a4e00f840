from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from games import tasks
from games.base import clock
from games.base.commands import ServiceCommand
from games.models import service
from games.rules.names import count_of


class Command(ServiceCommand):
    help = (
        "Do everything that is due now, once, in this process, without Celery: deadlines, readings,"
        " results, reminders, letters."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        service.forget()
        if (restoration := service.current()) is not None:
            raise CommandError(
                "Nothing was done: the service is held since the restore of"
                f" {restoration.restored_at:%Y-%m-%d %H:%M} UTC. Look at the games, then run"
                " `manage.py resume --yes`."
            )
        count = tasks.do_all_due(clock.now())
        self.stdout.write(f"Did {count_of(count, 'job')}." if count else "Nothing was due.")
