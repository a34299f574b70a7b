"""Train a sentencepiece (unigram) tokenizer and save it in the layout transformers loads.

Text comes from the training files of a raw folder (RAW/<pair>/train.jsonl or train.txt, never
from valid or test), or from plain text files, one sentence a line.

examples:
  mtlprune tokenizer --raw raw --size 2000 --out tokenizer
  mtlprune tokenizer --raw news.en.txt news.es.txt --size 32000 --coverage 0.9995 --out tokenizer
"""

import argparse
from itertools import chain
from pathlib import Path

from mtlprune.cli.options import add_overwrite, at_least, folder_name
from mtlprune.data.corpus import texts, training_files
from mtlprune.data.sentencepieces import train_tokenizer
from mtlprune.errors import TokenizerError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--raw", type=Path, nargs="+", required=True, metavar="PLACE", help="folders or text files"
    )
    parser.add_argument(
        "--size", type=at_least(10), default=8000, help="number of pieces (default: %(default)s)"
    )
    parser.add_argument(
        "--coverage",
        type=float,
        default=1.0,
        help="share of characters that must have a piece; 0.9995 for Chinese or Japanese "
        "(default: %(default)s)",
    )
    parser.add_argument("--out", type=folder_name, required=True, help="folder to write")
    add_overwrite(parser)


def run(args: argparse.Namespace) -> None:
    if not 0.9 <= args.coverage <= 1.0:
        raise TokenizerError(f"--coverage {args.coverage} is not between 0.9 and 1.0")
    files = training_files(args.raw)
    lines = chain.from_iterable(texts(path) for path in files)
    size = train_tokenizer(lines, args.size, args.out, args.coverage, args.overwrite)
    print(f"{args.out}: tokenizer with {size} pieces, trained on {len(files)} file(s)")
