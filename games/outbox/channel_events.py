"""The events that a game's channels hear: what each says, and who hears it when.

A text has a title, a few sentences, a link and, for public games, the board. Everything comes from
rows that anybody may read, and positions through `view` for the public. Notices of a private game
only say that there is something new, to be read after login.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from games import permissions, positions
from games.base import links, text
from games.models import Act, DeadlineChange, Game, Notice, Phase, Resolution, Ruling
from games.rules import wording
from games.rules.names import all_of
from games.timing import local_time, schedule

SENTENCES = 12


@dataclass(frozen=True)
class NoticeText:
    title: str
    sentences: tuple[str, ...]
    link: str
    picture: str = ""
    record_hash: str = ""  # a line of its own, never cut


@dataclass(frozen=True)
class ChannelEvent:
    """An event of a game.

    - `text`: what it says, from the game and the notice's facts; None if there is nothing to say.
    - `of_private_games`: channels of a private game hear it too, without details.
    - `after_others`: it follows the other notices that are written at the same time.
    """

    text: Callable[[Game, dict[str, Any]], NoticeText | None]
    of_private_games: bool = False
    after_others: bool = False


def text_of(notice: Notice) -> NoticeText | None:
    """Return the text of a notice; None if nobody acts in the phase, or it was undone."""
    game, event = notice.channel.game, notice.about["event"]
    assert game is not None, "what a person's program hears says personal_webhooks"
    if not game.public and event != "hello":
        return NoticeText(
            "A new report is out", ("Log in to read it.",), links.link("game", game.pk)
        )
    notice_text = EVENTS[event].text(game, notice.about)
    if notice_text is None or not game.public or not game.record_hash:
        return notice_text
    return replace(notice_text, record_hash=f"Record hash of game {game.pk}: {game.record_hash}")


def _hello(game: Game, about: dict[str, Any]) -> NoticeText:
    if not game.public:
        return NoticeText(
            "Gamesmaster",
            ("This channel gets a message when a new report is out.",),
            links.link("game", game.pk),
        )
    sentence = "This channel gets deadlines, the digest when orders close, and results."
    return NoticeText(f"“{_title(game)}”", (sentence,), links.link("game", game.pk))


def _title(game: Game) -> str:
    return text.one_line(game.title)


def _phase(game: Game, about: dict[str, Any]) -> Phase:
    phase = Phase.objects.get(pk=about["phase"])
    phase.game = game
    return phase


def _opening(game: Game, about: dict[str, Any]) -> NoticeText | None:
    """Return nothing for a phase without a deadline or in which nobody acts."""
    phase, at = _phase(game, about), local_time.parse(about["deadline"])
    if at >= schedule.STANDS or not game.rules.acting_nations(positions.state_of(phase)):
        return None
    sentence = f"Orders are due by {local_time.in_words(at, game.zone, 'UTC')}."
    return NoticeText(f"“{_title(game)}”: {phase.title}", (sentence,), links.link("game", game.pk))


def _awaited_report(game: Game, about: dict[str, Any]) -> NoticeText:
    phase = _phase(game, about)
    return NoticeText(
        f"“{_title(game)}”: {phase.title}",
        (phase.awaited,),
        links.link("game", game.pk),
    )


def _new_deadline(game: Game, about: dict[str, Any]) -> NoticeText:
    change = DeadlineChange.objects.get(pk=about["change"])
    new, old = (local_time.in_words(at, game.zone, "UTC") for at in (change.new, change.old))
    sentences = (
        f"Orders are due by {new}, not by {old}.",
        f"The reason: “{text.one_line(change.reason)}”",
    )
    return NoticeText(f"“{_title(game)}”: a new deadline", sentences, links.link("game", game.pk))


def _act(game: Game, about: dict[str, Any]) -> NoticeText | None:
    """Return the public sentence of an act at the desk, without who did it."""
    act, deadline = Act.objects.get(pk=about["act"]), about.get("deadline")
    if act.private:
        return None
    sentences = [f"The reason: “{text.one_line(act.reason)}”"] if act.reason else []
    if deadline:
        due = local_time.in_words(local_time.parse(deadline), game.zone, "UTC")
        sentences.append(f"Orders are due by {due}.")
    return NoticeText(
        f"“{_title(game)}”: {text.one_line(act.words)}",
        tuple(sentences),
        links.link("game", game.pk),
    )


def _lock(game: Game, about: dict[str, Any]) -> NoticeText:
    phase = _phase(game, about)
    sentences = [f"Orders are closed. The digest over all of them is {phase.digest}."]
    if phase.session:
        sentences.append(
            f"The digits come from {local_time.session(phase.session, phase.deadline)}."
        )
    if phase.stocks:
        sentences.append(f"Stocks named: {', '.join(phase.stocks)}.")
    return NoticeText(
        f"“{_title(game)}”: {phase.title}",
        tuple(sentences),
        links.link("proof", game.pk, phase.number),
    )


def _board(game: Game, about: dict[str, Any]) -> NoticeText:
    resolution = Resolution.objects.select_related("phase").get(pk=about["resolution"])
    phase = resolution.phase
    phase.game = game
    sentences = []
    if resolution.winners:
        won = "wins" if len(resolution.winners) == 1 else "share the win"
        sentences.append(
            f"{all_of(resolution.winners)} {won}. {text.one_line(resolution.closing)}".strip()
        )
    if game.sales_made_up:
        sentences.append("A demonstration: the sales are made up.")
    told = [text.one_line(event["message"]) for event in resolution.events if event.get("message")]
    sentences += told[:SENTENCES]
    if len(told) > SENTENCES:
        sentences.append(f"And {len(told) - SENTENCES} more.")
    standing = game.rules.standing(permissions.view(game, resolution.after, None))
    if standing.scores:
        sentences.append(f"Scores: {wording.scores_line(standing.scores)}.")
        sentences += wording.alliance_sentences(standing)
    picture = f"{links.link('board-png', game.pk, phase.number)}?version={resolution.version}"
    return NoticeText(
        f"“{_title(game)}”: {resolution.title}",
        tuple(sentences),
        links.link("phase", game.pk, phase.number),
        picture,
    )


def ruling_text(game: Game, ruling: Ruling) -> NoticeText:
    """Return the text about a ruling, which feeds have too."""
    sentences = (text.one_line(ruling.words), f"The reason: “{text.one_line(ruling.reason)}”")
    return NoticeText(
        f"“{_title(game)}”: ruling {ruling.number}",
        sentences,
        f"{links.link('rulings', game.pk)}#ruling-{ruling.number}",
    )


#: All events by name. `hello` is sent to one channel, when it is added or tested.
EVENTS = {
    "hello": ChannelEvent(_hello),
    "opened": ChannelEvent(_opening, after_others=True),
    "awaited": ChannelEvent(_awaited_report),
    "moved": ChannelEvent(_new_deadline),
    "act": ChannelEvent(_act),
    "locked": ChannelEvent(_lock),
    "board": ChannelEvent(_board, of_private_games=True),
    "ruled": ChannelEvent(
        lambda game, about: ruling_text(game, Ruling.objects.get(pk=about["ruling"])),
        of_private_games=True,
    ),
}
