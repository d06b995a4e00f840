"""Judge whether a message comes from its claimed sender (RFC 8601, 6376, 7489)."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from orders.inbound.parsing.message import Message, parse_date

from . import signatures

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
_QUIET = logging.getLogger(f"{__name__}.dkimpy")
_QUIET.setLevel(logging.CRITICAL)


@dataclass(frozen=True)
class Trust:
    """Whether the address in From is proven.

    `ok`: it is. `how`: dmarc, dkim, spf or address. `why` is one sentence for the gamesmaster.

    `signatures`: identifiers of the accepted DKIM signatures that do not depend on how they are
    written. `unanswered`: DNS did not say what the key of a signature is, and may later.
    """

    ok: bool
    how: str
    why: str
    signatures: tuple[str, ...] = field(default=(), compare=False)
    unanswered: bool = False


class Unanswered(Exception):
    """DNS does not answer, which says nothing of a signature. `str()` is a sentence."""


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
    if not signatures.are_headers_clear(raw):
        return Trust(False, "", "Its headers can be read in two ways, so they prove nothing.")
    if sum(1 for name, _ in signatures.headers_of(raw) if name.lower() == b"from") != 1:
        return Trust(False, "", "The message does not have exactly one sender.")
    if policy == "dkim":
        return _check_signature(message, raw, resolver)
    return _trust_by_results(message, raw, our_authserv)


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
    fields = signatures.headers_of(raw)
    signers, why_not = _accepted_signatures(
        fields, [properties for method, properties in passed if method == "dkim"], sender
    )
    accepted = tuple(signers)
    for method, properties in sorted(passed, key=lambda each: each[0] != "dmarc"):
        # DMARC passes by any signature that holds, or by SPF, which has a result of its own.
        if (
            method == "dmarc"
            and signatures.is_aligned(properties.get("header.from", sender), sender)
            and not why_not
        ):
            return Trust(True, "dmarc", f"DMARC holds for {sender}.", accepted)
        if method == "dkim" and accepted:
            signer = signers[accepted[0]]
            return Trust(True, "dkim", f"It bears a signature (DKIM) of {signer}.", accepted)
        mail_from = properties.get("smtp.mailfrom", "").rpartition("@")[2]
        if method == "spf" and signatures.is_aligned(mail_from, sender):
            return Trust(
                True,
                "spf",
                f"It came from a server that may send for {mail_from} (SPF).",
                accepted,
            )
    return Trust(False, "", why_not or f"Nothing proves that this comes from {sender}.")


def _accepted_signatures(
    fields: Iterable[tuple[bytes, bytes]], passed: Sequence[Mapping[str, str]], sender: str
) -> tuple[dict[str, str], str]:
    """Return the sound signatures of the sender's domain that our server accepted, with signers.

    They are matched by d= and, if the results contain it, b= (RFC 6008). A result that matches an
    unsound signature, too (`signatures.fault`), accepts nothing, because it may mean that one.
    If nothing is accepted, also return the fault of an unsound signature: DMARC may have passed by
    it.
    """
    aligned = signatures.aligned(fields, sender)
    faults = [fault for tags in aligned if (fault := signatures.fault(tags))]
    accepted: dict[str, str] = {}
    for properties in passed:
        signer, begin = _signer(properties), properties.get("header.b", "")
        meant = [
            tags
            for tags in aligned
            if tags["d"] == signer and tags.get("b", "").lower().startswith(begin)
        ]
        if not any(signatures.fault(tags) for tags in meant):
            for tags in meant:
                with suppress(ValueError):  # no base64
                    accepted[signatures.number(tags.get("b", ""))] = signer
    return accepted, "" if accepted or not faults else faults[0]


def _signer(tags: Mapping[str, str]) -> str:
    return tags.get("header.d") or tags.get("header.i", "").rpartition("@")[2]


def believes(message: Message, our_authserv: str, words: str) -> bool:
    """Return whether results with these words count as those of our own server.

    For a test whether it lets forged ones through.
    """
    results = _our_results(message, our_authserv.strip().lower())
    return any(words in value for value in results)


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


def taken_at(received: str, our_authserv: str) -> datetime | None:
    """Return when our own mail server took a message, or None if it does not say.

    `received`: the topmost Received header, which the server that handed us the message wrote.
    Those below it may have been sent with the message, whatever host they name.
    """
    by = match[1].lower() if (match := _BY.search(received)) else ""
    if not by or not our_authserv or not _own_host(by, our_authserv.strip().lower()):
        return None
    return parse_date(received.rpartition(";")[2])


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
    if not signatures.is_quickly_checked(raw):
        blanks = f"{signatures.LONGEST_BLANK} blanks or more in a row"
        return Trust(False, "", f"It has {blanks}, so no signature (DKIM) is checked.")
    why = f"It bears no signature (DKIM) of {sender}."
    try:
        verifier = dkim.DKIM(raw, logger=_QUIET, minkey=1024, timeout=5)
        # Do not spend a DNS query on signatures of other domains.
        signed = [
            (index, tags)
            for index, tags in enumerate(signatures.all_signatures(verifier.headers))
            if signatures.is_aligned(tags["d"], sender)
        ]
    except Exception:  # dkimpy raises its own errors and others that malformed bytes cause
        return Trust(False, "", why)
    if len(signed) > MOST_SIGNATURES:
        return Trust(
            False,
            "",
            f"It bears {len(signed)} signatures (DKIM) of {sender}; at most {MOST_SIGNATURES} are"
            " checked.",
        )
    valid: dict[str, str] = {}
    unanswered = False
    for index, tags in signed:
        signer = tags["d"]
        try:
            if fault := signatures.fault(tags):
                why = fault
            elif verifier.verify(idx=index, dnsfunc=resolver or find_key):
                modulus = verifier.pk["modulus"] if verifier.ktag == b"rsa" else 0
                valid[signatures.number(tags["b"], modulus)] = signer
            else:
                why = f"The signature (DKIM) of {signer} is not valid, or its key cannot be found."
        except Unanswered as fault:
            why, unanswered = str(fault), True
        except Exception:  # as above; a changed message ends up here too
            why = f"The signature (DKIM) for {sender} does not hold, or cannot be checked."
    if not valid:
        return Trust(False, "", why, unanswered=unanswered)
    return Trust(
        True,
        "dkim",
        f"It bears a signature (DKIM) of {next(iter(valid.values()))} that holds.",
        tuple(valid),
        unanswered,
    )


def find_key(name: bytes, timeout: float = 5) -> bytes | None:
    """Return the text record at a DNS name, or None if there is none.

    Raise `Unanswered` if no server says so: dkimpy's own function takes that for a missing key.
    """
    from dns import exception, resolver  # as above

    try:
        answer = resolver.resolve(
            name.decode(), "TXT", lifetime=timeout, raise_on_no_answer=False, search=True
        )
    except (resolver.NoNameservers, resolver.NoResolverConfiguration, exception.Timeout) as fault:
        message = f"DNS did not answer for the key {name.decode()}: {type(fault).__name__}."
        raise Unanswered(message) from fault
    except exception.DNSException:  # no such name, or none that can be
        return None
    return b"".join(answer[0].strings) if answer.rrset else None
