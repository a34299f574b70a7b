"""Raw files to a store: read, check, encode, write; everything read is stored or counted."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from mtlprune import __version__
from mtlprune.artifacts import new_folder, write_artifact
from mtlprune.data import formats
from mtlprune.data.encoding import Encoder, Limits, make_encoder
from mtlprune.data.examples import BadExample, Example, check
from mtlprune.data.formats.items import Fault, LeftOut, Record, place_text
from mtlprune.data.store import KIND, META, SplitWriter, Store, prepared_pairs
from mtlprune.data.tokenizers import Tokenizer
from mtlprune.data.workers import Encode, encoding
from mtlprune.errors import DataError, StoreError
from mtlprune.specs import TaskLanguage, TaskSpec

CHUNK = 500  # examples that travel together
SHOWN = 3  # faults shown when they are skipped
TOKENIZER = "tokenizer"

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Job:
    """What to prepare: one pair, from raw files, into a folder."""

    pair: TaskLanguage
    spec: TaskSpec
    format: str
    sources: Mapping[str, Path]  # by split
    limits: Limits
    out: Path
    skip_faults: bool = False
    overwrite: bool = False
    workers: int = 1
    command: str = ""


@dataclass
class Reading:
    """Counts of one split while it is read; ``kept`` are those handed on."""

    source: formats.SourceFile
    split: str
    kept: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def prepare(job: Job, tokenizer: Tokenizer, advance: Advance = lambda done: None) -> Store:
    """Prepare one pair; ``advance`` is called with numbers of raw bytes read."""
    formats.find_format(job.format, job.spec)
    readings = [Reading(formats.SourceFile(path), split) for split, path in job.sources.items()]
    _refuse_other_tokenizer(job, tokenizer)
    with new_folder(job.out / str(job.pair), job.overwrite, META) as folder:
        encoder = make_encoder(job.spec, tokenizer, job.limits)
        with encoding(encoder, job.workers) as encode:
            splits = {
                reading.split: _write_split(job, folder, reading, encode, encoder, advance)
                for reading in readings
            }
        _keep_tokenizer(job, tokenizer)
        write_artifact(folder / META, KIND, _meta(job, tokenizer, splits))
    return Store(job.out, job.pair)


def _meta(job: Job, tokenizer: Tokenizer, splits: dict[str, Any]) -> dict[str, Any]:
    return {
        "pair": str(job.pair),
        "task": job.spec.to_dict(),
        "tokenizer": {
            "name": tokenizer.name,
            "fingerprint": tokenizer.fingerprint,
            "vocabulary": tokenizer.vocabulary_size,
            "special_ids": tokenizer.special_ids,
            "uses_segments": tokenizer.uses_segments,
        },
        "max_length": job.limits.max_length,
        "doc_stride": job.limits.doc_stride if job.spec.kind == "span" else None,
        "splits": splits,
        "made_by": {"mtlprune": __version__, "command": job.command},
    }


def _write_split(
    job: Job,
    folder: Path,
    reading: Reading,
    encode: Encode,
    encoder: Encoder,
    advance: Advance,
) -> dict[str, Any]:
    examples = _examples(job, reading)
    with closing(SplitWriter(folder, reading.split, encoder.dtypes)) as writer:
        done = 0
        for texts, rows in encode(_chunks(examples)):
            writer.append(texts, rows)
            advance(reading.source.position - done)
            done = reading.source.position
        if not writer.examples:
            raise DataError(_empty(reading))
        facts = writer.finish()
    assert facts["examples"] == reading.kept
    left_out = dict(reading.left_out.most_common())
    return {
        "read": reading.kept + sum(left_out.values()),
        **facts,
        "left_out": left_out,
        "first_faults": reading.faults,
        "source": {
            "name": reading.source.path.name,
            "bytes": reading.source.position,
            "sha256": reading.source.digest,
        },
    }


def _empty(reading: Reading) -> str:
    lost = ", ".join(f"{count} {reason}" for reason, count in reading.left_out.items())
    shown = "".join(f"\n  {fault}" for fault in reading.faults)
    found = f"left out were: {lost}{shown}" if lost else "the file is empty"
    return f"{reading.source.path}: no example for split '{reading.split}' in it; {found}"


def _examples(job: Job, reading: Reading) -> Iterator[Example]:
    """Checked examples of one file. A fault stops the job, or is counted and the first shown."""
    labelled = reading.split != "test"
    source = reading.source
    items = formats.read(job.format, source, job.spec, job.pair.language, labelled)
    for item in items:
        if isinstance(item, Record):
            try:
                example = check(item.fields, job.spec, labelled, f"{reading.split}-{reading.kept}")
            except BadExample as problem:
                item = Fault(item.place_of(problem.token), problem.reason, str(problem))
            else:
                reading.kept += 1
                yield example
                continue
        reading.left_out[item.reason] += 1
        if isinstance(item, LeftOut):
            continue
        message = f"{source.path}, {place_text(item.place)}: {item.detail}"
        if not job.skip_faults:
            right = formats.FORMATS[job.format].example(job.spec)
            raise DataError(
                f"{message}\na right line looks like: {right}\n"
                f"mend the file, or give --on-error skip to leave such lines out and count them"
            )
        if len(reading.faults) < SHOWN:
            reading.faults.append(message)


def _chunks(examples: Iterator[Example]) -> Iterator[list[Example]]:
    while chunk := list(islice(examples, CHUNK)):
        yield chunk


def _refuse_other_tokenizer(job: Job, tokenizer: Tokenizer) -> None:
    for pair in prepared_pairs(job.out):
        if pair == job.pair:
            continue
        store = Store(job.out, pair)
        if store.fingerprint != tokenizer.fingerprint:
            raise StoreError(
                f"{job.out} holds {pair}, prepared with another tokenizer "
                f"({store.meta['tokenizer']['name']}, {store.fingerprint[:12]}; this one is "
                f"{tokenizer.name}, {tokenizer.fingerprint[:12]}); use that one, or another --out"
            )
        return  # the others were compared with it when they were made


def _keep_tokenizer(job: Job, tokenizer: Tokenizer) -> None:
    """A copy of the tokenizer beside the pairs, so that the folder is complete in itself."""
    folder = job.out / TOKENIZER
    if folder.is_dir() and any(pair != job.pair for pair in prepared_pairs(job.out)):
        return  # the other pairs were made with it, and compared with this one
    with new_folder(folder, overwrite=True, mark="tokenizer.json") as temporary:
        tokenizer.transformers.save_pretrained(temporary)
