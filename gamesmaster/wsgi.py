"""The web application for gunicorn; gunicorn.conf.py asks before whether it may start."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
application = get_wsgi_application()
