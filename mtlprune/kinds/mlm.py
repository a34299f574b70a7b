"""Masked language modelling: whole words are hidden and guessed, with tied output weights.

Which words are hidden is a function of the row and its salt (seed, epoch), so a run that was
stopped and resumed hides the same ones.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mtlprune.kinds.kind import IGNORED, Item, Kind, Part, Shape, Split
from mtlprune.specs import TaskSpec

REPLACED_BY_MASK, REPLACED_BY_ANY = 0.8, 0.1  # the rest of the chosen words stay as they are


class WordGuesser(nn.Module):
    """(hidden places, vocabulary); the weights of the last layer are the word embeddings."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        embeddings = shape.embeddings
        width = embeddings.embedding_dim
        self.dense = nn.Linear(shape.size, width)
        self.norm = nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(embeddings.num_embeddings))
        self.tied = [embeddings]  # in a list: not a submodule, so saved and counted once

    def forward(self, hidden: Tensor, part: Part) -> Tensor:
        places = part["target"] != IGNORED
        state = self.norm(functional.gelu(self.dense(hidden[:, : places.size(1)][places])))
        return functional.linear(state, self.tied[0].weight, self.bias)


def hide_words(
    item: Item, share: float, mask: int, vocabulary: int
) -> tuple[np.ndarray, np.ndarray]:
    """The row with a share of its words hidden, and the hidden tokens (``IGNORED`` elsewhere)."""
    generator = np.random.default_rng((item["salt"], item["row"]))
    tokens = item["tokens"].astype(np.int64)
    target = np.full(len(tokens), IGNORED, np.int64)
    words = item["words"]
    count = max(1, round(share * len(words))) if len(words) else 0
    ends = np.append(words[1:], len(tokens))
    for number in generator.permutation(len(words))[:count]:
        start = int(words[number])
        end = _end(item, start, int(ends[number]))
        target[start:end] = tokens[start:end]
        fate = generator.random()
        if fate < REPLACED_BY_MASK:
            tokens[start:end] = mask
        elif fate < REPLACED_BY_MASK + REPLACED_BY_ANY:
            tokens[start:end] = generator.integers(0, vocabulary, end - start)
    return tokens, target


def _end(item: Item, start: int, limit: int) -> int:
    """The end of a word: where the next begins, or a special token stands."""
    special = item["special"]
    for place in range(start, limit):
        if int(item["tokens"][place]) in special:
            return max(place, start + 1)
    return limit


class MlmKind(Kind):
    """Mean cross-entropy over the hidden tokens of a row."""

    columns = ("words",)

    def decoder(self, spec: TaskSpec, shape: Shape) -> nn.Module:
        return WordGuesser(shape)

    def collate(self, items: Sequence[Item]) -> dict[str, Tensor]:
        width = max(len(item["tokens"]) for item in items)
        target = np.full((len(items), width), IGNORED, np.int64)
        for number, item in enumerate(items):
            target[number, : len(item["hidden"])] = item["hidden"]
        return {"target": torch.from_numpy(target)}

    def losses(self, output: Tensor, part: Part) -> Tensor:
        places = part["target"] != IGNORED
        each = functional.cross_entropy(output.float(), part["target"][places], reduction="none")
        total = torch.zeros(len(places), device=each.device).index_put(
            (places.nonzero()[:, 0],), each, accumulate=True
        )
        return total / places.sum(1).clamp(min=1)

    def outcomes(self, output: Tensor, part: Part) -> list[Any]:
        places = part["target"] != IGNORED
        right = torch.zeros_like(part["target"])
        right[places] = (output.argmax(-1) == part["target"][places]).long()
        pairs = zip(right.sum(1).tolist(), places.sum(1).tolist(), strict=True)
        return [[good, count] for good, count in pairs]

    def answers(
        self, spec: TaskSpec, split: Split, outcomes: Mapping[int, Any]
    ) -> dict[int, dict[str, Any]]:
        return {
            int(split["example"][row][0]): {"answer": right, "hidden": hidden}
            for row, (right, hidden) in outcomes.items()
        }

    def gold(self, spec: TaskSpec, split: Split, example: int) -> Any:
        return None  # the text itself; see finish

    def finish(
        self, spec: TaskSpec, split: Split, outcomes: Mapping[int, Any]
    ) -> tuple[list[Any], list[Any]]:
        """Every hidden token is one to score, whatever its example."""
        right = sum(good for good, _ in outcomes.values())
        total = sum(count for _, count in outcomes.values())
        return [1] * total, [1] * right + [0] * (total - right)
