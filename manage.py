#!/usr/bin/env python
"""The commands of the gamesmaster: `manage.py help` lists them, contract.md 1 fixes those that others rely on."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("Django is not installed for this Python. Run `make setup`, then use `.venv/bin/python manage.py ...`.")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"The settings cannot be used: {error}")


if __name__ == "__main__":
    main()
