"""Templates as functions say what Django says, sign for sign (games/letters/moulds.py)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.template import Engine, engines
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from hypothesis import given
from hypothesis import strategies as st

from games.letters import contexts, moulds, once, rendering
from tests.letters import every_letter

#: Templates that name another one only when they are filled in: Django's.
LEFT_TO_DJANGO = {f"{kind}.{form}" for kind in ("begins", "newcomer") for form in ("txt", "html")}


def test_every_template_but_those_that_name_others_as_they_go_is_known() -> None:
    files = [file.name for file in (Path(settings.BASE_DIR) / "templates" / "mail").glob("*.*")]
    assert len(files) > 100
    assert {name for name in files if moulds._steps(f"mail/{name}") is None} == LEFT_TO_DJANGO


@pytest.mark.django_db
def test_every_letter_is_set_as_django_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """All kinds, alone and within one sending, where loops that several readers share are gone
    through once."""
    said: list[tuple[str, str, str]] = []
    cast = moulds.cast

    def both(name: str, facts: Mapping[str, Any]) -> SafeString:
        found = cast(name, facts)
        said.append((name, found, render_to_string(name, dict(facts))))
        return found

    monkeypatch.setattr(moulds, "cast", both)
    staged = every_letter.stage()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in every_letter.SETTINGS.items():
            patched.setattr(settings, name, value)
        for letter in staged.values():
            rendering.render(letter)
        with once.sending():
            for letter in staged.values():
                rendering.render(letter)
    assert {
        kind
        for kind in contexts.TELLERS
        if any(name.startswith(f"mail/{kind}.") for name, _, _ in said)
    } >= {letter.kind for letter in staged.values()}
    for name, found, djangos in said:
        assert found == djangos, name


SAYINGS = (
    "{{ a }}|{{ b.c }}|{{ b.0 }}|{{ nothing }}|{{ b.nothing.more }}|{{ a.upper }}",
    "{% if a %}yes{% elif b %}b{% else %}no{% endif %}{% if not a and b or nothing %}x{% endif %}",
    (
        "{% if a == 'x' %}1{% endif %}{% if 'c' in b %}2{% endif %}{% if number >= 3 and a != 'x'"
        " %}3{% endif %}"
    ),
    (
        "{% for one in many %}{{ forloop.counter }}/{{ forloop.revcounter0 }}{% if forloop.last"
        " %}!{% endif %}{{ one }}{% empty %}{% endfor %}"
    ),
    (
        "{% for one in many %}{{ one }}{{ a }}{% endfor %}{% for one in many reversed %}{% if"
        " forloop.first %}{{ one }}{% endif %}{% endfor %}"
    ),
    (
        "{% for one in many %}{% for two in many %}{{ forloop.parentloop.counter }}.{{"
        " forloop.counter }} {{ two }}{% endfor %}{% endfor %}"
    ),
    (
        "{% for x, y in pairs %}{{ x|upper }}={{ y|default:'-' }};{% endfor %}{{ many|length }}{{"
        " many|join:', ' }}{{ many|length|pluralize }}"
    ),
    (
        "{% with z=a|capfirst %}{{ z }}{% endwith %}{{ z }}{% autoescape off %}{{ a }}{{"
        " many|join:'<' }}{% endautoescape %}"
    ),
    (
        "{{ number }}{{ number|stringformat:'d'|rjust:4 }}{% if number > 2 %}more{% endif %}{{ safe"
        " }}{{ safe|upper }}{{ a|ljust:9 }}"
    ),
)
WORDS = st.text(alphabet="ax<&'\"\n é\U0001f600", max_size=6)
FACTS = st.fixed_dictionaries(
    {
        "a": WORDS,
        "b": st.one_of(
            st.dictionaries(st.sampled_from(["c", "0"]), WORDS),
            st.lists(WORDS, max_size=2),
            st.none(),
        ),
        "many": st.lists(WORDS, max_size=3),
        "pairs": st.lists(st.tuples(WORDS, st.one_of(st.none(), WORDS)), max_size=3),
        "number": st.one_of(st.integers(-5, 5000), st.booleans()),
        "safe": WORDS.map(mark_safe),
    }
)


@pytest.mark.parametrize("saying", SAYINGS)
def test_whatever_a_template_is_told_it_says_the_same(saying: str) -> None:
    engine = Engine.get_default()
    steps = moulds._Walk(engine, {}, autoescape=True).over(engine.from_string(saying).nodelist)

    @given(FACTS)
    def check(facts: dict[str, Any]) -> None:
        for _ in range(2):
            with once.sending():
                found: list[str] = []
                for step in steps:
                    step({"True": True, "False": False, "None": None, **facts}, found.append)
            assert "".join(found) == engines["django"].from_string(saying).render(facts)

    check()


def test_a_loop_is_shared_only_by_who_is_told_the_very_same_list() -> None:
    """A reader's part never comes into another's letter: lists that are alike are gone through
    each, and so is one beside another name."""
    engine = Engine.get_default()
    steps = moulds._Walk(engine, {}, autoescape=True).over(
        engine.from_string(
            "{% for one in many %}{{ one }}{% endfor %}|{% for one in many %}{{ one }}{{ name }}{%"
            " endfor %}"
        ).nodelist
    )

    def said(**facts: Any) -> str:
        found: list[str] = []
        for step in steps:
            step(facts, found.append)
        return "".join(found)

    with once.sending():
        shared = ["a", "b"]
        assert said(many=shared, name="Una") == "ab|aUnabUna"
        assert said(many=shared, name="Felix") == "ab|aFelixbFelix"
        for number in range(
            50
        ):  # lists that end before the next one begins might have its place in memory
            assert said(many=[str(number)], name="x") == f"{number}|{number}x"
