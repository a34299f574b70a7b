"""What every kind of task offers, and what they share."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from mtlprune.data.examples import Example
from mtlprune.specs import TaskSpec


class Split(Protocol):
    """What is needed of a split: rows of columns, examples, and what is known about it all."""

    meta: dict[str, Any]

    def __getitem__(self, name: str) -> Any: ...

    def example(self, number: int) -> Example: ...


Item = dict[str, Any]  # one row: its columns as arrays, ``row`` and ``salt``
Part = dict[str, Any]  # the rows of one pair in a batch: ``rows`` (start, stop) and tensors
IGNORED = -100  # a target that no loss counts


@dataclass(frozen=True)
class Shape:
    """What a decoder must know of the encoder it reads."""

    size: int
    embeddings: nn.Embedding
    dropout: float = 0.1


class Kind(ABC):
    """How rows of one kind are answered, judged and read."""

    columns: tuple[str, ...] = ("target",)  # of the store, beside tokens and segment

    @abstractmethod
    def decoder(self, spec: TaskSpec, shape: Shape) -> nn.Module:
        """A module from hidden states (sequences, time, size) and their part to an output."""

    @abstractmethod
    def collate(self, items: Sequence[Item]) -> dict[str, Tensor]:
        """What a part of a batch holds beside its tokens."""

    @abstractmethod
    def losses(self, output: Tensor, part: Part) -> Tensor:
        """One loss for each row, (rows,)."""

    @abstractmethod
    def outcomes(self, output: Tensor, part: Part) -> list[Any]:
        """What was answered, a plain value for each row, to be gathered and then finished."""

    @abstractmethod
    def answers(
        self, spec: TaskSpec, split: Split, outcomes: Mapping[int, Any]
    ) -> dict[int, dict[str, Any]]:
        """What each example was answered, from the outcomes of its rows: fields by name.

        ``answer`` is what a user wants to see; other fields say more (probabilities, margins).
        """

    @abstractmethod
    def gold(self, spec: TaskSpec, split: Split, example: int) -> Any:
        """The right answer of an example in the form metrics compare; None when not known."""

    def compared(self, spec: TaskSpec, answer: dict[str, Any]) -> Any:
        """An answer in the form metrics compare."""
        return answer["answer"]

    def finish(
        self, spec: TaskSpec, split: Split, outcomes: Mapping[int, Any]
    ) -> tuple[list[Any], list[Any]]:
        """Gold and predicted values of all examples whose right answer is known."""
        gold, found = [], []
        for example, answer in sorted(self.answers(spec, split, outcomes).items()):
            right = self.gold(spec, split, example)
            if right is not None:
                gold.append(right)
                found.append(self.compared(spec, answer))
        return gold, found


class Classifier(nn.Module):
    """The first token's state, through a hidden layer, to ``outputs`` numbers."""

    def __init__(self, size: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(size, size)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(size, outputs)

    def forward(self, hidden: Tensor, part: Part) -> Tensor:
        state = hidden[torch.arange(len(hidden), device=hidden.device), part["first"]]
        return self.out(self.dropout(torch.tanh(self.dense(self.dropout(state)))))


def padded(rows: Sequence[np.ndarray], fill: int) -> Tensor:
    """Rows of different lengths as one rectangle."""
    width = max((len(row) for row in rows), default=0)
    table = np.full((len(rows), width), fill, np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return torch.from_numpy(table)


def single(items: Sequence[Item], fill: float) -> np.ndarray:
    """The one number in each target; ``fill`` where there is none."""
    return np.array([item["target"][0] if len(item["target"]) else fill for item in items])
