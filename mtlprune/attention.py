"""Gates and biases in the attention of any encoder, lent for the length of a ``with`` block.

transformers' ``AttentionInterface`` calls ``gated_attention``, which calls transformers' own SDPA.
Every attention module is told once (``attach`` in ``backbones/attaching.py``) which state it reads
and which layer it is.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor, nn

from mtlprune.data.tokenizers import import_transformers
from mtlprune.errors import MtlPruneError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

NAME = "mtlprune"  # of our attention function, and of the attribute modules find their place by

Entry = Literal["interface", "output_hook"]


class HeadShapeError(MtlPruneError):
    """Gates or biases that do not fit the heads, the batch or the encoder."""


@dataclass(eq=False)
class AttentionState:
    """What the attention of one encoder is multiplied by and biased with at the moment."""

    heads: tuple[int, ...]  # of each layer
    entry: Entry
    gates: Tensor | None = None  # (layers, heads) or (batch, layers, heads)
    bias: Sequence[Tensor | None] | None = None  # a layer: (batch or 1, heads or 1, time, time)
    weights: bool = False  # whether attention probabilities are computed and returned

    @property
    def head_grid(self) -> tuple[int, int]:
        return len(self.heads), max(self.heads, default=0)

    def __deepcopy__(self, memo: dict[int, Any]) -> "AttentionState":
        """A copied encoder has a state of its own; what was lent to the first is not lent to it."""
        return AttentionState(self.heads, self.entry)

    def gate(self, layer: int, context: Tensor) -> Tensor:
        """``context`` (batch, time, heads, head_dim), each head times its gate."""
        if self.gates is None:
            return context
        batch, heads = context.shape[0], context.shape[2]
        if heads != self.heads[layer] or self.gates.shape[:-2] not in ((), (batch,)):
            raise HeadShapeError(
                f"gates {tuple(self.gates.shape)} do not fit layer {layer}: a batch of {batch} "
                f"with {heads} heads ({self.heads[layer]} when the gates were attached)"
            )
        xi = self.gates[..., layer, :heads].to(context)
        return context * xi[..., None, :, None]


@dataclass(frozen=True)
class Place:
    """Which encoder's state a module reads, and as which layer."""

    state: AttentionState
    layer: int


@cache
def _stock_attention() -> Any:
    return import_transformers().AttentionInterface()["sdpa"]


def state_of(encoder: "PreTrainedModel") -> AttentionState:
    """The state of an encoder; one that would not listen to it is refused."""
    state = getattr(encoder, NAME, None)
    kind = type(encoder).__name__
    if not isinstance(state, AttentionState):
        raise MtlPruneError(f"{kind} has no head gates; load it with load_backbone")
    used = getattr(encoder.config, "_attn_implementation", None)
    if state.entry == "interface" and used != NAME:
        raise MtlPruneError(
            f"{kind} was switched to attention '{used}', which ignores gates; switch it back: "
            f"encoder.set_attn_implementation('{NAME}')"
        )
    return state


@contextmanager
def _lent(state: AttentionState, name: str, value: Any) -> Iterator[None]:
    outer = getattr(state, name)
    setattr(state, name, value)
    try:
        yield
    finally:
        setattr(state, name, outer)


@contextmanager
def head_gates(encoder: "PreTrainedModel", xi: Tensor) -> Iterator[None]:
    """Multiply each head's output by its gate. Ones change nothing, a zero removes the head.

    ``xi`` is (layers, heads), or (batch, layers, heads) for one row of gates per example. Where
    layers differ in heads, a layer reads the first of its row. An inner block replaces the gates
    of an outer one. With gradient checkpointing, ``backward`` belongs inside the block too.
    """
    state = state_of(encoder)
    if xi.dim() not in (2, 3) or tuple(xi.shape[-2:]) != state.head_grid:
        raise HeadShapeError(
            f"gates {tuple(xi.shape)} do not fit the head grid {state.head_grid} (layers, heads); "
            f"they may have one more dimension in front, the batch"
        )
    if not xi.is_floating_point():
        raise HeadShapeError(f"gates are numbers, not {xi.dtype}: 1 passes a head, 0 closes it")
    with _lent(state, "gates", xi):
        yield


@contextmanager
def attention_bias(encoder: "PreTrainedModel", bias: Sequence[Tensor | None]) -> Iterator[None]:
    """Add to the attention scores of each layer, before the softmax. What is masked stays masked.

    One entry a layer: None, or (batch or 1, heads or 1, time, time).
    """
    state = state_of(encoder)
    if state.entry != "interface":
        raise MtlPruneError(
            f"{type(encoder).__name__} does not use transformers' attention interface: its heads "
            f"can be gated, but its attention cannot be biased (conditional attention)"
        )
    shapes = [None if item is None else tuple(item.shape) for item in bias]
    if len(shapes) != len(state.heads) or any(shape and len(shape) != 4 for shape in shapes):
        raise HeadShapeError(
            f"biases {shapes} do not fit {len(state.heads)} layers; "
            f"each is None or (batch or 1, heads or 1, time, time)"
        )
    with _lent(state, "bias", bias):
        yield


@contextmanager
def attention_weights(encoder: "PreTrainedModel") -> Iterator[None]:
    """Within it, ``encoder(..., output_attentions=True).attentions`` are true probabilities.

    (batch, heads, time, time) a layer, with the gates and biases of the moment. Slower than SDPA,
    which never forms them.
    """
    with _lent(state_of(encoder), "weights", True):
        yield


def gated_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    **kwargs: Any,
) -> tuple[Tensor, Tensor | None]:
    """Registered with transformers' AttentionInterface; the fused kernel stays fused."""
    place = getattr(module, NAME, None)
    if place is None:
        raise MtlPruneError(
            f"{type(module).__name__} uses attention '{NAME}' but was never attached; "
            f"load its encoder with load_backbone"
        )
    state, mask = place.state, attention_mask
    bias = state.bias[place.layer] if state.bias is not None else None
    if bias is not None:
        mask = add_bias(mask, bias, query, key, _is_causal(module, kwargs))
    if kwargs.pop("output_attentions", False) or state.weights:
        context, weights = _attention_with_weights(module, query, key, value, mask, **kwargs)
    else:
        context, weights = _stock_attention()(module, query, key, value, mask, **kwargs)
    return state.gate(place.layer, context), weights


def _is_causal(module: nn.Module, kwargs: dict[str, Any]) -> bool:
    """The rule of transformers' SDPA: no mask at all on a causal module means a causal one."""
    asked = kwargs.get("is_causal")
    return bool(getattr(module, "is_causal", True) if asked is None else asked)


def add_bias(mask: Tensor | None, bias: Tensor, query: Tensor, key: Tensor, causal: bool) -> Tensor:
    """One additive mask: the bias where attention is allowed, the lowest number elsewhere.

    The lowest number and not -inf, so that a row in which nothing is allowed gives no NaN.
    """
    lowest = torch.finfo(query.dtype).min
    bias = bias.to(query).clamp(min=lowest)
    if mask is None and causal:
        mask = torch.ones(
            query.shape[2], key.shape[2], dtype=torch.bool, device=query.device
        ).tril()
    if mask is None:
        return bias
    if mask.dtype == torch.bool:
        return torch.where(mask, bias, lowest)
    return (mask.to(query) + bias).clamp(min=lowest)


def _attention_with_weights(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, **kwargs: Any
) -> tuple[Tensor, Tensor]:
    """Softmax(QKᵀ·scaling + mask)·V written out, as in transformers' eager attention."""
    scaling = kwargs.get("scaling")
    scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
    scores = torch.matmul(query, key.transpose(2, 3)) * scaling
    scores = scores + add_bias(mask, query.new_zeros(()), query, key, _is_causal(module, kwargs))
    weights = scores.softmax(dim=-1).to(value.dtype)
    weights = nn.functional.dropout(weights, kwargs.get("dropout", 0.0), module.training)
    return torch.matmul(weights, value).transpose(1, 2).contiguous(), weights
