"""What players send, as rows."""

from .ledger import StockCheck, Submission
from .mail import Handling, Mail

__all__ = ["Handling", "Mail", "StockCheck", "Submission"]
