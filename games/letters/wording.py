"""What the choices of a game are called: no page and no letter shows the ids that programs use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.rules import Standing
from games.rules.markets import MARKETS
from games.rules.options import Option
from games.rules.pairs import PREMADE

#: Values by option, in the words of somebody who explains the game. What is not listed speaks for
# itself.
VALUES: dict[str, dict[object, str]] = {
    "rng.source": {
        "stocks": "stock sales",
        "gm_dice": "the gamesmaster's own dice",
        "commit_reveal": "a seed whose hash is published beforehand",
    },
    "rng.quote_session": {
        "first_session_after_lock": "the first session that opens after orders are closed",
        "deadline_day": "the session of the deadline day",
    },
    "rng.market": {market.id: market.title for market in MARKETS.values()},
    "rng.settle": {
        "agreed_readings": "two readings must agree",
        "first_reading": "the first reading counts",
    },
    "rng.stock_choice": {"free": "any stock", "list_only": "only stocks on the reserve list"},
    "rng.no_stock": {
        "next_on_list": "the next reserve decides",
        "attack_void": "the attack is void",
    },
    "rng.duplicate_stock": {
        "reserve_within_nation": "passed over if the same nation named it before",
        "allow": "counts again",
        "reserve_always": "passed over, whoever named it before",
    },
    "orders.amend": {
        "replace_all": "new orders replace all earlier ones",
        "merge_lines": "only lines about the same thing are replaced",
    },
    "orders.grace_hours": {0: "none"},
    "orders.standing": {"yes": "kept from turn to turn", "no": "for the turn they are sent in"},
    "ow2.placement": {"simultaneous": "all at one deadline", "ordered": "nation by nation"},
    "ow2.unplaced": {
        "home": "they go home",
        "forfeit": "they are forfeited",
        "gm_places": "the gamesmaster places them",
    },
    "ow2.overplaced": {
        "trim": "lines count until the PFs are used up",
        "reject_all": "no line counts",
    },
    "ow2.nmr_placement": {
        "home": "they go home",
        "forfeit": "they are forfeited",
        "repeat_last": "they go where the last ones went",
    },
    "ow2.resolution": {
        "ordered": "losses count before the next attack",
        "frozen_odds": "all attacks are judged on the published board",
    },
    "ow2.home_first": {
        "auto": "the home attack comes first",
        "as_written": "lines count as written",
    },
    "ow2.sub_1_1": {
        "void": "the attack is void",
        "attacker_removed": "the attacker loses all he has there",
    },
    "ow2.absent_target": {"drop": "the target is left out", "void": "the whole list is void"},
    "ow2.conditionals": {
        "else_and_min": "ELSE and MIN may be used",
        "none": "ELSE and MIN are ignored",
    },
    "ow2.x_attacker_loss": {"equal": "as much as the targets lose", "all": "everything"},
    "ow2.u_loss": {
        "pf_first": "plain PFs first",
        "u_first": "the Understanding first",
        "owner_says": "what the owner says",
    },
    "ow2.failed_home": {
        "no_more_attacks": "the nation attacks no more that turn",
        "only_that_nation": "only its owner stays immune",
    },
    "ow2.immunity_ends": {
        "counter_gone": "when the Understanding is gone",
        "only_by_host": "only where the host nation destroyed it",
    },
    "ow2.share_consent": {
        "named_pair": "nations that name each other",
        "both_asked_control": "any two who both asked for CONTROL",
    },
    "ow2.share_max": {"2": "two nations", "3": "three nations"},
    "ow2.auto_counters": {
        "no": "none",
        "understanding_when_possible": "every Understanding that it may",
    },
    "ow2.nu_broken_by": {
        "card_note": "as the sheet says",
        "understanding": "by an Understanding",
        "understanding_or_control": "by an Understanding or CONTROL",
    },
    "rng.d6": {
        "reject": "digits from 1 to 6 count",
        "two_digit": "the last two digits decide",
        "full_mod": "the whole figure decides",
    },
    "ow2.u_counts_for_control": {"yes": "yes, as five PFs", "no": "no"},
    "ow2.ally_draw": {
        "with_previous_report": "with the report before",
        "own_session": "on a day of its own",
    },
    "ow2.nonplayer_wins": {"no": "no", "yes": "yes"},
    "ow2.four_without_usa": {
        "no": "the United States is lent by lot",
        "yes": "the American nation is out",
    },
    "ow2.team": {
        "spokesman": "the spokesman’s",
        "majority": "what most of them sent",
        "last_received": "what was sent last",
    },
    "ow2.blind": {"no": "open cards", "yes": "the blind game"},
    "ow2.blind_draw": {
        "without_replacement": "each chart once",
        "with_replacement": "each from all of them",
    },
    "ow2.hidden": {"off": "open", "face_down": "face down"},
    "ow2.running_score": {"shown": "every turn", "hidden": "only at the end"},
    "ow2.tie": {
        "shared": "the tie is shared",
        "more_control": "more CONTROL counters win",
        "more_counters": "more counters of both kinds win",
    },
    "ow2.show_year": {"no": "numbers only", "yes": "with the year"},
    "wwi.phasing": {
        "two_phase": "a deadline for placing and one for attacks",
        "one_deadline": "one deadline for both",
        "sequential": "a deadline for each nation in turn",
    },
    "wwi.seating": {"choice": "chosen", "random": "drawn"},
    "wwi.pairing": {"agreed": "agreed", "random": "drawn"},
    "wwi.alliance_test": {
        "ge": "as many points as all others are enough",
        "gt": "more points than all others are needed",
    },
    "wwi.failed_alliance": {
        "unallied": "the best nation outside the alliances",
        "all_five": "the best of all five",
    },
    "wwi.alliance_withdrawal": {
        "never": "an alliance is for good",
        "allowed": "either of the two may leave",
    },
    "wwi.attack_ally": {"allowed": "they may", "forbidden": "they may not"},
    "wwi.alliance_secrecy": {
        "public": "published with the next report",
        "until_end": "known to its members alone until the end",
    },
    "wwi.alliance_deadline": {
        "last_orders": "up to the last orders",
        "turn9": "not in the last turn",
    },
    "wwi.unplaced": {"home": "they go home", "lost": "they are lost"},
    "wwi.overplaced": {
        "trim": "lines count as far as PFs and the limit reach",
        "reject_all": "no line counts",
    },
    "wwi.bonus_areas": {
        "all13": "they count as all others",
        "without_regions": "they do not count",
    },
    "wwi.bonus_time": {"end": "those that stand at the end", "ever": "any that stood at any time"},
    "wwi.britain_test": {"final": "with their bonuses", "objectives_only": "without their bonuses"},
    "wwi.nmr": {
        "home": "they go home",
        "lost": "they are lost",
        "repeat_last": "they go where the last ones went",
    },
    "spi.flow": {
        "batched": "one deadline for everybody’s orders",
        "sequential": "a deadline for each Player-Turn",
    },
    "spi.seasons": {
        "winter1": "winter is the first quarter",
        "spring1": "spring is the first quarter",
    },
    "spi.diplomacy_days": {0: "a deadline as all others"},
    "spi.declaration": {
        "press_only": "a declaration binds nobody",
        "required_before_attack": "war is declared before an attack",
    },
    "spi.pre_entry_us_share": {"idle": "it lies idle", "british": "it is Britain’s"},
    "spi.british_replacement": {
        "spring": "in spring",
        "any_turn": "with the first turn of the year",
    },
    "spi.half_rounding": {"down": "rounded down", "up": "rounded up"},
    "spi.invader_unit": {"player": "as the player’s", "power": "as that power’s alone"},
    "spi.us_entry": {
        "variable": "when the dice say so",
        "base_schedule": "by the base game’s schedule",
    },
    "spi.us_dice": {"ordered": "in the order thrown", "either_order": "in either order"},
    "spi.us_special": {
        "in_addition": "beside the throw of the turn",
        "instead": "in place of the throw of the turn",
    },
    "spi.us_trigger_units": {
        "german_only": "German units",
        "german_player": "any units of the German player",
    },
    "spi.allied": {
        "registered": "those who have both said so",
        "nonhostile": "all who are not hostile to each other",
    },
    "spi.blend": {
        "choose_one": "one printed entry a country",
        "any_mix": "both printed entries of a country, if he likes",
    },
    "spi.standings": {"public": "everybody", "gm_only": "the gamesmaster, until the end"},
    "spi.tie": {
        "shared": "the tie is shared",
        "fewest_own_hexes_lost": "whoever has lost fewest hexes of his homes wins",
    },
}


def of_value(option_id: str, value: object) -> str:
    """A value in words: the listed ones, else the value itself without the signs of a program."""
    if option_id == PREMADE:
        return str(value).replace("+", " and ") or "none"
    return VALUES.get(option_id, {}).get(value) or str(value).replace("_", " ")


def of_odds(column: str) -> str:
    """A column of the printed table as people say it: “2-1”, “below 1-1”."""
    return column if "-" in column else "below 1-1"


def of_sums(standing: Standing) -> list[str]:
    """What allies have together, a sentence for each alliance that the reader may know."""
    return [
        f"{one} and {other}, allied: {points} together, all others {rest}."
        for (one, other), points, rest in standing.sums()
    ]


def chosen(options: list[Option], values: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """What each option is about, its value in words, and whether it is not the usual one."""
    told = []
    for option in options:
        value = values.get(option.id, option.default)
        told.append((option.text, of_value(option.id, value), value != option.default))
    return told
