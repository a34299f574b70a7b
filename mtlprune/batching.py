"""Rows of several pairs in one rectangle of tokens: what a network takes at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from mtlprune.data.store import Store
from mtlprune.kinds import KINDS, Item
from mtlprune.kinds.mlm import hide_words
from mtlprune.specs import TaskSpec


class Rows:
    """Access to the rows of one split of one pair, as items for ``collate``."""

    hidden_share = 0.15  # of the words of plain text

    def __init__(self, name: str, spec: TaskSpec, split: Any, tokenizer: dict[str, Any]) -> None:
        self.name = name
        self.spec = spec
        self.split = split
        self.kind = KINDS[spec.kind]
        self._special = {v for v in tokenizer["special_ids"].values() if v is not None}
        self._mask = tokenizer["special_ids"]["mask"]
        self._vocabulary = int(tokenizer["vocabulary"])

    @classmethod
    def of(cls, store: Store, split: str) -> "Rows":
        return cls(str(store.pair), store.spec, store[split], store.meta["tokenizer"])

    def item(self, row: int, salt: int = 0, peers: int = 1) -> Item:
        item: Item = {"row": row, "salt": salt, "peers": peers}
        for name in ("tokens", "segment", *self.kind.columns):
            item[name] = self.split[name][row]
        if self.spec.kind == "mlm":
            item["special"] = self._special
            item["tokens"], item["hidden"] = hide_words(
                item, self.hidden_share, self._mask, self._vocabulary
            )
        return item

    def shape(self) -> tuple[np.ndarray, np.ndarray]:
        """The longest sequence of each row, and how many it has."""
        if "parts" not in self.kind.columns:
            return self.split.lengths.astype(np.int64), np.ones(len(self.split), np.int64)
        pieces = [self.split["parts"][row] for row in range(len(self.split))]
        widths = np.array([piece.max() for piece in pieces], np.int64)
        return widths, np.array([len(piece) for piece in pieces], np.int64)


def collate(groups: Sequence[tuple[Rows, Sequence[Item]]], pad: int) -> dict[str, Any]:
    """A mixed batch: rows of one pair stand together, one rectangle of tokens for all."""
    items = [item for _, own in groups for item in own]
    sequences = [piece for item in items for piece in _sequences(item)]
    tokens = np.full((len(sequences), max(len(ids) for ids, _ in sequences)), pad, np.int64)
    for number, (ids, _) in enumerate(sequences):
        tokens[number, : len(ids)] = ids
    lengths = torch.tensor([len(ids) for ids, _ in sequences])
    return {
        "nsentences": len(items),
        "ntokens": int(lengths.sum()),
        "net_input": {
            "tokens": torch.from_numpy(tokens),
            "lengths": lengths,
            "segments": torch.tensor([segment for _, segment in sequences]),
            "parts": _parts(groups),
        },
    }


def _parts(groups: Sequence[tuple[Rows, Sequence[Item]]]) -> list[dict[str, Any]]:
    parts, start = [], 0
    for rows, own in groups:
        count = sum(len(item["parts"]) if "parts" in item else 1 for item in own)
        parts.append(
            {
                "pair": rows.name,
                "rows": (start, start + count),
                "row": [item["row"] for item in own],
                "peers": torch.tensor([item["peers"] for item in own]),
                **rows.kind.collate(own),
            }
        )
        start += count
    return parts


def _sequences(item: Item) -> list[tuple[np.ndarray, int]]:
    """The token rows of an item, each with the place where its second segment starts."""
    if "parts" not in item:
        return [(item["tokens"], int(item["segment"][0]))]
    pieces = np.split(item["tokens"], np.cumsum(item["parts"])[:-1])
    return list(zip(pieces, map(int, item["segment"]), strict=True))
