"""Who and what there is, as numbers, and which of it each split may use.

The key of a fact is the sum of the numbers of the things it mentions, modulo ten. Each split owns
some keys, so no two splits ever share a fact, hence no sentence, however much is generated.
"""

from typing import NamedTuple

SPLITS = ("train", "valid", "test")
MODULUS = 10
SPLIT_KEYS = {"train": frozenset(range(8)), "valid": frozenset({8}), "test": frozenset({9})}

SIZES = {"first": 60, "last": 60, "city": 50, "org": 50, "object": 40}
# The lowest numbers of a kind never occur in train; ten or more reach every key.
RESERVED = {"first": 12, "last": 12, "city": 10, "org": 10, "object": 0}
RESERVED_RATE = {"train": 0.0, "valid": 0.05, "test": 0.05}


class Person(NamedTuple):
    """A person as mentioned: ``last`` is None where the first name stands alone."""

    first: int  # even: male, odd: female
    last: int | None

    @property
    def key(self) -> int:
        return (self.first + (self.last or 0)) % MODULUS


class Pool(NamedTuple):
    """Things to choose from: those of every split, and those kept from train."""

    common: tuple[int, ...]
    reserved: tuple[int, ...]


def _pool(kind: str, keys: frozenset[int], key: int = 0) -> Pool:
    fitting = [n for n in range(SIZES[kind]) if (key + n) % MODULUS in keys]
    limit = RESERVED[kind]
    return Pool(tuple(n for n in fitting if n >= limit), tuple(n for n in fitting if n < limit))


ANY = {kind: _pool(kind, frozenset(range(MODULUS))) for kind in SIZES}
WITH_KEY = {kind: tuple(_pool(kind, frozenset({key})) for key in range(MODULUS)) for kind in SIZES}
# CLOSING[split][kind][key]: what brings a fact with this key so far into the split.
CLOSING = {
    split: {kind: tuple(_pool(kind, keys, key) for key in range(MODULUS)) for kind in SIZES}
    for split, keys in SPLIT_KEYS.items()
}
