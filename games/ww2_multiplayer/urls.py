"""Addresses of the guest's own pages, included by `games.urls`."""

from __future__ import annotations

from django.urls import path

from . import printing
from .web import files, referee, score_sheets

urlpatterns = [
    path("games/<int:pk>/score-sheets/", score_sheets.score_sheets, name="score-sheets"),
    path("games/<int:pk>/referee/", referee.referee, name="referee"),
    path("games/<int:pk>/referee/files/", files.change, name="report-files"),
    path("games/<int:pk>/files/<code:code>/", files.read, name="report-file"),
    path("games/<int:pk>/desk/paper/referee.pdf", printing.referee_form, name="desk-paper-referee"),
]
