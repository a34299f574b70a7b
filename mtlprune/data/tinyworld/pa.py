"""Paraphrase adversaries: the same names and nearly the same words, with roles kept or swapped."""

from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import FULL_RATE, Draw
from mtlprune.data.tinyworld.language import Fact, Voice
from mtlprune.data.tinyworld.relations import FRAMES, ROLE_RELATIONS

LABELS = ("same", "different")
# Frames 0 and 1 name the doer first. The second frame keeps or turns the order of names with
# equal chance, whatever the label, so that the order does not tell it.
_SECOND_FRAMES = {
    (first, keep): tuple(
        frame for frame in range(FRAMES) if frame != first and (frame // 2 == first // 2) is keep
    )
    for first in range(FRAMES)
    for keep in (True, False)
}


class Plan(NamedTuple):
    facts: tuple[Fact, Fact]
    frames: tuple[int, int]
    label: str


def plan(draw: Draw) -> Plan:
    relation = draw.pick(ROLE_RELATIONS)
    fact = draw.roles(relation, full=draw.chance(FULL_RATE))
    first = draw.below(FRAMES)
    second = draw.pick(_SECOND_FRAMES[first, draw.chance(0.5)])
    label = draw.pick(LABELS)
    swapped = Fact(relation, fact.things[::-1])
    facts = (fact, fact if label == "same" else swapped)
    return Plan(facts, (first, second), label)


def say(plan: Plan, voice: Voice) -> dict[str, Any]:
    (one, two), (first, second) = plan.facts, plan.frames
    return {
        "sentence1": voice.sentence(one, first),
        "sentence2": voice.sentence(two, second),
        "label": plan.label,
    }
