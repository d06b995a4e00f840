"""Addresses of the pages."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

#: Shown for what fails: it tells a database that takes nothing just now from a fault of the
# service's own.
handler500 = "games.web.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("", include("games.urls")),
    path("", include("orders.web.urls")),
]
if settings.MAIL_WEBHOOK:
    from orders.inbound.transports import webhook

    urlpatterns.append(path("anymail/", include(webhook.patterns())))
