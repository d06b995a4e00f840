"""The parts of a message: which of them are the sender's words, in whatever charset and encoding
they come (RFC 2045 to 2049, 3676)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.message import Message as Part

from . import (
    bodies,  # BeautifulSoup takes a while to load, and most mail has a plain part
    headers,
)

#: Deeper than any mail program nests, and more parts than any sends. What is beyond is not read.
DEEPEST = 12
MOST_PARTS = 200
LARGEST_ATTACHMENT = 20_000
#: What one message says by hand is never longer; more is cut, at the end of a line.
LONGEST_TEXT = 200_000
#: A plain part that only says that there is another one.
_STUB = re.compile(
    r"\W*(?:this (?:is an?|message|e-?mail)|diese (?:nachricht|e-?mail)|your (?:e-?mail|mail)|to"
    r" view this"
    r"|please view)\b[^\n]{0,200}\bhtml\b",
    re.IGNORECASE,
)
#: As what programs send a text file.
_OF_TEXT = ("text/plain", "application/octet-stream", "application/plain", "application/text")
#: What programs hang on by themselves: signatures, cards, invitations, letters in letters.
_HANGS_ON = re.compile(
    r"text/(?:calendar|(?:x-)?vcard|directory)|application/(?:pgp|(?:x-)?pkcs|ics)|message/"
)
_ENDINGS = (".asc", ".p7s", ".sig", ".vcf", ".ics", ".eml")
_LINE_END = re.compile(r"\r\n|\r|\n|\x0b|\x0c|\x1c|\x1d|\x1e|\x85|\u2028|\u2029")


@dataclass
class Words:
    """The sender's words gathered from the parts, and the text files that hang on them."""

    text: str = ""
    was_html: bool = False
    hidden: int = 0
    attachments: list[tuple[str, str]] = field(default_factory=list)
    files: list[tuple[str, bytes]] = field(default_factory=list)  # name and content; no text
    parts: int = 0


@dataclass(frozen=True)
class _Piece:
    text: str
    html: bool
    hidden: int = 0


def words_of(message: Part) -> Words:
    """Return what the sender wrote, quotations too. Raises what Python's parser raises."""
    found = Words()
    pieces = _read(message, found, 0)
    kept: list[_Piece] = []
    for piece in pieces:
        if piece.text.strip() and not any(_same(piece.text, other.text) for other in kept):
            kept.append(piece)
    found.text = "\n".join(piece.text for piece in kept)
    found.was_html = any(piece.html for piece in kept)
    found.hidden = sum(piece.hidden for piece in pieces)
    return found


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _read(part: Part, found: Words, depth: int) -> list[_Piece]:
    found.parts += 1
    if depth > DEEPEST or found.parts > MOST_PARTS:
        return []
    kind = part.get_content_type()
    inside = part.get_payload()
    if isinstance(inside, list):
        return _read_several(
            kind, [child for child in inside if isinstance(child, Part)], found, depth
        )
    name = _file_name(part)
    if name or part.get_content_disposition() == "attachment":
        _read_attachment(part, kind, name, found)
        return []
    if kind == "text/plain":
        return [_plain(part)]
    if kind == "text/html":
        return [_html(part)]
    return []


def _read_attachment(part: Part, kind: str, name: str, found: Words) -> None:
    """Read a text file, and keep another that its sender has attached on purpose."""
    if (name.lower().endswith(".txt") and kind in _OF_TEXT) or kind == "text/plain":
        data = _data(part)
        if len(data) <= LARGEST_ATTACHMENT:
            text = lines_of(headers.decode(data, _parameter(part, "charset")))
            found.attachments.append((name, text))
            return
    elif _HANGS_ON.match(kind) or name.lower().endswith(_ENDINGS) or _is_inline(part):
        return
    found.files.append((name or kind, _data(part)))


def _is_inline(part: Part) -> bool:
    """Return whether a file is shown in the text, as the logo of a signature is. Some programs give
    what is attached a Content-ID too."""
    return bool(part.get("content-id")) and part.get_content_disposition() != "attachment"


def _read_several(kind: str, children: list[Part], found: Words, depth: int) -> list[_Piece]:
    if kind.startswith("message/") or kind == "multipart/encrypted":
        return []  # a letter in the letter is somebody else's
    if kind in ("multipart/signed", "multipart/related", "multipart/report"):
        # The first is what is signed, shown or said; the others are signatures, pictures, reports.
        return _read(children[0], found, depth + 1) if children else []
    read = [_read(child, found, depth + 1) for child in children]
    if kind != "multipart/alternative":
        return [piece for pieces in read for piece in pieces]
    readable = [pieces for pieces in read if any(piece.text.strip() for piece in pieces)]
    for pieces in readable:
        if not any(piece.html for piece in pieces) and not all(
            _STUB.match(piece.text) for piece in pieces
        ):
            return pieces
    return next(
        (pieces for pieces in reversed(readable) if any(piece.html for piece in pieces)),
        readable[0] if readable else [],
    )


def _parameter(part: Part, name: str, header: str = "content-type") -> str:
    """A parameter of a header; "" where it is missing or cannot be read."""
    try:
        value = part.get_param(name, "", header)
    except Exception:  # Python's parser raises whatever happens to go wrong in it
        return ""
    return (
        "".join(str(piece or "") for piece in value[2:])
        if isinstance(value, tuple)
        else str(value or "")
    )


def _file_name(part: Part) -> str:
    try:
        return headers.words(headers.line(part.get_filename("") or ""))
    except Exception:  # as above: broken RFC 2231
        return "?"


def _data(part: Part) -> bytes:
    encoding = headers.line(str(part.get("content-transfer-encoding", ""))).lower()
    if "base64" in encoding:
        # Python gives broken base64 up whole; of ours as much is read as can be.
        payload = part.get_payload()
        return (
            headers.from_base64(payload.encode("ascii", "ignore"))
            if isinstance(payload, str)
            else b""
        )
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def lines_of(text: str) -> str:
    """Return text with "\\n" line ends, no NUL, cut where longer than anybody writes."""
    text = _LINE_END.sub("\n", text).replace("\x00", " ")
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rpartition("\n")[0]


def _plain(part: Part) -> _Piece:
    text = lines_of(headers.decode(_data(part), _parameter(part, "charset")))
    if _parameter(part, "format").lower() == "flowed":
        text = join_flowed(text, _parameter(part, "delsp").lower() == "yes")
    return _Piece(text, html=False)


def _html(part: Part) -> _Piece:
    text, hidden = bodies.html_text(
        lines_of(headers.decode(_data(part), _parameter(part, "charset")))
    )
    return _Piece(text, html=True, hidden=hidden)


def join_flowed(text: str, del_sp: bool) -> str:
    """Join lines that the program broke (RFC 3676); quoted ones keep one ">" a level."""
    out: list[str] = []
    open_depth: int | None = None  # of the line that goes on
    for line in text.split("\n"):
        bare = line.lstrip(">")
        depth = len(line) - len(bare)
        bare = bare[1:] if bare.startswith(" ") else bare
        if open_depth == depth and out and bare != "-- ":
            out[-1] += bare
        else:
            out.append(f"{'>' * depth} {bare}" if depth else bare)
        goes_on = bare.endswith(" ") and bare != "-- "
        open_depth = depth if goes_on else None
        if goes_on and del_sp:
            out[-1] = out[-1][:-1]
    return "\n".join(out)
