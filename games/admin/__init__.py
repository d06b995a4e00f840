"""Django's admin over the record: to look things up, and to mend what no page of the service mends.
Evidence can only be read.

Staff see the rows of the games they run, administrators all. What moves a game along (rulings,
phases, deadlines, seats offered) goes through `games.desk` and `games.turns.lifecycle`: rows link
to the desk's pages for it.
"""

from . import desk, evidence, feeds, games, letters, people, safety  # registers the models

__all__ = ["desk", "evidence", "feeds", "games", "letters", "people", "safety"]
