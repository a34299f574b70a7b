"""Tables as text: aligned for a terminal, or Markdown."""

from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import wrap
from unicodedata import east_asian_width

Cell = str | int | float
Rows = Sequence[Sequence[Cell]]


def text_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Columns aligned by blanks; numbers to the right. The last column wraps at the terminal."""
    cells = [list(header), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(_width(row[at]) for row in cells) for at in range(len(header))]
    right = [all(not isinstance(row[at], str) for row in rows) for at in range(len(header))]
    before = sum(widths[:-1]) + 2 * len(widths[:-1])
    widths[-1] = min(widths[-1], max(get_terminal_size((100, 24)).columns - before, 20))
    lines = ["  ".join("-" * width for width in widths)]
    for row in cells:
        first, *more = wrap(row[-1], widths[-1], break_on_hyphens=False) or [""]
        columns = zip([*row[:-1], first], widths, right, strict=True)
        lines.append("  ".join(_pad(*column) for column in columns).rstrip())
        lines += [" " * before + line for line in more]
    heading = lines.pop(1)
    return "\n".join([heading, *lines])


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A GitHub table; bars in cells are escaped."""
    right = [all(not isinstance(row[at], str) for row in rows) for at in range(len(header))]
    rule = ["---:" if to_right else "---" for to_right in right]
    cells = [list(header), rule, *([_text(cell) for cell in row] for row in rows)]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells
    )


def _text(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:.1f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def _pad(text: str, width: int, to_right: bool) -> str:
    blanks = " " * (width - _width(text))
    return blanks + text if to_right else text + blanks


def _width(text: str) -> int:
    return sum(2 if east_asian_width(mark) in "WF" else 1 for mark in text)
