"""``mtlprune COMMAND``: finds the command's module, runs it, turns mistakes into one message."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from mtlprune import __version__
from mtlprune.cli.options import Once
from mtlprune.errors import MtlPruneError

# Each command is a module of this package with ``add_arguments(parser)``, ``run(args)`` and a
# docstring that is its help. Modules are imported only when their command is called.
COMMANDS = {
    "world": "make raw data of the built-in bilingual world",
    "tokenizer": "train a sentencepiece tokenizer on raw data",
    "prepare": "turn raw files of task-language pairs into training data",
    "predict": "answer prepared examples with a trained checkpoint",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 on success, 2 on a user's mistake, 130 when interrupted."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        args = _parse(sys.argv[1:] if arguments is None else arguments)
        args.run(args)
        sys.stdout.flush()
        return 0
    except MtlPruneError as problem:
        return _say(str(problem), 2)
    except KeyboardInterrupt:
        return _say("interrupted; nothing half-written is left", 130)
    except BrokenPipeError:  # the reader of our output went away, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as problem:
        name = f"{problem.filename}: " if problem.filename else ""
        return _say(f"{name}{problem.strerror or problem}; nothing half-written is left", 2)


def _say(message: str, code: int) -> int:
    print(f"mtlprune: {message}", file=sys.stderr)
    return code


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    chosen = arguments[0] if arguments and arguments[0] in COMMANDS else None
    parser = argparse.ArgumentParser(
        prog="mtlprune",
        description="Multilingual multi-task encoders: prepare, train, study and prune heads.",
        epilog="mtlprune COMMAND --help tells more.",
    )
    parser.add_argument("--version", action="version", version=f"mtlprune {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, about in COMMANDS.items():
        module = importlib.import_module(f"mtlprune.cli.{name}") if name == chosen else None
        command = commands.add_parser(
            name,
            help=about,
            description=module.__doc__ if module else about,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if module:
            command.register("action", None, Once)
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
