"""JSON Lines: one object a line, with the names of the task's fields."""

import json
from collections.abc import Iterator

from mtlprune.data.formats.items import Fault, Item, Record, line_items
from mtlprune.data.formats.source import SourceFile
from mtlprune.specs import TaskSpec


def read(source: SourceFile, spec: TaskSpec, language: str, labelled: bool) -> Iterator[Item]:
    return line_items(source, _item)


def _item(number: int, text: str) -> Item:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as problem:
        return Fault(number, "not JSON", f"not JSON: {problem}")
    if not isinstance(fields, dict):
        return Fault(number, "not a JSON object", "a line must be one JSON object, {...}")
    return Record(number, fields)
