"""Make a person an administrator of the service."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.urls import reverse

from games.accounts import tokens
from games.base import clock, links, processes
from games.base.starting import SETTINGS_FILE
from games.models import Person


class Command(BaseCommand):
    help = (
        "Make a person an administrator and print a link that logs them in once. An address"
        " without an account gets one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", metavar="ADDRESS", help="the e-mail address to log in with")

    def handle(self, *args: Any, **options: Any) -> None:
        address, now = options["address"], clock.now()
        for message in checks.run_checks(tags=[SETTINGS_FILE], include_deployment_checks=True):
            self.stderr.write(f"{message.msg} {message.hint}")
        try:
            validate_email(address)
        except ValidationError:
            raise CommandError(
                f"“{address}” is not an e-mail address. Write one like ada@example.org."
            ) from None
        if settings.IN_MEMORY:
            processes.prepare()  # the link is signed with the key that `serve` will use
        person = Person.objects.at(address)
        person.is_active = person.is_staff = person.is_superuser = True
        person.save()
        self.stdout.write(f"{person.email} is now an administrator.")
        try:
            key = tokens.new_login(person, reverse("operator"), now)
        except tokens.KeyRefused as refused:
            self.stderr.write(str(refused))
            return
        link = links.link("login-link", tokens.login_token(key))
        self.stdout.write(f"Log in within 30 minutes: {link}")
