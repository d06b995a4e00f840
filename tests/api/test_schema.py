"""Every answer of the API matches its schema (issue 26, “Show”).

schemathesis generates valid and invalid requests from the schema and compares the answers with it,
in this process by WSGI. Every second request names rows that exist. `make soak` makes 20 times as
many requests.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from games.api.service import api
from games.base import clock
from games.outbox import personal_webhooks
from tests.support import programs
from tests.support.campaign import Campaign, person
from tests.support.examples import WHOLE
from tests.support.stored import stored

pytestmark = pytest.mark.django_db
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
HOOK = "https://hooks.example.org/"
EXAMPLES = 200 if WHOLE else 10
SCHEMA = schemathesis.openapi.from_dict(api.get_openapi_schema())
SCHEMA.app = get_wsgi_application()
OPERATIONS = {operation.ok().label: operation.ok() for operation in SCHEMA.get_all_operations()}  # type: ignore[union-attr]


@pytest.fixture
def campaign(db: None) -> Campaign:
    return stored("the API's game", _campaign)


def _campaign() -> Campaign:
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    campaign.pass_deadline()
    campaign.order("Germany", "PLACE 5 Poland")
    return campaign


@pytest.fixture
def headers(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, str]]]:
    """Yield headers without a token, with an invalid one, the gamesmaster's and a player's; the
    game is in its second turn."""
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    # As Django's own test client does: the connection is the test's and must outlive a request.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    choices: list[dict[str, str]] = [{}, {"Authorization": "Bearer gm_" + "0" * 40}]
    for name in ("ada", "gustav"):
        token = programs.token(person(name), campaign.now, sends_orders=True)
        choices.append({"Authorization": f"Bearer {token}"})
    yield choices
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_every_answer_matches_the_schema(
    campaign: Campaign, headers: list[dict[str, str]], label: str, mode: GenerationMode
) -> None:
    operation = OPERATIONS[label]
    if mode == GenerationMode.NEGATIVE and not (operation.query or operation.path_parameters):
        pytest.skip("NOT CHECKED: it takes nothing that could be wrong")
    rows = {
        "game": campaign.game.pk,
        "number": 1,
        "ruleset": "origins-ww2",
        "name": "historical",
        "webhook": personal_webhooks.add(person("gustav"), f"{HOOK}0", "", campaign.now).code,
    }
    values = {"nation": "Germany", "phase": None, "url": HOOK}
    answered = set()

    @settings(
        max_examples=EXAMPLES,
        derandomize=not WHOLE,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        case: Any = data.draw(operation.as_strategy(generation_mode=mode))
        asker = data.draw(st.sampled_from(headers))
        if mode == GenerationMode.POSITIVE and data.draw(st.booleans()):
            asker = headers[-1]
            known = {name: rows[name] for name in case.path_parameters or {} if name in rows}
            case.path_parameters = {**(case.path_parameters or {}), **known}
            if isinstance(case.body, dict):
                known = {name: value for name, value in values.items() if name in case.body}
                case.body = {**case.body, **known}
        # Django answers to an unknown host itself, before the API is asked.
        made_up = {
            name: value for name, value in (case.headers or {}).items() if name.lower() != "host"
        }
        case.headers = {**made_up, **asker}
        answer = case.call()
        answered.add(answer.status_code)
        case.validate_response(answer, checks=CHECKS)

    ask()
    if mode == GenerationMode.POSITIVE:
        assert answered & {200, 201, 204, 409}, answered
