"""Basics of drawing boards: the 3 themes, one of them on paper, and numbers and text in SVG."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

SERIF = "'EB Garamond', 'Iowan Old Style', 'Palatino Linotype', Palatino, Georgia, serif"
_COLOR = re.compile(r'(?<=fill="|roke=")#[0-9a-f]{6}(?=")')


@dataclass(frozen=True)
class Theme:
    """The colors of a drawing. All are flat, because pictures in letters must stay small."""

    name: str
    paper: str  # outside the neat line
    sea: str
    water: str  # lines in the water
    land: str  # land outside the areas
    ink: str  # names, and text on paper
    edge: str  # coasts, borders and the neat line
    soft: str  # borders of other countries, names of neutrals
    seaink: str
    river: str
    grid: str
    card: str  # ground of the cartouche (`of_cartouche`), tabs of counters
    cardink: str
    mark: str  # only for changes
    foe: str  # the rim of an area with hostile forces
    tints: Mapping[str, tuple[str, str]]  # of the inside, and of the band along the border

    @property
    def of_cartouche(self) -> Theme:
        """The theme of the title and key: as large as they are, they glare on a dark page."""
        return replace(self, card=self.land, cardink=self.ink) if self.name == "dark" else self


_TINTS = ("rose", "blue", "lemon", "green", "lilac", "grey", "sand")


def _tints(inside: str, bands: str) -> dict[str, tuple[str, str]]:
    return dict(zip(_TINTS, zip(inside.split(), bands.split(), strict=True), strict=True))


_LIGHT = Theme(
    name="light",
    paper="#f6efdc",
    sea="#dfe7e1",
    water="#8fabac",
    land="#f3ecd9",
    ink="#2b2419",
    edge="#2b2419",
    soft="#7d6f57",
    seaink="#54777d",
    river="#7ba0a8",
    grid="#b3b59f",
    card="#fcf8ec",
    cardink="#2b2419",
    mark="#d9480f",
    foe="#8f1414",
    tints=_tints(
        "#f5dccb #d8e2e6 #f6e9b8 #dbe5c4 #e5d9e2 #e0dccf #f0dfbd",
        "#e3a892 #98b6c8 #e0c36d #a4bd84 #bb9dbb #b0a892 #d0ac72",
    ),
)
_DARK = Theme(
    name="dark",
    paper="#1b1813",
    sea="#1e282b",
    water="#3f565b",
    land="#2b261e",
    ink="#f0e7d2",
    edge="#b3a588",
    soft="#a89a80",
    seaink="#8fb0b5",
    river="#4d6c74",
    grid="#464a42",
    card="#f3ead6",
    cardink="#2b2419",
    mark="#ff9a5c",
    foe="#ff6b81",
    tints=_tints(
        "#4a332b #2c3c48 #4a4226 #36422b #413545 #3f3b34 #4a3d27",
        "#7d4f40 #48677d #7a6a34 #586f42 #6b5672 #68614f #7a6238",
    ),
)
_PRINT = Theme(
    name="print",
    paper="#ffffff",
    sea="#ffffff",
    water="#9a9a9a",
    land="#f4f4f4",
    ink="#000000",
    edge="#000000",
    soft="#6a6a6a",
    seaink="#6a6a6a",
    river="#a8a8a8",
    grid="#c4c4c4",
    card="#ffffff",
    cardink="#000000",
    mark="#000000",
    foe="#000000",
    tints=dict.fromkeys(_TINTS, ("#ffffff", "#cfcfcf")),
)
THEMES = {theme.name: theme for theme in (_LIGHT, _DARK, _PRINT)}


def num(value: float) -> str:
    """Return a number with at most one decimal, the same on every machine."""
    text = f"{value:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")


#: Characters that XML forbids, and control characters.
_FORBIDDEN = re.compile("[\x00-\x1f\ud800-\udfff\ufffe\uffff]")


def esc(text: str) -> str:
    """Escape text for an SVG and remove characters that XML forbids."""
    return (
        _FORBIDDEN.sub("", text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
        .replace("'", "&#39;")
    )


def blend(color: str, ground: str, share: float) -> str:
    """Return the flat color of `share` of a color over a ground."""
    mixed = (
        round(int(color[k : k + 2], 16) * share + int(ground[k : k + 2], 16) * (1 - share))
        for k in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)


def text_element(
    text: str,
    x: float,
    y: float,
    size: float,
    ink: str,
    *,
    halo: str = "",
    spacing: float = 0,
    weight: int = 500,
    italic: bool = False,
    anchor: str = "middle",
    turn: float = 0,
) -> str:
    """Draw a line of text. `halo` is the color of an outline that separates the letters from the
    map."""
    extra = f' letter-spacing="{num(spacing)}"' if spacing else ""
    extra += ' font-style="italic"' if italic else ""
    extra += (
        f' stroke="{halo}" stroke-width="{num(size * 0.22)}" stroke-linejoin="round"'
        ' paint-order="stroke"'
        if halo
        else ""
    )
    extra += f' transform="rotate({num(turn)} {num(x)} {num(y)})"' if turn else ""
    # Letter spacing also follows the last letter: without the shift, a spaced line would be left
    # of its center.
    shift = spacing / 2 if anchor == "middle" else 0
    extra += "" if anchor == "start" else f' text-anchor="{anchor}"'
    return (
        f'<text x="{num(x + shift)}" y="{num(y)}" font-size="{num(size)}" font-weight="{weight}"'
        f' fill="{ink}"{extra}>{esc(text)}</text>'
    )


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
