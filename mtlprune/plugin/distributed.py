"""Training in several processes: fairseq's flags for each, and proof that they have met.

fairseq has two traps: started one way it ends with exit code 0 having trained nothing, started
another way every process trains a model of its own. ``scripts/train_distributed.sh`` tells each
process its place in torchrun's words (RANK, WORLD_SIZE, ...) and starts ``main``.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist

from mtlprune.errors import MtlPruneError

SCRIPT = "scripts/train_distributed.sh"
ON_CPU = ("legacy_ddp", "no_c10d")  # two names of one thing; all others want GPUs


class LaunchError(MtlPruneError):
    """Processes that were not started as several processes must be."""


@dataclass(frozen=True)
class Place:
    """Which of the processes this one is, among all and on its machine."""

    rank: int
    world_size: int
    local_rank: int

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Place":
        try:
            rank, size, local = (
                int(environment[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK")
            )
        except (KeyError, ValueError) as problem:
            raise LaunchError(
                f"RANK, WORLD_SIZE and LOCAL_RANK must be numbers ({problem}); start {SCRIPT}"
            ) from None
        if not 0 <= rank < size:
            raise LaunchError(f"RANK {rank} is not among WORLD_SIZE {size} processes (0 is first)")
        return cls(rank, size, local)


def fairseq_flags(arguments: Sequence[str], place: Place, gpus: int) -> list[str]:
    """What fairseq-train must be told besides the user's own arguments.

    All of it, because whatever is left out fairseq guesses from the number of GPUs.
    """
    cpu = "--cpu" in arguments
    flags = ["--distributed-init-method", "env://", "--distributed-no-spawn"]
    flags += ["--distributed-world-size", str(place.world_size)]
    flags += ["--distributed-rank", str(place.rank)]
    flags += ["--distributed-backend", "gloo" if cpu else "nccl"]
    backend = _value_of("--ddp-backend", arguments)
    if backend is None:
        flags += ["--ddp-backend", ON_CPU[0]]
    elif cpu and backend not in ON_CPU:
        raise LaunchError(f"--ddp-backend {backend} needs GPUs; with --cpu leave it out")
    if not cpu:
        if place.local_rank >= gpus:
            raise LaunchError(
                f"process {place.local_rank + 1} on this machine has no GPU of its own "
                f"({gpus} visible): start one process a GPU, or add --cpu"
            )
        flags += ["--device-id", str(place.local_rank)]
    return flags


def _value_of(flag: str, arguments: Sequence[str]) -> str | None:
    """The value given to a flag, as ``--flag value`` or ``--flag=value``; the last one counts."""
    value = None
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == flag:
            value = following
        elif word.startswith(f"{flag}="):
            value = word.partition("=")[2]
    return value


def count_processes() -> int:
    """How many processes train together, counted by themselves; a collective operation."""
    if not dist.is_available() or not dist.is_initialized():
        return 1
    count = torch.ones(1, device="cuda" if dist.get_backend() == "nccl" else "cpu")
    dist.all_reduce(count)
    return int(count.item())


def check_world_size() -> None:
    """Refuse to train unless as many processes have met as the environment says were started.

    Under a bare ``torchrun fairseq-train`` each process would train alone and overwrite the
    others' checkpoints.
    """
    if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
        return
    started = Place.of({"LOCAL_RANK": "0", **os.environ}).world_size
    met = count_processes()
    if met != started:
        raise LaunchError(
            f"{started} processes were started (WORLD_SIZE), but {met} would train together; start "
            f"them with {SCRIPT}, or unset RANK and WORLD_SIZE to train in one process"
        )


def main(train: Any) -> None:
    """``fairseq-train`` (its module is given) as one of several processes."""
    _end_with_launcher()
    with _leaving_at_once():
        place = Place.of(os.environ)
        sys.argv[0] = "fairseq-train"  # so argparse calls it in messages
        sys.argv += fairseq_flags(sys.argv[1:], place, torch.cuda.device_count())
        run_checked(train)
        if dist.is_initialized():
            dist.destroy_process_group()


def run_checked(train: Any) -> None:
    """Let fairseq train, but only all processes together, and never not at all."""
    finished = []
    ordinary = train.main

    def main_when_met(*arguments: Any, **options: Any) -> None:
        check_world_size()
        ordinary(*arguments, **options)
        finished.append(True)

    train.main = main_when_met
    try:
        train.cli_main()
    finally:
        train.main = ordinary
    if not finished:
        raise LaunchError("fairseq-train ended without an error, but it has trained nothing")


@contextmanager
def _leaving_at_once() -> Iterator[None]:
    """A process that failed must not, on its way out, wait for others that wait for it.

    The hook of now is called directly: torch.distributed puts another around it, which keeps back
    what it prints until it returns, and ours for a user's mistake ends the process.
    """
    tell = sys.excepthook
    try:
        yield
    except (Exception, KeyboardInterrupt) as problem:
        tell(type(problem), problem, problem.__traceback__)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130 if isinstance(problem, KeyboardInterrupt) else 1)


def _end_with_launcher() -> None:
    """Have Linux end this process if its launcher is killed and cannot do so any more."""
    launcher = os.environ.get("MTLPRUNE_LAUNCHER")
    if launcher and sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, int(signal.SIGTERM))  # 1 is PR_SET_PDEATHSIG
        if os.getppid() != int(launcher):  # too late to be told
            os._exit(1)
