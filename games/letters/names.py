"""Names of letters, for other letters and pages, and names of the channels of orders."""

from __future__ import annotations

from games.outbox.messages import answer_letters, press_letters, report_letters

#: Names by which other letters mention a letter, by kind.
NAMES = {
    "login": "the login letter",
    "invitation": "the invitation",
    "runs": "the letter that asks to run the game",
    "begins": "the first letter of the game",
    "opened": "the letter that opens the phase",
    "reminder": "the reminder",
    "receipt": "the receipt for orders",
    "stock": "a letter about orders",  # only the sender may learn that a stock is doubtful
    "locked": "the letter with the digest of all orders",
    "board": "the report with the new board",
    "over": "the final report",
    "ruled": "the letter about a ruling",
    "approval": "the letter about a result that waits",
    "held": "the letter about a phase that waits",
    "overdue": "the letter about missing figures",
    "waiting": "the letter about a result that comes later",
    "restated": "the letter about a figure that the publisher has changed",
    "session": "the letter about a changed session",
    "closure": "the letter about a day without trading",
    "moved": "the letter about a new deadline",
    "address": "the letter that confirms an address",
    "confirm": "the letter that asks who wrote",
    "choice": "the letter that asks what an answer is",
    "word": "the answer to a letter",
    "declined": "the letter about an invitation that was declined",
    "bouncing": "the letter about undelivered letters",
    "muted": "the letter about muted letters",
    "mailheld": "the letter about messages on hold",
    "mailaside": "the letter about mail that was set aside",
    "mailfailed": "the letter about an unreadable message",
    "paused": "the letter about a pause",
    "resumed": "the letter about the resumed game",
    "rescheduled": "the letter about a changed schedule",
    "change": "a letter about how the game is run",
    "seat": "the letter about a seat",
    "spokesman": "the letter about the spokesman of a team",
    "left": "the letter about the end of a sitting",
    "newcomer": "the letter with the game so far",
    "asks": "the letter about a player who asks for a seat",
    "seats": "the letter about a game with free seats",
    "handed": "the letter about a gamesmaster",
    "vacant": "the letter about a vacant seat",
    "abandoned": "the letter about the end of the game",
    "restored": "the letter about a restored backup",
    report_letters.DUE: "the letter that asks for a report",
    report_letters.WAITS: "the reminder of your report",
    report_letters.RECEIPT: "the receipt for a report",
    answer_letters.ANSWER: "the answer to a message",
    press_letters.PRESS: "a letter between nations",
    "proposal": "a proposal of a deal",
    "proposal_answer": "an answer to a proposed deal",
    press_letters.QUESTION: "a question to the gamesmaster",
    "channel": "the letter about a channel",
    "webhook": "the letter about a webhook",
    "complaint": "the letter about a reported letter",
}


#: How orders arrived, to follow "They came".
CHANNELS = {
    "web": "from the order page",
    "mail": "by mail",
    "telephone": "by telephone",
    "paper": "on paper",
    "program": "from the service",
    "ahead": "from the orders that you sent ahead",
    "api": "from a program",
}
