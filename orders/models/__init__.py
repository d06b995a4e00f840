"""Models of what players send."""

from .ahead import OrdersAhead
from .draft import Draft
from .ledger import StockCheck, Submission
from .mail import Handling, Mail, Signature
