"""Run fairseq-train in forked children that are killed at random moments; used by test_faults.

A child starts at once, since its parent has imported everything: twenty kills in half a minute.
"""

import os
import random
import signal
import sys
import time

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


def main() -> None:
    kills, longest = int(sys.argv.pop(1)), float(sys.argv.pop(1))
    chance = random.Random(5)
    killed = 0
    while killed < kills:
        number = child()
        time.sleep(chance.uniform(0, longest))
        os.kill(number, signal.SIGKILL)
        _, status = os.waitpid(number, 0)
        assert os.WIFSIGNALED(status), "ended by itself before it was killed"
        killed += 1
    _, status = os.waitpid(child(), 0)
    sys.exit(os.waitstatus_to_exitcode(status))


main()
