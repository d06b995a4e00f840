"""Copy a game from its record, to see that the copy exports the same record."""

from __future__ import annotations

import json

from games.evidence import export
from games.models import Person
from games.records import archive
from games.rules import Json

#: What differs in the copy of a game that goes on: it is abandoned, which its last entry says.
OWN = ("id", "status", "finished", "abandonment")


def exported(tree: Json, by: Person) -> Json:
    """Return the record of a copy of a game, without what is the copy's own.

    `tree`: the game's whole record, which the result must equal.
    """
    copied = archive.restore(tree, by)
    again: Json = json.loads(export.text(export.record(copied, private=True)))
    entries = again["entries"][: len(tree["entries"])]
    return again | {key: tree[key] for key in OWN} | {"entries": entries}
