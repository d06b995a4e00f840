"""Addresses of the pages."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("", include("games.urls")),
    path("", include("orders.urls")),
]
if settings.MAIL_WEBHOOK:
    from orders.mail import webhook

    urlpatterns.append(path("anymail/", include(webhook.patterns())))
