"""Raw file formats: a table of readers, each a stream of records, faults and left-out items."""

import difflib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mtlprune.data.formats import conll, jsonl, mtod, plain, squad, tables
from mtlprune.data.formats.items import Fault, Item, LeftOut, Reader, Record
from mtlprune.data.formats.source import SourceFile
from mtlprune.errors import DataError
from mtlprune.specs import BENCHMARKS, TASKS, TaskSpec

__all__ = ["FORMATS", "Fault", "Item", "LeftOut", "Record", "SourceFile", "find_format", "read"]


@dataclass(frozen=True)
class Format:
    """A raw format: its reader, the kinds of task it can hold, and what a right line looks like."""

    reader: Reader
    kinds: tuple[str, ...]
    example: Callable[[TaskSpec], str]
    about: str
    task: str = ""  # of formats that hold the labels of one task only


def _row(spec: TaskSpec, mark: str = "<TAB>") -> str:
    """A line of a table: the task's fields and its answer."""
    answer = spec.labels[0] if spec.labels else f"{sum(spec.bounds or (0, 0)) / 2:g}"
    return mark.join([*(f"some {name}" for name in spec.fields), answer])


def _tag(spec: TaskSpec) -> str:
    """A tag that the name of a town may have."""
    return next((tag for tag in ("B-LOC", "PROPN") if tag in spec.labels), spec.labels[0])


def _word(spec: TaskSpec, mark: str = "<TAB>") -> str:
    return f"Lima{mark}{_tag(spec)}"


def _object(spec: TaskSpec) -> str:
    """A JSON object with the task's fields."""
    example: dict[str, Any] = dict.fromkeys(("id", *spec.fields, *spec.choices), "...")
    answers: dict[str, Any] = {
        "label": spec.labels[0] if spec.labels else "",
        "score": 2.5,
        "tags": [_tag(spec)] if spec.labels else [],
        "answers": [{"text": "Lima", "answer_start": 8}],
    }
    if spec.kind == "token":
        example[spec.fields[0]] = ["Lima"]
    return json.dumps(example | {key: answers[key] for key in (spec.target,) if key})


TEXT_KINDS = ("sentence", "regression")
ALL_KINDS = (*TEXT_KINDS, "token", "span", "choice", "mlm")
SQUAD_EXAMPLE = (
    '{"data": [{"paragraphs": [{"context": "...", "qas": [{"id": "1", "question": "...", '
    '"answers": [{"text": "Lima", "answer_start": 8}]}]}]}]}'
)
MTOD_EXAMPLE = (
    'set_alarm<TAB>8:15:datetime<TAB>wake me at 7 am<TAB>en_XX<TAB>{"tokenizations": ...}'
)

FORMATS = {
    "xnli": Format(
        tables.reader(tables.TSV),
        ("sentence",),
        _row,
        "premise, hypothesis, label; tabs, no quotation rules; header optional",
    ),
    "pawsx": Format(
        tables.reader(tables.PAWSX),
        ("sentence",),
        _row,
        "sentence1, sentence2, 0 or 1; tabs; with or without header and id column",
    ),
    "panx": Format(
        conll.reader(conll.two_columns),
        ("token",),
        _word,
        "token, tab, tag; blank line between sentences; prefixes like es:Lima are removed",
    ),
    "conll": Format(
        conll.reader(conll.many_columns),
        ("token",),
        lambda spec: _word(spec, " ... "),
        "token first, tag last, tabs or spaces between; blank line between sentences",
    ),
    "udpos": Format(
        conll.reader(conll.two_columns),
        ("token",),
        _word,
        "token, tab, tag; blank line between sentences",
    ),
    "squad": Format(
        squad.read,
        ("span",),
        lambda spec: SQUAD_EXAMPLE,
        "SQuAD 1.1 and 2.0, XQuAD, MLQA, TyDiQA-GoldP",
    ),
    "mtod": Format(
        mtod.read,
        ("token",),
        lambda spec: MTOD_EXAMPLE,
        "multilingual task-oriented dialogue (slot filling)",
    ),
    "jsonl": Format(
        jsonl.read,
        ALL_KINDS,
        _object,
        "one JSON object a line, with the task's fields",
    ),
    "tsv": Format(
        tables.reader(tables.TSV),
        TEXT_KINDS,
        _row,
        "the task's fields and its label or score; tabs; header optional",
    ),
    "csv": Format(
        tables.reader(tables.CSV),
        TEXT_KINDS,
        lambda spec: _row(spec, ","),
        "the task's fields and its label or score; commas, quoted as spreadsheets do",
    ),
    "text": Format(
        plain.read,
        ("mlm",),
        lambda spec: "one sentence a line, or a pair of sentences<TAB>separated by a tab",
        "plain text",
    ),
}
FORMATS |= {
    f"glue:{name}": Format(
        tables.reader(table),
        (TASKS[name].kind,),
        table.example,
        f"GLUE's file of {name}",
        task=name,
    )
    for name, table in tables.GLUE.items()
}


def holds(row: Format, spec: TaskSpec) -> bool:
    """Whether a format can hold examples of a task. GLUE's files hold the labels of one task."""
    if spec.kind not in row.kinds:
        return False
    same_labels = not row.task or set(spec.labels) == set(TASKS[row.task].labels)
    own_task = spec.name not in TASKS and len(spec.fields) == len(TASKS[row.task or "nli"].fields)
    return same_labels or own_task


def find_format(name: str, spec: TaskSpec) -> Format:
    """The row of a format's name, if it can hold examples of this task."""
    fitting = [key for key, row in FORMATS.items() if holds(row, spec)]
    if name not in FORMATS:
        known = {key.partition(":")[2]: key for key in FORMATS if ":" in key}
        known |= {source: form for source, (_, form) in BENCHMARKS.items()}
        close = [known[name]] if name in known else difflib.get_close_matches(name, FORMATS, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise DataError(f"--format {name}: no such format (formats: {', '.join(FORMATS)}){hint}")
    if name not in fitting:
        raise DataError(
            f"--format {name} does not hold examples of task {spec.name} (kind {spec.kind}); "
            f"formats that do: {', '.join(fitting)}"
        )
    return FORMATS[name]


def read(
    name: str, source: SourceFile, spec: TaskSpec, language: str, labelled: bool
) -> Iterator[Item]:
    """Stream a raw file. ``labelled``: an item without its answer is a fault."""
    row = find_format(name, spec)
    other = _other_look(source, name)
    if other:
        raise DataError(f"{source.path}: --format {name}, but {other}")
    return row.reader(source, spec, language, labelled)


def _other_look(source: SourceFile, name: str) -> str:
    """What the first bytes say against the format, or nothing."""
    head = source.head()
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "this looks like UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE"
    if head.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        return "this looks like a compressed file; unpack it first"
    text = head.decode("utf-8", "ignore").lstrip("\ufeff \t\r\n")
    is_json = text.startswith(("{", "["))
    if is_json and '"paragraphs"' in text and name != "squad":
        return "this looks like SQuAD's JSON; did you mean --format squad?"
    if is_json and name not in ("jsonl", "squad"):
        return "this looks like JSON; did you mean --format jsonl (or squad)?"
    if not is_json and text and name in ("jsonl", "squad"):
        guess = "tabs between columns" if "\t" in text.split("\n")[0] else "plain text"
        return f"this does not start like JSON (it has {guess}); did you mean another format?"
    if name == "squad" and "\n{" in text and text.split("\n")[0].rstrip().endswith("}"):
        return "this looks like one JSON object a line; did you mean --format jsonl?"
    return ""
