"""One question, several choices: a row holds the sequences of all choices, end to end.

``parts`` has the length of each; ``segment`` one entry each; ``target`` the right choice.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from mtlprune.data.encoding.rows import Ragged, Rows
from mtlprune.data.encoding.sentence import SentenceEncoder
from mtlprune.data.examples import Example


class ChoiceEncoder(SentenceEncoder):
    extra = {"parts": np.int32}  # noqa: RUF012

    def encode(self, examples: Sequence[Example]) -> Rows:
        pairs = [
            (" ".join(example[name] for name in self.spec.fields), example[choice])
            for example in examples
            for choice in self.spec.choices
        ]
        encodings = self.backend.encode_batch_fast(pairs)
        width = len(self.spec.choices)
        groups = [encodings[at : at + width] for at in range(0, len(encodings), width)]
        columns = {
            "tokens": Ragged.of([[i for e in g for i in e.ids] for g in groups], self.token_type),
            "segment": Ragged.of([self.segments(group) for group in groups], np.int32),
            "target": Ragged.of([self.target(example) for example in examples], np.int32),
            "parts": Ragged.of([[len(e) for e in group] for group in groups], np.int32),
        }
        cut = sum(any(e.overflowing for e in group) for group in groups)
        return Rows(
            list(range(len(examples))),
            columns,
            Counter(truncated=cut) if cut else Counter(),
            Counter(example["label"] for example in examples if "label" in example),
        )
