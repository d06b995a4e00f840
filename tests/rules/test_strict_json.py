"""Check what readers of records and scenarios refuse: ambiguous documents (issue 19, item 8)."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from games.desk import DeskError, scenarios
from games.rules import cards, strict_json
from tests.support.examples import examples

ROOT = Path(__file__).resolve().parents[2]
DEEP = "[" * 51 + "]" * 51
BAD = {
    "a key twice": ('{"turn": 1, "turn": 2}', "the key “turn” is in one object twice"),
    "a key twice further in": ('[{"a": {"b": 1, "b": 1}}]', "the key “b” is in one object twice"),
    "NaN": ('{"turn": NaN}', "NaN is not a number"),
    "infinity": ('{"turn": -Infinity}', "-Infinity is not a number"),
    "beyond 64 bits": (
        "[9223372036854775808]",
        "the number 9223372036854775808 does not fit in 64 bits",
    ),
    "below 64 bits": (
        "[-9223372036854775809]",
        "the number -9223372036854775809 does not fit in 64 bits",
    ),
    "thousands of digits": ("9" * 5000, "does not fit in 64 bits"),
    "a fraction that overflows": ("[1e400]", "the number 1e400 does not fit"),
    "too deep": (DEEP, "line 1 is nested deeper than 50 levels"),
    "objects too deep": (
        '{"a":\n' * 51 + "1" + "}" * 51,
        "line 51 is nested deeper than 50 levels",
    ),
    "deep enough to end the process": ("[" * 1_000_000, "nested deeper than 50 levels"),
    "a text that never ends": ('"' + '\\"' * 100_000, "Unterminated string"),
    "nothing": ("", "Expecting value"),
}


@pytest.mark.parametrize(("text", "sentence"), BAD.values(), ids=BAD)
def test_ambiguous_document_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(strict_json.DocumentError) as refused:
        strict_json.loads(text)
    assert sentence in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50 + "]" * 50,
        '"' + "[{" * 100 + '\\"[" ',
        '{"[[": "\\\\", "a": "]"}',
        "[9223372036854775807, -9223372036854775808, 1.5e300]",
    ],
)
def test_document_just_within_the_limits_is_read(text: str) -> None:
    """Brackets within strings are not levels."""
    assert strict_json.loads(text) == json.loads(text)


TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@settings(max_examples=examples(100), deadline=None)
@given(tree=TREES, ascii_only=st.booleans())
def test_valid_trees_round_trip(tree: Any, ascii_only: bool) -> None:
    assert strict_json.loads(json.dumps(tree, ensure_ascii=ascii_only)) == tree
    strict_json.check(tree)


TOML = {
    "too deep": ("a = " + DEEP, "nested deeper than 50 levels"),
    "deeper than the parser goes": ("a = " + "[" * 100_000, "nested deeper than 50 levels"),
    "by dots": (".".join(["a"] * 60) + " = 1", "nested deeper than 50 levels"),
    "by thousands of dots": ("a." * 60_000 + "a = 1", "nested deeper than 50 levels"),
    "by dots of a table": (
        "[x]\n[ 'a b' . " + '"c.d" . ' * 60 + "e]",
        "nested deeper than 50 levels",
    ),
    "by dots within": ("x = {a = 1, " + "b." * 60 + "c = 2}", "nested deeper than 50 levels"),
    "NaN": ("turns = nan", "“turns”: nan is not a number"),
    "beyond 64 bits": (
        "[a]\nturns = 9223372036854775808",
        "“a.turns”: the number 9223372036854775808 does not fit in 64 bits",
    ),
    "thousands of digits": ("turns = 0x" + "f" * 9000, "does not fit in 64 bits"),
    "a key twice": ("turns = 1\nturns = 2", "not TOML"),
}


@pytest.mark.parametrize(("text", "sentence"), TOML.values(), ids=TOML)
def test_ambiguous_scenario_is_refused_by_upload_and_command(
    text: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(cards.CardError, match=sentence):
        cards.read_toml(text.encode())
    with pytest.raises(DeskError, match=sentence):
        scenarios.read_file(text.encode())
    path = tmp_path / "card.toml"
    path.write_text(text)
    with pytest.raises(CommandError, match=sentence):
        call_command("checkcard", str(path))


@pytest.mark.parametrize(
    "written", ['note = "e.g. a.b. ' + "One. Two of it. " * 40 + '...."\n', "x.'y.z'.w = 1\n"]
)
def test_dots_of_ordinary_text_are_no_levels(written: str) -> None:
    assert cards.read_toml(written.encode()) == tomllib.loads(written)


@pytest.mark.parametrize("kind", ["a key twice", "NaN", "beyond 64 bits", "too deep"])
@pytest.mark.parametrize("command", ["verify", "importgame", "adjudicate"])
def test_commands_refuse_ambiguous_documents(kind: str, command: str, tmp_path: Path) -> None:
    text, sentence = BAD[kind]
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(CommandError, match=sentence):
        call_command(command, str(path))


def test_adjudicate_answers_a_bad_line_in_its_place(tmp_path: Path) -> None:
    """Contract 1: `--lines` continues after a malformed line."""
    path = tmp_path / "lines"
    kinds = ("a key twice", "NaN", "deep enough to end the process")
    path.write_text("".join(f"{BAD[kind][0]}\n" for kind in kinds))
    out = io.StringIO()
    call_command("adjudicate", "--lines", str(path), stdout=out)
    answers = [json.loads(line)["error"] for line in out.getvalue().splitlines()]
    assert len(answers) == len(kinds)
    for kind, answer in zip(kinds, answers, strict=True):
        assert BAD[kind][1] in answer


def test_deeply_nested_record_does_not_crash_the_checker(tmp_path: Path) -> None:
    """Python's own parser overflows the stack on such a record."""
    path = tmp_path / "record.json"
    path.write_text('{"a":' * 1_000_000)
    program = (
        "import sys; from games.rules.verification import checker;"
        " sys.exit(checker.main(sys.argv[1:]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "nested deeper than 50 levels" in ran.stderr
