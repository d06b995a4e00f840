"""Whether a message comes from whom it says it does (RFC 8601, 6376, 7489)."""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from orders.inbound.parsing.message import Message

Policy = Literal["results", "dkim", "address"]
#: The text record at a DNS name as bytes, or None: `dkim`'s dnsfunc.
Resolver = Callable[..., bytes | None]
#: No more signatures of the sender's domain are checked: each costs a question to the DNS.
MOST_SIGNATURES = 4
_RESULT = re.compile(r"^([a-z][a-z0-9-]*)(?:/\d+)?\s*=\s*([a-z]+)")
#: A value may be quoted in part: `"a b"@example.org` is one, and its domain stands behind the last
# @.
_PROPERTY = re.compile(r'(?<!\S)([a-z]+)\.([a-z0-9_-]+)\s*=\s*((?:"[^"]*"|[^\s"])+)')
_BY = re.compile(r"\sby\s+([^\s;()]+)")
#: dkimpy calls every signature that does not hold an error of ours; `Trust.why` says it to whom it
# concerns.
_QUIET = logging.getLogger("orders.inbound.identity.trust.dkimpy")
_QUIET.setLevel(logging.CRITICAL)
#: Suffixes under which strangers are neighbours. Whoever signs for one of these signs for nobody.
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


@dataclass(frozen=True)
class Trust:
    """`ok`: From's address can be believed. `how`: dmarc, dkim, spf or address. `why` is one
    sentence for the gamesmaster.

    `signatures`: what the signatures (DKIM) that were accepted are known by, however they are
    written.
    """

    ok: bool
    how: str
    why: str
    signatures: tuple[str, ...] = field(default=(), compare=False)


def authenticate(
    message: Message,
    raw: bytes,
    policy: Policy,
    our_authserv: str = "",
    resolver: Resolver | None = None,
) -> Trust:
    """Judges `message` (the parse of `raw`) by `policy`. Never raises.

    results: by the Authentication-Results of our own server, named `our_authserv`. dkim: by
    checking the signature here, with the keys that `resolver` finds (None: the network's DNS).
    address: what From says is enough.
    """
    if not message.senders:
        return Trust(False, "", "The message names no sender.")
    if len(message.senders) > 1:
        return Trust(
            False, "", f"The message names {len(message.senders)} senders; it must name one."
        )
    if policy == "address":
        return Trust(True, "address", "The address of the sender is enough here.")
    if policy == "dkim":
        return _check_signature(message, raw, resolver)
    return _by_results(message, raw, our_authserv)


def aligned(domain: str, sender: str) -> bool:
    """Whether who answers for `domain` answers for the sender's domain (relaxed, RFC 7489 3.1): the
    same, or one below the other."""
    domain, sender = domain.strip(" .<>").lower(), sender.strip(" .").lower()
    if not domain or not sender:
        return False
    if domain == sender:
        return True
    shorter, longer = sorted((domain, sender), key=len)
    return "." in shorter and shorter not in _SHARED and longer.endswith("." + shorter)


# --- what our own server says ---


def _by_results(message: Message, raw: bytes, our_authserv: str) -> Trust:
    if not our_authserv:
        return Trust(False, "", "No server is named whose checks could be believed.")
    results = _ours(message, our_authserv.strip().lower())
    if not results:
        return Trust(False, "", f"Our server {our_authserv} has not said who sent this.")
    sender = message.from_.domain
    verdicts = [verdict for value in results for verdict in _verdicts(value)]
    if any(method == "dmarc" and result == "fail" for method, result, _ in verdicts):
        return Trust(False, "", f"The rules of {sender} (DMARC) say that this is not from there.")
    passed = [(method, said) for method, result, said in verdicts if result == "pass"]
    signatures = _accepted_signatures(
        raw, [said for method, said in passed if method == "dkim"], sender
    )
    for method, said in sorted(passed, key=lambda each: each[0] != "dmarc"):
        if method == "dmarc" and aligned(said.get("header.from", sender), sender):
            return Trust(True, "dmarc", f"DMARC holds for {sender}.", signatures)
        signer = _signer(said)
        if method == "dkim" and aligned(signer, sender):
            return Trust(True, "dkim", f"It bears a signature (DKIM) of {signer}.", signatures)
        mail_from = said.get("smtp.mailfrom", "").rpartition("@")[2]
        if method == "spf" and aligned(mail_from, sender):
            return Trust(
                True,
                "spf",
                f"It came from a server that may send for {mail_from} (SPF).",
                signatures,
            )
    return Trust(False, "", f"Nothing proves that this comes from {sender}.")


def _accepted_signatures(
    raw: bytes, passed: Sequence[Mapping[str, str]], sender: str
) -> tuple[str, ...]:
    """Return the signatures of the sender's domain that our server says it has accepted, by their
    d= and, where it tells, b= (RFC 6008)."""
    accepted = [(_signer(said), said.get("header.b", "")) for said in passed]
    found = []
    for tags in _signatures(_headers(raw)) if accepted else ():
        signer, written = tags["d"], tags.get("b", "")
        if aligned(signer, sender) and any(
            signer == d and written.lower().startswith(b) for d, b in accepted
        ):
            with suppress(ValueError):  # no base64
                found.append(_value(written))
    return tuple(dict.fromkeys(found))


def _headers(raw: bytes) -> list[tuple[bytes, bytes]]:
    head = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return re.findall(rb"(?m)^([!-9;-~]+)[ \t]*:((?:.*)(?:\n[ \t].*)*)", head)


def _signer(said: Mapping[str, str]) -> str:
    return said.get("header.d") or said.get("header.i", "").rpartition("@")[2]


def _ours(message: Message, authserv: str) -> list[str]:
    """The results that our server wrote. Those above every Received were added after we had the
    message.

    If there are none, only the first one of ours counts, and only below Received headers of our
    own: what stands beneath it, or beneath another's Received, may have come with the message,
    whatever name it bears.
    """
    above: list[str] = []
    received = 0
    for name, value in message.trace:
        if name == "received":
            if above:
                return above
            received += 1
            by = match[1].lower() if (match := _BY.search(value)) else ""
            if not _own_host(by, authserv):
                return []
        elif _authserv(value) == authserv:
            if received:
                return [value]
            above.append(value)
    return above


def _own_host(by: str, authserv: str) -> bool:
    """Ours: the server itself, its neighbours in its domain, or a hop inside (an address,
    localhost, a name without a domain)."""
    home = authserv.partition(".")[2] if authserv.count(".") > 1 else authserv
    inside = (
        "." not in by.strip("[]")
        or re.fullmatch(r"\[?(?:10|127|192\.168)(?:\.\d{1,3}){2,3}\]?", by) is not None
    )
    return inside or by in (authserv, home) or by.endswith("." + home)


def _authserv(value: str) -> str:
    pieces = _pieces(value)
    return pieces[0].strip().partition(" ")[0].lower() if pieces else ""


def _pieces(value: str) -> list[str]:
    """A header's value at its semicolons, without comments. What is in quotation marks or comments
    may be the sender's own words.

    Signs with a backslash before them, and semicolons within quotation marks, are left out: they
    end nothing.
    """
    found, depth, quoted, at = [""], 0, False, 0
    while at < len(value):
        sign = value[at]
        if sign == "\\" and (quoted or depth):
            at += 1  # with the sign behind it, whatever it is
        elif depth:
            depth += (sign == "(") - (sign == ")")
            found[-1] += " " if not depth else ""
        elif sign == '"':
            quoted = not quoted
            found[-1] += sign
        elif quoted:
            found[-1] += sign if sign != ";" else " "
        elif sign == "(":
            depth = 1
        elif sign == ";":
            found.append("")
        else:
            found[-1] += sign
        at += 1
    return found if not (quoted or depth) else []  # one that does not end proves nothing


def _verdicts(value: str) -> list[tuple[str, str, dict[str, str]]]:
    """Return method, result and properties (the first of a kind) of each result."""
    found = []
    for piece in _pieces(value.lower())[1:]:
        if match := _RESULT.match(piece.strip()):
            said: dict[str, str] = {}
            for kind, name, what in _PROPERTY.findall(re.sub(r'reason\s*=\s*"[^"]*"', "", piece)):
                said.setdefault(f"{kind}.{name}", _unquote(what))
            found.append((match[1], match[2], said))
    return found


def _unquote(value: str) -> str:
    """Without the marks of a value that is quoted as a whole."""
    return (
        value[1:-1]
        if len(value) > 1 and value[0] == value[-1] == '"' and '"' not in value[1:-1]
        else value
    )


# --- what we check ourselves ---


def _check_signature(message: Message, raw: bytes, resolver: Resolver | None) -> Trust:
    """Believe From if a signature of its domain holds that covers the whole message and From itself
    (RFC 6376, 5.4 and 6.1.1).

    Every signature of that domain is checked, also after one that holds: `Trust.signatures` must
    name all that a copy may bear.
    """
    import dkim  # type: ignore[import-untyped]  # takes a while to load, and only this policy needs it

    sender = message.from_.domain
    why = f"It bears no signature (DKIM) of {sender}."
    try:
        signed = dkim.DKIM(raw, logger=_QUIET, minkey=1024, timeout=5)
        # A signature of a foreign domain is not worth a question to the DNS.
        own = [
            (index, tags["d"])
            for index, tags in enumerate(_signatures(signed.headers))
            if aligned(tags["d"], sender)
        ]
    except Exception:  # dkimpy raises its own and whatever else bad bytes lead to
        return Trust(False, "", why)
    if sum(1 for name, _ in signed.headers if name.lower() == b"from") != 1:
        return Trust(False, "", "The message does not have exactly one sender.")
    if len(own) > MOST_SIGNATURES:
        return Trust(
            False,
            "",
            f"It bears {len(own)} signatures (DKIM) of {sender}; at most {MOST_SIGNATURES} are"
            " checked.",
        )
    holding: dict[str, str] = {}
    for index, signer in own:
        try:
            fields, names, _ = signed.verify_headerprep(index)
            if b"l" in fields:
                why = f"The signature (DKIM) of {signer} covers only a part of the message."
            elif b"from" not in names:
                why = (
                    f"The signature (DKIM) of {signer} does not cover From, so anybody could have"
                    " changed it."
                )
            elif signed.verify(idx=index, **({"dnsfunc": resolver} if resolver else {})):
                holding[
                    _value(fields[b"b"], signed.pk["modulus"] if signed.ktag == b"rsa" else 0)
                ] = signer
            else:
                why = f"The signature (DKIM) of {signer} is not valid, or its key cannot be found."
        except Exception:  # as above; a message that was changed is told so too
            why = f"The signature (DKIM) for {sender} does not hold, or cannot be checked."
    if not holding:
        return Trust(False, "", why)
    return Trust(
        True,
        "dkim",
        f"It bears a signature (DKIM) of {next(iter(holding.values()))} that holds.",
        tuple(holding),
    )


def _signatures(headers: Iterable[tuple[bytes, bytes]]) -> list[dict[str, str]]:
    """Return the tags of each signature of a message, from the top; its domain `d` in small
    letters, "" where it has none."""
    found = []
    for header, content in headers:
        if header.lower() != b"dkim-signature":
            continue
        tags = {}
        for tag in re.sub(rb"\s+", b"", content).split(b";"):
            name, _, value = tag.partition(b"=")
            tags[name.decode("ascii", "replace")] = value.decode("ascii", "replace")
        found.append({**tags, "d": tags.get("d", "").lower()})
    return found


def _value(written: bytes | str, modulus: int = 0) -> str:
    """Return the number that a signature's b= stands for, in hexadecimal: one for every way to
    write it.

    Base64 has several, with spaces and with unused bits; and dkimpy takes the number plus any
    multiple of an RSA key's `modulus`.
    """
    number = int.from_bytes(base64.b64decode(written), "big")
    return f"{number % modulus if modulus else number:x}"
