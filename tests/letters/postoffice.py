"""A real SMTP server on a loopback port, which refuses mail on demand."""

from __future__ import annotations

import email
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller

OK = "250 OK"


class PostOffice:
    """Stores what it receives. `at_address` and `at_content`: an answer per try, the last one
    repeated."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, EmailMessage]] = []
        self.at_address: dict[str, list[str]] = {}
        self.at_content: list[str] = [OK]
        self.connections = 0

    async def handle_EHLO(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, hostname: str, responses: list[str]
    ) -> list[str]:
        self.connections += 1
        session.host_name = hostname
        return responses

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        answer = self._next(self.at_address.get(address, [OK]))
        if answer == OK:
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        answer = self._next(self.at_content)
        if answer == OK:
            message = email.message_from_bytes(envelope.content, policy=default)
            assert isinstance(message, EmailMessage)
            self.taken += [(address, message) for address in envelope.rcpt_tos]
        return answer

    @staticmethod
    def _next(answers: list[str]) -> str:
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def to(self, address: str) -> list[EmailMessage]:
        return [message for where, message in self.taken if where == address]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def open_post_office(largest: int = 33_554_432) -> Iterator[tuple[PostOffice, int]]:
    """Open one that names `largest` bytes as the SIZE of a message; yield it and its port."""
    office = PostOffice()
    controller = Controller(office, hostname="127.0.0.1", port=free_port(), data_size_limit=largest)
    controller.start()
    try:
        yield office, controller.port
    finally:
        controller.stop()


def parts(message: EmailMessage) -> tuple[str, str]:
    """Return the text and the HTML of a letter as a mail program shows them."""
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None
    assert html is not None
    return text.get_content().replace("\r\n", "\n"), html.get_content().replace("\r\n", "\n")
