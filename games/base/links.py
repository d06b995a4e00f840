"""Build absolute addresses of the service's pages, for letters and programs."""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings
from django.urls import NoReverseMatch, reverse


def link(name: str, *args: object) -> str:
    shape = _shape(name, len(args)) if all(type(arg) is int for arg in args) else ""
    return f"{settings.SITE_URL}{shape.format(*args) if shape else reverse(name, args=args)}"


@lru_cache(maxsize=256)
def _shape(name: str, numbers: int) -> str:
    """Return the path of a page with placeholders for its whole numbers; "" if it has none."""
    places = [730_000_001 + place for place in range(numbers)]
    try:
        path = reverse(name, args=places)
    except NoReverseMatch:  # `link` reverses it again and raises
        return ""
    path = path.replace("{", "{{").replace("}", "}}")
    if any(path.count(str(place)) != 1 for place in places):
        return ""
    for number, place in enumerate(places):
        path = path.replace(str(place), f"{{{number}}}")
    return path
