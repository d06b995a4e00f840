"""Decode headers: encoded words (RFC 2047), raw 8-bit, addresses (RFC 5322).

From malformed headers, return as much as possible.
"""

from __future__ import annotations

import binascii
import codecs
import re

#: In characters; longer headers are cut, as no name or subject is this long.
LONGEST = 10_000
_ENCODED = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\s]*(?:\?(?!=)[^?\s]*)*)\?=")
_BETWEEN = re.compile(r"(\?=)\s+(?==\?)")
_ADDRESS = re.compile(r'[^\s<>()\[\]",;:\\@\x00-\x1f]{1,120}@[^\s<>()\[\]",;:\\@\x00-\x1f]{1,250}')
_MESSAGE_ID = re.compile(r"<[^<>\s\x00-\x1f\x7f-\x9f]{1,480}>")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
#: Charset names, and the charsets that mail programs mean by them. Latin-1 in mail means
#: Windows-1252.
_MEANT = {
    "us-ascii": "utf-8",
    "ascii": "utf-8",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "ansi": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "utf8mb4": "utf-8",
}
#: Python codecs that are not used in mail.
_NOT_IN_MAIL = {
    "unicode_escape",
    "raw_unicode_escape",
    "punycode",
    "idna",
    "undefined",
    "mbcs",
    "oem",
    "charmap",
}


def decode(data: bytes, charset: str) -> str:
    """Return bytes as text; unknown or wrong charsets are read as UTF-8, otherwise as cp1252."""
    name = charset.strip("\"' \t").lower().partition("*")[0]
    name = _MEANT.get(name, name)
    if data[:3] == codecs.BOM_UTF8:
        return data[3:].decode("utf-8", "replace")
    if name and len(name) <= 40 and name.isascii():
        try:
            codec = codecs.lookup(name).name
            if codec.replace("-", "_") not in _NOT_IN_MAIL:
                # UTF-7 can encode lone surrogates, which no database stores.
                return data.decode(codec).encode("utf-8", "replace").decode()
        except (LookupError, ValueError, OverflowError):
            pass  # ValueError includes errors of a decoder on these bytes
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def raw_bytes(value: str) -> bytes:
    """Return the bytes of a string from Python's parser: ASCII with surrogates."""
    return (
        value.encode("ascii", "surrogateescape") if not value.isascii() else value.encode("ascii")
    )


def line(value: str) -> str:
    """Return a header's value on one line, not decoded, so that it cannot inject another header."""
    value = value[:LONGEST]
    try:
        value = decode(raw_bytes(value), "utf-8")
    except UnicodeEncodeError:
        value = value.encode("utf-8", "replace").decode()
    return " ".join(_CONTROL.sub(" ", value).split())


def words(value: str) -> str:
    """Return the value of `line` with encoded words decoded, again on one line."""
    if "=?" not in value:
        return value
    parts: list[str] = []
    position = 0
    # Adjacent words in one charset are decoded together: a character may be split between them.
    pending: tuple[str, bytes] | None = None
    joined = _BETWEEN.sub(r"\1", value)
    for match in _ENCODED.finditer(joined):
        charset, data = match[1].lower(), _word(match[2], match[3])
        if pending and match.start() == position and pending[0] == charset:
            pending = (charset, pending[1] + data)
        else:
            parts += [decode(pending[1], pending[0])] if pending else []
            parts.append(joined[position : match.start()])
            pending = (charset, data)
        position = match.end()
    parts += [decode(pending[1], pending[0])] if pending else []
    return " ".join(_CONTROL.sub(" ", "".join([*parts, joined[position:]])).split())


def _word(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return decode_base64(data) if encoding in "bB" else binascii.a2b_qp(data, header=True)


def decode_base64(data: bytes) -> bytes:
    """Decode as much as possible, without invalid characters or a truncated end."""
    valid = re.sub(rb"[^A-Za-z0-9+/]", b"", data.partition(b"=\r")[0] if b"=\r" in data else data)
    valid = valid[: len(valid) - 1] if len(valid) % 4 == 1 else valid
    try:
        return binascii.a2b_base64(valid + b"=" * (-len(valid) % 4))
    except binascii.Error:
        return b""


def addresses(value: str) -> list[tuple[str, str]]:
    """Return names and addresses in the value of `line`.

    Text in quotation marks or comments is never an address. A mailbox with several addresses
    returns all of them, so that a caller that expects one sender sees that there are several.
    """
    return [pair for box in _mailboxes(value[:LONGEST]) for pair in _mailbox_addresses(box)]


def _mailboxes(value: str) -> list[list[tuple[str, str]]]:
    """Return the mailboxes as pieces: "text", "quote" (quoted) or "angle" (in angle brackets)."""
    boxes: list[list[tuple[str, str]]] = [[]]
    position, end = 0, len(value)
    while position < end:
        character = value[position]
        if character == '"':
            text, position = _read_until(value, position + 1, '"')
            boxes[-1].append(("quote", text))
        elif character == "(":
            _, position = _read_until(value, position + 1, ")")
        elif character == "<":
            text, position = _read_until(value, position + 1, ">")
            boxes[-1].append(("angle", text))
        elif character in ",;":
            boxes.append([])
            position += 1
        else:
            stop = next((i for i in range(position, end) if value[i] in '"(<,;'), end)
            boxes[-1].append(("text", value[position:stop]))
            position = stop
    return [box for box in boxes if box]


def _read_until(value: str, at: int, closing: str) -> tuple[str, int]:
    """Return the unescaped text up to the closing character, and the position after it."""
    text: list[str] = []
    while at < len(value) and value[at] != closing:
        if value[at] == "\\" and at + 1 < len(value):
            at += 1
        text.append(value[at])
        at += 1
    return "".join(text), at + 1


def _mailbox_addresses(box: list[tuple[str, str]]) -> list[tuple[str, str]]:
    angles = [text.strip() for kind, text in box if kind == "angle"]
    name = words(" ".join(text.strip() for kind, text in box if kind != "angle").strip())
    if angles:
        return [(name, angle.lower()) for angle in angles if _ADDRESS.fullmatch(angle)]
    outside_brackets = "".join(text for kind, text in box if kind == "text")
    return [
        ("", address.lower())
        for address in _ADDRESS.findall(
            outside_brackets.rpartition(":")[2]
            if "@" in outside_brackets.rpartition(":")[2]
            else outside_brackets
        )
    ]


def message_ids(value: str) -> tuple[str, ...]:
    """Return Message-IDs with brackets, in order; a single one without brackets gets them."""
    ids = tuple(dict.fromkeys(_MESSAGE_ID.findall(value)))[:200]
    bare = value.strip()
    return ids or (
        (f"<{bare}>",)
        if "@" in bare and " " not in bare and len(bare) <= 480 and not set(bare) & set("<>")
        else ()
    )
