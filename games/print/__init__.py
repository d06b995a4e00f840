"""Printouts as PDF: the board, letters for window envelopes, order forms, and whole scenarios.

The typst templates in this directory get their data as JSON, so that user-written text is never
interpreted as template code. The same data gives the same bytes. Positions come from the ruleset's
`view`, as everywhere.
"""

from __future__ import annotations

from .board import board_pdf
from .forms import order_form_pdf
from .letters import letters_pdf, report_pdf
from .scenario import scenario_pdf
from .setting import A4, LETTER, paper_size
from .slips import slips_pdf
