"""Show the page that lists the API's operations, made from its schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.outbox import personal_webhooks

from .service import api


@dataclass(frozen=True)
class Field:
    """One value of a schema, with its type in words."""

    name: str
    type: str
    description: str
    required: bool


@dataclass(frozen=True)
class Form:
    """The schema of an answer or of a request body."""

    name: str
    description: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    does: str
    parameters: tuple[Field, ...]
    sends: str
    answers: str
    for_strangers: bool


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show every operation and every schema."""
    schema = api.get_openapi_schema()
    context = {
        "operations": list(_operations(schema)),
        "forms": list(_forms(schema)),
        "events": personal_webhooks.EVENTS,
    }
    return render(request, "api/reference.html", context)


def _operations(schema: Mapping[str, Any]) -> Iterator[Operation]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            success = next(
                answer for status, answer in operation["responses"].items() if status < 300
            )
            answer_content = success.get("content", {}).get("application/json", {})
            yield Operation(
                method=method.upper(),
                path=path,
                does=operation["description"],
                parameters=tuple(_parameter(parameter) for parameter in operation["parameters"]),
                sends=_type(body.get("schema", {})),
                answers=_type(answer_content.get("schema", {})),
                for_strangers={} in operation["security"],
            )


def _parameter(parameter: Mapping[str, Any]) -> Field:
    where = {"path": "in the address", "query": "after “?”", "header": "header"}[parameter["in"]]
    return Field(
        parameter["name"],
        f"{_type(parameter['schema'])}, {where}",
        parameter.get("description", ""),
        parameter["required"],
    )


def _forms(schema: Mapping[str, Any]) -> Iterator[Form]:
    for name, form in schema["components"]["schemas"].items():
        required = form.get("required", [])
        fields = tuple(
            Field(field, _type(value), value.get("description", ""), field in required)
            for field, value in form.get("properties", {}).items()
        )
        yield Form(name, form.get("description", ""), fields)


def _type(schema: Mapping[str, Any]) -> str:
    """Return a type in words, such as "list of Phase" or "integer or null"."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    match schema.get("type"):
        case "array":
            return f"list of {_type(schema['items'])}"
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            return f"object of {_type(schema['additionalProperties'])}"
        case "string" if "format" in schema:
            return str(schema["format"])
        case kind:
            return str(kind or "")
