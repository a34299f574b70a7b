"""Natural language inference: does a third sentence follow from two facts about two people?"""

from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import FULL_RATE, RELATION_PAIRS, TURNED_FRAMES, Draw
from mtlprune.data.tinyworld.language import Fact, Voice
from mtlprune.data.tinyworld.relations import VALUE_KINDS

LABELS = ("entailment", "neutral", "contradiction")


class Plan(NamedTuple):
    premise: tuple[Fact, Fact]
    hypothesis: Fact
    frames: tuple[int, ...]
    label: str


def plan(draw: Draw) -> Plan:
    """Two people with values for one relation; the hypothesis gives one of them a value.

    It is that person's, the other's (a person has one value for each relation), or either of them
    for another relation. Person, frames and order are drawn before the label looks at them.
    """
    relation, other = draw.pick(RELATION_PAIRS[draw.pick(VALUE_KINDS)])
    facts = draw.twins(relation, full=draw.chance(FULL_RATE))
    mine, theirs = draw.shuffled(facts)
    label = draw.pick(LABELS)
    value = {"entailment": mine, "neutral": draw.pick(facts), "contradiction": theirs}[label]
    said = other if label == "neutral" else relation
    hypothesis = Fact(said, (mine.things[0], value.things[1]))
    return Plan((facts[0], facts[1]), hypothesis, draw.pick(TURNED_FRAMES), label)


def say(plan: Plan, voice: Voice) -> dict[str, Any]:
    first, second, third = plan.frames
    one, two = plan.premise
    return {
        "premise": f"{voice.sentence(one, first)} {voice.sentence(two, second)}",
        "hypothesis": voice.sentence(plan.hypothesis, third),
        "label": plan.label,
    }
