"""Handle a message from one of the cast as mail, and return its answer."""

from __future__ import annotations

from datetime import datetime
from email.message import EmailMessage
from typing import Any

from games.letters import rendering
from games.models import Letter, Person
from games.outbox.messages import answer_letters
from orders.inbound.execution.execute import execute
from orders.inbound.execution.execution import Sender
from orders.inbound.parsing import message, understanding
from orders.inbound.replies.outcome import Outcome
from orders.models import Handling, Mail
from tests.support.campaign import Campaign


def raw(
    text: str, person: Person, *, subject: str = "Re: The lights go out", answers_to: str = ""
) -> bytes:
    """Return a plain message as a mail program writes it."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = person.email, "orders@example.org", subject
    mail["Message-ID"] = f"<{abs(hash((text, person.email, answers_to)))}@example.org>"
    if answers_to:
        mail["In-Reply-To"] = answers_to
    mail.set_content(text)
    return mail.as_bytes()


def send(
    campaign: Campaign,
    person: Person,
    text: str,
    *,
    at: datetime | None = None,
    done: datetime | None = None,
    subject: str = "Re: The lights go out",
    answers_to: str = "",
) -> Outcome:
    """Handle a message received `at` an instant and obeyed when `done`; return its outcome."""
    received = at or campaign.now
    parsed = message.parse(raw(text, person, subject=subject, answers_to=answers_to))
    nations = [seat.nation for seat in campaign.game.seats.all()]
    script = understanding.understand(parsed, today=received.date(), nations=nations)
    campaign.game.refresh_from_db()
    return execute(
        Sender(person, campaign.game), script, parsed, done or received, received=received
    )


def answer(campaign: Campaign, person: Person, text: str, **how: Any) -> str:
    """Return the text of the answer to a message. `how`: keywords of `answer_letter`."""
    return answer_letter(campaign, person, text, **how).text


def answer_letter(
    campaign: Campaign,
    person: Person,
    text: str,
    *,
    at: datetime | None = None,
    answers_to: str = "",
) -> rendering.RenderedLetter:
    outcome = send(campaign, person, text, at=at, answers_to=answers_to)
    now = at or campaign.now
    count = Mail.objects.count()
    content = {"fingerprint": str(count), "message_id": f"<m{count}@example.org>", "raw": b""}
    mail = Mail.objects.create(way="lmtp", received_at=now, **content)
    handling = Handling.objects.create(mail=mail, game=campaign.game, person=person)
    letter = answer_letters.write(handling, outcome, now)
    handling.save()
    return rendering.render(Letter.objects.get(pk=letter.pk))
