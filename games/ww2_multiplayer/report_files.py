"""Manage files of a referee's report: added and removed until the report takes effect, then fixed.

The kind of a file is detected from its content, once its sender may send it at all. Pictures are
rewritten from their pixels, so that nothing hidden in them, such as where a photograph was taken,
and nothing after their end is sent on. Nobody looks into saved games: an archive must be one from
its first byte to its last, with a few entries of plain names and of true and moderate sizes.
"""

from __future__ import annotations

import io
import logging
import re
import struct
import zipfile
import zlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from django.db import transaction
from django.utils.text import slugify

from games import permissions
from games.desk.words import DeskError
from games.models import Person, Phase, ReportFile
from games.positions import game_row

logger = logging.getLogger(__name__)

#: Bytes of one file. Six players get them all: any mail server accepts this.
LARGEST = 1_000_000
MOST = 3
#: Pixels of a picture. Larger ones are not opened.
MOST_PIXELS = 25_000_000
VASSAL = "application/x-vassal-save"
ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", VASSAL: ".vsav"}
KINDS = "pictures (PNG or JPEG) and saved games of VASSAL (.vsav)"
_SAVED_GAME = "savedGame"
#: A saved game has three entries without folders. Their text shrinks to a tenth or so.
_MOST_ENTRIES = 20
_LARGEST_UNPACKED = 20_000_000
_MOST_TIMES_LARGER = 100
_ENTRY_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,59}")
#: The parts of an archive: its entries, each after its header and perhaps followed by its sizes; a
#: header of each in its directory; the end. Here none has comments or further fields.
_ENTRY, _SIZES, _END = b"PK\x03\x04", b"PK\x07\x08", b"PK\x05\x06"
_ENTRY_HEADER = struct.Struct("<4s2xH18xHH")  # mark, flags, bytes of the name and further fields
_SIZES_BYTES, _DIRECTORY_BYTES, _END_BYTES = 16, 46, 22
_SIZES_FOLLOW = 8  # a flag
#: Readers of PDF files look for this in so many first bytes, whatever stands before it.
_PDF, _PDF_WITHIN = b"%PDF-", 1024
_PIECE = 65_536


def add(phase: Phase, person: Person, name: str, content: bytes, now: datetime) -> ReportFile:
    """Store a file for the report of an open phase. Raise `DeskError`.

    Nobody's file is opened before it is known that they may send it.
    """
    _check_allowed(phase, person)
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


def remove(phase: Phase, person: Person, code: str) -> None:
    """Remove a file from the report of an open phase. Raise `DeskError`."""
    with transaction.atomic():
        _lock_game(phase, person)
        phase.report_files.filter(code=code).delete()


def _lock_game(phase: Phase, person: Person) -> None:
    """Lock the game's row, as judging a phase does, so that a letter has all files or none.

    Raise `DeskError` if the person or the phase may not have report files.
    """
    game_row.take_row(phase.game)
    phase.refresh_from_db(fields=["status"])
    _check_allowed(phase, person)


def _check_allowed(phase: Phase, person: Person) -> None:
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
    """Return media type and content to store. Raise `DeskError`, whatever a reader raises."""
    try:
        if _is_saved_game(content):
            return VASSAL, content
        media_type, rewritten = _rewrite_picture(shown, content)
    except DeskError:
        raise
    except Exception as error:
        # A file is a stranger's bytes: readers fail on them in more ways than they document.
        logger.info("a file with a report was refused: %s: %s", type(error).__name__, error)
        raise DeskError(f"“{shown}” cannot be sent with a report: {KINDS} are allowed.") from None
    if len(rewritten) > LARGEST:
        raise DeskError(
            f"“{shown}” has more than {LARGEST:,} bytes once we have rewritten it. Make it smaller."
        )
    return media_type, rewritten


def _rewrite_picture(shown: str, content: bytes) -> tuple[str, bytes]:
    """Return media type and content of a picture, written again from its pixels."""
    from PIL import Image  # 40 ms of each process's start

    try:
        picture = Image.open(io.BytesIO(content), formats=("PNG", "JPEG"))
    except Image.DecompressionBombError:
        raise _too_many_pixels(shown, "far too many") from None
    with picture:
        if picture.width * picture.height > MOST_PIXELS:
            raise _too_many_pixels(shown, f"{picture.width} × {picture.height}")
        # Telephones write several JPEG pictures into one file (MPO): the first is sent.
        kind = "PNG" if picture.format == "PNG" else "JPEG"
        picture.load()
        # Other facts are comments, profiles and places.
        picture.info = {key: value for key, value in picture.info.items() if key == "transparency"}
        rewritten = io.BytesIO()
        picture.save(rewritten, kind, exif=b"", optimize=True)
    return f"image/{kind.lower()}", rewritten.getvalue()


def _too_many_pixels(shown: str, number: str) -> DeskError:
    return DeskError(
        f"“{shown}” has {number} pixels. Make it smaller: at most {MOST_PIXELS // 1_000_000}"
        " million are allowed."
    )


def _is_saved_game(content: bytes) -> bool:
    """Return whether a file is a ZIP archive as VASSAL saves one.

    Bytes that belong to no entry could be a page or a program for another reader.
    """
    if not content.startswith(_ENTRY) or _PDF in content[:_PDF_WITHIN]:
        return False
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
    names = {entry.filename for entry in entries}
    return (
        _SAVED_GAME in names
        and len(names) == len(entries) <= _MOST_ENTRIES
        and all(map(_ENTRY_NAME.fullmatch, names))
        and sum(entry.file_size for entry in entries) <= _LARGEST_UNPACKED
        and all(
            entry.file_size <= _MOST_TIMES_LARGER * max(entry.compress_size, 1) for entry in entries
        )
        and _is_nothing_else(content, entries)
    )


def _is_nothing_else(content: bytes, entries: Sequence[zipfile.ZipInfo]) -> bool:
    """Return whether a file is these entries, their directory and its end, and each entry what the
    directory says of it."""
    at = 0
    for entry in entries:
        mark, flags, name_bytes, more_bytes = _ENTRY_HEADER.unpack_from(content, at)
        named = at + _ENTRY_HEADER.size
        begins = named + name_bytes
        ends = begins + entry.compress_size
        if (
            (mark, entry.header_offset, more_bytes) != (_ENTRY, at, 0)
            or content[named:begins] != entry.filename.encode()
            or not _is_of_size(content[begins:ends], entry)
        ):
            return False
        at = ends
        if flags & _SIZES_FOLLOW:
            if content[at : at + 4] != _SIZES:
                return False
            at += _SIZES_BYTES
    at += sum(_DIRECTORY_BYTES + len(entry.filename) for entry in entries)
    return content[at : at + 4] == _END and len(content) == at + _END_BYTES


def _is_of_size(packed: bytes, entry: zipfile.ZipInfo) -> bool:
    """Return whether the packed bytes of an entry are of its size, by counting, piece by piece."""
    if entry.compress_type == zipfile.ZIP_STORED:
        return len(packed) == entry.file_size
    reader, size = zlib.decompressobj(-zlib.MAX_WBITS), 0
    while not reader.eof and size <= entry.file_size:
        piece = reader.decompress(packed, _PIECE)
        size, packed = size + len(piece), reader.unconsumed_tail
        if not piece and not packed:
            return False
    return reader.eof and size == entry.file_size and not reader.unused_data
