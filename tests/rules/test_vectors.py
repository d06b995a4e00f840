"""Check the vectors of Rules V for digits and for Origins of World War II."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.rules.digits import digit_of_shares
from games.rules.origins_ww2.table import TABLE, odds
from games.rules.situation import adjudicate

VECTORS = json.loads("""
{"ow2_odds": [[13,7,"1"],[7,2,"3"],[7,6,"1"],[6,7,null],[20,5,"4"],[25,5,"5+"],[30,5,"5+"],[5,5,"1"]],
 "ow2_fight": [
  {"att":{"pf":7,"u":0},"targets":[4,2],"digit":1,"result":"X","att_after":{"pf":1,"u":0},"targets_after":[0,0]},
  {"att":{"pf":7,"u":0},"targets":[2],"digit":0,"result":"-","att_after":{"pf":7,"u":0},"targets_after":[2]},
  {"att":{"pf":4,"u":1},"targets":[7],"digit":2,"result":"X","att_after":{"pf":2,"u":0},"targets_after":[0]},
  {"att":{"pf":9,"u":1},"targets":[7],"digit":2,"result":"X","att_after":{"pf":2,"u":1},"targets_after":[0]},
  {"att":{"pf":8,"u":0},"targets":[8],"digit":2,"result":"X","att_after":{"pf":0,"u":0},"targets_after":[0]},
  {"att":{"pf":8,"u":1},"targets":[8],"digit":9,"result":"A","att_after":{"pf":0,"u":0},"targets_after":[8]},
  {"att":{"pf":10,"u":0},"targets":[3,2],"digit":1,"result":"D","att_after":{"pf":10,"u":0},"targets_after":[0,0]},
  {"att":{"pf":5,"u":0},"targets":[4,2],"digit":1,"result":"void","att_after":{"pf":5,"u":0},"targets_after":[4,2]}],
 "digits": [[1234,"printed",4],[12345678,"shares",6],[99,"shares",0]],
 "table": {"1":["X","D","D","D","D"],"2":["X","X","D","D","D"],"3":["D","X","D","D","D"],"4":["-","X","D","D","D"],
           "5":["-","X","D","D","D"],"6":["-","X","X","D","D"],"7":["-","-","X","D","D"],"8":["A","-","X","X","D"],
           "9":["A","-","-","X","X"],"0":["A","-","-","X","X"]}}
""")  # noqa: E501

# Two nations with no Understanding anywhere near Poland's attackers, so that only the vector
# decides.
TARGETS = ("Russia", "France")


@pytest.mark.parametrize(("attacker", "defender", "column"), VECTORS["ow2_odds"])
def test_odds_drop_fractions_and_stop_at_five(
    attacker: int, defender: int, column: str | None
) -> None:
    """K2, K3."""
    odds_found = odds(attacker, defender)
    assert odds_found == (None if column is None else int(column.rstrip("+")))


@pytest.mark.parametrize(
    "vector",
    VECTORS["ow2_fight"],
    ids=lambda vector: f"{vector['att']}-{vector['targets']}-{vector['result']}",
)
def test_fight_vectors(vector: dict[str, Any]) -> None:
    """K10, K11, K12, K17."""
    targets = TARGETS[: len(vector["targets"])]
    board = {"Germany": {"pf": vector["att"]["pf"], "understanding": bool(vector["att"]["u"])}}
    board |= {nation: {"pf": pf} for nation, pf in zip(targets, vector["targets"], strict=True)}
    answer = adjudicate(
        {
            "game": "origins-ww2",
            "card": "historical",
            "turn": 1,
            "phase": "attacks",
            "board": {"Poland": board},
            "orders": {"Germany": f"ATTACK Poland: {', '.join(targets)} STOCK GE"},
            "volumes": {"GE": 1000 + 100 * vector["digit"]},
        }
    )
    event = answer["events"][0]
    assert event.get("result", event["kind"]) == vector["result"]
    after = answer["board"].get("Poland", {})
    mine = after.get("Germany", {"pf": 0, "understanding": False})
    assert {"pf": mine["pf"], "u": int(mine["understanding"])} == vector["att_after"]
    assert [after.get(nation, {"pf": 0})["pf"] for nation in targets] == vector["targets_after"]


@pytest.mark.parametrize(("figure", "kind", "digit"), VECTORS["digits"])
def test_digit_is_the_hundreds_digit_of_the_sales(figure: int, kind: str, digit: int) -> None:
    """Rules 0.1."""
    assert digit_of_shares(100 * figure if kind == "printed" else figure) == digit


@pytest.mark.parametrize("digit", range(10))
def test_table_matches_the_printed_one(digit: int) -> None:
    """C.0, D4: each digit has its own row, with 0 at the bottom."""
    assert list(TABLE[digit]) == VECTORS["table"][str(digit)]
