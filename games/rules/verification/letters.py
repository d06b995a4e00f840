"""Compare the hashes in letters with a record.

A record that was rewritten from end to end has other hashes. Letters show them in four kinds of
lines:

    Record hash of game 12: 3fa941c2...                   every letter about a game
    Hash of this submission to game 12: 9c3d0e...         a receipt
    SHA-256 over all orders in force in phase 3 of game 12: 51b0...    a lock, with the digest
    Germany: e27a...                                      a leaf, in a letter with its digest

Letters are read as plain text, as messages (.eml) and as mailboxes (mbox), quoted and forwarded
ones too.
"""

from __future__ import annotations

import binascii
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message

from .. import Json, RulesError
from . import entries

#: Between two words there may be a line end and the mark of a quotation.
_GAP = r"[\s>|]+"
_HASH = rf"([0-9a-f]{{{entries.SHOWN},64}})(?![0-9a-z])"
_WHOLE_HASH = r"([0-9a-f]{64})(?![0-9a-z])"
_NUMBER = "([0-9]{1,18})"


def _pattern(words: str, hash_: str) -> re.Pattern[str]:
    """Return the pattern of a line. In `words`, N stands for a number."""
    spelled = [word.replace("N", _NUMBER) for word in words.split()]
    return re.compile(_GAP.join([*spelled, hash_]), re.IGNORECASE)


_RECORD_LINE = _pattern("Record hash of game N:", _HASH)
_SUBMISSION_LINE = _pattern("Hash of this submission to game N:", _HASH)
_DIGEST_LINE = _pattern("SHA-256 over all orders in force in phase N of game N:", _WHOLE_HASH)
#: The start of a message: the name of a header.
_HEADER = re.compile(rb"[!-9;-~]+:[ \t\r\n]")
_MBOX = re.compile(rb"^From .*\n", re.MULTILINE)
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_UNSEEN = re.compile(r"<(script|style|head)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_LINE_ENDS = re.compile(
    r"<(?:br|/?p|/?div|/?tr|/?td|/?th|/?li|/?h[1-6]|/?table|/?blockquote)\b[^>]*>", re.IGNORECASE
)
_TAG = re.compile(r"<[^>]*>")
#: How deep messages may be attached to each other.
_MOST_WITHIN = 5
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
    """A hash in a letter: the record hash, or that of a submission, a digest or a leaf."""

    where: str
    game: int
    kind: str
    digits: str
    phase: int = 0  # of a digest or leaf
    nation: str = ""  # of a leaf

    def __str__(self) -> str:
        match self.kind:
            case "submission":
                return f"Hash of this submission to game {self.game}: {self.digits}"
            case "digest":
                return f"{entries.digest_heading(self.game, self.phase)} {self.digits}"
            case "leaf":
                return f"{self.nation}: {self.digits}"
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
    """Return whether no hash in letters contradicts a record, and a sentence.

    The sentence says how many match, how many cannot be compared yet, and gives the first that does
    not match.
    """
    nations = [row["nation"] for row in tree["seats"]]
    lines = [line for letter in letters for line in _lines(letter, nations)]
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
    comparable = [line for line in own if tree["complete"] or line.kind != "submission"]
    later = len(own) - len(comparable)
    faults = [(line, fault) for line in comparable if (fault := _fault(tree, line))]
    matching = len(comparable) - len(faults)
    if not faults and not later:
        hashes = "the hash in them is" if matching == 1 else f"all {matching} hashes in them are"
        return True, f"{sentence}: {hashes} in this record."
    if not comparable:
        hashes = _number(later, "hash", "hashes")
        return True, f"{sentence}: {hashes}, which cannot be compared until the game is over."
    count = f"{matching} of {_number(len(comparable), 'hash', 'hashes')} match"
    if later:
        count += f"; {later} cannot be compared until the game is over"
    if not faults:
        return True, f"{sentence}: {count}."
    line, fault = faults[0]
    first = f"{line.where}, “{line}”: {fault}"
    return False, f"{sentence}: {count}. The first that does not: {first}."


def _number(count: int, singular: str, plural: str = "") -> str:
    return f"{count} {singular if count == 1 else plural or singular + 's'}"


def _fault(tree: Json, line: Line) -> str:
    """Return why a line does not match a record; "" if it does."""
    phases = tree["phases"]
    match line.kind:
        case "submission":
            known = [row["hash"] for phase in phases for row in phase["submissions"]]
            missing = "this record has no such submission"
        case "digest":
            known = [phase["digest"] for phase in phases if phase["number"] == line.phase]
            missing = f"phase {line.phase} of this record does not have that digest"
        case "leaf":
            of_phase = [phase["leaves"] for phase in phases if phase["number"] == line.phase]
            known = [leaves[line.nation] for leaves in of_phase if line.nation in leaves]
            missing = f"that is not the leaf of {line.nation} in phase {line.phase} of this record"
        case _:
            known = [row["hash"] for row in tree["entries"]]
            missing = "no entry of this record has that hash"
    if any(hash_.startswith(line.digits) for hash_ in known):
        return ""
    hint = "if the letter is newer than the record, download the record again"
    return missing if tree["complete"] else f"{missing}; {hint}"


def _lines(letter: Letter, nations: Sequence[str]) -> list[Line]:
    """Return the hashes in a letter in their order, each once: HTML repeats those of the text."""
    found = [
        *((match.start(), match, "record") for match in _RECORD_LINE.finditer(letter.text)),
        *((match.start(), match, "submission") for match in _SUBMISSION_LINE.finditer(letter.text)),
    ]
    lines = [
        (place, Line(letter.where, int(match[1]), kind, match[2].lower()))
        for place, match, kind in found
    ]
    digests = list(_DIGEST_LINE.finditer(letter.text))
    ends = [match.start() for match in digests[1:]] + [len(letter.text)]
    for match, end in zip(digests, ends, strict=False):
        phase, game = int(match[1]), int(match[2])
        line = Line(letter.where, game, "digest", match[3].lower(), phase=phase)
        lines.append((match.start(), line))
        for leaf in _leaf_pattern(nations).finditer(letter.text, match.end(), end):
            nation, digits = leaf[1], leaf[2].lower()
            line = Line(letter.where, game, "leaf", digits, phase=phase, nation=nation)
            lines.append((leaf.start(), line))
    return list(dict.fromkeys(line for _, line in sorted(lines, key=lambda item: item[0])))


def _leaf_pattern(nations: Sequence[str]) -> re.Pattern[str]:
    names = "|".join(re.escape(nation) for nation in nations)
    return re.compile(rf"\b({names}):{_GAP}{_WHOLE_HASH}")


# --- messages ---


def _message(name: str, data: bytes) -> Letter:
    try:
        message = message_from_bytes(data)
        headers = [words for key in ("Subject", "Date") if (words := _header(message, key))]
        texts = [*_texts(message, "text/plain"), *map(_strip_tags, _texts(message, "text/html"))]
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
    for part in _parts(message):
        payload = part.get_payload(decode=True) if part.get_content_type() == kind else None
        if isinstance(payload, bytes):
            texts.append(_decode(payload, part.get_content_charset() or "utf-8"))
    return texts


def _parts(message: Message, within: int = 0) -> Iterator[Message]:
    """Yield the parts of a message and of the messages attached to it, as whatever it calls them.

    `within`: how many messages it is attached to.
    """
    for part in message.walk():
        yield part
        data = _attached(part)
        if within < _MOST_WITHIN and _HEADER.match(data):
            yield from _parts(message_from_bytes(data), within + 1)


def _attached(part: Message) -> bytes:
    """Return the bytes of a part that may be a message by themselves."""
    payload: object = part.get_payload()
    if not isinstance(payload, list):
        decoded = part.get_payload(decode=True)
        return decoded if isinstance(decoded, bytes) else b""
    encoding = str(part["Content-Transfer-Encoding"]).lower()
    if part.get_content_type() != "message/rfc822" or encoding != "base64":
        return b""  # a message that the parser has read
    try:
        return binascii.a2b_base64(str(payload[0].get_payload()))
    except ValueError:
        return b""


def _decode(data: bytes, encoding: str) -> str:
    """Return a text despite encoding errors, because the lines to find are plain ASCII."""
    try:
        return data.decode(encoding, "replace")
    except (LookupError, UnicodeError):
        return data.decode("latin-1")


def _strip_tags(text: str) -> str:
    text = " ".join(_UNSEEN.sub(" ", text).split())
    return html.unescape(_TAG.sub("", _LINE_ENDS.sub("\n", text)))
