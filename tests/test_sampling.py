"""Which rows an epoch has and in which batches; numbers worked out by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtlprune.errors import DataError
from mtlprune.sampling import (
    POLICIES,
    Budget,
    Plan,
    counts,
    epoch_rows,
    make_batches,
    padding,
    shares,
)


@pytest.mark.parametrize(
    ("policy", "epoch", "expected"),
    [
        ("uniform", 1, [0.5, 0.5]),
        ("size", 1, [0.9, 0.1]),
        ("sqrt", 1, [0.75, 0.25]),  # 3 : 1
        ("temperature", 1, [0.75, 0.25]),  # temperature 2 is the square root
        ("annealed", 1, [0.9, 0.1]),  # starts as size
        ("annealed", 5, [9**0.2 / (9**0.2 + 1), 1 / (9**0.2 + 1)]),  # ends at the power 0.2
        ("annealed", 3, [9**0.6 / (9**0.6 + 1), 1 / (9**0.6 + 1)]),  # half-way: 1 - 0.8 * 2/4
    ],
)
def test_shares_by_policy(policy: str, epoch: int, expected: list[float]):
    plan = Plan(policy, epochs=5, temperature=2.0)
    assert shares([900, 100], plan, epoch) == pytest.approx(expected)


def test_annealed_sampling_of_one_epoch_is_by_size():
    assert shares([900, 100], Plan("annealed", epochs=1), 1) == pytest.approx([0.9, 0.1])


SIZES = st.lists(st.integers(1, 50), min_size=1, max_size=5)


@given(SIZES, st.sampled_from(sorted(POLICIES)), st.integers(1, 4))
def test_an_epoch_has_as_many_rows_as_there_are(sizes: list[int], policy: str, epoch: int):
    plan = Plan(policy, epochs=4)
    assert counts(sizes, plan, epoch).sum() == sum(sizes)
    drawn = epoch_rows(sizes, plan, epoch)
    assert [len(rows) for rows in drawn] == counts(sizes, plan, epoch).tolist()
    assert all(
        (rows >= 0).all() and (rows < size).all() for rows, size in zip(drawn, sizes, strict=True)
    )


@given(SIZES, st.integers(1, 4))
def test_by_size_every_row_comes_once_an_epoch(sizes: list[int], epoch: int):
    for rows, size in zip(epoch_rows(sizes, Plan("size"), epoch), sizes, strict=True):
        assert sorted(rows.tolist()) == list(range(size))


def test_no_row_comes_again_before_all_others_of_its_pair():
    plan = Plan("uniform", seed=3)
    seen = [
        np.concatenate([epoch_rows([90, 10], plan, e)[pair] for e in (1, 2, 3)]) for pair in (0, 1)
    ]
    assert len(seen[0]) == len(seen[1]) == 150  # half of 100, three times
    assert sorted(seen[0][:90].tolist()) == list(range(90))  # across the end of the first epoch
    assert np.bincount(seen[1]).tolist() == [15] * 10


def test_epochs_and_seeds_differ_and_repeat():
    one = epoch_rows([30], Plan(seed=1), 1)[0].tolist()
    assert one == epoch_rows([30], Plan(seed=1), 1)[0].tolist()
    assert one != epoch_rows([30], Plan(seed=1), 2)[0].tolist()
    assert one != epoch_rows([30], Plan(seed=2), 1)[0].tolist()


@st.composite
def shapes(draw: Any) -> tuple[np.ndarray, np.ndarray]:
    count = draw(st.integers(1, 60))
    widths = draw(st.lists(st.integers(1, 40), min_size=count, max_size=count))
    units = draw(st.lists(st.sampled_from([1, 1, 2]), min_size=count, max_size=count))
    return np.array(widths), np.array(units)


@given(shapes(), st.none() | st.integers(80, 200), st.none() | st.integers(1, 9), st.integers(1, 3))
def test_every_row_is_in_one_batch_and_batches_fit(
    shape: tuple[np.ndarray, np.ndarray], tokens: int | None, sequences: int | None, processes: int
):
    widths, units = shape
    budget = Budget(tokens, sequences, processes)
    batches = make_batches(widths, units, budget, np.random.default_rng(0))
    assert len(batches) % processes == 0
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(widths)))
    for batch in filter(len, batches):
        used = int(units[batch].sum())
        # the parts of a global batch are dealt out row by row: one row of two may come on top
        assert sequences is None or used <= max(sequences, 2) + 1
        assert tokens is None or used <= max(tokens // int(widths[batch].max()), 2) + 1


@given(shapes(), st.integers(1, 4))
def test_two_processes_share_what_one_with_twice_the_budget_takes(
    shape: tuple[np.ndarray, np.ndarray], size: int
):
    widths, _ = shape
    ones = np.ones_like(widths)
    one = make_batches(widths, ones, Budget(None, 2 * size, 1), np.random.default_rng(5))
    two = make_batches(widths, ones, Budget(None, size, 2), np.random.default_rng(5))
    assert [
        set(a.tolist()) | set(b.tolist()) for a, b in zip(two[::2], two[1::2], strict=True)
    ] == [set(batch.tolist()) for batch in one]
    assert all(len(batch) <= size for batch in two)


def test_batches_of_like_length_waste_little():
    generator = np.random.default_rng(0)
    widths = generator.integers(10, 120, 5000)
    ones = np.ones_like(widths)
    batches = make_batches(widths, ones, Budget(4096, None), generator)
    assert padding(widths, ones, batches) < 0.03
    shuffled = [generator.permutation(5000)[at : at + 32] for at in range(0, 5000, 32)]
    assert padding(widths, ones, shuffled) > 0.3, "the measure sees waste where there is some"


def test_a_row_that_fits_nowhere_is_told():
    with pytest.raises(DataError, match="a row of 90 tokens does not fit in --max-tokens 64"):
        make_batches(np.array([10, 90]), np.array([1, 1]), Budget(64, None), None)
