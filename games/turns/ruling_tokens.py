"""Tokens of what a ruling is based on, by which a page notices that it is outdated."""

from __future__ import annotations

import json
from hashlib import sha256

from django.db.models import QuerySet

from games.models import Game, Resolution, Ruling


def token_of(game: Game) -> str:
    """Return a hash of a ruling's basis: newest ruling and newest version of every phase.

    `game`: newly read.
    """
    return _token(game.last_ruling, Resolution.objects.filter(phase__game=game))


def token_before(ruling: Ruling) -> str:
    """Return the token of the game as it was before a ruling, its newest."""
    others = Resolution.objects.filter(phase__game=ruling.game_id).exclude(ruling=ruling)
    return _token(ruling.number - 1, others)


def _token(last_ruling: int, versions: QuerySet[Resolution]) -> str:
    newest = dict(versions.order_by("phase", "version").values_list("phase", "pk"))
    basis = json.dumps([last_ruling, sorted(newest.items())])
    return sha256(basis.encode()).hexdigest()[:32]
