"""Multilingual task-oriented dialogue: slots as character spans, tokens in a JSON column."""

import json
from collections.abc import Iterator

from mtlprune.data.formats.items import Fault, Item, Record, line_items
from mtlprune.data.formats.source import SourceFile
from mtlprune.specs import TaskSpec


def read(source: SourceFile, spec: TaskSpec, language: str, labelled: bool) -> Iterator[Item]:
    return line_items(source, _item)


def _item(number: int, text: str) -> Item:
    cells = text.split("\t")
    if len(cells) != 5:
        return Fault(number, "wrong number of columns", f"{len(cells)} columns, expected 5")
    _, slots, utterance, _, tokenizations = cells
    try:
        spans = json.loads(tokenizations)["tokenizations"][0]["tokenSpans"]
        bounds = [(int(span["start"]), int(span["start"]) + int(span["length"])) for span in spans]
        named = [_slot(text) for text in slots.split(",") if text]
    except (ValueError, KeyError, IndexError, TypeError) as problem:
        return Fault(number, "broken slots or tokens", f"cannot read slots or tokens: {problem!r}")
    tokens = [utterance[start:end].strip() for start, end in bounds]
    return Record(number, {"tokens": tokens, "tags": _tags(bounds, named)})


def _slot(text: str) -> tuple[int, int, str]:
    start, end, name = text.split(":", 2)
    return int(start), int(end), name


def _tags(bounds: list[tuple[int, int]], slots: list[tuple[int, int, str]]) -> list[str]:
    """IOB2 tags: a token belongs to the slot that its first character lies in."""
    tags = []
    open_slot: tuple[int, int, str] | None = None
    for start, _ in bounds:
        slot = next((slot for slot in slots if slot[0] <= start < slot[1]), None)
        tags.append("O" if slot is None else f"{'I' if slot == open_slot else 'B'}-{slot[2]}")
        open_slot = slot
    return tags
