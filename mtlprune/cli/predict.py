"""Predict with a trained checkpoint, for all pairs of a prepared folder or some of them.

--format jsonl writes DIR/<pair>.jsonl, a line an example: id, answer, probabilities or margins.
--format xtreme writes what XTREME's evaluate.py reads: DIR/xnli/test-es.tsv and so on, with a label
a line, for tagging a tag a line and an empty line after a sentence, for QA a JSON object of answers
by id (DIR/xquad/test-es.json, or under tydiqa with --qa tydiqa).

--show N prints the first N examples of each pair with the right answer and the one found; DIR may
then be left out.

examples:
  mtlprune predict --path checkpoints/checkpoint_best.pt --data data-bin --show 2
  mtlprune predict --path checkpoints/checkpoint_best.pt --data data-bin --out predictions
  mtlprune predict --path best.pt --data data-bin --pairs nli-es,qa-es --split test \\
      --format xtreme --out predictions
"""

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mtlprune.artifacts import new_folder
from mtlprune.cli.options import add_overwrite, at_least, folder_name, progress
from mtlprune.data.examples import Example
from mtlprune.data.store import Store, open_stores, prepared_pairs
from mtlprune.errors import SpecError
from mtlprune.predictor import Predictor, load
from mtlprune.specs import parse_pairs

Answers = dict[int, dict[str, Any]]
# XTREME's names of our tasks; qa is either of two
FOLDERS = {"nli": "xnli", "pa": "pawsx", "ner": "panx", "pos": "udpos", "mlqa": "mlqa"}
QA_FOLDERS = ("xquad", "tydiqa")
LABEL_NUMBERS = {"pa": {"different": "0", "same": "1"}}  # XTREME's files have PAWS-X's own labels


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--path", type=Path, required=True, metavar="CKPT")
    parser.add_argument("--data", type=Path, required=True, metavar="DATA-BIN")
    parser.add_argument("--pairs", help="default: all prepared pairs of trained tasks")
    parser.add_argument("--split", default="test", help="default: %(default)s")
    parser.add_argument("--format", choices=sorted(WRITERS), default="jsonl")
    parser.add_argument(
        "--qa", choices=QA_FOLDERS, default="xquad", help="what qa is in XTREME's layout"
    )
    parser.add_argument("--batch-size", type=at_least(1), default=64, help="default: %(default)s")
    parser.add_argument("--show", type=at_least(1), metavar="N", help="print N examples a pair")
    parser.add_argument("--out", type=folder_name, metavar="DIR")
    add_overwrite(parser)


def run(args: argparse.Namespace) -> None:
    if not args.out and not args.show:
        raise SpecError("say where to write (--out DIR), or how many examples to print (--show N)")
    predictor = load(args.path)
    stores = _stores(args, predictor)
    if args.show:
        for store in stores:
            print("\n".join(_shown(predictor, store, args.split, args.show)), end="\n\n")
    if args.out:
        _write(args, predictor, stores)


def _write(args: argparse.Namespace, predictor: Predictor, stores: list[Store]) -> None:
    names = FOLDERS | {"qa": args.qa}
    if args.format == "xtreme":
        _refuse_others(stores, names)
    with (
        new_folder(args.out, args.overwrite, "predictions.json", nested=True) as folder,
        progress(len(stores), "predict", "pair") as advance,
    ):
        for store in stores:
            answers = predictor.answers(store, args.split, args.batch_size)
            name, lines = WRITERS[args.format](store, args.split, answers)
            path = folder / name.format(**names)
            path.parent.mkdir(exist_ok=True)
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            advance(1)
        about = {"checkpoint": str(args.path), "split": args.split, "format": args.format}
        (folder / "predictions.json").write_text(json.dumps(about), encoding="utf-8")
    print(f"{args.out}: predictions for {', '.join(str(store.pair) for store in stores)}")


def _shown(predictor: Predictor, store: Store, split: str, count: int) -> Iterator[str]:
    """Examples as a person reads them: what was asked, what is right, what was found."""
    spec, examples = store.spec, store[split]
    yield f"{store.pair}"
    for number in range(min(count, examples.examples)):
        example = examples.example(number)
        given = {name: example[name] for name in (*spec.fields, *spec.choices)}
        found = predictor.predict(str(store.pair), **given)["answer"]
        lines = {**given, "right": example.get(spec.target, "not known"), "found": found}
        for name, value in lines.items():
            yield f"  {name + ':':<12}{_as_text(value, example)}"


def _as_text(value: Any, example: Example) -> str:
    """A text, words, tags beside the words that have one, or answers."""
    if isinstance(value, float):
        return f"{value:.2f}"
    if not isinstance(value, list):
        return str(value)
    if value and isinstance(value[0], dict):
        return " | ".join(answer["text"] for answer in value) or "no answer"
    words = example.get("tokens", [])
    if value == words:
        return " ".join(words)
    tagged = [f"{word}/{tag}" for word, tag in zip(words, value, strict=True) if tag != "O"]
    return " ".join(tagged) or "no tags"


def _stores(args: argparse.Namespace, predictor: Predictor) -> list[Store]:
    if args.pairs:
        pairs = list(parse_pairs(args.pairs, predictor.tasks))
    else:
        pairs = [pair for pair in prepared_pairs(args.data) if pair.task in predictor.tasks]
    stores = [s for s in open_stores(args.data, pairs) if s.spec.kind != "mlm"]
    if not args.pairs:
        stores = [store for store in stores if args.split in store.splits]
    if not stores:
        raise SpecError(f"no pair with a split '{args.split}' to predict in {args.data}")
    return stores


def _as_jsonl(store: Store, split: str, answers: Answers) -> tuple[str, Iterator[str]]:
    examples = store[split]
    lines = (
        json.dumps({"id": examples.example(number)["id"], **answer}, ensure_ascii=False)
        for number, answer in sorted(answers.items())
    )
    return f"{store.pair}.jsonl", lines


def _as_xtreme(store: Store, split: str, answers: Answers) -> tuple[str, Iterator[str]]:
    ending = "json" if store.spec.kind == "span" else "tsv"
    lines = XTREME[store.spec.kind](store, split, answers)
    return f"{{{store.pair.task}}}/{split}-{store.pair.language}.{ending}", lines


def _refuse_others(stores: list[Store], names: dict[str, str]) -> None:
    others = sorted({store.pair.task for store in stores} - set(names))
    if others:
        raise SpecError(
            f"XTREME has no task {', '.join(others)} (it has {', '.join(sorted(names))}); choose "
            f"with --pairs, or write --format jsonl"
        )


def _labels(store: Store, split: str, answers: Answers) -> Iterator[str]:
    numbers = LABEL_NUMBERS.get(store.pair.task, {})
    for _, answer in sorted(answers.items()):
        yield numbers.get(answer["answer"], str(answer["answer"]))


def _tags(store: Store, split: str, answers: Answers) -> Iterator[str]:
    for _, answer in sorted(answers.items()):
        yield from answer["answer"]
        yield ""


def _texts(store: Store, split: str, answers: Answers) -> Iterator[str]:
    examples = store[split]
    found = {examples.example(n)["id"]: answer["answer"] for n, answer in sorted(answers.items())}
    yield json.dumps(found, ensure_ascii=False)


XTREME: dict[str, Callable[[Store, str, Answers], Iterator[str]]] = {
    "sentence": _labels,
    "regression": _labels,
    "choice": _labels,
    "token": _tags,
    "span": _texts,
}
WRITERS = {"jsonl": _as_jsonl, "xtreme": _as_xtreme}
