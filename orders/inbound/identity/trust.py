"""Judge whether a message comes from its claimed sender (RFC 8601, 6376, 7489)."""

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
#: Returns the text record at a DNS name as bytes, or None: `dkim`'s dnsfunc.
Resolver = Callable[..., bytes | None]
#: The most signatures of the sender's domain to check; each costs a DNS query.
MOST_SIGNATURES = 4
_RESULT = re.compile(r"^([a-z][a-z0-9-]*)(?:/\d+)?\s*=\s*([a-z]+)")
#: A value may be partly quoted: `"a b"@example.org` is one value, and its domain follows the last
#: @.
_PROPERTY = re.compile(r'(?<!\S)([a-z]+)\.([a-z0-9_-]+)\s*=\s*((?:"[^"]*"|[^\s"])+)')
_BY = re.compile(r"\sby\s+([^\s;()]+)")
#: dkimpy logs every invalid signature as an error; `Trust.why` reports it where it matters.
_QUIET = logging.getLogger("orders.inbound.identity.trust.dkimpy")
_QUIET.setLevel(logging.CRITICAL)
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


@dataclass(frozen=True)
class Trust:
    """Whether the address in From is proven.

    `ok`: it is. `how`: dmarc, dkim, spf or address. `why` is one sentence for the gamesmaster.

    `signatures`: identifiers of the accepted DKIM signatures that do not depend on how they are
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
    """Judge `message` (parsed from `raw`) by `policy`. Never raises.

    - results: by the Authentication-Results of our own server, named `our_authserv`.
    - dkim: by checking the signature here, with the keys that `resolver` finds (None: the network's
      DNS).
    - address: what From says is enough.
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
    return _trust_by_results(message, raw, our_authserv)


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
    fields = _headers(raw)
    if sum(1 for field_name, _ in fields if field_name.lower() == name.encode()) != 1:
        return False
    return all(
        name in tags.get("h", "").lower().split(":")
        for tags in _signatures(fields)
        if is_aligned(tags["d"], message.from_.domain)
    )


# --- what our own server says ---


def _trust_by_results(message: Message, raw: bytes, our_authserv: str) -> Trust:
    """Judge by the results that our own server wrote into the message."""
    if not our_authserv:
        return Trust(False, "", "No server is named whose checks could be believed.")
    results = _our_results(message, our_authserv.strip().lower())
    if not results:
        return Trust(False, "", f"Our server {our_authserv} has not said who sent this.")
    sender = message.from_.domain
    verdicts = [verdict for value in results for verdict in _verdicts(value)]
    if any(method == "dmarc" and result == "fail" for method, result, _ in verdicts):
        return Trust(False, "", f"The rules of {sender} (DMARC) say that this is not from there.")
    passed = [(method, properties) for method, result, properties in verdicts if result == "pass"]
    signatures = _accepted_signatures(
        raw, [properties for method, properties in passed if method == "dkim"], sender
    )
    for method, properties in sorted(passed, key=lambda each: each[0] != "dmarc"):
        if method == "dmarc" and is_aligned(properties.get("header.from", sender), sender):
            return Trust(True, "dmarc", f"DMARC holds for {sender}.", signatures)
        signer = _signer(properties)
        if method == "dkim" and is_aligned(signer, sender):
            return Trust(True, "dkim", f"It bears a signature (DKIM) of {signer}.", signatures)
        mail_from = properties.get("smtp.mailfrom", "").rpartition("@")[2]
        if method == "spf" and is_aligned(mail_from, sender):
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
    """Return the signatures of the sender's domain that our server accepted.

    They are matched by d= and, if the results contain it, b= (RFC 6008).
    """
    accepted = [(_signer(properties), properties.get("header.b", "")) for properties in passed]
    values = []
    for tags in _signatures(_headers(raw)) if accepted else ():
        signer, signature = tags["d"], tags.get("b", "")
        if is_aligned(signer, sender) and any(
            signer == d and signature.lower().startswith(b) for d, b in accepted
        ):
            with suppress(ValueError):  # no base64
                values.append(_value(signature))
    return tuple(dict.fromkeys(values))


def _headers(raw: bytes) -> list[tuple[bytes, bytes]]:
    head = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return re.findall(rb"(?m)^([!-9;-~]+)[ \t]*:((?:.*)(?:\n[ \t].*)*)", head)


def _signer(tags: Mapping[str, str]) -> str:
    return tags.get("header.d") or tags.get("header.i", "").rpartition("@")[2]


def _our_results(message: Message, authserv: str) -> list[str]:
    """Return the results that our server wrote.

    Those above every Received header were added after we had the message. If there are none, only
    our first result counts, and only below Received headers of our own. Anything below that, or
    below a Received header of another host, may have been sent with the message, whatever name it
    claims.
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
    """Return whether a host is ours: the server itself, another in its domain, or an internal hop.

    An internal hop is a private address, localhost, or a name without a domain.
    """
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
    """Return a header's value split at its semicolons, without comments.

    Text in quotation marks or comments may be the sender's own words. Escaped characters, and
    semicolons within quotation marks, are left out: they end nothing.
    """
    pieces, depth, quoted, position = [""], 0, False, 0
    while position < len(value):
        character = value[position]
        if character == "\\" and (quoted or depth):
            position += 1  # skip the escaped character too
        elif depth:
            depth += (character == "(") - (character == ")")
            pieces[-1] += " " if not depth else ""
        elif character == '"':
            quoted = not quoted
            pieces[-1] += character
        elif quoted:
            pieces[-1] += character if character != ";" else " "
        elif character == "(":
            depth = 1
        elif character == ";":
            pieces.append("")
        else:
            pieces[-1] += character
        position += 1
    return pieces if not (quoted or depth) else []  # an unterminated value proves nothing


def _verdicts(value: str) -> list[tuple[str, str, dict[str, str]]]:
    """Return method, result and properties of each result; of equal properties, the first."""
    results = []
    for piece in _pieces(value.lower())[1:]:
        if match := _RESULT.match(piece.strip()):
            properties: dict[str, str] = {}
            for kind, name, text in _PROPERTY.findall(re.sub(r'reason\s*=\s*"[^"]*"', "", piece)):
                properties.setdefault(f"{kind}.{name}", _unquote(text))
            results.append((match[1], match[2], properties))
    return results


def _unquote(value: str) -> str:
    """Return a value without quotation marks around the whole of it."""
    return (
        value[1:-1]
        if len(value) > 1 and value[0] == value[-1] == '"' and '"' not in value[1:-1]
        else value
    )


# --- what we check ourselves ---


def _check_signature(message: Message, raw: bytes, resolver: Resolver | None) -> Trust:
    """Believe From if a valid signature of its domain covers the whole message and From itself.

    (RFC 6376, 5.4 and 6.1.1.) Every signature of that domain is checked, even after a valid one:
    `Trust.signatures` must name all that a copy may have.
    """
    import dkim  # type: ignore[import-untyped]  # takes a while to load, and only this policy needs it

    sender = message.from_.domain
    why = f"It bears no signature (DKIM) of {sender}."
    try:
        verifier = dkim.DKIM(raw, logger=_QUIET, minkey=1024, timeout=5)
        # Do not spend a DNS query on signatures of other domains.
        signed = [
            (index, tags["d"])
            for index, tags in enumerate(_signatures(verifier.headers))
            if is_aligned(tags["d"], sender)
        ]
    except Exception:  # dkimpy raises its own errors and others that malformed bytes cause
        return Trust(False, "", why)
    if sum(1 for name, _ in verifier.headers if name.lower() == b"from") != 1:
        return Trust(False, "", "The message does not have exactly one sender.")
    if len(signed) > MOST_SIGNATURES:
        return Trust(
            False,
            "",
            f"It bears {len(signed)} signatures (DKIM) of {sender}; at most {MOST_SIGNATURES} are"
            " checked.",
        )
    valid: dict[str, str] = {}
    for index, signer in signed:
        try:
            fields, names, _ = verifier.verify_headerprep(index)
            if b"l" in fields:
                why = f"The signature (DKIM) of {signer} covers only a part of the message."
            elif b"from" not in names:
                why = (
                    f"The signature (DKIM) of {signer} does not cover From, so anybody could have"
                    " changed it."
                )
            elif verifier.verify(idx=index, **({"dnsfunc": resolver} if resolver else {})):
                valid[
                    _value(fields[b"b"], verifier.pk["modulus"] if verifier.ktag == b"rsa" else 0)
                ] = signer
            else:
                why = f"The signature (DKIM) of {signer} is not valid, or its key cannot be found."
        except Exception:  # as above; a changed message ends up here too
            why = f"The signature (DKIM) for {sender} does not hold, or cannot be checked."
    if not valid:
        return Trust(False, "", why)
    return Trust(
        True,
        "dkim",
        f"It bears a signature (DKIM) of {next(iter(valid.values()))} that holds.",
        tuple(valid),
    )


def _signatures(headers: Iterable[tuple[bytes, bytes]]) -> list[dict[str, str]]:
    """Return the tags of each DKIM signature of a message, from the top.

    Its domain `d` is in lower case, "" if it has none.
    """
    signatures = []
    for header, content in headers:
        if header.lower() != b"dkim-signature":
            continue
        tags = {}
        for tag in re.sub(rb"\s+", b"", content).split(b";"):
            name, _, value = tag.partition(b"=")
            tags[name.decode("ascii", "replace")] = value.decode("ascii", "replace")
        signatures.append({**tags, "d": tags.get("d", "").lower()})
    return signatures


def _value(written: bytes | str, modulus: int = 0) -> str:
    """Return the number encoded in a signature's b=, in hexadecimal, the same for every spelling.

    Base64 has several spellings, with spaces and unused bits, and dkimpy accepts the number plus
    any multiple of an RSA key's `modulus`.
    """
    number = int.from_bytes(base64.b64decode(written), "big")
    return f"{number % modulus if modulus else number:x}"
