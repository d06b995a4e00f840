"""Read the DKIM signatures of a message, and what they cover (RFC 6376). They are not checked."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping

from orders.inbound.parsing.message import Message

#: Suffixes shared by strangers. A signature for one of these proves nothing about names below it.
_SHARED = frozenset(
    (
        *(
            "co.uk",
            "org.uk",
            "me.uk",
            "ac.uk",
            "gov.uk",
            "com.au",
            "net.au",
            "org.au",
            "co.nz",
            "co.jp",
            "ne.jp",
            "or.jp",
            "co.kr",
        ),
        *(
            "com.br",
            "com.ar",
            "com.mx",
            "co.za",
            "com.tr",
            "com.cn",
            "com.tw",
            "co.in",
            "github.io",
            "gitlab.io",
            "pages.dev",
        ),
        *(
            "workers.dev",
            "netlify.app",
            "vercel.app",
            "herokuapp.com",
            "web.app",
            "appspot.com",
            "blogspot.com",
            "onmicrosoft.com",
        ),
        *(
            "gappssmtp.com",
            "amazonaws.com",
            "azurewebsites.net",
            "cloudfront.net",
            "dyndns.org",
            "no-ip.org",
            "duckdns.org",
        ),
    )
)


#: dkimpy takes time in proportion to the square of a run of blanks. No mail program writes one of
#: this many, in spaces, tabs and line ends.
LONGEST_BLANK = 500
_BLANKS = bytes.maketrans(b"\t\n\v\f\r", b"     ")
#: A header block (RFC 5322, 2.2), perhaps below the line that a mailbox file begins with.
_HEADERS = re.compile(rb"(?:From [^\r\n]*\n)?(?:[!-9;-~]+:[^\r\n]*(?:\n[ \t][^\r\n]*)*(?:\n|\Z))*")


def are_headers_clear(raw: bytes) -> bool:
    """Return whether every program reads the same headers in a message.

    At a carriage return of its own Python's parser begins another header, or the text; mail
    servers, which check who wrote, do not. Nor do they agree on what follows a line that is no
    header.
    """
    return _HEADERS.fullmatch(_head(raw)) is not None


def is_quickly_checked(raw: bytes) -> bool:
    """Return whether nothing in a message makes the check of its signatures last for minutes.

    Anybody may send us a million blanks, with a signature that is none.
    """
    return b" " * LONGEST_BLANK not in raw.translate(_BLANKS)


def is_aligned(domain: str, sender: str) -> bool:
    """Return whether a proof for `domain` counts for the sender's domain (relaxed, RFC 7489 3.1).

    It does if the domains are the same, or one is below the other.
    """
    domain, sender = domain.strip(" .<>").lower(), sender.strip(" .").lower()
    if not domain or not sender:
        return False
    if domain == sender:
        return True
    shorter, longer = sorted((domain, sender), key=len)
    return "." in shorter and shorter not in _SHARED and longer.endswith("." + shorter)


def covers(message: Message, raw: bytes, name: str) -> bool:
    """Return whether nobody on the way can have changed a header: To, say.

    There is one such header, and every signature of the sender's domain covers it. A message
    without such a signature came from the sender's own server, or is not proven.
    """
    fields = headers_of(raw)
    if sum(1 for field_name, _ in fields if field_name.lower() == name.encode()) != 1:
        return False
    return all(name in _covered(tags) for tags in aligned(fields, message.from_.domain))


def headers_of(raw: bytes) -> list[tuple[bytes, bytes]]:
    """Return names and values of all headers, from the top, as they were written."""
    return re.findall(rb"(?m)^([!-9;-~]+)[ \t]*:((?:.*)(?:\n[ \t].*)*)", _head(raw))


def _head(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]


def fault(tags: Mapping[str, str]) -> str:
    """Return why a signature proves nothing even if it is valid, as a sentence; "" if it does."""
    if "l" in tags:
        return f"The signature (DKIM) of {tags['d']} covers only a part of the message."
    if "from" not in _covered(tags):
        return (
            f"The signature (DKIM) of {tags['d']} does not cover From, so anybody could have"
            " changed it."
        )
    return ""


def _covered(tags: Mapping[str, str]) -> list[str]:
    """Return the names of the headers that a signature covers, in lower case."""
    return tags.get("h", "").lower().split(":")


def aligned(headers: Iterable[tuple[bytes, bytes]], sender: str) -> list[dict[str, str]]:
    """Return the tags of each signature of the sender's domain, from the top."""
    return [tags for tags in all_signatures(headers) if is_aligned(tags["d"], sender)]


def all_signatures(headers: Iterable[tuple[bytes, bytes]]) -> list[dict[str, str]]:
    """Return the tags of each DKIM signature of a message, from the top.

    Its domain `d` is in lower case, "" if it has none.
    """
    tags_of_each = []
    for header, content in headers:
        if header.lower() != b"dkim-signature":
            continue
        tags = {}
        for tag in re.sub(rb"\s+", b"", content).split(b";"):
            name, _, value = tag.partition(b"=")
            tags[name.decode("ascii", "replace")] = value.decode("ascii", "replace")
        tags_of_each.append({**tags, "d": tags.get("d", "").lower()})
    return tags_of_each


def number(written: bytes | str, modulus: int = 0) -> str:
    """Return the number encoded in a signature's b=, in hexadecimal, the same for every spelling.

    Base64 has several spellings, with spaces and unused bits, and dkimpy accepts the number plus
    any multiple of an RSA key's `modulus`.
    """
    value = int.from_bytes(base64.b64decode(written), "big")
    return f"{value % modulus if modulus else value:x}"
