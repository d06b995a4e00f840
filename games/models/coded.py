"""Codes by which people know rows: their numbers would count what others do in secret."""

from __future__ import annotations

import secrets

from django.db import models

#: What `draw_code` returns, for addresses and tokens with a code in them.
CODE = "[0-9a-f]{24}"


def draw_code() -> str:
    """Return 24 hexadecimal digits at random: 96 bits, so that no two rows ever get the same."""
    return secrets.token_hex(12)


class Coded(models.Model):
    """Base of rows that addresses, headers and feeds name (docs/design.md 8).

    They show `code` and never the primary key. Each table has a constraint that makes it unique:
    for a unique field Django gives PostgreSQL a second index, for prefix searches.
    """

    code = models.CharField(max_length=24, default=draw_code, editable=False)

    class Meta:
        abstract = True
