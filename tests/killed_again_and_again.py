"""Run fairseq-train in forked children that are killed at random moments; used by test_faults.

A child starts at once, since its parent has imported everything: twenty kills in half a minute.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from fairseq_cli import train


def child() -> int:
    """A process that trains; its output is left aside unless it fails."""
    number = os.fork()
    if number:
        return number
    try:
        train.cli_main()
        sys.stdout.flush()
        os._exit(0)
    except BaseException as problem:
        sys.excepthook(type(problem), problem, problem.__traceback__)
    os._exit(1)


def kill(number: int) -> bool:
    """Whether the child was still at work."""
    os.kill(number, signal.SIGKILL)
    _, status = os.waitpid(number, 0)
    return os.WIFSIGNALED(status)


def until_first_checkpoint(folder: Path) -> float:
    """Seconds from the start of a child, which is killed then, to its first checkpoint."""
    start, number = time.monotonic(), child()
    while not list(folder.glob("checkpoint_*.pt")):
        time.sleep(0.005)
    taken = time.monotonic() - start
    kill(number)
    return taken


def main() -> None:
    """Kill during start-up and shortly after it, so that the run is far from its end for long."""
    kills = int(sys.argv.pop(1))
    chance = random.Random(5)
    start = until_first_checkpoint(Path(sys.argv[sys.argv.index("--save-dir") + 1]))
    killed = 1
    for _ in range(kills - 1):
        number = child()
        time.sleep(start * chance.uniform(0.5, 1.2))
        killed += kill(number)
    _, status = os.waitpid(child(), 0)
    sys.stdout.write(f"killed {killed} times\n")
    sys.exit(os.waitstatus_to_exitcode(status))


main()
