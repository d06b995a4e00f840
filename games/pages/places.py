"""The players' places in a game that is over, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def places(scores: Mapping[str, int], own: Iterable[str]) -> list[str]:
    """Return a sentence for each of the reader's nations: “Germany came third with 13 points.”

    Nations with equal scores share a place.
    """
    sentences = []
    for nation in own:
        if nation not in scores:
            continue
        place = sum(score > scores[nation] for score in scores.values())
        shared = " equal" if list(scores.values()).count(scores[nation]) > 1 else ""
        points = f"{scores[nation]} point{'' if scores[nation] == 1 else 's'}"
        sentences.append(f"{nation} came{shared} {ORDINALS[place]} with {points}.")
    return sentences
