"""SQuAD's JSON, article by article: memory holds one article, not the file."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from mtlprune.data.formats.items import Fault, Item, Record
from mtlprune.data.formats.source import SourceFile
from mtlprune.specs import TaskSpec

SPACE = re.compile(r"[ \t\r\n]*")
LARGEST_ARTICLE = 1 << 28  # characters; anything longer is not an article


class BrokenJson(Exception):
    """The file is not JSON, or not SQuAD's; the text says where and why."""


def read(source: SourceFile, spec: TaskSpec, language: str, labelled: bool) -> Iterator[Item]:
    number = 0
    try:
        for number, article in enumerate(articles(source), 1):
            yield from _questions(article, f"article {number}")
    except BrokenJson as problem:
        yield Fault(f"after article {number}", "not SQuAD's JSON", str(problem))


def articles(source: SourceFile) -> Iterator[Any]:
    """The elements of the list ``data`` of the one object in the file."""
    stream = JsonStream(source)
    stream.expect("{")
    if stream.accept("}"):
        raise BrokenJson('the object has no list "data"')
    found = False
    while True:
        key = stream.value()
        stream.expect(":")
        if key == "data":
            found = True
            yield from _elements(stream)
        else:
            stream.value()
        if stream.accept("}"):
            break
        stream.expect(",")
    stream.expect_end()
    if not found:
        raise BrokenJson('the object has no list "data"')


def _elements(stream: "JsonStream") -> Iterator[Any]:
    stream.expect("[")
    if stream.accept("]"):
        return
    while True:
        yield stream.value()
        if stream.accept("]"):
            return
        stream.expect(",")


class JsonStream:
    """A text buffer over a file that parses one JSON value at a time and forgets it."""

    def __init__(self, source: SourceFile) -> None:
        self._blocks = source.blocks()
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._json = json.JSONDecoder()
        self._text, self._at, self._line = "", 0, 1

    def value(self) -> Any:
        """The next value; more of the file is read, doubling, until it is complete."""
        self._skip_space()
        wanted = 1 << 16
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as problem:
                if wanted > LARGEST_ARTICLE or not self._read(wanted):
                    raise BrokenJson(self._message(problem)) from None
                wanted *= 2
                continue
            if end == len(self._text) and self._read(1):
                continue  # a number may go on in the next block
            self._advance(end)
            return value

    def accept(self, mark: str) -> bool:
        self._skip_space()
        found = self._text.startswith(mark, self._at)
        if found:
            self._advance(self._at + 1)
        return found

    def expect(self, mark: str) -> None:
        if not self.accept(mark):
            seen = self._text[self._at : self._at + 10] or "the end of the file"
            raise BrokenJson(f"line {self._line}: '{mark}' expected, found {seen!r}")

    def expect_end(self) -> None:
        self._skip_space()
        if self._at < len(self._text):
            raise BrokenJson(f"line {self._line}: more text after the end of the object")

    def _skip_space(self) -> None:
        while True:
            match = SPACE.match(self._text, self._at)
            assert match
            self._advance(match.end())
            if self._at < len(self._text) or not self._read(1):
                return

    def _advance(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to

    def _read(self, size: int) -> bool:
        """Take at least ``size`` more characters if the file has them; drop what is done with."""
        pieces, length = [self._text[self._at :]], 0
        for block in self._blocks:
            try:
                pieces.append(self._utf8.decode(block))
            except UnicodeDecodeError as problem:
                raise BrokenJson(f"not UTF-8 ({problem.reason}) after line {self._line}") from None
            length += len(pieces[-1])
            if length >= size:
                break
        self._text, self._at = "".join(pieces), 0
        return length > 0

    def _message(self, problem: Exception) -> str:
        if not isinstance(problem, json.JSONDecodeError):
            return f"line {self._line}: {problem}"
        line = self._line + self._text.count("\n", self._at, problem.pos)
        return f"line {line}: {problem.msg}"


def _questions(article: Any, place: str) -> Iterator[Item]:
    paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
    if not isinstance(paragraphs, list):
        yield Fault(place, "not SQuAD's JSON", 'an article must have a list "paragraphs"')
        return
    title = article.get("title")
    place += f" ({title})" if isinstance(title, str) and title else ""
    for number, paragraph in enumerate(paragraphs, 1):
        where = f"{place}, paragraph {number}"
        qas = paragraph.get("qas") if isinstance(paragraph, dict) else None
        if not isinstance(qas, list):
            yield Fault(where, "not SQuAD's JSON", 'a paragraph must have a list "qas"')
            continue
        for question in qas:
            yield _question(question, paragraph.get("context"), where)


def _question(question: Any, context: Any, where: str) -> Item:
    if not isinstance(question, dict):
        return Fault(where, "not SQuAD's JSON", 'an element of "qas" must be an object')
    fields = {**question, "context": context}
    return Record(f"{where}, question {question.get('id')!r}", fields)
