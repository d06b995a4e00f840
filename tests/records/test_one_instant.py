"""A record exported while deadlines pass shows a single instant, so that it verifies."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from games.rules.verification import verify
from tests.support.at_once import side_by_side
from tests.support.campaign import Campaign

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def by_command(game: int) -> str:
    printed = StringIO()
    call_command("exportgame", str(game), stdout=printed)
    return printed.getvalue()


def by_page(game: int) -> str:
    return Client().get(f"/games/{game}/record.json").content.decode()


def by_program(game: int) -> str:
    return Client().get(f"/api/v1/games/{game}/record").content.decode()


@pytest.mark.parametrize("read", [by_command, by_page, by_program])
def test_record_read_while_a_phase_is_judged_verifies(read: Callable[[int], str]) -> None:
    """Promise 5: everybody can check every result at any time."""
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    phases = campaign.game.phases.count()
    judged: list[bool] = []

    def judge_meanwhile(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not judged and sql.startswith("SELECT") and '"games_resolution"' in sql:
            judged.append(True)
            assert side_by_side(campaign.pass_deadline) == []
        return execute(sql, params, many, context)

    with connection.execute_wrapper(judge_meanwhile):
        tree = json.loads(read(campaign.game.pk))
    assert campaign.game.phases.count() > phases
    assert len(tree["phases"]) == phases
    assert verify.check(tree) == []
