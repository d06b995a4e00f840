"""Every value that the secret key makes has a purpose of its own (games.base.signing)."""

from __future__ import annotations

import ast
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

from games.base import signing
from games.base.signing import Salt
from tests.support.releases import BACKUPS
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


#: What 0.1.0 has signed is in letters, and what it has derived is in databases: the words stay.
RELEASED = {
    "ADDRESS": "further address",
    "ANSWER": "answer to a question",
    "BACKUP": "mark of a backup",
    "BOARD": "board of a preview",
    "BOUNCE": "bounced letter",
    "CALENDAR": "calendar",
    "CONFIRMATION": "mail to confirm",
    "GUEST": "network of a guest",
    "INVITATION": "invitation",
    "JOIN": "join link",
    "LIMIT": "rate limit",
    "LIVE": "version of a page",
    "LOGIN": "login link",
    "LOGIN_CODE": "login code",
    "LOGIN_CODE_HASH": "hash of a login code",
    "MUTE": "mute link",
    "ORIGIN": "network of a pupil",
    "PRACTICE": "practice game to take over",
    "PRINTED_CODE": "printed code",
    "PRINTED_CODE_HASH": "hash of a printed code",
    "PUSH": "web push",
    "RECOVERY": "hash of a recovery code",
    "REPLY": "reply address",
    "REQUEST": "request to run a game",
    "SECOND_FACTOR": "second factor",
    "SEED": "seed of a phase",
    "WEBHOOK": "personal webhook",
}


def test_what_a_release_has_signed_or_derived_stays_valid() -> None:
    """A changed word would void links, reply addresses, second factors and marks of backups."""
    assert {salt.name: salt.value for salt in Salt} | RELEASED == {
        salt.name: salt.value for salt in Salt
    }
    assert signing.derive(Salt.BACKUP, "value", "key").startswith("44264d9b4d1a6931")


@pytest.mark.parametrize("dump", sorted(BACKUPS.glob("*.rows.backup")), ids=lambda path: path.name)
def test_nothing_that_a_release_has_stored_is_spelled_like_a_module(dump: Path) -> None:
    """Kinds, names and keys in rows must not change because a module moves."""
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in modules("games", "orders", "gamesmaster")
    }
    with zipfile.ZipFile(dump) as copy:
        rows = copy.read("rows.jsonl").decode()
    words = set(re.findall(r'"((?:games|orders|gamesmaster)(?:\.\w+)+)"', rows))
    tables = {model._meta.label_lower for model in apps.get_models(include_auto_created=True)}
    assert words & tables, "tables are named by app and model"
    for word in words - tables:
        assert word not in paths, word
        assert word.rpartition(".")[0] not in paths, word


def test_only_one_module_uses_the_secret_key() -> None:
    """With a salt of its own elsewhere, a purpose would escape the list of salts."""
    for path in modules("games", "orders", "gamesmaster"):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text()
        # To parse every module would take seconds.
        if name not in MAY and any(word in text for word in (*KEYED, "signing.")):
            assert not KEYED & set(names_in(path)), name
            for salt in salts_in(path):
                assert salt.startswith(("Salt.", "signing.Salt.", "_salt(")), (name, salt)
