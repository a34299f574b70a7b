"""Question answering: which value does this person have for this relation?"""

from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import FULL_RATE, RELATION_PAIRS, Draw
from mtlprune.data.tinyworld.language import Fact, Voice, capitalised
from mtlprune.data.tinyworld.relations import FRAMES, QUESTIONS, VALUE_KINDS, VALUE_RELATIONS

SAME_KIND_RATE = 0.5  # of third facts: another value of the kind that is asked for
LENGTHS = (3, 3, 4)  # facts in a context


class Plan(NamedTuple):
    asked: Fact
    facts: list[Fact]
    frames: list[int]
    question: int


def context(draw: Draw) -> list[Fact]:
    """The fact to ask for; another person's value for that relation; then more about both.

    The third and fourth tell of the two people another relation, of the same kind or not.
    """
    kind = draw.pick(VALUE_KINDS)
    relation, other = draw.pick(RELATION_PAIRS[kind])
    if not draw.chance(SAME_KIND_RATE):
        other = draw.pick(VALUE_RELATIONS[draw.pick([k for k in VALUE_KINDS if k != kind])])
    twins = draw.twins(relation, full=draw.chance(FULL_RATE))
    facts = list(twins)
    for twin in twins[: draw.pick(LENGTHS) - len(twins)]:
        facts.append(draw.value(twin.person, other, facts))
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
