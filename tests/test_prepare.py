"""``mtlprune prepare`` from raw files to a store: counts, round trips, the same in any way."""

import json
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtlprune.cli.main import main
from mtlprune.data.store import Store, open_stores, prepared_pairs
from mtlprune.errors import StoreError
from mtlprune.specs import TaskLanguage

WNUT = """[tasks.wnut]
kind = "token"
entities = ["corporation", "creative-work", "group", "location", "person", "product"]
metric = "entity_f1"
fields = ["tokens"]
"""


def run(*arguments: Any) -> int:
    return main(["prepare", *map(str, arguments)])


def prepare(out: Path, pair: str, tokenizer: Any, *options: Any) -> Store:
    assert run("--pair", pair, "--tokenizer", tokenizer, "--out", out, *options) == 0
    return Store(out, TaskLanguage(*pair.split("-", 1)))


def prepare_world(out: Path, raw: Path, pair: str, tokenizer: Path, *options: Any) -> Store:
    suffix, name = (".txt", "text") if pair.startswith("mlm") else (".jsonl", "jsonl")
    files = [
        [f"--{split}", raw / pair / f"{split}{suffix}"] for split in ("train", "valid", "test")
    ]
    return prepare(out, pair, tokenizer, "--format", name, *chain.from_iterable(files), *options)


PAIRS = [f"{task}-{lang}" for task in ("nli", "pa", "qa", "ner", "mlm") for lang in ("en", "es")]


@pytest.fixture(scope="module")
def data_bin(raw: Path, tokenizer_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bin") / "data-bin"
    for pair in PAIRS:
        prepare_world(out, raw, pair, tokenizer_dir)
    return out


def test_all_pairs_of_the_world_are_stored_whole(data_bin: Path, raw: Path):
    assert [str(pair) for pair in prepared_pairs(data_bin)] == sorted(PAIRS)
    for store in open_stores(data_bin, prepared_pairs(data_bin)):
        for split, count in (("train", 300), ("valid", 50), ("test", 50)):
            facts = store[split].meta
            assert facts["read"] == facts["examples"] == count
            assert facts["left_out"] == {}
            store[split].verify()


def test_examples_come_back_as_they_were_given(data_bin: Path, raw: Path):
    for pair in ("nli-es", "qa-en", "ner-es"):
        store = Store(data_bin, TaskLanguage.parse(pair))
        lines = (raw / pair / "train.jsonl").read_text(encoding="utf-8").splitlines()
        assert [store["train"].example(at) for at in range(300)] == [json.loads(x) for x in lines]


def test_rows_lead_to_their_example(data_bin: Path):
    split = Store(data_bin, TaskLanguage("qa", "en"))["train"]
    for number in (0, 17, 299):
        rows = split.rows_of(number)
        assert len(rows) >= 1
        assert all(split["example"][row][0] == number for row in rows)
    assert sum(len(split.rows_of(number)) for number in range(300)) == len(split)


def test_meta_says_how_the_store_was_made(data_bin: Path, raw: Path, tokenizer_dir: Path):
    import hashlib

    meta = Store(data_bin, TaskLanguage("nli", "en")).meta
    source = (raw / "nli-en/train.jsonl").read_bytes()
    assert meta["splits"]["train"]["source"]["sha256"] == hashlib.sha256(source).hexdigest()
    labels = meta["splits"]["train"]["labels"]
    assert (
        labels == {k: source.decode().count(f'"{k}"') for k in labels}
        and sum(labels.values()) == 300
    )
    assert meta["tokenizer"]["name"] == str(tokenizer_dir)
    assert meta["task"]["labels"] == ["entailment", "neutral", "contradiction"]
    lengths = Store(data_bin, TaskLanguage("nli", "en"))["train"].lengths
    assert meta["splits"]["train"]["lengths"]["mean"] == pytest.approx(lengths.mean(), abs=0.01)


def test_the_tokenizer_travels_with_the_data(data_bin: Path):
    from mtlprune.data.tokenizers import load_tokenizer

    store = Store(data_bin, TaskLanguage("nli", "en"))
    assert load_tokenizer(str(data_bin / "tokenizer")).fingerprint == store.fingerprint


@pytest.mark.parametrize("pair", ["qa-es", "ner-en"])
def test_any_number_of_workers_writes_the_same_bytes(
    raw: Path, tokenizer_dir: Path, tmp_path: Path, pair: str, data_bin: Path
):
    prepare_world(tmp_path, raw, pair, tokenizer_dir, "--workers", 2)
    for path in (data_bin / pair).iterdir():
        if path.name != "meta.json":
            assert path.read_bytes() == (tmp_path / pair / path.name).read_bytes(), path.name


def test_stores_of_different_tokenizers_are_not_mixed(
    raw: Path, tokenizer_dir: Path, data_bin: Path, tmp_path: Path, capsys: Any
):
    from mtlprune.data.sentencepieces import train_tokenizer

    other = tmp_path / "other"
    train_tokenizer(["Ana lives in Lima", "Juan vive en Quito"] * 20, 22, other)
    command = ("--pair", "stsb-en", "--format", "tsv", "--tokenizer", other, "--out", data_bin)
    (tmp_path / "f.tsv").write_text("a\tb\t3\n")
    assert run(*command, "--train", tmp_path / "f.tsv") == 2
    message = capsys.readouterr().err
    assert "prepared with another tokenizer" in message and str(other) in message
    prepare_world(tmp_path / "bin", raw, "nli-en", other)
    (tmp_path / "bin/nli-es").symlink_to(data_bin / "nli-es")
    with pytest.raises(StoreError, match="different tokenizers") as caught:
        open_stores(tmp_path / "bin", [TaskLanguage("nli", "en"), TaskLanguage("nli", "es")])
    assert "nli-en" in str(caught.value) and "nli-es" in str(caught.value)


def test_a_store_that_is_missing_or_damaged_is_named(
    raw: Path, tokenizer_dir: Path, tmp_path: Path
):
    store = prepare_world(tmp_path, raw, "nli-en", tokenizer_dir)
    with pytest.raises(
        StoreError, match=r"no prepared data .*prepared: nli-en.*run: mtlprune prepare"
    ):
        Store(tmp_path, TaskLanguage("nli", "es"))
    with pytest.raises(StoreError, match="no split 'dev'"):
        store["dev"]
    tokens = tmp_path / "nli-en/train.tokens.bin"
    data = bytearray(tokens.read_bytes())
    data[5] ^= 1
    tokens.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        Store(tmp_path, store.pair)["train"].verify()
    tokens.write_bytes(data[:-1])
    with pytest.raises(StoreError, match=r"train\.tokens\.bin has"):
        Store(tmp_path, store.pair)
    tokens.unlink()
    with pytest.raises(StoreError, match="is missing"):
        Store(tmp_path, store.pair)


def test_faults_are_skipped_counted_and_the_first_three_shown(
    tokenizer_dir: Path, tmp_path: Path, capsys: Any
):
    file = tmp_path / "f.tsv"
    file.write_text("a\tb\tneutral\n" + "a\tb\tmaybe\n" * 4 + "a\n\nc\td\tentailment\n")
    store = prepare(
        tmp_path / "bin", "nli-en", tokenizer_dir, "--format", "xnli", "--valid", file,
        "--on-error", "skip",
    )  # fmt: skip
    facts = store["valid"].meta
    assert facts["left_out"] == {"unknown label": 4, "wrong number of columns": 1, "blank line": 1}
    assert (facts["read"], facts["examples"]) == (8, 2)
    shown = capsys.readouterr().out
    assert "4 left out: unknown label" in shown and "1 left out: blank line" in shown
    assert "line 2: unknown label 'maybe'" in shown and "line 4" in shown and "line 5" not in shown


def test_unlabelled_test_data_is_stored_without_targets(tokenizer_dir: Path, tmp_path: Path):
    file = tmp_path / "f.tsv"
    file.write_text("a\tb\nc\td\n")
    store = prepare(tmp_path / "bin", "nli-en", tokenizer_dir, "--format", "xnli", "--test", file)
    assert store["test"]["target"].sizes.tolist() == [0, 0]
    assert store["test"].meta["labels"] == {}


REAL = [
    ("nli-de", "xnli", "xnli/dev-de.tsv", 300, 0),
    ("pa-fr", "pawsx", "pawsx/dev-fr.tsv", 300, 2),
    ("ner-de", "panx", "panx/dev-de.tsv", 300, 0),
    ("pos-es", "udpos", "udpos/dev-es.tsv", 300, 0),
    ("qa-de", "squad", "xquad/xquad.de.json", 1190, 0),
    ("mlqa-zh", "squad", "mlqa/dev-context-zh-question-zh.json", 504, 0),
    ("wnut-en", "conll", "wnut17/emerging.dev.conll", 300, 0),
    ("rte-en", "glue:rte", "glue/RTE.dev.tsv", 277, 0),
    ("cola-en", "glue:cola", "glue/CoLA.dev.tsv", 300, 0),
    ("sst2-en", "glue:sst2", "glue/SST-2.dev.tsv", 299, 0),
    ("stsb-es", "csv", "stsb/stsb-es-dev.csv", 300, 0),
    ("slot-es", "mtod", "mtod/eval-es.tsv", 300, 0),
]


@pytest.fixture(scope="module")
def real_bin(real_raw: Path, real_tokenizer: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("real")
    (folder / "tasks.toml").write_text(WNUT)
    for pair, name, file, _, _ in REAL:
        prepare(
            folder / "bin", pair, real_tokenizer, "--format", name, "--valid", real_raw / file,
            "--task-table", folder / "tasks.toml",
        )  # fmt: skip
    return folder / "bin"


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "name", "file", "read", "left_out"), REAL)
def test_real_files_are_stored_or_counted(
    real_bin: Path, pair: str, name: str, file: str, read: int, left_out: int
):
    facts = Store(real_bin, TaskLanguage(*pair.split("-", 1)))["valid"].meta
    assert facts["read"] == read
    assert sum(facts["left_out"].values()) == left_out
    assert facts["examples"] + left_out == read


@pytest.mark.slow
def test_real_words_and_tags_come_back(real_bin: Path, real_raw: Path):
    for pair, file in (("ner-de", "panx/dev-de.tsv"), ("pos-es", "udpos/dev-es.tsv")):
        store = Store(real_bin, TaskLanguage(*pair.split("-")))
        split = store["valid"]
        text = (real_raw / file).read_text(encoding="utf-8")
        sentences = [part.split("\n") for part in text.strip("\n").split("\n\n")]
        assert len(sentences) == split.examples
        for number, lines in enumerate(sentences):
            words, tags = zip(*(line.split("\t") for line in lines), strict=True)
            assert split.example(number)["tokens"] == list(words)
            stored = [t for row in split.rows_of(number) for t in split["target"][row].tolist()]
            assert [store.spec.labels[label] for label in stored] == list(tags)


def answers_of(store: Store, name: str) -> tuple[int, int, int]:
    """Exact, reported as inexact, and not found in any window; decoded from what is stored."""
    split, exact, inexact, absent = store[name], 0, 0, 0
    for number in range(split.examples):
        example = split.example(number)
        if not example["answers"]:
            continue
        decoded = set()
        for row in split.rows_of(number):
            first, last = split["target"][row].tolist()
            if first >= 0:
                start = int(split["context"][row][0])
                offsets = split["offsets"][row].reshape(-1, 2)
                span = example["context"][offsets[first - start, 0] : offsets[last - start, 1]]
                decoded.add(span.strip())
        gold = example["answers"][0]["text"].strip()
        exact += decoded == {gold}
        inexact += bool(decoded) and decoded != {gold}
        absent += not decoded
    return exact, inexact, absent


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["qa-de", "mlqa-zh"])
def test_real_answers_come_back_exactly_or_are_reported(real_bin: Path, pair: str):
    store = Store(real_bin, TaskLanguage(*pair.split("-")))
    exact, inexact, absent = answers_of(store, "valid")
    notes = store["valid"].meta["notes"]
    assert inexact == notes.get("answer ends inside a sub-word", 0)
    assert absent == notes.get("answer longer than a window", 0)
    assert exact + inexact + absent == store["valid"].examples
    assert pair != "qa-de" or exact > 1150


@pytest.mark.slow
@pytest.mark.parametrize("task", ["nli", "pa", "qa", "ner"])
@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_real_benchmark_is_stored_whole(
    real_pairs: Path, real_tokenizer: str, tmp_path: Path, task: str, lang: str
):
    names = {"train": "train", "valid": "dev", "test": "test"}
    files = {split: real_pairs / f"{task}.{lang}.{name}.jsonl" for split, name in names.items()}
    options = chain.from_iterable((f"--{split}", path) for split, path in files.items())
    store = prepare(tmp_path, f"{task}-{lang}", real_tokenizer, "--format", "jsonl", *options)
    for split, path in files.items():
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        facts = store[split].meta
        assert facts["read"] == facts["examples"] == len(lines)
        ids = [store[split].example(at)["id"] for at in range(0, len(lines), 97)]
        assert ids == [json.loads(line)["id"] for line in lines[::97]]
        if task == "qa":
            exact, inexact, absent = answers_of(store, split)
            assert exact + inexact + absent == len(lines)
            assert inexact == facts["notes"].get("answer ends inside a sub-word", 0)
            assert absent == facts["notes"].get("answer longer than a window", 0)


@pytest.mark.slow
def test_real_pairs_have_the_tokenizers_own_encoding(real_bin: Path, real_tokenizer: str):
    from mtlprune.data.tokenizers import load_tokenizer

    hf = load_tokenizer(real_tokenizer).transformers
    for pair in ("nli-de", "pa-fr", "rte-en", "stsb-es"):
        store = Store(real_bin, TaskLanguage(*pair.split("-")))
        split = store["valid"]
        examples = [split.example(at) for at in range(split.examples)]
        texts = [[example[name] for example in examples] for name in store.spec.fields]
        own = hf(*texts, truncation="longest_first", max_length=128)["input_ids"]
        assert [split["tokens"][at].tolist() for at in range(len(split))] == own
        assert np.array_equal(split.lengths, [len(ids) for ids in own])
