"""Which rows an epoch has, and in which batches: pure functions of sizes, seed and epoch.

Nothing here remembers anything, so a run that was stopped goes on with the very same batches.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mtlprune.errors import DataError

# p_t is proportional to N_t to this power; epoch counts from 1.
Exponent = Callable[[int, int, float], float]
POLICIES: dict[str, Exponent] = {
    "uniform": lambda epoch, epochs, temperature: 0.0,
    "size": lambda epoch, epochs, temperature: 1.0,
    "sqrt": lambda epoch, epochs, temperature: 0.5,
    "temperature": lambda epoch, epochs, temperature: 1.0 / temperature,
    "annealed": lambda epoch, epochs, temperature: (
        1.0 - 0.8 * (min(epoch, epochs) - 1) / (epochs - 1) if epochs > 1 else 1.0
    ),
}


@dataclass(frozen=True)
class Plan:
    """How to sample: the policy, its settings, and what all draws depend on."""

    policy: str = "size"
    seed: int = 1
    epochs: int = 1  # of the whole run; only annealed sampling asks
    temperature: float = 5.0


def shares(sizes: Sequence[int], plan: Plan, epoch: int) -> np.ndarray:
    """Each pair's share of an epoch's rows."""
    exponent = POLICIES[plan.policy](epoch, plan.epochs, plan.temperature)
    weights = np.asarray(sizes, float) ** exponent
    return weights / weights.sum()


def counts(sizes: Sequence[int], plan: Plan, epoch: int) -> np.ndarray:
    """Rows of each pair in an epoch, which has as many in all as there are rows.

    Rounded by largest remainder; of equal remainders the earlier pair's counts.
    """
    exact = shares(sizes, plan, epoch) * sum(sizes)
    whole = np.floor(exact + 1e-9).astype(np.int64)
    missing = sum(sizes) - int(whole.sum())
    order = np.argsort(whole - exact, kind="stable")
    whole[order[:missing]] += 1
    return whole


def epoch_rows(sizes: Sequence[int], plan: Plan, epoch: int) -> list[np.ndarray]:
    """The row numbers drawn from each pair in an epoch, with repetitions where it has too few.

    Each pair goes through one shuffled pass after another; an epoch goes on where the last one
    stopped, so no row is drawn again before all others were.
    """
    before = sum((counts(sizes, plan, past) for past in range(1, epoch)), np.zeros(len(sizes), int))
    drawn = counts(sizes, plan, epoch)
    return [
        _stream(size, int(start), int(count), (plan.seed, pair))
        for pair, (size, start, count) in enumerate(zip(sizes, before, drawn, strict=True))
    ]


def _stream(size: int, start: int, count: int, seed: tuple[int, int]) -> np.ndarray:
    """``count`` elements from ``start`` on of an endless series of permutations."""
    if count == 0:
        return np.zeros(0, np.int64)
    first, last = start // size, (start + count - 1) // size
    passes = [
        np.random.default_rng((*seed, turn)).permutation(size) for turn in range(first, last + 1)
    ]
    return np.concatenate(passes)[start - first * size :][:count]


@dataclass(frozen=True)
class Budget:
    """What one process takes at a time; None is no limit."""

    tokens: int | None  # sequences times the longest of them
    sequences: int | None
    processes: int = 1


def make_batches(
    widths: np.ndarray, units: np.ndarray, budget: Budget, generator: np.random.Generator | None
) -> list[np.ndarray]:
    """Rows in batches of like length, each within the budget of one process.

    ``widths`` is the longest sequence of a row, ``units`` how many sequences it has. Consecutive
    runs of ``processes`` batches are the parts of one global batch: what one process with as many
    times the budget would have taken as one. With a generator, rows of one width and the global
    batches are shuffled; without, rows stay in order of width.
    """
    if not len(widths):
        return []
    if budget.tokens is not None and int((widths * units).max()) > budget.tokens:
        worst = int((widths * units).max())
        raise DataError(
            f"a row of {worst} tokens does not fit in --max-tokens {budget.tokens}; give at least "
            f"{worst}, or prepare the data with a smaller --max-length"
        )
    noise = generator.random(len(widths)) if generator else np.arange(len(widths))
    order = np.lexsort((noise, -widths))
    groups = _cut(widths[order], units[order], budget)
    whole = [order[start:end] for start, end in groups]
    if generator:
        whole = [whole[at] for at in generator.permutation(len(whole))]
    dealt = [batch[np.argsort(-units[batch], kind="stable")] for batch in whole]
    return [batch[part :: budget.processes] for batch in dealt for part in range(budget.processes)]


def _cut(widths: np.ndarray, units: np.ndarray, budget: Budget) -> list[tuple[int, int]]:
    """Bounds of the global batches over rows sorted from wide to narrow."""
    total = np.concatenate([[0], np.cumsum(units)])
    largest = int(units.max())
    bounds, start = [], 0
    while start < len(widths):
        room = budget.sequences or len(widths) * largest
        if budget.tokens is not None:
            room = min(room, budget.tokens // int(widths[start]))
        room = max(room, largest) * budget.processes
        end = int(np.searchsorted(total, total[start] + room, side="right")) - 1
        end = max(end, start + 1)
        bounds.append((start, end))
        start = end
    return bounds


def padding(widths: np.ndarray, units: np.ndarray, batches: Sequence[np.ndarray]) -> float:
    """The share of padding in batches of rows whose sequences are all as wide as their row."""
    padded = sum(int(widths[b].max()) * int(units[b].sum()) for b in batches if len(b))
    return 1.0 - int((widths * units).sum()) / padded if padded else 0.0
