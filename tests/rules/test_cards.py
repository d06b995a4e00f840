"""Check the shipped cards and that each kind of fault names its key (contract 2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.rules import RulesError, cards, registry

GAME = "origins-ww2"
SHIPPED = cards.names(GAME)


def test_five_cards_are_shipped_with_the_historical_one_first() -> None:
    """Contract 2."""
    assert SHIPPED[0] == "historical"
    assert len(SHIPPED) == 5


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_card_loads_with_its_provenance(name: str) -> None:
    """Contract 2: the published numbers were unavailable, and the cards say so."""
    tree = cards.load(GAME, name)
    registry.check_card(tree)
    assert tree["name"] == name
    assert tree["provenance"] == "reconstruction"
    assert tree["note"]


def test_loaded_card_is_a_copy() -> None:
    """Changing one copy changes no other."""
    cards.load(GAME, "historical")["areas"].clear()
    assert len(cards.load(GAME, "historical")["areas"]) == 13


@pytest.mark.parametrize(
    ("game", "name"),
    [(GAME, "nosuch"), (GAME, "../origins-ww2/historical"), ("..", "x"), ("nosuch", "historical")],
)
def test_unknown_card_is_refused(game: str, name: str) -> None:
    """Contract 4; also, no name reaches outside the directory of cards."""
    with pytest.raises(RulesError, match="unknown card"):
        cards.load(game, name)


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Return a change that sets the last item of `path` where the others lead."""

    def change(tree: dict[str, Any]) -> None:
        *way, last, value = path
        for step in way:
            tree = tree[step]
        tree[last] = value

    return change


def drop(key: str) -> Callable[[dict[str, Any]], None]:
    """Return a change that removes a key."""
    return lambda tree: tree.pop(key)


FAULTS: list[tuple[str, Callable[[dict[str, Any]], None], str]] = [
    ("color", put("color", "red"), "unknown key"),
    ("game", drop("game"), "missing"),
    ("game", put("game", "chess"), "unknown game"),
    ("name", put("name", "My Card"), "lower-case letters"),
    ("title", drop("title"), "missing"),
    ("title", put("title", ""), "text"),
    ("provenance", put("provenance", "rumour"), "one of"),
    ("note", put("note", 3), "text"),
    ("turns", put("turns", "6"), "whole number"),
    ("turns", put("turns", True), "whole number"),
    ("turns", put("turns", 0), "1 or more"),
    ("order", put("order", []), "list of names"),
    ("order[5]", lambda tree: tree["order"].append("germany"), "twice"),
    ("areas[13]", lambda tree: tree["areas"].append("Alsace Lorraine"), "twice"),
    ("areas[0]", put("areas", 0, "New: York"), "colon"),
    ("areas[0]", put("areas", 0, "Lake With Boats"), "key word"),
    ("no_understanding_broken_by", put("no_understanding_broken_by", "control"), "one of"),
    ("home.Italy", put("home", "Italy", "Italy"), "no nation"),
    ("home.USA", put("home", "USA", "Atlantis"), "no area"),
    ("allocation", drop("allocation"), "missing"),
    ("allocation.France", lambda tree: tree["allocation"].pop("France"), "missing"),
    ("allocation.Italy", put("allocation", "Italy", [1] * 6), "no nation"),
    ("allocation.USA", put("allocation", "USA", [1, 2]), "must have 6 numbers"),
    ("allocation.USA", put("allocation", "USA", 6), "list"),
    ("allocation.USA[2]", put("allocation", "USA", 2, -1), "whole number of 0 or more"),
    ("allocation.USA[2]", put("allocation", "USA", 2, 1.5), "whole number"),
    ("objectives.Italy", put("objectives", "Italy", {}), "no nation"),
    ("objectives.USA.Atlantis", put("objectives", "USA", "Atlantis", {"control": 1}), "no area"),
    (
        "objectives.USA.Poland.treaty",
        put("objectives", "USA", "Poland", {"treaty": 1}),
        "unknown kind",
    ),
    (
        "objectives.USA.Poland.control",
        put("objectives", "USA", "Poland", {"control": 0}),
        "1 or more",
    ),
    (
        "objectives.USA.Poland.control",
        put("objectives", "USA", "Poland", {"control": True}),
        "whole number",
    ),
    ("objectives.USA.Poland", put("objectives", "USA", "Poland", 4), "table"),
    ("objectives.USA.Poland", put("objectives", "USA", "Poland", {}), "one or more"),
]


@pytest.mark.parametrize(
    ("key", "change", "fault"), FAULTS, ids=[f"{key}-{fault}" for key, _, fault in FAULTS]
)
def test_card_fault_names_its_key(
    key: str, change: Callable[[dict[str, Any]], None], fault: str
) -> None:
    """Contract 1 and 2: file, key and fault."""
    tree = cards.load(GAME, "historical")
    change(tree)
    with pytest.raises(cards.CardError, match=fault) as raised:
        registry.check_card(tree)
    assert raised.value.key == key
    assert str(raised.value).startswith(f"{key}: ")


def test_optional_keys_of_a_card_may_be_missing() -> None:
    """Contract 2: a home, `no_understanding_broken_by`, a nation's objectives."""
    tree = cards.load(GAME, "historical")
    del tree["no_understanding_broken_by"], tree["home"]["USA"], tree["objectives"]["USA"]
    registry.check_card(tree)


def test_checkcard_reports_a_valid_card_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Contract 1."""
    call_command("checkcard", str(Path(cards.__file__).parent / GAME / "historical.toml"))
    assert (
        capsys.readouterr()
        .out.strip()
        .endswith("is a valid scenario of origins-ww2: Historical game.")
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe", "not UTF-8"),
        (b"game = ", "not TOML"),
        (b"", "game: is missing"),
        (
            (
                b'game = "origins-ww2"\nname = "x"\ntitle = "X"\nprovenance = "house"\nturns ='
                b" 1979-05-27\n"
            ),
            "turns: must be a whole number",
        ),
    ],
)
def test_checkcard_names_the_file_and_the_fault(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    """Contract 1: exit status 1."""
    file = tmp_path / "mine.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError) as raised:
        call_command("checkcard", str(file))
    assert raised.value.returncode == 1
    assert str(raised.value).startswith(f"{file}: ")
    assert message in str(raised.value)
