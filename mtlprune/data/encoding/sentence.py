"""One text or two, one label or score: a row an example."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from mtlprune.data.encoding.rows import Encoder, Ragged, Rows
from mtlprune.data.examples import Example


class SentenceEncoder(Encoder):
    """``target`` is the label's number; nothing in an unlabelled row."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.backend.enable_truncation(self.limits.max_length, strategy="longest_first")

    def encode(self, examples: Sequence[Example]) -> Rows:
        return self.pack(examples, self.encodings(examples))

    def encodings(self, examples: Sequence[Example]) -> list[Any]:
        texts = [self.texts(example) for example in examples]
        return list(self.backend.encode_batch_fast(texts))

    def pack(self, examples: Sequence[Example], encodings: Sequence[Any]) -> Rows:
        columns = {
            "tokens": Ragged.of([encoding.ids for encoding in encodings], self.token_type),
            "segment": Ragged.of_numbers(self.segments(encodings), np.int32),
            "target": Ragged.of([self.target(example) for example in examples], self.target_type),
        }
        cut = sum(1 for encoding in encodings if encoding.overflowing)
        return Rows(
            list(range(len(examples))),
            columns,
            Counter(truncated=cut) if cut else Counter(),
            Counter(example["label"] for example in examples if "label" in example),
        )

    def texts(self, example: Example) -> Any:
        """A text, or a tuple of two, as the tokenizers library wants it."""
        texts = tuple(example[name] for name in self.spec.fields if name in example)
        return texts if len(texts) > 1 else texts[0]

    def target(self, example: Example) -> Sequence[float]:
        label = example.get("label")
        return () if label is None else (self.label_ids[label],)


class RegressionEncoder(SentenceEncoder):
    """``target`` is the score."""

    target_type = np.float64

    def target(self, example: Example) -> Sequence[float]:
        score = example.get("score")
        return () if score is None else (score,)
