"""Drive Debian's Chromium with Playwright: pages as people see them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from games.base import clock

if TYPE_CHECKING:
    from games.models import Person

#: The fixture `open_page` (tests/conftest.py): a path, a width, and what `new_page` takes by name.
OpenPage = Callable[..., Page]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
#: Chromium without what draws its own windows opens a page in a third of the time. It shows no
#: notifications, and asks for fonts again that Chromium has.
SHELL = shutil.which("chromium-headless-shell") or CHROMIUM
MISSING = "Chromium is not on this machine: apt-get install chromium chromium-headless-shell"
#: For each window Chromium loads two pages of its own, to be shown under its address field; they
#: take longer than a page of ours.
UNSEEN = "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup"
#: Milliseconds to wait for anything on a page: working pages are slow on a busy machine.
PATIENCE = 120_000

expect.set_options(timeout=PATIENCE)


@contextmanager
def browser(program: str | None = SHELL, *options: str) -> Iterator[Browser]:
    """Run a headless Chromium, its shell or the whole, with more options of its command line.

    Raise `FileNotFoundError` without one.
    """
    if program is None:
        raise FileNotFoundError(MISSING)
    with pytest.MonkeyPatch.context() as environment, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, where Django would refuse to ask the
        # database.
        environment.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        with playwright.chromium.launch(
            executable_path=program,
            args=["--disable-gpu", "--disable-quic", UNSEEN, *options],
            timeout=PATIENCE,
        ) as chromium:
            yield chromium


@contextmanager
def new_page(
    chromium: Browser,
    base: str,
    width: int,
    *,
    who: str | Person | None = None,
    dark: bool = False,
    script: bool = True,
) -> Iterator[Page]:
    """Open an empty page with its own cookies, and close it afterward.

    `base` is the start of all addresses, `width` the width of the window in CSS pixels (a phone
    below 600), `who` a person to log in and `script` whether JavaScript is on.
    """
    with chromium.new_context(
        base_url=base,
        viewport={"width": width, "height": 900},
        is_mobile=width < 600,
        color_scheme="dark" if dark else "light",
        java_script_enabled=script,
    ) as context:
        context.set_default_timeout(PATIENCE)
        if who is not None:
            log_in(context, base, who)
        yield context.new_page()


def change_reader(page: Page, base: str, who: str | Person | None, *, dark: bool = False) -> None:
    """Give a window to another reader, as if it were new, for the page that it opens next.

    The page before ends first, so that no answer to it sets a cookie. All that the window stored is
    forgotten. Many pages are seen in half the time so: the processes of a new
    window take as long to start as a page takes to open.
    """
    page.goto("about:blank")
    page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="no-preference")
    session = page.context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": base, "storageTypes": "all"})
    session.detach()
    page.context.clear_cookies()
    if who is not None:
        log_in(page.context, base, who)


def keep_no_files(page: Page) -> None:
    """Load styles, scripts and fonts again for every page, as a first visitor's browser does."""
    page.context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})


def log_in(context: BrowserContext, base: str, who: str | Person) -> None:
    """Give a browser the session of one of the cast, or of another person.

    An administrator with a second factor has already used it.
    """
    # pictures.py imports this module before Django is set up
    from django.conf import settings
    from django.test import Client

    from games.accounts import two_factor
    from tests.support.campaign import person

    client = Client()
    who = person(who) if isinstance(who, str) else who
    client.force_login(who)
    session = client.session
    session[two_factor.LOGGED_IN] = clock.now().isoformat()
    if who.is_superuser and (factor := two_factor.confirmed_factor(who)):
        session[two_factor.SHOWN] = [factor.pk, clock.now().isoformat()]
    session.save()
    assert session.session_key is not None
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session.session_key, "url": base}]
    )
