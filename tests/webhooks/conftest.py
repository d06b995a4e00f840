from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.webhooks.chat import Chat, open_chat


@pytest.fixture
def chat(settings: Settings) -> Iterator[Chat]:
    """Yield a chat program on this machine that channels may use."""
    settings.CHANNELS_LOOPBACK = True
    with open_chat() as chat:
        yield chat
