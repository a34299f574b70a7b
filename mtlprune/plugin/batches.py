"""Rows of several pairs as one fairseq dataset; batches are decided by ``mtlprune.sampling``."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from fairseq.data import FairseqDataset

from mtlprune.batching import Rows, collate
from mtlprune.data.store import Store
from mtlprune.kinds import Item
from mtlprune.sampling import Budget, Plan, epoch_rows, make_batches


class PairsDataset(FairseqDataset):
    """One split of several pairs. An index is four numbers: pair, row, salt, peers.

    The salt is what a row's own randomness (hidden words) depends on; it travels with the index,
    so worker processes need no epoch of their own. Peers is how many rows of the same pair the
    batches of all processes have together; a loss that weighs pairs equally needs it.
    """

    def __init__(self, stores: Sequence[Store], split: str, plan: Plan) -> None:
        self.stores = [store for store in stores if split in store.splits]
        self.split = split
        self.plan = plan
        self.rows = [Rows.of(store, split) for store in self.stores]
        self.names = [rows.name for rows in self.rows]
        self.sizes_of_pairs = [len(rows.split) for rows in self.rows]
        self.pad = int(self.stores[0].meta["tokenizer"]["special_ids"]["pad"] or 0)

    def __len__(self) -> int:
        return sum(self.sizes_of_pairs)

    def __getitem__(self, index: Sequence[int]) -> tuple[int, Item]:
        pair, row, salt, peers = (int(number) for number in index)
        return pair, self.rows[pair].item(row, salt, peers)

    def collater(self, items: list[tuple[int, Item]]) -> dict[str, Any]:
        if not items:
            return {}
        groups: dict[int, list[Item]] = {}
        for pair, item in items:
            groups.setdefault(pair, []).append(item)
        return collate([(self.rows[pair], groups[pair]) for pair in sorted(groups)], self.pad)

    @cached_property
    def shapes(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return [rows.shape() for rows in self.rows]

    def batches(self, epoch: int | None, budget: Budget) -> list[np.ndarray]:
        """All batches of an epoch, or with None every row once, in a fixed order."""
        if epoch is None:
            rows = [np.arange(size) for size in self.sizes_of_pairs]
        else:
            rows = epoch_rows(self.sizes_of_pairs, self.plan, epoch)
        pairs = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
        numbers = np.concatenate(rows)
        widths = np.concatenate([w[r] for (w, _), r in zip(self.shapes, rows, strict=True)])
        units = np.concatenate([u[r] for (_, u), r in zip(self.shapes, rows, strict=True)])
        generator = None if epoch is None else np.random.default_rng((self.plan.seed, epoch, 77))
        salt = self.plan.seed if epoch is None else self.plan.seed + 1_000_003 * epoch
        index = np.stack([pairs, numbers, np.full(len(numbers), salt), np.ones_like(numbers)], 1)
        batches = [index[chosen] for chosen in make_batches(widths, units, budget, generator)]
        for at in range(0, len(batches), budget.processes):
            _count_peers(batches[at : at + budget.processes], len(self.rows))
        return batches

    def num_tokens(self, index: Sequence[int]) -> int:
        widths, units = self.shapes[int(index[0])]
        return int(widths[int(index[1])] * units[int(index[1])])

    size = num_tokens


def _count_peers(batches: list[np.ndarray], pairs: int) -> None:
    """Fill in, in place, how many rows of its pair a row has around it in one global batch."""
    totals = np.bincount(np.concatenate(batches)[:, 0], minlength=pairs)
    for batch in batches:
        batch[:, 3] = totals[batch[:, 0]]
