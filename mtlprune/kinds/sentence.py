"""One label or one score for a text or a pair of texts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mtlprune.kinds.kind import IGNORED, Classifier, Item, Kind, Part, Shape, Split, single
from mtlprune.specs import TaskSpec


class SentenceKind(Kind):
    """Cross-entropy over the task's labels."""

    def decoder(self, spec: TaskSpec, shape: Shape) -> nn.Module:
        return Classifier(shape.size, len(spec.labels), shape.dropout)

    def collate(self, items: Sequence[Item]) -> dict[str, Tensor]:
        return {"target": torch.from_numpy(single(items, IGNORED)).long()}

    def losses(self, output: Tensor, part: Part) -> Tensor:
        return functional.cross_entropy(
            output.float(), part["target"], ignore_index=IGNORED, reduction="none"
        )

    def outcomes(self, output: Tensor, part: Part) -> list[Any]:
        return output.float().softmax(-1).tolist()

    def answers(
        self, spec: TaskSpec, split: Split, outcomes: Mapping[int, Any]
    ) -> dict[int, dict[str, Any]]:
        return {
            int(split["example"][row][0]): {
                "answer": spec.labels[int(np.argmax(chances))],
                "probabilities": dict(zip(spec.labels, chances, strict=True)),
            }
            for row, chances in outcomes.items()
        }

    def gold(self, spec: TaskSpec, split: Split, example: int) -> Any:
        label = split.example(example).get("label")
        return None if label is None else spec.labels.index(label)

    def compared(self, spec: TaskSpec, answer: dict[str, Any]) -> Any:
        return spec.labels.index(answer["answer"])


class RegressionKind(Kind):
    """Squared error of one number."""

    def decoder(self, spec: TaskSpec, shape: Shape) -> nn.Module:
        decoder = Classifier(shape.size, 1, shape.dropout)
        assert spec.bounds
        nn.init.constant_(decoder.out.bias, sum(spec.bounds) / 2)
        return decoder

    def collate(self, items: Sequence[Item]) -> dict[str, Tensor]:
        return {"target": torch.from_numpy(single(items, float("nan"))).float()}

    def losses(self, output: Tensor, part: Part) -> Tensor:
        target = part["target"].float()
        known = ~target.isnan()
        return ((output.float().squeeze(-1) - target.nan_to_num()) ** 2) * known

    def outcomes(self, output: Tensor, part: Part) -> list[Any]:
        return output.float().squeeze(-1).tolist()

    def answers(
        self, spec: TaskSpec, split: Split, outcomes: Mapping[int, Any]
    ) -> dict[int, dict[str, Any]]:
        return {int(split["example"][row][0]): {"answer": value} for row, value in outcomes.items()}

    def gold(self, spec: TaskSpec, split: Split, example: int) -> Any:
        return split.example(example).get("score")
