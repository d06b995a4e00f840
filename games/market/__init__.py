"""The market: which session decides, when its sales are read, and which figures they settle to
(docs/design.md 6, rules.md 0.1).

Importing this package loads neither pandas nor yfinance: the first reading does.
"""

from games.market.report import Report
from games.rules.sessions import Session
from games.rules.settling import PendingFigure, Policy, Settlement, first_reading_time, settle

from .announcing import Announced, announcement
from .asking import SECONDS_TO_ASK, SLOW, Requests, witness
from .entered import enter_figure, enter_no_report
from .errors import MarketError, SessionChanged, Unsettled
from .policy import describe_policy, fix_session, limits_in_words, policy_for, policy_of, session_of
from .readings import Figures, Observation, observe, observe_all
from .rolls import (
    COMMIT_REVEAL,
    GM_DICE,
    choose_seed,
    enter_rolls,
    entered_rolls,
    figures_from_rolls,
    place_of,
    sales_decide,
    seed_of,
)
from .sales import verdicts_so_far
from .sessions import (
    DEMO,
    NEW_YORK,
    XNYS,
    basis,
    closed_days,
    closures,
    exchange_of,
    is_session_day,
    session_basis,
    session_for,
    session_from_label,
)
from .sources import Source, source_for
from .waiting import Wait, is_late, waits

__all__ = [
    "COMMIT_REVEAL",
    "DEMO",
    "GM_DICE",
    "NEW_YORK",
    "SECONDS_TO_ASK",
    "SLOW",
    "XNYS",
    "Announced",
    "Figures",
    "MarketError",
    "Observation",
    "PendingFigure",
    "Policy",
    "Report",
    "Requests",
    "Session",
    "SessionChanged",
    "Settlement",
    "Source",
    "Unsettled",
    "Wait",
    "announcement",
    "basis",
    "choose_seed",
    "closed_days",
    "closures",
    "describe_policy",
    "enter_figure",
    "enter_no_report",
    "enter_rolls",
    "entered_rolls",
    "exchange_of",
    "figures_from_rolls",
    "first_reading_time",
    "fix_session",
    "is_late",
    "is_session_day",
    "limits_in_words",
    "observe",
    "observe_all",
    "place_of",
    "policy_for",
    "policy_of",
    "sales_decide",
    "seed_of",
    "session_basis",
    "session_for",
    "session_from_label",
    "session_of",
    "settle",
    "source_for",
    "verdicts_so_far",
    "waits",
    "witness",
]
