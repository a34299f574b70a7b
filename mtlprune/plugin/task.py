"""The fairseq tasks: stores in, batches, validation scores and a self-contained checkpoint out."""

import json
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from fairseq.data.iterators import EpochBatchIterator
from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.logging import metrics
from fairseq.tasks import FairseqTask, register_task
from omegaconf import II, MISSING

from mtlprune.data.prepare import TOKENIZER
from mtlprune.data.store import Store, open_stores, prepared_pairs
from mtlprune.errors import SpecError, StoreError, TrainingError
from mtlprune.kinds import KINDS, Kind
from mtlprune.plugin.batches import PairsDataset
from mtlprune.plugin.distributed import check_world_size
from mtlprune.plugin.scoring import Scoring
from mtlprune.reports.tables import text_table
from mtlprune.sampling import POLICIES, Budget, Plan, shares
from mtlprune.specs import TaskLanguage, TaskSpec, parse_pairs

logger = logging.getLogger(__name__)
SAMPLING = ChoiceEnum(list(POLICIES))


@dataclass
class MultiTaskConfig(FairseqDataclass):
    """Options of multi-task training."""

    data: str = field(default=MISSING, metadata={"help": "folder made by mtlprune prepare"})
    pairs: str = field(
        default="",
        metadata={"help": "comma-separated pairs, e.g. nli-en,nli-es; default: all in the folder"},
    )
    # Not called sampling: fairseq's options for generation have that name, and one namespace.
    pair_sampling: SAMPLING = field(  # type: ignore[valid-type]
        default="size",
        metadata={
            "help": "how often pairs are drawn: in proportion to size^e, e by policy",
            "argparse_alias": "--sampling",
        },
    )
    sampling_temperature: float = field(
        default=5.0, metadata={"help": "for --sampling temperature: e is one divided by this"}
    )
    hidden_share: float = field(
        default=0.15, metadata={"help": "plain text: share of the words that are hidden"}
    )
    seed: int = II("common.seed")
    max_epoch: int = II("optimization.max_epoch")
    max_valid_steps: int | None = II("dataset.max_valid_steps")


@register_task("mtl_multitask", dataclass=MultiTaskConfig)
class MultiTask(FairseqTask):
    """Several pairs at once, one encoder pass for a mixed batch."""

    fixed_task: str | None = None  # in the single-task variants, the one task

    def __init__(self, cfg: Any, stores: Sequence[Store]) -> None:
        super().__init__(cfg)
        self.stores = list(stores)
        self.pair_names = [str(store.pair) for store in stores]
        self.specs: dict[str, TaskSpec] = {store.pair.task: store.spec for store in stores}
        self.scoring: Scoring | None = None
        self.bundle: dict[str, Any] = {}
        self.stepped: set[tuple[Any, ...]] = set()  # batches since the last update

    @classmethod
    def setup_task(cls, cfg: Any, from_checkpoint: bool = False, **_: Any) -> "MultiTask":
        data = Path(cfg.data)
        if not from_checkpoint:
            check_world_size()
        if not 0 < cfg.hidden_share < 1:
            raise SpecError(f"--hidden-share {cfg.hidden_share} is not between 0 and 1")
        chosen = _chosen_pairs(cfg.pairs, data, cls.fixed_task)
        task = cls(cfg, open_stores(data, chosen))
        _refuse_differing_specs(task.stores)
        if not from_checkpoint:
            logger.info("pairs:\n%s", task.pair_table())
        return task

    def pair_table(self) -> str:
        """What is trained on: rows, share of an epoch, labels."""
        sizes = [
            len(store.splits["train"]) if "train" in store.splits else 0 for store in self.stores
        ]
        share = shares(sizes, self.plan(), 1) if any(sizes) else [0.0] * len(sizes)
        rows = [
            (str(s.pair), s.spec.kind, size, f"{100 * part:.1f} %", ", ".join(s.spec.labels)[:40])
            for s, size, part in zip(self.stores, sizes, share, strict=True)
        ]
        return text_table(("pair", "kind", "training rows", "share", "labels"), rows)

    def plan(self) -> Plan:
        epochs = self.cfg.max_epoch or 1
        return Plan(
            str(self.cfg.pair_sampling), self.cfg.seed, epochs, self.cfg.sampling_temperature
        )

    @property
    def tokenizer_facts(self) -> dict[str, Any]:
        return self.stores[0].meta["tokenizer"]

    def kind_of(self, pair: str) -> Kind:
        return KINDS[self.specs[pair.partition("-")[0]].kind]

    def load_dataset(self, split: str, combine: bool = False, **_: Any) -> None:
        if not any(split in store.splits for store in self.stores):
            raise StoreError(f"no pair has a split '{split}' in {self.cfg.data}")
        dataset = PairsDataset(self.stores, split, self.plan())
        for rows in dataset.rows:
            rows.hidden_share = self.cfg.hidden_share
        self.datasets[split] = dataset

    def get_batch_iterator(self, dataset: PairsDataset, **options: Any) -> EpochBatchIterator:
        """Batches by ``mtlprune.sampling``: fairseq's own batching and shuffling stay out."""
        training = dataset.split == "train"
        processes = options.get("num_shards", 1)
        budget = Budget(options.get("max_tokens"), options.get("max_sentences"), processes)
        iterator = EpochBatchIterator(
            dataset,
            dataset.collater,
            lambda _, epoch: dataset.batches(epoch if training else None, budget),
            seed=self.cfg.seed,
            num_shards=processes,
            shard_id=options.get("shard_id", 0),
            num_workers=options.get("num_workers", 0),
            epoch=options.get("epoch", 1),
            buffer_size=options.get("data_buffer_size", 0),
            disable_shuffling=True,
            persistent_workers=False,
        )
        if not training:
            most = self.cfg.max_valid_steps  # fairseq stops one step after this
            steps = len(iterator) if most is None else min(len(iterator), most + 1)
            self.scoring = Scoring(dataset, steps)
        return iterator

    def can_reuse_epoch_itr(self, dataset: PairsDataset) -> bool:
        return False

    def build_model(self, cfg: Any, from_checkpoint: bool = False) -> Any:
        model = super().build_model(cfg, from_checkpoint)
        self.bundle["encoder"] = model.network.encoder.config.to_json_string(use_diff=False)
        return model

    def train_step(
        self, sample: Any, model: Any, criterion: Any, optimizer: Any, update_num: int, **more: Any
    ) -> Any:
        """fairseq repeats a step whose gradients were not finite: then the culprit is named.

        The first time nothing is looked at, since that would wait for the device.
        """
        self.scoring = None
        result = super().train_step(sample, model, criterion, optimizer, update_num, **more)
        batch = tuple((part["pair"], *part["row"]) for part in sample["net_input"]["parts"])
        if batch in self.stepped:
            self._refuse_infinite_losses(criterion, update_num)
        self.stepped.add(batch)
        return result

    def _refuse_infinite_losses(self, criterion: Any, update: int) -> None:
        dataset = self.datasets["train"]
        culprits = {}
        for part, losses in criterion.row_losses:
            split = dataset.rows[dataset.names.index(part["pair"])].split
            ids = [
                split.example(int(split["example"][row][0]))["id"]
                for row, loss in zip(part["row"], losses.tolist(), strict=True)
                if not math.isfinite(loss)
            ]
            if ids:
                culprits[part["pair"]] = ids
        if culprits:
            told = "; ".join(
                f"{pair}: {', '.join(ids[:5])}{f' and {len(ids) - 5} more' if ids[5:] else ''}"
                for pair, ids in culprits.items()
            )
            raise TrainingError(
                f"the loss is not a finite number any more at update {update + 1}. Examples of it: "
                f"{told}. Mostly --lr is too large or --clip-norm missing; if it is always the "
                f"same example, look at it"
            )

    def optimizer_step(self, optimizer: Any, model: Any, update_num: int) -> None:
        """A decoder whose task was not in the batch has gradient zero, not none.

        fairseq's distributed and half-precision wrappers fill in zeros too; so the number of
        processes does not change what Adam's momentum does to such a decoder.
        """
        for parameter in model.parameters():
            if parameter.requires_grad and parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        super().optimizer_step(optimizer, model, update_num)
        self.stepped.clear()

    def valid_step(self, sample: Any, model: Any, criterion: Any) -> Any:
        model.eval()
        with torch.no_grad():
            outputs = model(**sample["net_input"])
            result = criterion.judge(model, outputs, sample)
        parts = sample["net_input"]["parts"]
        if self.scoring is not None:
            found = [
                self.kind_of(p["pair"]).outcomes(o, p) for p, o in zip(parts, outputs, strict=True)
            ]
            self.scoring.add(parts, found)
        return result

    def reduce_metrics(self, logging_outputs: Any, criterion: Any) -> None:
        super().reduce_metrics(logging_outputs, criterion)
        scoring = self.scoring
        if scoring is not None:
            for key in scoring.names():
                metrics.log_derived(key, lambda _, key=key: round(scoring.value(key), 4))

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint needs to be used without the data it was trained on."""
        tokenizer = Path(self.cfg.data) / TOKENIZER / "tokenizer.json"
        files = {
            path.name: path.read_text(encoding="utf-8")
            for path in sorted(tokenizer.parent.glob("*.json"))
        }
        return {
            "encoder": self.bundle["encoder"],
            "tokenizer": files,
            "pairs": self.pair_names,
            "tasks": json.dumps([spec.to_dict() for spec in self.specs.values()]),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.bundle = dict(state_dict)

    def max_positions(self) -> None:
        return None

    @property
    def source_dictionary(self) -> None:
        return None

    @property
    def target_dictionary(self) -> None:
        return None


def _chosen_pairs(text: str, data: Path, fixed: str | None) -> list[TaskLanguage]:
    """The pairs to train on: as given, or all in the folder; of one task if that is fixed."""
    here = prepared_pairs(data)
    if not here:
        raise StoreError(f"{data}: no prepared data there; run mtlprune prepare --out {data} first")
    known = {pair.task: None for pair in here}
    pairs = list(parse_pairs(text, known)) if text else here  # type: ignore[arg-type]
    if fixed:
        other = [str(pair) for pair in pairs if pair.task != fixed]
        if text and other:
            raise SpecError(
                f"--task mtl_{fixed} trains pairs of {fixed} only, not {', '.join(other)}"
            )
        pairs = [pair for pair in pairs if pair.task == fixed]
        if not pairs:
            raise SpecError(
                f"{data} has no pair of task {fixed} (prepared: {', '.join(map(str, here))})"
            )
    return pairs


def _refuse_differing_specs(stores: Sequence[Store]) -> None:
    first: dict[str, Store] = {}
    for store in stores:
        other = first.setdefault(store.pair.task, store)
        if other.spec != store.spec:
            raise StoreError(
                f"{other.pair} and {store.pair} were prepared with different rows for the task "
                f"'{store.pair.task}' (labels, metric or fields); prepare them with one task table"
            )


def _single(name: str) -> None:
    """Register ``mtl_<name>``: the same with the task fixed."""
    body = {"fixed_task": name, "__doc__": f"Pairs of task {name} only."}
    register_task(f"mtl_{name}", dataclass=MultiTaskConfig)(
        type(f"{name.capitalize()}Task", (MultiTask,), body)
    )


for _name in ("nli", "qa", "ner", "pa"):
    _single(_name)
