"""The mark of a letter as sent, made as soon as the mail server has taken it.

It is one statement in a transaction of its own: whoever kills the worker after it finds the letter
marked, so that at most the one in flight goes out twice.
"""

from __future__ import annotations

from datetime import datetime

from django.db import DEFAULT_DB_ALIAS, connections

from games.models import Letter

Status = Letter.Status

#: This transaction alone does not wait for the disk. 11,400 deadlines a minute with five letters
#: each are 950 marks a second, and a disk that is waited for takes some hundred. What a database
#: loses that breaks down in that very second is a mark: the letter goes out once more, the same to
#: the byte and under the same Message-ID.
_MARK = (
    f"UPDATE {Letter._meta.db_table} SET status = %s, due_at = NULL, claim = '',"
    " claimed_until = NULL, fault = '', sent_at = %s WHERE id = %s AND claim = %s AND status = %s"
    " AND set_config('synchronous_commit', 'off', true) = 'off'"
)


def mark_sent(letter: Letter, token: str, at: datetime) -> bool:
    """Mark a letter as sent, and return whether this token still held it."""
    connection = connections[DEFAULT_DB_ALIAS]
    # Within a transaction the setting would be that of everything else in it.
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        mine = Letter.objects.filter(pk=letter.pk, claim=token, status=Status.SENDING)
        done = {"due_at": None, "claim": "", "claimed_until": None, "fault": "", "sent_at": at}
        return mine.update(status=Status.SENT, **done) == 1
    with connection.cursor() as cursor:
        cursor.execute(_MARK, [Status.SENT.value, at, letter.pk, token, Status.SENDING.value])
        return bool(cursor.rowcount == 1)
