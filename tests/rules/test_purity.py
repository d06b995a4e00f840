"""Check that a copy of `games/rules` and of guests' rules needs nothing but Python (design 2)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from games.rules.registry import GUESTS

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("games.rules", *(f"{guest}.rules" for guest in GUESTS.values()))

# Isolated and without site packages, so that nothing installed could be found even if something
# asked for it.
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
import importlib, json, pkgutil
found = []
for name in sys.argv[2:]:
    package = importlib.import_module(name)
    found += [module.name for module in pkgutil.walk_packages(package.__path__, name + ".")]
for name in found:
    importlib.import_module(name)
print(json.dumps([found, sorted(set(sys.modules) - before)]))
"""


def test_rules_import_only_the_standard_library_and_themselves() -> None:
    """Design 2 and 3: no Django, clock, network or other part of this project."""
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM, str(ROOT), *PACKAGES],
        capture_output=True,
        text=True,
        check=True,
    )
    modules, imported = json.loads(ran.stdout)
    assert "games.rules.origins_ww2.attacks" in modules
    outer = {package.rpartition(".")[0] for package in PACKAGES}
    strangers = [
        name
        for name in imported
        if name.partition(".")[0] not in sys.stdlib_module_names
        and name not in outer
        and not f"{name}.".startswith(tuple(f"{package}." for package in PACKAGES))
    ]
    assert strangers == []


def test_rules_use_no_clock_and_no_random_numbers() -> None:
    """Style 2: pure functions of values."""
    folders = [ROOT / package.replace(".", "/") for package in PACKAGES]
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        source = path.read_text("utf-8")
        for module in ("time", "random", "secrets", "os", "socket", "urllib"):
            assert f"import {module}\n" not in source, path
            assert f"from {module} import" not in source, path
        assert ".now(" not in source, path
