"""The error answers of operations, for the schema."""

from __future__ import annotations

from typing import Any

from .answers import Problem

#: 304: not modified. 401: the token is not valid. 404: not found, or not yours to see. 422: an
#: invalid value. 429: too many requests. 503: the service receives nothing at the moment.
READ: dict[int, Any] = {
    304: None,
    401: Problem,
    404: Problem,
    422: Problem,
    429: Problem,
    503: Problem,
}
#: 400: not JSON. 403: not yours to do. 409: not possible now. 413: too long.
WRITE: dict[int, Any] = {
    **{status: form for status, form in READ.items() if status != 304},
    400: Problem,
    403: Problem,
    409: Problem,
    413: Problem,
}
