"""The part of a context that answers a question: scores for its first and its last token.

The softmax runs over the context and the first token of the row, which stands for "not in this
window". An example's answer is the best span over all its windows.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from mtlprune.kinds.kind import IGNORED, Item, Kind, Part, Shape, Split, padded
from mtlprune.specs import TaskSpec

LONGEST_ANSWER = 30  # tokens
NEVER = -1e4  # finite also in half precision


class SpanScorer(nn.Module):
    """(rows, 2, time): scores of starting and of ending at each place that may be an answer."""

    def __init__(self, size: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(size, 2)

    def forward(self, hidden: Tensor, part: Part) -> Tensor:
        scores = self.out(self.dropout(hidden)).float().transpose(1, 2)
        return scores.masked_fill(~self.allowed(hidden, part).unsqueeze(1), NEVER)

    @staticmethod
    def allowed(hidden: Tensor, part: Part) -> Tensor:
        places = torch.arange(hidden.size(1), device=hidden.device)
        start, end = part["context"].unbind(1)
        inside = (places >= start.unsqueeze(1)) & (places < end.unsqueeze(1))
        return inside | (places == 0)


class SpanKind(Kind):
    """The mean of the cross-entropies of start and end."""

    columns = ("target", "context")

    def decoder(self, spec: TaskSpec, shape: Shape) -> nn.Module:
        return SpanScorer(shape.size, shape.dropout)

    def collate(self, items: Sequence[Item]) -> dict[str, Tensor]:
        known = [item["target"] if len(item["target"]) else (IGNORED, IGNORED) for item in items]
        target = torch.tensor([list(map(int, pair)) for pair in known])
        target[target == -1] = 0  # not in this window: the first token
        context = padded([item["context"] for item in items], 0)
        return {"target": target, "context": context}

    def losses(self, output: Tensor, part: Part) -> Tensor:
        each = functional.cross_entropy(
            output.flatten(0, 1), part["target"].flatten(), ignore_index=IGNORED, reduction="none"
        )
        return each.view(-1, 2).mean(1)

    def outcomes(self, output: Tensor, part: Part) -> list[Any]:
        """The best span of each row in tokens of its context, its score, and that of no answer."""
        start, end = output.unbind(1)
        none = start[:, 0] + end[:, 0]
        start, end = start.clone(), end.clone()
        start[:, 0] = end[:, 0] = 2 * NEVER
        best, first, last = best_spans(start, end)
        offset = part["context"][:, 0]
        table = torch.stack([best, (first - offset).float(), (last - offset).float(), none], 1)
        return table.tolist()

    def answers(
        self, spec: TaskSpec, split: Split, outcomes: Mapping[int, Any]
    ) -> dict[int, dict[str, Any]]:
        has_none = "no answer" in split.meta["labels"]
        return {
            example: {"answer": "" if has_none and margin < 0 else text, "margin": margin}
            for example, (text, margin) in best_answers(spec, split, outcomes).items()
        }

    def gold(self, spec: TaskSpec, split: Split, example: int) -> Any:
        given = split.example(example).get("answers")
        return None if given is None else [answer["text"] for answer in given]


def best_spans(start: Tensor, end: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Score, first and last token of the best span of each row, no longer than allowed.

    For each first token the best last token is a maximum over the next few: a window that slides.
    """
    rows, time = start.shape
    reach = min(LONGEST_ANSWER, time)
    spread = functional.pad(end, (0, reach - 1), value=4 * NEVER).unfold(1, reach, 1)
    best_end, step = spread.max(-1)
    best, first = (start + best_end).max(-1)
    last = first + step[torch.arange(rows, device=start.device), first]
    return best, first, last


def best_answers(
    spec: TaskSpec, split: Split, outcomes: Mapping[int, Any]
) -> dict[int, tuple[str, float]]:
    """By example: the answer's characters, and by how much it beats "no answer"."""
    best: dict[int, tuple[float, int, list[float]]] = {}
    none: dict[int, float] = {}
    for row in sorted(outcomes):
        score, first, last, empty = outcomes[row]
        example = int(split["example"][row][0])
        none[example] = min(none.get(example, float("inf")), empty)
        if example not in best or score > best[example][0]:
            best[example] = (score, row, [first, last])
    context = spec.fields[1]
    result = {}
    for example, (score, row, place) in best.items():
        first, last = map(int, place)
        offsets = split["offsets"][row].reshape(-1, 2)
        inside = 0 <= first <= last < len(offsets)
        text = split.example(example)[context]
        answer = text[offsets[first, 0] : offsets[last, 1]].strip() if inside else ""
        result[example] = (answer, score - none[example])
    return result
