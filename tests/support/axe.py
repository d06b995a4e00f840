"""axe-core in Chromium: what a screen reader, a keyboard or weak eyes would stumble over on a page.

The script comes from a package in the lock, and goes into the page over DevTools: no page of ours
loads it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from tests.support.browser import Browser

#: What axe calls these no page may have.
GRAVE = ("serious", "critical")
_RUN = """axe.run(document, {resultTypes: ["violations"], %s}).then(found => JSON.stringify(found.violations.map(one => ({
  id: one.id, impact: one.impact, help: one.help,
  nodes: one.nodes.slice(0, 4).map(node => node.target.join(" ") + " | " + node.html.slice(0, 160) + " | "
    + [...node.any, ...node.all, ...node.none].map(check => check.message).slice(0, 1).join(""))}))))"""  # noqa: E501


@cache
def script() -> str:
    return (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")


def put_into(page: Browser) -> None:
    """Once for each page that is opened. What can be unfolded is: it is looked at too, and axe
    takes what is folded up for covering."""
    page.run(
        f"{script()}; document.querySelectorAll('details').forEach(one => {{ one.open = true }}); 0"
    )


def faults(page: Browser, *, only: tuple[str, ...] = ()) -> list[str]:
    """Every serious fault of the page as it stands, a line each; of some rules `only`."""
    rules = f"runOnly: {{type: 'rule', values: {json.dumps(list(only))}}}" if only else ""
    found: list[dict[str, Any]] = json.loads(page.run(_RUN % rules))
    return [
        f"{one['id']} ({one['impact']}): {one['help']}\n      " + "\n      ".join(one["nodes"])
        for one in found
        if one["impact"] in GRAVE
    ]
