"""What a notice says, and how each kind of chat program wants it: a title, a few sentences, a link
and, of public games, the board.

Everything comes from rows that anybody may read, positions through `view` for the public. Of a
private game nothing is said but that something new can be read where one must log in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from games import permissions, positions
from games.letters import wording
from games.models import Act, Channel, DeadlineChange, Game, Notice, Phase, Resolution, Ruling
from games.rules.names import all_of
from games.timing import local_time, schedule
from gamesmaster import links, text

SENTENCES = 12
LONGEST = (
    1800  # Discord takes 4096 signs in a frame, 2000 beside it; whoever wants more opens the page
)
_MARKS = re.compile(r"([\\*_~`|>#\[\]()<@-])")


@dataclass(frozen=True)
class Said:
    title: str
    sentences: tuple[str, ...]
    link: str
    picture: str = ""
    record_hash: str = ""  # a line of its own, never cut


def words_of(notice: Notice) -> Said | None:
    """Return what a notice says; None if nobody acts in the phase, or it was undone."""
    game = notice.channel.game
    assert game is not None, "what a person's program hears says webhooks.personal"
    said = _of(game, notice.about)
    if said is None or not game.public or not game.record_hash:
        return said
    return replace(said, record_hash=f"Record hash of game {game.pk}: {game.record_hash}")


def _of(game: Game, about: dict[str, Any]) -> Said | None:
    match about["event"]:
        case "hello":
            return _hello(game)
        case _ if not game.public:
            return Said("A new report is out", ("Log in to read it.",), links.link("game", game.pk))
        case "opened":
            return _opening(game, Phase.objects.get(pk=about["phase"]), about["deadline"])
        case "awaited":
            return _awaited_report(game, Phase.objects.get(pk=about["phase"]))
        case "moved":
            return _new_deadline(game, DeadlineChange.objects.get(pk=about["change"]))
        case "act":
            return _act(game, Act.objects.get(pk=about["act"]), about.get("deadline"))
        case "locked":
            return _lock(game, Phase.objects.get(pk=about["phase"]))
        case "board":
            return _board(
                game, Resolution.objects.select_related("phase").get(pk=about["resolution"])
            )
        case "ruled":
            return _ruling(game, Ruling.objects.get(pk=about["ruling"]))
    raise ValueError(f"no notice is called {about['event']}")


def _hello(game: Game) -> Said:
    if not game.public:
        return Said(
            "Gamesmaster",
            ("This channel hears when a new report is out.",),
            links.link("game", game.pk),
        )
    told = "This channel hears of deadlines, of the digest when orders close, and of results."
    return Said(f"“{_title(game)}”", (told,), links.link("game", game.pk))


def _title(game: Game) -> str:
    return text.one_line(game.title)


def _opening(game: Game, phase: Phase, deadline: str) -> Said | None:
    phase.game = game
    at = local_time.parse(deadline)
    if at >= schedule.STANDS or not _somebody_acts(phase):
        return None
    told = f"Orders are due by {local_time.in_words(at, game.zone, 'UTC')}."
    return Said(f"“{_title(game)}”: {phase.title}", (told,), links.link("game", game.pk))


def _awaited_report(game: Game, phase: Phase) -> Said:
    phase.game = game
    return Said(
        f"“{_title(game)}”: {phase.title}",
        (phase.awaited,),
        links.link("game", game.pk),
    )


def _somebody_acts(phase: Phase) -> bool:
    return bool(phase.game.rules.acting(positions.state_of(phase)))


def _new_deadline(game: Game, change: DeadlineChange) -> Said:
    new, old = (local_time.in_words(at, game.zone, "UTC") for at in (change.new, change.old))
    told = (
        f"Orders are due by {new}, not by {old}.",
        f"The reason: “{text.one_line(change.reason)}”",
    )
    return Said(f"“{_title(game)}”: a new deadline", told, links.link("game", game.pk))


def _act(game: Game, act: Act, deadline: str | None) -> Said | None:
    """Something done at the desk, by the sentence that anybody may read; who did it is not said."""
    if act.private:
        return None
    told = [f"The reason: “{text.one_line(act.reason)}”"] if act.reason else []
    if deadline:
        due = local_time.in_words(local_time.parse(deadline), game.zone, "UTC")
        told.append(f"Orders are due by {due}.")
    return Said(
        f"“{_title(game)}”: {text.one_line(act.words)}", tuple(told), links.link("game", game.pk)
    )


def _lock(game: Game, phase: Phase) -> Said:
    phase.game = game
    told = [f"Orders are closed. The digest over all of them is {phase.digest}."]
    if phase.session:
        told.append(f"The digits come from {local_time.session(phase.session)}.")
    if phase.stocks:
        told.append(f"Stocks named: {', '.join(phase.stocks)}.")
    return Said(
        f"“{_title(game)}”: {phase.title}", tuple(told), links.link("proof", game.pk, phase.number)
    )


def _board(game: Game, one: Resolution) -> Said:
    phase = one.phase
    phase.game = game
    told = []
    if one.winners:
        told.append(
            f"{all_of(one.winners)} {'has won' if len(one.winners) == 1 else 'share the win'}."
            f" {text.one_line(one.closing)}".strip()
        )
    if game.market == Game.Market.DEMO:
        told.append("A demonstration: the sales are made up.")
    told += _shorten(
        [text.one_line(event["message"]) for event in one.events if event.get("message")]
    )
    standing = game.rules.standing(permissions.view(game, one.after, None))
    if standing.scores:
        ranked = sorted(standing.scores.items(), key=lambda entry: -entry[1])
        told.append(f"Scores: {', '.join(f'{nation} {score}' for nation, score in ranked)}.")
        told += wording.of_sums(standing)
    picture = f"{links.link('board-png', game.pk, phase.number)}?version={one.version}"
    return Said(
        f"“{_title(game)}”: {phase.title}",
        tuple(told),
        links.link("phase", game.pk, phase.number),
        picture,
    )


def _shorten(sentences: Sequence[str]) -> list[str]:
    if len(sentences) <= SENTENCES:
        return list(sentences)
    return [*sentences[:SENTENCES], f"And {len(sentences) - SENTENCES} more."]


def _ruling(game: Game, ruling: Ruling) -> Said:
    told = (text.one_line(ruling.words), f"The reason: “{text.one_line(ruling.reason)}”")
    return Said(
        f"“{_title(game)}”: ruling {ruling.number}",
        told,
        f"{links.link('rulings', game.pk)}#ruling-{ruling.number}",
    )


# --- for each kind of program ---


def body(kind: str, said: Said) -> bytes:
    """Return the message as JSON; people's words mark nothing up, ping nobody, link nowhere."""
    return json.dumps(
        _discord(said) if kind == Channel.Kind.DISCORD else _slack(said), ensure_ascii=False
    ).encode()


def _discord(said: Said) -> dict[str, Any]:
    frame: dict[str, Any] = {
        "title": _cut(said.title, 250),
        "url": said.link,
        "description": _text(said, _unmarked),
    }
    if said.picture:
        frame["image"] = {"url": said.picture}
    return {"embeds": [frame], "allowed_mentions": {"parse": []}}


def _slack(said: Said) -> dict[str, Any]:
    """Return it as Slack's webhooks take it, and Mattermost's, Zulip's and Rocket.Chat's."""
    frame: dict[str, Any] = {
        "fallback": _escape(_cut(said.title, 250)),
        "title": _escape(_cut(said.title, 250)),
        "title_link": said.link,
        "text": _text(said, _escape),
        "mrkdwn_in": [],
    }
    if said.picture:
        frame["image_url"] = said.picture
    return {
        "text": f"{_escape(_cut(said.title, 250))} {said.link}",
        "link_names": False,
        "attachments": [frame],
    }


def _text(said: Said, safe: Any) -> str:
    told = _cut("\n".join(safe(sentence) for sentence in said.sentences), LONGEST)
    return f"{told}\n{said.record_hash}" if said.record_hash else told


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def _unmarked(words: str) -> str:
    """Discord reads Markdown."""
    return _MARKS.sub(r"\\\1", words)


def _escape(words: str) -> str:
    """Slack reads `<...>` as links and calls; `&` stands before either."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
