"""Examples of the built-in world written to disk per second, by one process.

Run: python benchmarks/bench_world.py --count 50000
"""

import argparse
import tempfile
import time
from pathlib import Path

from mtlprune.data.tinyworld import LANGUAGES, TASKS, write_world


def rate(task: str, language: str, count: int) -> float:
    """Examples per second of wall time, from nothing to the finished folder."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        write_world(Path(folder), {"train": count}, 0, languages=(language,), tasks=(task,))
        return count / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=50_000, help="examples of each task")
    count = parser.parse_args().count
    print(f"examples/s, {count} examples each, one process")
    for task in TASKS:
        rates = (f"{language} {rate(task, language, count):>8,.0f}" for language in LANGUAGES)
        print(f"{task:<4}", *rates, sep="  ")


if __name__ == "__main__":
    main()
