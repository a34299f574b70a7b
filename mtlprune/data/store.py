"""Prepared data of one pair on disk: ``DATA-BIN/nli-es/{train,valid,test}.<column>.{bin,idx}``.

A split has rows (what a model sees) and examples (what a user gave; a long one has several rows).
``text`` keeps each example as JSON, read only when asked for; ``example`` leads from a row to it.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mtlprune.artifacts import read_artifact
from mtlprune.data.columns import Column, ColumnWriter
from mtlprune.data.encoding.rows import Ragged, Rows
from mtlprune.data.examples import Example
from mtlprune.errors import ArtifactError, StoreError
from mtlprune.specs import TaskLanguage, TaskSpec

SPLITS = ("train", "valid", "test")
META = "meta.json"
KIND = "store"


class SplitWriter:
    """Writes the rows of one split, and counts."""

    def __init__(self, folder: Path, split: str, dtypes: dict[str, Any]) -> None:
        own = {"example": np.int32, "text": np.uint8}
        self.columns = {
            name: ColumnWriter(folder / f"{split}.{name}", dtype)
            for name, dtype in {**dtypes, **own}.items()
        }
        self.examples = 0
        self.notes: Counter[str] = Counter()
        self.labels: Counter[str] = Counter()

    def append(self, texts: Ragged, rows: Rows) -> None:
        """Add encoded examples; ``texts`` is their JSON, a row each."""
        numbers = np.array(rows.example, np.int64) + self.examples
        for name, column in rows.columns.items():
            self.columns[name].append(column)
        self.columns["example"].append(Ragged(numbers, np.ones(len(numbers), np.int32)))
        self.columns["text"].append(texts)
        self.examples += len(texts.sizes)
        self.notes += rows.notes
        self.labels += rows.labels

    def finish(self) -> dict[str, Any]:
        """Close the files; the split's entry in ``meta.json``."""
        lengths = self.columns["tokens"].sizes
        files = [column.finish() for column in self.columns.values()]
        return {
            "examples": self.examples,
            "rows": len(lengths),
            "lengths": length_facts(lengths),
            "notes": dict(self.notes),
            "labels": dict(self.labels.most_common()),
            "files": {name: facts for group in files for name, facts in group.items()},
        }

    def close(self) -> None:
        for column in self.columns.values():
            column.close()


def length_facts(lengths: np.ndarray) -> dict[str, float]:
    if not len(lengths):
        return {"mean": 0.0, "p95": 0, "max": 0}
    return {
        "mean": round(float(lengths.mean()), 2),
        "p95": int(np.quantile(lengths, 0.95, method="higher")),
        "max": int(lengths.max()),
    }


class SplitStore:
    """One split of a store; columns are mapped when first used."""

    def __init__(self, folder: Path, split: str, meta: dict[str, Any]) -> None:
        self.folder = folder
        self.split = split
        self.meta = meta
        self._columns: dict[str, Column] = {}

    def __len__(self) -> int:
        return int(self.meta["rows"])

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns:
            self._columns[name] = Column(self.folder / f"{self.split}.{name}")
        return self._columns[name]

    @property
    def examples(self) -> int:
        return int(self.meta["examples"])

    @cached_property
    def lengths(self) -> np.ndarray:
        return np.asarray(self["tokens"].sizes)

    def example(self, number: int) -> Example:
        """An example as the user gave it (checked and with canonical labels)."""
        return json.loads(self["text"][number].tobytes())

    def rows_of(self, number: int) -> range:
        """The rows of an example; they stand together."""
        owners = self["example"].values
        start, end = np.searchsorted(owners, [number, number + 1])
        return range(int(start), int(end))

    def verify(self) -> None:
        """Compare every file with the checksum taken when it was written."""
        for name, facts in self.meta["files"].items():
            with (self.folder / name).open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
            if found != facts["sha256"]:
                raise StoreError(
                    f"{self.folder / name}: damaged (its checksum is not the one it was written "
                    f"with); prepare the pair again with --overwrite"
                )


class Store:
    """The prepared data of one pair."""

    def __init__(self, data_bin: Path, pair: TaskLanguage) -> None:
        self.pair = pair
        self.folder = data_bin / str(pair)
        if not (self.folder / META).is_file():
            prepared = ", ".join(map(str, prepared_pairs(data_bin))) or "none"
            raise StoreError(
                f"pair '{pair}': no prepared data for it in {data_bin} (prepared: {prepared}); "
                f"run: mtlprune prepare --pair {pair} --out {data_bin} ..."
            )
        try:
            self.meta = read_artifact(self.folder / META, KIND)
            self.spec = TaskSpec.from_dict(self.meta["task"])
        except (ArtifactError, KeyError, TypeError) as problem:
            raise StoreError(f"{self.folder}: {problem}; prepare the pair again") from None
        self.splits = {
            split: SplitStore(self.folder, split, facts)
            for split, facts in self.meta["splits"].items()
        }
        for split in self.splits.values():
            self._check_sizes(split)

    def _check_sizes(self, split: SplitStore) -> None:
        for name, facts in split.meta["files"].items():
            path = self.folder / name
            size = path.stat().st_size if path.is_file() else None
            if size != facts["bytes"]:
                found = "is missing" if size is None else f"has {size} bytes"
                raise StoreError(
                    f"{path} {found}, written were {facts['bytes']}; prepare the pair again "
                    f"with --overwrite"
                )

    def __getitem__(self, split: str) -> SplitStore:
        if split not in self.splits:
            raise StoreError(
                f"{self.folder} has no split '{split}' (it has: {', '.join(self.splits)})"
            )
        return self.splits[split]

    @property
    def fingerprint(self) -> str:
        return str(self.meta["tokenizer"]["fingerprint"])


def prepared_pairs(data_bin: Path) -> list[TaskLanguage]:
    """All pairs with complete data in a folder. Folders of other names are none."""
    if not data_bin.is_dir():
        return []
    names = sorted(p.parent.name for p in data_bin.glob(f"*/{META}") if p.parent.name[0] != ".")
    return [TaskLanguage(*name.split("-", 1)) for name in names if "-" in name]


def open_stores(data_bin: Path, pairs: Iterable[TaskLanguage]) -> list[Store]:
    """The stores of several pairs, which must have been made with one tokenizer."""
    stores = [Store(data_bin, pair) for pair in pairs]
    refuse_mixed_tokenizers(stores)
    return stores


def refuse_mixed_tokenizers(stores: Sequence[Store]) -> None:
    by_tokenizer: dict[str, list[Store]] = {}
    for store in stores:
        by_tokenizer.setdefault(store.fingerprint, []).append(store)
    if len(by_tokenizer) > 1:
        groups = [
            f"{', '.join(str(store.pair) for store in group)}: {group[0].meta['tokenizer']['name']}"
            f" ({fingerprint[:12]})"
            for fingerprint, group in by_tokenizer.items()
        ]
        raise StoreError(
            "these pairs were prepared with different tokenizers; prepare them with one:\n"
            + "\n".join(groups)
        )
