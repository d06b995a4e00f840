"""What a browser asks for when it opens a page: bytes and requests of the first view, with nothing
kept, and of a later one, with Chromium and the web process of `serve`.

    python -m tests.bench views [--pause 61] [--only rules game]

The news that an open page asks for every 2 seconds are not counted."""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from games.base import clock, processes
from tests.support import browser
from tests.support.children import Child
from tests.support.processes import eventually, free_port

from . import figures, talkative

#: Width of a telephone, where most people read.
WIDTH = 390
#: Seconds between the views: more than the minute for which servers let browsers keep files that
#: have no hash in their name.
PAUSE = 61.0


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench views")
    parser.add_argument("--pause", type=float, default=PAUSE, help="seconds between two views")
    parser.add_argument("--phases", type=int, default=talkative.PHASES, help="of the game")
    parser.add_argument("--only", nargs="+", metavar="PAGE", help="these pages; else all")
    arguments = parser.parse_args(words)
    if browser.CHROMIUM is None:
        print(browser.MISSING)
        return
    with figures.database("sqlite") as folder:
        figures.keep("views", {"table": measured(folder, arguments)})


def measured(folder: Path, wanted: argparse.Namespace) -> dict[str, dict[str, int]]:
    """Return requests and bytes of each page, of the first view and a later one."""
    from orders.intake import ledger

    campaign = talkative.play(clock.now() + timedelta(hours=6), wanted.phases)
    game, past = campaign.game, campaign.phase.number - 1
    seat, player = campaign.seat("Germany"), campaign.players["Germany"]
    arrival = ledger.Arrival("web", player, clock.now())
    receipt = ledger.receive(seat, "PLACE 5 Poland", arrival).get_absolute_url()
    here = game.get_absolute_url()
    pages: dict[str, tuple[Any, str]] = {
        "first page": (None, "/"),
        "rules": (None, f"/rules/{game.ruleset_id}/"),
        "archive": (None, "/archive/"),
        "game": (player, here),
        "report": (player, f"{here}phases/{past}/"),
        "proof": (player, f"{here}phases/{past}/proof/"),
        "order page": (player, f"{here}orders/{seat.pk}/"),
        "receipt": (player, receipt),
        "letters between nations": (player, f"{here}press/"),
        "deals": (player, f"{here}deals/"),
    }
    pages = {name: page for name, page in pages.items() if name in (wanted.only or pages)}
    with (
        _served(folder) as base,
        browser.browser(browser.CHROMIUM) as chromium,
        contextlib.ExitStack() as stack,
    ):
        found: dict[str, dict[str, int]] = {}
        opened: dict[str, Any] = {}
        began = time.monotonic()
        for name, (who, path) in pages.items():
            page = opened[name] = stack.enter_context(
                browser.new_page(chromium, base, WIDTH, who=who)
            )
            requests, size, _ = _view(page, path)
            found[name] = {"requests": requests, "bytes": size}
        time.sleep(max(0.0, wanted.pause - (time.monotonic() - began)))
        for name, (_, path) in pages.items():
            requests, size, static = _view(opened[name], path)
            found[name] |= {"later requests": requests, "later bytes": size}
            found[name]["later, of them static files"] = static
            figures.say(name, list(found[name].items()))
    return found


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[str]:
    """Start the web process of `serve` on this database; yield its address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "SITE_URL": address, "GAMESMASTER_ENV": os.devnull}
    environment["EMAIL_URL"] = "smtp://127.0.0.1:1"  # nothing is sent, but a server is required

    def answers() -> bool:
        web.must_run()
        with contextlib.suppress(OSError):
            return bool(urlopen(f"{address}/healthz", timeout=60).status)
        return False

    command = processes.commands(f"127.0.0.1:{port}", 1)["web"]
    with Child("the web process", command, env=environment) as web:
        eventually("the web process", answers)
        yield address


def _view(page: Any, path: str) -> tuple[int, int, int]:
    """Return requests that reach the server, their bytes, and how many are for static files."""
    page.goto("about:blank")
    client = page.context.new_cdp_session(page)
    client.send("Network.enable")
    asked: dict[str, str] = {}
    sizes: dict[str, int] = {}
    kept: set[str] = set()

    def sent(event: dict[str, Any]) -> None:
        if event.get("type") not in ("Fetch", "XHR", "Ping"):
            asked[event["requestId"]] = event["request"]["url"]

    def received(event: dict[str, Any]) -> None:
        if event["response"].get("fromDiskCache"):
            kept.add(event["requestId"])

    client.on("Network.requestWillBeSent", sent)
    client.on("Network.requestServedFromCache", lambda event: kept.add(event["requestId"]))
    client.on("Network.responseReceived", received)
    client.on(
        "Network.loadingFinished",
        lambda event: sizes.update({event["requestId"]: int(event["encodedDataLength"])}),
    )
    page.goto(path, wait_until="networkidle")
    client.detach()
    reached = [
        request for request, url in asked.items() if request not in kept and url.startswith("http")
    ]
    static = sum("/static/" in asked[request] for request in reached)
    return len(reached), sum(sizes.get(request, 0) for request in reached), static
