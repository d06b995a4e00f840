"""What players send, as rows."""

from .draft import Draft
from .ledger import StockCheck, Submission
from .mail import Handling, Mail, Signature

__all__ = ["Draft", "Handling", "Mail", "Signature", "StockCheck", "Submission"]
