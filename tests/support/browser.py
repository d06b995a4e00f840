"""Chromium, driven over its DevTools protocol: what a person sees of a page, at a telephone's, a
tablet's and a desk's width.

Open, cookies, size, light and dark, a picture of the whole page; and what the tests of the pages do
in them: click, type, press a key, wait until something stands there. Debian's chromium (`apt-get
install chromium`); tests that need it are skipped where it is missing.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

#: Nothing of it may reach out: pages are served on this machine, and a browser's own errands fail
# here anyway.
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
)

#: Seconds after which nothing more is waited for: so many pass only where something has gone
# wrong, or where all cores are taken by others.
PATIENCE = 120


class BrowserMissing(RuntimeError):
    """There is no Chromium on this machine. `str()` says how it is installed."""


def executable() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    raise BrowserMissing("Chromium is not on this machine: apt-get install chromium")


class Browser:
    """One page of a headless Chromium."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        for domain in ("Page", "Network", "Runtime"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **what: Any) -> dict[str, Any]:
        """Sends one command and gives its answer; events that come before it are passed over."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": what}))
        while True:
            said = json.loads(self._socket.recv(timeout=PATIENCE))
            if said.get("id") == number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']['message']}")
                answer: dict[str, Any] = said["result"]
                return answer

    def cookie(self, name: str, value: str, url: str) -> None:
        self.ask("Network.setCookie", name=name, value=value, url=url)

    def forget(self) -> None:
        """Nobody is logged in any more."""
        self.ask("Network.clearBrowserCookies")

    def look(
        self, width: int, *, dark: bool = False, scale: float = 1, script: bool = True
    ) -> None:
        """The size of the window in CSS pixels, light or dark, with or without JavaScript: from the
        next page on."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )
        self.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.ask("Emulation.setScriptExecutionDisabled", value=not script)

    def open(self, url: str) -> None:
        """Goes to a page and waits until it stands, fonts included."""
        self.ask("Page.navigate", url=url)
        last_moment = time.monotonic() + PATIENCE
        while (
            self.run("document.readyState") != "complete"
            or self.run("location.href") == "about:blank"
        ):
            if time.monotonic() > last_moment:
                raise RuntimeError(f"{url} never came to an end")
            time.sleep(0.02)

    def leave(self, script: str) -> None:
        """Does what leads to another page, such as sending a form, and waits until that one
        stands."""
        self.run("window.left = true")
        self.run(script)
        last_moment = time.monotonic() + PATIENCE
        while self.run("window.left === true || document.readyState !== 'complete'"):
            if time.monotonic() > last_moment:
                raise RuntimeError(f"{script} led nowhere")
            time.sleep(0.02)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(
                f"{script}:"
                f" {answer['exceptionDetails'].get('exception', {}).get('description', 'failed')}"
            )
        return answer["result"].get("value")

    def wait_for(self, script: str, what: str = "") -> Any:
        """Waits until an expression in the page is true, and gives its value. Raises `RuntimeError`
        that says what never came."""
        last_moment = time.monotonic() + PATIENCE
        while not (value := self.run(script)):
            if time.monotonic() > last_moment:
                raise RuntimeError(
                    f"{what or script} never came; the page says:"
                    f" {self.run('document.body.innerText')[:2000]}"
                )
            time.sleep(0.02)
        return value

    def click(self, selector: str) -> None:
        """Presses the mouse in the middle of an element, as a person does: what lies over it gets
        the click.

        A person sees where it is. Where the page was set anew between the look and the press, and
        it stands elsewhere now, the mouse is let go beside it, which clicks nothing, and it is
        looked for once more.
        """
        for _ in range(5):
            self.run(f"{_one(selector)}.scrollIntoView({{block: 'center', inline: 'center'}})")
            box = self._box(selector)
            at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
            self.ask(
                "Input.dispatchMouseEvent", type="mousePressed", button="left", clickCount=1, **at
            )
            there = self._box(selector) == box
            self.ask(
                "Input.dispatchMouseEvent",
                type="mouseReleased",
                button="left",
                clickCount=1,
                **(at if there else {"x": 0, "y": 0}),
            )
            if there:
                return
        raise RuntimeError(f"{selector} does not stand still")

    def _box(self, selector: str) -> Any:
        return self.run(f"{_one(selector)}.getBoundingClientRect().toJSON()")

    def follow(self, selector: str) -> None:
        """Clicks what leads to another page, and waits until that one stands."""
        self.wait_for(f"document.querySelector({json.dumps(selector)}) !== null", selector)
        before = self._document()
        self.click(selector)
        last_moment = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(RuntimeError):  # between two pages there is none to be asked
                if self._document() != before and self.run("document.readyState") == "complete":
                    return
            if time.monotonic() > last_moment:
                raise RuntimeError(f"{selector} led nowhere")
            time.sleep(0.02)

    def _document(self) -> Any:
        """Which document the page shows: another one has another loader. It works with scripts
        switched off as well."""
        return self.ask("Page.getFrameTree")["frameTree"]["frame"]["loaderId"]

    def type(self, text: str, selector: str = "") -> None:
        """Types into an element, behind what stands there, or into whatever has the focus."""
        if selector:
            # numbers have no selection
            behind = "if (e.type !== 'number') e.setSelectionRange(e.value.length, e.value.length)"
            self.run(f"(() => {{ const e = {_one(selector)}; e.focus(); {behind}; }})()")
        self.ask("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """A key by its name: “Enter”, “Tab”."""
        codes = {"Enter": 13, "Tab": 9, " ": 32}
        told: dict[str, Any] = {
            "key": key,
            "code": "Space" if key == " " else key,
            "windowsVirtualKeyCode": codes[key],
        }
        text = {"Enter": "\r", " ": " "}.get(key)
        self.ask(
            "Input.dispatchKeyEvent", type="keyDown", **told, **({"text": text} if text else {})
        )
        self.ask("Input.dispatchKeyEvent", type="keyUp", **told)

    def picture(self, tall: int = 0) -> bytes:
        """The whole page as PNG, however long; with `tall` no more of it than so many pixels."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {
            "x": 0,
            "y": 0,
            "width": size["width"],
            "height": min(size["height"], tall or size["height"]),
            "scale": 1,
        }
        return base64.b64decode(
            self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)[
                "data"
            ]
        )


def _one(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)})"


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A Chromium of its own, with an empty profile, ended at the end."""
    program = executable()
    with tempfile.TemporaryDirectory(
        prefix="gamesmaster-chromium-", ignore_cleanup_errors=True
    ) as profile:
        process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with connect(
                _page(Path(profile) / "DevToolsActivePort", process), max_size=None, proxy=None
            ) as socket:
                yield Browser(socket)
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10)
            process.kill()
            process.wait()


def _page(port_file: Path, process: subprocess.Popen[bytes]) -> str:
    """The address of the first page's DevTools, once Chromium has written its port down."""
    last_moment = time.monotonic() + PATIENCE
    while not (port_file.is_file() and port_file.read_text().strip()):
        if process.poll() is not None or time.monotonic() > last_moment:
            raise RuntimeError(f"Chromium did not start ({process.poll()}).")
        time.sleep(0.05)
    port = int(port_file.read_text().split()[0])
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while True:
        pages: list[Mapping[str, str]] = json.loads(
            opener.open(f"http://127.0.0.1:{port}/json/list", timeout=10).read()
        )
        found = [page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page"]
        if found:
            return found[0]
        if time.monotonic() > last_moment:
            raise RuntimeError("Chromium opened no page.")
        time.sleep(0.05)
