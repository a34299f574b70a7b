"""What ``mtlprune prepare`` costs beside the bare tokenizer calls, and its memory on many lines.

Both sides run in one process on the same texts with the same tokenizer and threads, one after the
other, several times. ``bare`` is what a user would write: transformers' tokenizer called on batches
of texts with the same truncation (and offsets where places of words and answers are needed); the
text is in memory already. ``ours`` is the whole of prepare: reading the raw file, checking,
encoding, writing the store. Loading the tokenizer counts for neither.

    python benchmarks/bench_prepare.py                      # built-in world, own tokenizer
    python benchmarks/bench_prepare.py --lines 1000000      # and the memory of a million lines
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mtlprune.data.corpus import texts as corpus_texts
from mtlprune.data.encoding import Limits
from mtlprune.data.prepare import Job, prepare
from mtlprune.data.sentencepieces import train_tokenizer
from mtlprune.data.tinyworld import write_world
from mtlprune.data.tokenizers import load_tokenizer
from mtlprune.reports.tables import text_table
from mtlprune.specs import KINDS, TASKS, TaskLanguage

BATCH = 500
ROOT = Path(__file__).parent.parent
REAL_DATA = ROOT.parent / "shared/data/xtreme-en-es"
REAL_TOKENIZER = ROOT.parent / "shared/weights/minilm-multilingual-en-es-fr-de"


def bare_call(task: str, hf: Any) -> Callable[[list[dict[str, Any]]], Any]:
    """The tokenizer call for one batch of a task, as the user of transformers would write it."""
    spec = TASKS[task]
    length = KINDS[spec.kind].max_length

    def call(batch: list[dict[str, Any]]) -> Any:
        first, *rest = ([row[name] for row in batch] for name in spec.fields)
        if spec.kind == "token":
            return hf(first, is_split_into_words=True)
        if spec.kind == "span":
            return hf(
                first,
                *rest,
                truncation="only_second",
                max_length=length,
                stride=Limits.doc_stride,
                return_overflowing_tokens=True,
                return_offsets_mapping=True,
            )
        return hf(first, *rest, truncation="longest_first", max_length=length)

    return call


def compare(task: str, raw: Path, tokenizer: str, repeats: int) -> tuple[Any, ...]:
    loaded = load_tokenizer(tokenizer)
    rows = [json.loads(line) for line in raw.open(encoding="utf-8")]
    call = bare_call(task, loaded.transformers)
    spec = TASKS[task]
    limits = Limits(KINDS[spec.kind].max_length)
    bare, ours = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(repeats + 1):
            start = time.perf_counter()
            for at in range(0, len(rows), BATCH):
                call(rows[at : at + BATCH])
            middle = time.perf_counter()
            out = Path(folder) / str(number)
            pair = TaskLanguage(task, "xx")
            prepare(Job(pair, spec, "jsonl", {"train": raw}, limits, out), loaded)
            end = time.perf_counter()
            if number:  # the first round warms up
                bare.append(middle - start)
                ours.append(end - middle)
    ratio = statistics.median(o / b for o, b in zip(ours, bare, strict=True))
    return (
        task,
        len(rows),
        int(len(rows) / statistics.median(bare)),
        int(len(rows) / statistics.median(ours)),
        f"{ratio:.2f}",
    )


def real(task: str, count: int, folder: Path) -> Path:
    """A file of at least ``count`` real examples; the data set is repeated until it has them."""
    lines = (REAL_DATA / f"{task}.en.train.jsonl").read_bytes()
    path = folder / f"{task}.real.jsonl"
    path.write_bytes(lines * -(-count // lines.count(b"\n")))
    return path


MEMORY = """
import sys
from mtlprune.cli.main import main
assert main(sys.argv[1:]) == 0
# not getrusage: its peak includes that of the process that started this one
status = dict(line.split(":") for line in open("/proc/self/status"))
print("peak resident memory: %.0f MB" % (int(status["VmHWM"].split()[0]) / 1024))
"""


def memory(raw: Path, tokenizer: str, folder: Path) -> None:
    """Prepare a file in a process of its own and print the most memory it held."""
    command = [sys.executable, "-c", MEMORY, "prepare", "--pair", "nli-en", "--format", "jsonl"]
    command += ["--train", str(raw), "--tokenizer", tokenizer, "--out", str(folder / "bin")]
    subprocess.run(command, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=20000, help="examples a task")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--lines", type=int, default=0, help="also measure memory on so many lines")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raw, tokenizer = folder / "raw", folder / "tokenizer"
        write_world(raw, {"train": args.count, "valid": 0, "test": 0}, 1, ("en",))
        lines = (text for path in raw.glob("*/train.*") for text in corpus_texts(path))
        train_tokenizer(lines, 400, tokenizer)
        header = ("task", "examples", "bare/s", "prepare/s", "time ratio")
        tasks = ("nli", "pa", "qa", "ner")
        print("built-in world, own tokenizer")
        rows = [
            compare(t, raw / f"{t}-en/train.jsonl", str(tokenizer), args.repeats) for t in tasks
        ]
        print(text_table(header, rows))
        if REAL_DATA.is_dir() and REAL_TOKENIZER.is_dir():
            print("\nreal English data (repeated), tokenizer of 64,844 pieces")
            rows = [
                compare(task, real(task, args.count, folder), str(REAL_TOKENIZER), args.repeats)
                for task in tasks
            ]
            print(text_table(header, rows))
        else:
            print("\nreal data: skipped, ../shared/data or ../shared/weights is not there")
        if args.lines:
            write_world(
                folder / "many", {"train": args.lines, "valid": 0, "test": 0}, 1, ("en",), ("nli",)
            )
            print(f"\nmemory of preparing {args.lines:,} lines")
            best = REAL_TOKENIZER if REAL_TOKENIZER.is_dir() else tokenizer
            memory(folder / "many/nli-en/train.jsonl", str(best), folder)


if __name__ == "__main__":
    main()
