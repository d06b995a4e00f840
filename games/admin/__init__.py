"""Django's admin for the record: look rows up, and correct what no page of the service corrects.

Evidence is read-only. Staff see the rows of the games they run, administrators see all. Changes of
a game's state (rulings, phases, deadlines, seats) go through `games.desk` and
`games.turns.lifecycle`: rows link to the desk's pages for them.
"""

from . import (  # registers the models
    desk,
    evidence,
    games,
    letters,
    operator,
    orders,
    people,
    tables,
)
