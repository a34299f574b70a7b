"""Words with a tag each: labels on first sub-words; long sentences in windows.

Windows overlap, and each word is owned by one of them: the one in which it has more context.
``words`` holds the positions of the words a row owns, in order, so the rows of an example together
have every word exactly once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
from tokenizers import Tokenizer as Backend

from mtlprune.data.encoding.rows import Encoder, Ragged, Rows
from mtlprune.data.examples import Example
from mtlprune.errors import TokenizerError

OVERLAP = 0.25  # of a window's room, shared with its neighbour
REMEMBERED = 200_000  # words

Pieces = list[list[int]]  # the sub-words of each word


@dataclass
class Window:
    """Words ``first`` to ``last`` of a sentence; it owns those from ``own`` to ``end``."""

    first: int
    last: int
    own: int
    end: int


class TokenEncoder(Encoder):
    """``target`` has the label number of each owned word; nothing in an unlabelled row.

    In a list of words, the sub-words of one do not depend on its neighbours (checked at the
    start), so each word is encoded once and remembered: much cheaper than whole sentences.
    """

    extra = {"words": np.int32}  # noqa: RUF012

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.backend = _with_prefix_space(self.backend)
        self.before, self.after = self._frame()
        self.room = self.limits.max_length - len(self.before) - len(self.after)
        self.known: dict[str, list[int]] = {}

    def encode(self, examples: Sequence[Example]) -> Rows:
        name = self.spec.fields[0]
        self._learn([example[name] for example in examples])
        rows = Rows([], {})
        tokens: list[list[int]] = []
        places: list[list[int]] = []
        targets: list[list[int]] = []
        for number, example in enumerate(examples):
            pieces = [self.known[word] for word in example[name]]
            tags = [self.label_ids[tag] for tag in example.get("tags", ())]
            for window in self._windows(pieces, rows):
                row, starts = self._row(pieces, window)
                tokens.append(row)
                places.append(starts)
                targets.append(tags[window.own : window.end])
                rows.example.append(number)
            rows.labels.update(example.get("tags", ()))
        rows.columns = {
            "tokens": Ragged.of(tokens, self.token_type),
            "segment": Ragged.of_numbers([len(row) for row in tokens], np.int32),
            "target": Ragged.of(targets, np.int32),
            "words": Ragged.of(places, np.int32),
        }
        return rows

    def _windows(self, pieces: Pieces, rows: Rows) -> list[Window]:
        counts = [len(word) for word in pieces]
        if sum(counts) <= self.room:
            return [Window(0, len(pieces), 0, len(pieces))]
        windows = plan_windows(counts, self.room)
        rows.notes["split into windows"] += len(windows) > 1
        too_long = sum(count > self.room for count in counts)  # words longer than a whole window
        rows.notes["truncated"] += too_long
        return windows

    def _row(self, pieces: Pieces, window: Window) -> tuple[list[int], list[int]]:
        """The tokens of a window, and where the words it owns begin."""
        words = pieces[window.first : window.last]
        inside = list(chain.from_iterable(words))[: self.room]
        starts = list(accumulate(map(len, words), initial=len(self.before)))
        owned = starts[window.own - window.first : window.end - window.first]
        return [*self.before, *inside, *self.after], owned

    def _learn(self, sentences: Sequence[Sequence[str]]) -> None:
        """Encode the words not met before. One that the tokenizer makes nothing of is unknown."""
        if len(self.known) > REMEMBERED:
            self.known.clear()
        new = list(set(chain.from_iterable(sentences)) - self.known.keys())
        for word, encoding in zip(new, self._encode_alone(new), strict=True):
            self.known[word] = encoding.ids or [self._unknown(word)]

    def _encode_alone(self, words: Sequence[str]) -> list[Any]:
        return list(
            self.backend.encode_batch_fast(
                [[word] for word in words], is_pretokenized=True, add_special_tokens=False
            )
        )

    def _unknown(self, word: str) -> int:
        unknown = self.tokenizer.special_ids["unk"]
        if unknown is None:
            raise TokenizerError(
                f"tokenizer {self.tokenizer.name} makes nothing of the word {word!r} and has no "
                f"unknown token to put in its place"
            )
        return unknown

    def _frame(self) -> tuple[list[int], list[int]]:
        """The special tokens before and after a sentence."""
        probe = ["Ana", "was", "in", "Łódź", "2"]
        whole = self.backend.encode(probe, is_pretokenized=True).ids
        inside = [piece for word in self._encode_alone(probe) for piece in word.ids]
        for start in range(len(whole) - len(inside) + 1):
            if whole[start : start + len(inside)] == inside:
                return whole[:start], whole[start + len(inside) :]
        raise TokenizerError(
            f"tokenizer {self.tokenizer.name} encodes a word differently beside other words, and "
            f"tags need words of their own; use another tokenizer for task {self.spec.name}"
        )


def plan_windows(counts: Sequence[int], room: int) -> list[Window]:
    """Cover words of ``counts`` sub-words each by overlapping windows of at most ``room``."""
    windows: list[Window] = []
    first = 0
    while True:
        last = _reach(counts, first, room)
        windows.append(Window(first, last, first, last))
        if last == len(counts):
            break
        first = max(_reach_back(counts, last, int(room * OVERLAP)), first + 1)
    for left, right in pairwise(windows):
        left.end = right.own = (right.first + left.last + 1) // 2
    return [window for window in windows if window.own < window.end]


def _reach(counts: Sequence[int], first: int, room: int) -> int:
    """The end of the longest run of words from ``first`` that fits, at least one word."""
    total, last = counts[first], first + 1
    while last < len(counts) and total + counts[last] <= room:
        total += counts[last]
        last += 1
    return last


def _reach_back(counts: Sequence[int], last: int, room: int) -> int:
    total, first = 0, last
    while first > 0 and total + counts[first - 1] <= room:
        total += counts[first - 1]
        first -= 1
    return first


def _with_prefix_space(backend: Backend) -> Backend:
    """Byte-level tokenizers see a word in a list as if no blank stood before it; mend that."""
    if "ByteLevel" not in repr(backend.pre_tokenizer):
        return backend
    text = backend.to_str()
    return Backend.from_str(text.replace('"add_prefix_space":false', '"add_prefix_space":true'))
