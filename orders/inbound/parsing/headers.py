"""Headers as people read them: encoded words (RFC 2047), raw 8-bit, addresses (RFC 5322). Bad ones
give what can be had of them."""

from __future__ import annotations

import binascii
import codecs
import re

#: A header line of more is cut; nobody's name or subject is so long.
LONGEST = 10_000
_ENCODED = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\s]*(?:\?(?!=)[^?\s]*)*)\?=")
_BETWEEN = re.compile(r"(\?=)\s+(?==\?)")
_ADDRESS = re.compile(r'[^\s<>()\[\]",;:\\@\x00-\x1f]{1,120}@[^\s<>()\[\]",;:\\@\x00-\x1f]{1,250}')
_MESSAGE_ID = re.compile(r"<[^<>\s\x00-\x1f\x7f-\x9f]{1,480}>")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
#: Charsets as they are named, and as they are meant. Latin-1 in mail is Windows' own.
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
#: Python's codecs that are none of mail's.
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
    """Return bytes as text; unknown or wrong charsets are read as UTF-8, else cp1252."""
    name = charset.strip("\"' \t").lower().partition("*")[0]
    name = _MEANT.get(name, name)
    if data[:3] == codecs.BOM_UTF8:
        return data[3:].decode("utf-8", "replace")
    if name and len(name) <= 40 and name.isascii():
        try:
            known = codecs.lookup(name).name
            if known.replace("-", "_") not in _NOT_IN_MAIL:
                # UTF-7 can spell halves of signs, which no database takes.
                return data.decode(known).encode("utf-8", "replace").decode()
        except (LookupError, ValueError, OverflowError):
            pass  # ValueError is also that of a decoder that cannot read these bytes
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def raw_bytes(value: str) -> bytes:
    """Return the bytes of a string of Python's parser: ASCII with surrogates."""
    return (
        value.encode("ascii", "surrogateescape") if not value.isascii() else value.encode("ascii")
    )


def line(value: str) -> str:
    """Return a header's value on one line, not decoded: no header can hold another."""
    value = value[:LONGEST]
    try:
        value = decode(raw_bytes(value), "utf-8")
    except UnicodeEncodeError:
        value = value.encode("utf-8", "replace").decode()
    return " ".join(_CONTROL.sub(" ", value).split())


def words(value: str) -> str:
    """The value of `line` with its encoded words decoded; again on one line."""
    if "=?" not in value:
        return value
    parts: list[str] = []
    at = 0
    pending: tuple[str, bytes] | None = (
        None  # neighbours of one charset are decoded together: a sign may be cut between them
    )
    joined = _BETWEEN.sub(r"\1", value)
    for match in _ENCODED.finditer(joined):
        charset, data = match[1].lower(), _word(match[2], match[3])
        if pending and match.start() == at and pending[0] == charset:
            pending = (charset, pending[1] + data)
        else:
            parts += [decode(pending[1], pending[0])] if pending else []
            parts.append(joined[at : match.start()])
            pending = (charset, data)
        at = match.end()
    parts += [decode(pending[1], pending[0])] if pending else []
    return " ".join(_CONTROL.sub(" ", "".join([*parts, joined[at:]])).split())


def _word(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return from_base64(data) if encoding in "bB" else binascii.a2b_qp(data, header=True)


def from_base64(data: bytes) -> bytes:
    """Return as much as can be read: strange signs are skipped, a cut end is dropped."""
    kept = re.sub(rb"[^A-Za-z0-9+/]", b"", data.partition(b"=\r")[0] if b"=\r" in data else data)
    kept = kept[: len(kept) - 1] if len(kept) % 4 == 1 else kept
    try:
        return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))
    except binascii.Error:
        return b""


def addresses(value: str) -> list[tuple[str, str]]:
    """Names and addresses of the value of `line`. What is in quotation marks or comments is never
    an address.

    A mailbox with several addresses gives them all, so that whoever asks for the one sender sees
    that there are several.
    """
    return [pair for box in _mailboxes(value[:LONGEST]) for pair in _of_mailbox(box)]


def _mailboxes(value: str) -> list[list[tuple[str, str]]]:
    """Return the mailboxes as pieces: "text", "quote" (quoted) or "angle" (in brackets)."""
    boxes: list[list[tuple[str, str]]] = [[]]
    at, end = 0, len(value)
    while at < end:
        sign = value[at]
        if sign == '"':
            text, at = _until(value, at + 1, '"')
            boxes[-1].append(("quote", text))
        elif sign == "(":
            _, at = _until(value, at + 1, ")")
        elif sign == "<":
            text, at = _until(value, at + 1, ">")
            boxes[-1].append(("angle", text))
        elif sign in ",;":
            boxes.append([])
            at += 1
        else:
            stop = next((i for i in range(at, end) if value[i] in '"(<,;'), end)
            boxes[-1].append(("text", value[at:stop]))
            at = stop
    return [box for box in boxes if box]


def _until(value: str, at: int, closing: str) -> tuple[str, int]:
    """Return the text up to the closing sign, or the rest, unescaped, and where it ends."""
    text: list[str] = []
    while at < len(value) and value[at] != closing:
        if value[at] == "\\" and at + 1 < len(value):
            at += 1
        text.append(value[at])
        at += 1
    return "".join(text), at + 1


def _of_mailbox(box: list[tuple[str, str]]) -> list[tuple[str, str]]:
    angles = [text.strip() for kind, text in box if kind == "angle"]
    name = words(" ".join(text.strip() for kind, text in box if kind != "angle").strip())
    if angles:
        return [(name, angle.lower()) for angle in angles if _ADDRESS.fullmatch(angle)]
    said = "".join(text for kind, text in box if kind == "text")
    return [
        ("", found.lower())
        for found in _ADDRESS.findall(
            said.rpartition(":")[2] if "@" in said.rpartition(":")[2] else said
        )
    ]


def message_ids(value: str) -> tuple[str, ...]:
    """Return Message-IDs with brackets, in order; a lone one without gets them."""
    found = tuple(dict.fromkeys(_MESSAGE_ID.findall(value)))[:200]
    bare = value.strip()
    return found or (
        (f"<{bare}>",)
        if "@" in bare and " " not in bare and len(bare) <= 480 and not set(bare) & set("<>")
        else ()
    )
