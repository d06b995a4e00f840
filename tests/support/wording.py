"""Find words and phrases that we do not write: `python -m tests.support.wording`.

`wording.toml` lists them, each with the replacement and the reason. A line with `wording: REASON`
in a comment allows what is in the same line and in the next one.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RULES = Path(__file__).with_suffix(".toml")
ALLOWED = re.compile(r"wording: \S+ \S+")
SPOKEN = re.compile(r"""\b(?:alt|title|aria-label|placeholder|content|value)=("[^"]*"|'[^']*')""")


@dataclass(frozen=True)
class Rule:
    """A phrase that we do not write. `where` lists the kinds of `Text` to search."""

    pattern: re.Pattern[str]
    use: str
    why: str
    where: frozenset[str]
    skip: tuple[str, ...]


@dataclass(frozen=True)
class Text:
    """Words of a file from `line` on. `kind`: shown to users, docs, code or tests (comments)."""

    kind: str
    line: int
    words: str


def read_rules(path: Path = RULES) -> list[Rule]:
    return [
        Rule(
            re.compile(rf"(?<![\w-])(?:{entry['words']})(?![\w-])".replace(" ", r"\s+"), re.I),
            entry["use"],
            entry["why"],
            frozenset(entry.get("where", ("shown", "docs", "code", "tests"))),
            tuple(entry.get("skip", ())),
        )
        for entry in tomllib.loads(path.read_text())["rule"]
    ]


def texts(path: str, source: str) -> Iterator[Text]:
    """Yield what people read in a file: shown sentences, comments, docstrings, prose."""
    kind = "tests" if path.startswith("tests/") else "code"
    if path.endswith(".py"):
        yield from python_texts(source, kind)
    elif path.endswith(".md"):
        yield Text("docs", 1, blank(r"(?ms)^```.*?^```|^    .*?$|`[^`\n]+`", source))
    elif path.startswith("tests/"):
        return
    elif path.endswith(".html"):
        for comment in re.finditer(r"(?s)\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}", source):
            yield Text("code", line_of(source, comment.start()), comment[0])
        yield Text("shown", 1, without_markup(source))
    elif path.endswith((".txt", ".typ")):
        yield Text("shown", 1, blank(r"(?s)\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", source))
    elif path.endswith(("options.toml", "presets.toml", "settings.toml")):
        yield Text("shown", 1, source)


def python_texts(source: str, kind: str) -> Iterator[Text]:
    """Yield docstrings, comments, test names and string literals of several words.

    String literals of tests are skipped: they quote what people write and what the service says.
    """
    nodes = list(ast.walk(ast.parse(source)))
    elsewhere: set[ast.AST] = set()  # docstrings, and parts of formatted strings
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node) is not None and isinstance(node.body[0], ast.Expr):
                literal = node.body[0].value
                assert isinstance(literal, ast.Constant)
                elsewhere.add(literal)
                yield Text(kind, literal.lineno, str(literal.value))
            if kind == "tests" and not isinstance(node, ast.Module):
                yield Text(kind, node.lineno, node.name.replace("_", " "))
        if isinstance(node, ast.JoinedStr):
            elsewhere.update(node.values)
            words = "…".join(str(v.value) for v in node.values if isinstance(v, ast.Constant))
            if kind != "tests":
                yield Text("shown", node.lineno, words)
    for node in nodes if kind != "tests" else ():
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in elsewhere
            and " " in node.value.strip()
        ):
            yield Text("shown", node.lineno, node.value)
    yield from comments(source, kind)


def comments(source: str, kind: str) -> Iterator[Text]:
    """Yield comments; consecutive lines are one text."""
    block: list[str] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if block and token.start[0] != last + 1:
            yield Text(kind, last - len(block) + 1, "\n".join(block))
            block = []
        block.append(token.string.lstrip("#:"))
        last = token.start[0]
    if block:
        yield Text(kind, last - len(block) + 1, "\n".join(block))


def without_markup(source: str) -> str:
    """Return a template without tags, but with attributes that are shown or spoken."""
    source = blank(r"(?s)\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}", source)
    source = blank(r"(?s)\{%.*?%\}|\{\{.*?\}\}", source, keep=r'(?<=[=:])"[^"\n]* [^"\n]*"')
    source = blank(r"(?is)<(script|style)\b.*?</\1>", source)
    return blank(r"(?s)<[^>]*>", source, keep=SPOKEN.pattern)


def blank(pattern: str, source: str, keep: str = "") -> str:
    """Replace matches with "…", keeping line ends and what `keep` matches."""

    def replace(found: re.Match[str]) -> str:
        remainder = "…".join(m[0] for m in re.finditer(keep, found[0])) if keep else ""
        return "…" + remainder + "\n" * (found[0].count("\n") - remainder.count("\n"))

    return re.sub(pattern, replace, source)


def line_of(source: str, position: int) -> int:
    """Return the line number of a position."""
    return source.count("\n", 0, position) + 1


def findings(path: str, source: str, rules: list[Rule]) -> list[str]:
    """Return "path:line: phrase" with advice for everything the rules find in a file."""
    lines = source.splitlines()
    found = []
    for text in texts(path, source):
        for rule in rules:
            if text.kind not in rule.where or path.startswith(rule.skip):
                continue
            for match in rule.pattern.finditer(text.words):
                number = text.line + text.words.count("\n", 0, match.start())
                if not ALLOWED.search("\n".join(lines[max(number - 2, 0) : number])):
                    phrase = " ".join(match[0].split())
                    found.append(f"{path}:{number}: “{phrase}”: write {rule.use}. {rule.why}")
    return found


def files() -> Iterator[tuple[str, str]]:
    """Yield path and text of every file of the project that people read."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    for path in listed:
        if (
            path.endswith((".py", ".md", ".html", ".txt", ".typ", ".toml"))
            and "/migrations/" not in path
        ):
            yield path, (ROOT / path).read_text()


def main() -> None:
    rules = read_rules()
    found = [finding for path, source in files() for finding in findings(path, source, rules)]
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
