"""Compare the hashes in letters with a record (contract.md 5).

A record that was rewritten from end to end has other hashes. Every letter of a phase has the line
"Record hash of game 12: 3fa941c2d0be7715aa02", every receipt "Hash of this submission to game 12:
9c3d0e...". Letters are read as plain text, as messages (.eml) and as mailboxes (mbox), quoted and
forwarded ones too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message

from .. import Json, RulesError

#: Between two words there may be a line end and the mark of a quotation.
_GAP = r"[\s>|]+"
_HASH = r"([0-9a-f]{20,64})(?![0-9a-z])"
_RECORD_LINE = re.compile(
    _GAP.join(["Record", "hash", "of", "game", "([0-9]{1,18}):", _HASH]), re.IGNORECASE
)
_SUBMISSION_LINE = re.compile(
    _GAP.join(["Hash", "of", "this", "submission", "to", "game", "([0-9]{1,18}):", _HASH]),
    re.IGNORECASE,
)
#: The start of a message: the name of a header.
_HEADER = re.compile(rb"[!-9;-~]+:[ \t\r\n]")
_MBOX = re.compile(rb"^From .*\n", re.MULTILINE)
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_UNSEEN = re.compile(r"<(script|style|head)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_LINE_ENDS = re.compile(
    r"<(?:br|/?p|/?div|/?tr|/?td|/?th|/?li|/?h[1-6]|/?table|/?blockquote)\b[^>]*>", re.IGNORECASE
)
_TAG = re.compile(r"<[^>]*>")
#: Errors that a damaged message may raise.
_UNFIT = (MessageError, LookupError, ValueError, AttributeError, TypeError)


class LetterError(RulesError):
    """A file that is not a letter. `str()` is one sentence."""


@dataclass(frozen=True)
class Letter:
    """A letter's text, and its place: the file, and subject and date where it has them."""

    where: str
    text: str


@dataclass(frozen=True)
class Line:
    """A hash in a letter: of a submission, or the record hash."""

    where: str
    game: int
    of_submission: bool
    digits: str

    def __str__(self) -> str:
        if self.of_submission:
            return f"Hash of this submission to game {self.game}: {self.digits}"
        return f"Record hash of game {self.game}: {self.digits}"


def read(name: str, data: bytes) -> list[Letter]:
    """Return the letters in a file. Raise `LetterError` for a file that is not text."""
    if data.startswith(b"From "):
        return [_message(name, part) for part in _MBOX.split(data) if part.strip()]
    if _HEADER.match(data):
        return [_message(name, data)]
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "")
    if not data.strip() or (b"\0" in data and not encoding):
        raise LetterError(
            f"{name} is not a letter. Give letters as plain text, as .eml files or as a mailbox"
            " (mbox)."
        )
    return [Letter(name, _decode(data, encoding or "utf-8"))]


def compare(tree: Json, letters: Sequence[Letter]) -> tuple[bool, str]:
    """Return whether all hashes in letters match a record, and a sentence.

    The sentence says how many match, or gives the first that does not.
    """
    lines = [line for letter in letters for line in _lines(letter)]
    own = [line for line in lines if line.game == tree["id"]]
    others = sorted({line.game for line in lines} - {tree["id"]})
    sentence = f"{_number(len(letters), 'letter')} read"
    if others:
        count = _number(len(lines) - len(own), "hash", "hashes")
        sentence += (
            f"; {count} of {'game' if len(others) == 1 else 'games'} {', '.join(map(str, others))}"
            " left out"
        )
    if not own:
        expected = f"“Record hash of game {tree['id']}: …” or a hash of one of its submissions"
        return False, f"{sentence}: none has a line {expected}, so that nothing was compared."
    faults = [(line, fault) for line in own if (fault := _fault(tree, line))]
    matching = len(own) - len(faults)
    if not faults:
        hashes = "the hash in them is" if matching == 1 else f"all {matching} hashes in them are"
        return True, f"{sentence}: {hashes} in this record."
    line, fault = faults[0]
    count = f"{matching} of {_number(len(own), 'hash', 'hashes')} match"
    first = f"{line.where}, “{line}”: {fault}"
    return False, f"{sentence}: {count}. The first that does not: {first}."


def _number(count: int, singular: str, plural: str = "") -> str:
    return f"{count} {singular if count == 1 else plural or singular + 's'}"


def _fault(tree: Json, line: Line) -> str:
    """Return why a line does not match a record; "" if it does."""
    if not line.of_submission:
        if any(row["hash"].startswith(line.digits) for row in tree["entries"]):
            return ""
        if tree["status"] in ("finished", "abandoned"):
            return "no entry of this record has that hash"
        hint = "if the letter is newer than the record, download the record again"
        return f"no entry of this record has that hash; {hint}"
    submissions = [row for phase in tree["phases"] for row in phase["submissions"]]
    if any(row["hash"].startswith(line.digits) for row in submissions):
        return ""
    if tree["complete"]:
        return "this record has no such submission"
    return "this record leaves out submissions until the game is over"


def _lines(letter: Letter) -> Iterator[Line]:
    matches = [
        *((match, False) for match in _RECORD_LINE.finditer(letter.text)),
        *((match, True) for match in _SUBMISSION_LINE.finditer(letter.text)),
    ]
    for match, of_submission in sorted(matches, key=lambda found: found[0].start()):
        yield Line(letter.where, int(match[1]), of_submission, match[2].lower())


# --- messages ---


def _message(name: str, data: bytes) -> Letter:
    try:
        message = message_from_bytes(data)
        headers = [words for key in ("Subject", "Date") if (words := _header(message, key))]
        texts = _texts(message, "text/plain") or [
            _strip_tags(text) for text in _texts(message, "text/html")
        ]
    except _UNFIT as error:
        raise LetterError(f"{name} has a message that cannot be read: {error}") from error
    return Letter(", ".join([name, *headers]), "\n".join(texts))


def _header(message: Message, key: str) -> str:
    value = message.get(key)
    if value is None:
        return ""
    try:
        words = str(make_header(decode_header(str(value))))
    except (MessageError, LookupError, ValueError):
        words = str(value)
    words = " ".join(words.split())
    return f"“{words}”" if key == "Subject" and words else words


def _texts(message: Message, kind: str) -> list[str]:
    """Return the texts of one kind, those in attached messages too."""
    texts = []
    for part in message.walk():
        payload = part.get_payload(decode=True) if part.get_content_type() == kind else None
        if isinstance(payload, bytes):
            texts.append(_decode(payload, part.get_content_charset() or "utf-8"))
    return texts


def _decode(data: bytes, encoding: str) -> str:
    """Return a text despite encoding errors, because the lines to find are plain ASCII."""
    try:
        return data.decode(encoding, "replace")
    except (LookupError, UnicodeError):
        return data.decode("latin-1")


def _strip_tags(text: str) -> str:
    text = " ".join(_UNSEEN.sub(" ", text).split())
    return html.unescape(_TAG.sub("", _LINE_ENDS.sub("\n", text)))
