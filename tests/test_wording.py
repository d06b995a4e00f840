"""The words that we do not write (voice.md): what `make check` finds in which kinds of text."""

from __future__ import annotations

import pytest

from tests.support import wording

RULES = """
[[rule]]
words = "the doorbell"
use = "the webhook"
why = "No metaphors."
where = ["shown", "docs"]
skip = ["templates/mail/"]
"""


@pytest.fixture
def rules(tmp_path_factory: pytest.TempPathFactory) -> list[wording.Rule]:
    path = tmp_path_factory.mktemp("wording") / "rules.toml"
    path.write_text(RULES)
    return wording.read_rules(path)


@pytest.mark.parametrize(
    ("path", "source", "line"),
    [
        ("games/a.py", 'x = 1\nprint("Ring the doorbell.")', 2),
        ("games/a.py", 'print(f"Ring {x} at the doorbell.")', 1),
        ("games/a.py", 'print("Ring the"\n      " doorbell.")', 1),
        ("templates/a.html", "<p>\nRing the <b>\ndoorbell", 0),
        ("templates/a.html", "<p>\nRing The\ndoorbell", 2),
        ("templates/a.html", '<img alt="the doorbell">', 1),
        ("templates/a.html", '{% include "x" with b="the doorbell" %}', 1),
        ("docs/a.md", "Ring\nthe doorbell.", 2),
    ],
)
def test_a_banned_phrase_is_found_where_people_read_it(
    rules: list[wording.Rule], path: str, source: str, line: int
) -> None:
    found = wording.findings(path, source, rules)
    advice = "“the doorbell”: write the webhook. No metaphors."
    assert [words.lower() for words in found] == (
        [f"{path}:{line}: {advice}".lower()] if line else []
    )


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("games/a.py", "# Ring the doorbell."),
        ("games/a.py", "the_doorbell = x['the']['doorbell']"),
        ("games/a.py", "# wording: a quotation of the rules\nprint('the doorbell')"),
        ("tests/a.py", "assert 'the doorbell' in page"),
        ("templates/mail/a.html", "the doorbell"),
        ("templates/a.html", '<b class="the doorbell">{{ the.doorbell }}</b> the doorbells'),
        ("docs/a.md", "`the doorbell`\n\n    the doorbell\n"),
    ],
)
def test_code_exceptions_and_other_kinds_of_text_are_left_alone(
    rules: list[wording.Rule], path: str, source: str
) -> None:
    assert wording.findings(path, source, rules) == []


def test_comments_docstrings_and_test_names_are_read_as_text() -> None:
    source = '"""One."""\n# Two,\n# three.\ndef test_four_is_right(): ...\n'
    texts = [(text.line, text.words.split()) for text in wording.texts("tests/test_a.py", source)]
    assert sorted(texts) == [
        (1, ["One."]),
        (2, ["Two,", "three."]),
        (4, ["test", "four", "is", "right"]),
    ]


def test_every_wording_rule_has_a_replacement_and_a_reason() -> None:
    rules = wording.read_rules()
    assert rules
    assert all(rule.use and rule.why.endswith(".") for rule in rules)
