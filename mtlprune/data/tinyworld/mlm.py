"""Plain text to warm up on: contexts as the tasks have them, and paraphrase pairs."""

from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import FRAME_ORDERS, Draw
from mtlprune.data.tinyworld.language import Fact, Voice
from mtlprune.data.tinyworld.qa import rivals
from mtlprune.data.tinyworld.relations import VALUE_KINDS

OPENING_RATE = 0.2
LONE_RATE = 1 / 3  # share of lines about a single fact


class Plan(NamedTuple):
    texts: list[list[tuple[Fact, int, int | None]]]  # fact, frame, opening of each sentence


def _facts(draw: Draw, paired: bool) -> list[Fact]:
    full, kind = draw.chance(0.5), draw.pick(VALUE_KINDS)
    if draw.chance(LONE_RATE):
        return [draw.fact(full)]
    if paired or draw.chance(0.5):
        return list(draw.siblings(draw.person(full), kind)[:2])
    return rivals(draw, kind, full, 3)


def plan(draw: Draw) -> Plan:
    """A context, or a pair whose second text says facts of the first in other frames.

    Of two facts both or only one is said again. Both give more to copy, which is learned first;
    with one, exclusion does not tell its value, so the relation has to be understood.
    """
    paired = draw.chance(0.5)
    lines = [
        (fact, draw.pick(FRAME_ORDERS), draw.opening(fact.relation, OPENING_RATE))
        for fact in draw.shuffled(_facts(draw, paired))
    ]
    texts = [[(fact, frames[0], opening) for fact, frames, opening in lines]]
    if paired:
        again = draw.shuffled(lines)[: 1 + draw.below(2)]
        texts.append([(fact, frames[1], opening) for fact, frames, opening in again])
    return Plan(texts)


def say(plan: Plan, voice: Voice) -> dict[str, Any]:
    texts = [
        " ".join(voice.sentence(fact, frame, opening) for fact, frame, opening in lines)
        for lines in plan.texts
    ]
    return dict(zip(("text", "text2"), texts, strict=False))
