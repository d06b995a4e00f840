"""Every value that the secret key makes has a purpose of its own (games.base.signing)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from games.base.signing import Salt
from tests.test_architecture import ROOT, modules

#: Names by which code could use the secret key without a salt from the list.
KEYED = {"SECRET_KEY", "SECRET_KEY_FALLBACKS", "salted_hmac", "Signer", "TimestampSigner"}
#: Who makes signatures; who makes and checks the key; made-up sales, which open nothing.
MAY = {
    "games/base/signing.py",
    "games/base/processes.py",
    "games/market/demo.py",
    "gamesmaster/checks.py",
    "gamesmaster/settings.py",
}


def names_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield name


def salts_in(path: Path) -> Iterator[str]:
    """Yield the expressions that a module gives to Django's signing as a salt."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("signing."):
            yield from (ast.unparse(word.value) for word in node.keywords if word.arg == "salt")


def test_salts_are_different_plain_words() -> None:
    """A salt spelled like a module's path would change when the module moves: no link would work.

    One that continues another could let a token of one purpose count for the other.
    """
    salts = [salt.value for salt in Salt]
    packages = {path.relative_to(ROOT).parts[0] for path in modules("games", "orders")}
    assert len(set(salts)) == len(Salt.__members__)
    for salt in salts:
        assert salt not in packages
        assert re.fullmatch(r"[a-z]+( [a-z]+)*", salt), salt


def test_only_one_module_uses_the_secret_key() -> None:
    """With a salt of its own elsewhere, a purpose would escape the list of salts."""
    for path in modules("games", "orders", "gamesmaster"):
        name = path.relative_to(ROOT).as_posix()
        if name not in MAY:
            assert not KEYED & set(names_in(path)), name
            for salt in salts_in(path):
                assert salt.startswith(("Salt.", "signing.Salt.", "_salt(")), (name, salt)
