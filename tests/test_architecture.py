"""Test the structure of the code (docs/design.md 2); import-linter checks its layers."""

from __future__ import annotations

import ast
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest
from django.core import management
from django.core.management import find_commands

from games.rules import options, registry
from games.rules.verbs import Kind

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parent.parent
OWN = ("games", "orders", "gamesmaster")


def modules(*folders: str) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def test_modules_have_no_import_cycles() -> None:
    """design 3: no import cycle anywhere, inside packages included."""
    graph = grimp.build_graph("games", "orders", "gamesmaster", "tools")
    imported = {
        module: graph.find_modules_directly_imported_by(module)
        for module in graph.modules
        if ".migrations" not in module
    }
    # Raises CycleError, which names the modules of a cycle.
    TopologicalSorter(imported).prepare()


def test_every_package_and_loose_module_is_in_a_layer() -> None:
    """design 3: import-linter's contract lists everything, so that nothing escapes it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(each["layers"] for each in contracts["contracts"] if each["type"] == "layers")
    listed = {name for layer in layers for name in re.split(r"\s*[|:]\s*", layer)}
    places = [place for folder in OWN for place in (ROOT / folder).iterdir()]
    existing = {
        f"{place.parent.name}.{place.stem}"
        for place in places
        if place.name not in ("__init__.py", "migrations")
        and (place.suffix == ".py" or (place / "__init__.py").exists())
    }
    assert listed - {"tools"} == existing


def test_our_own_modules_are_imported_at_the_top_of_modules() -> None:
    """design 3: imports inside functions are for heavy third-party packages."""
    # Django apps connect signals in `ready`, because models cannot be imported before.
    allowed = {"gamesmaster/apps.py", "orders/apps.py"}
    guilty = [
        f"{name}:{node.lineno}"
        for path in modules("games", "orders", "gamesmaster", "tools")
        if (name := str(path.relative_to(ROOT))) not in allowed
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom)
        if node.level or (node.module or "").partition(".")[0] in OWN
    ]
    assert guilty == []


def test_games_has_at_most_ten_top_level_modules() -> None:
    """design 4: a newcomer finds the place for a change from the tree alone."""
    loose = sorted(path.name for path in (ROOT / "games").glob("*.py"))
    assert len(loose) <= 10, loose


def test_only_a_games_package_names_its_id() -> None:
    """design 3: no `if game ==` anywhere outside the registry."""
    allowed = {
        "games/rules/registry.py",
        "games/models/game.py",
        "games/models/scenario.py",
        "games/desk/demonstration.py",
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


#: Where a word that is also a verb means something else.
OTHER_MEANINGS = {
    "games/rules/deals/": "promises between nations have a language of their own",
    "games/web/game/deals.py": "promises, too",
    "templates/referee/_language.html": "the lines of a referee report",
    "games/rules/plain/": "reads the plain orders of the Origins games, and knows their verbs",
}
#: Where CONTROL is the counter, not the order.
COUNTER = {
    "games/boards/frame.py",
    "games/desk/scenarios.py",
    "games/desk/telephone_script.py",
    "games/letters/account.py",
    "games/letters/headlines.py",
    "games/print/letters.py",
    "games/rules/ruling_kinds.py",
    "games/pages/boards.py",
    "games/web/desk/ruling_forms.py",
    "games/web/scenarios/tables.py",
    "templates/games/_board.html",
}


def test_generic_code_knows_no_verb_of_a_game() -> None:
    """CONTRIBUTING, “Adding a game”: orders come from `verbs.toml`; only PASS is in every game."""
    names = {
        word
        for verb in registry.all_verbs()
        if verb.kind not in (Kind.PASS, Kind.FREE)
        for word in (verb.name, verb.head)
    }
    packages = tuple(f"{registry.folder(game).relative_to(ROOT)}/" for game in registry.RULESETS)
    guilty = [
        f"{name}: {words!r}"
        for name, words in (*_constants(), *_quoted_words(names))
        if not name.startswith((*packages, *OTHER_MEANINGS))
        if not (words.startswith("CONTROL") and name in COUNTER)
        if words in names or words.partition(" ")[0] in names
    ]
    assert guilty == []


@pytest.mark.parametrize("game", registry.GUESTS)
def test_generic_code_names_no_option_of_a_guest(game: str) -> None:
    """CONTRIBUTING, “Adding a game”: letters and answers about any game once read one's option."""
    package = f"{registry.GUESTS[game].replace('.', '/')}/"
    of_others = {
        option.id
        for rules in registry.RULESETS.values()
        if rules.id != game
        for option in options.group_options(rules.option_groups)
    }
    own = options.OPTIONS.keys() - of_others
    assert [name for name, words in _constants() if words in own if package not in name] == []


@cache
def _constants() -> tuple[tuple[str, str], ...]:
    """Return the texts in our modules, each with its module's path, except docstrings."""
    return tuple(_read_constants())


def _read_constants() -> Iterator[tuple[str, str]]:
    for path in modules("games", "orders", "gamesmaster"):
        tree = ast.parse(path.read_text())
        docstrings = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or id(node) in docstrings:
                continue
            if isinstance(node.value, str):
                yield str(path.relative_to(ROOT)), node.value.strip()


def _quoted_words(names: set[str]) -> Iterator[tuple[str, str]]:
    """Yield these words where templates and scripts quote them or show them as code."""
    quoted = re.compile(rf"""(?:["']|<code>)((?:{"|".join(sorted(names))})\b[^"'<]*)""")
    for folder in ("templates", "static", "games/print"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".html", ".txt", ".js", ".typ"):
                for words in quoted.findall(path.read_text()):
                    yield str(path.relative_to(ROOT)), words


def test_module_names_are_not_generic() -> None:
    """CONTRIBUTING: no utils, helpers, services or managers."""
    assert [
        p
        for p in modules("games", "orders", "gamesmaster", "tests", "tools")
        if p.stem in ("utils", "helpers", "services", "managers")
    ] == []


@pytest.mark.parametrize(
    "pattern",
    [r"https?://(?:pypi|files\.pythonhosted|registry\.npmjs)", r"--index-url|--find-links"],
)
def test_lock_files_have_hashes_and_no_addresses(pattern: str) -> None:
    """A lock file must work with any package index."""
    for path in ROOT.glob("requirements*.lock"):
        lock = path.read_text()
        assert not re.search(pattern, lock)
        assert lock.count("--hash=sha256:") >= lock.count("==") >= 1


def test_every_dependency_has_a_reason() -> None:
    """CONTRIBUTING: a dependency earns its place in a line of pyproject.toml."""
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    packages = [line for line in lines if re.match(r'\s+"[A-Za-z][\w\-\[\]]*[<>=]', line)]
    assert len(packages) > 10
    assert [line for line in packages if "#" not in line] == []


def named_files(page: Path) -> list[str]:
    """Return the files of this project that a page names between backticks."""
    folders = "games|orders|gamesmaster|tests|deploy|docs|templates|tools"
    return re.findall(rf"`((?:{folders})/[\w./-]+\.\w+)`", page.read_text())


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_docs_name_only_existing_files(page: Path) -> None:
    """CONTRIBUTING: change docs with the code."""
    assert [name for name in named_files(page) if not (ROOT / name).exists()] == []


def test_dotted_names_of_ours_exist_wherever_they_are_written() -> None:
    """A comment that sends its reader to a name leads there after the name has changed, too."""
    places = "|".join(
        rf"{app}\.{name}" for app in OWN for _, name, _ in pkgutil.iter_modules([str(ROOT / app)])
    )
    paths = [*modules(*OWN), *ROOT.glob("templates/**/*.*"), *ROOT.glob("docs/*.md")]
    named = {
        (name, path.name)
        for path in paths
        for name in re.findall(rf"(?<![\w.])(?:{places})\b(?:\.[A-Za-z]\w*)*", path.read_text())
    }
    assert len(named) > 100
    wrong = []
    for name, place in sorted(named):
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError):
            wrong.append(f"{place}: {name}")
    assert wrong == []


def test_readme_lists_every_management_command() -> None:
    """README, “Commands”: each command once, in alphabetical order."""
    folders = ("games/management/commands", "orders/management/commands")
    ours = {path.stem for path in modules(*folders) if path.stem != "__init__"}
    commands = ours - set(find_commands(management.__path__[0]))  # Django's own, adapted
    listed = re.findall(r"^\| `manage\.py (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert listed == sorted(commands)
