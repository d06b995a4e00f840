"""Each setting that would keep the service from working is named by a check, with its value."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from gamesmaster.starting import faults


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
