"""All settings, in one file, from environment variables (docs/operations.md lists them;
`deploy/env.example` is a template).

Every process, started by `manage.py`, gunicorn or Celery, reads them from the file `.env` beside
`manage.py`; its own environment takes precedence.

Without any variable the defaults apply: SQLite and letters stored as files, all in `var/`, and no
broker. They are enough for `manage.py serve` on one machine. `manage.py check --deploy --tag serve`
reports missing or dangerous settings, with a hint for each.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from games.base import logs

BASE_DIR = Path(__file__).resolve().parent.parent


#: How settings say yes and no. An empty one counts as left out.
YES, NO = ("1", "true", "on", "ok", "y", "yes"), ("0", "false", "off", "n", "no")
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class Environment(environ.Env):  # type: ignore[misc]
    """The environment, with the variable's name in errors about invalid values.

    It guesses nothing: django-environ reads an unknown word as no, drops letters in numbers, and
    keeps the space that follows a comma in a list.
    """

    def get_value(
        self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, **kwargs: Any
    ) -> Any:
        if cast is bool and not self.ENVIRON.get(var, "").strip():
            return default
        try:
            return super().get_value(var, cast, default, **kwargs)
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{var} cannot be read ({error}). Correct it in the environment, or leave it out."
            ) from error

    @classmethod
    def parse_value(cls, value: Any, cast: Any) -> Any:
        written = str(value).strip()
        if cast is bool:
            if written.lower() not in YES + NO:
                raise ValueError(f"“{value}” is neither yes nor no: write 1 or 0")
            return written.lower() in YES
        if cast is float:
            if not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)", written, re.ASCII):
                raise ValueError(f"“{value}” is not a number such as 12 or 0.5")
            return float(written)
        if cast is int:
            if not re.fullmatch(r"[+-]?\d+", written, re.ASCII):
                raise ValueError(f"“{value}” is not a whole number")
            return int(written)
        if cast is list:
            return [entry.strip() for entry in written.split(",") if entry.strip()]
        return super().parse_value(value, cast)


def _without_password(url: str) -> str:
    """Return a server's URL, even a malformed one, without user and password."""
    return re.sub(r"^((?:[\w+.-]+:/*)?).*@", r"\1…@", url)


def _database(url: str) -> dict[str, Any]:
    """Return Django's settings of a database. Raise `ImproperlyConfigured`."""
    try:
        found: dict[str, Any] = Environment.db_url_config(url)
    except ValueError:  # a port that is no number
        found = {}
    engine = found.get("ENGINE", "")
    if "://" in url and engine.endswith(("postgresql", "sqlite3")) and found["NAME"]:
        return found
    raise ImproperlyConfigured(
        f"DATABASE_URL is “{_without_password(url)}”. Write"
        " postgres://USER:PASSWORD@HOST:5432/NAME or sqlite:////PATH, with special characters in"
        " the password as %40, or leave it out."
    )


def _mail_server(url: str) -> dict[str, Any]:
    """Return Django's settings of a mail server. Raise `ImproperlyConfigured`."""
    try:
        found: dict[str, Any] = Environment.email_url_config(url)
    except (ValueError, ImproperlyConfigured):  # a port that is no number, or an unknown scheme
        found = {}
    if found and (found["EMAIL_HOST"] or not found["EMAIL_BACKEND"].endswith("smtp.EmailBackend")):
        return found
    raise ImproperlyConfigured(
        f"EMAIL_URL is “{_without_password(url)}”. Write"
        " smtp+tls://USER:PASSWORD@HOST:587, smtp+ssl:// or smtp://, with special characters in the"
        " password as %40, or leave it out."
    )


#: The file with the settings. Tests use another.
ENV_FILE = Path(os.environ.get("GAMESMASTER_ENV", str(BASE_DIR / ".env")))
if "GAMESMASTER_ENV" in os.environ and not ENV_FILE.exists():
    raise ImproperlyConfigured(
        f"GAMESMASTER_ENV names “{ENV_FILE}”, which does not exist. Correct its path, or leave it"
        " out to use .env beside manage.py."
    )
if ENV_FILE.exists():
    try:
        with ENV_FILE.open(encoding="utf-8") as lines:
            Environment.read_env(lines)
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(
            f"{ENV_FILE} cannot be read ({error}). Make it readable for the user of this process:"
            " without it the service would run with other settings."
        ) from error
env = Environment()

#: The folder of all persistent data of one machine: database, secret key, stored letters.
VAR_DIR = Path(env.str("GAMESMASTER_VAR", default=str(BASE_DIR / "var"))).resolve()
SECRET_KEY_FILE = VAR_DIR / "secret-key"
with contextlib.suppress(OSError):  # a read-only tree is enough for commands that write nothing
    VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)


def _secret_key() -> str:
    """Return the key from the environment, else from `var/secret-key`, else a temporary one.

    Commands that need no secret (`adjudicate`, `verify`) therefore run without any configuration.
    `serve` and `play` write the file before they start anything, and the system checks refuse to
    serve without a permanent key.
    """
    if key := str(env.str("SECRET_KEY", default="")):
        return key
    if SECRET_KEY_FILE.is_file():
        return SECRET_KEY_FILE.read_text().strip()
    return "for-this-process-only-" + secrets.token_urlsafe(40)


SECRET_KEY = _secret_key()
#: Earlier keys, the newest first: their signatures are still valid, but nothing new is signed with
#: them.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
DEBUG = env.bool("DEBUG", default=False)

#: The address of the service; every link in a letter begins with it.
SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
SITE_HOST = SITE_URL.split("://", 1)[-1].split("/", 1)[0].rsplit(":", 1)[0]
#: The variables add further names. Health checks of `deploy/` ask as localhost.
ALLOWED_HOSTS = [SITE_HOST, "127.0.0.1", "localhost", *env.list("ALLOWED_HOSTS", default=[])]
CSRF_TRUSTED_ORIGINS = [SITE_URL, *env.list("CSRF_TRUSTED_ORIGINS", default=[])]
SECURE = SITE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
# A campaign's turn takes weeks; logging in again for each would be a nuisance.
SESSION_COOKIE_AGE = 60 * 24 * 3600
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=3600 if SECURE else 0)
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Trust no header unless the operator says that their proxy sets it.
if env.bool("BEHIND_TLS_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
#: Networks of our own proxies, such as 10.0.0.0/8: only these are trusted about a client's address
#: (games.base.origin).
TRUSTED_PROXIES = env.list("TRUSTED_PROXIES", default=[])
#: Not "Strict": a link in a letter must find its reader logged in.
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
#: The largest body that is read at all, in bytes (games.pages.middleware.RateLimit). A webhook for
#: mail may send more, so that the sender of a message over MAIL_LARGEST gets an answer.
BODY_LARGEST = 3_000_000
DATA_UPLOAD_MAX_MEMORY_SIZE = WEBHOOK_BODY_LARGEST = 50_000_000

#: Who may open games besides staff: anyone (who logs in), staff (nobody else), or addresses
#: separated by commas (games.permissions.opens_games).
GAMES_OPENED_BY = [opener.lower() for opener in env.list("GAMES_OPENED_BY", default=["anyone"])]

#: Rate limits: how many tries within how many seconds (games.accounts.rate_limits explains each).
LIMITS = {
    "logins": (env.int("LIMIT_LOGINS", default=40), 3600),
    "codes-here": (60, 600),
    "factors": (6, 900),
    "sent": (env.int("LIMIT_SENT", default=1500), 600),
    "orders": (env.int("LIMIT_ORDERS", default=200), 3600),
    "games": (60, 3600),
    "api": (env.int("LIMIT_API", default=1200), 600),
    "strangers": (env.int("LIMIT_STRANGERS", default=300), 600),
}
#: Whether staff and administrators need a second factor. On by default if the service uses TLS.
ADMIN_SECOND_FACTOR = env.bool("ADMIN_SECOND_FACTOR", default=SECURE)
SECOND_FACTOR_HOURS = env.float("SECOND_FACTOR_HOURS", default=12)

#: How many months data is kept (games.operations.personal.retention); 0: forever. Readings, orders
#: and results always are.
KEEP = {
    "mail": env.int("KEEP_MAIL_MONTHS", default=12),
    "letters": env.int("KEEP_LETTERS_MONTHS", default=24),
    "logins": env.int("KEEP_LOGINS_MONTHS", default=3),
    "notices": env.int("KEEP_NOTICES_MONTHS", default=3),
}

INSTALLED_APPS = [
    "gamesmaster.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "games",
    "orders",
    "gamesmaster",
]
MIDDLEWARE = [
    "games.base.logs.Pages",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "games.pages.live_tags.NotModifiedAnswer",
    "games.pages.middleware.Compress",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "games.pages.middleware.RateLimit",
    "games.pages.errors.GiveBackText",
    "games.pages.middleware.SecondFactorCheck",
    "games.pages.middleware.PupilAccess",
    "games.pages.middleware.GuestDoor",
    "games.pages.middleware.ReadersZone",
    "games.pages.middleware.LastDay",
    "games.pages.middleware.ContentSecurityPolicy",
    "games.pages.middleware.RestoreHold",
    "games.pages.middleware.ExplainMethod",
    "games.pages.middleware.WholePairs",
]
ROOT_URLCONF = "gamesmaster.urls"
WSGI_APPLICATION = "gamesmaster.wsgi.application"
#: Templates of the service, and those in the packages of its games.
TEMPLATE_DIRS = [
    BASE_DIR / "templates",
    *(BASE_DIR / "games" / "rules").glob("*/templates"),
    *(BASE_DIR / "games").glob("*/templates"),
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": TEMPLATE_DIRS,
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "games.pages.context.site",
            ],
            # The tags lie beside what they import, not in a package `templatetags`.
            "libraries": {
                name: f"games.pages.tags.{name}"
                for name in ("around", "boards", "desk", "formatting")
            },
        },
    },
    {
        # Letters. Used only by name (`using="letters"`); pages are never looked up here.
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "NAME": "letters",
        "DIRS": TEMPLATE_DIRS,
        "APP_DIRS": False,
        "OPTIONS": {"environment": "games.letters.environment.environment"},
    },
]

DATABASES: dict[str, dict[str, Any]] = {
    "default": _database(
        env.str("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'gamesmaster.sqlite3'}")
    )
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        # A write transaction takes its lock at once, so that two workers never deadlock on an
        # upgrade from read to write.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # WAL allows reading pages while a phase is written; FULL because a received order must
        # survive a power cut.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
    }
    DATABASES["default"].setdefault("TEST", {})["NAME"] = env.str("TEST_SQLITE", default=":memory:")
    # To open the file again for each request costs three times what a small page costs.
    DATABASES["default"]["CONN_MAX_AGE"] = None
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        server_side_binding=True,
        # psycopg's own default, which Django turns off: repeated queries are planned once. That
        # takes a quarter off the cost of a letter in PostgreSQL.
        prepare_threshold=5,
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "games.Person"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = "gamesmaster.formats"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"  # instants are stored in UTC; every displayed time names its zone

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
#: Where `collectstatic` puts them, compressed and with their hash in their name, so that browsers
#: keep them for good. It runs wherever `migrate` does; an image has them already.
STATIC_ROOT = BASE_DIR / env.str("STATIC_ROOT", default=str(VAR_DIR / "static"))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- letters ---
EMAIL = _mail_server(env.str("EMAIL_URL", default=f"filemail:///{VAR_DIR / 'letters'}"))
EMAIL_BACKEND = EMAIL["EMAIL_BACKEND"]
EMAIL_HOST, EMAIL_PORT = EMAIL["EMAIL_HOST"], EMAIL["EMAIL_PORT"]
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = EMAIL["EMAIL_HOST_USER"], EMAIL["EMAIL_HOST_PASSWORD"]
EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL.get("EMAIL_USE_TLS", False), EMAIL.get("EMAIL_USE_SSL", False)
EMAIL_FILE_PATH = str(VAR_DIR / "letters")
EMAIL_TIMEOUT = 20
MAIL_DOMAIN = env.str("MAIL_DOMAIN", default=SITE_HOST)
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", default=f"Gamesmaster <gamesmaster@{MAIL_DOMAIN}>")

#: Whether letters show the board as a picture besides the table.
MAIL_PICTURES = env.bool("MAIL_PICTURES", default=True)

# --- inbound mail (docs/mail.md) ---
#: The address that players write to. Each letter's reply address has its reader's key after a plus
#: sign.
MAIL_REPLY = env.str("MAIL_REPLY", default=f"orders@{MAIL_DOMAIN}")
#: The ways in: an address or a socket for LMTP, a mailbox, and a provider whose webhook anymail
#: supports. Each runs only if it is set.
LMTP_LISTEN = env.str("LMTP_LISTEN", default="")
IMAP_URL = env.str("IMAP_URL", default="")
IMAP_HANDLED = env.str("IMAP_HANDLED", default="Handled")
MAIL_WEBHOOK = env.str("MAIL_WEBHOOK", default="")
ANYMAIL = {
    name.removeprefix("ANYMAIL_"): value
    for name, value in os.environ.items()
    if name.startswith("ANYMAIL_")
}
if MAIL_WEBHOOK:
    INSTALLED_APPS.append("anymail")
#: Whether letters ask for answers by mail. Set it if a mail server pipes into `manage.py
#: receivemail`, which cannot be detected.
MAIL_IN = env.bool("MAIL_IN", default=bool(LMTP_LISTEN or IMAP_URL or MAIL_WEBHOOK))
MAIL_LARGEST = env.int("MAIL_LARGEST", default=1_000_000)
#: How a sender is proven: our mail server's Authentication-Results under this name, DKIM checked
#: here, or the address alone.
MAIL_AUTHSERV_ID = env.str("MAIL_AUTHSERV_ID", default="")
MAIL_TRUST = env.str("MAIL_TRUST", default="results" if MAIL_AUTHSERV_ID else "address")
#: What happens to unproven mail: a confirmation link goes to the player's first address, or the
#: gamesmaster decides.
MAIL_UNPROVEN = env.str("MAIL_UNPROVEN", default="confirm")
#: Where returned letters go, such as bounces@games.example.org. If set, every letter has its own
#: envelope sender, which identifies the letter that came back.
MAIL_BOUNCES = env.str("MAIL_BOUNCES", default="")
BOUNCES_BEFORE_TELLING = env.int("BOUNCES_BEFORE_TELLING", default=3)
MAIL_ANSWERS_AN_HOUR = env.int("MAIL_ANSWERS_AN_HOUR", default=30)
MAIL_OBEYED_AN_HOUR = env.int("MAIL_OBEYED_AN_HOUR", default=200)
MAIL_TRIES = env.int("MAIL_TRIES", default=6)

#: Allow chat channels on this machine and without encryption, for tests and rehearsals
#: (games.base.https).
CHANNELS_LOOPBACK = env.bool("CHANNELS_LOOPBACK", default=False)

# --- Celery ---
#: Without a broker the only worker of `serve` calls itself: its threads share the memory.
CELERY_BROKER_URL = env.str("BROKER_URL", default="") or "memory://localhost/"
IN_MEMORY = CELERY_BROKER_URL.startswith("memory:")
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"polling_interval": 0.1}
    if IN_MEMORY
    # Longer than any task, so that a slow one is not delivered twice.
    else {"visibility_timeout": 3600}
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 300
CELERY_TASK_SOFT_TIME_LIMIT = 240
CELERY_TIMEZONE = "UTC"
CELERY_DB_REUSE_MAX = 1000  # tasks; gamesmaster/celery.py limits a connection's age
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
TICK_SECONDS = env.float("TICK_SECONDS", default=1.0)
CELERY_BEAT_SCHEDULE = {
    # A tick that was not delivered at once is worthless: the next one sees the same tables.
    "tick": {"task": "games.tasks.tick", "schedule": TICK_SECONDS, "options": {"expires": 10}},
}

# --- the clock and the market ---
#: A file that moves the clock, for rehearsals and tests (`games.base.clock`). A check refuses to
#: serve real games with it.
CLOCK_FILE = env.str("GAMESMASTER_CLOCK", default="")
#: How long a worker may hold a phase or a letter before another takes it over, in seconds.
LEASE_SECONDS = env.int("LEASE_SECONDS", default=120)
#: After this many failed tries a phase is held and the gamesmaster notified.
PHASE_TRIES = env.int("PHASE_TRIES", default=5)
#: Time is given back when orders could not come in (games.turns.outage_credit). Not a setting of
#: the service but a rule of every game, which `verify` demands: only tests that move the clock by
#: days turn it off.
GIVE_TIME_BACK = True
#: How long a process caches whether the service is held after a restore
#: (games.operations.restore_hold).
HELD_BELIEVED_SECONDS = 2.0
LETTER_TRIES = env.int("LETTER_TRIES", default=12)
MARKET = {
    # A volume is provisional for hours after the close; both hours are settings until measured.
    "first_reading_hours": env.float("MARKET_FIRST_READING_HOURS", default=14.0),
    "agreement_hours": env.float("MARKET_AGREEMENT_HOURS", default=2.0),
    "give_up_hours": env.float("MARKET_GIVE_UP_HOURS", default=72.0),
    # rng.settle = first_reading: telephone games read shortly after the close.
    "telephone_minutes": env.float("MARKET_TELEPHONE_MINUTES", default=20.0),
    "retry_minutes": env.float("MARKET_RETRY_MINUTES", default=15.0),
    # For how many days the result of a stock check is valid before the draw. The game decides which
    # stocks count (rng.market, rng.floor_median).
    "listing_days": env.float("MARKET_LISTING_DAYS", default=7.0),
    # The path of a file of recorded figures, for the source "recorded".
    "recorded_file": env.str("MARKET_RECORDED_FILE", default=""),
    # Redirects the requests to Yahoo's hosts, to a loopback server in tests.
    "yahoo_base_url": env.str("YAHOO_BASE_URL", default=""),
    # The key for Tiingo, the second publisher; without one no game can be opened with it. The
    # address is for tests.
    "tiingo_key": env.str("MARKET_TIINGO_KEY", default=""),
    "tiingo_base_url": env.str("TIINGO_BASE_URL", default=""),
}
#: Set by `manage.py play`: allows invented figures, and shows sent letters on a page.
DEMONSTRATION = env.bool("GAMESMASTER_DEMONSTRATION", default=False)
#: Games by minutes pause by themselves once their people have gone (games.turns.pauses). Not a
#: setting of the service: tests turn it off that play on without orders. The gamesmaster of a
#: demonstration is the service, so nobody could resume its game.
PAUSE_UNATTENDED = not DEMONSTRATION

#: The token that allows reading /metrics from anywhere; without one only this machine may.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
#: The version that an image was built from; if empty, the working copy is asked.
GAMESMASTER_VERSION = env.str("GAMESMASTER_VERSION", default="")

#: line: for people; json: one object per line, for programs that collect logs.
LOG_FORMAT = env.str("LOG_FORMAT", default="line")
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured(
        f"LOG_FORMAT is “{LOG_FORMAT}”. Write line or json, or leave it out."
    )
#: Addresses that get mail about unexpected errors.
try:
    ADMINS_BY_MAIL = logs.addresses(env.list("ADMINS", default=[]))
except ValueError as error:
    raise ImproperlyConfigured(
        f"ADMINS names {error}, which is not an address. Write addresses separated by commas, such"
        " as root@example.org, or leave it out."
    ) from error
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO").strip().upper()
if LOG_LEVEL not in LOG_LEVELS:
    raise ImproperlyConfigured(
        f"LOG_LEVEL is “{LOG_LEVEL}”. Write {', '.join(LOG_LEVELS[:-1])} or {LOG_LEVELS[-1]}, or"
        " leave it out."
    )
_by_mail = (
    {"mail": {"()": "games.base.logs.ErrorsByMail", "to": ADMINS_BY_MAIL, "filters": ["client"]}}
    if ADMINS_BY_MAIL
    else {}
)
logging.captureWarnings(LOG_FORMAT == "json")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "games.base.logs.Line"},
        "json": {"()": "games.base.logs.Json"},
    },
    "filters": {"client": {"()": "games.base.logs.ClientErrors"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["client"],
        },
        **_by_mail,
    },
    "root": {"handlers": ["stderr", *_by_mail], "level": LOG_LEVEL},
    # A line a second for each tick is useless; the work of a tick is logged where it is done.
    # mail.log logs the LMTP server's every command.
    "loggers": {
        # billiard lets what it logs of a worker's children go no further up.
        "multiprocessing": {"handlers": ["stderr", *_by_mail]},
        # Warns of each HEAD request, whose body Django leaves to the server to drop.
        "gunicorn.http.wsgi": {"level": "ERROR"},
    }
    | {
        name: {"level": "WARNING"}
        for name in (
            "celery.app.trace",
            "celery.worker.strategy",
            "celery.beat",
            "yfinance",
            "mail.log",
        )
    },
}
