"""The attention function itself: biases, masks, weights; and what is lent is given back."""

import copy

import pytest
import torch
from torch import Tensor

from mtlprune.attention import (
    HeadShapeError,
    add_bias,
    attention_bias,
    attention_weights,
    head_gates,
    state_of,
)
from mtlprune.backbones import attach_gates, load_backbone
from mtlprune.data.tokenizers import import_transformers
from mtlprune.errors import MtlPruneError

LAYERS, HEADS, TIME = 2, 4, 6
LOWEST = torch.finfo(torch.float32).min
OPEN = torch.ones(LAYERS, HEADS)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def encoder():
    """A small BERT in which attention is far from uniform."""
    made = load_backbone("scratch:layers=2,heads=4,hidden=32", vocabulary_size=50, pad_id=0)
    return sharpen(made)


@pytest.fixture
def causal():
    transformers = import_transformers()
    config = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=50, n_positions=20)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        made = sharpen(transformers.GPT2Model(config).eval())
    attach_gates(made)
    return made


def sharpen(model):
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 2 and "embed" not in name:
                weight *= 8
    return model


def ids(*lengths: int) -> dict[str, Tensor]:
    drawn = torch.Generator().manual_seed(2)
    tokens = torch.randint(5, 50, (len(lengths), max(lengths)), generator=drawn)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return {"input_ids": tokens.where(mask, 0), "attention_mask": mask.long()}


def drawn(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(3))


def weights_of(model, inputs: dict[str, Tensor]) -> Tensor:
    """True attention probabilities, (layers, batch, heads, time, time)."""
    with torch.no_grad(), attention_weights(model):
        return torch.stack(model(**inputs, output_attentions=True).attentions)


@torch.no_grad()
def output(model, inputs: dict[str, Tensor]) -> Tensor:
    return model(**inputs)[0] * inputs["attention_mask"][:, :, None]


# Masks and biases become one mask


def combined(mask: Tensor | None, bias: Tensor, is_causal: bool = False) -> Tensor:
    query = torch.zeros(1, 1, 2, 8)
    return add_bias(mask, bias, query, query, is_causal)


BIAS = torch.tensor([[[[1.0, 2.0], [3.0, -torch.inf]]]])


def test_a_bias_without_a_mask_is_the_mask():
    assert combined(None, BIAS).tolist() == [[[[1, 2], [3, LOWEST]]]]


def test_a_bias_without_a_mask_on_a_causal_module_keeps_the_future_unseen():
    assert combined(None, BIAS, True).tolist() == [[[[1, LOWEST], [3, LOWEST]]]]


def test_a_boolean_mask_takes_the_bias_where_it_is_true():
    mask = torch.tensor([[[[True, False], [True, True]]]])
    assert combined(mask, BIAS, True).tolist() == [[[[1, LOWEST], [3, LOWEST]]]]


def test_a_float_mask_is_added_and_never_falls_below_the_lowest_number():
    mask = torch.tensor([[[[0.5, LOWEST], [LOWEST, -torch.inf]]]])
    bias = torch.tensor([[[[1.0, -5.0], [LOWEST, 7.0]]]])
    assert combined(mask, bias).tolist() == [[[[1.5, LOWEST], [LOWEST, LOWEST]]]]


def test_a_bias_for_each_head_meets_a_mask_for_all():
    mask = torch.tensor([[[[True, False], [True, True]]]])
    bias = torch.arange(8.0).view(1, 2, 2, 2)
    assert combined(mask, bias).tolist() == [[[[0, LOWEST], [2, 3]], [[4, LOWEST], [6, 7]]]]


def test_a_bias_takes_the_precision_of_the_query():
    query = torch.zeros(1, 1, 2, 8, dtype=torch.bfloat16)
    assert add_bias(None, BIAS, query, query, False).dtype == torch.bfloat16


# Biases in an encoder


@pytest.mark.parametrize("lengths", [(TIME, TIME), (TIME, 3)], ids=["unpadded", "padded"])
@pytest.mark.parametrize("heads", [1, HEADS])
@pytest.mark.parametrize("kind", ["encoder", "causal"])
def test_a_bias_moves_probabilities_by_its_exponential(
    kind: str, heads: int, lengths: tuple[int, ...], request: pytest.FixtureRequest
):
    model, bias = request.getfixturevalue(kind), drawn(2, heads, TIME, TIME)
    before = weights_of(model, ids(*lengths))[0]  # the first layer, whose input does not change
    with attention_bias(model, [bias, None]):
        after = weights_of(model, ids(*lengths))[0]
    wanted = before * bias.exp()
    wanted = wanted / wanted.sum(-1, keepdim=True)
    torch.testing.assert_close(after, wanted, atol=1e-6, rtol=1e-5)
    assert torch.equal(after == 0, before == 0)  # pads and the future stay at zero exactly
    assert (after == 0).any() == (kind == "causal" or lengths[1] < TIME)


@pytest.mark.parametrize("kind", ["encoder", "causal"])
@pytest.mark.parametrize("lengths", [(TIME, TIME), (TIME, 3)], ids=["unpadded", "padded"])
def test_the_fused_kernel_and_the_written_out_one_agree_on_biases(
    kind: str, lengths: tuple[int, ...], request: pytest.FixtureRequest
):
    model = request.getfixturevalue(kind)
    with attention_bias(model, [drawn(2, 1, TIME, TIME), drawn(2, HEADS, TIME, TIME)]):
        fused = output(model, ids(*lengths))
        with attention_weights(model):
            torch.testing.assert_close(output(model, ids(*lengths)), fused, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", ["encoder", "causal"])
def test_a_bias_of_zeros_changes_nothing(kind: str, request: pytest.FixtureRequest):
    model = request.getfixturevalue(kind)
    for lengths in ((TIME, TIME), (TIME, 3)):
        plain = output(model, ids(*lengths))
        with attention_bias(model, [torch.zeros(1, 1, TIME, TIME)] * LAYERS):
            torch.testing.assert_close(output(model, ids(*lengths)), plain, atol=1e-5, rtol=0)


def test_each_example_has_its_own_bias(encoder):
    bias = drawn(2, 1, TIME, TIME)
    with attention_bias(encoder, [bias, bias]):
        together = output(encoder, ids(TIME, TIME))
    for row in range(2):
        with attention_bias(encoder, [bias[row : row + 1]] * LAYERS):
            alone = output(encoder, ids(TIME, TIME))[row]
        torch.testing.assert_close(together[row], alone, atol=1e-5, rtol=0)


def test_blocks_closed_by_infinity_give_no_nan_even_when_all_padding(encoder):
    block = torch.arange(TIME) // 2
    local = torch.zeros(1, 1, TIME, TIME)
    local[:, :, block[:, None] != block] = -torch.inf
    with attention_bias(encoder, [local] * LAYERS):
        assert encoder(**ids(TIME, 3))[0].isfinite().all()  # example 2: the last block is pads
        weights = weights_of(encoder, ids(TIME, 3))
    seen = (local[0, 0] == 0) & (torch.arange(TIME) < 3)
    assert (weights[:, 1, :, :3][..., ~seen[:3]] == 0).all()


def test_a_bias_is_learnt_from(encoder):
    encoder.double()
    bias = drawn(2, 1, TIME, TIME).double().requires_grad_()

    def loss(value: Tensor) -> Tensor:
        with attention_bias(encoder, [value, value]):
            states = encoder(**ids(TIME, 4))[0] * ids(TIME, 4)["attention_mask"][:, :, None]
        return (states * torch.linspace(-1, 1, 32)).sum()

    (slope,) = torch.autograd.grad(loss(bias), bias)
    assert (slope[1, 0, :4, 4:] == 0).all()  # nothing is learnt about pads
    for place in ((0, 0, 2, 3), (1, 0, 0, 1)):
        nudge = torch.zeros_like(bias)
        nudge[place] = 1e-5
        by_hand = (loss(bias + nudge) - loss(bias - nudge)).item() / 2e-5
        assert slope[place].item() == pytest.approx(by_hand, rel=1e-5, abs=1e-8)


def test_biases_run_under_bfloat16_autocast(encoder):
    bias = [drawn(2, 1, TIME, TIME)] * LAYERS
    with torch.autocast("cpu", dtype=torch.bfloat16), attention_bias(encoder, bias):
        assert output(encoder, ids(TIME, 3)).isfinite().all()


@pytest.mark.parametrize("bias", [[None], [None, torch.zeros(TIME, TIME)]])
def test_a_bias_of_the_wrong_form_is_refused(encoder, bias):
    with pytest.raises(HeadShapeError, match="do not fit 2 layers"), attention_bias(encoder, bias):
        pass


# Gates are lent


def test_nested_gates_are_given_back_one_by_one(encoder):
    state, inner = state_of(encoder), OPEN / 2
    with head_gates(encoder, OPEN):
        with head_gates(encoder, inner):
            assert state.gates is inner
        assert state.gates is OPEN
    assert state.gates is None


def test_gates_biases_and_weights_are_given_back_after_an_error(encoder):
    plain = output(encoder, ids(TIME))
    with (
        pytest.raises(ZeroDivisionError),
        attention_weights(encoder),
        attention_bias(encoder, [None, drawn(1, 1, TIME, TIME)]),
        head_gates(encoder, OPEN * 0),
    ):
        raise ZeroDivisionError
    state = state_of(encoder)
    assert (state.gates, state.bias, state.weights) == (None, None, False)
    assert torch.equal(output(encoder, ids(TIME)), plain)


@pytest.mark.parametrize(
    "shape", [(LAYERS,), (HEADS, LAYERS), (2, 3, HEADS), (1, 2, LAYERS, HEADS)]
)
def test_gates_of_the_wrong_shape_are_refused_with_both_shapes(encoder, shape: tuple[int, ...]):
    with pytest.raises(HeadShapeError) as caught, head_gates(encoder, torch.ones(shape)):
        pass
    assert f"gates {shape}" in str(caught.value) and "head grid (2, 4)" in str(caught.value)


@pytest.mark.parametrize("rows", [1, 3])
def test_gates_for_another_batch_are_refused(encoder, rows: int):
    xi, message = torch.ones(rows, LAYERS, HEADS), rf"gates \({rows}, 2, 4\) .*a batch of 2"
    with head_gates(encoder, xi), pytest.raises(HeadShapeError, match=message):
        encoder(**ids(TIME, TIME))


def test_a_mask_is_not_taken_for_gates(encoder):
    with pytest.raises(HeadShapeError, match=r"not torch\.bool"), head_gates(encoder, OPEN.bool()):
        pass


def test_an_encoder_switched_to_another_attention_is_refused(encoder):
    encoder.set_attn_implementation("sdpa")
    message = "attention 'sdpa', which ignores gates"
    with pytest.raises(MtlPruneError, match=message), head_gates(encoder, OPEN):
        pass


def test_an_encoder_never_attached_is_refused(encoder):
    bare = type(encoder)(copy.deepcopy(encoder.config), add_pooling_layer=False)
    with pytest.raises(MtlPruneError, match="BertModel has no head gates"), head_gates(bare, OPEN):
        pass
    with pytest.raises(MtlPruneError, match=r"BertSelfAttention uses attention .* never attached"):
        bare(**ids(TIME))


def test_layers_with_fewer_heads_read_the_first_of_their_row(encoder):
    state_of(encoder).heads = (4, 3)
    with (
        head_gates(encoder, OPEN),
        pytest.raises(HeadShapeError, match=r"layer 1.* 4 heads .3 when"),
    ):
        encoder(**ids(TIME))
    state = state_of(encoder)
    state.gates = torch.tensor([[1.0, 1, 1, 1], [2, 3, 4, 0]])
    assert state.gate(1, torch.ones(1, 1, 3, 1)).flatten().tolist() == [2, 3, 4]


@pytest.mark.filterwarnings("ignore::FutureWarning")  # renamed in late transformers 5
def test_gradient_checkpointing_inside_the_block_gives_the_same_slopes(encoder):
    slopes = []
    for checkpointing in (False, True):
        xi = torch.full((LAYERS, HEADS), 0.5, requires_grad=True)
        if checkpointing:
            encoder.gradient_checkpointing_enable()
        encoder.train()
        torch.manual_seed(4)
        with head_gates(encoder, xi):
            encoder(**ids(TIME))[0].pow(3).sum().backward()
        slopes.append(xi.grad)
    torch.testing.assert_close(*slopes)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # renamed in late transformers 5
def test_gradient_checkpointing_outside_the_block_is_loud(encoder):
    """Layers are run again in backward, when the gates are gone; torch notices the difference."""
    encoder.gradient_checkpointing_enable()
    with head_gates(encoder.train(), OPEN.clone().requires_grad_()):
        loss = encoder(**ids(TIME))[0].pow(3).sum()
    with pytest.raises(torch.utils.checkpoint.CheckpointError):
        loss.backward()
