"""Every family: loaded as transformers loads it, gated, copied and saved; and what is refused."""

import copy
import json
import logging
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from mtlprune.attention import (
    AttentionState,
    attention_bias,
    attention_weights,
    head_gates,
    state_of,
)
from mtlprune.backbones import (
    FAMILIES,
    BackboneError,
    attach_gates,
    check_gates_work,
    check_vocabulary,
    describe,
    load_backbone,
    position_limit,
    read_pretrained,
)
from mtlprune.data.tokenizers import import_transformers
from mtlprune.errors import MtlPruneError

transformers = import_transformers()
transformers.utils.logging.disable_progress_bar()

LAYERS, HEADS, HIDDEN, POSITIONS, VOCABULARY = 3, 4, 32, 40, 50
BERT = {
    "vocab_size": VOCABULARY,
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 48,
    "max_position_embeddings": POSITIONS,
    "pad_token_id": 1,
    "initializer_range": 0.2,  # so that every head matters
}
RELATIVE = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 8}
TINY: dict[str, dict[str, Any]] = {
    "bert": BERT,
    "roberta": BERT,
    "xlm-roberta": BERT,
    "electra": {**BERT, "embedding_size": 16},
    "distilbert": {**BERT, "hidden_dim": 48},
    "gpt2": BERT,
    "deberta-v2": {**BERT, **RELATIVE, "share_att_key": False, "type_vocab_size": 2},
    "deberta-v3": {**BERT, **RELATIVE, "share_att_key": True, "position_biased_input": False},
    "modernbert": {**BERT, "local_attention": 4, "global_attn_every_n_layers": 2},
}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", params=TINY)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random encoder of one family, saved by plain transformers."""
    return save_tiny(request.param, tmp_path_factory.mktemp("tiny") / request.param)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny("bert", tmp_path_factory.mktemp("tiny") / "bert")


def save_tiny(name: str, out: Path) -> Path:
    model_type = "deberta-v2" if name == "deberta-v3" else name
    torch.manual_seed(5)
    config = transformers.AutoConfig.for_model(model_type, **TINY[name])
    transformers.AutoModel.from_config(config).save_pretrained(out)
    return out


@pytest.fixture
def encoder(folder: Path):
    return load_backbone(str(folder))


def stock(folder: Path, **options: Any):
    return transformers.AutoModel.from_pretrained(folder, dtype=torch.float32, **options)


def batch(lengths: tuple[int, ...] = (7, 5, 3)) -> dict[str, Tensor]:
    drawn = torch.Generator().manual_seed(2)
    ids = torch.randint(5, VOCABULARY, (len(lengths), max(lengths)), generator=drawn)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return {"input_ids": ids.where(mask, 1), "attention_mask": mask.long()}


def drawn_gates(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(3), dtype=dtype)


@torch.no_grad()
def hidden(encoder: Any, inputs: dict[str, Tensor]) -> Tensor:
    """All hidden states, (layers + 1, batch, time, hidden), padding zeroed."""
    states = torch.stack(encoder(**inputs, output_hidden_states=True).hidden_states)
    return states * inputs["attention_mask"][:, :, None]


# The families, one by one


@pytest.mark.parametrize("lengths", [(7, 5, 3), (7, 7)], ids=["padded", "unpadded"])
def test_hidden_states_are_those_of_transformers(folder: Path, encoder, lengths: tuple[int, ...]):
    inputs = batch(lengths)
    assert torch.equal(hidden(encoder, inputs), hidden(stock(folder), inputs))


def test_hidden_states_without_a_mask_are_those_of_transformers(folder: Path, encoder):
    ids = batch((6, 6))["input_ids"]
    with torch.no_grad():
        assert torch.equal(encoder(ids)[0], stock(folder)(ids)[0])


def test_training_mode_draws_the_dropout_of_transformers(folder: Path, encoder):
    outputs = []
    for model in (encoder, stock(folder)):
        torch.manual_seed(7)
        outputs.append(hidden(model.train(), batch()))
    assert torch.equal(*outputs)
    assert torch.equal(outputs[0], hidden(encoder.eval(), batch())) == (
        encoder.config.model_type == "modernbert"  # its dropouts are zero by default
    )


def test_a_batch_of_three_is_three_batches_of_one(encoder):
    together = hidden(encoder, batch())
    for row, length in enumerate((7, 5, 3)):
        alone = {name: value[row : row + 1, :length] for name, value in batch().items()}
        torch.testing.assert_close(
            together[:, row : row + 1, :length], hidden(encoder, alone), atol=1e-5, rtol=0
        )


def test_the_anatomy_is_that_of_the_config(encoder):
    anatomy = describe(encoder)
    assert anatomy.heads == (HEADS,) * LAYERS and anatomy.head_grid == (LAYERS, HEADS)
    assert (anatomy.head_dim, anatomy.hidden) == (HIDDEN // HEADS, HIDDEN)
    assert anatomy.word_embeddings is encoder.get_input_embeddings()
    assert anatomy.causal == (encoder.config.model_type == "gpt2")
    for parts in anatomy.layers:
        for projection in (parts.query, parts.key, parts.value, parts.output, *parts.extra):
            assert projection.weight_of(HEADS - 1).numel() == HIDDEN * HIDDEN // HEADS
            with pytest.raises(IndexError):
                projection.where(HEADS)
    norms = {id(norm) for parts in anatomy.layers for norm in parts.norms}
    assert len(norms) == 2 * LAYERS


def test_token_types_matter_where_we_say_they_are_used(encoder):
    ids = batch((6,))["input_ids"]
    if describe(encoder).uses_token_types:
        types = torch.ones_like(ids)
        assert not torch.equal(encoder(ids)[0], encoder(ids, token_type_ids=types)[0])
    else:
        assert getattr(encoder.config, "type_vocab_size", 0) < 2 or not (
            FAMILIES[encoder.config.model_type].token_types
        )


def test_heads_can_change_places(encoder):
    """Moving whole heads in Q, K, V and O together changes nothing: rows, columns, order hold."""
    before = hidden(encoder, batch())
    order = [2, 0, 3, 1]
    with torch.no_grad():
        for parts in describe(encoder).layers:
            for projection in (parts.query, parts.key, parts.value, parts.output, *parts.extra):
                weights = [projection.weight_of(head).clone() for head in order]
                for head, weight in enumerate(weights):
                    projection.weight_of(head).copy_(weight)
                bias = projection.module.bias
                if projection.splits_bias and bias is not None:
                    moved = [bias[projection.where(head)].clone() for head in order]
                    for head, part in enumerate(moved):
                        bias[projection.where(head)] = part
    torch.testing.assert_close(hidden(encoder, batch()), before, atol=1e-5, rtol=0)


def test_query_key_and_value_are_told_apart(encoder, monkeypatch: pytest.MonkeyPatch):
    if FAMILIES[encoder.config.model_type].entry != "interface":
        pytest.skip("its projections have names of their own, and nothing of ours sees them")
    seen: list[list[bool]] = []

    def spy(module, query, key, value, *args, **kwargs):
        seen.append([part[:, 1].abs().max().item() == 0 for part in (query, key, value)])
        return sdpa(module, query, key, value, *args, **kwargs)

    sdpa = transformers.AttentionInterface()["sdpa"]
    monkeypatch.setattr("mtlprune.attention._stock_attention", lambda: spy)
    parts = describe(encoder).layers
    with torch.no_grad():
        for layer, name in enumerate(("query", "key", "value")):
            projection = getattr(parts[layer], name)
            projection.weight_of(1).zero_()  # biases are zero from the start
    hidden(encoder, batch())
    assert seen == [[True, False, False], [False, True, False], [False, False, True]]


def test_positions_up_to_the_limit_are_taken(encoder):
    family = FAMILIES[encoder.config.model_type]
    limit = describe(encoder).position_limit
    assert limit == POSITIONS - 2 * family.after_padding  # pad id 1: positions 0 and 1 are spent
    ids = torch.full((1, limit + 1), 9)
    with torch.no_grad():
        assert encoder(ids[:, :limit])[0].shape[1] == limit
        if encoder.config.model_type not in ("deberta-v2", "modernbert"):  # relative positions
            with pytest.raises((IndexError, RuntimeError)):
                encoder(ids)


# Gates, in every family


def test_gates_of_ones_change_no_bit(encoder):
    plain = hidden(encoder, batch())
    for shape in ((LAYERS, HEADS), (3, LAYERS, HEADS)):
        with head_gates(encoder, torch.ones(shape)):
            assert torch.equal(hidden(encoder, batch()), plain)


def test_a_zero_gate_is_a_zeroed_output_projection(encoder):
    for layer in range(LAYERS):
        for head in range(HEADS):
            xi = torch.ones(LAYERS, HEADS)
            xi[layer, head] = 0
            with head_gates(encoder, xi):
                gated = hidden(encoder, batch())
            cut = copy.deepcopy(encoder)
            with torch.no_grad():
                describe(cut).layers[layer].output.weight_of(head).zero_()
            torch.testing.assert_close(gated, hidden(cut, batch()), atol=1e-6, rtol=0)
            assert (gated - hidden(encoder, batch()))[layer + 1].abs().max() > 1e-3


def test_a_row_of_gates_an_example_is_a_run_an_example(encoder):
    xi = drawn_gates(3, LAYERS, HEADS)
    with head_gates(encoder, xi):
        together = hidden(encoder, batch())
    for row in range(3):
        with head_gates(encoder, xi[row]):
            torch.testing.assert_close(
                together[:, row], hidden(encoder, batch())[:, row], atol=1e-6, rtol=0
            )


def test_the_slope_of_a_gate_is_the_finite_difference(encoder, monkeypatch: pytest.MonkeyPatch):
    encoder.double()
    # ModernBERT rotates in float32 whatever it is given, too coarse for differences
    monkeypatch.setattr(torch.Tensor, "float", lambda tensor: tensor)
    xi = drawn_gates(LAYERS, HEADS, dtype=torch.float64).requires_grad_()

    def loss(gates: Tensor) -> Tensor:
        with head_gates(encoder, gates):
            output = encoder(**batch())[0] * batch()["attention_mask"][:, :, None]
        weights = torch.linspace(-1, 1, output.numel(), dtype=torch.float64)
        return (output.flatten() * weights).sum() + output.pow(2).sum()

    (slope,) = torch.autograd.grad(loss(xi), xi)
    step, by_hand = 1e-5, torch.zeros_like(slope)
    with torch.no_grad():
        for place in torch.cartesian_prod(torch.arange(LAYERS), torch.arange(HEADS)).tolist():
            nudge = torch.zeros_like(xi)
            nudge[tuple(place)] = step
            by_hand[tuple(place)] = (loss(xi + nudge) - loss(xi - nudge)) / (2 * step)
    torch.testing.assert_close(slope, by_hand, rtol=1e-6, atol=1e-6)
    assert slope.abs().min() > 1e-4  # every gate is heard
    assert all(weight.grad is None for weight in encoder.parameters())


def test_bfloat16_autocast_runs_and_gates_work_in_it(encoder):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        plain = hidden(encoder, batch())
        with head_gates(encoder, torch.ones(LAYERS, HEADS)):
            assert torch.equal(hidden(encoder, batch()), plain)
        with head_gates(encoder, torch.zeros(LAYERS, HEADS)):
            closed = hidden(encoder, batch())
    assert closed.isfinite().all() and (closed - plain).abs().max() > 0.1


def test_attention_weights_are_those_of_stock_eager_attention(folder: Path, encoder):
    reference = stock(folder, attn_implementation="eager")
    wanted = reference(**batch(), output_attentions=True).attentions
    with attention_weights(encoder):
        output = encoder(**batch(), output_attentions=True)
    real = batch()["attention_mask"][:, None, :, None].bool()  # rows of pads may differ
    assert len(output.attentions) == len(wanted) == LAYERS
    for mine, theirs in zip(output.attentions, wanted, strict=True):
        torch.testing.assert_close(mine * real, theirs * real, atol=1e-6, rtol=0)
        torch.testing.assert_close(
            mine.sum(-1) * real[..., 0], real[..., 0].expand(-1, 4, -1) * 1.0
        )
    assert not state_of(encoder).weights
    assert encoder.config._attn_implementation == (
        "eager" if "deberta" in folder.name else "mtlprune"
    )


def test_attention_weights_see_the_gates(encoder):
    xi = drawn_gates(LAYERS, HEADS)
    with head_gates(encoder, xi):
        fused = hidden(encoder, batch())
        with attention_weights(encoder):
            torch.testing.assert_close(hidden(encoder, batch()), fused, atol=2e-6, rtol=0)


def test_a_copy_has_a_state_of_its_own(encoder):
    plain = hidden(encoder, batch())
    with head_gates(encoder, torch.zeros(LAYERS, HEADS).requires_grad_() * 1):
        twin = copy.deepcopy(encoder)
        assert torch.equal(hidden(twin, batch()), plain)
    check_gates_work(twin)
    with head_gates(twin, torch.zeros(LAYERS, HEADS)):
        assert torch.equal(hidden(encoder, batch()), plain)
        assert not torch.equal(hidden(twin, batch()), plain)


def test_attaching_leaves_no_trace_in_what_is_saved(folder: Path, encoder, tmp_path: Path):
    poolers = {name for name in stock(folder).state_dict() if name.startswith("pooler.")}
    assert set(encoder.state_dict()) == set(stock(folder).state_dict()) - poolers
    assert len(list(encoder.modules())) == len(list(stock(folder).modules())) - 3 * bool(poolers)
    encoder.save_pretrained(tmp_path)
    assert "mtlprune" not in (tmp_path / "config.json").read_text()
    assert torch.equal(hidden(stock(tmp_path), batch()), hidden(encoder, batch()))


def test_attaching_twice_gates_once(encoder):
    xi = drawn_gates(LAYERS, HEADS)
    with head_gates(encoder, xi):
        once = hidden(encoder, batch())
    attach_gates(encoder)
    with head_gates(encoder, xi):
        assert torch.equal(hidden(encoder, batch()), once)


def test_bias_is_heard_or_refused(encoder):
    bias = [torch.randn(3, 1, 7, 7, generator=torch.Generator().manual_seed(1))] * LAYERS
    if FAMILIES[encoder.config.model_type].entry == "interface":
        plain = hidden(encoder, batch())
        with attention_bias(encoder, bias):
            assert (hidden(encoder, batch()) - plain)[1:].abs().amax((1, 2, 3)).min() > 1e-3
    else:
        with pytest.raises(MtlPruneError, match="cannot be biased"), attention_bias(encoder, bias):
            pass


# What is refused


@pytest.mark.parametrize("model_type", ["t5", "bart"])
def test_an_unknown_family_is_refused_by_name(model_type: str, tmp_path: Path):
    transformers.AutoConfig.for_model(model_type).save_pretrained(tmp_path)
    with pytest.raises(BackboneError, match=f"'{model_type}' is not known.*bert, roberta, xlm-rob"):
        load_backbone(str(tmp_path))


def test_a_family_said_to_use_the_interface_that_does_not_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    save_tiny("deberta-v2", tmp_path)
    row = replace(FAMILIES["deberta-v2"], entry="interface")
    monkeypatch.setitem(FAMILIES, "deberta-v2", row)
    with pytest.raises(MtlPruneError, match=r"'deberta-v2' \(DebertaV2Model\) does not use"):
        load_backbone(str(tmp_path))


def test_an_encoder_in_which_gates_do_nothing_is_never_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(AttentionState, "gate", lambda state, layer, context: context)
    with pytest.raises(MtlPruneError, match=r"head gates do nothing in layers \[0, 1, 2\]"):
        load_backbone(str(folder))


def test_a_layer_in_which_gates_do_nothing_is_named(bert: Path):
    encoder = load_backbone(str(bert))
    deaf = describe(load_backbone(str(bert))).layers[1].layer  # listens to another encoder's state
    encoder.encoder.layer[1] = deaf
    with pytest.raises(
        MtlPruneError, match=r"'bert' \(BertModel\): head gates do nothing in .*\[1\]"
    ):
        check_gates_work(encoder)


def test_the_check_works_where_a_layer_has_lost_all_its_heads(bert: Path):
    encoder = load_backbone(str(bert))
    with torch.no_grad():
        describe(encoder).layers[1].output.module.weight.zero_()
    check_gates_work(encoder)


def test_the_check_leaves_modes_and_random_numbers_alone(bert: Path):
    encoder = load_backbone(str(bert)).train()
    encoder.embeddings.eval()
    before = torch.random.get_rng_state()
    check_gates_work(encoder)
    assert torch.equal(before, torch.random.get_rng_state())
    assert encoder.training and not encoder.embeddings.training and encoder.encoder.training


def test_weights_that_are_not_numbers_are_told(bert: Path):
    encoder = load_backbone(str(bert))
    with torch.no_grad():
        encoder.embeddings.LayerNorm.bias.fill_(torch.nan)
    with pytest.raises(MtlPruneError, match="not finite"):
        check_gates_work(encoder)


def test_a_tokenizer_larger_than_the_embedding_table_is_refused(encoder):
    check_vocabulary(encoder, VOCABULARY, "mine")
    with pytest.raises(BackboneError, match=r"tokenizer mine has 51 entries.*only 50"):
        check_vocabulary(encoder, VOCABULARY + 1, "mine")


# Files of weights


def with_weights(bert: Path, out: Path, change) -> Path:
    """The folder with pytorch_model.bin instead of safetensors, after a change to its weights."""
    out.mkdir()
    shutil.copy(bert / "config.json", out)
    weights = dict(stock(bert).state_dict())
    change(weights)
    torch.save(weights, out / "pytorch_model.bin")
    return out


def test_pytorch_model_bin_loads(bert: Path, tmp_path: Path):
    folder = with_weights(bert, tmp_path / "bin", lambda weights: None)
    assert torch.equal(
        hidden(load_backbone(str(folder)), batch()), hidden(load_backbone(str(bert)), batch())
    )


def test_half_precision_weights_become_float32(bert: Path, tmp_path: Path):
    stock(bert).half().save_pretrained(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["dtype"] == "float16"
    assert load_backbone(str(tmp_path)).dtype == torch.float32
    assert load_backbone(str(tmp_path), dtype=torch.bfloat16).dtype == torch.bfloat16


class Evil:
    def __reduce__(self):
        return print, ("evil code ran",)


def test_a_pickle_with_code_is_refused(bert: Path, tmp_path: Path, capsys):
    folder = with_weights(bert, tmp_path / "evil", lambda weights: weights.update(x=Evil()))
    with pytest.raises(BackboneError, match=f"backbone {folder}: folder: "):
        load_backbone(str(folder))
    assert "evil code ran" not in capsys.readouterr().out


def test_missing_weights_are_named_and_random_numbers_stay(bert: Path, tmp_path: Path):
    name = "encoder.layer.1.attention.self.query.weight"
    folder = with_weights(bert, tmp_path / "gap", lambda weights: weights.pop(name))
    before = torch.random.get_rng_state()
    with pytest.raises(BackboneError, match=f"weights are missing: {name}"):
        load_backbone(str(folder))
    assert torch.equal(before, torch.random.get_rng_state())


def test_weights_of_another_shape_are_named(bert: Path, tmp_path: Path):
    def widen(weights):
        weights["embeddings.word_embeddings.weight"] = torch.zeros(60, HIDDEN)

    folder = with_weights(bert, tmp_path / "wide", widen)
    with pytest.raises(BackboneError, match=r"word_embeddings.weight is \(60, 32\), .*\(50, 32\)"):
        load_backbone(str(folder))


def test_what_the_encoder_leaves_out_is_reported(bert: Path, tmp_path: Path, caplog):
    config = transformers.AutoConfig.from_pretrained(bert)
    transformers.BertForPreTraining(config).save_pretrained(tmp_path)
    _, report = read_pretrained(str(tmp_path), torch.float32)
    assert "cls.predictions.bias" in report.heads and report.layers == ()
    assert any("pooler.dense.weight" in name for name in report.heads)
    cut = json.loads((tmp_path / "config.json").read_text()) | {"num_hidden_layers": 2}
    (tmp_path / "config.json").write_text(json.dumps(cut))
    with caplog.at_level(logging.INFO, "mtlprune"):
        load_backbone(str(tmp_path))
    said = {record.levelname: record.getMessage() for record in caplog.records}
    assert "cls.predictions.bias" in said["INFO"] and "layer.2" not in said["INFO"]
    assert "encoder.layer.2.attention.output.LayerNorm.bias" in said["WARNING"]


@pytest.mark.parametrize(
    ("config", "message"),
    [(None, "folder: "), ("{}", "model_type"), ("{", "folder: "), ('{"model_type": "x"}', "x")],
)
def test_a_folder_that_is_no_model_is_told(config: str | None, message: str, tmp_path: Path):
    if config is not None:
        (tmp_path / "config.json").write_text(config)
    with pytest.raises(BackboneError, match=message):
        load_backbone(str(tmp_path))


# From scratch

SCRATCH = "scratch:layers=2,heads=4,hidden=32"


def test_scratch_has_the_numbers_asked_for():
    encoder = load_backbone(
        f"{SCRATCH},ffn=40,dropout=0.2,positions=30", vocabulary_size=70, pad_id=3
    )
    anatomy = describe(encoder)
    assert (anatomy.family.model_type, anatomy.heads, anatomy.hidden) == ("bert", (4, 4), 32)
    assert anatomy.position_limit == 30 and anatomy.uses_token_types
    assert anatomy.word_embeddings.num_embeddings == 70
    assert anatomy.word_embeddings.padding_idx == 3
    assert (encoder.config.intermediate_size, encoder.config.hidden_dropout_prob) == (40, 0.2)
    assert encoder.config.attention_probs_dropout_prob == 0.2
    # word, position, type and norm; then per layer QKVO, norms, ffn, all with biases
    embeddings = (70 + 30 + 2 + 2) * 32
    layer = 4 * (32 * 32 + 32) + 2 * 2 * 32 + 2 * 32 * 40 + 40 + 32
    assert sum(weight.numel() for weight in encoder.parameters()) == embeddings + 2 * layer


def test_scratch_xlm_roberta_takes_as_many_tokens_as_asked():
    encoder = load_backbone(
        f"{SCRATCH},family=xlm-roberta,positions=30", vocabulary_size=70, pad_id=5
    )
    assert position_limit(encoder.config) == 30 and not describe(encoder).uses_token_types
    assert encoder(torch.full((1, 30), 9))[0].shape == (1, 30, 32)


def test_scratch_is_drawn_from_its_seed_only():
    before = torch.random.get_rng_state()
    first, same, other = (
        load_backbone(SCRATCH, vocabulary_size=70, pad_id=0, seed=seed).state_dict()
        for seed in (4, 4, 5)
    )
    assert torch.equal(before, torch.random.get_rng_state())
    assert all(torch.equal(first[name], same[name]) for name in first)
    word = "embeddings.word_embeddings.weight"
    assert not torch.equal(first[word], other[word])
    assert first[word][0].abs().max() == 0
    assert 0.088 < first[word].std() < 0.108  # BERT's 0.02, as wide as 768 / 32 asks: 0.098


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scratch:", "layers is missing; heads is missing; hidden is missing"),
        ("scratch:layers=2,head=3", "'head=3' is no key; heads is missing"),
        (f"{SCRATCH},layers=2", "'layers=2' is given twice"),
        ("scratch:layers=2,heads=3,hidden=32", "hidden 32 does not divide by 3 heads"),
        ("scratch:layers=0,heads=x,hidden=-4", "layers is a whole .* heads is a .*'-4'"),
        (f"{SCRATCH},dropout=1", "dropout is a number from 0 to below 1, not '1'"),
        (f"{SCRATCH},family=gpt2", "family is bert or xlm-roberta, not 'gpt2'"),
    ],
)
def test_a_wrong_scratch_spec_is_told_with_the_allowed_keys(text: str, message: str):
    with pytest.raises(BackboneError, match=f"{message}.*write scratch:layers=N,heads=N,hidden=N"):
        load_backbone(text, vocabulary_size=70, pad_id=0)


@pytest.mark.parametrize("pad_id", [None, 70])
def test_scratch_needs_a_pad_token(pad_id: int | None):
    with pytest.raises(BackboneError, match="needs a tokenizer with a pad token"):
        load_backbone(SCRATCH, vocabulary_size=70, pad_id=pad_id)


@pytest.mark.slow
def test_a_real_encoder_is_that_of_transformers(real_tokenizer: str):
    mine, theirs = load_backbone(real_tokenizer), stock(Path(real_tokenizer))
    assert torch.equal(hidden(mine, batch()), hidden(theirs, batch()))
    xi = torch.ones(6, 12)
    xi[2, 7] = 0
    with head_gates(mine, xi):
        gated = hidden(mine, batch())
    with torch.no_grad():
        theirs.encoder.layer[2].attention.output.dense.weight[:, 7 * 32 : 8 * 32] = 0
    torch.testing.assert_close(gated, hidden(theirs, batch()), atol=1e-5, rtol=0)
