"""The games by their ids. Adding a game is adding a package and a line here."""

from __future__ import annotations

from . import Ruleset
from .origins_ww1.ruleset import OriginsWW1
from .origins_ww2.ruleset import OriginsWW2
from .ww2_multiplayer.ruleset import WW2MultiPlayer

RULESETS: dict[str, Ruleset] = {
    ruleset.id: ruleset for ruleset in (OriginsWW2(), OriginsWW1(), WW2MultiPlayer())
}
