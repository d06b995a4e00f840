"""The answers besides success that operations have, for the schema."""

from __future__ import annotations

from typing import Any

from .answers import Problem

#: 304: what you have is still so. 401: the token opens nothing. 404: not there, or not yours to
# see. 422: a value that cannot be. 429: too many requests. 503: the database takes nothing.
READ: dict[int, Any] = {
    304: None,
    401: Problem,
    404: Problem,
    422: Problem,
    429: Problem,
    503: Problem,
}
#: 400: no JSON. 403: not yours to do. 409: not now. 413: too long.
WRITE: dict[int, Any] = {
    **{status: form for status, form in READ.items() if status != 304},
    400: Problem,
    403: Problem,
    409: Problem,
    413: Problem,
}
