"""Rows of ragged columns, and what all encoders share."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from mtlprune.data.examples import Example
from mtlprune.data.tokenizers import Tokenizer
from mtlprune.errors import TokenizerError
from mtlprune.specs import TaskSpec


@dataclass(frozen=True)
class Limits:
    """Longest row in tokens; for spans, the tokens that neighbouring windows share."""

    max_length: int
    doc_stride: int = 128
    max_question: int = 64


@dataclass
class Ragged:
    """Rows of different lengths: all values in a line, and how many each row has."""

    values: np.ndarray
    sizes: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]], dtype: Any) -> "Ragged":
        sizes = np.fromiter(map(len, rows), np.int32, len(rows))
        total = int(sizes.sum())
        return cls(np.fromiter(chain.from_iterable(rows), dtype, total), sizes)

    @classmethod
    def of_numbers(cls, values: Sequence[Any], dtype: Any) -> "Ragged":
        """One value a row."""
        return cls(np.array(values, dtype), np.ones(len(values), np.int32))


@dataclass
class Rows:
    """The encoded form of some examples. ``example`` tells which of them a row came from."""

    example: list[int]
    columns: dict[str, Ragged]
    notes: Counter[str] = field(default_factory=Counter)  # truncations and the like, by reason
    labels: Counter[str] = field(default_factory=Counter)


class Encoder(ABC):
    """Turns examples of one task into rows. ``dtypes`` names its columns and their types."""

    extra: dict[str, Any] = {}  # noqa: RUF012  columns beyond tokens, segment and target
    target_type: Any = np.int32

    def __init__(self, spec: TaskSpec, tokenizer: Tokenizer, limits: Limits) -> None:
        self.spec = spec
        self.tokenizer = tokenizer
        self.limits = limits
        self.backend = tokenizer.backend()
        self.label_ids = {label: number for number, label in enumerate(spec.labels)}
        self.token_type = np.uint16 if tokenizer.vocabulary_size <= 1 << 16 else np.int32
        room = limits.max_length - tokenizer.specials[1]
        if room < 2:
            raise TokenizerError(
                f"--max-length {limits.max_length} leaves room for {max(room, 0)} tokens beside "
                f"the special ones; give a larger one"
            )
        if tokenizer.max_length and limits.max_length > tokenizer.max_length:
            raise TokenizerError(
                f"--max-length {limits.max_length} is more than the {tokenizer.max_length} tokens "
                f"that {tokenizer.name} says its model can take"
            )

    @property
    def dtypes(self) -> dict[str, Any]:
        return {"tokens": self.token_type, "segment": np.int32, "target": self.target_type} | (
            self.extra
        )

    @abstractmethod
    def encode(self, examples: Sequence[Example]) -> Rows:
        """Rows of all examples, in their order."""

    def segments(self, encodings: Iterable[Any]) -> list[int]:
        """Where the second segment starts in each row; its length when there is none."""
        if not self.tokenizer.uses_segments:
            return [len(encoding) for encoding in encodings]
        return [len(encoding) - sum(encoding.type_ids) for encoding in encodings]
