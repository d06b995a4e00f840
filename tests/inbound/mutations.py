"""Damage messages of the corpus at random, by seed, for properties of any message."""

from __future__ import annotations

import random
from collections.abc import Callable

#: Occurs in every line that a mutation inserts as another person's. No message of the corpus
#: contains it.
FOREIGN = b"Elsewhere"
_FOREIGN_LINES = (
    b"PLACE 77 Elsewhere",
    b"ATTACK Elsewhere: Russia",
    b"PRESS TO Elsewhere",
    b"AS Elsewhere",
    b"CONTROL Elsewhere",
    b"  PLACE 78 Elsewhere",
)
_MARKS = (b"> ", b">", b">> ", b"> > ", b"| ")
_BOLTS = (
    b"\x00",
    b"\xff\xfe",
    b"=?utf-8?Q?=?=",
    b"\r",
    b"\n\n",
    b"--b1\r\n",
    b"--b1--\r\n",
    b"Content-Type: multipart/mixed; boundary=b1\r\n",
    b"=",
    b"=\r\n",
    b"Content-Transfer-Encoding: base64\r\n",
    b"charset=utf-7",
    b"\xe2\x80\xae",
    b"<div style='display:none'>",
    b"<blockquote>",
    b"</",
    b"<!--",
    b"&#0;",
    b"&#x110000;",
    b"From: ",
    b"On 1 May 2026 x wrote:\r\n",
    b"-- \r\n",
    b"END\r\n",
    b"a" * 3000,
    b">" * 500,
    b"(" * 400,
    b'"',
    b"<" * 300,
    b"\xf0\x9f\x92\xa5",
)


def _head_and_body(raw: bytes) -> tuple[bytes, bytes]:
    for end in (b"\r\n\r\n", b"\n\n"):
        if end in raw:
            head, _, body = raw.partition(end)
            return head + end, body
    return raw, b""


def _flip(rng: random.Random, data: bytes) -> bytes:
    spoilt = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
    return bytes(spoilt)


def _delete(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randint(1, 60) :]


def _repeat(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at : at + rng.randint(1, 200)] * rng.randint(2, 5) + data[at:]


def _insert(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(_BOLTS) + data[at:]


def _truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def _swap_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    first, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[first], lines[other] = lines[other], lines[first]
    return b"\n".join(lines)


def _line_ends(rng: random.Random, data: bytes) -> bytes:
    return data.replace(b"\r\n", rng.choice((b"\n", b"\r", b"\r\r\n", b"\n\r\n")))


_SPOILERS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _flip,
    _delete,
    _repeat,
    _insert,
    _insert,
    _truncate,
    _swap_lines,
    _line_ends,
)


def anywhere(rng: random.Random, raw: bytes) -> bytes:
    """Damage the message one to three times, including headers."""
    for _ in range(rng.randint(1, 3)):
        raw = rng.choice(_SPOILERS)(rng, raw) if raw else rng.choice(_BOLTS)
    return raw


def in_the_body(rng: random.Random, raw: bytes) -> bytes:
    """Damage the message below its headers."""
    head, body = _head_and_body(raw)
    return head + anywhere(rng, body)


def with_marked_lines(rng: random.Random, raw: bytes) -> bytes:
    """Insert lines of another person anywhere below the headers, each marked as a quotation."""
    head, body = _head_and_body(raw)
    lines = body.split(b"\n")
    for _ in range(rng.randint(1, 4)):
        lines.insert(
            rng.randrange(len(lines) + 1), rng.choice(_MARKS) + rng.choice(_FOREIGN_LINES) + b"\r"
        )
    return head + b"\n".join(lines)


def with_lines_below(rng: random.Random, raw: bytes, mark: bytes) -> bytes:
    """Insert unmarked lines of another person below the first line that begins with `mark`."""
    before, separator, after = raw.partition(b"\n" + mark)
    lines = after.split(b"\n")
    for _ in range(rng.randint(1, 4)):
        lines.insert(rng.randint(1, len(lines)), rng.choice(_FOREIGN_LINES) + b"\r")
    return before + separator + b"\n".join(lines)
