"""Recognize encrypted messages, and remove the armor of signed ones (RFC 3156, 8551, 9580)."""

from __future__ import annotations

import re

#: Content types of which nothing can be read: also S/MIME signatures around their text.
_TYPES = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_ENCRYPTED = re.compile(
    r"^-----BEGIN PGP MESSAGE-----[ \t]*\n.*?^-----END PGP MESSAGE-----[ \t]*$", re.M | re.S
)
_SIGNED = re.compile(
    r"^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n(?:Hash:[^\n]*\n)*"
    r"(?P<text>.*?)^-----BEGIN PGP SIGNATURE-----[ \t]*\n.*?^-----END PGP SIGNATURE-----[ \t]*$",
    re.M | re.S,
)


def is_encrypted(content_type: str) -> bool:
    """Return whether a part of this type is encrypted, or signed so that it cannot be read."""
    return content_type in _TYPES


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
