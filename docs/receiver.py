#!/usr/bin/env python3
"""Get notices of your games and check their signatures: an example, with Python alone.

    export WEBHOOK_SECRET=whsec_...
    python receiver.py 8080

Put a server that speaks https in front, add its address on the page "About you" under "Webhooks",
and copy the secret from there. docs/api.md explains the rest.
"""

import base64
import hmac
import json
import os
import sys
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

TOLERANCE = 300  # seconds; older notices may be copies that another person sends again


def read(headers: Mapping[str, str], body: bytes, secret: str, now: float) -> dict[str, Any]:
    """Return a notice. Raises ValueError for one that is not signed with the secret, or is old."""
    headers = {name.lower(): value for name, value in headers.items()}
    name, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not at.isdigit() or abs(now - int(at)) > TOLERANCE:
        raise ValueError("The notice is too old.")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.digest(key, f"{name}.{at}.".encode() + body, "sha256")
    expected = "v1," + base64.b64encode(mac).decode()
    given = headers.get("webhook-signature", "").split()
    if not any(hmac.compare_digest(expected.encode(), one.encode()) for one in given):
        raise ValueError("The signature is wrong.")
    return dict(json.loads(body))


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 100_000))
        try:
            notice = read(dict(self.headers), body, os.environ["WEBHOOK_SECRET"], time.time())
        except ValueError as error:
            self.send_error(400, str(error))
            return
        # A notice may come again: remember its "webhook-id" if acting twice would do harm.
        print(notice["type"], notice["data"], flush=True)
        self.send_response(204)
        self.end_headers()


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
