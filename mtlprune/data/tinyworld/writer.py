"""The world on disk: one folder for each pair of task and language, whole or not at all."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from mtlprune.artifacts import new_folder
from mtlprune.data.tinyworld.entities import SPLITS
from mtlprune.data.tinyworld.generate import LANGUAGES, TASKS, check_count, check_known, examples
from mtlprune.errors import DataError

Progress = Callable[[int], None]
CHUNK = 1000  # lines written at once
_as_json = json.JSONEncoder(ensure_ascii=False).encode


def _as_text(row: dict[str, Any]) -> str:
    return "\t".join(row.values())


def write_world(
    out: Path,
    counts: Mapping[str, int],
    seed: int,
    languages: Sequence[str] = LANGUAGES,
    tasks: Sequence[str] = TASKS,
    progress: Progress | None = None,
) -> dict[str, dict[str, int]]:
    """Write ``out/<task>-<language>/<split>`` files; tell how many rows each has.

    A split with no count, or zero, gets no file. ``progress`` hears how many rows were added.
    """
    _check(counts, languages, tasks)
    pairs = {f"{task}-{language}": (task, language) for task in tasks for language in languages}
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is not a folder; give another output folder")
    for pair in pairs:
        if (out / pair).exists():
            raise DataError(
                f"{out / pair} already exists and is left as it is; "
                "remove it, or give another output folder"
            )
    wanted = {split: counts[split] for split in SPLITS if counts.get(split)}
    for pair, (task, language) in pairs.items():
        with new_folder(out / pair) as unfinished:
            for split, count in wanted.items():
                rows = examples(task, language, split, count, seed)
                _write(unfinished, task, split, rows, progress)
    return {pair: dict(wanted) for pair in pairs}


def _check(counts: Mapping[str, int], languages: Sequence[str], tasks: Sequence[str]) -> None:
    for what, names in (("split", counts), ("language", languages), ("task", tasks)):
        for name in names:
            check_known(what, name)
    for split, count in counts.items():
        check_count(split, count)


def _write(
    folder: Path, task: str, split: str, rows: Iterator[dict[str, Any]], progress: Progress | None
) -> None:
    suffix, line = ("txt", _as_text) if task == "mlm" else ("jsonl", _as_json)
    with (folder / f"{split}.{suffix}").open("w", encoding="utf-8", newline="\n") as file:
        while chunk := list(islice(rows, CHUNK)):
            file.writelines(f"{line(row)}\n" for row in chunk)
            if progress is not None:
                progress(len(chunk))
