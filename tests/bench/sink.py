"""A mail server that takes everything and counts it, as a process of its own; and how many letters a plain client hands to it.

It speaks as much of SMTP as a client needs that knows where it stands, so that the sink costs little beside what is measured.

    python -m tests.bench.sink PORT             the sink
    python -m tests.bench.sink PORT NUMBER SIZE hands it that many letters of that many bytes, and says in how many seconds
"""

from __future__ import annotations

import asyncio
import smtplib
import sys
import time

ENDED = b"\r\n.\r\n"


class Sink(asyncio.Protocol):
    """One connection. `counted` and `names` are of all: how many letters came, and under which Message-IDs."""

    counted = 0
    names: set[bytes] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.kept, self.taking = transport, b"", False
        transport.write(b"220 sink\r\n")

    def data_received(self, data: bytes) -> None:
        self.kept += data
        while True:
            end = ENDED if self.taking else b"\r\n"
            said, found, rest = self.kept.partition(end)
            if not found:
                return
            self.kept = rest
            if self.taking:
                self._take(said)
            else:
                self._answer(said[:4].upper())

    def _take(self, letter: bytes) -> None:
        Sink.counted += 1
        start = letter.find(b"Message-ID: ")
        Sink.names.add(letter[start + 12 : letter.find(b"\r\n", start)])
        self.taking = False
        self.transport.write(b"250 kept\r\n")

    def _answer(self, verb: bytes) -> None:
        match verb:
            case b"DATA":
                self.taking = True
                self.transport.write(b"354 go on\r\n")
            case b"QUIT":
                self.transport.write(b"221 goodbye\r\n")
                self.transport.close()
            case b"COUN":  # for the benchmark alone: letters, and Message-IDs among them
                self.transport.write(b"250 %d %d\r\n" % (Sink.counted, len(Sink.names)))
            case b"EHLO":
                self.transport.write(b"250-sink\r\n250 8BITMIME\r\n")
            case _:
                self.transport.write(b"250 ok\r\n")


async def serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", port)
    await server.serve_forever()


def hand_over(port: int, number: int, size: int) -> float:
    """Seconds for so many letters over one connection: what is bare of everything but SMTP."""
    line = b"x" * 76 + b"\r\n"
    letter = b"Message-ID: <bare@example.org>\r\nSubject: bare\r\n\r\n" + line * (size // len(line))
    with smtplib.SMTP("127.0.0.1", port) as server:
        server.ehlo()
        began = time.perf_counter()
        for _ in range(number):
            server.sendmail("a@example.org", ["b@example.org"], letter)
        return time.perf_counter() - began


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(hand_over(*(int(word) for word in sys.argv[1:4])))
    else:
        asyncio.run(serve(int(sys.argv[1])))
