"""Letters' templates as Python: what Django's templates say, said many times as quickly.

Django walks the nodes of a template anew for every letter, through a stack of contexts. Here each
is walked once and written down as a function of Python: blocks, parents and includes are put in
their places, and what a loop goes over is a variable. What comes out is the same, sign for sign
(tests/letters/test_moulds.py). A template with anything that is not known here is left to Django
whole.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.template import Context, Engine, Template
from django.template.base import (
    FilterExpression,
    NodeList,
    TextNode,
    VariableDoesNotExist,
    VariableNode,
    render_value_in_context,
)
from django.template.defaulttags import (
    AutoEscapeControlNode,
    CommentNode,
    ForNode,
    IfNode,
    TemplateLiteral,
    WithNode,
)
from django.template.loader import render_to_string
from django.template.loader_tags import BlockNode, ExtendsNode, IncludeNode
from django.utils.safestring import SafeString, mark_safe

from . import once

Facts = Mapping[str, Any]
Write = Callable[[str], Any]
#: Writes what a template says, or a loop of it.
Step = Callable[[Any, Write], None]
Blocks = Mapping[str, NodeList]

_MISSING = object()
_CONSTANTS = ("True", "False", "None")


class _UnknownError(Exception):
    """A template says something that is not known here."""


def cast(name: str, facts: Facts) -> SafeString:
    """A template filled in: what `render_to_string(name, facts)` gives."""
    if settings.DEBUG:  # templates may change under the hand of whoever writes them
        return render_to_string(name, dict(facts))
    steps = _steps(name)
    if steps is None or any(
        map(callable, facts.values())
    ):  # letters are told plain values; Django calls what can be called
        return render_to_string(name, dict(facts))
    said: list[str] = []
    for step in steps:
        step(facts, said.append)
    return SafeString("".join(said))


@lru_cache(maxsize=512)
def _steps(name: str) -> tuple[Step, ...] | None:
    """What writes a template; None for one that is Django's to fill in."""
    engine = Engine.get_default()
    try:
        return _Walk(engine, {}, autoescape=engine.autoescape).over(
            engine.get_template(name).nodelist
        )
    except _UnknownError:
        return None


class _Source:
    """A function as it is written: its lines, and the values that stand in it under names of their
    own."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {
            "_once": once.ask,
            "_said": _said,
            "_escape": html.escape,
            "_Safe": SafeString,
            "_odd": render_value_in_context,
            "_place": _Place,
            "_deep": _deep,
            "_called": _called,
            "_tried": _tried,
            "_missing": _MISSING,
        }
        self._lines: list[str] = ["def step(told, write):"]
        self._depth, self._text, self._named = 1, "", 0

    def text(self, said: str) -> None:
        self._text += said

    def line(self, line: str) -> None:
        """A line of Python, after the texts that come before it."""
        self.flush()
        self._lines.append(" " * self._depth + line)

    def flush(self) -> None:
        if self._text:
            self._lines.append(f"{' ' * self._depth}write({self._text!r})")
            self._text = ""

    @contextmanager
    def within(self, line: str) -> Iterator[None]:
        """A line that ends in a colon, and what stands under it."""
        self.line(line)
        self._depth += 1
        yield
        self.line("pass")
        self._depth -= 1

    def name(self) -> str:
        self._named += 1
        return f"v{self._named}"

    def value(self, value: Any) -> str:
        """The name under which a value stands."""
        name = self.name()
        self.values[name] = value
        return name

    def compiled(self) -> Step:
        self.line("pass")
        exec(compile("\n".join(self._lines), "<a letter's template>", "exec"), self.values)
        step: Step = self.values["step"]
        return step


class _Walk:
    """One walk over a template. `blocks` are those of its children, which stand in the place of its
    own."""

    def __init__(
        self, engine: Engine, blocks: Blocks, *, autoescape: bool, inside: _Walk | None = None
    ) -> None:
        self._engine, self._blocks, self._autoescape = engine, blocks, autoescape
        self._names: set[str] = (
            inside._names if inside is not None else set()
        )  # what has been asked for by name
        self._source: _Source = inside._source if inside is not None else _Source()
        self._known: dict[str, str] = (
            inside._known if inside is not None else {}
        )  # names of the template that are variables here
        if engine.string_if_invalid:
            raise _UnknownError("what is missing is to be named")

    def over(self, nodes: Iterable[Any]) -> tuple[Step, ...]:
        """The nodes as a function."""
        self._all(nodes)
        return (self._source.compiled(),)

    def _all(self, nodes: Iterable[Any]) -> None:
        for node in nodes:
            self._one(node)

    def _one(self, node: Any) -> None:
        match node:
            case TextNode():
                self._source.text(node.s)
            case VariableNode():
                self._variable(node.filter_expression)
            case IfNode():
                self._if(node)
            case ForNode():
                self._for(node)
            case WithNode():
                with self._knowing(self._set(node.extra_context)):
                    self._all(node.nodelist)
            case BlockNode():
                self._all(self._blocks.get(str(node.name), node.nodelist))
            case AutoEscapeControlNode():
                _Walk(self._engine, self._blocks, autoescape=node.setting, inside=self)._all(
                    node.nodelist
                )
            case IncludeNode():
                self._include(node)
            case ExtendsNode():
                self._extends(node)
            case CommentNode():
                pass
            case _:
                raise _UnknownError(type(node).__name__)

    # --- names ---

    @contextmanager
    def _knowing(self, names: Mapping[str, str]) -> Iterator[None]:
        """While this lasts, these names of the template are variables of the function."""
        before = dict(self._known)
        self._known.update(names)
        yield
        self._known.clear()
        self._known.update(before)

    def _set(self, named: Mapping[str, FilterExpression]) -> dict[str, str]:
        """Variables that are set to these values, by their names in the template."""
        values = {name: self._value(one) for name, one in named.items()}
        variables = {name: self._source.name() for name in values}
        for name, value in values.items():
            self._source.line(f"{variables[name]} = {value}")
        return variables

    # --- what stands in a template ---

    def _variable(self, expression: FilterExpression) -> None:
        value, found = self._value(expression), self._source.name()
        odd = self._source.value(Context(autoescape=self._autoescape))
        plain = f"_escape({found})" if self._autoescape else found
        self._source.line(f"{found} = {value}; kind = type({found})")
        number = "" if settings.USE_THOUSAND_SEPARATOR else f"str({found}) if kind is int else "
        self._source.line(
            f"write({plain} if kind is str else {found} if kind is _Safe else {number}_odd({found},"
            f" {odd}))"
        )

    def _if(self, node: IfNode) -> None:
        word = "if"
        for condition, nodes in node.conditions_nodelists:
            said = "True" if condition is None else self._condition(condition)
            with self._source.within(f"{word} {said}:"):
                self._all(nodes)
            word = "elif"

    def _for(self, node: ForNode) -> None:
        """A loop. One over a list that is told, and that says nothing but what it goes over, says
        of one and the same list the same to every reader: it is gone through once."""
        source, found = self._source, self._source.name()
        names, known = self._names, self._known
        self._names, self._known, self._source = set(), {}, _Source()
        self._loop(node, "told")  # by itself, as a function of its list
        inside, alone = self._names, self._source
        self._names, self._known, self._source = names, known, source
        source.line(f"{found} = {self._value(node.sequence, lenient=True)}")
        if inside <= {"forloop"} and not node.nodelist_empty and not self._is_known(node.sequence):
            step = source.value(alone.compiled())
            with source.within(f"if {found}:"):  # kept with the list: no other has its id
                source.line(
                    f"write(_once(('loop', {step}, id({found})), lambda: (_said({step}, {found}),"
                    f" {found}))[0])"
                )
        else:
            self._loop(node, found, counted="forloop" in inside)
        names |= inside - known.keys()

    def _loop(self, node: ForNode, found: str, *, counted: bool = True) -> None:
        """`counted`: somebody asks for the place in it."""
        source, variables = self._source, {name: self._source.name() for name in node.loopvars}
        items, goes = source.name(), ", ".join(variables.values())
        source.line(f"{items} = [] if {found} is None else list({found})")
        if node.is_reversed:
            source.line(f"{items}.reverse()")
        if counted:
            number, place = source.name(), source.name()
            around = self._known.get("forloop", "{}")
            variables["forloop"] = place
            begins = [
                f"for {number}, {goes if len(node.loopvars) == 1 else f'({goes})'} in"
                f" enumerate({items}):"
            ]
            begins.append(f"{place} = _place({number}, len({items}) - 1, {around})")
        else:
            begins = [f"for {goes} in {items}:"]
        with source.within(begins[0]), self._knowing(variables):
            for line in begins[1:]:
                source.line(line)
            self._all(node.nodelist_loop)
        if node.nodelist_empty:
            with source.within(f"if not {items}:"):
                self._all(node.nodelist_empty)

    def _include(self, node: IncludeNode) -> None:
        """The other template's steps. Its blocks, if it had any, would be the whole letter's."""
        name = self._constant(node.template)
        if node.isolated_context or not name.startswith("mail/"):
            raise _UnknownError(f"include {name}")
        with self._knowing(self._set(node.extra_context)):
            self._all(self._found(name).nodelist)

    def _extends(self, node: ExtendsNode) -> None:
        parent = self._found(self._constant(node.parent_name))
        own = {str(name): block.nodelist for name, block in node.blocks.items()}
        _Walk(self._engine, {**own, **self._blocks}, autoescape=self._autoescape, inside=self)._all(
            parent.nodelist
        )

    def _found(self, name: str) -> Template:
        return self._engine.get_template(name)

    @staticmethod
    def _constant(name: Any) -> str:
        if not isinstance(name, FilterExpression) or name.filters or not isinstance(name.var, str):
            raise _UnknownError(f"a template named by {name}")
        return str(name.var)

    # --- values, as expressions of Python ---

    def _condition(self, one: Any) -> str:
        """A condition as `{% if %}` reads it: whatever goes wrong in a comparison makes it
        false."""
        if isinstance(one, TemplateLiteral):
            return self._value(one.value, lenient=True)
        if one.id not in _COMPARED:
            raise _UnknownError(f"if … {one.id}")
        first = self._condition(one.first)
        said = (
            f"(not {first})"
            if one.second is None
            else f"({first} {one.id} {self._condition(one.second)})"
        )
        harmless = one.id in _HARMLESS and all(map(_is_harmless, (one.first, one.second)))
        return said if harmless else f"_tried(lambda: {said})"

    def _value(self, expression: Any, *, lenient: bool = False) -> str:
        """What an expression comes to. What is missing is nothing at all: None where that is asked
        for (`lenient`), else an empty text."""
        if not isinstance(expression, FilterExpression):
            raise _UnknownError(f"{expression}")
        value = (
            self._looked_up(expression.var, None if lenient else "")
            if expression.is_var
            else self._source.value(expression.var)
        )
        for function, arguments in expression.filters:
            if getattr(function, "expects_localtime", False):
                raise _UnknownError(f"the filter {function.__name__}")
            given = [value, *(self._argument(*argument) for argument in arguments)]
            called = self._source.value(_filter(function, autoescape=self._autoescape))
            value = f"{called}({', '.join(given)})"
        return value

    def _argument(self, lookup: bool, argument: Any) -> str:
        return (
            self._looked_up(argument, _MISSING)
            if lookup
            else self._source.value(mark_safe(argument))
        )  # it stands in the template

    def _looked_up(self, variable: Any, missing: Any) -> str:
        names = tuple(variable.lookups or ())
        if not names:
            return self._source.value(variable.literal)
        first, rest = names[0], names[1:]
        if first == "block":
            raise _UnknownError(str(variable))
        self._names |= {"parentloop"} & set(rest)
        if first == "forloop" or first not in {*self._known, *_CONSTANTS}:
            self._names.add(first)
        known = self._known.get(first, first if first in _CONSTANTS else "")
        if not rest and missing is not _MISSING:
            return (
                f"({known} if not callable({known}) else _called({known}))"
                if known
                else f"told.get({first!r}, {missing!r})"
            )
        instead = "_missing" if missing is _MISSING else repr(missing)
        return (
            f"_deep({known or f'told.get({first!r}, _missing)'}, {rest!r}, {instead},"
            f" {str(variable)!r})"
        )

    def _is_known(self, expression: Any) -> bool:
        """Whether it is made of what a loop goes over, or is no list of its own: nobody else is
        told that very list."""
        return (
            not expression.is_var
            or bool(expression.filters)
            or str((expression.var.lookups or ("",))[0]) in self._known
        )


# --- what is asked as a letter is set ---


def _said(step: Step, told: Any) -> str:
    said: list[str] = []
    step(told, said.append)
    return "".join(said)


def _is_harmless(one: Any) -> bool:
    """Whether a part of a condition cannot go wrong: a plain name, or what has been tried
    (`_tried`)."""
    if not isinstance(one, TemplateLiteral):
        return True
    value: Any = one.value
    return not value.filters and (not value.is_var or len(value.var.lookups or ()) <= 1)


def _tried(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except Exception:  # as Django has it: no comparison stops a template
        return False


def _filter(function: Any, *, autoescape: bool) -> Callable[..., Any]:
    """A filter, asked as Django asks it."""
    more = {"autoescape": autoescape} if getattr(function, "needs_autoescape", False) else {}
    if not getattr(function, "is_safe", False):
        return lambda found, *arguments: function(found, *arguments, **more)

    def filtered(found: Any, *arguments: Any) -> Any:
        made = function(found, *arguments, **more)
        return mark_safe(made) if isinstance(found, SafeString) else made  # as it was before

    return filtered


class _Place:
    """`forloop`: where a loop stands."""

    __slots__ = ("counter", "counter0", "first", "last", "parentloop", "revcounter", "revcounter0")

    def __init__(self, place: int, last: int, parentloop: Any) -> None:
        self.counter0, self.counter, self.parentloop = place, place + 1, parentloop
        self.revcounter0, self.revcounter = last - place, last - place + 1
        self.first, self.last = place == 0, place == last


def _deep(found: Any, names: tuple[str, ...], missing: Any, said: str) -> Any:
    """What is inside of what is inside."""
    for name in names:
        if found is _MISSING:
            break
        found = _inside(_called(found) if callable(found) else found, name)
    if found is _MISSING:
        if missing is _MISSING:
            raise VariableDoesNotExist("Failed lookup for [%s]", (said,))
        return missing
    return _called(found) if callable(found) else found


def _inside(found: Any, name: str) -> Any:
    """By key, by name, by place: as a dot in a template is read."""
    if type(found) is dict and name in found:
        return found[name]
    if hasattr(type(found), "__getitem__"):
        try:
            return found[name]
        except (TypeError, AttributeError, KeyError, ValueError, IndexError):
            pass
    try:
        return getattr(found, name)
    except (TypeError, AttributeError):
        if name in dir(found):
            raise
    try:
        return found[int(name)]
    except (IndexError, ValueError, KeyError, TypeError):
        return _MISSING


def _called(found: Any) -> Any:
    """Letters are told plain values; a value that can be called is called, as Django does."""
    if getattr(found, "do_not_call_in_templates", False):
        return found
    if getattr(found, "alters_data", False):
        return ""
    return found()


#: How conditions are put together: as in Python. The harmless ones go wrong with nothing that a
# letter is told.
_COMPARED = ("and", "or", "not", "==", "!=", ">", ">=", "<", "<=", "in", "not in")
_HARMLESS = ("and", "or", "not", "==", "!=")
