"""Each setting that would keep the service from working is named by a check, with its value."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from games.base.starting import faults
from gamesmaster import checks


def complaints() -> list[str]:
    return [f"{fault.msg} {fault.hint}" for fault in faults()]


@pytest.mark.parametrize(
    ("url", "quoted"),
    [
        ("amqp://guest@localhost//", "“amqp://guest@localhost//”"),
        ("localhost:6379", "“localhost:6379”"),
        ("unix:///run/redis.sock", "“unix:///run/redis.sock”"),
        ("reddis://localhost:6379/0", "“reddis://localhost:6379/0”"),
    ],
)
def test_broker_that_is_no_redis_is_named(settings: Settings, url: str, quoted: str) -> None:
    settings.CELERY_BROKER_URL = url
    (complaint,) = complaints()
    assert complaint.startswith(f"BROKER_URL is {quoted}, which is not the address of a Redis.")
    assert "redis://HOST:6379/0" in complaint


def test_password_of_a_broker_is_not_shown(settings: Settings) -> None:
    settings.CELERY_BROKER_URL = "amqp://user:swordfish@localhost//"
    assert "swordfish" not in complaints()[0]


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost:6379/0",
        "rediss://:password@redis.example.org:6380/0",
        "redis+socket:///run/redis.sock?virtual_host=2",
        "memory://localhost/",
    ],
)
def test_broker_that_celery_understands_passes(settings: Settings, url: str) -> None:
    settings.CELERY_BROKER_URL = url
    assert complaints() == []


@pytest.mark.parametrize(
    ("name", "value", "least", "most"),
    [
        ("SECOND_FACTOR_HOURS", 0.0, "0.1", "1440"),
        ("SECOND_FACTOR_HOURS", -12.0, "0.1", "1440"),
    ],
)
def test_number_out_of_bounds_is_named(
    settings: Settings, name: str, value: float, least: str, most: str
) -> None:
    setattr(settings, name, value)
    (complaint,) = complaints()
    assert complaint.startswith(f"{name} is {value:g}. Set {name} to {least} to {most} ")


def test_listing_days_below_0_are_named(settings: Settings) -> None:
    settings.MARKET = {**settings.MARKET, "listing_days": -1.0}
    (complaint,) = complaints()
    assert complaint.startswith("MARKET_LISTING_DAYS is -1.")


@pytest.mark.parametrize("publisher", ["Yahoo", "Tiingo"])
def test_redirected_publisher_is_named_with_its_own_setting(
    settings: Settings, publisher: str
) -> None:
    """The hint for Tiingo's address said to remove Yahoo's, which was not set."""
    settings.SITE_HOST = "games.test"
    name = f"{publisher.lower()}_base_url"
    settings.MARKET = {**settings.MARKET, name: "http://127.0.0.1:1"}
    (complaint,) = complaints()
    assert complaint.startswith(
        f"Sales figures would not come from {publisher}. Remove {name.upper()} "
    )


@pytest.mark.parametrize("name", ["logins", "orders", "sent", "api", "strangers"])
@pytest.mark.parametrize("tries", [0, -5])
def test_rate_limit_below_1_is_named(settings: Settings, name: str, tries: int) -> None:
    """With 0 nobody could log in, order or open a page."""
    settings.LIMITS = {**settings.LIMITS, name: (tries, 600)}
    (complaint,) = complaints()
    assert complaint.startswith(f"LIMIT_{name.upper()} is {tries}.")


def test_site_address_with_a_path_is_named(settings: Settings) -> None:
    settings.SITE_URL = "https://games.test/play"
    (complaint,) = complaints()
    assert complaint.startswith("SITE_URL is “https://games.test/play”, which has a path.")


@pytest.mark.parametrize("written", ["Gamesmaster", "Gamesmaster <gamesmaster>", "a b@c.org@d"])
def test_sender_that_is_no_address_is_named(settings: Settings, written: str) -> None:
    settings.DEFAULT_FROM_EMAIL = written
    (complaint,) = complaints()
    assert complaint.startswith(f"MAIL_FROM is “{written}”, which is not an address.")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("EMIAL_URL=smtp://mail.example.org", "Did you mean EMAIL_URL?"),
        ("export mail_form=a@example.org", "Did you mean MAIL_FROM?"),
        ("XYZZY=1", "deploy/env.example lists every name."),
    ],
)
def test_unknown_name_in_the_file_is_told_with_the_nearest(
    settings: Settings, tmp_path: Path, line: str, hint: str
) -> None:
    """Issue 46, 5: a misspelled name is not read, and nothing else says so."""
    settings.ENV_FILE = tmp_path / ".env"
    settings.ENV_FILE.write_text(
        f"SITE_URL=http://localhost\n#NO_NAME=1\nANYMAIL_MAILGUN_WEBHOOK_SIGNING_KEY=1\n{line}\n"
    )
    settings.ENV_FILE.chmod(0o600)
    (told,) = checks.file_of_settings_says_what_is_read()
    name = line.removeprefix("export ").partition("=")[0]
    assert told.msg == f"{settings.ENV_FILE} sets “{name}”, which nothing reads."
    assert told.hint == hint


@pytest.mark.parametrize(("mode", "told"), [(0o644, True), (0o640, False), (0o600, False)])
def test_file_of_settings_that_everybody_can_read_is_told(
    settings: Settings, tmp_path: Path, mode: int, told: bool
) -> None:
    settings.ENV_FILE = tmp_path / ".env"
    settings.ENV_FILE.write_text("SECRET_KEY=\n")
    settings.ENV_FILE.chmod(mode)
    found = checks.file_of_settings_says_what_is_read()
    assert [message.hint for message in found] == [f"chmod o= {settings.ENV_FILE}"] * told
