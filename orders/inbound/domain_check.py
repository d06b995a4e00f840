"""Check a domain's DNS records for mail: can its letters be trusted, and can mail reach it?

The module is pure. The records are input, as lines `name type value`, so nothing is looked up on a
network; `dig` prints them (docs/mail.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

Record = tuple[str, str, str]
GOOD, WRONG, MISSING, HINT = "good", "wrong", "missing", "hint"
#: SPF mechanisms that cost a lookup, and how many lookups are allowed (RFC 7208, 4.6.4).
_LOOKUPS = re.compile(
    r"^[+?~-]?(?:include:|a(?:[:/]|$)|mx(?:[:/]|$)|ptr(?:[:/]|$)|exists:)|^redirect=", re.IGNORECASE
)
MOST_LOOKUPS = 10


class CannotRead(Exception):
    """A line is not a DNS record. `str()` is one sentence that quotes it."""


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    `mark` is good, wrong, missing or hint. `about` is MX, SPF, DKIM or DMARC. `words` are one or
    two sentences.
    """

    mark: str
    about: str
    words: str


def read(text: str) -> list[Record]:
    """Return the records in lines `name type value`, as printed by `dig`. Raise `CannotRead`."""
    records = []
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith((";", "#")):
            continue
        match = re.fullmatch(
            r"(\S+)\s+(?:\d+\s+)?(?:IN\s+)?(MX|TXT|CNAME|A|AAAA|NS|SOA)\s+(.+)", line, re.IGNORECASE
        )
        if match is None:
            raise CannotRead(
                f"“{line[:100]}” is no record. Write name, type and value, such as:"
                " games.example.org MX 10 mail.example.org"
            )
        name, kind, value = match[1].rstrip(".").lower(), match[2].upper(), match[3].strip()
        if kind == "TXT" and '"' in value:
            value = (
                "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', value))
                .replace('\\"', '"')
                .replace("\\;", ";")
            )
        records.append((name, kind, value))
    return records


def judge(domain: str, records: Sequence[Record]) -> list[Finding]:
    """Return what is good, missing and wrong, in the order in which to fix it."""
    domain = domain.strip().rstrip(".").lower()
    return [
        *_mx(domain, records),
        *_spf(domain, records),
        *_dkim(domain, records),
        *_dmarc(domain, records),
    ]


def is_sound(findings: Sequence[Finding]) -> bool:
    """Return whether nothing is wrong or missing."""
    return all(finding.mark in (GOOD, HINT) for finding in findings)


def _wrong(about: str, words: str) -> list[Finding]:
    return [Finding(WRONG, about, words)]


def _values(records: Sequence[Record], name: str, kind: str) -> list[str]:
    return [
        value
        for record_name, record_kind, value in records
        if record_name == name and record_kind == kind
    ]


def _mx(domain: str, records: Sequence[Record]) -> list[Finding]:
    values = _values(records, domain, "MX")
    if not values:
        words = (
            f"No mail server is named for {domain}: answers and returned letters may not arrive."
            f" Add: {domain} MX 10 <your mail server>"
        )
        return [Finding(MISSING, "MX", words)]
    hosts = [value.split()[-1].rstrip(".") for value in values]
    if any(re.fullmatch(r"[\d.]+|[\da-f:]+:[\da-f:]*", host, re.IGNORECASE) for host in hosts):
        return _wrong(
            "MX", f"“{values[0]}” names an address of numbers. Write the name of the mail server."
        )
    if "" in hosts:
        return _wrong(
            "MX", f"{domain} says that it takes no mail (a null MX). Name your mail server instead."
        )
    return [Finding(GOOD, "MX", f"Mail for {domain} goes to {', '.join(hosts)}.")]


def _spf(domain: str, records: Sequence[Record]) -> list[Finding]:
    texts = [
        value
        for value in _values(records, domain, "TXT")
        if re.match(r"v=spf1(\s|$)", value, re.IGNORECASE)
    ]
    if not texts:
        words = (
            f'It is not said who may send for {domain}. Add: {domain} TXT "v=spf1 mx -all", with'
            " the servers that send."
        )
        return [Finding(MISSING, "SPF", words)]
    if len(texts) > 1:
        return _wrong(
            "SPF",
            f"There are {len(texts)} SPF records, and readers then heed none. Put them into one.",
        )
    terms = texts[0].split()[1:]
    lookups = sum(1 for term in terms if _LOOKUPS.match(term))
    if lookups > MOST_LOOKUPS:
        return _wrong(
            "SPF",
            f"It needs {lookups} lookups, and at most {MOST_LOOKUPS} are allowed. Leave out"
            " includes that do not send.",
        )
    all_term = next(
        (term.lower() for term in terms if re.fullmatch(r"[+?~-]?all", term, re.IGNORECASE)), ""
    )
    if all_term in ("all", "+all"):
        return _wrong("SPF", "It ends with +all: anybody may send in your name. End it with -all.")
    if all_term == "?all" or (
        not all_term and not any(term.lower().startswith("redirect=") for term in terms)
    ):
        return _wrong(
            "SPF",
            "It does not say what of everybody else. End it with -all, or with ~all while you"
            " try it out.",
        )
    if len(terms) == 1 and all_term:
        return _wrong(
            "SPF",
            "It allows nobody at all to send. Name the servers that do, such as mx or"
            " ip4:192.0.2.1, before -all.",
        )
    if any(re.match(r"[+?~-]?ptr", term, re.IGNORECASE) for term in terms):
        return _wrong(
            "SPF", "It uses ptr, which is slow and no longer to be used. Name the servers instead."
        )
    return [Finding(GOOD, "SPF", f"“{texts[0]}” says who may send.")]


def _dkim(domain: str, records: Sequence[Record]) -> list[Finding]:
    suffix = f"._domainkey.{domain}"
    keys = [(name, kind, value) for name, kind, value in records if name.endswith(suffix)]
    if not keys:
        words = (
            "No key for signatures is published. Let your mail server sign with DKIM, and add its"
            f" key: <selector>{suffix} TXT. If there is one, ask dig for it by its selector."
        )
        return [Finding(MISSING, "DKIM", words)]
    findings = []
    for name, kind, value in keys:
        selector = name.removesuffix(suffix)
        if kind == "CNAME":
            findings.append(
                Finding(GOOD, "DKIM", f"The key “{selector}” is kept by {value.rstrip('.')}.")
            )
        elif kind == "TXT":
            findings.append(_key(selector, value))
    return findings or [
        Finding(MISSING, "DKIM", f"Below {suffix[1:]} there is neither a TXT nor a CNAME record.")
    ]


def _key(selector: str, value: str) -> Finding:
    tags = _tags(value)
    key = re.sub(r"\s", "", tags.get("p", ""))
    if "p" not in tags:
        return Finding(WRONG, "DKIM", f"The record of “{selector}” has no key (p=).")
    if not key:
        return Finding(
            WRONG,
            "DKIM",
            f"The key “{selector}” has been withdrawn (p= is empty). Sign with another selector.",
        )
    if not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", key):
        return Finding(
            WRONG,
            "DKIM",
            f"The key “{selector}” contains characters that no key has. Publish it again, without"
            " line breaks.",
        )
    bits = len(key) * 6
    if tags.get("k", "rsa").lower() == "rsa" and bits < 1900:
        return Finding(
            WRONG,
            "DKIM",
            f"The key “{selector}” is short (about 1024 bits). Make one of 2048 bits.",
        )
    if "y" in tags.get("t", "").lower().split(":"):
        return Finding(
            HINT,
            "DKIM",
            f"The key “{selector}” is marked as a test (t=y). Take the mark away once letters"
            " arrive.",
        )
    return Finding(GOOD, "DKIM", f"The key “{selector}” is published.")


def _dmarc(domain: str, records: Sequence[Record]) -> list[Finding]:
    policies, owner = _dmarc_records(domain, records)
    if not policies:
        words = (
            f'Large providers ask for it. Add: _dmarc.{domain} TXT "v=DMARC1; p=quarantine;'
            f' rua=mailto:postmaster@{domain}"'
        )
        return [Finding(MISSING, "DMARC", words)]
    if len(policies) > 1:
        return _wrong(
            "DMARC",
            f"There are {len(policies)} DMARC records, and readers then heed none. Leave one.",
        )
    tags = _tags(policies[0])
    policy = tags.get("sp" if owner != domain and "sp" in tags else "p", "").lower()
    if policy not in ("none", "quarantine", "reject"):
        return _wrong(
            "DMARC",
            f"“{policies[0]}” names no policy. Write p=quarantine, or p=none while you try it out.",
        )
    findings = [
        Finding(
            GOOD,
            "DMARC",
            f"What proves nothing is treated as “{policy}”"
            + (f", by the record of {owner}." if owner != domain else "."),
        )
    ]
    if policy == "none":
        findings.append(
            Finding(
                HINT,
                "DMARC",
                "p=none only watches. Once the reports show your own letters passing, write"
                " p=quarantine.",
            )
        )
    if tags.get("adkim", "r").lower() == "s" or tags.get("aspf", "r").lower() == "s":
        findings.append(
            Finding(
                HINT,
                "DMARC",
                f"Alignment is strict: From, signature and sender must all be {owner} itself.",
            )
        )
    return findings


def _dmarc_records(domain: str, records: Sequence[Record]) -> tuple[list[str], str]:
    """Return the DMARC policies of the domain or its nearest parent, and that domain."""
    labels = domain.split(".")
    for start in range(len(labels) - 1):
        parent = ".".join(labels[start:])
        policies = [
            value
            for value in _values(records, f"_dmarc.{parent}", "TXT")
            if re.match(r"v\s*=\s*DMARC1", value, re.IGNORECASE)
        ]
        if policies:
            return policies, parent
    return [], domain


def _tags(value: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in value.split(";"))
    return {name.strip().lower(): rest.strip() for name, sign, rest in pairs if sign}
