from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from games.operations import migration_safety


class Command(BaseCommand):
    help = (
        "Says whether the migrations of this version may run while processes of the one before are"
        " running. Changes nothing."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if not (found := migration_safety.pending()):
            self.stdout.write(
                "The tables are those of this version. Exchange the processes one by one."
            )
            return
        reasons = migration_safety.reasons()
        for reason in reasons:
            self.stdout.write(f"- {reason}.")
        if reasons:
            self.stdout.write(
                "Stop all processes, run `manage.py migrate`, start them. No deadline is lost by"
                " that."
            )
        else:
            self.stdout.write(
                f"{len(found)} migrations may run beside running processes. Then exchange these one"
                " by one."
            )
