"""Natural language inference: does a third sentence follow from two facts about two people?"""

from typing import Any, NamedTuple

from mtlprune.data.tinyworld.draw import FULL_RATE, RELATION_PAIRS, TURNED_FRAMES, Draw
from mtlprune.data.tinyworld.language import Fact, Voice
from mtlprune.data.tinyworld.relations import VALUE_KINDS

LABELS = ("entailment", "neutral", "contradiction")
NEW_RATE = 1 / 5  # of hypotheses that do not follow: share with a value the premise does not have


class Plan(NamedTuple):
    premise: tuple[Fact, Fact]
    hypothesis: Fact
    frames: tuple[int, ...]
    label: str


def plan(draw: Draw) -> Plan:
    """Two people with values for one relation; the hypothesis gives one of them a value.

    It is that person's, the other's or a new one (a person has one value for each relation), or
    any of them for another relation. Person, frames and order are drawn before the label.
    """
    relation, other = draw.pick(RELATION_PAIRS[draw.pick(VALUE_KINDS)])
    facts = draw.twins(relation, full=draw.chance(FULL_RATE))
    mine, theirs = draw.shuffled(facts)
    label = draw.pick(LABELS)
    value = {"entailment": mine, "neutral": draw.pick(facts), "contradiction": theirs}[label]
    if label != "entailment" and draw.chance(NEW_RATE):
        value = draw.value(mine.person, relation, facts)
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
