"""The table of encoder families, and the parts of an encoder found by it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from mtlprune.attention import Entry
from mtlprune.errors import MtlPruneError

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class BackboneError(MtlPruneError):
    """An encoder that cannot be found, read, made or used."""


@dataclass(frozen=True)
class Family:
    """Where one model family keeps what we touch. Paths of a layer's parts start at the layer.

    Query, key and value with one path are one fused weight: all heads of Q, then of K, then of V.
    """

    model_type: str
    layers: str
    attention: str  # the module that computes attention
    projections: tuple[str, str, str, str]  # query, key, value, output
    norms: tuple[str, str]  # of the attention part and of the feed-forward part
    word_embeddings: str
    head_dim: str = "attention_head_size"  # an attribute of the attention module
    transposed: bool = False  # weights are (in, out), as in GPT-2's Conv1D, not (out, in)
    entry: Entry = "interface"  # how gates get in
    causal: bool = False
    token_types: bool = False  # whether forward embeds token types, if the config has them
    pooler: bool = False  # whether the class can leave out its pooling layer
    after_padding: bool = False  # whether positions are counted from the pad id on
    extra: tuple[str, ...] = ()  # further weights with heads as in a query, if they are there


def _bert_like(model_type: str, **facts: Any) -> Family:
    return Family(
        model_type,
        "encoder.layer",
        "attention.self",
        (
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
        ),
        ("attention.output.LayerNorm", "output.LayerNorm"),
        "embeddings.word_embeddings",
        **facts,
    )


FAMILIES = {
    row.model_type: row
    for row in (
        _bert_like("bert", token_types=True, pooler=True),
        _bert_like("roberta", pooler=True, after_padding=True),
        _bert_like("xlm-roberta", pooler=True, after_padding=True),
        _bert_like("electra", token_types=True),
        Family(
            "distilbert",
            "transformer.layer",
            "attention",
            ("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"),
            ("sa_layer_norm", "output_layer_norm"),
            "embeddings.word_embeddings",
        ),
        Family(
            "gpt2",
            "h",
            "attn",
            ("attn.c_attn", "attn.c_attn", "attn.c_attn", "attn.c_proj"),
            ("ln_1", "ln_2"),
            "wte",
            head_dim="head_dim",
            transposed=True,
            causal=True,
        ),
        Family(
            "deberta-v2",  # and v3, which has the same class
            "encoder.layer",
            "attention.self",
            (
                "attention.self.query_proj",
                "attention.self.key_proj",
                "attention.self.value_proj",
                "attention.output.dense",
            ),
            ("attention.output.LayerNorm", "output.LayerNorm"),
            "embeddings.word_embeddings",
            entry="output_hook",
            token_types=True,
            extra=("attention.self.pos_key_proj", "attention.self.pos_query_proj"),
        ),
        Family(
            "modernbert",
            "layers",
            "attn",
            ("attn.Wqkv", "attn.Wqkv", "attn.Wqkv", "attn.Wo"),
            ("attn_norm", "mlp_norm"),  # the first of layer 0 is an Identity
            "embeddings.tok_embeddings",
            head_dim="head_dim",
        ),
    )
}


@dataclass(frozen=True)
class Projection:
    """Where the heads of one layer lie in one weight: side by side along ``axis``, from ``start``.

    The bias of a query, key or value projection is cut likewise; that of an output projection
    belongs to no head.
    """

    module: nn.Module
    axis: int
    start: int
    heads: int
    head_dim: int
    splits_bias: bool

    def where(self, head: int) -> slice:
        """The entries of a head along ``axis`` (and in the bias, if it is split)."""
        begin = self.start + range(self.heads)[head] * self.head_dim
        return slice(begin, begin + self.head_dim)

    def weight_of(self, head: int) -> Tensor:
        """A head's part of the weight; a view, so that changing it changes the weight."""
        weight: Any = self.module.weight
        return weight[self.where(head)] if self.axis == 0 else weight[:, self.where(head)]


@dataclass(frozen=True)
class LayerParts:
    """Handles to one layer. ``Family.norms`` has the paths by which norms can be replaced."""

    layer: nn.Module
    attention: nn.Module
    query: Projection
    key: Projection
    value: Projection
    output: Projection
    norms: tuple[nn.Module, nn.Module]
    extra: tuple[Projection, ...] = ()  # cut like the query (DeBERTa: of relative positions)


@dataclass(frozen=True)
class Anatomy:
    """An encoder's measures and handles to its parts."""

    family: Family
    layers: tuple[LayerParts, ...]
    heads: tuple[int, ...]  # of each layer, counted in its weights
    head_dim: int
    hidden: int
    word_embeddings: nn.Embedding
    position_limit: int
    uses_token_types: bool
    causal: bool

    @property
    def head_grid(self) -> tuple[int, int]:
        return len(self.layers), max(self.heads, default=0)


def family_of(config: Any) -> Family:
    """The row of a config's model type; one without a row is refused, never guessed."""
    found = FAMILIES.get(config.model_type)
    if found is None:
        raise BackboneError(
            f"model type '{config.model_type}' is not known (known: {', '.join(FAMILIES)}); "
            f"a new one is a row in mtlprune/backbones/families.py"
        )
    return found


def describe(encoder: "PreTrainedModel") -> Anatomy:
    """The parts of an encoder, by the table; numbers of heads are those of its weights."""
    family = family_of(encoder.config)
    layers = tuple(_parts(layer, family) for layer in encoder.get_submodule(family.layers))
    words = encoder.get_submodule(family.word_embeddings)
    config = encoder.config
    return Anatomy(
        family,
        layers,
        tuple(layer.output.heads for layer in layers),
        layers[0].output.head_dim,
        config.hidden_size,
        words,
        position_limit(config),
        family.token_types and config.type_vocab_size > 1,
        family.causal or bool(getattr(config, "is_decoder", False)),
    )


def _parts(layer: nn.Module, family: Family) -> LayerParts:
    attention = layer.get_submodule(family.attention)
    size = int(getattr(attention, family.head_dim))
    *inputs, output = (layer.get_submodule(path) for path in family.projections)
    fused = len(set(family.projections)) < len(family.projections)
    along, across = (1, 0) if family.transposed else (0, 1)
    weight: Any = output.weight
    heads = int(weight.shape[across]) // size
    query, key, value = (
        Projection(module, along, place * heads * size * fused, heads, size, True)
        for place, module in enumerate(inputs)
    )
    out = Projection(output, across, 0, heads, size, False)
    names = dict(layer.named_modules())
    extra = tuple(
        Projection(names[path], along, 0, heads, size, True)
        for path in family.extra
        if path in names
    )
    first, second = (layer.get_submodule(path) for path in family.norms)
    return LayerParts(layer, attention, query, key, value, out, (first, second), extra)


def position_limit(config: Any) -> int:
    """How many tokens an encoder takes."""
    used = config.pad_token_id + 1 if family_of(config).after_padding else 0
    return int(config.max_position_embeddings) - used


def check_vocabulary(encoder: "PreTrainedModel", size: int, name: str) -> None:
    """Refuse a tokenizer with ids beyond the embedding table."""
    rows = describe(encoder).word_embeddings.num_embeddings
    if size > rows:
        raise BackboneError(
            f"tokenizer {name} has {size} entries, but the encoder embeds only {rows}; "
            f"they do not belong together: prepare the data with the encoder's own tokenizer"
        )
