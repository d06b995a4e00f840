"""What axe-core says of a page: faults for a screen reader, a keyboard or weak eyes."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

#: What axe calls the faults that no page may have.
GRAVE = ("serious", "critical")
#: Django's field to search people has no label.
DJANGO_FIELD = {"exclude": [[".select2-search__field"]]}


def faults(page: Page) -> str:
    """Report every serious fault of the page as it stands; "" for none."""
    # Colors in transition are between two: the admin fades from light to dark.
    page.evaluate(
        "Promise.allSettled(document.getAnimations()"
        ".filter(one => one instanceof CSSTransition).map(one => one.finished))"
    )
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    violations = Axe().run(page, context=DJANGO_FIELD, options=options).response["violations"]
    grave = [violation for violation in violations if violation["impact"] in GRAVE]
    return AxeResults({"violations": grave}).generate_report() if grave else ""
