"""A tag for every word, read at its first sub-word."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from mtlprune.kinds.kind import IGNORED, Item, Kind, Part, Shape, Split, padded
from mtlprune.specs import TaskSpec


class Tagger(nn.Module):
    """(rows, words, labels) from the states of first sub-words."""

    def __init__(self, size: int, labels: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(size, labels)

    def forward(self, hidden: Tensor, part: Part) -> Tensor:
        places = part["words"].clamp(min=0).unsqueeze(-1).expand(-1, -1, hidden.size(-1))
        return self.out(self.dropout(hidden.gather(1, places)))


class TokenKind(Kind):
    """Mean cross-entropy over the words of a row."""

    columns = ("target", "words")

    def decoder(self, spec: TaskSpec, shape: Shape) -> nn.Module:
        return Tagger(shape.size, len(spec.labels), shape.dropout)

    def collate(self, items: Sequence[Item]) -> dict[str, Tensor]:
        words = padded([item["words"] for item in items], -1)
        target = torch.full_like(words, IGNORED)
        given = padded([item["target"] for item in items], IGNORED)
        target[:, : given.size(1)] = given
        return {"words": words, "target": target}

    def losses(self, output: Tensor, part: Part) -> Tensor:
        target = part["target"]
        each = functional.cross_entropy(
            output.float().transpose(1, 2), target, ignore_index=IGNORED, reduction="none"
        )
        return each.sum(1) / (target != IGNORED).sum(1).clamp(min=1)

    def outcomes(self, output: Tensor, part: Part) -> list[Any]:
        best = output.argmax(-1).tolist()
        known = (part["words"] >= 0).sum(1).tolist()
        return [row[:length] for row, length in zip(best, known, strict=True)]

    def answers(
        self, spec: TaskSpec, split: Split, outcomes: Mapping[int, Any]
    ) -> dict[int, dict[str, Any]]:
        found: dict[int, dict[str, Any]] = {}
        for row in sorted(outcomes):  # rows of one example follow each other, words in order
            example = int(split["example"][row][0])
            tags = [spec.labels[label] for label in outcomes[row]]
            found.setdefault(example, {"answer": []})["answer"].extend(tags)
        return found

    def gold(self, spec: TaskSpec, split: Split, example: int) -> Any:
        return split.example(example).get("tags")
