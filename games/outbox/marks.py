"""Letters marked as sent, each as soon as the mail server has taken it, while the next is on its
way already.

On PostgreSQL a mark is sent off and its answer awaited later (libpq's pipeline), each in a
transaction of its own: whoever kills the worker then, or the worker's machine, finds the letter
marked. Only what is between the server's 250 and that moment is in doubt, a fraction of a
millisecond. These transactions alone do not wait for the disk (`synchronous_commit`): what a
database loses that breaks down in that very second is a mark, and such a letter goes out once more,
the same to the byte and under the same Message-ID.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from games.models import Letter

logger = logging.getLogger(__name__)

_TABLE = Letter._meta.db_table
_MARK = (
    f"UPDATE {_TABLE} SET status = '{Letter.Status.SENT}', due_at = NULL, claim = '', claimed_until"
    " = NULL, fault = '', sent_at = $1 WHERE id = $2 AND claim = $3 AND status ="
    f" '{Letter.Status.SENDING}'"
).encode()


class Marks:
    """The marks of one sending. While any is out, nothing else may be asked of the database:
    `settle` comes first.

    `one` marks a letter the plain way, and says so where another worker has taken it over: on
    SQLite, within a transaction, and where anything went wrong with a mark that was sent off.
    """

    def __init__(self, token: str, at: datetime, one: Callable[[Letter], None]) -> None:
        self._token, self._at, self._one = token, at, one
        self._out: list[Letter] = []
        self._line: Any = None  # libpq's connection, while it is in pipeline mode

    def __enter__(self) -> Marks:
        return self

    def __exit__(self, *exception: object) -> None:
        self.settle()

    def sent(self, letter: Letter) -> None:
        """The mail server has taken this letter."""
        if self._line is None and not self._begin():
            self._one(letter)
            return
        self._out.append(letter)
        try:
            values = [str(self._at).encode(), b"%d" % letter.pk, self._token.encode()]
            self._line.send_query_prepared(b"", values)
            self._line.pipeline_sync()  # which sends it off, and makes it a transaction of its own
        except Exception:  # it is marked again by `settle`
            logger.warning("the mark of letter %s could not be sent off", letter.pk, exc_info=True)
            self.settle()

    def settle(self) -> None:
        """Waits until every mark has been answered. What was not marked is marked again, the plain
        way."""
        line, self._line = self._line, None
        out, self._out = self._out, []
        if line is None:
            return
        try:
            line.send_query_params(b"RESET synchronous_commit", None)
            line.pipeline_sync()
            answers = [
                _answers(line) for _ in range(len(out) + 2)
            ]  # the first and the last are the setting's
            line.exit_pipeline_mode()
        except Exception:  # whatever libpq says of a connection that is gone
            logger.warning("%d marks were not answered", len(out), exc_info=True)
            answers = []
            connections[DEFAULT_DB_ALIAS].close()
        marked = [answer == [b"UPDATE 1"] for answer in answers[1:-1]] or [False] * len(out)
        for letter, done in zip(out, marked, strict=True):
            if not done:
                self._one(letter)

    def _begin(self) -> bool:
        """Begins to send marks off, where that can be done."""
        connection = connections[DEFAULT_DB_ALIAS]
        if connection.vendor != "postgresql" or connection.in_atomic_block:
            return False
        connection.ensure_connection()
        line: Any = connection.connection.pgconn
        try:
            line.enter_pipeline_mode()
            line.send_query_params(b"SET synchronous_commit TO off", None)
            line.send_prepare(b"", _MARK)
            line.pipeline_sync()
        except Exception:  # whatever libpq says of a connection that is gone
            logger.warning("marks are written one by one", exc_info=True)
            connection.close()
            return False
        self._line = line
        return True


def _answers(line: Any) -> list[bytes]:
    """What the database says to what stands before the next synchronisation: of a statement that
    failed, nothing that it could say."""
    from psycopg.pq import ExecStatus

    said: list[bytes] = []
    while True:
        result = line.get_result()
        if result is None:
            continue
        if result.status == ExecStatus.PIPELINE_SYNC:
            return said
        failed = result.status in (ExecStatus.FATAL_ERROR, ExecStatus.PIPELINE_ABORTED)
        said.append(b"" if failed else result.command_status or b"")
        if failed:
            logger.warning(
                "a mark failed: %s", result.error_message.decode(errors="replace").strip()
            )
