"""From a seed to examples: plans are drawn without regard to language, then said in one."""

from collections.abc import Callable, Iterator
from typing import Any

from mtlprune.data.tinyworld import english, mlm, ner, nli, pa, qa, spanish
from mtlprune.data.tinyworld.draw import Draw
from mtlprune.data.tinyworld.entities import SPLITS
from mtlprune.data.tinyworld.language import Voice
from mtlprune.errors import DataError, SpecError

VOICES = {lexicon.code: Voice(lexicon) for lexicon in (english.LEXICON, spanish.LEXICON)}
_MAKERS: dict[str, tuple[Callable[[Draw], Any], Callable[[Any, Voice], dict[str, Any]]]] = {
    "nli": (nli.plan, nli.say),
    "pa": (pa.plan, pa.say),
    "qa": (qa.plan, qa.say),
    "ner": (ner.plan, ner.say),
    "mlm": (mlm.plan, mlm.say),
}
LANGUAGES = tuple(VOICES)
TASKS = tuple(_MAKERS)
_CHOICES = {"task": TASKS, "language": LANGUAGES, "split": SPLITS}


def check_known(what: str, name: str) -> None:
    """Refuse a task, language or split that the world does not have."""
    if name not in _CHOICES[what]:
        choices = ", ".join(_CHOICES[what])
        raise SpecError(f"{what} '{name}': the built-in world has {choices}; choose one of these")


def check_count(split: str, count: int) -> None:
    if count < 0:
        raise DataError(f"{split}: {count} examples asked for; give 0 or more")


def examples(
    task: str, language: str, split: str, count: int, seed: int
) -> Iterator[dict[str, Any]]:
    """The first ``count`` examples of an endless series. Row i says the same in each language."""
    for what, name in (("task", task), ("language", language), ("split", split)):
        check_known(what, name)
    check_count(split, count)
    return _rows(task, language, split, count, seed)


def _rows(task: str, language: str, split: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    plan, say = _MAKERS[task]
    voice, draw = VOICES[language], Draw(f"{seed}/{task}/{split}", split)
    for number in range(count):
        row = say(plan(draw), voice)
        yield row if task == "mlm" else {"id": f"{task}-{split}-{number}", **row}
