#!/usr/bin/env python3
"""Show what is due in your games, and send orders: an example of the API, with Python alone.

    export GAMESMASTER=https://games.example.org GAMESMASTER_TOKEN=gm_...
    python client.py                           what is due
    python client.py 12 Germany < orders.txt   send orders for Germany in game 12

Make the token on the page "About you". docs/api.md explains the rest.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from typing import Any

TRIES = 5


def ask(path: str, body: Any = None, key: str = "") -> Any:
    """Return the answer to a request as a dict. Raises SystemExit with the reason of a refusal.

    A request that got no answer is repeated under the same key, so that orders arrive once.
    """
    request = urllib.request.Request(os.environ["GAMESMASTER"] + "/api/v1" + path)
    request.add_header("Authorization", "Bearer " + os.environ["GAMESMASTER_TOKEN"])
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
        request.add_header("Idempotency-Key", key)
    for tries_left in reversed(range(TRIES)):
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or not tries_left:
                raise SystemExit(json.load(error)["detail"]) from error
            time.sleep(int(error.headers.get("Retry-After", "5")))
        except OSError as error:
            if not tries_left:
                raise SystemExit(f"No answer: {error}") from error
            time.sleep(5)


def show_what_is_due() -> None:
    for seat in ask("/me")["seats"]:
        game = ask(f"/games/{seat['game']}")
        orders = ask(f"/games/{seat['game']}/orders")
        phase = orders["phase"]
        due = [own["nation"] for own in orders["own"] if own["due"]]
        if phase is not None and seat["nation"] in due:
            print(f"{game['title']}: {seat['nation']}, {phase['title']}, by {phase['deadline']}")


def send(game: str, nation: str, text: str) -> None:
    receipt = ask(f"/games/{game}/orders", {"nation": nation, "text": text}, key=uuid.uuid4().hex)
    for one in receipt["understood"]:
        print(f"{one['line']}: {one['order']}")
    for remark in receipt["remarks"]:
        print(f"{remark['line']}: {remark['severity']}: {remark['message']}")
    print(f"No. {receipt['number']}, {'in force' if receipt['in_force'] else 'not in force'}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        send(sys.argv[1], sys.argv[2], sys.stdin.read())
    else:
        show_what_is_due()
