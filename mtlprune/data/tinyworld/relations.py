"""What can be said in the world, in no language: relations, and which kinds of things they join."""

from typing import NamedTuple

PERSON = "person"
FRAMES = 4  # wordings of a relation; frames 0 and 1 name the first slot first, 2 and 3 the last
QUESTIONS = 3  # wordings of a question


class Relation(NamedTuple):
    """A predicate; ``slots`` names its places in wordings and ``kinds`` what fills them."""

    number: int
    name: str
    slots: tuple[str, ...]
    kinds: tuple[str, ...]


# A person has exactly one value for each relation of this table. Relations of one kind compete:
# a value that belongs to one is the wrong answer to another.
_VALUES = {
    "city": ("lives", "born", "works", "studied", "holidays"),
    "job": ("is", "was", "hopes", "refused"),
    "org": ("employed", "founded", "left", "invests"),
    "object": ("bought", "sold", "lost", "found", "repaired"),
}

# Relations that mean something else when their last two places are swapped.
_ROLES = {
    ("person", "person"): ("hired", "taught", "beat", "helped", "paid", "called"),
    ("org", "org"): ("acquired", "sued", "supplied"),
    ("person", "city", "city"): ("moved", "shipped"),
}
_ROLE_SLOTS = {2: ("a", "b"), 3: ("p", "a", "b")}

_ROWS: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    (name, ("a", "v"), (PERSON, kind)) for kind, names in _VALUES.items() for name in names
] + [(name, _ROLE_SLOTS[len(kinds)], kinds) for kinds, names in _ROLES.items() for name in names]

RELATIONS = tuple(Relation(number, *row) for number, row in enumerate(_ROWS))
VALUE_KINDS = tuple(_VALUES)
VALUE_RELATIONS = {
    kind: tuple(r for r in RELATIONS if "v" in r.slots and r.kinds[1] == kind)
    for kind in VALUE_KINDS
}
ROLE_RELATIONS = tuple(r for r in RELATIONS if "b" in r.slots)
