"""Letters are claimed and rendered in batches, but sent and marked separately (docs/design.md
7)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.letters import rendering, sending
from games.models import Letter
from tests.support.campaign import MONDAY, Campaign

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def due() -> tuple[str, list[int]]:
    return sending.claim(MONDAY, 50)


def test_shared_queries_of_a_batch_run_once() -> None:
    campaign = Campaign.begin()
    token, ids = due()
    players = [person.pk for person in campaign.players.values()]
    opened = Letter.objects.filter(pk__in=ids, kind="opened", person__in=players)
    reports = list(opened.order_by("pk").values_list("pk", flat=True))
    queries = {}
    for number, some in ((2, reports[:2]), (3, reports[2:5])):
        with CaptureQueriesContext(connection) as counted:
            assert sending.send(some, token, MONDAY) == number
        queries[number] = len(counted)
    assert len(campaign.letters("opened")) == 6
    assert queries[3] - queries[2] <= 1  # the one that marks it after sending


@pytest.mark.both_databases
def test_letter_that_kills_its_worker_costs_the_others_no_try(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """design 7: letters that were tried before are tried alone, after new ones."""
    Campaign.begin()
    token, ids = due()
    deadly = ids[0]
    Letter.objects.filter(pk=deadly).update(attempts=1)
    real = rendering.render

    class Killed(BaseException):
        pass

    def render(letter: Letter, *batch: Any, **given: Any) -> rendering.RenderedLetter:
        if letter.pk == deadly:
            raise Killed
        return real(letter, *batch, **given)

    monkeypatch.setattr(rendering, "render", render)
    with pytest.raises(Killed):
        sending.send(ids[:5], token, MONDAY)
    assert len(mail.outbox) == 4
    tries = dict(Letter.objects.filter(pk__in=ids).values_list("pk", "attempts"))
    assert tries == {pk: 2 if pk == deadly else 1 if pk in ids[:5] else 0 for pk in ids}


@pytest.mark.both_databases
def test_letter_claimed_by_another_worker_during_rendering_is_not_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Campaign.begin()
    token, ids = due()
    taken, real = ids[2], rendering.render

    def render(letter: Letter, *batch: Any, **given: Any) -> rendering.RenderedLetter:
        if letter.pk == taken:
            Letter.objects.filter(pk=taken).update(claim="another")
        return real(letter, *batch, **given)

    monkeypatch.setattr(rendering, "render", render)
    assert sending.send(ids[:5], token, MONDAY) == 4
    assert len(mail.outbox) == 4
    letter = Letter.objects.get(pk=taken)
    assert (letter.status, letter.claim, letter.text) == (Letter.Status.SENDING, "another", "")


def test_letter_that_fails_to_render_does_not_delay_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Campaign.begin()
    token, ids = due()
    real = rendering.render

    def render(letter: Letter, *batch: Any, **given: Any) -> rendering.RenderedLetter:
        if letter.pk == ids[1]:
            raise KeyError("a row is gone")
        return real(letter, *batch, **given)

    monkeypatch.setattr(rendering, "render", render)
    assert sending.send(ids[:5], token, MONDAY) == 4
    letter = Letter.objects.get(pk=ids[1])
    assert (letter.status, letter.attempts) == (Letter.Status.DEFERRED, 1)
    assert "a row is gone" in letter.fault
