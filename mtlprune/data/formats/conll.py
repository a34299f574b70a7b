"""One token a line: PAN-X, CoNLL, UD part of speech. A blank line ends a sentence."""

import re
from collections.abc import Callable, Iterator

from mtlprune.data.formats.items import Fault, Item, LeftOut, Reader, Record, not_utf8
from mtlprune.data.formats.source import NotUtf8, SourceFile
from mtlprune.specs import TaskSpec

Cells = Callable[[str], list[str]]
DOCUMENT_MARK = "-DOCSTART-"


def two_columns(line: str) -> list[str]:
    """Token and tag of a line; the last tab divides, so that a token may hold one."""
    return line.rsplit("\t", 1)


def many_columns(line: str) -> list[str]:
    """All cells of a line. Other white space than blanks and tabs belongs to the token."""
    return line.split("\t") if "\t" in line else re.split(" +", line.strip(" "))


def reader(cells_of: Cells) -> Reader:
    """The reader of files whose lines ``cells_of`` takes apart: token first, tag last."""

    def read(source: SourceFile, spec: TaskSpec, language: str, labelled: bool) -> Iterator[Item]:
        prefix = ""
        for number, lines in enumerate(_sentences(source)):
            if number == 0:
                prefix = _language_prefix(lines, f"{language}:")
            yield _item(lines, cells_of, prefix, labelled)

    return read


def _sentences(source: SourceFile) -> Iterator[list[tuple[int, str]]]:
    """Runs of lines. A line of white space ends one, unless a tab makes it an empty token."""
    lines: list[tuple[int, str]] = []
    for number, text in source.lines():
        if text.strip() or "\t" in text:
            lines.append((number, text))
        elif lines:
            yield lines
            lines = []
    if lines:
        yield lines


def _language_prefix(lines: list[tuple[int, str]], prefix: str) -> str:
    """Older PAN-X files write every token as ``es:Lima``; the first sentence tells."""
    return prefix if all(text.startswith(prefix) for _, text in lines) else ""


def _item(lines: list[tuple[int, str]], cells_of: Cells, prefix: str, labelled: bool) -> Item:
    tokens, tags = [], []
    for number, text in lines:
        if isinstance(text, NotUtf8):
            return not_utf8(number, text)
        cells = cells_of(text)
        if not cells[0].startswith(prefix):
            return Fault(number, "no language prefix", f"'{text}' does not start with {prefix}")
        tokens.append(cells[0][len(prefix) :])
        if len(cells) > 1:
            tags.append(cells[-1].strip())
    first = lines[0][0]
    if tokens[0] == DOCUMENT_MARK:
        return LeftOut("document mark")
    if not tags and not labelled:
        return Record(first, {"tokens": tokens}, lines_a_token=1)
    if len(tags) != len(tokens):
        number, text = next((n, t) for n, t in lines if len(cells_of(t)) == 1)
        return Fault(number, "no tag", f"'{text}' has no tag after its token")
    return Record(first, {"tokens": tokens, "tags": tags}, lines_a_token=1)
