from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from orders.inbound import domain_check


class Command(BaseCommand):
    help = (
        "Check a domain's DNS records for mail. FILE has lines “name type value” (- is standard"
        " input)."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="records as dig prints them, one per line (docs/mail.md)")
        parser.add_argument(
            "--domain",
            default=settings.MAIL_DOMAIN,
            help="the domain that letters come from (default: MAIL_DOMAIN)",
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
        if not domain_check.is_sound(findings):
            raise CommandError(f"The records of {options['domain']} are not complete: see above.")
        self.stdout.write(f"The records of {options['domain']} are complete.")
