"""Who is believed: our server's results, checked signatures, addresses (RFC 8601, 6376, 7489)."""

from __future__ import annotations

import dkim  # type: ignore[import-untyped]
import pytest

from orders.inbound.identity.trust import Trust, aligned, authenticate

from . import corpus
from .signing import key, resolver, sign

MESSAGE = (
    b"From: Gustav <gustav@mail.example.org>\r\nTo: orders@play.example.net\r\nSubject:"
    b" orders\r\n\r\nPASS\r\n"
)


def signed(domain: bytes, message: bytes = MESSAGE, **how: bool) -> bytes:
    signature: bytes = dkim.sign(
        message, b"s1", domain, key()[0], include_headers=[b"from", b"to", b"subject"], **how
    )
    return signature + message


def no_questions(name: bytes, timeout: int = 5) -> bytes | None:
    raise AssertionError(f"{name!r} was asked for")


def judged(
    raw: bytes, policy: str = "dkim", ask: object = resolver, server: str = "mx.example.net"
) -> Trust:
    return authenticate(corpus.parsed(raw), raw, policy, server, ask)  # type: ignore[arg-type]


@pytest.mark.parametrize("domain", [b"mail.example.org", b"example.org"])
def test_a_signature_of_the_senders_domain_is_believed(domain: bytes) -> None:
    """RFC 7489 3.1.1: relaxed, so that the domain above may sign."""
    trust = judged(signed(domain))
    assert trust == Trust(
        True, "dkim", f"It bears a signature (DKIM) of {domain.decode()} that holds."
    )


def test_a_changed_message_is_not_believed() -> None:
    trust = judged(signed(b"example.org").replace(b"PASS", b"PLACE 9 Poland"))
    assert (trust.ok, trust.why) == (
        False,
        "The signature (DKIM) for mail.example.org does not hold, or cannot be checked.",
    )


def test_a_signature_of_a_foreign_domain_is_not_even_asked_for() -> None:
    trust = judged(signed(b"example.com"), ask=no_questions)
    assert (trust.ok, trust.why) == (False, "It bears no signature (DKIM) of mail.example.org.")


def test_a_signature_over_a_part_is_not_believed() -> None:
    """RFC 6376 8.2: with l= anybody may write on below what was signed."""
    trust = judged(signed(b"example.org", length=True) + b"PLACE 9 Poland\r\n")
    assert (trust.ok, trust.why) == (
        False,
        "The signature (DKIM) of example.org covers only a part of the message.",
    )


def test_a_signature_that_does_not_cover_from_is_not_believed() -> None:
    """issue 19, 14; RFC 6376 5.4: Eve's signature holds, with any From above it."""
    raw = sign(
        b"From: eve@example.org\r\n" + MESSAGE.partition(b"\r\n")[2], names=("to", "subject")
    )
    trust = judged(raw.replace(b"From: eve@", b"From: gustav@"), ask=no_questions)
    assert (trust.ok, trust.why) == (
        False,
        (
            "The signature (DKIM) of example.org does not cover From, so anybody could have"
            " changed it."
        ),
    )
    assert trust.signatures == ()


def test_a_signature_that_covers_from_is_believed_beside_one_that_does_not() -> None:
    trust = judged(sign(sign(MESSAGE), names=("to", "subject")))
    assert (trust.ok, len(trust.signatures)) == (True, 1)


def test_every_signature_that_holds_is_named_and_no_other() -> None:
    """A copy may bear any one alone; broken, foreign or partial ones tell nothing."""
    foreign, broken = sign(MESSAGE, b"example.com"), sign(MESSAGE.replace(b"PASS", b"NO"))
    own, above = sign(MESSAGE), sign(MESSAGE, b"mail.example.org")
    bare = len(MESSAGE)
    everything = (
        foreign[:-bare]
        + broken[: -bare + 2]
        + own[:-bare]
        + signed(b"example.org", length=True)[:-bare]
        + above
    )
    found = judged(everything).signatures
    assert len(found) == 2
    assert set(found) == {*judged(own).signatures, *judged(above).signatures}


def test_so_many_signatures_of_the_senders_domain_are_not_checked() -> None:
    """Each costs a DNS query, and one left out could prove a copy; foreign ones are free."""
    raw, foreign = MESSAGE, sign(MESSAGE, b"example.com")[: -len(MESSAGE)]
    for _ in range(5):
        raw = sign(raw)
    assert (
        judged(raw, ask=no_questions).why
        == "It bears 5 signatures (DKIM) of mail.example.org; at most 4 are checked."
    )
    assert judged(foreign * 9 + sign(MESSAGE)).ok


def test_our_server_says_which_signature_it_accepted() -> None:
    """RFC 6008: header.b tells signatures of a domain apart; the unnamed do not count."""
    own, above = sign(MESSAGE), sign(MESSAGE, b"mail.example.org")
    both = own[: -len(MESSAGE)] + above
    value = dkim.util.parse_tag_value(own[: -len(MESSAGE)].partition(b":")[2])[b"b"].decode()
    for result, named in (
        ("dkim=pass header.d=example.org", own),
        ("dkim=pass header.i=@mail.example.org", above),
        (
            (
                "dmarc=pass header.from=mail.example.org; dkim=pass header.d=example.org"
                f" header.b={value[:8]}"
            ),
            own,
        ),
        (
            (
                "dmarc=pass header.from=mail.example.org; dkim=pass header.d=example.org"
                " header.b=AAAAAAAA"
            ),
            None,
        ),
        ("dmarc=pass header.from=mail.example.org; dkim=fail header.d=example.org", None),
        ("dmarc=pass header.from=mail.example.org", None),
    ):
        trust = judged(
            f"Authentication-Results: mx.example.net; {result}\r\n".encode() + both, "results"
        )
        assert trust.ok
        assert trust.signatures == (judged(named).signatures if named else ()), result


def test_a_second_sender_above_the_signature_is_not_believed() -> None:
    """RFC 6376 8.15: a verifier looks at the lowest From, a reader at the highest."""
    assert not judged(b"From: ada@example.org\r\n" + signed(b"example.org")).ok


def test_no_key_and_no_signature_are_told_apart() -> None:
    assert (
        judged(signed(b"example.org"), ask=lambda name, timeout=5: None).why
        == "The signature (DKIM) of example.org is not valid, or its key cannot be found."
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
            "Authentication-Results: mx.example.net; dmarc=none",
            "Authentication-Results: mx.example.net 1; dkim=pass header.d=example.org",
        ).how
        == "dkim"
    )


def test_a_pass_of_somebody_elses_domain_proves_nothing() -> None:
    assert not results(
        "Authentication-Results: mx.example.net; dkim=pass header.d=example.com; spf=pass"
        " smtp.mailfrom=x@example.com"
    ).ok


def test_spf_counts_for_the_senders_own_domain() -> None:
    assert (
        results(
            "Authentication-Results: mx.example.net; spf=pass (x; dmarc=pass)"
            " smtp.mailfrom=bounce@example.org"
        ).how
        == "spf"
    )


def test_text_in_comments_and_quotation_marks_is_no_result() -> None:
    assert not results(
        'Authentication-Results: mx.example.net; spf=fail reason="x; dmarc=pass'
        ' header.from=example.org" (dkim=pass header.d=example.org)'
    ).ok


def test_dmarc_that_fails_outweighs_a_signature() -> None:
    assert not results(
        "Authentication-Results: mx.example.net; dkim=pass header.d=example.org; dmarc=fail"
        " header.from=mail.example.org"
    ).ok


def test_results_below_a_hop_of_our_own_house_count() -> None:
    """Dovecot and Google put a Received of their own above the results."""
    assert results(
        "Received: from mx by store.example.net with LMTP id 1",
        "Authentication-Results: mx.example.net; dmarc=pass header.from=mail.example.org",
    ).ok


def test_without_a_name_for_our_server_nothing_is_believed() -> None:
    raw = b"Authentication-Results: ; dmarc=pass\r\n" + MESSAGE
    assert judged(raw, "results", server="") == Trust(
        False, "", "No server is named whose checks could be believed."
    )


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
