"""Scores of numbers: how well predicted ones go along with gold ones.

A correlation with something constant is undefined. Constant predictions order nothing, so it
counts as 0, as it does for MCC; NaN never leaves.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mtlprune.errors import DataError

Numbers = Sequence[float]
Vector = NDArray[np.float64]


def spearman_scores(gold: Numbers, predicted: Numbers, language: str) -> tuple[float, float]:
    """Correlation of the ranks (ties share their mean rank), and of the values."""
    g, p = _vector(gold, "gold"), _vector(predicted, "predicted")
    return _correlation(_ranks(g), _ranks(p)), _correlation(g, p)


def pearson_scores(gold: Numbers, predicted: Numbers, language: str) -> tuple[float, float]:
    """Correlation of the values, and of the ranks."""
    of_ranks, of_values = spearman_scores(gold, predicted, language)
    return of_values, of_ranks


def _vector(values: Numbers, side: str) -> Vector:
    vector = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(vector)
    if not finite.all():
        at = int(finite.argmin())
        raise DataError(
            f"{side} number of example {at} is {vector[at]}; correlations need finite numbers"
            + (": has training diverged?" if side == "predicted" else "")
        )
    return vector


def _ranks(vector: Vector) -> Vector:
    _, place, counts = np.unique(vector, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(mean_rank[place], dtype=np.float64)


def _correlation(a: Vector, b: Vector) -> float:
    if a.min() == a.max() or b.min() == b.max():
        return 0.0
    cosine = float(_direction(a) @ _direction(b))
    return 100 * min(1.0, max(-1.0, cosine))


def _direction(vector: Vector) -> Vector:
    """Centred and of length 1; scaled first, so that squares neither overflow nor vanish."""
    scaled = vector / np.abs(vector).max()
    centred = scaled - scaled.mean()
    return np.asarray(centred / np.linalg.norm(centred), dtype=np.float64)
