"""Paraphrase adversaries: the same names and nearly the same words, with places kept or swapped."""

from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import FRAME_ORDERS, FULL_RATE, RELATION_PAIRS, Draw
from mtlprune.data.tinyworld.language import Fact, Voice
from mtlprune.data.tinyworld.relations import FRAMES, ROLE_RELATIONS, VALUE_KINDS

LABELS = ("same", "different")
TWIN_RATE = 0.5  # of pairs about who has which value; the others are about who did it to whom
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
    one: list[tuple[Fact, int]]  # with frame
    two: list[tuple[Fact, int]]
    label: str


def _roles(draw: Draw, label: str) -> Plan:
    """Who did it to whom? Or was it the other way round?"""
    relation = draw.pick(ROLE_RELATIONS)
    fact = draw.roles(relation, full=draw.chance(FULL_RATE))
    first = draw.below(FRAMES)
    second = draw.pick(_SECOND_FRAMES[first, draw.chance(0.5)])
    again = fact if label == "same" else Fact(relation, fact.things[::-1])
    return Plan([(fact, first)], [(again, second)], label)


def _twins(draw: Draw, label: str) -> Plan:
    """Who has which value? Or does each have the other's?"""
    relation, _ = draw.pick(RELATION_PAIRS[draw.pick(VALUE_KINDS)])
    one, two = draw.twins(relation, full=draw.chance(FULL_RATE))
    values = (one.things[1], two.things[1]) if label == "same" else (two.things[1], one.things[1])
    again = [
        Fact(relation, (fact.person, value)) for fact, value in zip((one, two), values, strict=True)
    ]
    frames = draw.pick(FRAME_ORDERS)
    return Plan(
        list(zip((one, two), frames[:2], strict=True)),
        list(zip(draw.shuffled(again), frames[2:], strict=True)),
        label,
    )


def plan(draw: Draw) -> Plan:
    label = draw.pick(LABELS)
    return (_twins if draw.chance(TWIN_RATE) else _roles)(draw, label)


def say(plan: Plan, voice: Voice) -> dict[str, Any]:
    return {
        "sentence1": " ".join(voice.sentence(fact, frame) for fact, frame in plan.one),
        "sentence2": " ".join(voice.sentence(fact, frame) for fact, frame in plan.two),
        "label": plan.label,
    }
