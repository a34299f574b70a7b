"""Raw records become examples: checked against their task, with known names and types.

An example is a plain dictionary: ``id``, the task's text fields, and its target if it has one.
"""

from collections.abc import Callable, Mapping
from typing import Any

from mtlprune.errors import SpecError
from mtlprune.specs import TaskSpec

Example = dict[str, Any]
Fields = Mapping[str, Any]


class BadExample(Exception):
    """A record that is no example of its task: a short reason to count, and the detail."""

    def __init__(self, reason: str, detail: str = "", token: int = 0) -> None:
        super().__init__(detail or reason)
        self.reason = reason
        self.token = token  # which one of a list of tokens is wrong


def check(fields: Fields, spec: TaskSpec, labelled: bool, ident: str) -> Example:
    """The example in a record; ``ident`` is its id when it brings none."""
    example: Example = {"id": _ident(fields, ident), **CHECKS[spec.kind](fields, spec)}
    if labelled and spec.target and spec.target not in example:
        raise BadExample(f"no {spec.target}", f"the field '{spec.target}' is missing")
    return example


def _ident(fields: Fields, ident: str) -> str:
    given = fields.get("id")
    if given is None or given == "":
        return ident
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise BadExample("bad id", f"'id' must be a text or a whole number, not {given!r:.80}")
    return _whole(str(given), "id")


def _text(fields: Fields, name: str) -> str:
    text = fields.get(name)
    if text is None:
        raise BadExample(f"no {name}", f"the field '{name}' is missing (fields: {_names(fields)})")
    if not isinstance(text, str):
        raise BadExample(f"{name} is not text", f"the field '{name}' is {text!r:.80}, not a text")
    if not text.strip():
        raise BadExample(f"empty {name}", f"the field '{name}' is empty")
    return _whole(text, name)


def _whole(text: str, name: str) -> str:
    """JSON can escape half a character, which no UTF-8 file can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadExample(
            "half a character", f"the field '{name}' holds half a character (a lone surrogate)"
        ) from None
    return text


def _names(fields: Fields) -> str:
    return ", ".join(map(str, fields)) or "none"


def _texts(fields: Fields, spec: TaskSpec) -> Example:
    return {name: _text(fields, name) for name in spec.fields}


def _label(value: Any, spec: TaskSpec, token: int = 0) -> str:
    """The canonical spelling of a label."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadExample(
            "bad label", f"a label must be a text or a whole number, not {value!r:.80}", token
        )
    try:
        return spec.label(str(value).strip())
    except SpecError as problem:
        raise BadExample("unknown label", str(problem), token) from None


def _sentence(fields: Fields, spec: TaskSpec) -> Example:
    example = _texts(fields, spec)
    if fields.get("label") is not None:
        example["label"] = _label(fields["label"], spec)
    return example


def _regression(fields: Fields, spec: TaskSpec) -> Example:
    example = _texts(fields, spec)
    value = fields.get("score")
    if value is None:
        return example
    assert spec.bounds
    least, largest = spec.bounds
    try:
        score = float(value) if not isinstance(value, bool) else float("nan")
    except (TypeError, ValueError):
        score = float("nan")
    if not least <= score <= largest:
        raise BadExample(
            "bad score", f"the score {value!r:.80} is not a number from {least:g} to {largest:g}"
        )
    return example | {"score": score}


def _token(fields: Fields, spec: TaskSpec) -> Example:
    name = spec.fields[0]
    tokens, tags = fields.get(name), fields.get("tags")
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise BadExample(f"no {name}", f"the field '{name}' must be a list of texts")
    if not tokens:
        raise BadExample(f"empty {name}", f"the field '{name}' is an empty list")
    _whole("".join(tokens), name)
    if tags is None:
        return {name: tokens}
    if not isinstance(tags, list) or len(tags) != len(tokens):
        found = len(tags) if isinstance(tags, list) else "no list of"
        raise BadExample("tags do not fit", f"{len(tokens)} tokens, but {found} tags")
    known = spec.spellings
    try:
        return {name: tokens, "tags": [known[tag] for tag in tags]}
    except (KeyError, TypeError):  # the slow way tells what is wrong
        return {name: tokens, "tags": [_label(tag, spec, at) for at, tag in enumerate(tags)]}


def _span(fields: Fields, spec: TaskSpec) -> Example:
    example = _texts(fields, spec)
    given = fields.get("answers")
    if fields.get("is_impossible") is True:
        return example | {"answers": []}
    if given is None:
        return example
    if not isinstance(given, list) or not all(isinstance(answer, dict) for answer in given):
        raise BadExample("bad answers", "'answers' must be a list of {text, answer_start}")
    if given:
        example["answers"] = [_answer(answer, example[spec.fields[1]]) for answer in given]
        if not any(answer["answer_start"] >= 0 for answer in example["answers"]):
            text = str(given[0].get("text"))
            raise BadExample(
                "answer not in context",
                f"the answer {text!r:.80} is not in the context at 'answer_start' "
                f"{given[0].get('answer_start')!r:.20}, nor at just one other place",
            )
        return example
    return example | {"answers": []}


def _answer(answer: Fields, context: str) -> Example:
    """An answer with its true place: as given, off by at most two, or the only one there is.

    -1 when none of these holds: the text still counts in evaluation, its place is unknown.
    """
    text, start = answer.get("text"), answer.get("answer_start")
    if not isinstance(text, str) or not text.strip():
        raise BadExample("bad answers", f"an answer must have a non-empty 'text', not {text!r:.80}")
    _whole(text, "answers")
    if isinstance(start, bool) or not isinstance(start, int):
        raise BadExample("bad answers", f"'answer_start' must be a number, not {start!r:.80}")
    if start >= 0 and context.startswith(text, start):
        return {"text": text, "answer_start": start}
    for near in (start - 1, start - 2, start + 1, start + 2):
        if near >= 0 and context.startswith(text, near):
            return {"text": text, "answer_start": near, "moved": True}
    only = context.find(text)
    is_only = only >= 0 and context.find(text, only + 1) < 0
    return {"text": text, "answer_start": only if is_only else -1, "moved": True}


def _choice(fields: Fields, spec: TaskSpec) -> Example:
    return _sentence(fields, spec) | {name: _text(fields, name) for name in spec.choices}


def _mlm(fields: Fields, spec: TaskSpec) -> Example:
    first, *second = spec.fields
    return {first: _text(fields, first)} | {
        name: _text(fields, name) for name in second if fields.get(name) is not None
    }


CHECKS: dict[str, Callable[[Fields, TaskSpec], Example]] = {
    "sentence": _sentence,
    "regression": _regression,
    "token": _token,
    "span": _span,
    "choice": _choice,
    "mlm": _mlm,
}
