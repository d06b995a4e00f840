"""Let a dark drawing be light on paper."""

from __future__ import annotations

import re

_COLOR = re.compile(r'(?<=fill="|roke=")#[0-9a-f]{6}(?=")')


def light_on_paper(dark: str, light: str) -> str:
    """Return a dark SVG that has the colors of the light one where it is printed.

    A browser prints the picture that its page shows, and fetches no other. What it is printed on
    is light to `prefers-color-scheme`, also within a picture, where `print` is never true.

    Raises:
        ValueError: The drawings differ in more than colors.
    """
    pairs = list(zip(_COLOR.findall(dark), _COLOR.findall(light), strict=True))
    names = {pair: f"--c{place}" for place, pair in enumerate(dict.fromkeys(pairs))}
    next_pair = iter(pairs)

    def named(_: re.Match[str]) -> str:
        pair = next(next_pair)
        return f"var({names[pair]},{pair[0]})"

    rules = ";".join(f"{name}:{on_paper}" for (_, on_paper), name in names.items())
    style = f"<style>@media (prefers-color-scheme:light){{:root{{{rules}}}}}</style>"
    return _COLOR.sub(named, dark).replace("<defs>", f"{style}<defs>", 1)
