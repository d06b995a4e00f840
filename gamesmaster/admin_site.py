"""The admin's site: login by letter, and an index in groups that people understand."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from games import permissions

#: The groups of the index. The last one also has all models that no group names.
GROUPS: dict[str, tuple[str, ...]] = {
    "Games": (
        *("Game", "Phase", "Ruling", "Seat", "Sitting", "Invitation", "Standby", "Absence"),
        *("Press", "Act", "Call", "Scenario", "Motion", "Proposal", "ProposalAnswer", "ReportFile"),
        *("Complaint", "Notebook"),
    ),
    "Evidence": (
        *("Submission", "Resolution", "Figure", "Draw", "Reading", "Listing", "DeadlineChange"),
        *("SessionChange", "MarketClosure", "RecordEntry", "Mail"),
    ),
    "People": (
        *("Person", "Address", "ReplyAddress", "Letter", "Mute", "PrintedCode", "Feed"),
        *("Channel", "Block", "AccessToken", "SecondFactor", "RecoveryCode", "LoginKey"),
        *("WrongCode", "Erasure", "Barring", "PersonNote"),
    ),
    "System": (),
}


#: The tables that gamesmasters work with, with what is found there; the rest is the operator's, and
#: links lead to it.
GAMESMASTERS = {
    "Game": "Your games: phase, deadline, who owes orders. From here all below is reached.",
    "Phase": "One round of orders with its board, figures, attacks and results, each to rule on.",
    "Ruling": "What a gamesmaster decided against the service, and why. “Add” makes one.",
    "Seat": "Who plays which nation.",
    "Act": "What was done at the desk: pauses, deadlines moved, players replaced.",
    "Submission": "Orders as they came, found by their text: page, mail, telephone, paper.",
    "Resolution": "Each version of a phase's result. The newest holds.",
    "Figure": "The sales of a stock that a phase uses, and why.",
    "Draw": "The digit of each attack and die, and the stock it comes from.",
    "Reading": "What a publisher or a newspaper said about a stock's sales, and when.",
    "Person": "Players and gamesmasters with their addresses.",
    "Letter": "What became of each letter, and why; one that was lost can be sent again.",
}


class Site(admin.AdminSite):
    site_header = site_title = "Gamesmaster"
    enable_nav_sidebar = False  # lists need the width
    index_title = "The record"

    def has_permission(self, request: HttpRequest) -> bool:
        return permissions.enters_admin(request.user)

    def get_urls(self) -> list[Any]:
        """Leave out the redirect to the page of any row by its number: it asks nobody's permission,
        and orders of all games are numbered as they come."""
        return [url for url in super().get_urls() if getattr(url, "name", "") != "view_on_site"]

    @method_decorator(never_cache)
    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the login by letter and back; refuse people without the permission."""
        home = reverse("admin:index")
        if self.has_permission(request):
            return redirect(home)
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or home, reverse("login"))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the index by group instead of by Django app, each group in its own order."""
        if app_label is not None:
            return super().get_app_list(request, app_label)
        models = {
            model["object_name"]: model
            for app in super().get_app_list(request)
            for model in app["models"]
            if permissions.operates(request.user) or model["object_name"] in GAMESMASTERS
        }
        for name, model in models.items():
            model["about"] = GAMESMASTERS.get(name, "")
        grouped = []
        for title, names in GROUPS.items():
            wanted_names = names or tuple(models)
            if rows := [models.pop(name) for name in wanted_names if name in models]:
                index = reverse("admin:index", current_app=self.name)
                grouped.append(
                    {
                        "name": title,
                        "app_label": title.lower(),
                        "app_url": f"{index}#{title.lower()}",
                        "has_module_perms": True,
                        "models": rows,
                    }
                )
        return grouped
