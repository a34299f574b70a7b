"""Plain text: one sentence a line, or two with a tab between."""

from collections.abc import Iterator

from mtlprune.data.formats.items import Fault, Item, Record, line_items
from mtlprune.data.formats.source import SourceFile
from mtlprune.specs import TaskSpec


def read(source: SourceFile, spec: TaskSpec, language: str, labelled: bool) -> Iterator[Item]:
    most = len(spec.fields)

    def item(number: int, text: str) -> Item:
        texts = text.split("\t")
        if len(texts) > most:
            reason = f"{len(texts) - 1} tabs in a line, at most {most - 1} expected"
            return Fault(number, "wrong number of columns", reason)
        return Record(number, dict(zip(spec.fields, texts, strict=False)))

    return line_items(source, item)
