from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.db.backends.signals import connection_created

from games.base import database


class GamesmasterConfig(AppConfig):
    name = "gamesmaster"
    verbose_name = "Gamesmaster"

    def ready(self) -> None:
        from games.operations import doctor  # noqa: F401 (registers the system checks)

        from . import checks  # noqa: F401 (the same)

        connection_created.connect(database.set_up)


class AdminConfig(admin_apps.AdminConfig):
    """Django's admin with the service's own login and index."""

    default = False  # the default of this package is GamesmasterConfig
    default_site = "gamesmaster.admin_site.Site"
