"""Manage files of a referee's report: added and removed until the report takes effect, then fixed.

The kind of a file is detected from its content. Pictures are rewritten, to remove hidden data such
as where a photograph was taken.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from django.db import transaction
from django.utils.text import slugify

from games import permissions
from games.desk.words import DeskError
from games.models import Person, Phase, ReportFile
from games.positions import game_row

#: Bytes of one file. Six players get them all: any mail server accepts this.
LARGEST = 1_000_000
MOST = 3
#: Pixels of a picture. Larger ones are not opened.
MOST_PIXELS = 25_000_000
VASSAL = "application/x-vassal-save"
ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", VASSAL: ".vsav"}
KINDS = "pictures (PNG or JPEG) and saved games of VASSAL (.vsav)"
_SAVED_GAME = "savedGame"


def add(phase: Phase, person: Person, name: str, content: bytes, now: datetime) -> ReportFile:
    """Store a file for the report of an open phase. Raise `DeskError`."""
    shown = _display_name(name)
    if len(content) > LARGEST:
        raise DeskError(
            f"“{shown}” has {len(content):,} bytes; at most {LARGEST:,} can be sent with a report."
            " Make the picture smaller."
        )
    media_type, content = _check_content(shown, content)
    with transaction.atomic():
        _lock_game(phase, person)
        if phase.report_files.count() >= MOST:
            raise DeskError(
                f"“{shown}” was not added: at most {MOST} files go with a report. Remove one first."
            )
        return ReportFile.objects.create(
            phase=phase,
            person=person,
            name=f"{_stem(shown)}{ENDINGS[media_type]}",
            media_type=media_type,
            content=content,
            added_at=now,
        )


def replace(
    phase: Phase, person: Person, files: Sequence[tuple[str, bytes]], now: datetime
) -> tuple[list[str], list[str]]:
    """Store files, as name and content, in place of those with the same names.

    Return the names of the stored files, and the reasons why others are refused, in sentences.
    """
    earlier = {row.pk for row in phase.report_files.only("pk")}
    stored: list[str] = []
    refused: list[str] = []
    for name, content in files[:MOST]:
        same_name = phase.report_files.filter(
            pk__in=earlier, name__startswith=f"{_stem(_display_name(name))}."
        )
        try:
            with transaction.atomic():
                same_name.delete()
                stored.append(add(phase, person, name, content, now).name)
        except DeskError as error:
            refused.append(str(error))
    if len(files) > MOST:
        refused.append(f"Of {len(files)} files the first {MOST} were looked at.")
    return stored, refused


def remove(phase: Phase, person: Person, pk: int) -> None:
    """Remove a file from the report of an open phase. Raise `DeskError`."""
    with transaction.atomic():
        _lock_game(phase, person)
        phase.report_files.filter(pk=pk).delete()


def _lock_game(phase: Phase, person: Person) -> None:
    """Lock the game's row, as judging a phase does, so that a letter has all files or none.

    Raise `DeskError` if the person or the phase may not have report files.
    """
    game_row.take_row(phase.game)
    phase.refresh_from_db(fields=["status"])
    if not permissions.referees(person, phase.game):
        raise DeskError("Files are sent with a report by the gamesmaster.")
    if phase.has_deadline or phase.status != Phase.Status.OPEN:
        raise DeskError(f"{phase.title} is closed: you can no longer change its report and files.")


def _display_name(name: str) -> str:
    """Return the last part of a path, cut to the length that is shown."""
    return PurePath(name.replace("\\", "/")).name[:60] or "the file"


def _stem(shown: str) -> str:
    return slugify(PurePath(shown).stem)[:60] or "file"


def _check_content(shown: str, content: bytes) -> tuple[str, bytes]:
    """Return media type and content to store. Raise `DeskError`."""
    if _is_saved_game(content):
        return VASSAL, content
    from PIL import Image, UnidentifiedImageError  # 40 ms of each process's start

    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG")) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise DeskError(
                    f"“{shown}” has {picture.width} × {picture.height} pixels. Make it smaller: at"
                    f" most {MOST_PIXELS // 1_000_000} million are allowed."
                )
            kind = str(picture.format)
            rewritten = io.BytesIO()
            picture.save(rewritten, kind, exif=b"", optimize=True)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
        raise DeskError(f"“{shown}” cannot be sent with a report: {KINDS} are allowed.") from None
    if len(rewritten.getvalue()) > LARGEST:
        raise DeskError(
            f"“{shown}” has more than {LARGEST:,} bytes once we have rewritten it. Make it smaller."
        )
    return f"image/{kind.lower()}", rewritten.getvalue()


def _is_saved_game(content: bytes) -> bool:
    """Return whether a file is a ZIP archive with the entry of VASSAL saves; unpack nothing."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _SAVED_GAME in archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False
