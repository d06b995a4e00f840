"""Who is believed: by our own server's results, by signatures checked here, by the address alone (RFC 8601, 6376, 7489)."""

from __future__ import annotations

import base64
import random
from functools import cache

import dkim  # type: ignore[import-untyped]
import pytest

from orders.mail.trust import Trust, aligned, authenticated

from . import corpus


def _prime(rng: random.Random, bits: int) -> int:
    while True:
        n = rng.getrandbits(bits) | 1 | 3 << bits - 2
        if n % 65537 != 1 and all(pow(base, n - 1, n) == 1 for base in (2, 3, 5, 7, 11)):
            return n


def _der(*numbers: int) -> bytes:
    """A sequence of whole numbers in DER."""

    def tagged(tag: int, data: bytes) -> bytes:
        size = len(data).to_bytes(2, "big")
        return bytes([tag]) + (bytes([len(data)]) if len(data) < 128 else b"\x82" + size) + data

    return tagged(0x30, b"".join(tagged(2, n.to_bytes(n.bit_length() // 8 + 1, "big")) for n in numbers))


@cache
def key() -> tuple[bytes, bytes]:
    """A private key for tests, and the record that publishes the public one. Made here: no key lies in a file."""
    rng = random.Random(6376)
    p, q, e = _prime(rng, 512), _prime(rng, 512), 65537
    n, d = p * q, pow(e, -1, (p - 1) * (q - 1))
    private, public = _der(0, n, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)), _der(n, e)
    pem = b"-----BEGIN RSA PRIVATE KEY-----\n" + base64.encodebytes(private) + b"-----END RSA PRIVATE KEY-----\n"
    return pem, b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)


MESSAGE = b"From: Gustav <gustav@mail.example.org>\r\nTo: orders@play.example.net\r\nSubject: orders\r\n\r\nPASS\r\n"


def signed(domain: bytes, message: bytes = MESSAGE, **how: bool) -> bytes:
    signature: bytes = dkim.sign(message, b"s1", domain, key()[0], include_headers=[b"from", b"to", b"subject"], **how)
    return signature + message


def resolver(name: bytes, timeout: int = 5) -> bytes | None:
    return key()[1] if name.startswith(b"s1._domainkey.") else None


def no_questions(name: bytes, timeout: int = 5) -> bytes | None:
    raise AssertionError(f"{name!r} was asked for")


def judged(raw: bytes, policy: str = "dkim", ask: object = resolver, server: str = "mx.example.net") -> Trust:
    return authenticated(corpus.parsed(raw), raw, policy, server, ask)  # type: ignore[arg-type]


@pytest.mark.parametrize("domain", [b"mail.example.org", b"example.org"])
def test_a_signature_of_the_senders_domain_is_believed(domain: bytes) -> None:
    """RFC 7489 3.1.1: relaxed, so that the domain above may sign."""
    trust = judged(signed(domain))
    assert trust == Trust(True, "dkim", f"It bears a signature (DKIM) of {domain.decode()} that holds.")


def test_a_changed_message_is_not_believed() -> None:
    trust = judged(signed(b"example.org").replace(b"PASS", b"PLACE 9 Poland"))
    assert (trust.ok, trust.why) == (False, "The signature (DKIM) for mail.example.org does not hold, or cannot be checked.")


def test_a_signature_of_a_foreign_domain_is_not_even_asked_for() -> None:
    trust = judged(signed(b"example.com"), ask=no_questions)
    assert (trust.ok, trust.why) == (False, "It bears no signature (DKIM) of mail.example.org.")


def test_a_signature_over_a_part_is_not_believed() -> None:
    """RFC 6376 8.2: with l= anybody may write on below what was signed."""
    trust = judged(signed(b"example.org", length=True) + b"PLACE 9 Poland\r\n")
    assert (trust.ok, trust.why) == (False, "The signature (DKIM) of example.org covers only a part of the message.")


def test_a_second_sender_above_the_signature_is_not_believed() -> None:
    """RFC 6376 8.15: a verifier looks at the lowest From, a reader at the highest."""
    assert not judged(b"From: ada@example.org\r\n" + signed(b"example.org")).ok


def test_no_key_and_no_signature_are_told_apart() -> None:
    assert (
        judged(signed(b"example.org"), ask=lambda name, timeout=5: None).why
        == "The signature (DKIM) of example.org does not hold, or its key is not to be had."
    )
    assert judged(MESSAGE).why == "It bears no signature (DKIM) of mail.example.org."


def test_bad_bytes_raise_nothing() -> None:
    assert not judged(b"From: a@example.org\r\nDKIM-Signature: \xff;;=\x00\r\n\r\n").ok
    assert not judged(b"\x00\xff").ok


def results(*lines: str) -> Trust:
    return judged(("\r\n".join(lines) + "\r\n").encode() + MESSAGE, "results")


def test_several_results_of_ours_are_read_together() -> None:
    """OpenDKIM and OpenDMARC write a header each, above everything that came with the message."""
    assert (
        results(
            "Authentication-Results: mx.example.net; dmarc=none", "Authentication-Results: mx.example.net 1; dkim=pass header.d=example.org"
        ).how
        == "dkim"
    )


def test_a_pass_of_somebody_elses_domain_proves_nothing() -> None:
    assert not results("Authentication-Results: mx.example.net; dkim=pass header.d=example.com; spf=pass smtp.mailfrom=x@example.com").ok


def test_spf_counts_for_the_senders_own_domain() -> None:
    assert results("Authentication-Results: mx.example.net; spf=pass (x; dmarc=pass) smtp.mailfrom=bounce@example.org").how == "spf"


def test_text_in_comments_and_quotation_marks_is_no_result() -> None:
    assert not results(
        'Authentication-Results: mx.example.net; spf=fail reason="x; dmarc=pass header.from=example.org" (dkim=pass header.d=example.org)'
    ).ok


def test_dmarc_that_fails_outweighs_a_signature() -> None:
    assert not results("Authentication-Results: mx.example.net; dkim=pass header.d=example.org; dmarc=fail header.from=mail.example.org").ok


def test_results_below_a_hop_of_our_own_house_count() -> None:
    """Dovecot and Google put a Received of their own above the results."""
    assert results(
        "Received: from mx by store.example.net with LMTP id 1",
        "Authentication-Results: mx.example.net; dmarc=pass header.from=mail.example.org",
    ).ok


def test_without_a_name_for_our_server_nothing_is_believed() -> None:
    raw = b"Authentication-Results: ; dmarc=pass\r\n" + MESSAGE
    assert judged(raw, "results", server="") == Trust(False, "", "No server is named whose checks could be believed.")


@pytest.mark.parametrize(
    ("domain", "sender", "is_so"),
    [
        ("example.org", "example.org", True),
        ("example.org", "mail.example.org", True),
        ("mail.example.org", "example.org", True),
        ("ample.org", "example.org", False),
        ("org", "example.org", False),
        ("co.uk", "example.co.uk", False),
        ("a.example.org", "b.example.org", False),
        ("", "", False),
    ],
)
def test_domains_stand_one_below_the_other(domain: str, sender: str, is_so: bool) -> None:
    assert aligned(domain, sender) is is_so
