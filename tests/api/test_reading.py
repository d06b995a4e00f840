"""What programs read: the same as the pages show, with the same permissions."""

from __future__ import annotations

import pytest
from django.test import Client

from games.evidence import export
from games.turns import rulings
from tests.support.campaign import Campaign, person
from tests.support.programs import Program, paths

from .conftest import Browser

pytestmark = pytest.mark.django_db


def test_game_lists_players_and_order_status(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 10 Poland", final=True)
    campaign.order("France", "PLACE 6 Poland")
    game = Program("felix", campaign.now).read(f"games/{campaign.game.pk}")
    seats = {seat["nation"]: seat for seat in game["seats"]}
    assert [seats[nation]["orders"] for nation in ("Germany", "France", "USA")] == [
        "final",
        "sent",
        "none",
    ]
    assert seats["France"]["mine"]
    assert not seats["Germany"]["mine"]
    assert seats["Germany"]["players"] == ["Gustav"]
    assert game["phase"]["title"] == campaign.phase.title
    assert game["phase"]["deadline"] == "2026-11-16T18:00:00Z"
    assert game["winners"] is None


def test_resolved_phase_has_board_report_figures_and_standings(campaign: Campaign) -> None:
    campaign.attack_in_poland()
    campaign.pass_deadline()
    at = f"games/{campaign.game.pk}"
    stranger = Program("", campaign.now)
    assert stranger.read(f"{at}/phases/1/board")["cells"]["Poland"]["Germany"]["pf"] == 10
    before = stranger.read(f"{at}/phases/1/board?version=0")
    assert before["version"] == 0
    assert "Poland" not in before["cells"]
    report = stranger.read(f"{at}/phases/2/report")
    assert [event["stock"] for event in report["events"]] == ["GE"]
    (figure,) = stranger.read(f"{at}/phases/2/figures")["figures"]
    assert figure["symbol"] == "GE"
    assert figure["volume"] == report["events"][0]["volume"]
    standings = stranger.read(f"{at}/standings")
    assert [mark["phase"] for mark in standings["marks"]] == [1, 2]
    assert standings["marks"][-1]["scores"] == standings["scores"] == report["scores"]
    assert [phase["status"] for phase in stranger.read(f"{at}/phases")["phases"]] == [
        "resolved",
        "resolved",
        "open",
    ]


def test_result_before_a_ruling_stays_readable(campaign: Campaign) -> None:
    campaign.place_in_poland()
    ruled = campaign.game.phases.get(number=1)
    what = {"nation": "Russia", "points": 2}
    rulings.rule(ruled, "points", what, "Agreed.", campaign.ada, campaign.now)
    at = f"games/{campaign.game.pk}/phases/1/report"
    stranger = Program("", campaign.now)
    newest, first = stranger.read(at), stranger.read(f"{at}?version=1")
    assert (newest["version"], newest["ruling"]) == (2, 1)
    assert (first["version"], first["ruling"]) == (1, None)
    assert newest["scores"]["Russia"] == first["scores"]["Russia"] + 2
    assert stranger.get(f"/api/v1/{at}?version=3").status_code == 404


def test_judged_orders_need_permission(campaign: Campaign) -> None:
    campaign.place_in_poland()
    at = f"games/{campaign.game.pk}/phases/1/report"

    def nations(name: str) -> list[str]:
        return sorted(row["nation"] for row in Program(name, campaign.now).read(at)["orders"])

    assert nations("gustav") == ["Germany"]
    assert nations("charlie") == nations("") == []
    assert {"Germany", "France"} <= set(nations("ada"))


def test_private_and_missing_games_give_equal_answers(private: Campaign) -> None:
    """Numbers must not reveal which private games exist."""
    seen = Program("gustav", private.now)
    addresses = [path for path in paths(private.game) if f"/games/{private.game.pk}" in path]
    assert len(addresses) > 5
    for path in addresses:
        assert seen.get(path).status_code in (200, 404)
        missing = path.replace(f"/games/{private.game.pk}", "/games/999999")
        for name in ("", "charlie"):
            program = Program(name, private.now)
            answers = [program.get(at) for at in (path, missing)]
            for_players = path.endswith(("/orders", "/deals"))
            refused = 401 if for_players and not name else 404
            assert [answer.status_code for answer in answers] == [refused] * 2
            assert answers[0].content == answers[1].content
    assert Program("", private.now).read("games")["games"] == []
    assert len(seen.read("games")["games"]) == 1


def test_games_are_listed_in_pages(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.api.games.A_PAGE", 2)
    others = [Campaign.open(title=f"Game {number}") for number in range(3)]
    first = Program("", campaign.now).read("games")
    rest = Program("", campaign.now).read(f"games?after={first['next']}")
    ids = [game["id"] for game in first["games"] + rest["games"]]
    assert ids == sorted([campaign.game.pk, *(other.game.pk for other in others)], reverse=True)
    assert rest["next"] is None


def test_record_is_the_one_that_the_checker_reads(campaign: Campaign) -> None:
    campaign.place_in_poland()
    answer = Client().get(f"/api/v1/games/{campaign.game.pk}/record")
    assert answer.content.decode() == export.text(export.record(campaign.game, private=False))


def test_unchanged_answer_gives_304(campaign: Campaign) -> None:
    """And a new answer once something has changed."""
    gustav, path = Program("gustav", campaign.now), f"/api/v1/games/{campaign.game.pk}"
    first = gustav.get(path)
    assert first["Cache-Control"] == "private, no-cache"
    assert "Authorization" in first["Vary"]
    again = gustav.get(path, HTTP_IF_NONE_MATCH=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    campaign.order("Germany", "PLACE 10 Poland")
    changed = gustav.get(path, HTTP_IF_NONE_MATCH=first["ETag"])
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


def test_scenarios_are_the_shipped_ones_and_own_ones(campaign: Campaign) -> None:
    listed = Program("", campaign.now).read("scenarios")["scenarios"]
    assert all(scenario["shipped"] for scenario in listed)
    scenario = Program("", campaign.now).read("scenarios/origins-ww2/historical")
    assert scenario["card"] == campaign.game.card
    assert Program("", campaign.now).read(f"games/{campaign.game.pk}/scenario") == scenario["card"]
    for missing in ("origins-ww2/nothing", "nothing/historical", "origins-ww2/scenario-1"):
        assert Client().get(f"/api/v1/scenarios/{missing}").status_code == 404


@pytest.mark.parametrize(
    "path", ["games/0", "games/x", "games/9223372036854775808", "games?after=-1", "games/1.5"]
)
def test_invalid_value_is_refused_with_a_sentence(db: None, path: str) -> None:
    answer = Client().get(f"/api/v1/{path}")
    assert answer.status_code == 422
    assert "Input should be" in answer.json()["detail"]


def test_wrong_value_is_named_as_its_sender_named_it(campaign: Campaign) -> None:
    gustav = Program("gustav", campaign.now, sends_orders=True)
    orders = f"/api/v1/games/{campaign.game.pk}/orders"
    for body, words in (({"nation": "Germany", "text": ""}, "text: "), ([], "body: ")):
        detail = gustav.post(orders, body, content_type="application/json").json()["detail"]
        assert detail.startswith(words)
    assert gustav.get("/api/v1/games/x").json()["detail"].startswith("game: ")


def test_head_is_answered_as_get_without_a_body(campaign: Campaign) -> None:
    """RFC 9110, 9.3.2: a program asks whether something changed."""
    path = f"/api/v1/games/{campaign.game.pk}"
    whole, head = Client().get(path), Client().head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head["ETag"] == whole["ETag"]
    assert Client().head(path, headers={"If-None-Match": whole["ETag"]}).status_code == 304
    assert Client().head("/api/v1/games/999999").status_code == 404


@pytest.mark.parametrize("method", ["put", "options", "delete"])
def test_method_that_an_address_does_not_take_is_refused_as_json(
    campaign: Campaign, method: str
) -> None:
    for path, takes in (("games", "GET"), (f"games/{campaign.game.pk}/orders", "GET, POST")):
        answer = getattr(Client(), method)(f"/api/v1/{path}")
        assert answer.status_code == 405
        assert sorted(answer["Allow"].split(", ")) == takes.split(", ")
        assert answer.json() == {"detail": f"This address takes only {takes}."}


def test_unknown_address_is_refused_as_json(db: None) -> None:
    for path in ("/api/v1/", "/api/v1/nothing", "/api/v2/games"):
        answer = Client().get(path)
        assert answer.status_code == 404
        assert answer.json() == {"detail": "There is nothing at this address."}


def test_reference_lists_every_operation(campaign: Campaign, as_: Browser) -> None:
    page = as_(None).read("/api/")
    schema = Client().get("/api/v1/openapi.json").json()
    assert len(schema["paths"]) > 10
    for path in schema["paths"]:
        assert path in page
    for form in schema["components"]["schemas"]:
        assert f'id="{form}"' in page
    assert "<script>" not in page


def test_reading_writes_nothing(campaign: Campaign) -> None:
    for path in paths(campaign.game):
        answer = Program("rosa", campaign.now).post(path)
        assert answer.status_code in (400, 403, 405), path
    assert person("rosa").submissions.count() == 0
