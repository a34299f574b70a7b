"""Plain text to warm up on: facts, and one of them again in other words or asked and answered."""

from collections.abc import Callable
from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import FRAME_ORDERS, FULL_RATE, RELATION_PAIRS, Draw
from mtlprune.data.tinyworld.language import Fact, Voice, capitalised
from mtlprune.data.tinyworld.relations import QUESTIONS, ROLE_RELATIONS, VALUE_KINDS

OPENING_RATE = 0.1
PAIRED_RATE = 0.75  # share of lines with a second text
ASKED_RATE = 0.5  # of second texts about a value: share that are a question and its answer


class Plan(NamedTuple):
    facts: list[tuple[Fact, int, int | None]]  # with frame and opening
    again: tuple[Fact, int] | None  # with frame
    question: int | None  # instead of that frame


def _twins(draw: Draw) -> list[Fact]:
    """Who has which value?"""
    relation, _ = draw.pick(RELATION_PAIRS[draw.pick(VALUE_KINDS)])
    return list(draw.twins(relation, full=draw.chance(FULL_RATE)))


def _siblings(draw: Draw) -> list[Fact]:
    """Which value is which relation's?"""
    person = draw.person(full=draw.chance(FULL_RATE))
    one, two = draw.pick(RELATION_PAIRS[draw.pick(VALUE_KINDS)])
    first = draw.value(person, one)
    return [first, draw.value(person, two, [first])]


def _chain(draw: Draw) -> list[Fact]:
    """Who did it to whom? The one in the middle does it and has it done."""
    relation = draw.pick(ROLE_RELATIONS)
    first = draw.roles(relation, full=draw.chance(FULL_RATE))
    return [first, draw.next_in_chain(first)]


SHAPES: tuple[Callable[[Draw], list[Fact]], ...] = (_twins, _siblings, _chain, _chain)


def plan(draw: Draw) -> Plan:
    """Two facts that differ in one thing, and perhaps one of them again.

    In the second text exclusion does not tell what a hidden word was: the first has to be read.
    """
    lines = [
        (fact, draw.pick(FRAME_ORDERS), draw.opening(fact.relation, OPENING_RATE))
        for fact in draw.shuffled(draw.pick(SHAPES)(draw))
    ]
    facts = [(fact, frames[0], opening) for fact, frames, opening in lines]
    if not draw.chance(PAIRED_RATE):
        return Plan(facts, None, None)
    fact, frames, _ = draw.pick(lines)
    asked = "v" in fact.relation.slots and draw.chance(ASKED_RATE)
    return Plan(facts, (fact, frames[1]), draw.below(QUESTIONS) if asked else None)


def say(plan: Plan, voice: Voice) -> dict[str, Any]:
    text = " ".join(voice.sentence(fact, frame, opening) for fact, frame, opening in plan.facts)
    if plan.again is None:
        return {"text": text}
    if plan.question is None:
        return {"text": text, "text2": voice.sentence(*plan.again)}
    fact, _ = plan.again
    answer = capitalised(voice.answer(fact))
    return {"text": text, "text2": f"{voice.question(fact, plan.question)} {answer}."}
