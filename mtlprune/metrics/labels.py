"""Scores of labels: one for each sentence, choice or masked token."""

from collections import Counter
from collections.abc import Hashable, Sequence
from math import sqrt

from mtlprune.errors import DataError

POSITIVE = 1  # GLUE's files and our task table both put the positive label second

Labels = Sequence[Hashable]


def accuracy_score(gold: Labels, predicted: Labels, language: str) -> tuple[float]:
    """Share of examples with the right label."""
    return (100 * _hits(gold, predicted) / len(gold),)


def f1_scores(gold: Labels, predicted: Labels, language: str) -> tuple[float, float]:
    """F1 of label id 1 among ids 0 and 1, and accuracy; F1 is 0 when nobody names label 1."""
    strange = (set(gold) | set(predicted)) - {0, POSITIVE}
    if strange:
        raise DataError(
            f"metric f1 scores label ids 0 and 1, of which 1 is the positive one; found "
            f"{', '.join(sorted(map(repr, strange))[:5])}; with more labels, use metric accuracy"
        )
    named = sum(label == POSITIVE for side in (gold, predicted) for label in side)
    both = sum(g == p == POSITIVE for g, p in zip(gold, predicted, strict=True))
    return (200 * both / named if named else 0.0, *accuracy_score(gold, predicted, language))


def mcc_score(gold: Labels, predicted: Labels, language: str) -> tuple[float]:
    """Matthews correlation for any number of labels; 0 when one side is constant.

    MCC = (n·hits - Σ g_k p_k) / √((n² - Σ g_k²)(n² - Σ p_k²)), with g_k and p_k the number of
    times label k is gold and predicted.
    """
    of_gold, of_predicted = Counter(gold), Counter(predicted)
    by_chance = sum(count * of_predicted[label] for label, count in of_gold.items())
    spread = _spread(of_gold) * _spread(of_predicted)
    covariance = len(gold) * _hits(gold, predicted) - by_chance
    return (100 * covariance / sqrt(spread) if spread else 0.0,)


def _hits(gold: Labels, predicted: Labels) -> int:
    return sum(bool(g == p) for g, p in zip(gold, predicted, strict=True))


def _spread(counts: Counter[Hashable]) -> int:
    return counts.total() ** 2 - sum(count**2 for count in counts.values())
