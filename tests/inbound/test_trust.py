"""Proof of a sender: our server's results, signatures, addresses (RFC 8601, 6376, 7489)."""

from __future__ import annotations

from typing import Any

import dkim  # type: ignore[import-untyped]
import dns.message
import dns.name
import dns.rdataclass
import dns.rdatatype
import dns.resolver
import pytest

from orders.inbound.identity.signatures import LONGEST_BLANK, is_aligned
from orders.inbound.identity.trust import Trust, authenticate

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


def trust_of(
    raw: bytes, policy: str = "dkim", ask: object = resolver, server: str = "mx.example.net"
) -> Trust:
    return authenticate(corpus.parsed(raw), raw, policy, server, ask)  # type: ignore[arg-type]


@pytest.mark.parametrize("domain", [b"mail.example.org", b"example.org"])
def test_signature_of_the_senders_domain_is_believed(domain: bytes) -> None:
    """RFC 7489 3.1.1: relaxed, so the parent domain may sign."""
    trust = trust_of(signed(domain))
    assert trust == Trust(
        True, "dkim", f"It bears a signature (DKIM) of {domain.decode()} that holds."
    )


def test_changed_message_is_not_believed() -> None:
    trust = trust_of(signed(b"example.org").replace(b"PASS", b"PLACE 9 Poland"))
    assert (trust.ok, trust.why) == (
        False,
        "The signature (DKIM) for mail.example.org does not hold, or cannot be checked.",
    )


@pytest.mark.parametrize(
    ("fault", "unanswered"),
    [
        (dns.resolver.NXDOMAIN, False),
        (dns.resolver.NoNameservers, True),
        (dns.resolver.LifetimeTimeout, True),
        (dns.resolver.NoResolverConfiguration, True),
        (dns.name.LabelTooLong, False),
    ],
)
def test_silence_of_dns_is_no_missing_key(
    monkeypatch: pytest.MonkeyPatch, fault: type[Exception], unanswered: bool
) -> None:
    """RFC 6376 6.1.2: a key that cannot be asked for is asked for again."""

    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(dns.resolver, "resolve", fail)
    trust = trust_of(signed(b"example.org"), ask=None)
    assert (trust.ok, trust.unanswered) == (False, unanswered)


def test_key_is_read_from_the_answer_of_dns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long record has several strings, and may stand behind an alias."""
    public = key()[1].decode()
    name = "s1._domainkey.example.org."
    text = (
        f"id 1\nflags QR\n;QUESTION\n{name} IN TXT\n;ANSWER\n{name} 9 IN CNAME k.example.net.\n"
        f'k.example.net. 9 IN TXT "{public[:200]}" "{public[200:]}"\n'
    )
    answer = dns.resolver.Answer(
        dns.name.from_text(name),
        dns.rdatatype.TXT,
        dns.rdataclass.IN,
        dns.message.from_text(text),  # type: ignore[arg-type]
    )
    monkeypatch.setattr(dns.resolver, "resolve", lambda *_, **__: answer)
    assert trust_of(signed(b"example.org"), ask=None).ok


@pytest.mark.parametrize("policy", ["dkim", "results"])
def test_line_feed_alone_ends_a_header_for_every_reader(policy: str) -> None:
    """Python's parser, dkimpy and mail servers agree, so the second sender is seen."""
    results = b"Authentication-Results: mx.example.net; dmarc=pass header.from=mail.example.org\r\n"
    raw = results + signed(b"example.org")
    assert trust_of(raw, policy).ok
    second = raw.replace(b"Subject:", b"X-Note: a\nFrom: eve@example.net\r\nSubject:")
    assert not trust_of(second, policy).ok
    assert "2 senders" in trust_of(second, policy).why
    folded = raw.replace(b"Subject:", b"X-Note: a\n b\r\nSubject:")
    assert trust_of(folded, policy).ok


def test_signature_of_a_foreign_domain_is_not_checked() -> None:
    trust = trust_of(signed(b"example.com"), ask=no_questions)
    assert (trust.ok, trust.why) == (False, "It bears no signature (DKIM) of mail.example.org.")


def test_partial_signature_is_not_believed() -> None:
    """RFC 6376 8.2: with l= anybody may add text below the signed part."""
    trust = trust_of(signed(b"example.org", length=True) + b"PLACE 9 Poland\r\n")
    assert (trust.ok, trust.why) == (
        False,
        "The signature (DKIM) of example.org covers only a part of the message.",
    )


def test_signature_without_from_is_not_believed() -> None:
    """issue 19, 14; RFC 6376 5.4: Eve's signature is valid with any From."""
    raw = sign(
        b"From: eve@example.org\r\n" + MESSAGE.partition(b"\r\n")[2], names=("to", "subject")
    )
    trust = trust_of(raw.replace(b"From: eve@", b"From: gustav@"), ask=no_questions)
    assert (trust.ok, trust.why) == (
        False,
        (
            "The signature (DKIM) of example.org does not cover From, so anybody could have"
            " changed it."
        ),
    )
    assert trust.signatures == ()


def test_signature_with_from_is_believed_beside_one_without() -> None:
    trust = trust_of(sign(sign(MESSAGE), names=("to", "subject")))
    assert (trust.ok, len(trust.signatures)) == (True, 1)


def test_only_valid_signatures_are_listed() -> None:
    """A copy may have any one of them; broken, foreign or partial ones prove nothing."""
    foreign, broken = sign(MESSAGE, b"example.com"), sign(MESSAGE.replace(b"PASS", b"NO"))
    own, above = sign(MESSAGE), sign(MESSAGE, b"mail.example.org")
    bare = len(MESSAGE)
    raw = (
        foreign[:-bare]
        + broken[: -bare + 2]
        + own[:-bare]
        + signed(b"example.org", length=True)[:-bare]
        + above
    )
    signatures = trust_of(raw).signatures
    assert len(signatures) == 2
    assert set(signatures) == {*trust_of(own).signatures, *trust_of(above).signatures}


def test_more_than_four_signatures_are_not_checked() -> None:
    """Each costs a DNS query, and one left out could prove a copy; foreign ones are free."""
    raw, foreign = MESSAGE, sign(MESSAGE, b"example.com")[: -len(MESSAGE)]
    for _ in range(5):
        raw = sign(raw)
    assert (
        trust_of(raw, ask=no_questions).why
        == "It bears 5 signatures (DKIM) of mail.example.org; at most 4 are checked."
    )
    assert trust_of(foreign * 9 + sign(MESSAGE)).ok


@pytest.mark.parametrize("blank", [b" ", b"\t", b"\r\n"])
def test_long_run_of_blanks_is_not_checked(blank: bytes) -> None:
    """dkimpy's regular expressions take an hour for a million; half the limit is checked."""
    blanks = blank * (LONGEST_BLANK // len(blank))
    why = "It has 500 blanks or more in a row, so no signature (DKIM) is checked."
    for raw in (
        sign(MESSAGE + b"x" + blanks + b"y\r\n"),
        sign(MESSAGE).replace(b" b=", b" b=A" + blanks.replace(b"\n", b"\n ") + b"!", 1),
    ):
        assert trust_of(raw, ask=no_questions) == Trust(False, "", why)
    half = blanks[: LONGEST_BLANK // 2]
    assert trust_of(sign(MESSAGE + b"x" + half + b"y\r\n")).ok


def test_result_identifies_the_accepted_signature() -> None:
    """RFC 6008: header.b identifies a signature of a domain; others do not count."""
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
        trust = trust_of(
            f"Authentication-Results: mx.example.net; {result}\r\n".encode() + both, "results"
        )
        assert trust.ok
        assert trust.signatures == (trust_of(named).signatures if named else ()), result


def test_second_from_above_the_signature_is_not_believed() -> None:
    """RFC 6376 8.15: a verifier reads the lowest From, a reader the highest."""
    assert not trust_of(b"From: ada@example.org\r\n" + signed(b"example.org")).ok


def test_missing_key_and_missing_signature_have_different_reasons() -> None:
    assert (
        trust_of(signed(b"example.org"), ask=lambda name, timeout=5: None).why
        == "The signature (DKIM) of example.org is not valid, or its key cannot be found."
    )
    assert trust_of(MESSAGE).why == "It bears no signature (DKIM) of mail.example.org."


def test_malformed_bytes_raise_nothing() -> None:
    assert not trust_of(b"From: a@example.org\r\nDKIM-Signature: \xff;;=\x00\r\n\r\n").ok
    assert not trust_of(b"\x00\xff").ok


def results(*lines: str, message: bytes = MESSAGE) -> Trust:
    return trust_of(("\r\n".join(lines) + "\r\n").encode() + message, "results")


def test_several_results_of_our_server_are_combined() -> None:
    """OpenDKIM and OpenDMARC each write a header above those of the message."""
    assert (
        results(
            "Authentication-Results: mx.example.net; dmarc=none",
            "Authentication-Results: mx.example.net 1; dkim=pass header.d=example.org",
            message=signed(b"example.org"),
        ).how
        == "dkim"
    )


def begin_of(message: bytes) -> str:
    """Return header.b of a message's only signature, as results name it (RFC 6008)."""
    head = message[: -len(MESSAGE)].partition(b":")[2]
    return str(dkim.util.parse_tag_value(head)[b"b"].decode()[:8])


@pytest.mark.parametrize("policy", ["dkim", "results"])
@pytest.mark.parametrize("passed", ["dkim=pass header.d=example.org", "dmarc=pass"])
@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"l": b"10"}, "covers only a part of the message"),
        ({"names": ("to", "subject")}, "does not cover From, so anybody could have changed it"),
    ],
)
def test_unsound_signature_is_believed_under_no_policy(
    policy: str, passed: str, how: dict[str, Any], why: str
) -> None:
    """One rule for all (reviews/fairness.md F2): a verifier passes l=, RFC 6376 8.2 warns of it."""
    raw = signed(b"example.org", length=True) if "l" in how else sign(MESSAGE, **how)
    head = f"Authentication-Results: mx.example.net; {passed}\r\n".encode()
    trust = trust_of(head + raw, policy)
    assert (trust.ok, trust.why) == (False, f"The signature (DKIM) of example.org {why}.")


def test_sound_signature_beside_an_unsound_one_counts_if_the_results_name_it() -> None:
    """Without header.b the result may mean either, and dmarc=pass alone does not say which."""
    partial, sound = signed(b"example.org", length=True), sign(MESSAGE)
    both = partial[: -len(MESSAGE)] + sound
    head = "Authentication-Results: mx.example.net; "
    passed = "dkim=pass header.d=example.org"
    assert results(f"{head}{passed} header.b={begin_of(sound)}", message=both).how == "dkim"
    assert (
        results(f"{head}dmarc=pass; {passed} header.b={begin_of(sound)}", message=both).how
        == "dmarc"
    )
    for result in (passed, f"{passed} header.b={begin_of(partial)}", "dmarc=pass"):
        assert not results(head + result, message=both).ok, result


def test_unsound_signature_of_another_domain_takes_nothing_away() -> None:
    """A list may add l= of its own domain."""
    both = signed(b"example.com", length=True)[: -len(MESSAGE)] + sign(MESSAGE)
    head = "Authentication-Results: mx.example.net; dkim=pass header.d=example.org; dmarc=pass"
    assert results(head, message=both).how == "dmarc"


def test_spf_counts_beside_an_unsound_signature() -> None:
    """It is a proof by itself: the sender's own server handed the message in."""
    head = "Authentication-Results: mx.example.net; dmarc=pass; spf=pass smtp.mailfrom=example.org"
    assert results(head, message=signed(b"example.org", length=True)).how == "spf"


def test_passed_signature_that_the_message_lacks_proves_nothing() -> None:
    """What it covered cannot be looked at."""
    assert not results("Authentication-Results: mx.example.net; dkim=pass header.d=example.org").ok


def test_two_from_headers_prove_nothing_under_results() -> None:
    """RFC 6376 8.15, also if both name one address."""
    double = b"From: Eve <gustav@mail.example.org>\r\n" + MESSAGE
    assert not results("Authentication-Results: mx.example.net; dmarc=pass", message=double).ok


def test_pass_of_another_domain_proves_nothing() -> None:
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


def test_result_in_comment_or_quotes_does_not_count() -> None:
    assert not results(
        'Authentication-Results: mx.example.net; spf=fail reason="x; dmarc=pass'
        ' header.from=example.org" (dkim=pass header.d=example.org)'
    ).ok


def test_dmarc_that_fails_outweighs_a_signature() -> None:
    assert not results(
        "Authentication-Results: mx.example.net; dkim=pass header.d=example.org; dmarc=fail"
        " header.from=mail.example.org"
    ).ok


def test_results_below_our_own_received_header_count() -> None:
    """Dovecot and Google put their own Received header above the results."""
    assert results(
        "Received: from mx by store.example.net with LMTP id 1",
        "Authentication-Results: mx.example.net; dmarc=pass header.from=mail.example.org",
    ).ok


def test_results_count_only_with_a_configured_server_name() -> None:
    raw = b"Authentication-Results: ; dmarc=pass\r\n" + MESSAGE
    assert trust_of(raw, "results", server="") == Trust(
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
def test_domain_alignment(domain: str, sender: str, is_so: bool) -> None:
    assert is_aligned(domain, sender) is is_so
