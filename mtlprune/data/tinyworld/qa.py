"""Question answering: which value does this person have for this relation?"""

from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import RELATION_TRIPLES, Draw
from mtlprune.data.tinyworld.language import Fact, Voice, capitalised
from mtlprune.data.tinyworld.relations import FRAMES, QUESTIONS, VALUE_KINDS, VALUE_RELATIONS

LENGTHS = (3, 4, 4, 5, 5)  # facts in a context


class Plan(NamedTuple):
    asked: Fact
    facts: list[Fact]
    frames: list[int]
    question: int


def rivals(draw: Draw, kind: str, full: bool, length: int) -> list[Fact]:
    """The fact to ask for, then ones that share its relation, or its person, or neither.

    From four facts on, two people have the same two relations: the context alone does not tell
    which of the values will be asked for. The fifth is about something else.
    """
    one, two, _ = draw.pick(RELATION_TRIPLES[kind])
    asked = draw.person(full)
    other = draw.person(full, (asked,))
    facts: list[Fact] = []
    for person, relation in ((asked, one), (other, one), (asked, two), (other, two))[:length]:
        facts.append(draw.value(person, relation, facts))
    if length > len(facts):
        third = draw.person(full, (asked, other))
        elsewhere = draw.pick([name for name in VALUE_KINDS if name != kind])
        subject = draw.pick((asked, other, third, third))
        facts.append(draw.value(subject, draw.pick(VALUE_RELATIONS[elsewhere])))
    return facts


def plan(draw: Draw) -> Plan:
    full = draw.chance(0.5)
    facts = rivals(draw, draw.pick(VALUE_KINDS), full, draw.pick(LENGTHS))
    frames = [draw.below(FRAMES) for _ in facts]
    return Plan(facts[0], draw.shuffled(facts), frames, draw.below(QUESTIONS))


def say(plan: Plan, voice: Voice) -> dict[str, Any]:
    context = " ".join(map(voice.sentence, plan.facts, plan.frames))
    answer = voice.answer(plan.asked)
    if answer not in context:  # it begins a sentence
        answer = capitalised(answer)
    return {
        "context": context,
        "question": voice.question(plan.asked, plan.question),
        "answers": [{"text": answer, "answer_start": context.index(answer)}],
    }
