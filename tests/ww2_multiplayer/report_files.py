"""Files that a gamesmaster may send with a report."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import Any

from PIL import Image


def picture(kind: str = "PNG", **given: Any) -> bytes:
    written, exif = io.BytesIO(), Image.Exif()
    exif[0x010E] = "taken at Ada's house"
    Image.new("RGB", (40, 30), "red").save(written, kind, exif=exif, **given)
    return written.getvalue()


def picture_that_claims(width: int, height: int) -> bytes:
    """Return a small PNG whose header claims this size."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    written = picture()
    return written[:12] + header + struct.pack(">I", zlib.crc32(header)) + written[33:]


def saved_game(*entries: str, text: str = "...") -> bytes:
    """Return an archive with these entries, by default those of VASSAL."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in entries or ("savedGame", "savedata", "moduledata"):
            archive.writestr(entry, text)
    return written.getvalue()
