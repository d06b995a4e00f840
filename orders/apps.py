from django.apps import AppConfig
from django.conf import settings


class OrdersConfig(AppConfig):
    name = "orders"
    verbose_name = "Orders"

    def ready(self) -> None:
        from orders.inbound import checks, mail_path  # noqa: F401 (registers the system checks)

        if settings.MAIL_WEBHOOK:
            from orders.inbound.transports import webhook

            webhook.connect()
