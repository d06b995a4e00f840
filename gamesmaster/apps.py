from django.apps import AppConfig
from django.db.backends.signals import connection_created

from gamesmaster.database import send_lists_in_binary


class GamesmasterConfig(AppConfig):
    name = "gamesmaster"
    verbose_name = "Gamesmaster"

    def ready(self) -> None:
        from . import checks  # noqa: F401 (registers the system checks)

        connection_created.connect(send_lists_in_binary)
