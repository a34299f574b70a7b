"""Chance, and the casting of facts with entities that a split may use. Knows no language."""

import random
from collections.abc import Collection, Sequence
from itertools import permutations
from typing import TypeVar

from mtlprune.data.tinyworld.entities import (
    ANY,
    CLOSING,
    MODULUS,
    RESERVED_RATE,
    WITH_KEY,
    Person,
    Pool,
)
from mtlprune.data.tinyworld.language import DATES, REPORTS, Fact
from mtlprune.data.tinyworld.relations import (
    FRAMES,
    PERSON,
    RELATIONS,
    VALUE_KINDS,
    VALUE_RELATIONS,
    Relation,
)

T = TypeVar("T")
FRAME_ORDERS = tuple(permutations(range(FRAMES)))
# Three frames; the first two name the things in opposite order, and the third is in either.
TURNED_FRAMES = tuple(
    frames for frames in permutations(range(FRAMES), 3) if frames[0] // 2 != frames[1] // 2
)
RELATION_PAIRS = {kind: tuple(permutations(VALUE_RELATIONS[kind], 2)) for kind in VALUE_KINDS}
FULL_RATE = 0.2  # of texts in which people have first and last names
_ORDERS = tuple(tuple(permutations(range(length))) for length in range(5))


class Draw:
    """The source of every choice in one split of one task."""

    def __init__(self, seed: str, split: str) -> None:
        self._random = random.Random(seed).random
        self._reserved_rate = RESERVED_RATE[split]
        self._closing = CLOSING[split]

    def below(self, limit: int) -> int:
        return int(self._random() * limit)

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return [items[place] for place in self.pick(_ORDERS[len(items)])]

    def _from(self, pool: Pool, taken: Collection[object] = ()) -> int:
        while True:
            use_reserved = self.chance(self._reserved_rate) and pool.reserved
            number = self.pick(pool.reserved if use_reserved else pool.common)
            if number not in taken:
                return number

    def person(self, full: bool, others: Sequence[Person] = ()) -> Person:
        """Somebody with other names than ``others``, and the same key as they have.

        Equal keys let each person of a text own each value in it, so none is ruled out.
        """
        last = self._from(ANY["last"], [other.last for other in others]) if full else None
        if not others:
            return Person(self._from(ANY["first"]), last)
        missing = (others[0].key - (last or 0)) % MODULUS
        first = self._from(WITH_KEY["first"][missing], [other.first for other in others])
        return Person(first, last)

    def close(self, kind: str, key: int, taken: Collection[object] = ()) -> int:
        """Something that brings a fact with this key so far into the split."""
        return self._from(self._closing[kind][key % MODULUS], taken)

    def value(self, person: Person, relation: Relation, others: Sequence[Fact] = ()) -> Fact:
        """A fact about the person with a value that no other fact has."""
        taken = [fact.things[1] for fact in others]
        return Fact(relation, (person, self.close(relation.kinds[1], person.key, taken)))

    def twins(self, relation: Relation, full: bool) -> tuple[Fact, Fact]:
        """Two people with different values for one relation."""
        person = self.person(full)
        first = self.value(person, relation)
        return first, self.value(self.person(full, (person,)), relation, [first])

    def roles(self, relation: Relation, full: bool) -> Fact:
        """A fact about two of a kind, each as likely in either role."""
        if relation.kinds[0] == PERSON:
            one: Person | int = self.person(full)
        else:
            one = self._from(ANY[relation.kinds[0]])
        return Fact(relation, tuple(self.shuffled((one, self._partner(one)))))

    def next_in_chain(self, fact: Fact) -> Fact:
        """The second of a fact does the same to a third."""
        first, second = fact.things
        return Fact(fact.relation, (second, self._partner(second, first)))

    def _partner(self, one: Person | int, other: Person | int | None = None) -> Person | int:
        """Somebody or something with whom the fact is the split's, like neither in name."""
        if not isinstance(one, Person):
            return self.close("org", one, (one, other))
        known = [one, *([other] if isinstance(other, Person) else [])]
        last = None if one.last is None else self._from(ANY["last"], [p.last for p in known])
        first = self.close("first", one.key + (last or 0), [p.first for p in known])
        return Person(first, last)

    def fact(self, full: bool) -> Fact:
        """Any fact there is."""
        relation = self.pick(RELATIONS)
        if "v" in relation.slots:
            return self.value(self.person(full), relation)
        return self.roles(relation, full)

    def opening(self, relation: Relation, probability: float) -> int | None:
        """The number of a report, or for an event also of a date, that begins a sentence."""
        if not self.chance(probability):
            return None
        return self.below(REPORTS if "v" in relation.slots else REPORTS + DATES)
