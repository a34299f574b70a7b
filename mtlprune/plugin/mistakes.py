"""A user's mistake inside a fairseq command: one message and exit code 2, as everywhere."""

import logging
import os
import sys
from types import TracebackType

from mtlprune.errors import MtlPruneError


def tell_mistakes_plainly() -> None:
    """Replace the traceback of an ``MtlPruneError`` that nobody catches; leave all others."""
    before = sys.excepthook

    def tell(
        kind: type[BaseException], problem: BaseException, trace: TracebackType | None
    ) -> None:
        if not isinstance(problem, MtlPruneError):
            before(kind, problem, trace)
            return
        sys.stdout.flush()
        # torch.distributed keeps back what its hook around this one hears on sys.stderr
        print(f"mtlprune: {problem}", file=sys.__stderr__, flush=True)
        logging.shutdown()
        os._exit(2)  # a hook cannot choose the exit code otherwise

    sys.excepthook = tell
