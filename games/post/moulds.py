"""Templates of letters as functions: what Django's templates say, said some ten times as quickly.

Django walks the nodes of a template anew for every letter, through a stack of contexts. Here each template is walked once, and becomes a
list of small functions that write into a list of strings; blocks, parents and includes are put in their places then. What comes out is
the same, sign for sign (tests/post/test_moulds.py). A template with anything that is not known here is left to Django whole.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.template import Context, Engine, Template
from django.template.base import FilterExpression, NodeList, TextNode, VariableDoesNotExist, VariableNode, render_value_in_context
from django.template.defaulttags import AutoEscapeControlNode, CommentNode, ForNode, IfNode, TemplateLiteral, WithNode
from django.template.loader import render_to_string
from django.template.loader_tags import BlockNode, ExtendsNode, IncludeNode
from django.utils.safestring import SafeString, mark_safe

from . import once

Facts = Mapping[str, Any]
Write = Callable[[str], None]
Step = Callable[[dict[str, Any], Write], None]
Value = Callable[[dict[str, Any]], Any]
Blocks = Mapping[str, NodeList]

_MISSING = object()


class _UnknownError(Exception):
    """A template says something that is not known here."""


def cast(name: str, facts: Facts) -> SafeString:
    """A template filled in: what `render_to_string(name, facts)` gives."""
    if settings.DEBUG:  # templates may change under the hand of whoever writes them
        return render_to_string(name, dict(facts))
    steps = _steps(name)
    if steps is None:
        return render_to_string(name, dict(facts))
    told = {"True": True, "False": False, "None": None, **facts}
    said: list[str] = []
    write = said.append
    for step in steps:
        step(told, write)
    return SafeString("".join(said))


@lru_cache(maxsize=512)
def _steps(name: str) -> tuple[Step, ...] | None:
    """The steps of a template; None for one that is Django's to fill in."""
    engine = Engine.get_default()
    try:
        return _Walk(engine, {}, autoescape=engine.autoescape).over(engine.get_template(name).nodelist)
    except _UnknownError:
        return None


class _Walk:
    """One walk over a template. `blocks` are those of its children, which stand in the place of its own."""

    def __init__(self, engine: Engine, blocks: Blocks, *, autoescape: bool, names: set[str] | None = None) -> None:
        self._engine, self._blocks, self._autoescape = engine, blocks, autoescape
        self._names = names if names is not None else set()  # what has been asked for by name
        if engine.string_if_invalid:
            raise _UnknownError("what is missing is to be named")

    def over(self, nodes: Iterable[Any]) -> tuple[Step, ...]:
        return tuple(step for node in nodes for step in self._step(node))

    def _step(self, node: Any) -> Sequence[Step]:
        match node:
            case TextNode():
                return [_text(node.s)]
            case VariableNode():
                return [_variable(self._value(node.filter_expression), autoescape=self._autoescape)]
            case IfNode():
                return [_if([(self._condition(one), self.over(nodes)) for one, nodes in node.conditions_nodelists])]
            case ForNode():
                return [self._for(node)]
            case WithNode():
                return [_with(self._values(node.extra_context), self.over(node.nodelist))]
            case BlockNode():
                return self.over(self._blocks.get(str(node.name), node.nodelist))
            case AutoEscapeControlNode():
                return _Walk(self._engine, self._blocks, autoescape=node.setting, names=self._names).over(node.nodelist)
            case IncludeNode():
                return self._include(node)
            case ExtendsNode():
                return self._extends(node)
            case CommentNode():
                return []
        raise _UnknownError(type(node).__name__)

    def _for(self, node: ForNode) -> Step:
        sequence, empty = self._value(node.sequence, lenient=True), self.over(node.nodelist_empty)
        around, self._names = self._names, set()
        each, inside = self.over(node.nodelist_loop), self._names
        self._names = around
        around |= inside
        alone = inside <= {*node.loopvars, "forloop"} and not node.nodelist_empty
        return _for(list(node.loopvars), sequence, each, empty, backwards=node.is_reversed, alone=alone)

    def _value(self, expression: Any, *, lenient: bool = False) -> Value:
        if not isinstance(expression, FilterExpression):
            raise _UnknownError(f"{expression}")
        self._note(expression.var)
        for _, arguments in expression.filters:
            for lookup, argument in arguments:
                self._note(argument if lookup else None)
        return _value(expression, autoescape=self._autoescape, lenient=lenient)

    def _note(self, variable: Any) -> None:
        if names := getattr(variable, "lookups", None):
            self._names.add(str(names[0]))
            self._names |= {"parentloop"} & set(names)

    def _values(self, named: Mapping[str, FilterExpression]) -> dict[str, Value]:
        return {name: self._value(one) for name, one in named.items()}

    def _include(self, node: IncludeNode) -> Sequence[Step]:
        """The other template's steps. Its blocks, if it had any, would be the whole letter's."""
        name = self._constant(node.template)
        if node.isolated_context or not name.startswith("mail/"):
            raise _UnknownError(f"include {name}")
        steps = self.over(self._found(name).nodelist)
        return [_with(self._values(node.extra_context), steps)] if node.extra_context else steps

    def _extends(self, node: ExtendsNode) -> Sequence[Step]:
        parent = self._found(self._constant(node.parent_name))
        own = {str(name): block.nodelist for name, block in node.blocks.items()}
        return _Walk(self._engine, {**own, **self._blocks}, autoescape=self._autoescape, names=self._names).over(parent.nodelist)

    def _found(self, name: str) -> Template:
        return self._engine.get_template(name)

    @staticmethod
    def _constant(name: Any) -> str:
        if not isinstance(name, FilterExpression) or name.filters or not isinstance(name.var, str):
            raise _UnknownError(f"a template named by {name}")
        return str(name.var)

    def _condition(self, one: Any) -> Value | None:
        """A condition as `{% if %}` reads it: whatever goes wrong in a comparison makes it false."""
        if one is None:
            return None
        if isinstance(one, TemplateLiteral):
            return self._value(one.value, lenient=True)
        first = self._condition(one.first)
        second = self._condition(one.second) if one.second is not None else None
        if first is None or one.id not in _COMPARED:
            raise _UnknownError(f"if … {one.id}")
        return _compared(one.id, first, second)


# --- the steps ---


def _text(said: str) -> Step:
    def step(told: dict[str, Any], write: Write) -> None:
        write(said)

    return step


def _variable(value: Value, *, autoescape: bool) -> Step:
    odd = Context(autoescape=autoescape)

    def step(told: dict[str, Any], write: Write) -> None:
        found = value(told)
        kind = type(found)
        if kind is str:
            write(html.escape(found) if autoescape else found)
        elif kind is SafeString:
            write(found)
        else:
            write(render_value_in_context(found, odd))

    return step


def _if(cases: Sequence[tuple[Value | None, tuple[Step, ...]]]) -> Step:
    def step(told: dict[str, Any], write: Write) -> None:
        for condition, steps in cases:
            if condition is None or condition(told):
                for one in steps:
                    one(told, write)
                return

    return step


def _with(named: Mapping[str, Value], steps: tuple[Step, ...] | Sequence[Step]) -> Step:
    def step(told: dict[str, Any], write: Write) -> None:
        inner = {**told, **{name: value(told) for name, value in named.items()}}
        for one in steps:
            one(inner, write)

    return step


def _for(names: Sequence[str], sequence: Value, each: tuple[Step, ...], empty: tuple[Step, ...], *, backwards: bool, alone: bool) -> Step:
    """A loop. `alone`: it says nothing but what it goes over, so that it says of one and the same list the same to every reader."""
    single = names[0] if len(names) == 1 else ""

    def shared(told: dict[str, Any], write: Write) -> None:
        found = sequence(told)
        if found:
            write(once.ask(("loop", id(each), id(found)), lambda: (_said(step, told), found))[0])  # kept with the list: no other has its id

    def step(told: dict[str, Any], write: Write) -> None:
        found = sequence(told)
        items = [] if found is None else list(found)
        if not items:
            for one in empty:
                one(told, write)
            return
        inner, last = dict(told), len(items) - 1
        if backwards:
            items.reverse()
        for place, item in enumerate(items):
            inner["forloop"] = _Place(place, last, told.get("forloop", {}))
            if single:
                inner[single] = item
            else:
                inner.update(zip(names, item, strict=True))
            for one in each:
                one(inner, write)

    return shared if alone else step


def _said(step: Step, told: dict[str, Any]) -> str:
    said: list[str] = []
    step(told, said.append)
    return "".join(said)


class _Place:
    """`forloop`: where a loop stands."""

    __slots__ = ("counter", "counter0", "first", "last", "parentloop", "revcounter", "revcounter0")

    def __init__(self, place: int, last: int, parentloop: Any) -> None:
        self.counter0, self.counter, self.parentloop = place, place + 1, parentloop
        self.revcounter0, self.revcounter = last - place, last - place + 1
        self.first, self.last = place == 0, place == last


# --- values ---


def _value(expression: FilterExpression, *, autoescape: bool, lenient: bool = False) -> Value:
    """What an expression comes to. What is missing is nothing at all: None where that is asked for (`lenient`), else an empty text."""
    if expression.is_var:
        found = _found(str(expression.var), tuple(expression.var.lookups or ()), expression.var.literal, None if lenient else "")
    else:
        found = _literal(expression.var)
    for function, arguments in expression.filters:
        found = _filtered(found, function, [_argument(*argument) for argument in arguments], autoescape=autoescape)
    return found


def _literal(value: Any) -> Value:
    return lambda told: value


def _argument(lookup: bool, argument: Any) -> Value:
    if not lookup:
        return _literal(mark_safe(argument))  # it stands in the template
    return _found(str(argument), tuple(argument.lookups or ()), argument.literal, _MISSING)


def _found(said: str, names: tuple[str, ...], literal: Any, missing: Any) -> Value:
    if not names:
        return _literal(literal)
    if names[0] == "block":
        raise _UnknownError(said)
    first, rest = names[0], names[1:]

    def only(told: dict[str, Any]) -> Any:
        found = told.get(first, _MISSING)
        if found is _MISSING:
            return _nothing(said, missing)
        return _called(found, said) if callable(found) else found

    def deep(told: dict[str, Any]) -> Any:
        found = told.get(first, _MISSING)
        for name in rest:
            if found is _MISSING:
                break
            if callable(found):
                found = _called(found, said)
            found = _inside(found, name)
        if found is _MISSING:
            return _nothing(said, missing)
        return _called(found, said) if callable(found) else found

    return deep if rest else only


def _nothing(said: str, missing: Any) -> Any:
    if missing is _MISSING:
        raise VariableDoesNotExist("Failed lookup for [%s]", (said,))
    return missing


def _inside(found: Any, name: str) -> Any:
    """By key, by name, by place: as a dot in a template is read."""
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


def _called(found: Any, said: str) -> Any:
    """Letters are told plain values; a value that can be called is called, as Django does."""
    if getattr(found, "do_not_call_in_templates", False):
        return found
    if getattr(found, "alters_data", False):
        return ""
    return found()


def _filtered(value: Value, function: Any, arguments: Sequence[Value], *, autoescape: bool) -> Value:
    if getattr(function, "expects_localtime", False):
        raise _UnknownError(f"the filter {function.__name__}")
    more = {"autoescape": autoescape} if getattr(function, "needs_autoescape", False) else {}
    safe = getattr(function, "is_safe", False)

    def filtered(told: dict[str, Any]) -> Any:
        found = value(told)
        made = function(found, *[argument(told) for argument in arguments], **more)
        return mark_safe(made) if safe and isinstance(found, SafeString) else made  # as it was before

    return filtered


_COMPARED: dict[str, Callable[[Value, Value | None, dict[str, Any]], Any]] = {
    "and": lambda first, second, told: first(told) and second and second(told),
    "or": lambda first, second, told: first(told) or (second and second(told)),
    "not": lambda first, second, told: not first(told),
    "==": lambda first, second, told: second is not None and first(told) == second(told),
    "!=": lambda first, second, told: second is not None and first(told) != second(told),
    ">": lambda first, second, told: second is not None and first(told) > second(told),
    ">=": lambda first, second, told: second is not None and first(told) >= second(told),
    "<": lambda first, second, told: second is not None and first(told) < second(told),
    "<=": lambda first, second, told: second is not None and first(told) <= second(told),
    "in": lambda first, second, told: second is not None and first(told) in second(told),
    "not in": lambda first, second, told: second is not None and first(told) not in second(told),
}


def _compared(sign: str, first: Value, second: Value | None) -> Value:
    compare = _COMPARED[sign]

    def compared(told: dict[str, Any]) -> Any:
        try:
            return compare(first, second, told)
        except Exception:  # as Django has it: no comparison stops a template
            return False

    return compared
