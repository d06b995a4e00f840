"""Addresses of the pages."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from games.api import reference
from games.api.service import api

#: The pages for unknown addresses and for errors; the latter distinguishes a database that accepts
#: no writes from a fault of the service.
handler404 = "games.pages.errors.not_found"
handler500 = "games.pages.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("api/", reference.page, name="api"),
    path("api/v1/", api.urls),
    path("", include("games.urls")),
    path("", include("orders.web.urls")),
]
if settings.MAIL_WEBHOOK:
    from orders.inbound.transports import webhook

    urlpatterns.append(path("anymail/", include(webhook.patterns())))
