"""Django's admin for the record: look rows up, and correct what no page of the service corrects.

Evidence is read-only. Staff see the rows of the games they run, administrators see all. Changes of
a game's state (rulings, phases, deadlines, seats) go through `games.desk` and
`games.turns.lifecycle`: rows link to the desk's pages for them.
"""

from django.contrib import admin
from django.contrib.auth.models import Group

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

# Rights in a game come from its rows; a group would give none.
admin.site.unregister(Group)
