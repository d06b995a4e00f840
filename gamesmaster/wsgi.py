"""The web application for gunicorn, which does not start with missing or dangerous settings, nor
without its tables and static files."""

import logging
import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

from games.base.starting import require_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
application = get_wsgi_application()
try:
    require_ready()
    if not (settings.STATIC_ROOT / "staticfiles.json").exists():  # the list of their names
        raise ImproperlyConfigured(
            f"There are no static files in {settings.STATIC_ROOT}. Run: manage.py collectstatic"
        )
except ImproperlyConfigured as error:
    logging.getLogger("gamesmaster").critical("%s", error)
    sys.exit(3)  # with this status of a worker gunicorn ends, too (`Arbiter.WORKER_BOOT_ERROR`)

from games.turns import ways_in  # noqa: E402  # needs the models, which are loaded now

ways_in.keep_beating(ways_in.PAGES)
