"""Scores of answers in words: SQuAD's rules, and MLQA's for each of its languages.

Both follow the published evaluation programs to the letter, so that XTREME gives the same
numbers. Two oddities come with that: when nothing of gold and prediction is left after
normalisation, the match is exact but F1 is 0; and MLQA's Arabic article is cut out everywhere,
also from the middle of a word. Questions without an answer, which XTREME does not have, are
scored as SQuAD 2.0 does.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from unicodedata import category

from mtlprune.errors import DataError

Answers = Sequence[Sequence[str]]  # of each question its gold texts; none: it has no answer
WORD_OR_HAN = re.compile(r"[\u4e00-\u9fa5]|[^\s\u4e00-\u9fa5]+")


@dataclass(frozen=True)
class AnswerRules:
    """What of an answer counts: its tokens in lower case, without punctuation and articles."""

    is_punctuation: Callable[[str], bool]
    articles: re.Pattern[str] | None
    split: Callable[[str], list[str]] = str.split

    def tokens(self, text: str) -> list[str]:
        kept = "".join(mark for mark in text.lower() if not self.is_punctuation(mark))
        return self.split(self.articles.sub(" ", kept) if self.articles else kept)


def _words(text: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(text.split())})\b")


def _ascii_punctuation(mark: str) -> bool:
    return mark in string.punctuation


def _any_punctuation(mark: str) -> bool:
    return mark in string.punctuation or category(mark).startswith("P")


ENGLISH_ARTICLES = _words("a an the")
SQUAD = AnswerRules(_ascii_punctuation, ENGLISH_ARTICLES)
MLQA = {
    "en": AnswerRules(_any_punctuation, ENGLISH_ARTICLES),
    "es": AnswerRules(_any_punctuation, _words("un una unos unas el la los las")),
    "hi": AnswerRules(_any_punctuation, None),
    "vi": AnswerRules(_any_punctuation, _words("của là cái chiếc những")),
    "de": AnswerRules(
        _any_punctuation,
        _words("ein eine einen einem eines einer der die das den dem des"),
    ),
    "ar": AnswerRules(_any_punctuation, re.compile("ال")),
    "zh": AnswerRules(_any_punctuation, None, WORD_OR_HAN.findall),
}


def span_scores(gold: Answers, predicted: Sequence[str], language: str) -> tuple[float, float]:
    """F1 and exact match by SQuAD's rules, which are English in every language."""
    return _means(gold, predicted, SQUAD)


def mlqa_scores(gold: Answers, predicted: Sequence[str], language: str) -> tuple[float, float]:
    """F1 and exact match by MLQA's rules for the language of the answers."""
    if language not in MLQA:
        raise DataError(
            f"metric mlqa_f1 has no rules for language '{language}' (it knows: {', '.join(MLQA)}); "
            f"for other languages use metric span_f1"
        )
    return _means(gold, predicted, MLQA[language])


def answer_scores(answers: Sequence[str], predicted: str, rules: AnswerRules) -> tuple[float, bool]:
    """F1 (0 to 1) and exact match of one prediction, each with the gold text that suits it best."""
    assert not isinstance(answers, str), "a question has a list of gold texts"
    found = rules.tokens(predicted)
    golds = [rules.tokens(answer) for answer in answers if answer.strip()]
    if not golds:
        return float(not found), not found
    return max(_overlap(gold, found) for gold in golds), found in golds


def _overlap(gold: list[str], found: list[str]) -> float:
    """F1 of two bags of tokens."""
    common = (Counter(gold) & Counter(found)).total()
    return 2 * common / (len(gold) + len(found)) if common else 0.0


def _means(gold: Answers, predicted: Sequence[str], rules: AnswerRules) -> tuple[float, float]:
    questions = zip(gold, predicted, strict=True)
    scores = [answer_scores(answers, text, rules) for answers, text in questions]
    f1 = fsum(f1 for f1, _ in scores)  # exact: the order of the examples does not matter
    return 100 * f1 / len(scores), 100 * sum(exact for _, exact in scores) / len(scores)
