"""Examples become rows of numbers: one small encoder a kind, chosen by a table."""

from mtlprune.data.encoding.choice import ChoiceEncoder
from mtlprune.data.encoding.mlm import MlmEncoder
from mtlprune.data.encoding.rows import Encoder, Limits, Ragged, Rows
from mtlprune.data.encoding.sentence import RegressionEncoder, SentenceEncoder
from mtlprune.data.encoding.span import SpanEncoder
from mtlprune.data.encoding.token import TokenEncoder
from mtlprune.data.tokenizers import Tokenizer
from mtlprune.specs import TaskSpec

__all__ = ["ENCODERS", "Encoder", "Limits", "Ragged", "Rows", "make_encoder"]

ENCODERS: dict[str, type[Encoder]] = {
    "sentence": SentenceEncoder,
    "regression": RegressionEncoder,
    "token": TokenEncoder,
    "span": SpanEncoder,
    "choice": ChoiceEncoder,
    "mlm": MlmEncoder,
}


def make_encoder(spec: TaskSpec, tokenizer: Tokenizer, limits: Limits) -> Encoder:
    return ENCODERS[spec.kind](spec, tokenizer, limits)
