"""Recognize encrypted messages, and remove the armor of signed ones (RFC 3156, 8551, 9580)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

#: S/MIME around a text: encrypted, signed or compressed, as its parameter or its first bytes say.
_ENVELOPES = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_ENVELOPE_FILE = ".p7m"
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")  # 1.2.840.113549.1.7.2 (RFC 5652, 5.1)
_FIRST_BYTES = 40
_ENCRYPTED = re.compile(
    r"^-----BEGIN PGP MESSAGE-----[ \t]*\n.*?^-----END PGP MESSAGE-----[ \t]*$", re.M | re.S
)
_SIGNED = re.compile(
    r"^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n(?:Hash:[^\n]*\n)*"
    r"(?P<text>.*?)^-----BEGIN PGP SIGNATURE-----[ \t]*\n.*?^-----END PGP SIGNATURE-----[ \t]*$",
    re.M | re.S,
)


Unreadable = Literal["", "encrypted", "signed"]


def why_unreadable(
    content_type: str, smime_type: str, name: str, data: Callable[[], bytes]
) -> Unreadable:
    """Return whether a part is encrypted, or signed so that its text is inside the signature.

    `data` returns its bytes; they are asked only where `smime_type` is missing.
    """
    if content_type == "multipart/encrypted":
        return "encrypted"
    if content_type not in _ENVELOPES and not name.lower().endswith(_ENVELOPE_FILE):
        return ""
    is_signed = smime_type.lower() == "signed-data" or (
        not smime_type and _SIGNED_DATA in data()[:_FIRST_BYTES]
    )
    return "signed" if is_signed else "encrypted"


def without_armor(text: str) -> tuple[str, bool]:
    """Return a text without the armor of PGP, and whether parts of it were encrypted.

    Armor without its end is left: whatever stands below may be the sender's own words.
    """
    if "-----BEGIN PGP " not in text:
        return text, False
    text, encrypted = _ENCRYPTED.subn("", text)
    return _SIGNED.sub(_signed_text, text), encrypted > 0


def _signed_text(match: re.Match[str]) -> str:
    """Return the text of a signed message; in it “- ” stands before lines with a hyphen."""
    return re.sub(r"^- ", "", match["text"], flags=re.M)
