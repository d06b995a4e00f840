"""Find missing or dangerous settings, with a hint for each.

No process of the service starts while there is an error (games.base.starting), and `/readyz` names
it. These are deployment checks with the tag "serve": commands that serve nobody (`adjudicate`,
`verify`) do not run them.
"""

from __future__ import annotations

import difflib
import re
import stat
from collections.abc import Iterator
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from games.base import logs, origin
from games.base.starting import SERVE, SETTINGS_FILE

#: What BROKER_URL may begin with: what Celery's client for Redis understands, and no broker.
BROKERS = ("redis", "rediss", "redis+socket", "memory")
#: The rate limits that an operator sets.
LIMITS = ("logins", "orders", "sent", "api", "strangers")
LOCAL_HOSTS = {"127.0.0.1", "localhost", "::1", "[::1]"}


@register(SERVE, deploy=True)
def secret_key_lasts(**kwargs: Any) -> Iterator[CheckMessage]:
    key = settings.SECRET_KEY
    if key.startswith("for-this-process-only-"):
        hint = (
            "Set SECRET_KEY to 50 or more random characters and keep it: links in letters already"
            " sent depend on it."
        )
        yield Error("There is no permanent secret key.", hint=hint, id="gamesmaster.E001")
    elif len(key) < 40 or len(set(key)) < 12:
        yield Error(
            f"SECRET_KEY has only {len(key)} characters, {len(set(key))} of them different.",
            hint="Make one with: python -c 'import secrets; print(secrets.token_urlsafe(50))'",
            id="gamesmaster.E002",
        )


#: A line of a settings file that sets a name, also one that is commented out.
NAMED = re.compile(r"^(#?)(?:export )?([A-Za-z_]\w*)=", re.MULTILINE)


@register(SERVE, SETTINGS_FILE, deploy=True)
def file_of_settings_says_what_is_read(**kwargs: Any) -> Iterator[CheckMessage]:
    """Check the names in `.env`, as the template lists them, and who may read it."""
    file, template = settings.ENV_FILE, settings.BASE_DIR / "deploy" / "env.example"
    if not file.is_file() or not template.exists():
        return
    known = [name for _, name in NAMED.findall(template.read_text(encoding="utf-8"))]
    written = [name for off, name in NAMED.findall(file.read_text(encoding="utf-8")) if not off]
    for name in written:
        if name not in known and not name.startswith("ANYMAIL_"):  # any of those is read
            nearest = difflib.get_close_matches(name.upper(), known, n=1)
            hint = (
                f"Did you mean {nearest[0]}?" if nearest else "deploy/env.example lists every name."
            )
            message = f"{file} sets “{name}”, which nothing reads."
            yield Warning(message, hint=hint, id="gamesmaster.W043")
    if file.stat().st_mode & stat.S_IROTH:
        message = f"Every user of this machine can read {file}, which has keys and passwords."
        yield Warning(message, hint=f"chmod o= {file}", id="gamesmaster.W044")


@register(SERVE, deploy=True)
def site_address_is_usable(**kwargs: Any) -> Iterator[CheckMessage]:
    parts = urlsplit(settings.SITE_URL)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        yield Error(
            f"SITE_URL is “{settings.SITE_URL}”, which is not an address.",
            hint="Write the address that players open, such as https://games.example.org.",
            id="gamesmaster.E003",
        )
    elif parts.hostname not in LOCAL_HOSTS and parts.scheme != "https":
        hint = (
            "Put a TLS proxy in front and write https:// in SITE_URL: login links travel over this"
            " address."
        )
        yield Error(
            f"SITE_URL “{settings.SITE_URL}” is open to the internet without encryption.",
            hint=hint,
            id="gamesmaster.E004",
        )
    elif parts.path or parts.query or parts.fragment:
        hint = (
            "Remove what comes after the host: the service answers only at the root of a host, so"
            " links in letters would lead nowhere."
        )
        message = f"SITE_URL is “{settings.SITE_URL}”, which has a path."
        yield Error(message, hint=hint, id="gamesmaster.E014")


@register(SERVE, deploy=True)
def debugging_is_off(**kwargs: Any) -> Iterator[CheckMessage]:
    if settings.DEBUG and settings.SITE_HOST not in LOCAL_HOSTS:
        hint = "Remove DEBUG from the environment: its error pages show settings."
        yield Error("DEBUG is on.", hint=hint, id="gamesmaster.E005")
    elif "*" in settings.ALLOWED_HOSTS:
        hint = "Write only the further names of the service, or leave it out."
        yield Error("ALLOWED_HOSTS allows any host.", hint=hint, id="gamesmaster.E006")


@register(SERVE, deploy=True)
def letters_go_out(**kwargs: Any) -> Iterator[CheckMessage]:
    if not logs.is_address(parseaddr(settings.DEFAULT_FROM_EMAIL)[1]):
        hint = (
            "Write an address such as gamesmaster@games.example.org, or Gamesmaster"
            " <gamesmaster@games.example.org>."
        )
        yield Error(
            f"MAIL_FROM is “{settings.DEFAULT_FROM_EMAIL}”, which is not an address.",
            hint=hint,
            id="gamesmaster.E016",
        )
    elif (
        not settings.DEMONSTRATION
        and settings.EMAIL_BACKEND != "django.core.mail.backends.smtp.EmailBackend"
    ):
        hint = (
            "Set EMAIL_URL, such as smtp+tls://user:password@mail.example.org:587. `manage.py play`"
            " shows letters without a mail server."
        )
        message = "No mail server is set: no letter would be delivered."
        yield Error(message, hint=hint, id="gamesmaster.E007")


@register(SERVE, deploy=True)
def the_clock_is_real(**kwargs: Any) -> Iterator[CheckMessage]:
    local = settings.SITE_HOST in LOCAL_HOSTS
    if settings.CLOCK_FILE:
        hint = "Remove GAMESMASTER_CLOCK from the environment: it is only for tests."
        message = "A file sets the clock: phases would not close at the announced deadlines."
        yield (Warning if local else Error)(message, hint=hint, id="gamesmaster.E008")
    for publisher in ("Yahoo", "Tiingo"):
        if not local and settings.MARKET[f"{publisher.lower()}_base_url"]:
            hint = (
                f"Remove {publisher.upper()}_BASE_URL from the environment: it is only for tests"
                " with a local server."
            )
            message = f"Sales figures would not come from {publisher}."
            yield Error(message, hint=hint, id="gamesmaster.E009")
    if settings.CHANNELS_LOOPBACK:
        hint = (
            "Remove CHANNELS_LOOPBACK from the environment: with it a gamesmaster could make the"
            " service send requests to its own machines."
        )
        message = "Chat channels may be on this machine and without encryption."
        yield (Warning if local else Error)(message, hint=hint, id="gamesmaster.E029")
    if settings.DEMONSTRATION and not local:
        hint = "Remove GAMESMASTER_DEMONSTRATION: its letters page shows every letter to everybody."
        message = "This is a demonstration, and it is open to the internet."
        yield Error(message, hint=hint, id="gamesmaster.E010")


@register(SERVE, deploy=True)
def numbers_can_be_kept(**kwargs: Any) -> Iterator[CheckMessage]:
    """Check times and tries that would miss a deadline, hold a phase for nothing, or read a figure
    too early.
    """
    market = settings.MARKET
    limits = [
        (f"LIMIT_{name.upper()}", tries, 1, 100_000, f"tries in {seconds // 60} minutes")
        for name, (tries, seconds) in settings.LIMITS.items()
        if name in LIMITS
    ]
    bounds = [
        # A worker that reads the market may need a minute and a half; with a shorter lease two
        # workers would often work on one phase.
        ("LEASE_SECONDS", settings.LEASE_SECONDS, 90, 3600, "seconds"),
        ("TICK_SECONDS", settings.TICK_SECONDS, 0.1, 60, "seconds"),
        ("PHASE_TRIES", settings.PHASE_TRIES, 1, 100, "tries"),
        ("LETTER_TRIES", settings.LETTER_TRIES, 1, 100, "tries"),
        ("MARKET_FIRST_READING_HOURS", market["first_reading_hours"], 0, 72, "hours"),
        ("MARKET_AGREEMENT_HOURS", market["agreement_hours"], 0.25, 72, "hours"),
        (
            "MARKET_GIVE_UP_HOURS",
            market["give_up_hours"],
            market["agreement_hours"],
            24 * 30,
            "hours",
        ),
        ("MARKET_TELEPHONE_MINUTES", market["telephone_minutes"], 0, 24 * 60, "minutes"),
        ("MARKET_RETRY_MINUTES", market["retry_minutes"], 1, 24 * 60, "minutes"),
        ("MARKET_LISTING_DAYS", market["listing_days"], 0, 365, "days"),
        ("SECOND_FACTOR_HOURS", settings.SECOND_FACTOR_HOURS, 0.1, 60 * 24, "hours"),
        *limits,
    ]
    for name, value, least, most, unit in bounds:
        if not least <= value <= most:
            hint = f"Set {name} to {least:g} to {most:g} {unit}, or leave it out for the default."
            yield Error(f"{name} is {value:g}.", hint=hint, id="gamesmaster.E012")


@register(SERVE, deploy=True)
def files_can_be_written(**kwargs: Any) -> Iterator[CheckMessage]:
    folder = Path(settings.VAR_DIR)
    probe = folder / ".writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        hint = "Set GAMESMASTER_VAR to a folder that this user may write to."
        message = f"Cannot write to {folder} ({error.strerror})."
        yield Error(message, hint=hint, id="gamesmaster.E011")


@register(SERVE, deploy=True)
def broker_is_known(**kwargs: Any) -> Iterator[CheckMessage]:
    """Check that the broker is Redis: with any other address nothing would tick."""
    url = str(settings.CELERY_BROKER_URL)
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in BROKERS:
        hint = (
            "Write redis://HOST:6379/0, rediss://HOST:6379/0 (with TLS) or redis+socket:///PATH, or"
            " leave BROKER_URL out for `manage.py serve` without a broker."
        )
        message = f"BROKER_URL is “{logs.scrub(url)}”, which is not the address of a Redis."
        yield Error(message, hint=hint, id="gamesmaster.E013")


@register(SERVE, deploy=True)
def several_machines_have_a_broker(**kwargs: Any) -> Iterator[CheckMessage]:
    if settings.DATABASES["default"]["ENGINE"].endswith("postgresql") and settings.IN_MEMORY:
        hint = (
            "Set BROKER_URL, such as redis://localhost:6379/0, if workers run on more than one"
            " machine."
        )
        message = "PostgreSQL is used without a broker: one worker does all the work."
        yield Warning(message, hint=hint, id="gamesmaster.W001")


@register(SERVE, deploy=True)
def tries_are_counted_by_who_asks(**kwargs: Any) -> Iterator[CheckMessage]:
    """Check how visitors are told apart.

    Behind a proxy that is not configured all people would count as one, and lock each other out.
    """
    try:
        origin.networks(settings.TRUSTED_PROXIES)
    except ValueError as error:
        hint = (
            "Write networks separated by commas, such as 10.0.0.0/8, 2001:db8::/32, or leave"
            " TRUSTED_PROXIES out."
        )
        yield Error(f"TRUSTED_PROXIES cannot be read: {error}.", hint=hint, id="gamesmaster.E040")
    local = settings.SITE_HOST in LOCAL_HOSTS
    if (
        settings.SECURE
        and not local
        and not getattr(settings, "SECURE_PROXY_SSL_HEADER", None)
        and not settings.TRUSTED_PROXIES
    ):
        hint = (
            "Set BEHIND_TLS_PROXY=1 if your proxy sets X-Forwarded-For and X-Forwarded-Proto on"
            " every request."
        )
        message = (
            "Pages are served over TLS, and no proxy is named: rate limits would count everybody as"
            " one visitor."
        )
        yield Warning(message, hint=hint, id="gamesmaster.W040")
    if settings.SECURE and not local and not settings.ADMIN_SECOND_FACTOR:
        hint = (
            "Remove ADMIN_SECOND_FACTOR from the environment: over TLS the second factor is on by"
            " default."
        )
        message = "A login letter alone opens the admin, without a second factor."
        yield Warning(message, hint=hint, id="gamesmaster.W041")
    for opener in settings.GAMES_OPENED_BY:
        if opener not in ("anyone", "staff") and "@" not in opener:
            hint = "Write “anyone”, “staff”, or addresses separated by commas."
            message = f"GAMES_OPENED_BY names “{opener}”, which is not an address."
            yield Error(message, hint=hint, id="gamesmaster.E042")
    for name, months in settings.KEEP.items():
        if months < 0:
            setting = f"KEEP_{name.upper()}_MONTHS"
            hint = f"Write the number of months in {setting}, or 0 to keep them forever."
            yield Error(f"{setting} is {months}.", hint=hint, id="gamesmaster.E041")
