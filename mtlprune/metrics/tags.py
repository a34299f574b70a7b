"""Scores of tag sequences, counted by seqeval as XTREME counts them (CoNLL rules, not strict)."""

import warnings
from collections.abc import Sequence

from mtlprune.errors import DataError
from mtlprune.metrics.labels import accuracy_score

TagSequences = Sequence[Sequence[str]]


def entity_scores(
    gold: TagSequences, predicted: TagSequences, language: str
) -> tuple[float, float, float]:
    """F1, precision and recall of entities over all sentences; 0 where there is no entity."""
    _check_lengths(gold, predicted)
    precision, recall, f1 = _of_chunks(gold, predicted)
    return f1, precision, recall


def token_scores(gold: TagSequences, predicted: TagSequences, language: str) -> tuple[float, float]:
    """Share of tokens with the right tag, and the F1 that XTREME reports for parts of speech.

    That F1 hands plain tags to seqeval, which takes their first letter for a prefix: neighbours
    with the same tag are one entity, and CCONJ and SCONJ are the same type.
    """
    _check_lengths(gold, predicted)
    tags = [[tag for sentence in side for tag in sentence] for side in (gold, predicted)]
    if not tags[0]:
        raise DataError("metric token_accuracy: nothing to score, no sentence has a token")
    _, _, f1 = _of_chunks(gold, predicted)
    return (*accuracy_score(tags[0], tags[1], language), f1)


def _check_lengths(gold: TagSequences, predicted: TagSequences) -> None:
    for at, (g, p) in enumerate(zip(gold, predicted, strict=True)):
        if len(g) != len(p):
            raise DataError(
                f"sentence {at} has {len(g)} gold tags but {len(p)} predicted ones; "
                f"every token needs one of each"
            )


def _of_chunks(gold: TagSequences, predicted: TagSequences) -> tuple[float, float, float]:
    # Imported late: it brings scikit-learn and scipy, half a second nobody else should wait.
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

    sides = [[list(sentence) for sentence in side] for side in (gold, predicted)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one for each tag without a prefix
        values = precision_recall_fscore_support(*sides, average="micro", zero_division=0)
    precision, recall, f1 = (100 * float(value) for value in values[:3])
    return precision, recall, f1
