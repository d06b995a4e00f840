"""Find missing or dangerous mail settings, with hints: system checks, like gamesmaster.checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from games.base.starting import SERVE

from .transports import imap, lmtp, webhook

POLICIES = ("results", "dkim", "address")
UNPROVEN = ("confirm", "hold")
_ADDRESS = re.compile(r"[^\s@+<>]+@[^\s@<>]+")


@register(SERVE, deploy=True)
def mail_comes_in_safely(**kwargs: Any) -> list[CheckMessage]:
    """Check ways in that cannot work, and settings that would accept orders from forged senders."""
    return [*_settings(), *_ways(), *_check_trust_settings()]


def _settings() -> Iterator[CheckMessage]:
    """Yield settings whose values are not valid."""
    if settings.MAIL_TRUST not in POLICIES:
        hint = "Set MAIL_TRUST to results, dkim or address (docs/mail.md), or leave it out."
        yield Error(f"MAIL_TRUST is “{settings.MAIL_TRUST}”.", hint=hint, id="gamesmaster.E020")
    if settings.MAIL_UNPROVEN not in UNPROVEN:
        hint = (
            "Set MAIL_UNPROVEN to confirm (a link to the player) or hold (the gamesmaster decides),"
            " or leave it out."
        )
        yield Error(
            f"MAIL_UNPROVEN is “{settings.MAIL_UNPROVEN}”.", hint=hint, id="gamesmaster.E021"
        )
    for name in ("MAIL_REPLY", "MAIL_BOUNCES"):
        value = getattr(settings, name)
        if value and not _ADDRESS.fullmatch(value):
            hint = (
                f"Write an address without a plus sign, such as orders@{settings.MAIL_DOMAIN}: the"
                " key comes behind its name."
            )
            yield Error(
                f"{name} is “{value}”, which is not an address.", hint=hint, id="gamesmaster.E022"
            )
    if settings.MAIL_BOUNCES and settings.MAIL_BOUNCES.lower() == settings.MAIL_REPLY.lower():
        yield Error(
            "MAIL_BOUNCES is the address that players write to.",
            hint="Give returned letters an address of their own.",
            id="gamesmaster.E022",
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
            yield Error(
                f"{name} is {value}.",
                hint=f"Set {name} to {least} to {most}, or leave it out for its default.",
                id="gamesmaster.E023",
            )


def _ways() -> Iterator[CheckMessage]:
    """Yield transports that cannot be opened, and replies that would reach nobody."""
    if settings.LMTP_LISTEN and not lmtp.is_path(settings.LMTP_LISTEN):
        try:
            host, _ = lmtp.place(settings.LMTP_LISTEN)
        except ValueError as error:
            yield Error(
                str(error),
                hint="Set LMTP_LISTEN to 127.0.0.1:8024, or to the path of a socket.",
                id="gamesmaster.E024",
            )
        else:
            if host not in ("127.0.0.1", "::1", "localhost"):
                hint = (
                    "Listen on 127.0.0.1 or a socket. Where the mail server is another machine, see"
                    " that nobody else can reach the port."
                )
                yield Warning(
                    f"LMTP is open beyond this machine, at {settings.LMTP_LISTEN}.",
                    hint=hint,
                    id="gamesmaster.W020",
                )
    if settings.IMAP_URL:
        try:
            place = imap.box(settings.IMAP_URL)
        except ValueError as error:
            yield Error(
                str(error),
                hint="Write characters such as @ and / in user and password as %40 and %2F.",
                id="gamesmaster.E025",
            )
        else:
            if place.scheme == "imap" and place.host not in ("127.0.0.1", "localhost", "::1"):
                yield Warning(
                    "IMAP_URL sends the password in the clear.",
                    hint="Write imaps:// or imap+tls://.",
                    id="gamesmaster.W021",
                )
    if settings.MAIL_WEBHOOK:
        yield from _webhook()
    if settings.MAIL_IN and "@127." in settings.MAIL_REPLY + "@":
        hint = "Set MAIL_DOMAIN to a domain whose mail reaches this service."
        yield Warning(
            f"Letters ask for replies to {settings.MAIL_REPLY}, which nobody reads.",
            hint=hint,
            id="gamesmaster.W022",
        )


def _webhook() -> Iterator[CheckMessage]:
    if not webhook.patterns():
        hint = (
            "Set MAIL_WEBHOOK to a provider that anymail knows, such as postmark, mailgun or"
            " sendgrid."
        )
        yield Error(
            f"“{settings.MAIL_WEBHOOK}” is not a provider that anymail knows.",
            hint=hint,
            id="gamesmaster.E026",
        )
    elif not any(
        name.startswith("WEBHOOK_") or name.endswith(("_SIGNING_KEY", "_WEBHOOK_KEY", "_SECRET"))
        for name, value in settings.ANYMAIL.items()
        if value.strip()
    ):
        hint = (
            "Set ANYMAIL_WEBHOOK_SECRET to name:secret, and write the same into the address that"
            " the provider calls."
        )
        yield Error(
            "The webhook has no secret: anybody could hand in mail.",
            hint=hint,
            id="gamesmaster.E027",
        )


def _check_trust_settings() -> Iterator[CheckMessage]:
    """Yield settings under which no mail, or any mail, would be accepted."""
    if not settings.MAIL_IN:
        return
    if settings.MAIL_TRUST == "results" and not settings.MAIL_AUTHSERV_ID:
        hint = (
            "Set MAIL_AUTHSERV_ID to the name at the head of your mail server's"
            " Authentication-Results, or MAIL_TRUST to dkim."
        )
        yield Error(
            "No mail would ever be accepted: MAIL_AUTHSERV_ID does not name our mail server.",
            hint=hint,
            id="gamesmaster.E028",
        )
    if settings.MAIL_TRUST == "address" and settings.SITE_URL.startswith("https://"):
        hint = "Set MAIL_AUTHSERV_ID (the name of your mail server), or MAIL_TRUST=dkim."
        yield Warning(
            "A player's address in From counts as proof, and anybody can write that.",
            hint=hint,
            id="gamesmaster.W023",
        )
