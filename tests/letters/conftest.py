from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.letters.postoffice import PostOffice, open_post_office


@pytest.fixture(autouse=True)
def _with_pictures(letters_with_pictures: None) -> None:
    """Turn on pictures: these tests check complete letters."""


@pytest.fixture
def office(settings: Settings) -> Iterator[PostOffice]:
    """Yield an SMTP server that receives the service's letters."""
    with open_post_office() as (office, port):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
        yield office
