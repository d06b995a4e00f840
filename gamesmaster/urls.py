"""Addresses of the pages."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from games.api import reference
from games.api.service import api
from games.web.desk import ruling_places, rulings

#: The pages for unknown addresses and for errors; the latter distinguishes a database that accepts
#: no writes from a fault of the service.
handler404 = "games.pages.errors.not_found"
handler500 = "games.pages.errors.server_error"

#: The desk's pages of rulings within the admin, under whose addresses the second factor is asked
#: for; they return to the phase there.
IN_ADMIN = {"place": ruling_places.ADMIN}
ADMIN_RULINGS = [
    path(where, admin.site.admin_view(view), IN_ADMIN, name=name)
    for where, view, name in (
        ("approval/", rulings.approval, "admin-approval"),
        ("approval/<int:number>/release/", rulings.release, "admin-release"),
        ("rulings/<int:number>/revoke/", rulings.revoke, "admin-ruling-revoke"),
        ("phases/<int:number>/ruling/", rulings.choose_kind, "admin-ruling-phase"),
        ("phases/<int:number>/ruling/<slug:kind>/", rulings.make, "admin-ruling-new"),
    )
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/games/<int:pk>/", include(ADMIN_RULINGS)),
    path("admin/", admin.site.urls),
    path("api/", reference.page, name="api"),
    path("api/v1/", api.urls),
    path("", include("games.urls")),
    path("", include("orders.web.urls")),
]
if settings.MAIL_WEBHOOK:
    from orders.inbound.transports import webhook

    urlpatterns.append(path("anymail/", include(webhook.patterns())))
