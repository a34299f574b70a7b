"""Question answering: which value does this person have for this relation?"""

from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import FULL_RATE, RELATION_PAIRS, Draw
from mtlprune.data.tinyworld.language import Fact, Voice, capitalised
from mtlprune.data.tinyworld.relations import FRAMES, QUESTIONS, VALUE_KINDS, VALUE_RELATIONS

RIVAL_RATE = 0.5  # of contexts that tell another person's value for the relation asked for
SAME_KIND_RATE = 0.5  # of contexts whose other relation has values of the kind asked for
FOURTH_RATE = 0.5  # of contexts with a rival that tell both people's values for both relations


class Plan(NamedTuple):
    asked: Fact
    facts: list[Fact]
    frames: list[int]
    question: int


def context(draw: Draw) -> list[Fact]:
    """The fact to ask for; what two people, the one and another, have for another relation.

    In some contexts the other has a value for the relation asked for as well, or instead.
    """
    kind = draw.pick(VALUE_KINDS)
    relation, other = draw.pick(RELATION_PAIRS[kind])
    if not draw.chance(SAME_KIND_RATE):
        other = draw.pick(VALUE_RELATIONS[draw.pick([k for k in VALUE_KINDS if k != kind])])
    mine, theirs = draw.twins(other, full=draw.chance(FULL_RATE))
    facts = [draw.value(mine.person, relation, [mine, theirs]), mine, theirs]
    if draw.chance(RIVAL_RATE):
        facts.append(draw.value(theirs.person, relation, facts))
        if not draw.chance(FOURTH_RATE):
            facts.remove(theirs)
    return facts


def plan(draw: Draw) -> Plan:
    facts = context(draw)
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
