"""Addresses of the guest's own pages, included by `games.urls`."""

from __future__ import annotations

from django.urls import path

from . import printing
from .web import files, reading, referee

urlpatterns = [
    path("games/<int:pk>/score-sheets/", reading.score_sheets, name="score-sheets"),
    path("games/<int:pk>/referee/", referee.referee, name="referee"),
    path("games/<int:pk>/referee/lines/", reading.report_lines, name="report-lines"),
    path("games/<int:pk>/referee/files/", files.change, name="report-files"),
    path("games/<int:pk>/files/<code:code>/", files.read, name="report-file"),
    path("games/<int:pk>/desk/paper/referee.pdf", printing.referee_form, name="desk-paper-referee"),
]
