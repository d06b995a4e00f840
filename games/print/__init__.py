"""What goes out on paper: the board, a letter in a window envelope, a form to write orders on, and
the sheet of a game, each as a PDF to print.

Templates in typst's language stand beside this file and get their data as JSON: nothing that a
player wrote is ever read as a sign of the template. The same facts give the same bytes. Positions
come from the ruleset's `view`, as everywhere.
"""

from __future__ import annotations

from .board import board_pdf
from .forms import order_form_pdf
from .letters import letters_pdf, report_pdf
from .referee import referee_form_pdf
from .setting import A4, LETTER, paper_size
from .sheet import sheet_pdf
from .slips import slips_pdf

__all__ = [
    "A4",
    "LETTER",
    "board_pdf",
    "letters_pdf",
    "order_form_pdf",
    "paper_size",
    "referee_form_pdf",
    "report_pdf",
    "sheet_pdf",
    "slips_pdf",
]
