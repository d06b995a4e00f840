from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from games.accounts import tokens
from games.base import clock
from games.desk.demonstration import (
    MINUTES_TO_BEGIN,
    TO_PLAY,
    TO_WATCH,
    going_on_or_new,
)
from games.models import Invitation, Person
from orders.intake import bots

from .serve import Command as Serve

VISITORS_NATION = "Germany"
HOUSE = "gamesmaster@demonstration.invalid"
VISITOR = "visitor@demonstration.invalid"


class Command(Serve):
    help = (
        "Open a demonstration game and serve it: bots play four nations, you play one, and the"
        " sales are made up."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--minutes",
            type=int,
            default=4,
            help="minutes between deadlines (default 4); the first phase lasts at least"
            f" {MINUTES_TO_BEGIN}",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMONSTRATION:
            self.stdout.write("Making the database and opening two campaigns: some ten seconds …")
            self.stdout.flush()
            self._run_again_as_demonstration(options["host"], options["port"])
        super().handle(*args, **options)

    def _run_again_as_demonstration(self, host: str, port: int) -> None:
        """Replace this process by one with a demonstration's settings, folder and database."""
        environment = {
            **os.environ,
            "GAMESMASTER_DEMONSTRATION": "1",
            "GAMESMASTER_VAR": str(settings.VAR_DIR / "demonstration"),
            "SITE_URL": f"http://{host}:{port}",
            # Letters ask for answers, which are given on their page; no mail comes in or goes out.
            "MAIL_IN": "1",
            "MAIL_DOMAIN": "demonstration.invalid",
            "MAIL_TRUST": "address",
        }
        for name in (
            "DATABASE_URL",
            "BROKER_URL",
            "EMAIL_URL",
            "SECRET_KEY",
            "GAMESMASTER_CLOCK",
            "DEBUG",
        ):
            environment.pop(name, None)
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)

    def before_serving(self, options: dict[str, Any]) -> None:
        now = clock.now()
        house = Person.objects.at(HOUSE, name="The service", is_staff=True)
        visitor = Person.objects.at(VISITOR, name="Visitor")
        with transaction.atomic():
            people = {VISITORS_NATION: VISITOR}
            game = going_on_or_new(TO_PLAY, house, people, options["minutes"], now)
            watched = going_on_or_new(TO_WATCH, house, {}, 1, now)
            seat = game.seats.get(nation=VISITORS_NATION)
            invitation = Invitation.objects.open().filter(seat=seat).first()
            if invitation is not None:
                path = reverse("invitation", args=[tokens.invitation_token(invitation)])
                label = f"Play {VISITORS_NATION}"
            else:
                key = tokens.new_login(visitor, reverse("orders", args=[game.pk, seat.pk]), now)
                path, label = (
                    reverse("login-link", args=[tokens.login_token(key)]),
                    f"Continue as {VISITORS_NATION}",
                )
        bots.play(now)
        self.stdout.write(f"\n  {label}:  {settings.SITE_URL}{path}")
        self.stdout.write(
            f"  Watch a campaign:       {settings.SITE_URL}{watched.get_absolute_url()}"
        )
        self.stdout.write(f"  Letters sent:           {settings.SITE_URL}{reverse('letters')}")
        self.stdout.write("  Sales come from the DEMO exchange and are made up.\n")
