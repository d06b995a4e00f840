from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from orders.inbound import domain_check, mail_path


class Command(BaseCommand):
    help = (
        "Check a domain's DNS records for mail. FILE has lines “name type value” (- is standard"
        " input). Where mail comes in, also send the service a letter with forged"
        " Authentication-Results, and fail if they are believed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="records as dig prints them, one per line (docs/mail.md)")
        parser.add_argument(
            "--domain",
            default=settings.MAIL_DOMAIN,
            help="the domain that letters come from (default: MAIL_DOMAIN)",
        )
        parser.add_argument("--near", action="store_true", help="send no letter")
        parser.add_argument(
            "--wait",
            type=float,
            default=60,
            metavar="SECONDS",
            help="how long to wait for the letter to come back (default 60)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            text = sys.stdin.read() if options["file"] == "-" else Path(options["file"]).read_text()
            findings = domain_check.judge(options["domain"], domain_check.read(text))
        except OSError as error:
            raise CommandError(f"Cannot read “{options['file']}” ({error.strerror}).") from None
        except UnicodeDecodeError:
            raise CommandError(
                f"“{options['file']}” is not a text file. Give the records as dig prints them,"
                " one per line."
            ) from None
        except domain_check.CannotRead as error:
            raise CommandError(str(error)) from None
        for finding in findings:
            self.stdout.write(f"{finding.about:5}  {finding.mark:7}  {finding.words}")
        if settings.MAIL_IN and not options["near"]:
            self._send_letter(options["wait"])
        if not domain_check.is_sound(findings):
            raise CommandError(f"The records of {options['domain']} are not complete: see above.")
        self.stdout.write(f"The records of {options['domain']} are complete.")

    def _send_letter(self, wait: float) -> None:
        """Print what becomes of a letter with a forged proof. Raise `CommandError` if it fails."""
        found = mail_path.check(wait)
        for message in found:
            self.stdout.write(f"{message.obj}: {message.msg} {message.hint or ''}".rstrip())
        if any(message.is_serious() for message in found):
            raise CommandError("Mail does not come in as it should: see above.")
