"""Scores of predictions: every metric a task can name, in a table.

Scores are percentages, higher is better: 0 to 100, correlations and MCC -100 to 100. A metric is
computed once, from the complete lists of gold and predicted outcomes, never from averages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from mtlprune.errors import DataError
from mtlprune.metrics.answers import mlqa_scores, span_scores
from mtlprune.metrics.labels import accuracy_score, f1_scores, mcc_score
from mtlprune.metrics.numbers import pearson_scores, spearman_scores
from mtlprune.metrics.tags import entity_scores, token_scores

Outcomes = Sequence[Any]


@dataclass(frozen=True)
class Metric:
    """One way to score; ``keys`` name its values in logs, and the first enters the macro score."""

    name: str
    keys: tuple[str, ...]
    scores: Callable[[Outcomes, Outcomes, str], tuple[float, ...]]  # one value for each key

    @property
    def main(self) -> str:
        return self.keys[0]

    def compute(self, gold: Outcomes, predicted: Outcomes, language: str) -> dict[str, float]:
        """The score of all examples of a pair; ``gold[i]`` and ``predicted[i]`` are example i."""
        if len(gold) != len(predicted):
            raise DataError(
                f"metric {self.name}: {len(gold)} gold outcomes but {len(predicted)} predictions; "
                f"every example needs one of each, in the same order"
            )
        if len(gold) == 0:
            raise DataError(
                f"metric {self.name}: nothing to score, there is no example; "
                f"is the split empty, or did every example get filtered out?"
            )
        values = self.scores(gold, predicted, language)
        return {key: float(value) for key, value in zip(self.keys, values, strict=True)}


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", ("accuracy",), accuracy_score),
        Metric("f1", ("f1", "accuracy"), f1_scores),
        Metric("mcc", ("mcc",), mcc_score),
        Metric("spearman", ("spearman", "pearson"), spearman_scores),
        Metric("pearson", ("pearson", "spearman"), pearson_scores),
        Metric("entity_f1", ("f1", "precision", "recall"), entity_scores),
        Metric("token_accuracy", ("accuracy", "f1"), token_scores),
        Metric("span_f1", ("f1", "exact_match"), span_scores),
        Metric("mlqa_f1", ("f1", "exact_match"), mlqa_scores),
        Metric("masked_accuracy", ("accuracy",), accuracy_score),
    )
}


def macro(scores: Mapping[str, Mapping[str, float]], main_keys: Mapping[str, str]) -> float:
    """Mean over pairs of each pair's main value; ``main_keys`` says which value that is."""
    if not scores:
        raise DataError("macro score: nothing to score, there is no pair")
    missing = [pair for pair, values in scores.items() if main_keys.get(pair) not in values]
    if missing:
        raise DataError(f"macro score: no main value of {', '.join(missing)}")
    return fmean(values[main_keys[pair]] for pair, values in scores.items())
