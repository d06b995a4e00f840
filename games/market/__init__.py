"""The market: which session decides, when its sales are read, and what they settle to (docs/design.md 6, rules.md 0.1).

Importing this package loads neither pandas nor yfinance nor the calendars: they come with the first session or figure asked for.
"""

from .errors import MarketError, Unsettled
from .policy import Policy, first_reading_time, in_words, policy_of
from .readings import Figures, Observation, enter_figure, enter_no_report, observe, session_of
from .sessions import DEMO, Session, exchange_of, is_session_day, session_after, session_from_label
from .settle import Settled, Waiting, settle
from .sources import Report, Source, source_for

__all__ = [
    "DEMO",
    "XNYS",
    "Figures",
    "MarketError",
    "Observation",
    "Policy",
    "Report",
    "Session",
    "Settled",
    "Source",
    "Unsettled",
    "Waiting",
    "enter_figure",
    "enter_no_report",
    "exchange_of",
    "first_reading_time",
    "in_words",
    "is_session_day",
    "observe",
    "policy_of",
    "session_after",
    "session_from_label",
    "session_of",
    "settle",
    "source_for",
]
