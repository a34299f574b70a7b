"""How gates get into an encoder: its attention modules learn their place. A check that they did."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from mtlprune.attention import (
    NAME,
    AttentionState,
    Entry,
    Place,
    gated_attention,
    head_gates,
    state_of,
)
from mtlprune.data.tokenizers import import_transformers
from mtlprune.errors import MtlPruneError

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def attach(
    encoder: "PreTrainedModel",
    parts: Sequence[tuple[nn.Module, nn.Module]],
    heads: Sequence[int],
    entry: Entry,
) -> AttentionState:
    """Give an encoder its state; ``parts`` are each layer's attention and output projection.

    Attributes of modules, not parameters or buffers: a saved encoder knows nothing of it. After
    heads were cut out of an encoder, attach it again.
    """
    state = AttentionState(tuple(heads), entry)
    for layer, (attention, output) in enumerate(parts):
        module = attention if entry == "interface" else output
        setattr(module, NAME, Place(state, layer))
        hooks = module._forward_pre_hooks.values()
        if entry == "output_hook" and gate_output_projection not in hooks:
            module.register_forward_pre_hook(gate_output_projection)
    if entry == "interface":
        _register()
        encoder.set_attn_implementation(NAME)  # only warns if it cannot
        if encoder.config._attn_implementation != NAME:
            raise MtlPruneError(f"{_kind(encoder)} does not use transformers' attention interface")
    setattr(encoder, NAME, state)
    return state


@cache
def _register() -> None:
    transformers = import_transformers()
    transformers.AttentionInterface.register(NAME, gated_attention)
    # without its twin the mask would be None and padding would be seen
    masks = transformers.AttentionMaskInterface
    masks.register(NAME, masks()["sdpa"])


def gate_output_projection(module: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """A forward pre-hook: the input of an output projection, seen as heads, times the gates.

    It reads its place from the module it is called on, so that a copied module reads its own.
    """
    place: Place = getattr(module, NAME)
    state, layer = place.state, place.layer
    if state.gates is None:
        return args
    hidden, *rest = args
    context = hidden.unflatten(-1, (state.heads[layer], -1))
    return (state.gate(layer, context).flatten(-2), *rest)


def check_gates_work(encoder: "PreTrainedModel") -> None:
    """Refuse an encoder in which the gates of some layer do nothing.

    One batch: example l has the gates of layer l at NaN, which poisons its output wherever a gate
    enters, even where the projection behind it is zero; the last example has open gates.
    """
    state = state_of(encoder)
    layers, heads = state.head_grid
    xi = torch.ones(layers + 1, layers, heads)
    xi[torch.arange(layers), torch.arange(layers)] = torch.nan
    ids = torch.arange(2, device=encoder.device).expand(layers + 1, 2)
    with torch.no_grad(), evaluating(encoder), head_gates(encoder, xi):
        output = encoder(input_ids=ids, attention_mask=torch.ones_like(ids))[0]
    *gated, open_gates = output.isfinite().flatten(1).all(dim=1).tolist()
    kind = _kind(encoder)
    if not open_gates:
        raise MtlPruneError(f"{kind}: its output is not finite; look at its weights")
    deaf = [layer for layer in range(layers) if gated[layer] and state.heads[layer]]
    if deaf:
        raise MtlPruneError(f"{kind}: head gates do nothing in layers {deaf}; it cannot be used")


def _kind(encoder: "PreTrainedModel") -> str:
    return f"model type '{encoder.config.model_type}' ({type(encoder).__name__})"


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Dropout off; every part's mode is put back as it was."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode
