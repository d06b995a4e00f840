"""The web application for gunicorn. It is not made while a setting is missing or dangerous."""

import os

from django.core.wsgi import get_wsgi_application

from gamesmaster.starting import require_safe_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
application = get_wsgi_application()
require_safe_settings()
