"""Plain text: rows with the starts of their words, so that whole words can be masked."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mtlprune.data.encoding.rows import Ragged, Rows
from mtlprune.data.encoding.sentence import SentenceEncoder
from mtlprune.data.examples import Example


class MlmEncoder(SentenceEncoder):
    """``words`` holds the position of the first sub-word of each word; there is no target."""

    extra = {"words": np.int32}  # noqa: RUF012

    def encodings(self, examples: Sequence[Example]) -> list[Any]:
        """The slower call: the fast one does not know which word a token belongs to."""
        return list(self.backend.encode_batch([self.texts(example) for example in examples]))

    def encode(self, examples: Sequence[Example]) -> Rows:
        encodings = self.encodings(examples)
        rows = self.pack(examples, encodings)
        rows.columns["words"] = Ragged.of([word_starts(e) for e in encodings], np.int32)
        return rows


def word_starts(encoding: Any) -> list[int]:
    """Positions at which a word begins; special tokens belong to none."""
    starts, previous = [], None
    for position, word in enumerate(zip(encoding.word_ids, encoding.sequence_ids, strict=True)):
        if word[0] is not None and word != previous:
            starts.append(position)
        previous = word
    return starts
