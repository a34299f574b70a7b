"""Encoders made from numbers: ``scratch:layers=4,heads=4,hidden=128``."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from mtlprune.backbones.families import BackboneError, family_of
from mtlprune.data.tokenizers import import_transformers

if TYPE_CHECKING:
    from transformers import PreTrainedModel

PREFIX = "scratch:"
TOKEN_TYPES = {"bert": 2, "xlm-roberta": 1}  # families made from scratch


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ValueError("a whole number from 1 on")
    return int(text)


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1:
        raise ValueError("a number from 0 to below 1")
    return number


def _family(text: str) -> str:
    if text not in TOKEN_TYPES:
        raise ValueError(" or ".join(TOKEN_TYPES))
    return text


READERS: dict[str, Callable[[str], Any]] = {
    "layers": _count,
    "heads": _count,
    "hidden": _count,
    "family": _family,
    "ffn": _count,
    "dropout": _share,
    "positions": _count,
}
REQUIRED = ("layers", "heads", "hidden")
ALLOWED = (
    "layers=N,heads=N,hidden=N[,family=bert|xlm-roberta][,ffn=N (4 times hidden)]"
    "[,dropout=0.1][,positions=N (512)]"
)


@dataclass(frozen=True)
class ScratchSpec:
    """The numbers of an encoder that is not trained yet."""

    layers: int
    heads: int
    hidden: int
    family: str = "bert"
    ffn: int | None = None  # 4 times hidden
    dropout: float = 0.1
    positions: int = 512  # tokens it takes

    @property
    def initial_spread(self) -> float:
        """Standard deviation of the first weights: BERT's 0.02 at its own width of 768.

        A narrow encoder with 0.02 starts with nearly equal attention everywhere and learns to
        compare words much later.
        """
        return round(0.02 * math.sqrt(768 / self.hidden), 5)

    @classmethod
    def parse(cls, text: str) -> "ScratchSpec":
        """Read ``scratch:key=value,…``; all mistakes are told at once."""
        values: dict[str, Any] = {}
        problems = []
        for item in text.removeprefix(PREFIX).split(","):
            key, _, value = (part.strip() for part in item.partition("="))
            if key not in READERS or key in values:
                problems.append(
                    f"{item.strip()!r} is " + ("given twice" if key in values else "no key")
                )
                continue
            try:
                values[key] = READERS[key](value)
            except ValueError as rule:
                values[key] = None
                problems.append(f"{key} is {rule}, not {value!r}")
        problems += [f"{key} is missing" for key in REQUIRED if key not in values]
        if not problems and values["hidden"] % values["heads"]:
            problems.append(f"hidden {values['hidden']} does not divide by {values['heads']} heads")
        if problems:
            raise BackboneError(
                f"backbone '{text}': {'; '.join(problems)}; write {PREFIX}{ALLOWED}"
            )
        return cls(**values)


def make_encoder(
    spec: ScratchSpec, vocabulary_size: int, pad_id: int, seed: int, dtype: torch.dtype
) -> "PreTrainedModel":
    """A randomly initialised encoder; the same seed gives the same one, global RNG untouched."""
    transformers = import_transformers()
    config = transformers.AutoConfig.for_model(
        spec.family,
        vocab_size=vocabulary_size,
        pad_token_id=pad_id,
        num_hidden_layers=spec.layers,
        num_attention_heads=spec.heads,
        hidden_size=spec.hidden,
        intermediate_size=spec.ffn or 4 * spec.hidden,
        hidden_dropout_prob=spec.dropout,
        attention_probs_dropout_prob=spec.dropout,
        type_vocab_size=TOKEN_TYPES[spec.family],
        initializer_range=spec.initial_spread,
    )
    spent = pad_id + 1 if family_of(config).after_padding else 0
    config.max_position_embeddings = spec.positions + spent
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        encoder = transformers.AutoModel.from_config(config, dtype=dtype, add_pooling_layer=False)
    return encoder.eval()
