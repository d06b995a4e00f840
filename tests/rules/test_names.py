"""Check names as players write them (contract 3)."""

from __future__ import annotations

import pytest

from games.rules.names import NameFault, Vocabulary

AREAS = Vocabulary(
    (
        "USA",
        "Britain",
        "France",
        "Germany",
        "Russia",
        "Italy",
        "Rhineland",
        "Alsace-Lorraine",
        "Austria",
        "Czechoslovakia",
        "Poland",
        "Baltic States",
        "Rumania",
    ),
    "area",
)
NATIONS = Vocabulary(("USA", "France", "Britain", "Russia", "Germany"), "nation")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("poland", "Poland"),
        ("POL", "Poland"),
        ("alsace lorraine", "Alsace-Lorraine"),
        ("Alsace", "Alsace-Lorraine"),
        ("baltic-states", "Baltic States"),
        ("Baltics", "Baltic States"),
        ("baltic   s", "Baltic States"),
        ("Romania", "Rumania"),
        ("Roum", "Rumania"),
        ("ussr", "Russia"),
        ("sov", "Russia"),
        ("soviet-union", "Russia"),
        ("UK", "Britain"),
        ("eng", "Britain"),
        ("US", "USA"),
        ("united", "USA"),
        ("America", "USA"),
        ("Czech", "Czechoslovakia"),
        ("Cz", "Czechoslovakia"),
        ("Aus", "Austria"),
    ],
)
def test_name_is_found_by_spelling_synonym_or_unique_start(written: str, meant: str) -> None:
    """Contract 3: an exact match, else the one name or synonym that starts so."""
    assert AREAS.find(written) == meant


@pytest.mark.parametrize(
    ("written", "readings"),
    [
        ("Ru", ("Russia", "Rumania")),
        ("B", ("Britain", "Baltic States")),
        ("G", ("Britain", "Germany")),
    ],
)
def test_ambiguous_start_lists_its_readings(written: str, readings: tuple[str, ...]) -> None:
    """Contract 3: nothing is guessed. Great Britain counts as a spelling of Britain."""
    with pytest.raises(NameFault, match="ambiguous") as fault:
        AREAS.find(written)
    assert fault.value.ambiguous
    assert fault.value.near == readings


def test_synonym_of_a_name_not_on_the_card_is_refused() -> None:
    """Contract 3: a synonym whose name is not on the card for that place is refused."""
    with pytest.raises(NameFault, match="means Britain"):
        Vocabulary(("Ukraine", "Poland"), "area").find("UK")
    with pytest.raises(NameFault, match="means Rumania, and there is no nation"):
        NATIONS.find("Romania")


def test_start_of_a_synonym_counts_only_if_its_name_is_on_the_card() -> None:
    """Contract 3: "R" is Russia among nations although Roumania starts so too."""
    assert NATIONS.find("R") == "Russia"


def test_name_on_the_card_wins_over_a_synonym() -> None:
    """Contract 3: what equals a name means that name."""
    assert Vocabulary(("Britain", "England"), "area").find("england") == "England"


def test_misspelled_name_offers_the_nearest() -> None:
    """Contract 3: anything else offers the nearest reading."""
    with pytest.raises(NameFault) as fault:
        AREAS.find("Polnd")
    assert fault.value.near[0] == "Poland"


@pytest.mark.parametrize("written", ["", "  ", "-", "Atlantis", "Poland2", "P.", "x" * 100_000])
def test_unknown_name_is_refused(written: str) -> None:
    """Contract 3."""
    with pytest.raises(NameFault):
        AREAS.find(written)
