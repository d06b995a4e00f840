#!/usr/bin/env python
"""Run a management command of the gamesmaster.

`manage.py help` lists the commands.
"""

import os
import sys
from typing import NoReturn

try:
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db.utils import DatabaseError, OperationalError, ProgrammingError

    from games.base.starting import not_migrated
except ImportError:
    DJANGO = False
else:
    DJANGO = True

#: What `receivemail` may end with: stored, refused for good, try again.
MAIL_CODES = (None, os.EX_OK, os.EX_DATAERR, os.EX_TEMPFAIL)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
    if not DJANGO:
        _end(
            "Django is not installed for this Python. Run `make setup`, then use `.venv/bin/python"
            " manage.py ...`."
        )
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        _end(f"The settings cannot be used: {error}")
    except (OperationalError, ProgrammingError) as error:
        if words := _not_migrated():
            _end(words)
        if isinstance(error, ProgrammingError) and not _takes_mail():
            raise
        _end(
            f"The database cannot be used: {' '.join(str(error).split()).rstrip('.')}. Check"
            " DATABASE_URL, and that the database server runs."
        )
    except SystemExit as ended:
        # A wrong option ends with 2, for which the mail server would return the letter too.
        if _takes_mail() and ended.code not in MAIL_CODES:
            sys.exit(os.EX_TEMPFAIL)
        raise
    except Exception as error:
        if not _takes_mail():
            raise
        _end(f"The service cannot be started: {type(error).__name__}: {error}")


def _not_migrated() -> str:
    """Return a sentence about the migrations that the database lacks, as far as that is known."""
    try:
        return not_migrated()
    except DatabaseError:
        return ""


def _takes_mail() -> bool:
    return sys.argv[1:2] == ["receivemail"]


def _end(sentence: str) -> NoReturn:
    """Print the sentence and exit with 1, or with 75 for `receivemail`.

    With any other status the mail server would return the letter to the player.
    """
    print(sentence, file=sys.stderr)
    sys.exit(os.EX_TEMPFAIL if _takes_mail() else 1)


if __name__ == "__main__":
    main()
