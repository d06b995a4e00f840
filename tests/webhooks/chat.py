"""A chat program on a loopback port, which stores messages and answers with given status codes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Chat:
    """`answers`: a status code per message, the last one repeated; `headers` are sent with each."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.raw: list[tuple[dict[str, str], bytes]] = []  # headers and body as received
        self.answers: list[int] = [204]
        self.headers: dict[str, str] = {}
        self.port = 0

    def url(self, path: str = "/hooks/abc") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def titles(self) -> list[str]:
        return [
            str((body.get("embeds") or body["attachments"])[0]["title"]) for _, body in self.told
        ]


@contextmanager
def open_chat() -> Iterator[Chat]:
    chat = Chat()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            chat.raw.append((dict(self.headers.items()), body))
            if self.headers["Content-Type"] == "application/json":
                chat.told.append((self.path, json.loads(body)))
            self.send_response(chat.answers.pop(0) if len(chat.answers) > 1 else chat.answers[0])
            for name, value in chat.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    chat.port = server.server_port
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield chat
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
