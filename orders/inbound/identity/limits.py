"""How much mail of one sender is obeyed, and how much of it answered. Everything is stored,
whatever the limits say."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from games.letters.headers import ANSWERS
from games.models import Game, Letter, Person
from games.outbox.messages import inbound as messages_inbound
from orders.models import Handling

HOUR = timedelta(hours=1)


def too_many(sender: str, now: datetime) -> bool:
    """Whether so many messages of an address have been obeyed within the hour that the next one
    waits.

    Only what was obeyed counts: anybody can write letters in a player's name that are not.
    """
    obeyed = Handling.objects.filter(
        sender=sender, handled_at__gt=now - HOUR, status=Handling.Status.DONE, kind="commands"
    )
    return obeyed.count() >= int(settings.MAIL_OBEYED_AN_HOUR)


def may_answer(address: str, now: datetime) -> bool:
    """Whether an address may get one more answer within the hour: two programs that answer each
    other end here at the latest."""
    answered = Letter.objects.filter(
        address=address, kind__in=ANSWERS, written_at__gt=now - HOUR
    ).count()
    return answered < int(settings.MAIL_ANSWERS_AN_HOUR)


def no_more_answers(person: Person, game: Game, address: str, now: datetime) -> Letter | None:
    """In place of the answer that would be one too many: says so, once an hour; the messages after
    it are obeyed without an answer."""
    return messages_inbound.word(
        f"game-{game.pk}/enough-{now:%Y%m%d%H}/person-{person.pk}",
        person,
        game,
        now,
        heading="Your letters are read, but not answered one by one",
        sentences=[
            f"You have had {settings.MAIL_ANSWERS_AN_HOUR} answers within an hour.",
            (
                "What you send is read and counts as before, but for the next hour not every"
                " letter is answered."
            ),
            (
                "What stands for you is on the page of the game at any time; and an hour from now a"
                " letter that says ORDERS asks for it."
            ),
        ],
        to=address,
    )
