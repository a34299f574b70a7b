"""Turn raw files of a task-language pair into training data: DATA-BIN/<pair>/.

Give --pair, --format and at least one of --train, --valid, --test; or --raw and a folder laid out
as 'mtlprune world' does, to prepare all its pairs. A test file may come without labels. All pairs
in one DATA-BIN share one tokenizer. Every line read is stored, or counted with the reason.

examples:
  mtlprune prepare --pair nli-es --format xnli --train train-es.tsv --valid dev-es.tsv \\
      --tokenizer xlm-roberta-base --out data-bin
  mtlprune prepare --pair qa-de --format squad --test xquad.de.json \\
      --tokenizer xlm-roberta-base --max-length 384 --doc-stride 128 --out data-bin
  mtlprune prepare --pair ner-en --format jsonl --train raw/ner-en/train.jsonl \\
      --valid raw/ner-en/valid.jsonl --tokenizer ./tokenizer --out data-bin
  mtlprune prepare --pair wnut-en --task-table my_tasks.toml --format conll --train w.conll ...
  mtlprune prepare --raw raw --tokenizer ./tokenizer --out data-bin
  mtlprune prepare --list      # tasks and formats
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mtlprune.cli.options import (
    add_overwrite,
    add_task_table,
    at_least,
    command_line,
    folder_name,
    progress,
)
from mtlprune.data.corpus import FORMAT_OF_SUFFIX, raw_files
from mtlprune.data.encoding import Limits
from mtlprune.data.formats import FORMATS
from mtlprune.data.prepare import Job, prepare
from mtlprune.data.store import META, SPLITS, Store
from mtlprune.data.tokenizers import load_tokenizer
from mtlprune.errors import DataError, StoreError
from mtlprune.reports.tables import Cell, text_table
from mtlprune.specs import KINDS, TASKS, TaskLanguage, TaskSpec
from mtlprune.task_table import read_task_table

Tasks = Mapping[str, TaskSpec]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pair", help="task and language, such as nli-es")
    parser.add_argument("--format", help="raw format; --list shows all")
    for split in SPLITS:
        parser.add_argument(f"--{split}", type=Path, metavar="FILE", help=f"raw file for {split}")
    parser.add_argument(
        "--raw", type=Path, help="prepare <pair>/{train,valid,test}.{jsonl,txt} of this folder"
    )
    parser.add_argument("--tokenizer", metavar="NAME_OR_DIR", help="folder, or name on the hub")
    parser.add_argument("--out", type=folder_name, metavar="DATA-BIN", help="folder to write to")
    defaults = ", ".join(f"{name} {kind.max_length}" for name, kind in KINDS.items())
    parser.add_argument(
        "--max-length", type=at_least(8), help=f"longest row in tokens (default: {defaults})"
    )
    parser.add_argument(
        "--doc-stride",
        type=at_least(0),
        help="span tasks: tokens that neighbouring windows of a context share "
        f"(default: {Limits.doc_stride})",
    )
    parser.add_argument(
        "--max-question",
        type=at_least(1),
        help=f"span tasks: longest question in tokens (default: {Limits.max_question})",
    )
    parser.add_argument(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="on a bad line: stop, or leave it out and count it (default: %(default)s)",
    )
    parser.add_argument(
        "--workers", type=at_least(1), default=1, help="processes (default: %(default)s)"
    )
    parser.add_argument("--list", action="store_true", help="show tasks and formats, and leave")
    add_task_table(parser)
    add_overwrite(parser)


def run(args: argparse.Namespace) -> None:
    tasks = read_task_table(args.task_table) if args.task_table else TASKS
    if args.list:
        print(tables(tasks))
        return
    jobs = _jobs(args, tasks)
    tokenizer = load_tokenizer(args.tokenizer)
    stores = []
    for job in jobs:
        total = sum(path.stat().st_size for path in job.sources.values() if path.is_file())
        with progress(total, str(job.pair), "B") as advance:
            stores.append(prepare(job, tokenizer, advance))
    print(summary(stores))


def tables(tasks: Tasks) -> str:
    """All tasks and formats."""
    rows = [
        (t.name, t.kind, t.metric, ", ".join((*t.fields, *t.choices)), t.labels_text() or "-")
        for t in tasks.values()
    ]
    known = text_table(("task", "kind", "metric", "text fields", "labels"), rows)
    listed = [(name, ", ".join(row.kinds), row.about) for name, row in FORMATS.items()]
    return f"{known}\n\n{text_table(('format', 'kinds of task', 'what it is'), listed)}"


def _jobs(args: argparse.Namespace, tasks: Tasks) -> list[Job]:
    """What to do, as the options say; a mistake in any is found before the first begins."""
    given = {split: getattr(args, split) for split in SPLITS if getattr(args, split)}
    needed = ("tokenizer", "out") if args.raw else ("pair", "format", "tokenizer", "out")
    missing = [f"--{name}" for name in needed if not getattr(args, name)]
    if missing:
        also = "" if args.raw else " (or --raw FOLDER for all pairs of a folder)"
        raise DataError(f"{' and '.join(missing)} missing{also}; see mtlprune prepare --help")
    if args.raw and (args.pair or args.format or given):
        raise DataError("--raw goes without --pair, --format, --train, --valid and --test")
    found = raw_files(args.raw) if args.raw else {args.pair: given}
    jobs = [_job(args, tasks, pair, files) for pair, files in found.items()]
    _refuse_unused(args, jobs)
    for job in jobs:
        _refuse_existing(job)
    return jobs


def _refuse_unused(args: argparse.Namespace, jobs: Sequence[Job]) -> None:
    """An option that would change nothing is a misunderstanding; so is a file given twice."""
    unused = [name for name in ("doc_stride", "max_question") if getattr(args, name) is not None]
    if unused and not any(job.spec.kind == "span" for job in jobs):
        raise DataError(
            f"--{unused[0].replace('_', '-')} is for span tasks; {jobs[0].pair} is none"
        )
    for job in jobs:
        if not job.sources:
            raise DataError("nothing to prepare: give at least one of --train, --valid, --test")
        files = [path.resolve() for path in job.sources.values()]
        if len(set(files)) < len(files):
            raise DataError(f"{job.pair}: the same file is given for more than one split")


def _refuse_existing(job: Job) -> None:
    """Told before the work begins, with what would be lost."""
    if (job.out / str(job.pair) / META).exists() and not job.overwrite:
        splits = ", ".join(Store(job.out, job.pair).splits)
        raise StoreError(
            f"{job.out / str(job.pair)} exists already, with {splits}; --overwrite replaces all of "
            f"it, so give the files of every split you want to have"
        )


def _job(args: argparse.Namespace, tasks: Tasks, name: str, sources: dict[str, Path]) -> Job:
    pair = TaskLanguage.parse(name, tasks)
    spec = tasks[pair.task]
    form = args.format or FORMAT_OF_SUFFIX[next(iter(sources.values())).suffix]
    limits = Limits(
        args.max_length or KINDS[spec.kind].max_length,
        Limits.doc_stride if args.doc_stride is None else args.doc_stride,
        args.max_question or Limits.max_question,
    )
    return Job(
        pair,
        spec,
        form,
        sources,
        limits,
        args.out,
        skip_faults=args.on_error == "skip",
        overwrite=args.overwrite,
        workers=args.workers,
        command=command_line(),
    )


def summary(stores: Sequence[Store]) -> str:
    """What was prepared, a line a split; then what was cut or left out, and why."""
    rows: list[Sequence[Cell]] = []
    remarks = []
    for store in stores:
        for split, facts in store.meta["splits"].items():
            rows.append((str(store.pair), split, *_numbers(facts)))
            remarks += [f"{store.pair} {split}: {remark}" for remark in _remarks(facts)]
            remarks += [f"  {fault}" for fault in facts["first_faults"]]
    header = "pair split read stored left-out windows truncated mean-length p95".split()
    return "\n".join([text_table(header, rows), *remarks])


def _numbers(facts: dict[str, Any]) -> tuple[Cell, ...]:
    return (
        facts["read"],
        facts["examples"],
        sum(facts["left_out"].values()),
        facts["rows"],
        facts["notes"].get("truncated", 0),
        facts["lengths"]["mean"],
        facts["lengths"]["p95"],
    )


def _remarks(facts: dict[str, Any]) -> list[str]:
    notes = {reason: count for reason, count in facts["notes"].items() if reason != "truncated"}
    left_out = {f"left out: {reason}": count for reason, count in facts["left_out"].items()}
    unknown = notes.pop("unknown tokens", 0)
    share = unknown / max(facts["rows"] * facts["lengths"]["mean"], 1)
    remarks = [f"{count:,} {reason}" for reason, count in (left_out | notes).items() if count]
    if share > 0.001:
        hint = "; does the tokenizer know this language?" if share > 0.05 else ""
        remarks.append(f"{unknown:,} unknown tokens ({100 * share:.1f} %){hint}")
    return remarks
