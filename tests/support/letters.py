"""Letters as tests read them."""

from __future__ import annotations

from games.letters import rendering
from games.models import Letter


def letter_text(letter: Letter) -> str:
    """Return the text of a letter on one line."""
    return " ".join(rendering.render(letter).text.split())
