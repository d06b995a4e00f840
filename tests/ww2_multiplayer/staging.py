"""Stage refereed games for pictures: diplomacy, orders, the referee's table, count and end."""

from __future__ import annotations

from datetime import datetime, timedelta

from games.models import Phase
from orders.intake import drafts
from tests.ww2_multiplayer.campaign import Refereed

#: Orders of the powers in the first Game-Turn, by step.
TEXTS: dict[str, dict[str, str]] = {
    "diplomacy": {
        "France": "ALLY Britain\nGRANT SUPPLY TO Britain IN France",
        "Britain": "ALLY France\nGRANT TRANSPORT TO France",
        "Germany": "DECLARE WAR ON France",
        "Italy": "MED ON AGAINST Britain, France",
    },
    "orders": {
        "Italy": "SEA 1 SP Naples TO Tripoli VIA MED\nINVADE Egypt",
        "France": (
            "MOVE 3 SP Paris TO Metz\nMINOR Poland: MOVE 1 SP Warsaw TO Lublin\nIF it does not snow"
            " THEN MOVE 1 SP Lyons TO Nice\nIF Germany INVADES Belgium THEN MOVE 2 SP Lille TO"
            " Brussels\nhold the Maginot line"
        ),
        "Britain": (
            "SEA 2 SP London TO Alexandria VIA MED\nSEA 1 SP London TO Oslo USING Britain\nREPLACE"
            " 1 SP London\nIF Italy INVADES Egypt THEN AMPHIB 1 SP Suez TO Tobruk VIA MED\nthe"
            " fleet stays at Scapa Flow"
        ),
        "USSR": "INVADE Finland\nBUILD 3 SP Moscow",
        "Germany": (
            "INVADE Poland\nATTACK Warsaw IN Poland WITH Italy\nBUILD 2 SP Berlin\nAIRDROP 1 SP"
            " Berlin TO Oslo"
        ),
    },
}
#: Contents of the referee reports, by Player-Turn.
REPORTS = {
    "italy": "FORCES Libya Italy 2\nREST DONE\nINVASION Italy Egypt\nEND",
    "france": (
        "LINE France 1 CHANGED: two of the three; the rest holds the line\nLINE France 3 VOID: it"
        " snows all winter\nREST DONE\nFORCES France France 9\nEND"
    ),
    "britain": (
        "TRACK 1 NAVAL 4 AMPHIBIOUS 1\nREST DONE\nFORCES Britain Britain 5\nFORCES Egypt Britain 2"
        " SUPPLIED 1\nEND"
    ),
    "germany": (
        "REST DONE\nCLEARED Poland Germany\nSWEPT Poland Germany\nFORCES Poland Germany 5 SUPPLIED"
        " 4\nDESTROYED Poland BY Germany\nDICE 2 OF Germany FOR the storm on Danzig\nNOTE Winter"
        " comes early\nEND"
    ),
    "count": "HEXES France 40 HOSTILE 25\nCONTROLLER Poland Germany: as proposed\nEND",
}
#: The gamesmaster's unfinished report for Britain's Player-Turn.
BEGUN = (
    "LINE Britain 1 DONE\nLINE Britain 2 VOID: Oslo is ice-bound\nLINE France 9 DONE\nFORCES Norway"
    " Britain 1\nDICE 1 OF Britain FOR the gale\n"
)


def texts(phase: Phase) -> dict[str, str]:
    return TEXTS.get(phase.kind.partition("-")[0], {}) if phase.turn == 1 else {}


def reports(phase: Phase) -> str:
    return REPORTS.get(phase.kind.removeprefix("referee-").partition("-")[0], "REST DONE\nEND")


def begun(now: datetime) -> Refereed:
    """Stage the first diplomacy of five players: columns are sealed."""
    return Refereed.begin(now, players=5, title="Five at the table")


def on_the_table(now: datetime) -> Refereed:
    """Stage Britain's Player-Turn with six players and a report in progress."""
    war = Refereed.begin(now - timedelta(days=3), title="The map on the table")
    war.play_to("referee-britain", texts, reports)
    drafts.keep(war.referee, war.phase, war.ada, BEGUN, war.now, known=None)
    return war


def over(now: datetime) -> Refereed:
    """Stage a finished game of four players and one Game-Turn, with Germany's own column."""
    war = Refereed.begin(
        now - timedelta(days=6), players=4, title="A short war", options={"spi.last_turn": 1}
    )
    column = "\n".join(
        f"BLEND {country} {power}"
        for country, power in (("Poland", "Germany"), ("Egypt", "Italy"), ("Greece", "Italy"))
    )

    def with_column(phase: Phase) -> dict[str, str]:
        texts_sent = {power: text for power, text in texts(phase).items() if power != "Italy"}
        return {**texts_sent, "Germany": column} if phase.kind == "diplomacy" else texts_sent

    war.play_out(with_column, reports)
    return war
