"""Read by gunicorn when it starts: its own lines have the format of the settings, too."""

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")


def on_starting(server: Any) -> None:
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    from games.base import logs

    try:
        json = settings.LOG_FORMAT == "json"
    except ImproperlyConfigured:
        return  # the first worker says why, and ends all
    if json:
        for handler in server.log.error_log.handlers:
            handler.setFormatter(logs.Json())
