"""What the page of a game costs once the game is twelve phases old: processor time of the whole
request, and questions to the database."""

from __future__ import annotations

import time
from unittest import mock

#: Who looks: somebody who is not logged in, a player, the gamesmaster.
READERS = (("a stranger", None), ("a player", "gustav"), ("the gamesmaster", "ada"))
RUNS = 20


def rows() -> list[tuple[str, str]]:
    """The game's page as three kinds of people open it, its pictures apart; then the pages that
    tell how it went."""
    from django.urls import reverse

    from gamesmaster import clock
    from tests.support.cast import Campaign
    from tests.support.staging import played

    campaign = Campaign.begin(title="Twelve phases")
    for _ in range(11):
        played(campaign)
    found = []
    with mock.patch.object(clock, "now", return_value=campaign.now):
        for who, name in READERS:
            seconds, questions = _cost(campaign.game.get_absolute_url(), name)
            found.append(
                (f"the game's page for {who}", f"{seconds * 1000:.1f} ms, {questions} queries")
            )
        for what, route in (("the board through time", "board"), ("the standings", "standing")):
            seconds, questions = _cost(reverse(route, args=[campaign.game.pk]), "gustav")
            found.append((f"{what}, for a player", f"{seconds * 1000:.1f} ms, {questions} queries"))
    return found


def _cost(address: str, name: str | None) -> tuple[float, int]:
    """Seconds of the processor for one request with everything warm, the best of some, and the
    questions that it asks."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from tests.support.cast import person

    client = Client(SERVER_NAME="localhost")
    if name:
        client.force_login(person(name), backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(address).status_code == 200
    with CaptureQueriesContext(connection) as asked:
        client.get(address)
    questions = len(asked.captured_queries)
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        client.get(address)
        times.append(time.process_time() - began)
    return min(times), questions
