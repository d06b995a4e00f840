"""Read by gunicorn when it starts. Before it makes workers it asks whether the service may start,
and loads all pages, which the workers then share. Each worker shows that the pages are open.

If each worker asked, all would end at once, and gunicorn, which stops the others when one cannot
start, ends with a traceback if it finds a second one. If each loaded the pages, its first reader
would wait for them.
"""

import logging
import os
import sys
from importlib import import_module
from typing import Any

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from games.base import logs
from games.base.starting import require_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")

# Trust no header, not even from this machine: a client could send SCRIPT_NAME through a proxy here,
# and read what the proxy hides, such as /readyz. Django trusts what BEHIND_TLS_PROXY says.
forwarded_allow_ips = ""


def on_starting(server: Any) -> None:
    """End with one sentence if settings, tables or static files are missing; load the pages."""
    try:
        django.setup()
        require_ready()
        if not (settings.STATIC_ROOT / "staticfiles.json").exists():  # the list of their names
            raise ImproperlyConfigured(
                f"There are no static files in {settings.STATIC_ROOT}. Run: manage.py collectstatic"
            )
        import_module(settings.ROOT_URLCONF)
    except ImproperlyConfigured as error:
        logging.getLogger("gamesmaster").critical("%s", error)
        sys.exit(1)
    # Its own lines quote addresses of pages, which may have keys.
    line = logs.Json() if settings.LOG_FORMAT == "json" else logs.Line()
    for handler in logging.getLogger("gunicorn.error").handlers:
        handler.setFormatter(line)


def post_worker_init(worker: Any) -> None:
    """Show that orders can come in by the pages, once a worker has loaded them."""
    ways_in = import_module("games.turns.ways_in")  # needs the models, which are loaded now
    ways_in.keep_beating(ways_in.PAGES)
