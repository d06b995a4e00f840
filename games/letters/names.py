"""What letters are called when another letter, or a page, speaks of them; and how orders came."""

from __future__ import annotations

from games.outbox.messages import answers as messages_answers
from games.outbox.messages import press as press_messages
from games.outbox.messages import referee as messages_referee

#: What letters are called when another letter speaks of them.
NAMES = {
    "login": "the login letter",
    "invitation": "the invitation",
    "runs": "the letter that asks to run the game",
    "begins": "the first letter of the game",
    "opened": "the letter that opens the phase",
    "reminder": "the reminder",
    "receipt": "the receipt for orders",
    "stock": "a letter about orders",  # no more: that a stock is doubtful is for its sender alone
    "locked": "the letter with the digest of all orders",
    "board": "the report with the new board",
    "over": "the final report",
    "ruled": "the letter about a ruling",
    "approval": "the letter about a result that waits",
    "held": "the letter about a phase that waits",
    "overdue": "the letter about figures that are waited for",
    "waiting": "the letter about a result that comes later",
    "restated": "the letter about a figure that the publisher has changed",
    "session": "the letter about another session",
    "closure": "the letter about a day without trading",
    "moved": "the letter about a new deadline",
    "address": "the letter that confirms an address",
    "confirm": "the letter that asks who wrote",
    "word": "the answer to a letter",
    "declined": "the letter about an invitation that was declined",
    "bouncing": "the letter about letters that come back",
    "muted": "the letter about letters not wanted",
    "mailheld": "the letter about mail that waits",
    "mailfailed": "the letter about mail that could not be read",
    "paused": "the letter about a pause",
    "resumed": "the letter about the end of a pause",
    "rescheduled": "the letter about another schedule",
    "change": "a letter about the running of the game",
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
    messages_referee.DUE: "the letter that asks for a sheet",
    messages_referee.WAITS: "the letter about a sheet that is waited for",
    messages_referee.SHEET: "the receipt for a sheet",
    messages_answers.ANSWER: "the answer to a message",
    press_messages.PRESS: "a letter between nations",
    "proposal": "a proposal of a deal",
    "proposal_answer": "an answer to a proposed deal",
    press_messages.QUESTION: "a question to the gamesmaster",
    "channel": "the letter about a channel",
    "webhook": "the letter about a webhook",
    "complaint": "the letter about a reported letter",
}


#: How orders came, after "They came".
CHANNELS = {
    "web": "from the order page",
    "mail": "by mail",
    "telephone": "by telephone",
    "paper": "on paper",
    "program": "from the service",
    "ahead": "from the orders that you sent ahead",
    "api": "from a program",
}
