"""How much a first view sends: at most 60 kB besides the map (issue 24, Show)."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse

from tests.support.campaign import Campaign

from .conftest import Browser

pytestmark = pytest.mark.django_db
MOST = 60_000
SENT = re.compile(r'(?:href|src)="/static/([^"]+\.(?:css|js|woff2|svg))"')


@pytest.mark.parametrize("attacks", [False, True])
def test_what_is_seen_first_is_small_to_send(
    as_: Browser, campaign: Campaign, attacks: bool
) -> None:
    """Text is sent compressed: pages by the service, files by whatever serves them."""
    if attacks:
        for nation in ("Germany", "Russia", "France"):
            campaign.order(nation, "PLACE 4 Poland\nPLACE 2 Austria")
        campaign.pass_deadline()
    client = as_("gustav")
    order_page = reverse("orders", args=[campaign.game.pk, campaign.seat("Germany").pk])
    for address in (reverse("home"), campaign.game.get_absolute_url(), order_page):
        answer = client.get(address, headers={"accept-encoding": "gzip"})
        page = gzip.decompress(answer.content).decode()
        maps = "".join(re.findall(r"(?s)<svg.*?</svg>", page))
        files = 0
        for name in set(SENT.findall(page)):
            data = Path(str(finders.find(name))).read_bytes()
            files += min(len(data), len(gzip.compress(data)))
        sent = len(answer.content) - len(gzip.compress(maps.encode())) + files
        assert sent <= MOST, address
