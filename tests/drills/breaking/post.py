"""A mail server in a thread that fails in any way, and records who delivered which letter."""

from __future__ import annotations

import asyncio
import email
import email.policy
import re
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from tests.support.processes import free_port

MESSAGE_ID = re.compile(rb"(?im)^message-id:\s*(<[^>]+>)")


class Read(NamedTuple):
    """What the reader of a letter sees: To, and the digest of subject, plain text and HTML."""

    to: str
    digest: str


def digest(subject: str, *texts: str) -> str:
    """Return a digest of what a reader sees of a letter; white space does not matter."""
    words = "\0".join(" ".join(text.split()) for text in (subject, *texts))
    return sha256(words.encode()).hexdigest()


@dataclass
class Copy:
    """One delivery of a letter."""

    sender: str
    address: str
    raw: bytes
    at: float  # CLOCK_MONOTONIC, when it was stored
    port: int  # the sender's port
    answered: bool = True  # whether its sender got the answer 250

    @cached_property
    def message_id(self) -> str:
        match = MESSAGE_ID.search(self.raw)  # long ones are folded onto their own line
        return match[1].decode() if match else ""

    @property
    def code(self) -> str:
        """The code of the letter in its Message-ID: <letter-CODE@domain>."""
        return self.message_id.partition("@")[0].rpartition("-")[2]

    @property
    def message(self) -> EmailMessage:
        parsed = email.message_from_bytes(self.raw, policy=email.policy.default)
        assert isinstance(parsed, EmailMessage)
        return parsed

    @cached_property
    def read(self) -> Read:
        """What its reader sees."""
        message = self.message
        bodies = [message.get_body((kind,)) for kind in ("plain", "html")]
        texts = (str(body.get_content()) for body in bodies if body is not None)
        return Read(str(message["To"]), digest(str(message["Subject"]), *texts))


#: Deeds. A mood answers for a recipient (at RCPT) and for a letter (at DATA) None to accept it, an
# SMTP reply to refuse it, or one of these.
DROP_BEFORE, DROP_AFTER, HANG, DRIP = (
    "drop before it is kept",
    "drop when it is kept",
    "say nothing",
    "drip",
)


@dataclass
class Mood:
    """How the server behaves; `recipient` and `letter` return None, an SMTP reply or a deed."""

    recipient: Callable[[str], str | None] = lambda address: None
    letter: Callable[[str, str], str | None] = lambda address, message_id: None
    greets: str | None = None  # "" closes at once, HANG says nothing
    starttls: bool = False


@dataclass
class Sink:
    """The server. Use it as a context; `mood` may change at any time."""

    mood: Mood = field(default_factory=Mood)
    copies: list[Copy] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    tls: ssl.SSLContext | None = None

    def __post_init__(self) -> None:
        self.port = free_port()
        self._ready, self._over = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._server: asyncio.AbstractServer | None = None

    @property
    def address(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def __enter__(self) -> Sink:
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(20)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._open()
        self._ready.set()
        await self._over.wait()
        await self._close()

    async def _open(self) -> None:
        self._server = await self._loop.create_server(
            lambda: _Session(self), "127.0.0.1", self.port
        )

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def shut(self) -> None:
        """Refuse connections from now on."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(20)

    def open(self) -> None:
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result(20)


class _Session(asyncio.Protocol):
    """One connection, with as much SMTP as clients need, including PIPELINING."""

    def __init__(self, sink: Sink) -> None:
        self.sink, self.kept, self.taking, self.sender, self.readers, self.waiting = (
            sink,
            b"",
            False,
            "",
            list[str](),
            False,
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.port = transport, int(transport.get_extra_info("peername")[1])
        if self.sink.mood.greets == "":
            transport.abort()
        elif self.sink.mood.greets != HANG:
            self._say(self.sink.mood.greets or "220 sink")

    def data_received(self, data: bytes) -> None:
        self.kept += data
        self._go_on()

    def _go_on(self) -> None:
        while not self.waiting:
            end = b"\r\n.\r\n" if self.taking else b"\r\n"
            line, separator, rest = self.kept.partition(end)
            if not separator:
                return
            self.kept = rest
            if self.taking:
                self._take(line + b"\r\n")
            else:
                self._answer(line.decode(errors="replace"))

    def _say(self, line: str) -> None:
        self.transport.write(f"{line}\r\n".encode())

    def _answer(self, line: str) -> None:
        mood, verb = self.sink.mood, line[:4].upper()
        match verb:
            case "EHLO":
                self.transport.write(
                    b"250-sink\r\n250-PIPELINING\r\n"
                    + (b"250-STARTTLS\r\n" if mood.starttls else b"")
                    + b"250 8BITMIME\r\n"
                )
            case "STAR":
                self._say("454 4.7.0 TLS is not available just now")
            case "MAIL" | "RSET":
                self.sender, self.readers = line.partition("<")[2].partition(">")[0], []
                self._say("250 ok")
            case "RCPT":
                address = line.partition("<")[2].partition(">")[0]
                refusal = mood.recipient(address)
                if refusal == HANG:
                    self.waiting = True
                elif refusal:
                    self.sink.refused[refusal] += 1
                    self._say(refusal)
                else:
                    self.readers.append(address)
                    self._say("250 ok")
            case "DATA":
                self.taking = bool(self.readers)
                self._say("354 go on" if self.readers else "503 nobody is to have it")
            case "QUIT":
                self._say("221 goodbye")
                self.transport.close()
            case _:
                self._say("250 ok")

    def _take(self, raw: bytes) -> None:
        self.taking = False
        raw = (b"\r\n" + raw).replace(b"\r\n.", b"\r\n")[2:]  # RFC 5321, 4.5.2
        letter = Copy(self.sender, self.readers[0], raw, time.monotonic(), self.port)
        deed = self.sink.mood.letter(letter.address, letter.message_id)
        if deed in (DROP_BEFORE, DROP_AFTER, HANG) or (deed and deed[0] in "45"):
            self.sink.refused[deed] += 1
        if deed == HANG:
            self.waiting = True
        elif deed == DROP_BEFORE:
            self.transport.abort()
        elif deed == DROP_AFTER:
            letter.answered = False
            self.sink.copies.append(letter)
            self.transport.abort()
        elif deed == DRIP:
            self.waiting = True
            asyncio.get_running_loop().create_task(self._drip(letter))
        elif deed:
            self._say(deed)
        else:
            self.sink.copies.append(letter)
            self._say("250 kept")

    async def _drip(self, letter: Copy) -> None:
        """Send the answer byte by byte, within 2 seconds."""
        self.sink.copies.append(letter)
        for byte in b"250 kept\r\n":
            await asyncio.sleep(0.2)
            self.transport.write(bytes([byte]))
        self.waiting = False
        self._go_on()
