"""Write the text of a notice for each kind of chat program.

A text has a title, a few sentences, a link and, for public games, the board. Everything comes from
rows that anybody may read, and positions through `view` for the public. Notices of a private game
only say that there is something new, to be read after login.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from games import permissions, positions
from games.base import links, text
from games.models import Act, Channel, DeadlineChange, Game, Notice, Phase, Resolution, Ruling
from games.rules import wording
from games.rules.names import all_of
from games.timing import local_time, schedule

SENTENCES = 12
#: Discord takes 4096 characters in an embed, 2000 outside; the page has the full text.
LONGEST = 1800
_MARKS = re.compile(r"([\\*_~`|>#\[\]()<@-])")


@dataclass(frozen=True)
class NoticeText:
    title: str
    sentences: tuple[str, ...]
    link: str
    picture: str = ""
    record_hash: str = ""  # a line of its own, never cut


def text_of(notice: Notice) -> NoticeText | None:
    """Return the text of a notice; None if nobody acts in the phase, or it was undone."""
    game = notice.channel.game
    assert game is not None, "what a person's program hears says webhooks.personal"
    notice_text = _event_text(game, notice.about)
    if notice_text is None or not game.public or not game.record_hash:
        return notice_text
    return replace(notice_text, record_hash=f"Record hash of game {game.pk}: {game.record_hash}")


def _event_text(game: Game, about: dict[str, Any]) -> NoticeText | None:
    match about["event"]:
        case "hello":
            return _hello(game)
        case _ if not game.public:
            return NoticeText(
                "A new report is out", ("Log in to read it.",), links.link("game", game.pk)
            )
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


def _hello(game: Game) -> NoticeText:
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


def _opening(game: Game, phase: Phase, deadline: str) -> NoticeText | None:
    phase.game = game
    at = local_time.parse(deadline)
    if at >= schedule.STANDS or not _somebody_acts(phase):
        return None
    sentence = f"Orders are due by {local_time.in_words(at, game.zone, 'UTC')}."
    return NoticeText(f"“{_title(game)}”: {phase.title}", (sentence,), links.link("game", game.pk))


def _awaited_report(game: Game, phase: Phase) -> NoticeText:
    phase.game = game
    return NoticeText(
        f"“{_title(game)}”: {phase.title}",
        (phase.awaited,),
        links.link("game", game.pk),
    )


def _somebody_acts(phase: Phase) -> bool:
    return bool(phase.game.rules.acting_nations(positions.state_of(phase)))


def _new_deadline(game: Game, change: DeadlineChange) -> NoticeText:
    new, old = (local_time.in_words(at, game.zone, "UTC") for at in (change.new, change.old))
    sentences = (
        f"Orders are due by {new}, not by {old}.",
        f"The reason: “{text.one_line(change.reason)}”",
    )
    return NoticeText(f"“{_title(game)}”: a new deadline", sentences, links.link("game", game.pk))


def _act(game: Game, act: Act, deadline: str | None) -> NoticeText | None:
    """Return the public sentence of an act at the desk, without who did it."""
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


def _lock(game: Game, phase: Phase) -> NoticeText:
    phase.game = game
    sentences = [f"Orders are closed. The digest over all of them is {phase.digest}."]
    if phase.session:
        sentences.append(f"The digits come from {local_time.session(phase.session)}.")
    if phase.stocks:
        sentences.append(f"Stocks named: {', '.join(phase.stocks)}.")
    return NoticeText(
        f"“{_title(game)}”: {phase.title}",
        tuple(sentences),
        links.link("proof", game.pk, phase.number),
    )


def _board(game: Game, resolution: Resolution) -> NoticeText:
    phase = resolution.phase
    phase.game = game
    sentences = []
    if resolution.winners:
        won = "wins" if len(resolution.winners) == 1 else "share the win"
        sentences.append(
            f"{all_of(resolution.winners)} {won}. {text.one_line(resolution.closing)}".strip()
        )
    if game.market == Game.Market.DEMO:
        sentences.append("A demonstration: the sales are made up.")
    sentences += _shorten(
        [text.one_line(event["message"]) for event in resolution.events if event.get("message")]
    )
    standing = game.rules.standing(permissions.view(game, resolution.after, None))
    if standing.scores:
        ranked = sorted(standing.scores.items(), key=lambda entry: -entry[1])
        sentences.append(f"Scores: {', '.join(f'{nation} {score}' for nation, score in ranked)}.")
        sentences += wording.alliance_sentences(standing)
    picture = f"{links.link('board-png', game.pk, phase.number)}?version={resolution.version}"
    return NoticeText(
        f"“{_title(game)}”: {phase.title}",
        tuple(sentences),
        links.link("phase", game.pk, phase.number),
        picture,
    )


def _shorten(sentences: Sequence[str]) -> list[str]:
    if len(sentences) <= SENTENCES:
        return list(sentences)
    return [*sentences[:SENTENCES], f"And {len(sentences) - SENTENCES} more."]


def _ruling(game: Game, ruling: Ruling) -> NoticeText:
    sentences = (text.one_line(ruling.words), f"The reason: “{text.one_line(ruling.reason)}”")
    return NoticeText(
        f"“{_title(game)}”: ruling {ruling.number}",
        sentences,
        f"{links.link('rulings', game.pk)}#ruling-{ruling.number}",
    )


# --- for each kind of program ---


def body(kind: str, notice: NoticeText) -> bytes:
    """Return the message as JSON. People's text is escaped: no markup, mentions or links."""
    return json.dumps(
        _discord(notice) if kind == Channel.Kind.DISCORD else _slack(notice), ensure_ascii=False
    ).encode()


def _discord(notice: NoticeText) -> dict[str, Any]:
    frame: dict[str, Any] = {
        "title": _cut(notice.title, 250),
        "url": notice.link,
        "description": _text(notice, _escape_markdown),
    }
    if notice.picture:
        frame["image"] = {"url": notice.picture}
    return {"embeds": [frame], "allowed_mentions": {"parse": []}}


def _slack(notice: NoticeText) -> dict[str, Any]:
    """Return it in the form of Slack's webhooks.

    Mattermost, Zulip and Rocket.Chat take it too.
    """
    frame: dict[str, Any] = {
        "fallback": _escape(_cut(notice.title, 250)),
        "title": _escape(_cut(notice.title, 250)),
        "title_link": notice.link,
        "text": _text(notice, _escape),
        "mrkdwn_in": [],
    }
    if notice.picture:
        frame["image_url"] = notice.picture
    return {
        "text": f"{_escape(_cut(notice.title, 250))} {notice.link}",
        "link_names": False,
        "attachments": [frame],
    }


def _text(notice: NoticeText, safe: Any) -> str:
    joined = _cut("\n".join(safe(sentence) for sentence in notice.sentences), LONGEST)
    return f"{joined}\n{notice.record_hash}" if notice.record_hash else joined


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def _escape_markdown(words: str) -> str:
    """Escape Markdown for Discord."""
    return _MARKS.sub(r"\\\1", words)


def _escape(words: str) -> str:
    """Escape text for Slack, which reads `<...>` as links and mentions. `&` has to come first."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
