"""Django's admin over the record: to look things up, and to mend what no page of the service mends.
Evidence can only be read.

A staff member sees the rows of games that he runs, an administrator all. Whatever moves a game
along (phases, deadlines, seats offered) goes through `games.desk` and `games.turns.lifecycle`,
and is only shown here.
"""

from . import desk, evidence, feeds, games, letters, people, safety  # registers the models
from .login import use_letter_login

__all__ = ["desk", "evidence", "feeds", "games", "letters", "people", "safety"]

use_letter_login()
