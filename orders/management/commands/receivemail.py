from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.db.utils import InterfaceError

from games.base import clock
from games.base.commands import ServiceCommand
from orders.inbound import handle as inbound_handle
from orders.inbound import queue
from orders.models import Mail


class Command(ServiceCommand):
    """Store one message from standard input.

    Exit codes are those of sysexits.h: 0 stored, 65 permanently refused, 75 try again. A wrong
    setting exits with 75, not 78: mail servers return the message to the player on 78.
    """

    help = (
        "Read one message from standard input, piped from any mail server (docs/mail.md). Prints"
        " nothing when it succeeds."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--recipient",
            default="",
            help="the address it was delivered to (default: from the headers)",
        )
        parser.add_argument(
            "--sender", default=None, help="the envelope sender; empty for a bounce"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            raw = sys.stdin.buffer.read(settings.MAIL_LARGEST + 1)
            if not raw.strip():
                self._end(os.EX_DATAERR, "Standard input was empty: no message was stored.")
            to = [options["recipient"]] if options["recipient"] else []
            inbound_handle.take_in(
                raw,
                way=Mail.Way.PIPE,
                envelope_from=options["sender"],
                envelope_to=to,
                now=clock.now(),
            )
        except queue.TooLarge:
            self._end(
                os.EX_DATAERR,
                f"This message has more than {settings.MAIL_LARGEST:,} bytes, and nothing of it was"
                " kept.",
            )
        except ImproperlyConfigured as error:
            self._end(os.EX_TEMPFAIL, f"A setting is wrong: {error}")
        except (DatabaseError, InterfaceError, OSError) as error:
            self._end(
                os.EX_TEMPFAIL,
                "The message could not be stored just now; try again."
                f" {' '.join(str(error).split())}",
            )
        except Exception as error:
            # Ask the mail server to try again whatever fails here: it still has the message.
            self._end(
                os.EX_TEMPFAIL,
                f"The message could not be stored just now; try again. {type(error).__name__}",
            )

    def _end(self, code: int, sentence: str) -> NoReturn:
        self.stderr.write(sentence)
        sys.exit(code)
