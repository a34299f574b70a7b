"""What a reader yields: records, faults and items left out, each with its place."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from mtlprune.data.formats.source import NotUtf8, SourceFile
from mtlprune.specs import TaskSpec


@dataclass(slots=True)
class Record:
    """One raw example, not yet checked against its task."""

    place: str | int  # a line number, or words for a place inside JSON
    fields: dict[str, Any]
    lines_a_token: int = 0  # 1 where each token has a line, the first one at ``place``

    def place_of(self, token: int) -> str | int:
        """Where one of its tokens stands, as closely as is known."""
        if isinstance(self.place, int):
            return self.place + token * self.lines_a_token
        return self.place


@dataclass(slots=True)
class Fault:
    """Something a reader cannot make sense of."""

    place: str | int
    reason: str  # short, to be counted
    detail: str


@dataclass(slots=True)
class LeftOut:
    """Something that is known not to be an example: counted, never an error."""

    reason: str


Item = Record | Fault | LeftOut
Reader = Callable[[SourceFile, TaskSpec, str, bool], Iterator[Item]]

BLANK = LeftOut("blank line")


def not_utf8(place: str | int, text: NotUtf8) -> Fault:
    return Fault(place, "not UTF-8", str(text))


Parsed = TypeVar("Parsed")


def line_items(
    source: SourceFile, parse: Callable[[int, str], Parsed]
) -> Iterator[Parsed | Fault | LeftOut]:
    """What ``parse`` makes of each line; undecodable and blank lines never reach it."""
    for number, text in source.lines():
        if isinstance(text, NotUtf8):
            yield not_utf8(number, text)
        elif not text.strip():
            yield BLANK
        else:
            yield parse(number, text)


def place_text(place: str | int) -> str:
    return f"line {place}" if isinstance(place, int) else place
