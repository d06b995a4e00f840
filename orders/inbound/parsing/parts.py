"""Find the sender's words in a message's parts (RFC 2045 to 2049, 3676).

They may come in any charset and encoding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from email.message import Message as Part

from . import (
    bodies,  # imports BeautifulSoup lazily, as most mail has a plain part
    encryption,
    headers,
)

#: More than any mail program nests or sends. Parts beyond are not read.
DEEPEST = 12
MOST_PARTS = 200
LARGEST_ATTACHMENT = 20_000
#: In characters; nobody types more. Longer text is cut at the end of a line.
LONGEST_TEXT = 200_000
#: A plain part that only points to the HTML part.
_STUB = re.compile(
    r"\W*(?:this (?:is an?|message|e-?mail)|diese (?:nachricht|e-?mail)|your (?:e-?mail|mail)|to"
    r" view this"
    r"|please view)\b[^\n]{0,200}\bhtml\b",
    re.IGNORECASE,
)
#: Content types under which mail programs send text files.
_OF_TEXT = ("text/plain", "application/octet-stream", "application/plain", "application/text")
#: Attachments that mail programs add by themselves: signatures, cards, invitations, messages in
#: messages.
_HANGS_ON = re.compile(
    r"text/(?:calendar|(?:x-)?vcard|directory)|application/(?:pgp|(?:x-)?pkcs|ics)|message/"
)
#: A comment in a MIME header (RFC 2045, 5.1), outside of quotation marks.
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|\((?:[^()\\]|\\.)*\)')
_MIME_HEADERS = ("content-type", "content-transfer-encoding", "content-disposition")
#: What mail programs write when a person clicks on something.
_REACTION = "text/vnd.google.email-reaction+json"
_CALENDAR_ANSWERS = ("REPLY", "COUNTER")  # RFC 5546, 3.2
_ENDINGS = (".asc", ".p7s", ".sig", ".vcf", ".ics", ".eml")
_LINE_END = re.compile(r"\r\n|\r|\n|\x0b|\x0c|\x1c|\x1d|\x1e|\x85|\u2028|\u2029")


@dataclass
class Words:
    """The sender's words gathered from the parts, and the attached files."""

    text: str = ""
    hidden: tuple[str, ...] = ()  # lines of HTML that are quoted or invisible
    crossed_out: tuple[str, ...] = ()  # what the sender crossed out in HTML
    unreadable: encryption.Unreadable = ""  # why parts of it cannot be read
    clicked: str = ""  # what a click made a mail program write, as half a sentence
    attachments: list[tuple[str, str]] = field(default_factory=list)
    files: list[tuple[str, bytes]] = field(default_factory=list)  # name and content; no text files
    parts: int = 0


@dataclass(frozen=True)
class _Piece:
    text: str
    html: bool
    hidden: tuple[str, ...] = ()
    crossed_out: tuple[str, ...] = ()


def words_of(message: Part) -> Words:
    """Return what the sender wrote, including quotations. Raise whatever Python's parser raises."""
    gathered = Words()
    pieces = _read(message, gathered, 0)
    distinct: list[_Piece] = []
    for piece in pieces:
        if piece.text.strip() and not any(
            piece.text.split() == other.text.split() for other in distinct
        ):
            distinct.append(piece)
    gathered.text, encrypted = encryption.without_armor("\n".join(piece.text for piece in distinct))
    if encrypted:
        gathered.unreadable = "encrypted"
    gathered.hidden = tuple(line for piece in pieces for line in piece.hidden)
    crossed_out = (line for piece in pieces for line in piece.crossed_out)
    gathered.crossed_out = tuple(dict.fromkeys(crossed_out))
    return gathered


def _read(part: Part, words: Words, depth: int) -> list[_Piece]:
    """Return the readable pieces of a part; add its files to `words`."""
    words.parts += 1
    _remove_comments(part)
    if depth > DEEPEST or words.parts > MOST_PARTS:
        return []
    kind = part.get_content_type()
    name = _file_name(part)
    smime_type = _parameter(part, "smime-type")
    if why := encryption.why_unreadable(kind, smime_type, name, lambda: _data(part)):
        words.unreadable = why
        return []
    if kind == _REACTION:
        words.clicked = "it is a reaction to a letter"
    elif kind == "text/calendar" and _parameter(part, "method").upper() in _CALENDAR_ANSWERS:
        words.clicked = "it is a calendar's answer to an invitation"
    inside = part.get_payload()
    if isinstance(inside, list):
        return _read_several(
            kind, [child for child in inside if isinstance(child, Part)], words, depth
        )
    if name or part.get_content_disposition() == "attachment":
        _read_attachment(part, kind, name, words)
        return []
    if kind == "text/plain":
        return [_plain(part)]
    if kind == "text/html":
        return [_html(part)]
    if kind.startswith("text/") and not _HANGS_ON.match(kind):
        # Text of an unknown kind is read as plain (RFC 2046, 4.1.4), if there is no other.
        return [replace(_plain(part), html=True)]
    return []


def _remove_comments(part: Part) -> None:
    for name in _MIME_HEADERS:
        value = str(part.get(name, ""))
        if "(" in value:
            part.replace_header(name, _COMMENT.sub(r"\1", value).strip())


def _read_attachment(part: Part, kind: str, name: str, words: Words) -> None:
    """Read a text file; store another file that its sender attached on purpose."""
    if (name.lower().endswith(".txt") and kind in _OF_TEXT) or kind == "text/plain":
        data = _data(part)
        if len(data) <= LARGEST_ATTACHMENT:
            text = lines_of(headers.decode(data, _parameter(part, "charset")))
            words.attachments.append((name, text))
            return
    elif _HANGS_ON.match(kind) or name.lower().endswith(_ENDINGS) or _is_inline(part):
        return
    words.files.append((name or kind, _data(part)))


def _is_inline(part: Part) -> bool:
    """Return whether a file is shown in the text, like the logo in a signature.

    Some programs give attachments a Content-ID too, so the disposition decides.
    """
    return bool(part.get("content-id")) and part.get_content_disposition() != "attachment"


def _read_several(kind: str, children: list[Part], words: Words, depth: int) -> list[_Piece]:
    """Return the readable pieces of a multipart: of alternatives, the best one."""
    if kind.startswith("message/"):
        return []  # an enclosed message was written by another person
    if kind in ("multipart/signed", "multipart/related", "multipart/report"):
        # The first part is the content; the others are signatures, pictures, reports.
        return _read(children[0], words, depth + 1) if children else []
    read = [_read(child, words, depth + 1) for child in children]
    if kind != "multipart/alternative":
        return [piece for pieces in read for piece in pieces]
    # The plain alternative shows crossed-out text like any other.
    crossed = [pieces for pieces in read if any(piece.crossed_out for piece in pieces)]
    if crossed:
        return crossed[-1]
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


def _parameter(part: Part, name: str) -> str:
    """Return a parameter of a part's content type; "" where it is missing or malformed."""
    try:
        value = part.get_param(name, "")
    except Exception:  # Python's parser raises all kinds of errors
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
    if "quoted-printable" in encoding:  # Python expects the word alone, without “;” or quotes
        part.replace_header("content-transfer-encoding", "quoted-printable")
    if "base64" in encoding:
        # Python gives up on malformed base64; decode as much as possible instead.
        payload = part.get_payload()
        return (
            headers.decode_base64(payload.encode("ascii", "ignore"))
            if isinstance(payload, str)
            else b""
        )
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def lines_of(text: str) -> str:
    """Return text with "\\n" line ends and without NUL, cut at `LONGEST_TEXT` characters."""
    text = _LINE_END.sub("\n", text).replace("\x00", " ")
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rpartition("\n")[0]


def _plain(part: Part) -> _Piece:
    text = lines_of(headers.decode(_data(part), _parameter(part, "charset")))
    if _parameter(part, "format").lower() == "flowed":
        text = join_flowed(text, _parameter(part, "delsp").lower() == "yes")
    return _Piece(text, html=False)


def _html(part: Part) -> _Piece:
    html = bodies.html_text(lines_of(headers.decode(_data(part), _parameter(part, "charset"))))
    return _Piece(html.text, html=True, hidden=html.left_out, crossed_out=html.crossed_out)


def join_flowed(text: str, del_sp: bool) -> str:
    """Join lines that the mail program broke (RFC 3676).

    Quoted lines keep one ">" for each level.
    """
    joined: list[str] = []
    continued_depth: int | None = None  # quote depth of a line that continues
    for line in text.split("\n"):
        bare = line.lstrip(">")
        depth = len(line) - len(bare)
        bare = bare[1:] if bare.startswith(" ") else bare
        if continued_depth == depth and joined and bare != "-- ":
            joined[-1] += bare
        else:
            joined.append(f"{'>' * depth} {bare}" if depth else bare)
        continues = bare.endswith(" ") and bare != "-- "
        continued_depth = depth if continues else None
        if continues and del_sp:
            joined[-1] = joined[-1][:-1]
    return "\n".join(joined)
