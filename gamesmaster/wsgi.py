"""The web application for gunicorn, which does not start with missing or dangerous settings."""

import os

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

from games.base.starting import require_safe_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
application = get_wsgi_application()
require_safe_settings()
if not staticfiles_storage.hashed_files:
    raise ImproperlyConfigured(
        f"There are no static files in {settings.STATIC_ROOT}. Run: manage.py collectstatic"
    )

from games.turns import ways_in  # noqa: E402  # needs the models, which are loaded now

ways_in.keep_beating(ways_in.PAGES)
