"""Files by which editors, pre-commit and a hosted service run the project's own commands."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent


def read_yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text())


def test_hooks_run_the_commands_of_make_check() -> None:
    """CONTRIBUTING: pre-commit calls the same tools, from the same environment."""
    recipe = re.search(r"^check:.*\n((?:\t.+\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    commands = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()]
    [local] = read_yaml(".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    assert sorted(hook["entry"] for hook in local["hooks"]) == sorted(commands)


def test_make_clean_leaves_the_data_of_a_club() -> None:
    """docs/operations.md, “A club”: by default all lasting data is in var."""
    recipe = re.search(r"^clean:\n\t(.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    assert "var" not in recipe[1].split()


def test_hosted_run_uses_the_oldest_supported_python_and_one_script() -> None:
    """CONTRIBUTING: `.ci/run` is the one list of what a clean clone must pass."""
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    [job] = read_yaml(".github/workflows/ci.yml")["jobs"].values()
    assert job["strategy"]["matrix"]["python"][0] == oldest.removeprefix(">=")
    assert [step["run"] for step in job["steps"] if "run" in step][-1] == ".ci/run"


def test_issue_forms_have_what_the_host_needs_to_show_them() -> None:
    """GitHub ignores a form without name, description or a field, and says so to nobody."""
    forms = [path for path in (ROOT / ".github/ISSUE_TEMPLATE").iterdir() if path.stem != "config"]
    assert len(forms) == 2
    for path in forms:
        form = yaml.safe_load(path.read_text())
        assert form["name"]
        assert form["description"]
        fields = [part for part in form["body"] if part["type"] != "markdown"]
        assert all(part["id"] and part["attributes"]["label"] for part in fields)
        assert fields


def test_values_and_tags_of_templates_end_on_the_line_on_which_they_begin() -> None:
    """Django shows one that spans lines as it is written, to the reader."""
    for path in (ROOT / "templates").rglob("*"):
        if path.suffix in (".html", ".txt"):
            begun = re.findall(r"\{\{[^}\n]*$|\{%[^}\n]*$", path.read_text(), re.MULTILINE)
            assert not begun, f"{path.name}: {begun}"
