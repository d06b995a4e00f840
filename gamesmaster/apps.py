from django.apps import AppConfig


class GamesmasterConfig(AppConfig):
    name = "gamesmaster"
    verbose_name = "Gamesmaster"

    def ready(self) -> None:
        from . import checks  # noqa: F401 (registers the system checks)
