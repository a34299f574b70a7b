"""Tasks of a user's own: rows of a TOML file, checked, beside the built-in ones."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mtlprune.errors import SpecError
from mtlprune.specs import KINDS, TASK_NAME, TASKS, KindSpec, TaskSpec, iob2

ROW_KEYS = {"kind", "labels", "entities", "metric", "fields", "aliases", "choices", "bounds"}


def read_task_table(path: Path) -> dict[str, TaskSpec]:
    """The built-in tasks and the rows of a user's TOML file, ``[tasks.NAME]`` each."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise SpecError(f"task table {path}: {problem.strerror or problem}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SpecError(f"task table {path}: not a TOML file: {problem}") from None
    rows = table.get("tasks")
    if not isinstance(rows, dict) or not rows:
        found = ", ".join(table) or "nothing"
        raise SpecError(
            f"task table {path}: no section [tasks.NAME] in it (found: {found}); a task is\n"
            '[tasks.topic]\nkind = "sentence"\nlabels = ["sports", "politics"]\n'
            'metric = "accuracy"\nfields = ["sentence"]'
        )
    problems = [
        f"task '{name}': {text}" for name, row in rows.items() for text in _faults(name, row)
    ]
    if problems:
        raise SpecError(f"task table {path}:\n" + "\n".join(problems))
    return TASKS | {name: _spec_of(name, row) for name, row in rows.items()}


def _faults(name: str, row: Any) -> list[str]:
    """Everything wrong with one row of a task table."""
    if not TASK_NAME.fullmatch(name):
        return ["a name starts with a small letter, then small letters, digits or _"]
    if name in TASKS:
        return ["is built in; choose another name"]
    if not isinstance(row, dict):
        return ["is not a section; write [tasks." + name + "]"]
    unknown = sorted(set(row) - ROW_KEYS)
    found = [f"unknown key '{key}' (keys: {', '.join(sorted(ROW_KEYS))})" for key in unknown]
    if row.get("kind") not in KINDS:
        return [*found, f"kind is {row.get('kind')!r}; it must be one of {', '.join(KINDS)}"]
    return found + _faults_of_kind(row, KINDS[row["kind"]])


def _faults_of_kind(row: Mapping[str, Any], kind: KindSpec) -> list[str]:
    found = [
        f"{key} must be a list of different, non-empty texts"
        for key in ("labels", "entities", "fields", "choices")
        if key in row and not _is_list_of_names(row[key])
    ]
    if found:
        return found
    if row.get("metric") not in kind.metrics:
        found.append(
            f"metric is {row.get('metric')!r}; it must be one of {', '.join(kind.metrics)}"
        )
    least, most = kind.fields
    if not least <= len(row.get("fields", ())) <= most:
        wanted = str(least) if least == most else f"{least} or {most}"
        given = ", ".join(row.get("fields", ())) or "missing"
        found.append(f"fields must name {wanted} text field(s) of an example; it is: {given}")
    if row["kind"] == "regression" and not _is_range(row.get("bounds")):
        found.append("bounds = [least, largest] score is needed")
    return found + _faults_of_labels(row, kind, _labels_of(row))


def _faults_of_labels(row: Mapping[str, Any], kind: KindSpec, labels: tuple[str, ...]) -> list[str]:
    found = []
    if kind.needs_labels and len(labels) < 2:
        found.append("needs at least two labels" + _entities_hint(row))
    if not kind.needs_labels and labels:
        found.append(f"kind {row['kind']} has no labels")
    if row["kind"] == "choice" and len(row.get("choices", ())) != len(labels):
        found.append("choices names one field for each label")
    if row.get("metric") == "f1" and len(labels) > 2:
        found.append("metric f1 is for two labels, the second being the positive one")
    return found + _faults_of_aliases(row.get("aliases", {}), labels)


def _faults_of_aliases(aliases: Any, labels: tuple[str, ...]) -> list[str]:
    if not isinstance(aliases, dict):
        return ['aliases must map other spellings to labels, such as { "1" = "yes" }']
    wrong = [f"{key} = {label}" for key, label in aliases.items() if label not in labels]
    known = ", ".join(labels)
    return [f"aliases must map to labels ({known}); this does not: {item}" for item in wrong]


def _entities_hint(row: Mapping[str, Any]) -> str:
    return ' (labels = [...], or entities = ["PER", ...] for IOB2 tags)' * (row["kind"] == "token")


def _is_list_of_names(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(item, str) and item for item in value)
        and len(set(value)) == len(value)
    )


def _is_range(value: Any) -> bool:
    numbers = isinstance(value, list) and all(type(item) in (int, float) for item in value)
    return numbers and len(value) == 2 and value[0] < value[1]


def _labels_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    return iob2(*row["entities"]) if "entities" in row else tuple(row.get("labels", ()))


def _spec_of(name: str, row: Mapping[str, Any]) -> TaskSpec:
    bounds = row.get("bounds")
    return TaskSpec(
        name,
        row["kind"],
        _labels_of(row),
        row["metric"],
        tuple(row["fields"]),
        dict(row.get("aliases", {})),
        tuple(row.get("choices", ())),
        (float(bounds[0]), float(bounds[1])) if bounds else None,
    )
