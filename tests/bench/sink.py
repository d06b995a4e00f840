"""A mail server that takes everything and counts it, and a plain client that hands it letters.

python -m tests.bench.sink PORT             the sink
python -m tests.bench.sink PORT NUMBER SIZE seconds for that many letters of that many bytes
"""

from __future__ import annotations

import selectors
import smtplib
import socket
import sys
import time

ENDED = b"\r\n.\r\n"


class Connection:
    """One connection. Commands that arrive together are answered together."""

    def __init__(self, wire: socket.socket) -> None:
        self.wire, self.kept, self.taking = wire, b"", False

    def take(self, data: bytes, sink: Sink) -> None:
        """Answer the commands and letters in `data`. Raise `EOFError` after QUIT."""
        answers: list[bytes] = []
        buffer = self.kept + data if self.kept else data
        start = 0
        try:
            while (end := buffer.find(ENDED if self.taking else b"\r\n", start)) >= 0:
                if self.taking:
                    answers.append(sink.take(buffer, start, end))
                    self.taking = False
                    start = end + len(ENDED)
                else:
                    verb = buffer[start : start + 4].upper()
                    self.taking = verb == b"DATA"
                    answers.append(sink.answer(verb))
                    start = end + 2
                    if verb == b"QUIT":
                        raise EOFError
        finally:
            self.kept = buffer[start:]
            if answers:
                self.wire.sendall(b"".join(answers))


class Sink:
    """Count letters over all connections (`counted`) and collect their Message-IDs (`names`)."""

    def __init__(self) -> None:
        self.counted = 0
        self.names: set[bytes] = set()

    def take(self, kept: bytes, start: int, end: int) -> bytes:
        self.counted += 1
        named = kept.find(b"Message-ID: ", start, end)
        self.names.add(kept[named + 12 : kept.find(b"\r\n", named)])
        return b"250 kept\r\n"

    def answer(self, verb: bytes) -> bytes:
        match verb:
            case b"DATA":
                return b"354 go on\r\n"
            case b"QUIT":
                return b"221 goodbye\r\n"
            case b"COUN":  # for the benchmark only: letters, and different Message-IDs
                return b"250 %d %d\r\n" % (self.counted, len(self.names))
            case b"EHLO":
                return b"250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n"
        return b"250 ok\r\n"

    def serve(self, port: int) -> None:
        with (
            socket.create_server(("127.0.0.1", port), backlog=64) as door,
            selectors.DefaultSelector() as ready,
        ):
            ready.register(door, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    if key.fileobj is door:
                        wire, _ = door.accept()
                        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                        wire.sendall(b"220 sink\r\n")
                        ready.register(wire, selectors.EVENT_READ, Connection(wire))
                    else:
                        self._read(key.data, ready)

    def _read(self, connection: Connection, ready: selectors.BaseSelector) -> None:
        try:
            data = connection.wire.recv(1 << 18)
            if not data:
                raise EOFError
            connection.take(data, self)
        except (EOFError, OSError):
            ready.unregister(connection.wire)
            connection.wire.close()


def hand_over(port: int, number: int, size: int) -> float:
    """Return the seconds to deliver `number` letters over one connection, by plain SMTP."""
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
        Sink().serve(int(sys.argv[1]))
