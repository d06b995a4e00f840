"""Sign messages with DKIM over any headers, and rewrite the value of a signature."""

from __future__ import annotations

import base64
import random
from functools import cache
from hashlib import sha256

import dkim  # type: ignore[import-untyped]
from dkim.crypto import parse_pem_private_key  # type: ignore[import-untyped]


def _prime(rng: random.Random, bits: int) -> int:
    while True:
        n = rng.getrandbits(bits) | 1 | 3 << bits - 2
        if n % 65537 != 1 and all(pow(base, n - 1, n) == 1 for base in (2, 3, 5, 7, 11)):
            return n


def _der(*numbers: int) -> bytes:
    """Return a sequence of whole numbers in DER."""

    def tagged(tag: int, data: bytes) -> bytes:
        size = len(data).to_bytes(2, "big")
        return bytes([tag]) + (bytes([len(data)]) if len(data) < 128 else b"\x82" + size) + data

    return tagged(
        0x30, b"".join(tagged(2, n.to_bytes(n.bit_length() // 8 + 1, "big")) for n in numbers)
    )


@cache
def key() -> tuple[bytes, bytes]:
    """Return a private key made here, since no file has one, and the public key's record."""
    rng = random.Random(6376)
    p, q, e = _prime(rng, 512), _prime(rng, 512), 65537
    n, d = p * q, pow(e, -1, (p - 1) * (q - 1))
    private, public = _der(0, n, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)), _der(n, e)
    pem = (
        b"-----BEGIN RSA PRIVATE KEY-----\n"
        + base64.encodebytes(private)
        + b"-----END RSA PRIVATE KEY-----\n"
    )
    return pem, b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)


def resolver(name: bytes, timeout: int = 5) -> bytes | None:
    """Answer as the signer's DNS."""
    return key()[1] if name.startswith(b"s1._domainkey.") else None


def sign(
    message: bytes,
    domain: bytes = b"example.org",
    names: tuple[str, ...] = ("from", "to", "subject"),
) -> bytes:
    """Return the message signed over these headers, even without From, which dkimpy refuses."""
    signer = dkim.DKIM(message, linesep=b"\r\n")
    signer.hasher = dkim.HASH_ALGORITHMS[b"rsa-sha256"]
    canon = dkim.CanonicalizationPolicy.from_c_value(b"relaxed/relaxed")
    covered = [name.encode() for name in names]
    body = base64.b64encode(sha256(canon.canonicalize_body(signer.body)).digest())
    fields = [
        (b"v", b"1"),
        (b"a", b"rsa-sha256"),
        (b"c", canon.to_c_value()),
        (b"d", domain),
        (b"s", b"s1"),
    ]
    fields += [(b"h", b" : ".join(covered)), (b"bh", body), (b"b", b"0" * 60)]
    header: bytes = signer.gen_header(
        fields, covered, canon, b"DKIM-Signature", parse_pem_private_key(key()[0])
    )
    return b"DKIM-Signature: " + header + message


def changed_value(raw: bytes, how: str) -> bytes:
    """Rewrite b= with "spaces", "unused bits", leading "zeros", or plus the "modulus"."""
    head, rest = raw[: raw.index(b"\r\nFrom:")], raw[raw.index(b"\r\nFrom:") :]
    before, _, value = head.rpartition(b"b=")
    value = b"".join(value.split())
    signature = base64.b64decode(value)
    match how:
        case "spaces":
            value = value[:10] + b"\r\n\t " + value[10:]
        case "unused bits":
            assert value.endswith(b"=")
            at = len(value.rstrip(b"=")) - 1
            letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
            value = (
                value[:at] + letters[letters.index(value[at : at + 1]) + 1 :][:1] + value[at + 1 :]
            )
        case "zeros":
            value = base64.b64encode(b"\0\0\0" + signature)
        case "modulus":
            number = int.from_bytes(signature, "big") + parse_pem_private_key(key()[0])["modulus"]
            value = base64.b64encode(number.to_bytes(len(signature) + 1, "big"))
    return before + b"b=" + value + rest
