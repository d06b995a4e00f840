"""The file broker, with messages that appear whole.

kombu's own writes a message under the name by which readers look for it: a worker that looks
between the file's being made and its being written reads nothing, and dies of it. Here a message is
written under another name and then renamed, which is one step.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps, loads


class Channel(filesystem.Channel):
    """A channel of the file broker that puts messages whole."""

    def _put(self, queue: Any, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        place = os.path.join(self.data_folder_out, name)
        try:
            with open(f"{place}.unfinished", "wb") as file:
                file.write(dumps(payload).encode())
            os.replace(f"{place}.unfinished", place)
        except OSError as error:
            raise ChannelError(f"The message {name} cannot be kept: {error}") from error

    def _queue_bind(self, exchange: str, *given: Any) -> None:
        """A disk that was full leaves an empty table of queues behind, and whoever reads it dies of
        it: it is made anew."""
        table = os.path.join(self.control_folder, f"{exchange}.exchange")
        _sweep(table)
        try:
            super()._queue_bind(exchange, *given)
        except (ChannelError, OSError):
            _sweep(table)
            raise

    def get_table(self, exchange: str) -> Any:
        try:
            return super().get_table(exchange)
        except ValueError:
            return []


def _sweep(table: str) -> None:
    """Removes a table that cannot be read."""
    with contextlib.suppress(OSError):
        with open(table, "rb") as file:
            said = file.read()
        try:
            loads(said.decode())
        except ValueError:
            os.unlink(table)


class Transport(filesystem.Transport):
    Channel = Channel


def use() -> None:
    """From now on `filesystem://` means this one."""
    TRANSPORT_ALIASES["filesystem"] = "gamesmaster.broker:Transport"
