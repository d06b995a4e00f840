from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.letters.postoffice import PostOffice, open_post_office


@pytest.fixture(autouse=True)
def _with_pictures(letters_with_pictures: None) -> None:
    """All of a letter is what these tests are about."""


@pytest.fixture
def office(settings: Settings) -> Iterator[PostOffice]:
    """A post office, and the service's letters going there."""
    with open_post_office() as (office, port):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
        yield office
