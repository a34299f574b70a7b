"""Make raw data of the built-in world: people, places, organisations, and facts about them.

Writes RAW/<task>-<language>/{train,valid,test}.jsonl for NLI, paraphrase, QA and NER in English
and Spanish (row i says the same in both), and plain text RAW/mlm-<language>/*.txt.

examples:
  mtlprune world --out raw --train 20000 --valid 1000 --test 1000 --seed 1
  mtlprune world --out raw --train 500 --valid 100 --test 100 --tasks nli,ner --languages es
"""

import argparse
from collections.abc import Sequence

from mtlprune.cli.options import at_least, folder_name, progress
from mtlprune.data.tinyworld import LANGUAGES, SPLITS, TASKS, write_world
from mtlprune.errors import SpecError
from mtlprune.reports.tables import Cell, text_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=folder_name, required=True, metavar="RAW")
    for split, count in zip(SPLITS, (10000, 1000, 1000), strict=True):
        parser.add_argument(
            f"--{split}",
            type=at_least(0),
            default=count,
            metavar="N",
            help=f"examples a pair in {split} (default: %(default)s)",
        )
    parser.add_argument("--seed", type=at_least(0), default=1, help="default: %(default)s")
    parser.add_argument("--tasks", default=",".join(TASKS), help="default: %(default)s")
    parser.add_argument("--languages", default=",".join(LANGUAGES), help="default: %(default)s")


def run(args: argparse.Namespace) -> None:
    tasks = _chosen(args.tasks, TASKS, "--tasks")
    languages = _chosen(args.languages, LANGUAGES, "--languages")
    counts = {split: getattr(args, split) for split in SPLITS}
    total = sum(counts.values()) * len(tasks) * len(languages)
    with progress(total, "world", "ex") as advance:
        written = write_world(args.out, counts, args.seed, languages, tasks, advance)
    rows: list[Sequence[Cell]] = [
        [pair, *(facts.get(split, 0) for split in SPLITS)] for pair, facts in written.items()
    ]
    print(text_table(("pair", *SPLITS), rows))


def _chosen(text: str, known: tuple[str, ...], option: str) -> tuple[str, ...]:
    chosen = tuple(item.strip() for item in text.split(","))
    unknown = [item for item in chosen if item not in known]
    if unknown:
        raise SpecError(f"{option}: {', '.join(unknown)} unknown (known: {', '.join(known)})")
    return chosen
