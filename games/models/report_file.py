"""Files that a referee sends with a report: pictures of the map, saved games of VASSAL."""

from __future__ import annotations

from django.db import models

from .coded import Coded
from .people import Person
from .phase import Phase


class ReportFile(Coded):
    """A file with the report of a phase; the package of its game checks it before it is stored."""

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="report_files")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=70, help_text="File name with its extension.")
    media_type = models.CharField(max_length=40)
    content = models.BinaryField()
    added_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["code"], name="report_file_coded_once")]

    def __str__(self) -> str:
        return f"{self.name} with {self.phase}"

    @property
    def kilobytes(self) -> int:
        return -(-len(self.content) // 1000)
