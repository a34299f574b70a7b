"""Which of several texts fits: one number for each, softmax over them."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from mtlprune.kinds.kind import IGNORED, Classifier, Item, Part, Shape, single
from mtlprune.kinds.sentence import SentenceKind
from mtlprune.specs import TaskSpec


class Chooser(nn.Module):
    """(rows, choices) from sequences that stand choice after choice, row after row."""

    def __init__(self, shape: Shape, choices: int) -> None:
        super().__init__()
        self.choices = choices
        self.score = Classifier(shape.size, 1, shape.dropout)

    def forward(self, hidden: Tensor, part: Part) -> Tensor:
        return self.score(hidden, part).view(-1, self.choices)


class ChoiceKind(SentenceKind):
    columns = ("target", "parts")

    def decoder(self, spec: TaskSpec, shape: Shape) -> nn.Module:
        return Chooser(shape, len(spec.choices))

    def collate(self, items: Sequence[Item]) -> dict[str, Tensor]:
        return {"target": torch.from_numpy(single(items, IGNORED)).long()}
