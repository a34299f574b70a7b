"""A question and its context, in overlapping windows, with the characters behind each token.

``context`` is the first context token and the one after the last; ``offsets`` has two numbers for
each of them, the characters it stands for. ``target`` is the first and last token of the answer,
-1 and -1 in a window that does not hold it (or when there is none); empty when unlabelled.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from mtlprune.data.encoding.rows import Encoder, Ragged, Rows
from mtlprune.data.examples import Example
from mtlprune.errors import TokenizerError

NOWHERE = (-1, -1)


class SpanEncoder(Encoder):
    extra = {"context": np.int32, "offsets": np.int32}  # noqa: RUF012

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        limits = self.limits
        room = limits.max_length - limits.max_question - self.tokenizer.specials[1]
        if not 0 <= limits.doc_stride < room:
            raise TokenizerError(
                f"rows of --max-length {limits.max_length} with questions of up to "
                f"--max-question {limits.max_question} tokens leave {max(room, 0)} for the "
                f"context, and neighbouring windows are to share --doc-stride "
                f"{limits.doc_stride} of them; give longer rows, shorter questions or a smaller "
                f"stride"
            )
        self.plain = self.tokenizer.backend()
        self.backend.enable_truncation(
            limits.max_length, stride=limits.doc_stride, strategy="only_second"
        )

    def encode(self, examples: Sequence[Example]) -> Rows:
        rows = Rows([], {})
        question, context = self.spec.fields
        pairs = [(self._short(e[question], rows.notes), e[context]) for e in examples]
        parts: dict[str, list[Any]] = {name: [] for name in ("ids", "context", "offsets", "target")}
        windows: list[Any] = []
        for number, encoding in enumerate(self.backend.encode_batch(pairs)):
            own = [encoding, *encoding.overflowing]
            rows.example += [number] * len(own)
            windows += own
            self._add(parts, own, examples[number], rows)
        rows.columns = {
            "tokens": Ragged.of(parts["ids"], self.token_type),
            "segment": Ragged.of_numbers(self.segments(windows), np.int32),
            "target": Ragged.of(parts["target"], np.int32),
            "context": Ragged.of(parts["context"], np.int32),
            "offsets": Ragged.of(parts["offsets"], np.int32),
        }
        return rows

    def _short(self, question: str, notes: Counter[str]) -> str:
        """The question, cut to its allowed tokens; bytes bound tokens, so most need no look."""
        limit = self.limits.max_question
        if len(question.encode()) <= limit:
            return question
        encoding = self.plain.encode(question, add_special_tokens=False)
        if len(encoding) <= limit:
            return question
        notes["question truncated"] += 1
        for _, end in encoding.offsets[limit - 1 :: -1]:
            cut = question[:end]  # the cut may itself make more tokens of its last word
            if len(self.plain.encode(cut, add_special_tokens=False)) <= limit:
                break
        return cut

    def _add(
        self, parts: dict[str, list[Any]], windows: list[Any], example: Example, rows: Rows
    ) -> None:
        answers = example.get("answers")
        found = False
        if len(windows) > 1:
            rows.notes["split into windows"] += 1
        for window in windows:
            start, end = context_range(window)
            offsets = window.offsets[start:end]
            parts["ids"].append(window.ids)
            parts["context"].append((start, end))
            parts["offsets"].append(list(chain.from_iterable(offsets)))
            if answers is None:
                parts["target"].append(())
                continue
            first, last = self._locate(answers, offsets, example, rows.notes, found)
            found = found or first >= 0
            parts["target"].append((first + start, last + start) if first >= 0 else NOWHERE)
        self._count(answers, found, rows)

    def _locate(
        self,
        answers: list[Example],
        offsets: list[tuple[int, int]],
        example: Example,
        notes: Counter[str],
        found: bool,
    ) -> tuple[int, int]:
        """The first and last token of the first placed answer, counted from the context's start."""
        answer = next((a for a in answers if a["answer_start"] >= 0), None)
        if answer is None:
            return NOWHERE
        text = answer["text"]
        begin, stop = answer["answer_start"], answer["answer_start"] + len(text)
        place = tokens_of(offsets, begin, stop)
        if place != NOWHERE and not found:
            decoded = decode_span(example[self.spec.fields[1]], offsets, *place)
            notes["answer ends inside a sub-word"] += decoded != text.strip()
        return place

    def _count(self, answers: list[Example] | None, found: bool, rows: Rows) -> None:
        if answers is None:
            return
        rows.labels["answer" if answers else "no answer"] += 1
        if answers and not found:
            rows.notes["answer longer than a window"] += 1
        if any(answer.get("moved") for answer in answers):
            rows.notes["answer_start corrected"] += 1


def context_range(window: Any) -> tuple[int, int]:
    """The positions of the second text's tokens in an encoded pair."""
    owners = window.sequence_ids
    if 1 not in owners:
        return len(owners), len(owners)
    return owners.index(1), len(owners) - owners[::-1].index(1)


def tokens_of(offsets: Sequence[tuple[int, int]], begin: int, stop: int) -> tuple[int, int]:
    """The tokens that cover characters ``begin`` to ``stop``, or ``NOWHERE`` when not all do."""
    if not offsets or offsets[0][0] > begin or offsets[-1][1] < stop:
        return NOWHERE
    first = next(i for i, (_, end) in enumerate(offsets) if end > begin)
    last = next(i for i in range(len(offsets) - 1, -1, -1) if offsets[i][0] < stop)
    return first, last


def decode_span(context: str, offsets: Sequence[tuple[int, int]], first: int, last: int) -> str:
    """The characters behind tokens ``first`` to ``last``; a token may bring the blank before it."""
    return context[offsets[first][0] : offsets[last][1]].strip()
