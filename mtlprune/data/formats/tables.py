"""Rows of cells: XNLI, PAWS-X, the GLUE files, and plain TSV and CSV."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mtlprune.data.formats.items import (
    BLANK,
    Fault,
    Item,
    LeftOut,
    Reader,
    Record,
    line_items,
    not_utf8,
)
from mtlprune.data.formats.source import NotUtf8, SourceFile
from mtlprune.specs import TaskSpec


@dataclass(frozen=True)
class Table:
    """Where a table keeps what a task needs, by the names of its header.

    Empty ``fields`` and ``target`` stand for the task's own names. ``bare`` lists the columns of a
    file without header; None: the fields, then the target.
    """

    fields: tuple[str, ...] = ()
    target: str = ""
    bare: tuple[str, ...] | None = None
    quoted: bool = False
    untranslated: Mapping[str, str] = field(default_factory=dict)  # text: why it is left out

    def example(self, spec: TaskSpec) -> str:
        """A right line of a file with these columns, or what its header has to have."""
        if not self.bare:
            named = ", ".join((*self.fields, self.target))
            return f"a header with {named} among its columns, and as many cells as it has"
        label = next((key for key in spec.spellings if spec.spellings[key] != key), None)
        label = label or (spec.labels[0] if spec.labels else "2.5")
        return "<TAB>".join(label if name == self.target else f"some {name}" for name in self.bare)


TSV = Table()
CSV = Table(quoted=True)
# Some rows of PAWS-X were never translated; both sentences or one of them read NS.
PAWSX = Table(untranslated={"NS": "untranslated text NS"})

TWO = ("sentence1", "sentence2")
WITH_HEADER: tuple[str, ...] = ()
GLUE = {
    "cola": Table(("sentence",), "label", bare=("source", "label", "mark", "sentence")),
    "sst2": Table(("sentence",), "label", WITH_HEADER),
    "mrpc": Table(("#1 String", "#2 String"), "Quality", WITH_HEADER),
    "qqp": Table(("question1", "question2"), "is_duplicate", WITH_HEADER),
    "stsb": Table(TWO, "score", WITH_HEADER),
    "mnli": Table(TWO, "gold_label", WITH_HEADER),
    "qnli": Table(("question", "sentence"), "label", WITH_HEADER),
    "rte": Table(TWO, "label", WITH_HEADER),
    "wnli": Table(TWO, "label", WITH_HEADER),
}
ID_NAMES = ("id", "index", "pairID")
HEADER_WORDS = ("label", "score", "gold_label", "similarity_score")

Row = tuple[int, list[str]]


@dataclass(frozen=True)
class Columns:
    """A table resolved for one file: column numbers of what a task needs."""

    texts: tuple[int, ...]
    target: int | None
    ident: int | None
    width: int
    names: str  # for messages


def reader(table: Table) -> Reader:
    """The reader of files laid out as ``table``."""

    def read(source: SourceFile, spec: TaskSpec, language: str, labelled: bool) -> Iterator[Item]:
        columns: Columns | None = None
        for row in _rows(source, table.quoted):
            if not isinstance(row, tuple):
                yield row
                continue
            number, cells = row
            if columns is None:
                columns, is_header = _resolve(table, spec, cells, labelled)
                if columns is None:
                    yield _no_header(table, spec, number)
                    return
                if is_header:
                    continue
            yield _item(number, cells, columns, spec, table)

    return read


def _rows(source: SourceFile, quoted: bool) -> Iterator[Row | Fault | LeftOut]:
    return _quoted_rows(source) if quoted else _plain_rows(source)


def _plain_rows(source: SourceFile) -> Iterator[Row | Fault | LeftOut]:
    return line_items(source, lambda number, text: (number, text.split("\t")))


def _quoted_rows(source: SourceFile) -> Iterator[Row | Fault | LeftOut]:
    undecodable: list[Fault] = []
    number = 1

    def texts() -> Iterator[str]:
        for at, text in source.lines():
            if isinstance(text, NotUtf8):
                undecodable.append(not_utf8(at, text))
            else:
                yield text + "\n"

    rows = csv.reader(texts(), strict=True)
    while True:
        try:
            cells = next(rows, None)
        except csv.Error as problem:
            yield Fault(number, "broken quotation", f"{problem} (a row starts at this line)")
            cells = []
        else:
            if cells is None:
                break
            yield (number, cells) if any(cell.strip() for cell in cells) else BLANK
        yield from undecodable
        undecodable.clear()
        number = rows.line_num + 1
    yield from undecodable


def _resolve(
    table: Table, spec: TaskSpec, cells: list[str], labelled: bool
) -> tuple[Columns | None, bool]:
    """Column numbers from the first row, and whether that row is a header."""
    fields = table.fields or spec.fields
    target = table.target or spec.target
    names = [cell.strip() for cell in cells]
    if set(fields) <= set(names):
        return _columns(names, fields, target), True
    if table.bare == WITH_HEADER:
        return None, False
    bare = list(table.bare or (*fields, target))
    if not labelled and len(cells) == len(fields) and table.bare is None:
        bare = list(fields)
    columns = _columns(bare, fields, target)
    last = columns.target
    is_header = last is not None and last < len(names) and names[last].lower() in HEADER_WORDS
    return columns, is_header


def _columns(names: list[str], fields: Iterable[str], target: str) -> Columns:
    return Columns(
        tuple(names.index(name) for name in fields),
        names.index(target) if target in names else None,
        next((names.index(name) for name in ID_NAMES if name in names), None),
        len(names),
        ", ".join(names),
    )


def _item(number: int, cells: list[str], columns: Columns, spec: TaskSpec, table: Table) -> Item:
    if len(cells) != columns.width:
        return Fault(
            number,
            "wrong number of columns",
            f"{len(cells)} columns, expected {columns.width} ({columns.names})",
        )
    texts = [cells[at] for at in columns.texts]
    for text in texts:
        if text in table.untranslated:
            return LeftOut(table.untranslated[text])
    fields = dict(zip(spec.fields, texts, strict=True))
    if columns.target is not None:
        fields[spec.target] = cells[columns.target]
    if columns.ident is not None:
        fields["id"] = cells[columns.ident]
    return Record(number, fields)


def _no_header(table: Table, spec: TaskSpec, number: int) -> Fault:
    wanted = ", ".join((*(table.fields or spec.fields), table.target or spec.target))
    return Fault(number, "no header", f"the first row must be a header with the columns {wanted}")
