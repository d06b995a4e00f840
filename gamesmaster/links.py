"""Build absolute addresses of the service's pages, for letters and programs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.urls import NoReverseMatch, get_urlconf, reverse

if TYPE_CHECKING:
    pass


def link(name: str, *args: object) -> str:
    urlconf = get_urlconf()
    shape = _shape(urlconf, name, len(args)) if all(type(arg) is int for arg in args) else ""
    return f"{settings.SITE_URL}{shape.format(*args) if shape else reverse(name, urlconf, args)}"


@lru_cache(maxsize=256)
def _shape(urlconf: str | None, name: str, numbers: int) -> str:
    """Return the path of a page whose places are whole numbers; empty where it has none."""
    places = [730_000_001 + place for place in range(numbers)]
    try:
        path = reverse(name, urlconf, places)
    except NoReverseMatch:  # the page is asked for by itself, and says what is wrong
        return ""
    path = path.replace("{", "{{").replace("}", "}}")
    if any(path.count(str(place)) != 1 for place in places):
        return ""
    for number, place in enumerate(places):
        path = path.replace(str(place), f"{{{number}}}")
    return path
