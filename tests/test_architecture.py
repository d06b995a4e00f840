"""How the code is laid out (docs/design.md 2)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def modules(*folders: str) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def imports(path: Path) -> set[str]:
    """Every module that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_games_reaches_orders_only_through_turns_and_tasks() -> None:
    """design 2: imports run one way."""
    allowed = {
        "games/turns/phases.py",
        "games/turns/batch.py",
        "games/tasks.py",
        "games/permissions.py",
        "games/records/archive.py",
        "games/operations/metrics.py",
    }
    views = ("games/web/", "games/management/commands/", "games/admin", "games/letters/")
    guilty = [
        name
        for path in modules("games")
        if (name := str(path.relative_to(ROOT))) not in allowed and not name.startswith(views)
        if any(module == "orders" or module.startswith("orders.") for module in imports(path))
    ]
    assert guilty == []


def test_models_import_nothing_that_acts() -> None:
    """design 2: turns, desk, intake and post use the models, never the other way."""
    acting = (
        "games.turns.phases",
        "games.desk",
        "games.letters",
        "games.tasks",
        "games.web",
        "orders.ledger",
        "games.market",
    )
    guilty = [
        str(path)
        for path in modules("games/models", "orders/models")
        if any(m.startswith(acting) for m in imports(path))
    ]
    assert guilty == []


def test_no_game_is_named_outside_its_package() -> None:
    """design 3: no `if game ==` anywhere outside the registry."""
    allowed = {
        "games/rules/registry.py",
        "games/models/game.py",
        "games/models/sheet.py",
        "games/management/commands/play.py",
    }
    guilty = [
        name
        for path in modules("games", "orders", "gamesmaster")
        if (name := str(path.relative_to(ROOT))) not in allowed
        and not name.startswith(("games/rules/origins_ww1", "games/rules/origins_ww2"))
        if any(
            isinstance(node, ast.Constant) and str(node.value).startswith("origins-ww")
            for node in ast.walk(ast.parse(path.read_text()))
        )
    ]
    assert guilty == []


def test_no_module_is_called_by_a_word_that_says_nothing() -> None:
    """CONTRIBUTING: no utils, helpers, services or managers."""
    assert [
        p
        for p in modules("games", "orders", "gamesmaster", "tests")
        if p.stem in ("utils", "helpers", "services", "managers")
    ] == []


@pytest.mark.parametrize(
    "pattern",
    [r"https?://(?:pypi|files\.pythonhosted|registry\.npmjs)", r"--index-url|--find-links"],
)
def test_the_lock_carries_hashes_and_no_addresses(pattern: str) -> None:
    """A lock serves wherever an index is reached."""
    lock = (ROOT / "requirements.lock").read_text()
    assert not re.search(pattern, lock)
    assert lock.count("--hash=sha256:") > 100


def test_every_dependency_says_what_it_is_for() -> None:
    """CONTRIBUTING: a dependency earns its place in a line of pyproject.toml."""
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    packages = [line for line in lines if re.match(r'\s+"[A-Za-z][\w\-\[\]]*[<>=]', line)]
    assert len(packages) > 10
    assert [line for line in packages if "#" not in line] == []


def test_readme_lists_every_management_command() -> None:
    """README, “Commands”: each once, in the order of the alphabet."""
    folders = ("games/management/commands", "orders/management/commands")
    commands = {path.stem for path in modules(*folders) if path.stem != "__init__"}
    listed = re.findall(r"^\| `manage\.py (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert listed == sorted(commands)


@pytest.mark.parametrize("heavy", ["pandas", "yfinance", "exchange_calendars", "numpy"])
def test_the_web_process_loads_nothing_heavy_before_it_is_needed(heavy: str) -> None:
    """Heavy packages are imported only where they are used."""
    code = (
        f"import django, sys; django.setup(); import gamesmaster.urls; sys.exit('{heavy}' in"
        " sys.modules)"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "gamesmaster.settings", "PATH": ""}
    assert (
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, check=False
        ).returncode
        == 0
    )
