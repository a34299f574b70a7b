"""Encoders by folder, hub name or numbers, with head gates attached and checked."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from mtlprune.backbones.attaching import attach, check_gates_work
from mtlprune.backbones.families import BackboneError, Family, describe, family_of
from mtlprune.backbones.scratch import PREFIX, ScratchSpec, make_encoder
from mtlprune.data.tokenizers import import_transformers

if TYPE_CHECKING:
    from transformers import PreTrainedModel

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LoadReport:
    """Weights in the file that the encoder does not have. The other way round is an error."""

    name: str
    heads: tuple[str, ...]  # of other uses (pooler, language model …): harmless
    layers: tuple[str, ...]  # inside the encoder's layers: the config fits the weights badly

    def log(self) -> None:
        if self.heads:
            logger.info("backbone %s: left out %s", self.name, ", ".join(self.heads))
        if self.layers:
            logger.warning("backbone %s: no place for %s", self.name, _some(self.layers))


def load_backbone(
    spec: str,
    *,
    vocabulary_size: int | None = None,
    pad_id: int | None = None,
    seed: int = 1,
    dtype: torch.dtype = torch.float32,
) -> "PreTrainedModel":
    """The encoder of a folder, a hub name or ``scratch:…``, in eval mode, with head gates.

    Vocabulary size, pad id and seed are for ``scratch:`` only.
    """
    if spec.startswith(PREFIX):
        numbers = ScratchSpec.parse(spec)
        if vocabulary_size is None or pad_id is None or not 0 <= pad_id < vocabulary_size:
            raise BackboneError(
                f"backbone '{spec}': an encoder from scratch needs a tokenizer with a pad token "
                f"(vocabulary size {vocabulary_size}, pad id {pad_id})"
            )
        encoder = make_encoder(numbers, vocabulary_size, pad_id, seed, dtype)
    else:
        encoder, report = read_pretrained(spec, dtype)
        report.log()
    attach_gates(encoder)
    return encoder


def from_config(text: str) -> "PreTrainedModel":
    """An encoder of the shape a JSON config tells, with gates; its weights are to be loaded."""
    transformers = import_transformers()
    facts = json.loads(text)
    config = transformers.AutoConfig.for_model(**facts)
    options = {"add_pooling_layer": False} if family_of(config).pooler else {}
    with torch.random.fork_rng(devices=[]):
        encoder = transformers.AutoModel.from_config(config, dtype=torch.float32, **options)
    attach_gates(encoder)
    return encoder.eval()


def attach_gates(encoder: "PreTrainedModel") -> None:
    """Let head gates into any encoder of a known family, and see that they work."""
    anatomy = describe(encoder)
    parts = [(layer.attention, layer.output.module) for layer in anatomy.layers]
    attach(encoder, parts, anatomy.heads, anatomy.family.entry)
    check_gates_work(encoder)


def read_pretrained(name: str, dtype: torch.dtype) -> tuple["PreTrainedModel", LoadReport]:
    """A bare encoder without pooling layer; weights that are missing or misfit are an error."""
    transformers = import_transformers()
    with _told(name):
        config = transformers.AutoConfig.from_pretrained(name, trust_remote_code=False)
    family = family_of(config)
    options = {"add_pooling_layer": False} if family.pooler else {}
    # what is missing would be drawn at random before we see that it is
    with _told(name), _quiet(name), torch.random.fork_rng(devices=[]):
        encoder, found = transformers.AutoModel.from_pretrained(
            name,
            config=config,
            dtype=dtype,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # told below, with names
            trust_remote_code=False,
            **options,
        )
    _refuse_gaps(name, found)
    return encoder, _report(name, family, found["unexpected_keys"])


def _refuse_gaps(name: str, found: dict[str, Any]) -> None:
    problems = []
    if found["missing_keys"]:
        problems.append(f"weights are missing: {_some(sorted(found['missing_keys']))}")
    if found["mismatched_keys"]:
        shapes = [
            f"{key} is {tuple(has)}, config.json says {tuple(wants)}"
            for key, has, wants in sorted(found["mismatched_keys"])
        ]
        problems.append(f"weights have other shapes: {_some(shapes)}")
    if problems:
        raise BackboneError(f"backbone {name}: {'; '.join(problems)}")


def _report(name: str, family: Family, unexpected: set[str]) -> LoadReport:
    inside = re.compile(rf"(^|\.){re.escape(family.layers)}\.\d+\.")
    layers = tuple(sorted(key for key in unexpected if inside.search(key)))
    return LoadReport(name, tuple(sorted(unexpected - set(layers))), layers)


def _some(names: Any, most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


@contextmanager
def _told(name: str) -> Iterator[None]:
    """transformers raises many types on a bad name or file, most with long texts."""
    try:
        yield
    except Exception as problem:
        first = str(problem).strip().split("\n")[0][:300]
        where = "folder" if Path(name).exists() else "no such folder, and the hub says"
        raise BackboneError(f"backbone {name}: {where}: {first}") from problem


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """No table of unexpected weights: we report ourselves. Downloads keep their progress bar."""
    log = import_transformers().utils.logging
    level, bar = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    if Path(name).exists():
        log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(level)
        if bar:
            log.enable_progress_bar()
