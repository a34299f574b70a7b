"""Kinds of task: each with its decoder, its loss of a row, and its way back to answers."""

from mtlprune.kinds.choice import ChoiceKind
from mtlprune.kinds.kind import Item, Kind, Part, Shape
from mtlprune.kinds.mlm import MlmKind
from mtlprune.kinds.sentence import RegressionKind, SentenceKind
from mtlprune.kinds.span import SpanKind
from mtlprune.kinds.token import TokenKind

__all__ = ["KINDS", "Item", "Kind", "Part", "Shape"]

KINDS: dict[str, Kind] = {
    "sentence": SentenceKind(),
    "regression": RegressionKind(),
    "token": TokenKind(),
    "span": SpanKind(),
    "choice": ChoiceKind(),
    "mlm": MlmKind(),
}
