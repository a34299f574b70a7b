"""A trained checkpoint as an object that answers: no fairseq, no training data needed."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mtlprune.backbones import describe, evaluating, from_config
from mtlprune.batching import Rows, collate
from mtlprune.checkpoints import read_checkpoint
from mtlprune.data.encoding import Limits, Ragged, make_encoder
from mtlprune.data.examples import BadExample, Example, check
from mtlprune.data.store import Store, open_stores
from mtlprune.data.tokenizers import Tokenizer, load_tokenizer
from mtlprune.errors import CheckpointError, DataError, SpecError
from mtlprune.network import Network
from mtlprune.sampling import Budget, make_batches
from mtlprune.specs import KINDS as KIND_SPECS
from mtlprune.specs import TaskLanguage, TaskSpec

NETWORK = "network."


class MemorySplit:
    """Encoded examples that were never written to disk, looking like a split of a store."""

    def __init__(self, examples: Sequence[Example], rows: Any) -> None:
        self._examples = examples
        columns = {name: _rows_of(column) for name, column in rows.columns.items()}
        self._columns: dict[str, Any] = {**columns, "example": [[n] for n in rows.example]}
        self.lengths = np.array([len(row) for row in columns["tokens"]])
        self.meta: dict[str, Any] = {"labels": Counter()}

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def example(self, number: int) -> Example:
        return self._examples[number]


def _rows_of(column: Ragged) -> list[np.ndarray]:
    return np.split(column.values, np.cumsum(column.sizes)[:-1])


class Predictor:
    """``predict("nli-es", premise=…, hypothesis=…)`` and predictions for prepared data."""

    def __init__(
        self,
        network: Network,
        tokenizer: Tokenizer,
        tasks: Mapping[str, TaskSpec],
        pairs: Sequence[str],
        data: Path | None = None,
    ) -> None:
        self.network = network.eval()
        self.tokenizer = tokenizer
        self.tasks = dict(tasks)
        self.pairs = tuple(pairs)
        self.data = data

    @property
    def encoder(self) -> Any:
        """The transformers model inside."""
        return self.network.encoder

    def predict(self, pair: str, **fields: Any) -> dict[str, Any]:
        """The answer to one example: ``answer`` and what else its kind can say."""
        spec = self._spec(pair)
        try:
            example = check(fields, spec, labelled=False, ident="0")
        except BadExample as problem:
            raise DataError(f"{pair}: {problem} (fields: {', '.join(spec.fields)})") from None
        length = KIND_SPECS[spec.kind].max_length
        limit = describe(self.encoder).position_limit
        limits = Limits(min(length, limit) if limit else length)
        split = MemorySplit([example], make_encoder(spec, self.tokenizer, limits).encode([example]))
        rows = Rows(pair, spec, split, self._tokenizer_facts())
        (answer,) = self._answers(rows, Budget(None, 32)).values()
        return answer

    def answers(
        self, store: Store | str, split: str = "test", batch_size: int = 64
    ) -> dict[int, dict[str, Any]]:
        """The answers to all examples of a split, by number; a pair's name stands for its store."""
        if isinstance(store, str):
            store = self.store(store)
        if store.fingerprint != self.tokenizer.fingerprint:
            raise DataError(
                f"{store.folder} was prepared with another tokenizer than this checkpoint was "
                f"trained with; prepare it with the one in the checkpoint's data folder"
            )
        self._spec(str(store.pair))
        return self._answers(Rows.of(store, split), Budget(None, batch_size))

    def store(self, pair: str) -> Store:
        """The prepared data of a pair in the folder that was given to ``load``."""
        if self.data is None:
            raise SpecError(f"pair '{pair}': to use prepared data, say where: load(path, data=...)")
        (store,) = open_stores(self.data, [TaskLanguage.parse(pair, self.tasks)])
        return store

    def outcomes(self, rows: Rows, budget: Budget) -> Iterator[tuple[int, Any]]:
        """What the network says of each row, batches of like length, in no special order."""
        widths, units = rows.shape()
        pad = self.tokenizer.special_ids["pad"] or 0
        device = next(self.network.parameters()).device
        with torch.no_grad(), evaluating(self.network):
            for batch in make_batches(widths, units, budget, None):
                sample = collate([(rows, [rows.item(int(row)) for row in batch])], pad)
                inputs = _to(sample["net_input"], device)
                (output,) = self.network(**inputs)
                part = inputs["parts"][0]
                yield from zip(part["row"], rows.kind.outcomes(output, part), strict=True)

    def _answers(self, rows: Rows, budget: Budget) -> dict[int, dict[str, Any]]:
        return rows.kind.answers(rows.spec, rows.split, dict(self.outcomes(rows, budget)))

    def _spec(self, pair: str) -> TaskSpec:
        """A pair of a trained task; its language may be one that was not trained."""
        task = TaskLanguage.parse(pair, self.tasks).task
        if self.tasks[task].kind == "mlm":
            raise SpecError(f"pair '{pair}': plain text has no answers to predict")
        return self.tasks[task]

    def _tokenizer_facts(self) -> dict[str, Any]:
        return {
            "special_ids": self.tokenizer.special_ids,
            "vocabulary": self.tokenizer.vocabulary_size,
        }


def _to(value: Any, device: torch.device) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: _to(item, device) for key, item in value.items()}
    if isinstance(value, list):
        return [_to(item, device) for item in value]
    return value


def load(path: str | Path, data: str | Path | None = None, device: str = "cpu") -> Predictor:
    """A checkpoint written by ``fairseq-train`` with one of our tasks.

    It needs nothing else; ``data`` is a folder of prepared data to answer by the name of a pair.
    """
    state = read_checkpoint(Path(path))
    bundle = state["task_state"]
    tasks = {row["name"]: TaskSpec.from_dict(row) for row in json.loads(bundle["tasks"])}
    with tempfile.TemporaryDirectory() as place:
        for name, text in bundle["tokenizer"].items():
            (Path(place) / Path(name).name).write_text(text, encoding="utf-8")
        tokenizer = load_tokenizer(place)
    encoder = from_config(bundle["encoder"])
    network = Network(encoder, tasks, causal=describe(encoder).causal)
    weights = {key.removeprefix(NETWORK): value for key, value in state["model"].items()}
    try:
        network.load_state_dict(weights)
    except RuntimeError as problem:
        raise CheckpointError(f"{path}: its weights do not fit: {str(problem)[:300]}") from None
    folder = None if data is None else Path(data)
    return Predictor(network.to(device), tokenizer, tasks, bundle["pairs"], folder)
