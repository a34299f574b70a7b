"""Training speed: ``fairseq-train`` with mtlprune beside a plain PyTorch and transformers loop.

``ours`` is the command as a user types it. ``plain`` is what one would write otherwise: the same
encoder and decoder sizes, fused AdamW, clipped gradients, a DataLoader of shuffled batches of a
fixed size, padded to their longest row by transformers' ``DataCollatorWithPadding``. Both read the
same prepared rows, each row once an epoch, and have the same number of rows an update on average.

A plain batch has rows of one task (all languages), as most multi-task loops do. Rows of one task
are of like length, so this is a stronger opponent than batches drawn from all rows; the padding
that those would have is told, too. ``plain, tuned`` is the same loop with settings of glibc's
memory allocator that few know: big batches otherwise spend much time in page faults.

How it is timed. Each loop is a process that tells how many tokens it has done after every few
updates (ours: fairseq's JSON log). The processes take turns: one runs to its next such line while
the others are stopped by a signal, so start-up is paid once and noise hits all. The first lap
(imports, first updates) is not counted; nothing is validated or saved. CPU time is that of the
process and its data worker; with one thread it is the steadier number on a busy machine.

Tokens are never padding. Examples a second are tokens a second divided by the mean length of all
rows, for both sides: so it does not matter whether a lap happened to have long rows or short ones.
A plain lap has one batch from each of as many classes of batch size as it has updates; ours come
in the order in which fairseq-train takes them. Linux only.

    python benchmarks/bench_training.py            # 1 and 2 threads, made-up and real data
    python benchmarks/bench_training.py --quick    # 2 threads, fewer updates
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, DataCollatorWithPadding

from mtlprune.backbones.scratch import ScratchSpec, make_encoder
from mtlprune.data.store import Store, prepared_pairs
from mtlprune.reports.tables import text_table
from mtlprune.sampling import Budget, make_batches
from mtlprune.specs import TaskSpec

ROOT = Path(__file__).parent.parent
REAL_DATA = ROOT.parent / "shared/data/xtreme-en-es"
COMMANDS = Path(sys.executable).parent  # mtlprune and fairseq-train stand beside python
BACKBONE = "scratch:layers=4,heads=4,hidden=256"
TASKS, LANGUAGES = ("nli", "pa", "qa", "ner"), ("en", "es")
MAX_TOKENS = 4096
LEARNING_RATE, CLIP_NORM, DROPOUT = 5e-4, 1.0, 0.1
IGNORED = -100
WORKERS = 1  # that read and pad batches; fairseq's default
MARK = "train_inner | "  # what stands before the counts in fairseq's log
TARGETS = {"uniform": 1.0, "real": 1.8}  # ours divided by plain
MOST_PADDING, MOST_STARTUP = 10.0, 15.0  # per cent, seconds
MOST_OTHERS = 0.2  # cores used by other processes, above which speeds say nothing
# glibc: keep freed memory instead of giving it back and asking for it again, page by page
TUNED = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**40)}
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Size:
    """How much is measured: rounds, updates of each loop in a round, and which loops."""

    laps: int
    updates: int
    tuned: bool = True


FULL = {"uniform": Size(7, 3), "real": Size(3, 5)}  # real batches differ: more of them a lap
QUICK = {"uniform": Size(3, 2, False), "real": Size(2, 4, False)}


# The data


def run(*words: Any) -> None:
    """Run our command; show what it said only if it failed."""
    done = subprocess.run([COMMANDS / "mtlprune", *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)


def prepare(folder: Path, raw: str, out: str, *more: Any) -> Path:
    tokenizer = ("--tokenizer", folder / "tokenizer")
    run("prepare", "--raw", folder / raw, "--out", folder / out, *tokenizer, *more)
    return folder / out


def train_tokenizer(folder: Path, size: int) -> None:
    run("tokenizer", "--raw", folder / "raw", "--size", size, "--out", folder / "tokenizer")


def joined(examples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The first example with the text of all of them."""
    whole = dict(examples[0])
    for name in {"premise", "sentence1", "context"} & set(whole):
        whole[name] = " ".join(example[name] for example in examples)
    for name in {"tokens", "tags"} & set(whole):
        whole[name] = [item for example in examples for item in example[name]]
    return whole


def join_world(world: Path, raw: Path) -> None:
    """One to six examples of the built-in world in one, so that all tasks have all lengths."""
    generator = np.random.default_rng(1)
    for path in world.glob("*/train.jsonl"):
        rows = [json.loads(line) for line in path.open(encoding="utf-8")]
        long = (joined(rows[at : at + generator.integers(1, 7)]) for at in range(len(rows)))
        write_lines(raw / path.parent.name, [json.dumps(row) + "\n" for row in long])


def write_lines(folder: Path, lines: Sequence[str]) -> None:
    folder.mkdir(parents=True)
    (folder / "train.jsonl").write_text("".join(lines), encoding="utf-8")


def uniform_data(folder: Path, count: int = 1500) -> Path:
    """Rows of one length, ``count`` of each pair: the length that is best to be had in all pairs.

    Everything is prepared once to see how long it gets; what fits is repeated and prepared again.
    """
    none = ("--valid", 0, "--test", 0, "--tasks", ",".join(TASKS))
    run("world", "--out", folder / "world", "--train", 5000, *none)
    join_world(folder / "world", folder / "raw")
    train_tokenizer(folder, 400)
    every = stores(prepare(folder, "raw", "every", "--max-length", 384))
    lengths = [store["train"].lengths for store in every]
    length = int(np.min([np.bincount(own, minlength=385) for own in lengths], axis=0).argmax())
    for store, own in zip(every, lengths, strict=True):
        path = folder / f"raw/{store.pair}/train.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        fit = [lines[store["train"]["example"][row][0]] for row in np.where(own == length)[0]]
        write_lines(folder / f"picked/{store.pair}", (fit * -(-count // len(fit)))[:count])
    return prepare(folder, "picked", "bin", "--max-length", 384)


def real_data(folder: Path) -> Path:
    """Four tasks in English and Spanish, from 6 to 384 tokens a row."""
    for pair in (f"{task}-{language}" for task in TASKS for language in LANGUAGES):
        (folder / f"raw/{pair}").mkdir(parents=True)
        source = REAL_DATA / f"{pair.replace('-', '.')}.train.jsonl"
        (folder / f"raw/{pair}/train.jsonl").symlink_to(source.resolve())
    train_tokenizer(folder, 8000)
    return prepare(folder, "raw", "bin")


def stores(data: Path) -> list[Store]:
    return [Store(data, pair) for pair in prepared_pairs(data)]


def row_facts(data: Path) -> tuple[float, int]:
    """The mean length of all rows, and how many of them ours takes an update on average."""
    lengths = np.concatenate([store["train"].lengths for store in stores(data)]).astype(int)
    generator = np.random.default_rng(1)
    batches = make_batches(lengths, np.ones_like(lengths), Budget(MAX_TOKENS, None), generator)
    return float(lengths.mean()), round(len(lengths) / len(batches))


# The plain loop


@dataclass(frozen=True)
class Row:
    """What a tokenized data set holds in memory: ids, segment ids and a label by task."""

    task: str
    inputs: dict[str, list[int]]
    label: Any


def plain_rows(data: Path) -> list[Row]:
    rows = []
    for store in stores(data):
        split = store["train"]
        for number in range(len(split)):
            ids, start = split["tokens"][number].tolist(), int(split["segment"][number][0])
            segments = [0] * min(start, len(ids)) + [1] * (len(ids) - start)
            inputs = {"input_ids": ids, "token_type_ids": segments}
            rows.append(Row(store.pair.task, inputs, plain_label(store.spec, split, number)))
    return rows


def plain_label(spec: TaskSpec, split: Any, number: int) -> Any:
    """A class; first and last token of an answer; or a tag for each token, first sub-words only."""
    target = split["target"][number]
    if spec.kind == "token":
        tags = np.full(len(split["tokens"][number]), IGNORED)
        tags[split["words"][number]] = target
        return tags.tolist()
    return np.maximum(target, 0).tolist() if spec.kind == "span" else int(target[0])


class Collate:
    """A padded batch of one task with its labels."""

    def __init__(self, data: Path) -> None:
        self.pad = DataCollatorWithPadding(AutoTokenizer.from_pretrained(data / "tokenizer"))

    def __call__(self, batch: list[Row]) -> dict[str, Any]:
        inputs = dict(self.pad([row.inputs for row in batch]))
        labels = [row.label for row in batch]
        if batch[0].task == "ner":
            width = inputs["input_ids"].size(1)
            labels = [tags + [IGNORED] * (width - len(tags)) for tags in labels]
        return {"task": batch[0].task, "inputs": inputs, "target": torch.tensor(labels)}


class PlainModel(nn.Module):
    """A transformers encoder and a decoder a task, of the sizes that ours have."""

    def __init__(self, specs: dict[str, TaskSpec], tokenizer: dict[str, Any]) -> None:
        super().__init__()
        facts = (tokenizer["vocabulary"], tokenizer["special_ids"]["pad"])
        self.encoder = make_encoder(ScratchSpec.parse(BACKBONE), *facts, 1, torch.float32)
        size = self.encoder.config.hidden_size
        self.kinds = {task: spec.kind for task, spec in specs.items()}
        self.decoders = nn.ModuleDict({t: self.decoder(s, size) for t, s in specs.items()})

    @staticmethod
    def decoder(spec: TaskSpec, size: int) -> nn.Module:
        if spec.kind == "sentence":
            hidden = [nn.Dropout(DROPOUT), nn.Linear(size, size), nn.Tanh()]
            return nn.Sequential(*hidden, nn.Dropout(DROPOUT), nn.Linear(size, len(spec.labels)))
        outputs = 2 if spec.kind == "span" else len(spec.labels)
        return nn.Sequential(nn.Dropout(DROPOUT), nn.Linear(size, outputs))

    def forward(self, task: str, inputs: dict[str, Tensor], target: Tensor) -> Tensor:
        """Cross-entropy over classes, over the places of an answer, or over tags."""
        states = self.encoder(**inputs).last_hidden_state
        kind = self.kinds[task]
        output = self.decoders[task](states[:, 0] if kind == "sentence" else states)
        if kind == "token":
            output = output.transpose(1, 2)
        return functional.cross_entropy(output, target, ignore_index=IGNORED)


class Batches:
    """Numbers of rows, batch after batch without end.

    An epoch's batches are shuffled rows of one task each. A lap has one batch from each of
    ``updates`` classes of padded size, so that a few batches speak for all of them.
    """

    def __init__(self, rows: Sequence[Row], size: int, updates: int) -> None:
        self.generator = np.random.default_rng(1)
        groups: dict[str, list[int]] = {}
        for number, row in enumerate(rows):
            groups.setdefault(row.task, []).append(number)
        batches = [batch for group in groups.values() for batch in self.cut(group, size)]
        widths = [max(len(rows[n].inputs["input_ids"]) for n in batch) for batch in batches]
        order = np.argsort([w * len(b) for w, b in zip(widths, batches, strict=True)])
        self.classes = [[batches[at] for at in part] for part in np.array_split(order, updates)]

    def cut(self, group: list[int], size: int) -> Iterator[list[int]]:
        shuffled = self.generator.permutation(group).tolist()
        return (shuffled[at : at + size] for at in range(0, len(shuffled), size))

    def __iter__(self) -> Iterator[list[int]]:
        while True:
            for number in self.generator.permutation(len(self.classes)):
                batches = self.classes[number]
                yield batches[self.generator.integers(len(batches))]


def plain_loop(data: Path, size: int, updates: int) -> None:
    """Train until stopped; after each lap tell what was done in it."""
    torch.manual_seed(1)
    rows = plain_rows(data)
    specs = {store.pair.task: store.spec for store in stores(data)}
    model = PlainModel(specs, stores(data)[0].meta["tokenizer"]).train()
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, LEARNING_RATE, weight_decay=0.0, fused=True)
    loader = DataLoader(
        rows,  # type: ignore[arg-type]
        batch_sampler=Batches(rows, size, updates),
        collate_fn=Collate(data),
        num_workers=WORKERS,
    )
    done = {"tokens": 0, "places": 0, "loss": 0.0}
    for number, batch in enumerate(loader, 1):
        loss = model(**batch)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, CLIP_NORM)
        optimizer.step()
        optimizer.zero_grad()
        mask = batch["inputs"]["attention_mask"]
        done["tokens"] += int(mask.sum())
        done["places"] += mask.numel()
        done["loss"] += loss.item()
        if number % updates == 0:
            print(MARK + json.dumps(done), flush=True)
            done = dict.fromkeys(done, 0)


# The race


@dataclass(frozen=True)
class Lap:
    """What one loop did between two of its lines."""

    wall: float
    cpu: float
    tokens: float
    places: float


class Racer:
    """A training process that is stopped except during its laps."""

    def __init__(self, command: Sequence[Any], updates: int, settings: dict[str, str]) -> None:
        self.updates = updates  # a lap
        self.said: deque[str] = deque(maxlen=30)
        self.cpu = 0.0
        self.process = subprocess.Popen(
            list(map(str, command)),
            env={**os.environ, "PYTHONUNBUFFERED": "1", **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # so that signals reach its data workers, too
        )
        self.line = self.stop = self.signal(signal.SIGSTOP)

    def signal(self, number: signal.Signals) -> float:
        os.killpg(self.process.pid, number)
        return time.perf_counter()

    def lap(self) -> Lap:
        """Go on to the next line of counts. The moment between a line and the stop counts."""
        resumed = self.signal(signal.SIGCONT)
        counts = self.counts()
        now, cpu = time.perf_counter(), self.cpu_seconds()
        lap = Lap((now - resumed) + (self.stop - self.line), cpu - self.cpu, *counts)
        self.line, self.cpu, self.stop = now, cpu, self.signal(signal.SIGSTOP)
        return lap

    def counts(self) -> tuple[float, float]:
        """Tokens and places in a lap, from the next line that tells them."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.said.append(line)
            if MARK in line:
                found = json.loads(line.partition(MARK)[2])
                if "wpb" not in found:
                    return found["tokens"], found["places"]
                tokens = self.updates * float(found["wpb"])  # fairseq tells means of an update
                return tokens, tokens / (1 - float(found["padding"]) / 100)
        raise SystemExit("training ended early:\n" + "".join(self.said))

    def cpu_seconds(self) -> float:
        """User and system time of the process and of its children, dead or alive."""
        own = self.process.pid
        tasks = Path(f"/proc/{own}/task").glob("*/children")
        pids = [str(own), *(pid for path in tasks for pid in path.read_text().split())]
        stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
        # utime, stime and those of dead children
        return sum(sum(map(int, fields[11:15])) for fields in stats) / TICKS

    def __enter__(self) -> "Racer":
        return self

    def __exit__(self, *_: object) -> None:
        self.signal(signal.SIGKILL)
        self.process.communicate()


def ours(data: Path, threads: int, updates: int) -> Racer:
    """The command of the README, with a log line every ``updates``; nothing validated or saved."""
    command = [COMMANDS / "fairseq-train", data, "--user-dir", ROOT / "user_dir", "--cpu"]
    command += ["--task", "mtl_multitask", "--arch", "mtl_encoder", "--criterion", "mtl_multitask"]
    command += ["--backbone", BACKBONE, "--optimizer", "adam", "--lr", LEARNING_RATE]
    command += ["--clip-norm", CLIP_NORM, "--max-tokens", MAX_TOKENS, "--num-workers", WORKERS]
    command += ["--log-format", "json", "--log-interval", updates, "--save-dir", data / "unused"]
    command += ["--disable-validation", "--no-save"]
    return Racer(command, updates, {"OMP_NUM_THREADS": str(threads)})


def plain(data: Path, threads: int, updates: int, size: int, **settings: str) -> Racer:
    words = ["--plain", data, "--size", size, "--updates", updates]
    settings["OMP_NUM_THREADS"] = str(threads)
    return Racer([sys.executable, __file__, *words], updates, settings)


# The report


def race(racers: dict[str, Racer], laps: int) -> dict[str, list[Lap]]:
    """Laps by turns; the first round is start-up and not kept."""
    rounds = [{name: racer.lap() for name, racer in racers.items()} for _ in range(laps + 1)]
    return {name: [each[name] for each in rounds[1:]] for name in racers}


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def speeds(laps: Sequence[Lap], length: float) -> tuple[Any, ...]:
    """Cells of the table: examples and tokens a second, tokens a CPU second, padding."""
    wall = statistics.median(lap.tokens / lap.wall for lap in laps)
    cpu = statistics.median(lap.tokens / lap.cpu for lap in laps)
    return f"{wall / length:.1f}", int(wall), int(cpu), f"{waste(laps):.1f} %"


def waste(laps: Sequence[Lap]) -> float:
    """Per cent of places that held nothing."""
    return 100 * (1 - sum(lap.tokens for lap in laps) / sum(lap.places for lap in laps))


def ratios(mine: Sequence[Lap], other: Sequence[Lap]) -> tuple[list[float], list[float]]:
    """Ours divided by the other, lap by lap: by wall time and by CPU time."""
    pairs = list(zip(mine, other, strict=True))
    wall = [(a.tokens / a.wall) / (b.tokens / b.wall) for a, b in pairs]
    return wall, [(a.tokens / a.cpu) / (b.tokens / b.cpu) for a, b in pairs]


def busy_seconds() -> float:
    """CPU time that all processes of the machine have used so far."""
    user, nice, system = map(int, Path("/proc/stat").read_text().split()[1:4])
    return (user + nice + system) / TICKS


def compare(name: str, data: Path, threads: int, size: Size) -> None:
    """One data set at one number of threads: speeds of all loops, and ours beside each."""
    length, rows_an_update = row_facts(data)
    others = -busy_seconds()
    with ExitStack() as stack:
        racers = {"ours": stack.enter_context(ours(data, threads, size.updates))}
        for loop, settings in (
            {"plain": {}} | ({"plain, tuned": TUNED} if size.tuned else {})
        ).items():
            racer = plain(data, threads, size.updates, rows_an_update, **settings)
            racers[loop] = stack.enter_context(racer)
        start = time.perf_counter()
        found = race(racers, size.laps)
        others += busy_seconds() - sum(racer.cpu for racer in racers.values())
        others /= time.perf_counter() - start
    print(
        f"\n{name} data, threads: {threads}, rows an update: {rows_an_update}, tokens a row: "
        f"{length:.1f}; other processes used {others:.1f} cores meanwhile"
    )
    rows = []
    for loop, own in found.items():
        beside = map(spread, ratios(found["ours"], own)) if loop != "ours" else ("", "")
        rows.append((loop, *speeds(own, length), *beside))
    header = ("loop", "examples/s", "tokens/s", "tokens/CPU s", "padding", "ours/it", "by CPU time")
    print(text_table(header, rows))
    if others > MOST_OTHERS:
        print("ours/plain: not judged, the machine was busy with other things", flush=True)
    else:
        ratio = statistics.median(ratios(found["ours"], found["plain"])[0])
        judge("ours/plain", ratio, ">=", TARGETS[name])
    judge("padding of ours, %", waste(found["ours"]), "<=", MOST_PADDING)


def judge(what: str, value: float, sign: str, target: float) -> None:
    met = value >= target if sign == ">=" else value <= target
    print(f"{what}: {value:.2f}, target {sign} {target}: {'met' if met else 'MISSED'}", flush=True)


def startup(data: Path, threads: int) -> None:
    """From the start of the process to the end of the first update."""
    with ours(data, threads, 1) as racer:
        lap = racer.lap()
    print(f"\nfairseq-train, threads: {threads}, CPU time to its first update: {lap.cpu:.1f} s")
    judge("start of the process to end of first update, s", lap.wall, "<=", MOST_STARTUP)


def mixed_padding(data: Path) -> float:
    """Per cent of padding if plain batches were drawn from the rows of all tasks."""
    lengths = np.concatenate([store["train"].lengths for store in stores(data)]).astype(int)
    size = row_facts(data)[1]
    table = np.random.default_rng(1).permutation(lengths)[: len(lengths) // size * size]
    table = table.reshape(-1, size)
    return float(100 * (1 - table.sum() / (table.max(1).sum() * size)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="2 threads, fewer updates")
    parser.add_argument("--plain", type=Path, help=argparse.SUPPRESS)  # be the plain loop
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--updates", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    if args.plain:
        plain_loop(args.plain, args.size, args.updates)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no process is left behind
    with tempfile.TemporaryDirectory() as name:
        made = {"uniform": uniform_data(Path(name) / "uniform")}
        if REAL_DATA.is_dir():
            made["real"] = real_data(Path(name) / "real")
            padding = mixed_padding(made["real"])
            print(f"real data: plain batches of all tasks would have {padding:.1f} % padding")
        else:
            print("real data: skipped, ../shared/data is not there")
        for threads in (2,) if args.quick else (1, 2):
            startup(list(made.values())[-1], threads)
            for data, folder in made.items():
                compare(data, folder, threads, (QUICK if args.quick else FULL)[data])


if __name__ == "__main__":
    main()
