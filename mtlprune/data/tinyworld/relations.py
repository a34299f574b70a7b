"""What can be said in the world, in no language: relations, and which kinds of things they join."""

from typing import NamedTuple

PERSON = "person"
FRAMES = 4  # wordings of a relation; frames 0 and 1 name the first slot first, 2 and 3 the last
QUESTIONS = 2  # wordings of a question


class Relation(NamedTuple):
    """A predicate; ``slots`` names its places in wordings and ``kinds`` what fills them."""

    number: int
    name: str
    slots: tuple[str, ...]
    kinds: tuple[str, ...]


# A person has exactly one value for each relation of this table. Relations of one kind compete:
# a value that belongs to one is the wrong answer to another.
_VALUES = {
    "city": ("lives", "born"),
    "org": ("employed", "founded"),
    "object": ("bought", "sold"),
}

# Relations that mean something else when their places are swapped.
_ROLES = {
    "person": ("hired", "taught"),
    "org": ("acquired", "sued"),
}

_ROWS = [
    *((name, "av", PERSON, kind) for kind, names in _VALUES.items() for name in names),
    *((name, "ab", kind, kind) for kind, names in _ROLES.items() for name in names),
]

RELATIONS = tuple(
    Relation(number, name, tuple(slots), tuple(kinds))
    for number, (name, slots, *kinds) in enumerate(_ROWS)
)
VALUE_KINDS = tuple(_VALUES)
VALUE_RELATIONS = {
    kind: tuple(r for r in RELATIONS if "v" in r.slots and r.kinds[1] == kind)
    for kind in VALUE_KINDS
}
ROLE_RELATIONS = tuple(r for r in RELATIONS if "b" in r.slots)
