"""Scripted stories: everybody's orders, the gamesmaster's reports about them, and the dice
(docs/refereed.md).

A story consists of texts as people would send them: orders by Game-Turn and phase, reports by
Game-Turn and Player-Turn, faces of dice by Game-Turn and phase. By default orders are a pass,
reports “REST DONE, END”, and dice sixes. `six` is a shortened campaign of six players with four
Game-Turns; `four` a whole campaign of four players.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Orders = Mapping[tuple[int, str], Mapping[str, str]]

DONE = "REST DONE\nEND"
#: Faces that bring nobody into the war in any pair: no row of the table of intervention has a six
#: as its first die (18.1).
NOTHING = (6,) * 40


@dataclass(frozen=True)
class Story:
    """`orders` by turn and kind; `reports` and `faces` by turn and phase ("referee-france-2")."""

    players: int
    turns: int
    orders: Orders
    reports: Mapping[tuple[int, str], str]
    faces: Mapping[tuple[int, str], tuple[int, ...]] = field(default_factory=dict)

    def texts(self, turn: int, kind: str) -> Mapping[str, str]:
        return self.orders.get((turn, kind), {})

    def report(self, turn: int, kind: str) -> str:
        return self.reports.get((turn, kind), DONE)

    def dice(self, turn: int, kind: str) -> tuple[int, ...]:
        return self.faces.get((turn, kind), NOTHING)


# --- six players, to the summer of 1940 ---

_SIX_ORDERS: Orders = {
    (1, "diplomacy"): {
        "France": "ALLY Britain\nGRANT SUPPLY TO Britain",
        "Britain": "ALLY France\nGRANT SUPPLY TO France IN Britain\nGRANT BASE TO USA IN Britain",
        "Germany": "ALLY Italy",  # Italy does not answer yet
        "USSR": "DECLARE WAR ON Finland",
        "Italy": "MED ON AGAINST Britain",
    },
    (1, "orders"): {
        # Italy moves first, so the condition is not met
        "Italy": "IF Germany INVADES France THEN INVADE France\nMOVE 1 SP Rome TO Bari",
        "France": (
            "MOVE 2 SP Paris TO Metz\nMINOR Poland: ATTACK Danzig\nIF Germany INVADES Belgium THEN"
            " RAIL 1 SP Lyons TO Lille"
        ),
        "USSR": "INVADE Finland\nBUILD 3 SP Leningrad",
        "Britain": "SEA 2 SP London TO Brest USING Britain\nhold the Channel",
        "Germany": (
            "INVADE Poland\nIF USSR INVADES Finland THEN RAIL 1 SP Berlin TO Memel\nIF it snows"
            " THEN MOVE 1 SP Kiel TO Emden"
        ),
    },
    (2, "diplomacy"): {
        "Germany": "ALLY Italy\nPEACE USSR",
        "Italy": "ALLY Germany",
        "USSR": "PEACE Finland",
    },
    (2, "orders"): {
        "Italy": "INVADE Egypt\nSEA 1 SP Taranto TO Tripoli",
        "Britain": "SEA 2 SP London TO Alexandria VIA MED",
        "Germany": "INVADE Norway\nINVADE Denmark",
    },
    (3, "orders"): {
        "Italy": "IF Germany INVADES Norway THEN MOVE 1 SP Rome TO Turin",
        "France": "REPLACE 1 SP Lille",
        "Britain": "REPLACE 1 SP London\nRAIL 2 SP Brest TO Lille",
        "Germany": (
            "INVADE Belgium\nINVADE Netherlands\nINVADE France\nATTACK Sedan IN France WITH Italy"
        ),
    },
    (4, "diplomacy"): {
        "Britain": "PEACE Italy",
        "Italy": "PEACE Britain\nMED OFF",
        "Germany": "DECLARE WAR ON Sweden",
    },
    (4, "orders"): {
        "Britain": "SEA 1 SP London TO Malta VIA MED",
        "Germany": "INVADE Sweden\nAIRDROP 1 SP Oslo TO Stockholm",
    },
}
_SIX_REPORTS = {
    (1, "referee-france"): (
        "LINE France 1 VOID PRIVATE: the bridges at Metz are mined\nREST DONE\nCOMBAT Poland"
        " Germany\nEND"
    ),
    (
        1,
        "referee-ussr",
    ): "LINE USSR 2 CHANGED 2 SP: no unit may be larger\nREST DONE\nCOMBAT USSR Finland\nEND",
    (1, "referee-britain"): "TRACK NAVAL 6 AMPHIBIOUS 1\nREST DONE\nEND",
    (1, "referee-germany"): (
        "LINE Germany 3 VOID: it does not snow at Kiel\nREST DONE\nCOMBAT Germany Poland\nDESTROYED"
        " Poland BY Germany\nCLEARED Poland Germany\nSWEPT Poland Germany\nFORCES Poland Germany 6"
        " SUPPLIED 5\nEND"
    ),
    (2, "referee-italy"): (
        "REST DONE\nCOMBAT Italy Britain\nFORCES Libya Italy 3\nFORCES Egypt Italy 2 SUPPLIED"
        " 1\nEND"
    ),
    (2, "referee-britain"): "TRACK NAVAL 6 AMPHIBIOUS 1\nREST DONE\nEND",
    (2, "referee-germany"): (
        "REST DONE\nCOMBAT Germany Norway\nDESTROYED Norway BY Germany\nCLEARED Norway"
        " Germany\nSWEPT Norway Germany\nFORCES Norway Germany 2\nFORCES Denmark Germany 1\nNOTE"
        " The winter holds the ships in port\nEND"
    ),
    (3, "referee-france"): "REST DONE\nCONTEST France 2 Britain 2 IN Lille\nEND",
    (3, "referee-germany"): (
        "LINE Germany 4 CHANGED: the Italians may not attack with them\nREST DONE\nCOMBAT Germany"
        " France\nCOMBAT Germany Belgium\nDESTROYED Belgium BY Germany\nCLEARED Belgium"
        " Germany\nSWEPT Belgium Germany\nFORCES Belgium Germany 2\nFORCES Netherlands Germany"
        " 1\nFORCES France Germany 4\nFORCES France France 5\nFORCES France Britain 2\nHEXES France"
        " 40 HOSTILE 12\nEND"
    ),
    (4, "referee-germany"): "REST DONE\nRATE 8\nDICE 2 OF Germany FOR the airdrop on Stockholm",
    (4, "referee-germany-2"): "COMBAT Germany Sweden\nFORCES Sweden Germany 1\nEND",
    (4, "count"): (
        "FORCES Egypt Italy 2 SUPPLIED 2\nFORCES Egypt Britain 3\nHEXES France HOSTILE 15\n"
        "CONTROLLER Denmark Germany: nobody was there to fight\nEND"
    ),
}
six = Story(
    6,
    4,
    _SIX_ORDERS,
    _SIX_REPORTS,
    {
        (2, "dice-1"): (2, 6),  # one Strength Point reaches Alexandria, one does not (6.53)
        (3, "dice-1"): (3, 3, 5, 2),  # France and Britain at Lille: a tie, then France (7.14)
        (3, "dice-2"): (1, 2),  # Germany has invaded France: the USA enters five turns later (18.1)
        (4, "dice-1"): (4, 1),
    },
)


# --- four players, to the spring of 1945 ---

#: Germany and Italy with one player: the secret column chosen before turn 1, 25 points of the two
#: printed columns (19.2).
AXIS = {
    "Poland": "Germany",
    "France": "Germany",
    "Norway": "Germany",
    "Netherlands": "Germany",
    "Belgium": "Germany",
    "Hungary": "Germany",
    "Rumania": "Germany",
    "Bulgaria": "Germany",
    "Finland": "Germany",
    "Egypt": "Germany",
    "Yugoslavia": "Italy",
    "Greece": "Italy",
    "Libya": "Italy",
    "Tunisia": "Italy",
}
#: Britain and the USA with one player.
ALLIES = {
    "Poland": "Britain",
    "Norway": "Britain",
    "Netherlands": "Britain",
    "Belgium": "Britain",
    "Egypt": "Britain",
    "Palestine": "Britain",
    "Iraq": "Britain",
    "Kuwait": "Britain",
    "Spain": "Britain",
    "Finland": "USA",
    "France": "USA",
    "Britain": "USA",
}


def _sealed(column: Mapping[str, str]) -> str:
    return "\n".join(f"BLEND {country} {power}" for country, power in column.items())


def _taken(country: str, power: str, sp: int) -> str:
    """Return the report lines for a country whose army is beaten and which is held."""
    return (
        f"DESTROYED {country} BY {power}\nCLEARED {country} {power}\nSWEPT {country}"
        f" {power}\nFORCES {country} {power} {sp}\n"
    )


_FOUR_ORDERS: Orders = {
    (1, "diplomacy"): {
        "France": "ALLY Britain",
        "Britain": f"ALLY France\n{_sealed(ALLIES)}",
        "Germany": _sealed(AXIS),
        "USSR": "hold what we have",
    },
    (1, "orders"): {"Germany": "INVADE Poland", "France": "MINOR Poland: hold Warsaw"},
    (3, "orders"): {
        "Germany": "INVADE Norway\nINVADE Denmark",
        "Britain": "SEA 1 SP Scapa TO Narvik",
    },
    (4, "orders"): {
        "Germany": "INVADE Netherlands\nINVADE Belgium\nINVADE France",
        "Italy": "ATTACK Nice IN France WITH Germany",
    },
    (5, "orders"): {"Italy": "INVADE Greece\nSEA 1 SP Bari TO Tripoli"},
    (6, "orders"): {"Italy": "INVADE Egypt", "Britain": "SEA 3 SP London TO Alexandria VIA MED"},
    (7, "orders"): {
        "Germany": "INVADE Yugoslavia\nINVADE Greece",
        "Britain": "REPLACE 1 SP London",
    },
    (8, "diplomacy"): {"USSR": "ALLY Britain", "Britain": "ALLY USSR\nGRANT LEND-LEASE TO USSR"},
    (8, "orders"): {"Germany": "INVADE USSR\nMINOR Finland: MOVE 1 SP Helsinki TO Viborg"},
    (9, "orders"): {
        "USSR": "IF Germany INVADES USSR THEN RAIL 3 SP Omsk TO Moscow\nBUILD 3 SP Moscow"
    },
    (12, "orders"): {
        "USA": "SEA 2 SP Boston TO London",
        "Britain": "SEA 2 SP London TO Suez VIA MED",
    },
    (13, "orders"): {
        "Britain": "ATTACK El Alamein IN Egypt WITH USA",
        "USA": "AMPHIB 2 SP Norfolk TO Oran VIA ATLANTIC",
    },
    (14, "orders"): {"Britain": "INVADE Libya"},
    (15, "orders"): {"USSR": "INVADE Rumania\nREPLACE 2 SP Kursk"},
    (16, "orders"): {"USA": "INVADE Italy"},
    (18, "orders"): {"USSR": "INVADE Poland\nINVADE Bulgaria"},
    (19, "orders"): {"Britain": "AMPHIB 3 SP Portsmouth TO Caen VIA ATLANTIC\nINVADE Belgium"},
    (20, "diplomacy"): {
        "Britain": "PEACE Belgium",
        "France": "MINOR Belgium: PEACE Britain",
    },  # the power that drives out an invader has itself entered the country
    (20, "orders"): {"Germany": "INVADE Sweden"},
    (21, "orders"): {"USSR": "INVADE Germany", "Britain": "INVADE Germany"},
    (22, "diplomacy"): {"Italy": "PEACE France", "France": "PEACE Italy"},
}
_FOUR_REPORTS = {
    (1, "referee-germany"): (
        "REST DONE\nCOMBAT Germany Poland\n" + _taken("Poland", "Germany", 6) + "RATE 8\nEND"
    ),
    (
        3,
        "referee-britain",
    ): "TRACK NAVAL 6 AMPHIBIOUS 1\nLINE Britain 1 VOID: the harbour is frozen\nEND",
    (3, "referee-germany"): (
        "REST DONE\nCOMBAT Germany Norway\n"
        + _taken("Norway", "Germany", 2)
        + "FORCES Denmark Germany 1\nEND"
    ),
    (4, "referee-germany"): (
        "ITALY ENTERS\nREST DONE\nCOMBAT Germany Belgium\nCOMBAT Germany France\nCOMBAT Italy"
        " France\nCOMBAT Germany Britain\n"
        + _taken("Belgium", "Germany", 2)
        + _taken("Netherlands", "Germany", 1)
        + _taken("France", "Germany", 5)
        + "FORCES France Italy 1\nHEXES France 40 HOSTILE 38\nEND"
    ),
    (
        5,
        "referee-germany",
    ): "REST DONE\nCOMBAT Italy Greece\nFORCES Greece Italy 2\nFORCES Libya Italy 3\nEND",
    (6, "referee-britain"): "TRACK NAVAL 8 AMPHIBIOUS 3\nCOMBAT Britain Italy\nREST DONE\nEND",
    (
        6,
        "referee-germany",
    ): "REST DONE\nCOMBAT Italy Egypt\nFORCES Egypt Italy 1\nFORCES Libya Italy 2\nEND",
    (7, "referee-germany"): (
        "REST DONE\nCOMBAT Germany Yugoslavia\nCOMBAT Germany Greece\n"
        + _taken("Yugoslavia", "Italy", 2)
        + _taken("Greece", "Italy", 2)
        + "FORCES Greece Germany 1\nEND"
    ),
    (8, "referee-germany"): (
        "REST DONE\nCOMBAT Germany USSR\nWAR LEVEL FULL\nFORCES USSR Germany 20 SUPPLIED 18\n"
        "CENTRES USSR Germany 3 OF 12\n"
        "GARRISON Germany FAILED\nEND"
    ),
    (9, "referee-ussr"): "DUE USSR REPLACEMENT 3: on the Volga\nREST DONE\nEND",
    (12, "referee-britain"): "TRACK NAVAL 9 AMPHIBIOUS 4\nREST DONE\nEND",
    (13, "referee-britain"): (
        "REST DONE\nCOMBAT USA Italy\nCOMBAT USA Germany\nFORCES Egypt Italy 0\nFORCES Egypt"
        " Britain 3\nCLEARED Egypt Britain\nEND"
    ),
    (14, "referee-britain"): (
        "REST DONE\nFORCES Libya Italy 0\nFORCES Libya Britain 3\nCLEARED Libya Britain\nSWEPT"
        " Libya Britain\nEND"
    ),
    (15, "referee-ussr"): (
        "DUE USSR REPLACEMENT 2 LAPSES: on a rail line\nREST DONE\nCOMBAT USSR Rumania\n"
        + _taken("Rumania", "USSR", 3)
        + "CENTRES USSR Germany 0\nCENTRES USSR USSR 12\nFORCES USSR Germany 0\nEND"
    ),
    (16, "referee-britain"): (
        "REST DONE\nFORCES Italy USA 4\nHEXES Italy 30 HOSTILE 12\nCONTEST Britain 2 USA 2 IN"
        " Salerno\nEND"
    ),
    (18, "referee-ussr"): (
        "REST DONE\nCOMBAT USSR Germany\nFORCES Poland Germany 0\nFORCES Poland USSR 9 SUPPLIED"
        " 7\nCLEARED Poland USSR\nSWEPT Poland USSR\nFORCES Bulgaria USSR 1\nCLEARED Bulgaria"
        " USSR\nEND"
    ),
    (19, "referee-britain"): (
        "REST DONE\nFORCES Belgium Germany 0\nFORCES Belgium Britain 3\nFORCES Netherlands Germany"
        " 0\nFORCES France Germany 0\nFORCES France Italy 0\nFORCES France France 4\nFORCES France"
        " USA 6\nHEXES France HOSTILE 4\nCLEARED France France\nEND"
    ),
    (
        20,
        "referee-germany",
    ): "REST DONE\nCOMBAT Germany Sweden\nFORCES Sweden Germany 1\nRATE 8\nEND",
    (21, "referee-ussr"): "REST DONE\nFORCES Germany USSR 12\nHEXES Germany 60 HOSTILE 25\nEND",
    (21, "referee-britain"): "REST DONE\nFORCES Germany Britain 4\nEND",
    (23, "count"): (
        "HEXES Germany HOSTILE 31\nFORCES Yugoslavia Italy 2 SUPPLIED 1\nFORCES Greece Germany 0\n"
        "FORCES Norway Germany 2 SUPPLIED 0\n"
        "FORCES Finland Germany 1\nCONTROLLER Denmark NOBODY: the last of them have gone home\nEND"
    ),
}
four = Story(
    4,
    23,
    _FOUR_ORDERS,
    _FOUR_REPORTS,
    {
        # Of three Strength Points one lands, one goes back and one is lost (6.53).
        (6, "dice-1"): (1, 4, 6),
        # Germany has invaded the USSR: the USA enters four turns later, on 3/42 (18.1).
        (8, "dice-1"): (1, 2),
        (12, "dice-1"): (2, 3),
        (16, "dice-1"): (4, 4, 1, 6),  # Britain and the USA at Salerno: a tie, then the USA (7.14)
    },
)
