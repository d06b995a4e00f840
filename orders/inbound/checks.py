"""Find missing or dangerous mail settings, with hints (for gamesmaster.checks)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings

from .transports import imap, lmtp, webhook

POLICIES = ("results", "dkim", "address")
UNPROVEN = ("confirm", "hold")
_ADDRESS = re.compile(r"[^\s@+<>]+@[^\s@<>]+")


@dataclass(frozen=True)
class Fault:
    code: str
    words: str
    hint: str
    only_a_warning: bool = False


def faults() -> Iterator[Fault]:
    yield from _settings()
    yield from _ways()
    yield from _check_trust_settings()


def _settings() -> Iterator[Fault]:
    """Yield settings whose values are not valid."""
    if settings.MAIL_TRUST not in POLICIES:
        hint = "Set MAIL_TRUST to results, dkim or address (docs/mail.md), or leave it out."
        yield Fault("E020", f"MAIL_TRUST is “{settings.MAIL_TRUST}”.", hint)
    if settings.MAIL_UNPROVEN not in UNPROVEN:
        hint = (
            "Set MAIL_UNPROVEN to confirm (a link to the player) or hold (the gamesmaster decides),"
            " or leave it out."
        )
        yield Fault("E021", f"MAIL_UNPROVEN is “{settings.MAIL_UNPROVEN}”.", hint)
    for name in ("MAIL_REPLY", "MAIL_BOUNCES"):
        value = getattr(settings, name)
        if value and not _ADDRESS.fullmatch(value):
            hint = (
                f"Write an address without a plus sign, such as orders@{settings.MAIL_DOMAIN}: the"
                " key comes behind its name."
            )
            yield Fault("E022", f"{name} is “{value}”, which is not an address.", hint)
    if settings.MAIL_BOUNCES and settings.MAIL_BOUNCES.lower() == settings.MAIL_REPLY.lower():
        yield Fault(
            "E022",
            "MAIL_BOUNCES is the address that players write to.",
            "Give returned letters an address of their own.",
        )
    ranges = (
        ("MAIL_LARGEST", settings.MAIL_LARGEST, 20_000, 50_000_000),
        ("MAIL_TRIES", settings.MAIL_TRIES, 1, 100),
        ("MAIL_ANSWERS_AN_HOUR", settings.MAIL_ANSWERS_AN_HOUR, 1, 10_000),
        ("MAIL_OBEYED_AN_HOUR", settings.MAIL_OBEYED_AN_HOUR, 1, 100_000),
        ("BOUNCES_BEFORE_TELLING", settings.BOUNCES_BEFORE_TELLING, 1, 100),
    )
    for name, value, least, most in ranges:
        if not least <= value <= most:
            yield Fault(
                "E023",
                f"{name} is {value}.",
                f"Set {name} to {least} to {most}, or leave it out for its default.",
            )


def _ways() -> Iterator[Fault]:
    """Yield transports that cannot be opened, and replies that would reach nobody."""
    if settings.LMTP_LISTEN and not lmtp.is_path(settings.LMTP_LISTEN):
        try:
            host, _ = lmtp.place(settings.LMTP_LISTEN)
        except ValueError as error:
            yield Fault(
                "E024", str(error), "Set LMTP_LISTEN to 127.0.0.1:8024, or to the path of a socket."
            )
        else:
            if host not in ("127.0.0.1", "::1", "localhost"):
                hint = (
                    "Listen on 127.0.0.1 or a socket. Where the mail server is another machine, see"
                    " that nobody else can reach the port."
                )
                yield Fault(
                    "W020",
                    f"LMTP is open beyond this machine, at {settings.LMTP_LISTEN}.",
                    hint,
                    only_a_warning=True,
                )
    if settings.IMAP_URL:
        try:
            place = imap.box(settings.IMAP_URL)
        except ValueError as error:
            yield Fault(
                "E025",
                str(error),
                "Write characters such as @ and / in user and password as %40 and %2F.",
            )
        else:
            if place.scheme == "imap" and place.host not in ("127.0.0.1", "localhost", "::1"):
                yield Fault(
                    "W021",
                    "IMAP_URL sends the password in the clear.",
                    "Write imaps:// or imap+tls://.",
                    only_a_warning=True,
                )
    if settings.MAIL_WEBHOOK:
        yield from _webhook()
    if settings.MAIL_IN and "@127." in settings.MAIL_REPLY + "@":
        hint = "Set MAIL_DOMAIN to a domain whose mail reaches this service."
        yield Fault(
            "W022",
            f"Letters ask for replies to {settings.MAIL_REPLY}, which nobody reads.",
            hint,
            only_a_warning=True,
        )


def _webhook() -> Iterator[Fault]:
    if not webhook.patterns():
        hint = (
            "Set MAIL_WEBHOOK to a provider that anymail knows, such as postmark, mailgun or"
            " sendgrid."
        )
        yield Fault(
            "E026", f"“{settings.MAIL_WEBHOOK}” is not a provider that anymail knows.", hint
        )
    elif not any(
        name.startswith("WEBHOOK_") or name.endswith(("_SIGNING_KEY", "_WEBHOOK_KEY", "_SECRET"))
        for name in settings.ANYMAIL
    ):
        hint = (
            "Set ANYMAIL_WEBHOOK_SECRET to name:secret, and write the same into the address that"
            " the provider calls."
        )
        yield Fault("E027", "The webhook has no secret: anybody could hand in mail.", hint)


def _check_trust_settings() -> Iterator[Fault]:
    """Yield settings under which no mail, or any mail, would be accepted."""
    if not settings.MAIL_IN:
        return
    if settings.MAIL_TRUST == "results" and not settings.MAIL_AUTHSERV_ID:
        hint = (
            "Set MAIL_AUTHSERV_ID to the name at the head of your mail server's"
            " Authentication-Results, or MAIL_TRUST to dkim."
        )
        yield Fault(
            "E028",
            "No mail would ever be accepted: MAIL_AUTHSERV_ID does not name our mail server.",
            hint,
        )
    if settings.MAIL_TRUST == "address" and settings.SITE_URL.startswith("https://"):
        hint = "Set MAIL_AUTHSERV_ID (the name of your mail server), or MAIL_TRUST=dkim."
        yield Fault(
            "W023",
            "A player's address in From counts as proof, and anybody can write that.",
            hint,
            only_a_warning=True,
        )
