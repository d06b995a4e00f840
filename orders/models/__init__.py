"""Models of what players send."""

from .ledger import StockCheck, Submission
from .mail import Handling, Mail, Signature
from .unsent import Draft, OrdersAhead
