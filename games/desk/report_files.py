"""Files with a referee's report: added and removed until the report takes effect, then part of it.

What a file is, is found out from its content. Pictures are rewritten, so that they carry nothing
besides what is seen, such as where a photograph was taken.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from django.db import transaction
from django.utils.text import slugify

from games import game_row, permissions
from games.models import Person, Phase, ReportFile

from .words import DeskError

#: Six players get them all: so much, in bytes, is no trouble for any mail server.
LARGEST = 1_000_000
MOST = 3
#: Pixels of a picture. What claims more is not opened.
MOST_PIXELS = 25_000_000
VASSAL = "application/x-vassal-save"
ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", VASSAL: ".vsav"}
KINDS = "pictures (PNG or JPEG) and saved games of VASSAL (.vsav)"
_SAVED_GAME = "savedGame"


def add(phase: Phase, person: Person, name: str, content: bytes, now: datetime) -> ReportFile:
    """Keep a file for the report of an open phase. Raises `DeskError`."""
    shown = _shown(name)
    if len(content) > LARGEST:
        raise DeskError(
            f"“{shown}” has {len(content):,} bytes; at most {LARGEST:,} can be sent with a report."
            " Make the picture smaller."
        )
    media_type, content = _checked(shown, content)
    with transaction.atomic():
        _take(phase, person)
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
    """Keep files, name and content of each, in place of those with the same names.

    Returns the names under which they are kept, and why others are not, in sentences.
    """
    earlier = {one.pk for one in phase.report_files.only("pk")}
    kept: list[str] = []
    refused: list[str] = []
    for name, content in files[:MOST]:
        same = phase.report_files.filter(pk__in=earlier, name__startswith=f"{_stem(_shown(name))}.")
        try:
            with transaction.atomic():
                same.delete()
                kept.append(add(phase, person, name, content, now).name)
        except DeskError as error:
            refused.append(str(error))
    if len(files) > MOST:
        refused.append(f"Of {len(files)} files the first {MOST} were looked at.")
    return kept, refused


def remove(phase: Phase, person: Person, pk: int) -> None:
    """Take a file from the report of an open phase again. Raises `DeskError`."""
    with transaction.atomic():
        _take(phase, person)
        phase.report_files.filter(pk=pk).delete()


def _take(phase: Phase, person: Person) -> None:
    """Lock the game's row, as the judging of a phase does: a letter finds all files or none."""
    game_row.take_row(phase.game)
    phase.refresh_from_db(fields=["status"])
    if not permissions.referees(person, phase.game):
        raise DeskError("Files are sent with a report by the gamesmaster.")
    if not phase.sheeted or phase.status != Phase.Status.OPEN:
        raise DeskError(f"{phase.title} is closed: its report and the files with it stay.")


def _shown(name: str) -> str:
    """Return the last part of a path, as far as it is shown."""
    return PurePath(name.replace("\\", "/")).name[:60] or "the file"


def _stem(shown: str) -> str:
    return slugify(PurePath(shown).stem)[:60] or "file"


def _checked(shown: str, content: bytes) -> tuple[str, bytes]:
    """Return media type and the content to keep. Raises `DeskError`."""
    if _is_saved_game(content):
        return VASSAL, content
    from PIL import Image, UnidentifiedImageError  # 40 ms of each process's start

    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG")) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise DeskError(
                    f"“{shown}” has {picture.width} × {picture.height} pixels. Make it smaller: at"
                    f" most {MOST_PIXELS // 1_000_000} million are taken."
                )
            kind = str(picture.format)
            written = io.BytesIO()
            picture.save(written, kind, exif=b"", optimize=True)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
        raise DeskError(f"“{shown}” cannot be sent with a report: {KINDS} are taken.") from None
    if len(written.getvalue()) > LARGEST:
        raise DeskError(
            f"“{shown}” has more than {LARGEST:,} bytes once we have rewritten it. Make it smaller."
        )
    return f"image/{kind.lower()}", written.getvalue()


def _is_saved_game(content: bytes) -> bool:
    """Return whether it is a ZIP archive with the entry of VASSAL saves; nothing is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _SAVED_GAME in archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False
