"""Named entities: people, places and organisations in one to three sentences."""

from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import Draw
from mtlprune.data.tinyworld.language import Fact, Voice
from mtlprune.data.tinyworld.relations import FRAMES

OPENING_RATE = 0.5


class Plan(NamedTuple):
    sentences: list[tuple[Fact, int, int | None]]  # fact, frame, opening


def plan(draw: Draw) -> Plan:
    full = draw.chance(0.5)
    facts = [draw.fact(full) for _ in range(1 + draw.below(3))]
    return Plan(
        [(fact, draw.below(FRAMES), draw.opening(fact.relation, OPENING_RATE)) for fact in facts]
    )


def say(plan: Plan, voice: Voice) -> dict[str, Any]:
    tokens: list[str] = []
    tags: list[str] = []
    for fact, frame, opening in plan.sentences:
        words, labels = voice.tagged(fact, frame, opening)
        tokens += words
        tags += labels
    return {"tokens": tokens, "tags": tags}
