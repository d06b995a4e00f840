"""Verify the records of all games of a league from the first phase on, as a stranger would."""

from __future__ import annotations

from collections.abc import Sequence


def refuted(games: Sequence[int]) -> list[str]:
    """Verify the records of these games in this process; return why each refuted one is."""
    from games.evidence import export
    from games.models import Game
    from games.rules import strict_json
    from games.rules.verification import checker

    found = []
    for game in Game.objects.filter(pk__in=games).order_by("pk"):
        try:
            text = export.text(export.current(game, private=True, people=False))
            follows, sentence = checker.verdict(strict_json.loads(text))
        except Exception as error:  # also where no record can be made of what is stored
            follows, sentence = False, repr(error)
        if not follows:
            found.append(f"game {game.pk}: {sentence}")
    return found
