"""Make the messages of rendered letters: content, headers, picture and attached files."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import DatabaseError

from games.letters import entries, headers, rendering, report_files
from games.letters.context import Batch
from games.letters.mime import Message, file_part, picture_part
from games.models import Letter

logger = logging.getLogger(__name__)


def make(
    some: Sequence[tuple[Letter, rendering.RenderedLetter | None]], batch: Batch, now: datetime
) -> list[tuple[Letter, Message | None]]:
    """Build the messages of rendered letters, so that sending them needs no queries. Where that
    fails the message is None, and `sending` tries again."""
    try:
        headers.make_reply_addresses(
            [letter for letter, content in some if content is not None], batch, now
        )
    except DatabaseError:
        logger.warning("reply addresses could not be made together", exc_info=True)
        return [(letter, None) for letter, _ in some]
    ready: list[tuple[Letter, Message | None]] = []
    for letter, content in some:
        message = None
        if content is not None:
            with contextlib.suppress(Exception):
                message = message_of(letter, content, now, batch)
        ready.append((letter, message))
    return ready


def message_of(
    letter: Letter, content: rendering.RenderedLetter, now: datetime, batch: Batch | None = None
) -> Message:
    """Return a letter with this content as a message for the mail server."""
    batch = batch or Batch.for_letters([letter])
    answered_to = headers.reply_to(letter, now, batch)
    attachments: list[Any] = report_files.parts(letter)
    alternatives: list[Any] = []
    if letter.person is None or not letter.person.plain_text:
        alternatives.append((content.html, "text/html"))
        if content.picture is not None:
            attachments.append(picture_part(content.picture.png, content.picture.cid))
    if (entry := entries.letter_calendar(letter, batch)) is not None:
        attachments.append(
            # calendar programs offer to import it, and others open it as a file
            file_part(
                entry.encode(), "text/calendar", "deadline.ics", charset="utf-8", method="PUBLISH"
            )
        )
    return Message(
        headers.remove_control_characters(content.subject),
        content.text,
        headers.envelope_sender(letter),
        [letter.address],
        reply_to=[headers.remove_control_characters(answered_to)],
        headers=headers.headers_of(letter, answered_to, batch),
        alternatives=alternatives,
        attachments=attachments,
    )
