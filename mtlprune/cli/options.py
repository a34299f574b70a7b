"""Options that several commands share, and progress bars."""

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm


def at_least(least: int) -> Callable[[str], int]:
    """A type for argparse: a whole number with a lower bound."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {least} on")
        return value

    return parse


class Once(argparse.Action):
    """Stores a value; a second one is refused instead of silently taking the place of the first."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any
    ) -> None:
        given = vars(namespace).setdefault("given_options", set())
        if self.dest in given:
            parser.error(f"{'/'.join(self.option_strings)} is given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


def folder_name(text: str) -> Path:
    """A type for argparse: the name of a folder; an empty one is mostly an unset variable."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name of the folder is empty")
    return Path(text)


def add_overwrite(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--overwrite", action="store_true", help="replace what is there already")


def add_task_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--task-table", type=Path, metavar="FILE", help="TOML file with tasks of your own"
    )


@contextmanager
def progress(total: int, what: str, unit: str) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, silence elsewhere; gives the function that moves it."""
    is_bytes = unit == "B"
    with tqdm(
        total=total,
        desc=what,
        unit=unit,
        unit_scale=True,
        disable=None,
        leave=False,
        unit_divisor=1024 if is_bytes else 1000,
    ) as bar:
        yield lambda done: bar.update(done) and None


def command_line() -> str:
    """What the user typed, to be kept with results."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
