"""All settings, in one file, from environment variables (docs/operations.md lists them;
`deploy/env.example` is a template). Whatever starts, by `manage.py`, gunicorn or Celery, reads them
from the file `.env` beside `manage.py`; what the process's own environment says comes first.

Without any variable the embedded defaults hold: SQLite and letters kept as files, all below `var/`,
and no broker. They are enough for `manage.py serve` on one machine. `manage.py check --deploy
--tag serve` says what is missing or dangerous, with a hint for each.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from gamesmaster import logs

BASE_DIR = Path(__file__).resolve().parent.parent


class Environment(environ.Env):  # type: ignore[misc]
    """The environment, with the variable's name in sentences about bad values."""

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().get_value(var, *args, **kwargs)
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{var} cannot be read ({error}). Correct it in the environment, or leave it out."
            ) from error


#: The one file of settings. Tests name another.
ENV_FILE = Path(os.environ.get("GAMESMASTER_ENV", str(BASE_DIR / ".env")))
if ENV_FILE.exists():
    try:
        with ENV_FILE.open(encoding="utf-8") as lines:
            Environment.read_env(lines)
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(
            f"{ENV_FILE} cannot be read ({error}). Let the user of this process read it: without it"
            " the service would run with other settings."
        ) from error
env = Environment()

#: Where everything lives that must last on one machine: database, secret key, kept letters.
VAR_DIR = Path(env.str("GAMESMASTER_VAR", default=str(BASE_DIR / "var"))).resolve()
SECRET_KEY_FILE = VAR_DIR / "secret-key"
with contextlib.suppress(OSError):  # a read-only tree is enough for commands that keep nothing
    VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    (VAR_DIR / "static").mkdir(exist_ok=True)


def _secret_key() -> str:
    """The key from the environment, else from `var/secret-key`; else one for this process only.

    Commands that need no secret (`adjudicate`, `verify`) thus run with no set-up at all. `serve`
    and `play` write the file before they start anything, and the system checks refuse to serve
    without a lasting key.
    """
    if key := str(env.str("SECRET_KEY", default="")):
        return key
    if SECRET_KEY_FILE.is_file():
        return SECRET_KEY_FILE.read_text().strip()
    return "for-this-process-only-" + secrets.token_urlsafe(40)


SECRET_KEY = _secret_key()
#: Earlier keys, the newest first: what was made with one of them still holds, and nothing is made
# with them any more.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
DEBUG = env.bool("DEBUG", default=False)

#: The address under which people reach the service; every link in a letter begins with it.
SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
SITE_HOST = SITE_URL.split("://", 1)[-1].split("/", 1)[0].rsplit(":", 1)[0]
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[SITE_HOST, "127.0.0.1", "localhost"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[SITE_URL])
SECURE = SITE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
SESSION_COOKIE_AGE = (
    60 * 24 * 3600
)  # a campaign's turn takes weeks; logging in anew for each would be a nuisance
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=3600 if SECURE else 0)
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if env.bool(
    "BEHIND_TLS_PROXY", default=False
):  # trust no header unless the operator says that a proxy of his sets it
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
#: Networks of our own proxies, such as 10.0.0.0/8: from these alone is it believed who asks
# (gamesmaster.origin).
TRUSTED_PROXIES = env.list("TRUSTED_PROXIES", default=[])
#: The session cookie is for our own pages; a link in a letter must find its reader logged in, so
# not "Strict".
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
#: The largest body that is read at all, in bytes (games.web.middleware.Unhurried); of a mail
# provider's webhook more, so that the sender of a message over MAIL_LARGEST can be told.
BODY_LARGEST = 3_000_000
DATA_UPLOAD_MAX_MEMORY_SIZE = WEBHOOK_BODY_LARGEST = 50_000_000

#: Who may open games besides the staff: anyone (who logs in), staff (nobody else), or addresses
# with commas between them (games.permissions.opens_games).
GAMES_OPENED_BY = [
    one.strip().lower() for one in env.list("GAMES_OPENED_BY", default=["anyone"]) if one.strip()
]

#: How often something may be tried: so many times within so many seconds
# (games.accounts.rate_limits says what each counts).
LIMITS = {
    "logins": (env.int("LIMIT_LOGINS", default=40), 3600),
    "codes-here": (60, 600),
    "factors": (6, 900),
    "sent": (env.int("LIMIT_SENT", default=1500), 600),
    "orders": (env.int("LIMIT_ORDERS", default=200), 3600),
    "api": (env.int("LIMIT_API", default=1200), 600),
    "strangers": (env.int("LIMIT_STRANGERS", default=300), 600),
}
#: Whether whoever may enter the admin, or is an administrator, shows a second factor first. On
# wherever the service is reached by TLS.
ADMIN_SECOND_FACTOR = env.bool("ADMIN_SECOND_FACTOR", default=SECURE)
SECOND_FACTOR_HOURS = env.float("SECOND_FACTOR_HOURS", default=12)

#: What is kept for how long, in months (games.operations.personal.retention); 0: for ever.
# Readings, orders and results always are.
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
    "django_migration_linter",
    "games",
    "orders",
    "gamesmaster",
]
MIGRATION_LINTER_OPTIONS = {"include_apps": ["games", "orders"], "no_cache": True}
MIDDLEWARE = [
    "gamesmaster.logs.Pages",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "games.web.middleware.Unhurried",
    "games.web.middleware.SecondFactorDoor",
    "games.web.middleware.ClassDoor",
    "games.accounts.guests.GuestDoor",
    "games.web.middleware.ReadersZone",
    "games.web.middleware.ContentSecurityPolicy",
    "games.web.middleware.HeldDoor",
    "games.web.middleware.ExplainMethod",
]
ROOT_URLCONF = "gamesmaster.urls"
WSGI_APPLICATION = "gamesmaster.wsgi.application"
#: Those of the service, and those that a game brings in its package.
TEMPLATE_DIRS = [BASE_DIR / "templates", *(BASE_DIR / "games" / "rules").glob("*/templates")]
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
                "games.web.context.site",
            ],
        },
    },
    {
        # Letters. By name only (`using="letters"`): pages are never looked for here.
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "NAME": "letters",
        "DIRS": TEMPLATE_DIRS,
        "APP_DIRS": False,
        "OPTIONS": {"environment": "games.letters.environment.environment"},
    },
]

DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'gamesmaster.sqlite3'}")
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        # A write transaction takes its lock at once: two workers never deadlock on an upgrade from
        # read to write.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # WAL lets pages be read while a phase is written; FULL because a received order must
        # survive a power cut.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
    }
    DATABASES["default"].setdefault("TEST", {})["NAME"] = env.str("TEST_SQLITE", default=":memory:")
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        server_side_binding=True,
        # psycopg's own default, which Django turns off: what a connection asks again and again is
        # planned once. It takes a quarter off what a letter costs PostgreSQL.
        prepare_threshold=5,
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "games.Person"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"  # instants are stored; every zone that is shown is named where it is shown

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served straight from the source tree by the web process: no collection step between `git pull` and
# a working page.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# --- letters ---
EMAIL = env.email_url("EMAIL_URL", default=f"filemail:///{VAR_DIR / 'letters'}")
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

# --- mail that comes in (docs/mail.md) --- : Where players write to. Each letter's reply address
# has a key of its reader's own after a plus sign.
MAIL_REPLY = env.str("MAIL_REPLY", default=f"orders@{MAIL_DOMAIN}")
#: The ways in: an address or a socket for LMTP, a mailbox, a provider whose webhook anymail
# understands. Each runs only where it is set.
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
#: Whether letters ask to be answered by mail. Set it where a mail server pipes into `manage.py
# receivemail`, which nothing else tells.
MAIL_IN = env.bool("MAIL_IN", default=bool(LMTP_LISTEN or IMAP_URL or MAIL_WEBHOOK))
MAIL_LARGEST = env.int("MAIL_LARGEST", default=1_000_000)
#: What proves a sender: our mail server's Authentication-Results under this name, DKIM checked
# here, or his address alone.
MAIL_AUTHSERV_ID = env.str("MAIL_AUTHSERV_ID", default="")
MAIL_TRUST = env.str("MAIL_TRUST", default="results" if MAIL_AUTHSERV_ID else "address")
#: What becomes of mail that is not proven: a link to the player's first address, or the
# gamesmaster decides.
MAIL_UNPROVEN = env.str("MAIL_UNPROVEN", default="confirm")
#: Where returned letters go, such as bounces@games.example.org: set, every letter has a sender of
# its own that tells which came back.
MAIL_BOUNCES = env.str("MAIL_BOUNCES", default="")
BOUNCES_BEFORE_TELLING = env.int("BOUNCES_BEFORE_TELLING", default=3)
MAIL_ANSWERS_AN_HOUR = env.int("MAIL_ANSWERS_AN_HOUR", default=30)
MAIL_OBEYED_AN_HOUR = env.int("MAIL_OBEYED_AN_HOUR", default=200)
MAIL_TRIES = env.int("MAIL_TRIES", default=6)

#: Lets channels of chat programs be on this machine, and without encryption: for tests and
# rehearsals (games.webhooks.wire).
CHANNELS_LOOPBACK = env.bool("CHANNELS_LOOPBACK", default=False)

# --- Celery ---
#: Without a broker the one worker of `serve` calls itself: its threads share this process's memory.
CELERY_BROKER_URL = env.str("BROKER_URL", default="memory://")
IN_MEMORY = CELERY_BROKER_URL.startswith("memory:")
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"polling_interval": 0.1}
    if IN_MEMORY
    else {
        "visibility_timeout": 3600
    }  # longer than any task: none is delivered twice for being slow
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 300
CELERY_TASK_SOFT_TIME_LIMIT = 240
CELERY_TIMEZONE = "UTC"
CELERY_DB_REUSE_MAX = (
    1000  # tasks; how long a connection is kept is settled in gamesmaster/celery.py
)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
TICK_SECONDS = env.float("TICK_SECONDS", default=1.0)
CELERY_BEAT_SCHEDULE = {
    # A tick that could not be delivered at once is worth nothing: the next one sees the same
    # tables.
    "tick": {"task": "games.tasks.tick", "schedule": TICK_SECONDS, "options": {"expires": 10}},
}

# --- the clock and the market --- : A file that moves the clock, for rehearsals and tests
# (`gamesmaster.clock`). Serving real games with it is refused by a check.
CLOCK_FILE = env.str("GAMESMASTER_CLOCK", default="")
#: How long one worker may hold a phase or a letter before another takes it over.
LEASE_SECONDS = env.int("LEASE_SECONDS", default=120)
#: After so many failed tries a phase is held and the gamesmaster told.
PHASE_TRIES = env.int("PHASE_TRIES", default=5)
#: When nothing has ticked for so many minutes, deadlines that came meanwhile get time back
# (games.turns.outage_credit). 0: never.
OUTAGE_MINUTES = env.int("OUTAGE_MINUTES", default=30)
#: For how long a process believes what it has read of a hold after a restoration
# (games.operations.restore_hold).
HELD_BELIEVED_SECONDS = 2.0
LETTER_TRIES = env.int("LETTER_TRIES", default=12)
MARKET = {
    # foundations.md 1.3: a volume is provisional for hours after the close; both hours are settings
    # until measured.
    "first_reading_hours": env.float("MARKET_FIRST_READING_HOURS", default=14.0),
    "agreement_hours": env.float("MARKET_AGREEMENT_HOURS", default=2.0),
    "give_up_hours": env.float("MARKET_GIVE_UP_HOURS", default=72.0),
    # rng.settle = first_reading: telephone games read shortly after the close.
    "telephone_minutes": env.float("MARKET_TELEPHONE_MINUTES", default=20.0),
    "retry_minutes": env.float("MARKET_RETRY_MINUTES", default=15.0),
    # What was found out about a stock before the draw counts for so many days. Which stocks count
    # is the game's own matter (rng.market, rng.floor_median).
    "listing_days": env.float("MARKET_LISTING_DAYS", default=7.0),
    # Where a file of recorded figures lies, for the source "recorded".
    "recorded_file": env.str("MARKET_RECORDED_FILE", default=""),
    # Sends the requests for Yahoo's hosts somewhere else: a loopback server in tests.
    "yahoo_base_url": env.str("YAHOO_BASE_URL", default=""),
    # The key for Tiingo, the second publisher; without one no game can be opened with it. The
    # address is for tests.
    "tiingo_key": env.str("MARKET_TIINGO_KEY", default=""),
    "tiingo_base_url": env.str("TIINGO_BASE_URL", default=""),
}
#: Set by `manage.py play`: made-up figures may be used, and a page shows the letters that went out.
DEMONSTRATION = env.bool("GAMESMASTER_DEMONSTRATION", default=False)

#: Who knows it may read /metrics from anywhere; without one only this machine may.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
#: What an image calls the version that it was built from; else it is asked of the working copy.
GAMESMASTER_VERSION = env.str("GAMESMASTER_VERSION", default="")

#: line: for people; json: an object a line, for programs that gather logs.
LOG_FORMAT = env.str("LOG_FORMAT", default="line")
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured(
        f"LOG_FORMAT is “{LOG_FORMAT}”. Write line or json, or leave it out."
    )
#: Who is written to when something fails that should not.
ADMINS_BY_MAIL = logs.addresses(env.list("ADMINS", default=[]))
_by_mail = (
    {"mail": {"()": "gamesmaster.logs.ErrorsByMail", "to": ADMINS_BY_MAIL, "filters": ["client"]}}
    if ADMINS_BY_MAIL
    else {}
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "gamesmaster.logs.Line"},
        "json": {"()": "gamesmaster.logs.Json"},
    },
    "filters": {"client": {"()": "gamesmaster.logs.ClientErrors"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["client"],
        },
        **_by_mail,
    },
    "root": {"handlers": ["stderr", *_by_mail], "level": env.str("LOG_LEVEL", default="INFO")},
    # One line a second a tick says nothing; what a tick does is logged by what it does. mail.log is
    # the LMTP server's every command.
    "loggers": {
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
