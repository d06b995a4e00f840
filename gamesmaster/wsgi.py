"""The web application for gunicorn; gunicorn.conf.py asks before whether it may start."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
application = get_wsgi_application()

from games.turns import ways_in  # noqa: E402  # needs the models, which are loaded now

ways_in.keep_beating(ways_in.PAGES)
