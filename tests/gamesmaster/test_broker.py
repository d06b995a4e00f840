"""The file broker of the embedded defaults (design 5: losing the broker loses nothing; a message
half written must not cost a worker)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kombu.connection import Connection
from kombu.transport import filesystem

from gamesmaster import broker


def test_a_message_is_not_to_be_seen_until_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kombu's own channel makes the file first and writes it then: a worker that looked in between
    read nothing, and died of it."""
    seen: list[list[str]] = []

    def looking(dumps: Callable[[Any], str]) -> Callable[[Any], str]:
        def looked(payload: Any) -> str:
            seen.append([path.name for path in tmp_path.glob("*.msg")])
            return dumps(payload)

        return looked

    plain = filesystem.dumps  # type: ignore[attr-defined]
    for module in (broker, filesystem):
        monkeypatch.setattr(module, "dumps", looking(plain))
    broker.use()
    options = {
        "data_folder_in": str(tmp_path),
        "data_folder_out": str(tmp_path),
        "control_folder": str(tmp_path / "control"),
    }
    with Connection(  # type: ignore[no-untyped-call]
        "filesystem://localhost", transport_options=options
    ) as connection:
        queue = connection.SimpleQueue("doorbell")
        seen.clear()
        queue.put({"number": 7})
        assert seen == [[]]
        message = queue.get(timeout=20)
        assert message.payload == {"number": 7}
        message.ack()
    assert list(tmp_path.glob("*.msg")) + list(tmp_path.glob("*.unfinished")) == []


def test_a_table_of_queues_that_a_full_disk_has_left_empty_is_made_anew(tmp_path: Path) -> None:
    """docs/faults.md: kombu's own dies of it, and so does every worker that is started after it,
    when there is room again."""
    broker.use()
    control = tmp_path / "control"
    control.mkdir()
    (control / "other.exchange").write_bytes(b"")
    options = {
        "data_folder_in": str(tmp_path),
        "data_folder_out": str(tmp_path),
        "control_folder": str(control),
    }
    with Connection(  # type: ignore[no-untyped-call]
        "filesystem://localhost", transport_options=options
    ) as connection:
        queue = connection.SimpleQueue("other")
        queue.put({"number": 7})
        message = queue.get(timeout=20)
        assert message.payload == {"number": 7}
        message.ack()
    assert b"other" in (control / "other.exchange").read_bytes()
