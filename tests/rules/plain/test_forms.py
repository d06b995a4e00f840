"""Every word of an order has its place (contract 3a.1).

Each form is taken apart: what may not stand anywhere is put into every gap of every good phrasing.
"""

from __future__ import annotations

import itertools

import pytest

from games.rules.contract import Ruleset
from games.rules.plain import forms
from games.rules.plain.words import FORMS, KINDS, PARTS, SILENT
from tests.support.examples import sample

from .reading import WW1, WW2
from .test_phrasings import PLAIN, Phrasing

#: What no form has a place for between the words of an order: a state, a wish or an act of others,
#: a heading, an afterthought, another time.
INTRUDERS = [
    "have",
    "are",
    "is",
    "was",
    "had",
    "they",
    "the French want",
    "Russia says",
    "my ally Russia",
    "Draft:",
    "Example:",
    "scratch that",
    "as before",
    "last turn",
    "next turn",
    "swap",
]


def _gaps(written: str) -> list[tuple[str, str]]:
    words = written.split(" ")
    return [(" ".join(words[:at]), " ".join(words[at:])) for at in range(len(words) + 1)]


@pytest.mark.parametrize("phrasing", PLAIN, ids=lambda phrasing: phrasing.written)
def test_word_without_a_place_in_the_form_makes_it_no_order(phrasing: Phrasing) -> None:
    """A day tries twenty words and places of each phrasing, a soak every word everywhere."""
    tried = list(itertools.product(INTRUDERS, _gaps(phrasing.written)))
    for intruder, (before, behind) in sample(tried, 20):
        line = f"{before} {intruder} {behind}".strip()
        said = line.casefold()
        if any(way in said for way in ("stock is ", "odds are at least", "what's is left")):
            continue  # ways to say it
        assert not phrasing.read(line).understood, line


@pytest.mark.parametrize("phrasing", PLAIN, ids=lambda phrasing: phrasing.written)
def test_nation_before_an_order_is_its_writer_or_it_is_no_order(phrasing: Phrasing) -> None:
    """“Russia takes control of Austria”; but “France: 5” may be a row of a table."""
    for subject in ("The Russians", "Russia will", "France and Russia", "The British are"):
        reading = phrasing.read(f"{subject} {phrasing.written}")
        assert not reading.understood, subject


def _binding() -> list[tuple[str, str]]:
    return [
        (phrasing.written, phrasing.game)
        for phrasing in PLAIN
        if any(head in phrasing.orders for head in ("CONTROL", "SHARE", "ALLY", "LEAVE"))
    ]


@pytest.mark.parametrize(("written", "game"), _binding())
def test_foreign_nation_in_any_gap_of_what_binds_makes_it_no_order(written: str, game: str) -> None:
    """Contract 3a.2. Britain is an area, too, and is named in no form twice."""
    phrasing = next(one for one in PLAIN if (one.written, one.game) == (written, game))
    for nation in ("Britain", "the British", "Britain's", "Britain:"):
        for before, behind in _gaps(written):
            line = f"{before} {nation} {behind}".strip()
            understood = phrasing.read(line).understood
            assert not any("Britain" in words for _, words in understood), line


@pytest.mark.parametrize("rules", [WW1, WW2], ids=["origins-ww1", "origins-ww2"])
def test_every_form_is_written_with_words_that_exist(rules: Ruleset) -> None:
    for verb in rules.verbs:
        for form in verb.plain:
            forms.compiled(form)


def test_parts_of_forms_and_kinds_are_used() -> None:
    """A part or kind that no form names is a leftover."""
    written = " ".join([*PARTS.values(), *(form for some in FORMS.values() for form in some)])
    written += " ".join(form for rules in (WW1, WW2) for verb in rules.verbs for form in verb.plain)
    assert all(f"{{{part}}}" in written for part in PARTS)
    unused = {kind for kind in SILENT if kind not in written}
    assert unused == {"HEAD"}  # of headings only
    assert set(KINDS.values()) >= SILENT


@pytest.mark.parametrize("named", ["HOLDFAST", "{holdfast}"])
def test_form_with_a_word_that_the_table_lacks_says_so(named: str) -> None:
    """A new verb failed hundreds of tests by a bare `KeyError` until its words were added."""
    with pytest.raises(forms.UnknownWord) as raised:
        forms.compiled(f"{{lead}} {named} {{close}}")
    assert f"called “{named.strip('{}')}” in games/rules/plain/words.toml" in str(raised.value)
    assert f"“{{lead}} {named} {{close}}”" in str(raised.value)
