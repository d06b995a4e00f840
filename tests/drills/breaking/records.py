"""Verify the records of all games of a league from the first phase on, as a stranger would.

    python -m tests.drills.breaking.records GAME ...

In the environment of a service. Print a JSON list with a sentence for each record refuted. A game
of twelve phases takes 0.3 s, so many are shared out among the cores.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import django

from tests.support.children import run

#: Games for which it is worth to start another process.
A_PROCESS = 10


def refuted_apart(games: Sequence[int], environment: Mapping[str, str]) -> list[str]:
    """Verify the records in processes with this environment; return why each refuted one is."""
    processes = max(1, min(os.cpu_count() or 1, len(games) // A_PROCESS))
    shares = [games[first::processes] for first in range(processes)]

    def of_share(share: Sequence[int]) -> list[str]:
        command = [sys.executable, "-m", __name__, *map(str, share)]
        output = run("verifying records", command, env=environment, shown=False)
        found: list[str] = json.loads(output)
        return found

    with ThreadPoolExecutor(processes) as pool:
        return [sentence for share in pool.map(of_share, shares) for sentence in share]


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


if __name__ == "__main__":
    django.setup()
    print(json.dumps(refuted([int(word) for word in sys.argv[1:]])))
