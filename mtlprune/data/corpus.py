"""Running text out of raw data, to train tokenizers on."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from mtlprune.data import formats
from mtlprune.data.examples import BadExample, Example, check
from mtlprune.data.formats.items import Fault, Record, place_text
from mtlprune.data.store import SPLITS
from mtlprune.errors import DataError, SpecError
from mtlprune.specs import TASKS, TaskLanguage, TaskSpec

FORMAT_OF_SUFFIX = {".jsonl": "jsonl", ".txt": "text"}


def raw_files(folder: Path) -> dict[str, dict[str, Path]]:
    """The files ``<pair>/<split>.jsonl`` and ``.txt`` of a raw folder, by pair and split."""
    found: dict[str, dict[str, Path]] = {}
    for split in SPLITS:
        for path in sorted(folder.glob(f"*/{split}.*")):
            if path.suffix in FORMAT_OF_SUFFIX and not path.parent.name.startswith("."):
                found.setdefault(path.parent.name, {})[split] = path
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder")
    if not found:
        raise DataError(
            f"{folder}: no folders with raw files in it; it should look like what 'mtlprune "
            f"world' makes: <pair>/train.jsonl, valid.jsonl, test.jsonl (or .txt for plain text)"
        )
    return {pair: found[pair] for pair in sorted(found)}


def training_files(places: Sequence[Path]) -> list[Path]:
    """Files as given; of a raw folder, those for training. Never test data."""
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            found += [files["train"] for files in raw_files(place).values() if "train" in files]
        else:
            found.append(place)
    if not found:
        raise DataError(f"{', '.join(map(str, places))}: no training files there")
    return found


def texts(path: Path) -> Iterator[str]:
    """All texts of a file: of a pair's raw file by its task, of any other file line by line."""
    spec, name = _reading(path)
    for item in formats.read(name, formats.SourceFile(path), spec, "", labelled=False):
        if isinstance(item, Fault):
            raise DataError(f"{path}, {place_text(item.place)}: {item.detail}")
        if isinstance(item, Record):
            try:
                example = check(item.fields, spec, labelled=False, ident="")
            except BadExample as problem:
                raise DataError(f"{path}, {place_text(item.place)}: {problem}") from None
            yield from _texts_of(example, spec)


def _reading(path: Path) -> tuple[TaskSpec, str]:
    if path.suffix != ".jsonl":
        return TASKS["mlm"], "text"
    try:
        return TASKS[TaskLanguage.parse(path.parent.name).task], "jsonl"
    except SpecError as problem:
        raise DataError(
            f"{path}: a .jsonl file must lie in a folder named after its pair, such as nli-es, for "
            f"its fields to be known; or give plain text, one sentence a line"
        ) from problem


def _texts_of(example: Example, spec: TaskSpec) -> Iterator[str]:
    for name in (*spec.fields, *spec.choices):
        value = example.get(name)
        if value is not None:
            yield " ".join(value) if isinstance(value, list) else value
