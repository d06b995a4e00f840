"""The characters of bots: how they bargain, and when they break their word.

Each nation's character is drawn from a secret when the game begins, and published when it is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

NEVER = float("inf")


@dataclass(frozen=True)
class Character:
    """How a program bargains.

    `asks` is the least that a deal must be worth to it, in points. `talks` is in how many of ten
    turns after the first it proposes something. `price` is what breaking a promise must bring.
    Within `late` turns of the end it keeps no promise.
    """

    id: str
    name: str
    words: str
    asks: float
    talks: int
    price: float = NEVER
    late: int = 0

    def price_in(self, turn: int, turns: int) -> float:
        """Return what breaking a promise must bring in a turn."""
        return 0.0 if turns - turn < self.late else self.price


CHARACTERS = (
    Character("honest", "Honest", "makes deals readily and keeps every one.", -0.05, 8),
    Character("careful", "Careful", "makes few deals and keeps every one.", 0.1, 4),
    Character(
        "trader", "Opportunist", "keeps a deal until breaking it pays well.", 0.0, 7, price=0.6
    ),
    Character(
        "schemer", "Schemer", "keeps deals until the last two turns, then none.", -0.1, 9, late=2
    ),
    Character("rogue", "Rogue", "promises anything and keeps what suits it.", -0.3, 9, price=0.0),
)


def draw(secret: str, nation: str) -> Character:
    """Return the character of a nation that a bot plays."""
    return CHARACTERS[_number(secret, "character", nation) % len(CHARACTERS)]


def talks_now(character: Character, secret: str, nation: str, turn: int) -> bool:
    """Return whether it proposes something in a turn. In the first turn all do."""
    return turn == 1 or _number(secret, "talks", nation, str(turn)) % 10 < character.talks


def part_of_ten(secret: str, *about: str) -> float:
    """Return a number from 0 to 1, the same for the same secret and matter."""
    return _number(secret, *about) % 1000 / 1000


def _number(secret: str, *about: str) -> int:
    message = "/".join((secret, *about)).encode("utf-8", "surrogatepass")
    return int.from_bytes(sha256(message).digest()[:4], "big")
