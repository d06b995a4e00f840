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


def packed_by_hand(
    *,
    text: bytes = b"...",
    says: int | None = None,
    level: int = 9,
    after_packed: bytes = b"",
    after_first: bytes = b"",
    more: bytes = b"",
    second_called: bytes = b"savedata",
    sizes_follow: bool = False,
) -> bytes:
    """Return an archive of two entries with this text, as no tool would pack it.

    `says`: the size that the archive gives for it. Bytes stand `after_packed` text, `after_first`
    entry, or in `more` fields of each entry's header, where the second has another name than in
    the directory.
    """
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(text) + packer.flush() + after_packed
    size, flags = len(text) if says is None else says, 8 if sizes_follow else 0
    facts = struct.pack("<III", zlib.crc32(text), len(packed), size)
    written, directory = b"", b""
    for name, called in ((b"savedGame", b"savedGame"), (b"savedata", second_called)):
        start = struct.pack("<HHHHH", 20, flags, 8, 0, 33)
        at = len(written)
        written += b"PK\x03\x04" + start + (bytes(12) if sizes_follow else facts)
        written += struct.pack("<HH", len(called), len(more)) + called + more + packed
        written += (b"PK\x07\x08" + facts) if sizes_follow else b""
        written += after_first if name == b"savedGame" else b""
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + start + facts
        directory += struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, at) + name
    end = struct.pack("<HHHHIIH", 0, 0, 2, 2, len(directory), len(written), 0)
    return written + directory + b"PK\x05\x06" + end
