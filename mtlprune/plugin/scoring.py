"""Predictions of a validation pass, gathered from all processes, and the scores they give."""

from collections.abc import Sequence
from typing import Any

import torch.distributed as dist

from mtlprune.data.store import SplitStore
from mtlprune.kinds import KINDS
from mtlprune.metrics import METRICS
from mtlprune.plugin.batches import PairsDataset


class Scoring:
    """Outcomes of all rows of one split; scores are worked out once, after the last batch.

    fairseq asks for all values after every batch; until the last, the answer is 0. All processes
    have equally many batches, so they gather at the same moment. A row that was seen twice
    (fairseq fills up uneven shards) counts once.
    """

    def __init__(self, dataset: PairsDataset, steps: int) -> None:
        self.dataset = dataset
        self.steps = steps  # still to come
        self.outcomes: dict[str, dict[int, Any]] = {name: {} for name in dataset.names}
        self._values: dict[str, float] | None = None

    def add(self, parts: Sequence[dict[str, Any]], outcomes: Sequence[Sequence[Any]]) -> None:
        self.steps -= 1
        for part, found in zip(parts, outcomes, strict=True):
            self.outcomes[part["pair"]].update(zip(part["row"], found, strict=True))

    def names(self) -> list[str]:
        """Names of all scores, in the order in which they are shown."""
        names = []
        for store in self.dataset.stores:
            names += [f"{store.pair}_{key}" for key in METRICS[store.spec.metric].keys]
        return [*names, "score"]

    def value(self, key: str) -> float:
        if self.steps > 0:
            return 0.0
        if self._values is None:
            self._values = self._compute()
        return self._values[key]

    def _compute(self) -> dict[str, float]:
        gathered = gather(self.outcomes)
        values: dict[str, float] = {}
        main: dict[bool, list[float]] = {True: [], False: []}  # of plain text, and of all else
        for store in self.dataset.stores:
            split = store[self.dataset.split]
            metric = METRICS[store.spec.metric]
            scores = pair_scores(store.spec, split, gathered[str(store.pair)], store.pair.language)
            values |= {f"{store.pair}_{key}": value for key, value in scores.items()}
            main[store.spec.kind == "mlm"].append(scores[metric.keys[0]])
        counted = main[False] or main[True]
        values["score"] = sum(counted) / len(counted)
        return values


def pair_scores(
    spec: Any, split: SplitStore, outcomes: dict[int, Any], language: str
) -> dict[str, float]:
    gold, found = KINDS[spec.kind].finish(spec, split, outcomes)
    return METRICS[spec.metric].compute(gold, found, language)


def gather(outcomes: dict[str, dict[int, Any]]) -> dict[str, dict[int, Any]]:
    """The outcomes of all processes, the same in each of them."""
    if not dist.is_available() or not dist.is_initialized() or dist.get_world_size() == 1:
        return outcomes
    everyone: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, outcomes)
    merged: dict[str, dict[int, Any]] = {name: {} for name in outcomes}
    for other in everyone:
        for name, rows in other.items():
            merged[name] |= rows
    return merged
