"""What axe-core says of a page: faults for a screen reader, a keyboard or weak eyes.

Outside a soak it measures on each page the contrast of only the first of elements that look alike:
contrast is three quarters of its work, and the same in all rows of a table. So a day's run misses
an element that only its place puts on another ground.
"""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

from tests.support.examples import WHOLE

#: What axe calls the faults that no page may have.
GRAVE = ("serious", "critical")
#: Django's field to search people has no label.
DJANGO_FIELD = {"exclude": [[".select2-search__field"]]}
#: Colors in transition are between two: the admin fades from light to dark.
RUN = """async ([context, options, alike]) => {
  await Promise.allSettled(document.getAnimations()
    .filter(one => one instanceof CSSTransition).map(one => one.finished));
  if (alike) skipAlike();
  return (await axe.run(context, options)).violations;

  // Elements look alike whose names, classes and colors are the same, and those of all around them.
  function skipAlike() {
    const rule = axe._audit.rules.find(one => one.id === "color-contrast");
    const concerns = rule.matches, looks = new Map([[null, ""]]), seen = new Set();
    const look = (one) => {
      if (!looks.has(one)) {
        const style = getComputedStyle(one);
        looks.set(one, [look(one.parentElement), one.localName, one.getAttribute("class"),
          ...["color", "fontSize", "fontWeight", "opacity", "backgroundColor", "backgroundImage",
            "textShadow"].map(name => style[name])].join());
      }
      return looks.get(one);
    };
    rule.matches = (one, ...more) =>
      concerns(one, ...more) && !seen.has(look(one)) && Boolean(seen.add(look(one)));
  }
}"""


def faults(page: Page, **options: Any) -> str:
    """Report every serious fault of the page as it stands; "" for none. `options` are axe's."""
    page.evaluate(AXE_SCRIPT)
    options = {"resultTypes": ["violations"], **options}
    violations = page.evaluate(RUN, [DJANGO_FIELD, options, not WHOLE])
    grave = [violation for violation in violations if violation["impact"] in GRAVE]
    return AxeResults({"violations": grave}).generate_report() if grave else ""
