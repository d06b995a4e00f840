"""Slips with printed codes, 8 on a sheet. Codes are computed for printing and never stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings

from games.accounts import tokens
from games.base import text
from games.models import Game, PrintedCode, Sitting

from . import setting


def slips_pdf(
    game: Game, codes: Sequence[PrintedCode], now: datetime, paper: str = setting.A4
) -> bytes:
    """Return the slips as PDF, in the order of the codes."""
    return setting.pdf("slips", content(game, codes), now, paper)


def content(game: Game, codes: Sequence[PrintedCode]) -> dict[str, Any]:
    """Return the template's data."""
    sittings = Sitting.objects.current().filter(
        seat__game=game, person__in=[code.person_id for code in codes]
    )
    nations = {
        sitting.person_id: sitting.seat.nation for sitting in sittings.select_related("seat")
    }
    slips = [
        {
            "name": text.one_line(code.person.name),
            "team": nations.get(code.person_id, ""),
            "code": tokens.printed_code(code),
        }
        for code in codes
    ]
    return {
        "title": text.one_line(game.title),
        "entry": f"{settings.SITE_URL.partition('://')[2]}/class/",
        "slips": slips,
    }
