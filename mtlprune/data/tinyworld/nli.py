"""Natural language inference: does a third sentence follow from two facts about a person?"""

from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import FRAME_ORDERS, Draw
from mtlprune.data.tinyworld.language import Fact, Voice
from mtlprune.data.tinyworld.relations import VALUE_KINDS

LABELS = ("entailment", "neutral", "contradiction")


class Plan(NamedTuple):
    premise: tuple[Fact, Fact]
    hypothesis: Fact
    frames: tuple[int, ...]
    label: str


def plan(draw: Draw) -> Plan:
    """Two facts of one kind; the hypothesis gives one of the values to one of three relations.

    Value, frames and order are drawn before the label looks at them, so only who has what with
    which relation tells the label.
    """
    person = draw.person(full=draw.chance(0.5))
    one, two, third = draw.siblings(person, draw.pick(VALUE_KINDS))
    kept, other = draw.pick(((one, two), (two, one)))
    label = draw.pick(LABELS)
    relation = {"entailment": kept.relation, "neutral": third, "contradiction": other.relation}
    hypothesis = Fact(relation[label], kept.things)
    return Plan((one, two), hypothesis, draw.pick(FRAME_ORDERS), label)


def say(plan: Plan, voice: Voice) -> dict[str, Any]:
    first, second, third = plan.frames[:3]
    one, two = plan.premise
    return {
        "premise": f"{voice.sentence(one, first)} {voice.sentence(two, second)}",
        "hypothesis": voice.sentence(plan.hypothesis, third),
        "label": plan.label,
    }
