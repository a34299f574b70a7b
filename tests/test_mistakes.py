"""What users get wrong: one clear message, exit code 2, no traceback, nothing half-written."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mtlprune.cli.main import COMMANDS, main
from mtlprune.data.store import Store
from mtlprune.data.tinyworld import write_world
from mtlprune.errors import StoreError
from mtlprune.specs import TaskLanguage

GOOD = "a\tb\tneutral\n"
SQUAD = '{"data": [{"paragraphs": [{"context": "Ana vive.", "qas": [%s]}]}]}'
QUESTION = '{"id": "q1", "question": "¿?", "answers": [{"text": "%s", "answer_start": %d}]}'

# name: (pair, format, content of the file, what the message must say)
BAD_FILES: dict[str, tuple[str, str, str | bytes, tuple[str, ...]]] = {
    "empty file": ("nli-es", "xnli", "", ("the file is empty", "'train'")),
    "only blank lines": ("nli-es", "xnli", "\n\n", ("no example", "2 blank line")),
    "one column too few": ("nli-es", "xnli", GOOD + "a\tb\n", ("line 2", "2 columns, expected 3")),
    "one column too many": ("nli-es", "xnli", "a\tb\tc\tneutral\n", ("line 1", "4 columns")),
    "unknown label": (
        "nli-es",
        "xnli",
        GOOD + "a\tb\tmaybe\n",
        ("line 2", "unknown label 'maybe'", "entailment, neutral, contradiction"),
    ),
    "a number for a label": (
        "nli-es",
        "jsonl",
        '{"premise":"a","hypothesis":"b","label":2}',
        ("'2'",),
    ),
    "empty text": ("nli-es", "xnli", "a\t \tneutral\n", ("'hypothesis' is empty",)),
    "invalid UTF-8": (
        "nli-es",
        "xnli",
        GOOD.encode() + b"\xff\tb\tneutral\n",
        ("line 2", "byte 12 "),
    ),
    "UTF-16": ("nli-es", "xnli", GOOD.encode("utf-16"), ("UTF-16", "iconv")),
    "a zip file": ("nli-es", "xnli", b"PK\x03\x04", ("compressed",)),
    "JSON given as table": ("nli-es", "xnli", SQUAD % "", ("did you mean --format squad?",)),
    "JSON lines given as table": ("pa-es", "pawsx", '{"sentence1": "a"}\n', ("--format jsonl",)),
    "table given as JSON": ("nli-es", "jsonl", GOOD, ("does not start like JSON",)),
    "JSON lines given as SQuAD": ("qa-es", "squad", '{"id": 1}\n{"id": 2}\n', ("--format jsonl?",)),
    "broken JSON line": ("nli-es", "jsonl", '{"premise": "a",}\n', ("line 1", "not JSON")),
    "missing field": (
        "nli-es",
        "jsonl",
        '{"premise": "a", "label": "neutral"}',
        ("'hypothesis' is missing",),
    ),
    "broken SQuAD": (
        "qa-es",
        "squad",
        (SQUAD % QUESTION % ("Ana", 0))[:-9],
        ("line 1", "SQuAD|Expecting"),
    ),
    "SQuAD without data": ("qa-es", "squad", '{"version": "1.1"}', ('no list "data"',)),
    "answer not in its context": (
        "qa-es",
        "squad",
        SQUAD % QUESTION % ("Eva", 0),
        ("question 'q1'", "'Eva' is not in the context"),
    ),
    "answer at two other places": (
        "qa-es",
        "jsonl",
        '{"question":"q","context":"a bbbbb c bbbbb a","answers":[{"text":"a","answer_start":7}]}',
        ("nor at just one other place",),
    ),
    "tags and tokens differ": (
        "ner-es",
        "jsonl",
        '{"tokens":["a","b"],"tags":["O"]}',
        ("2 tokens, but 1 tags",),
    ),
    "token without tag": ("ner-es", "panx", "Lima\tB-LOC\nes\n", ("line 2", "no tag")),
    "unknown tag": ("ner-es", "panx", "Lima\tB-CITY\n", ("'B-CITY'", "Lima<TAB>B-LOC")),
    "unknown tag further on": (
        "ner-es",
        "panx",
        "Uno\tO\n\nen\tO\nLima\tB-CITY\n",
        ("line 4", "'B-CITY'"),
    ),
    "some tokens without prefix": (
        "ner-es",
        "panx",
        "es:a\tO\n\nes:b\tO\nc\tO\n",
        ("line 4", "es:"),
    ),
    "score out of range": ("stsb-es", "tsv", "a\tb\t5.5\n", ("line 1", "from 0 to 5")),
    "quotation mark never closed": (
        "stsb-es",
        "csv",
        '"a,b,1\n',
        ("line 1", "a row starts here|row starts"),
    ),
    "GLUE file without header": (
        "rte-en",
        "glue:rte",
        "0\ta\tb\tentailment\n",
        ("must be a header",),
    ),
    "three columns of plain text": ("mlm-es", "text", "a\tb\tc\n", ("line 1", "2 tabs")),
    "no labels in training data": (
        "nli-es",
        "tsv",
        "premise\thypothesis\na\tb\n",
        ("'label' is missing",),
    ),
    "half a character": (
        "nli-es",
        "jsonl",
        '{"premise":"\\ud800","hypothesis":"b","label":"neutral"}',
        ("half",),
    ),
}


def call(arguments: list[Any], capsys: Any) -> tuple[int, str]:
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.err


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_told_and_leaves_nothing(
    name: str, tokenizer_dir: Path, tmp_path: Path, capsys: Any
):
    pair, form, content, expected = BAD_FILES[name]
    file = tmp_path / "bad.file"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    out = tmp_path / "out"
    command = ["prepare", "--pair", pair, "--format", form, "--train", file]
    code, message = call([*command, "--tokenizer", tokenizer_dir, "--out", out], capsys)
    assert code == 2, message
    assert message.startswith("mtlprune: ") and "Traceback" not in message
    assert str(file) in message
    for words in expected:
        assert any(part in message for part in words.split("|")), f"{words!r} not in:\n{message}"
    assert leftovers(out) == []


def test_a_bad_line_is_told_with_an_example_of_a_right_one(
    tokenizer_dir: Path, tmp_path: Path, capsys: Any
):
    file = tmp_path / "f.tsv"
    file.write_text(GOOD + "broken\n")
    command = ["prepare", "--pair", "nli-es", "--format", "xnli", "--train", file]
    _, message = call([*command, "--tokenizer", tokenizer_dir, "--out", tmp_path / "out"], capsys)
    assert f"{file}, line 2: 1 columns, expected 3 (premise, hypothesis, label)" in message
    assert "looks like: some premise<TAB>some hypothesis<TAB>entailment" in message
    assert "--on-error skip" in message


OTHERS: dict[str, tuple[Callable[[Path], dict[str, Any]], str]] = {
    "missing file": (lambda p: {"--train": p / "none.tsv"}, "No such file"),
    "a folder for a file": (lambda p: {"--train": p}, "is a folder; give a file"),
    "unknown format": (lambda p: {"--format": "xnil"}, "did you mean xnli?"),
    "format of another kind": (lambda p: {"--format": "panx"}, "formats that do: xnli, pawsx"),
    "unknown task": (lambda p: {"--pair": "foo-es"}, "there is no task 'foo'"),
    "a pair that leaves the folder": (lambda p: {"--pair": "nli-../../x"}, "joined by a dash"),
    "no tokenizer there": (lambda p: {"--tokenizer": p / "no"}, "no such folder"),
    "a folder without tokenizer": (lambda p: {"--tokenizer": p}, "mtlprune tokenizer --raw"),
    "rows too short": (
        lambda p: {"--max-length": 8, "--pair": "qa-es", "--format": "jsonl"},
        "--doc-stride",
    ),
    "a task table that is none": (lambda p: {"--task-table": p / "f.tsv"}, "not a TOML file"),
    "out is a file": (lambda p: {"--out": p / "f.tsv"}, "f.tsv"),
    "exists already": (lambda p: {"--out": p / "done"}, "give --overwrite"),
    "a folder of the user's": (
        lambda p: {"--out": p / "done", "--overwrite": None},
        "not replaced",
    ),
    "no folder at all": (lambda p: {"--tokenizer": "./no/such"}, "no such folder"),
    "a file for a tokenizer": (lambda p: {"--tokenizer": p / "f.tsv"}, "give the folder it is in"),
    "stride for a sentence task": (lambda p: {"--doc-stride": 5}, "--doc-stride is for span tasks"),
    "one file for two splits": (lambda p: {"--test": p / "f.tsv"}, "more than one split"),
    "GLUE file of another task": (
        lambda p: {"--pair": "cola-en", "--format": "glue:sst2"},
        "does not hold examples of task cola",
    ),
    "task and language swapped": (lambda p: {"--pair": "es-nli"}, "did you mean nli-es?"),
    "a data set for a task": (lambda p: {"--pair": "xnli-fr"}, "nli-fr (with --format xnli)"),
    "a data set for a format": (lambda p: {"--format": "xquad"}, "did you mean squad?"),
    "raw and pair": (lambda p: {"--raw": p}, "--raw goes without --pair"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_wrong_option_is_told(
    name: str, tokenizer_dir: Path, tmp_path: Path, capsys: Any, monkeypatch: Any
):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "f.tsv").write_text(GOOD)
    (tmp_path / "done/nli-es").mkdir(parents=True)
    (tmp_path / "done/nli-es/mine.txt").touch()
    options = {
        "--pair": "nli-es",
        "--format": "xnli",
        "--train": tmp_path / "f.tsv",
        "--tokenizer": tokenizer_dir,
        "--out": tmp_path / "out",
    }
    change, expected = OTHERS[name]
    options |= change(tmp_path)
    words = [x for pair in options.items() for x in pair if x is not None]
    code, message = call(["prepare", *words], capsys)
    assert code == 2 and expected in message and "Traceback" not in message
    assert leftovers(tmp_path / "out") == []


def test_nothing_to_prepare_is_told(tokenizer_dir: Path, tmp_path: Path, capsys: Any):
    command = ["prepare", "--pair", "nli-es", "--format", "xnli", "--out", tmp_path / "out"]
    code, message = call([*command, "--tokenizer", tokenizer_dir], capsys)
    assert code == 2 and "at least one of --train, --valid, --test" in message


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["unknown"],
        ["prepare", "--out", ""],
        ["prepare", "--train", "a", "--train", "b"],
        ["prepare", "--workers", "0"],
        ["world", "--out", "x", "--train", "-1"],
    ],
)
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: Any):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: mtlprune" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command: str, capsys: Any):
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert "examples:" in shown and f"mtlprune {command} " in shown


def test_help_lists_all_commands(capsys: Any):
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert all(command in shown for command in COMMANDS)


def test_prepare_list_shows_tasks_and_formats(capsys: Any):
    assert main(["prepare", "--list"]) == 0
    shown = capsys.readouterr().out
    assert "pawsx" in shown and "wnli" in shown


def test_prepare_list_shows_tasks_of_ones_own(tmp_path: Path, capsys: Any):
    table = tmp_path / "t.toml"
    table.write_text('[tasks.mine]\nkind="token"\nentities=["X"]\nmetric="entity_f1"\nfields=["w"]')
    assert main(["prepare", "--list", "--task-table", str(table)]) == 0
    assert "mine" in capsys.readouterr().out


def test_missing_options_are_told_together(capsys: Any):
    code, message = call(["prepare", "--pair", "nli-es"], capsys)
    assert code == 2 and "--format and --tokenizer and --out missing" in message


def test_the_splits_that_would_be_lost_are_named(tokenizer_dir: Path, tmp_path: Path, capsys: Any):
    (tmp_path / "f.tsv").write_text(GOOD)
    command = ["prepare", "--pair", "nli-es", "--format", "xnli", "--tokenizer", tokenizer_dir]
    command += ["--out", tmp_path / "out"]
    assert call([*command, "--train", tmp_path / "f.tsv"], capsys)[0] == 0
    code, message = call([*command, "--test", tmp_path / "f.tsv"], capsys)
    assert code == 2 and "exists already, with train; --overwrite replaces all of it" in message


def test_world_mistakes_are_told(tmp_path: Path, capsys: Any):
    code, message = call(["world", "--out", tmp_path / "w", "--tasks", "nli,foo"], capsys)
    assert code == 2 and "foo unknown (known: nli" in message
    small = ["world", "--out", tmp_path / "w", "--train", 2, "--valid", 1, "--test", 1]
    assert call(small, capsys)[0] == 0
    code, message = call(small, capsys)
    assert code == 2 and "nli-en" in message


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough lines to be interrupted in the middle."""
    out = tmp_path_factory.mktemp("many") / "raw"
    write_world(out, {"train": 60000, "valid": 0, "test": 0}, 1, ("en",), ("nli",))
    return out / "nli-en/train.jsonl"


def start(file: Path, tokenizer: Path, out: Path, *options: str, **settings: Any) -> Any:
    command = [sys.executable, "-m", "mtlprune.cli.main", "prepare", "--pair", "nli-en"]
    command += ["--format", "jsonl", "--train", str(file), "--tokenizer", str(tokenizer)]
    command += ["--out", str(out), *options]
    return subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **settings
    )


def wait_until_writing(out: Path, process: Any) -> None:
    """Until the temporary folder has data and before the pair is there."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit and process.poll() is None:
        if any(path.stat().st_size for path in out.glob(".nli-en.tmp-*/train.tokens.bin")):
            return
        time.sleep(0.005)
    raise AssertionError(f"never seen writing: {process.poll()} {process.communicate()}")


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_prepare_leaves_nothing_that_looks_complete(
    many: Path, tokenizer_dir: Path, tmp_path: Path, workers: str
):
    process = start(many, tokenizer_dir, tmp_path, "--workers", workers)
    wait_until_writing(tmp_path, process)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "nli-en").exists()
    with pytest.raises(StoreError, match="no prepared data"):
        Store(tmp_path, TaskLanguage("nli", "en"))
    limit = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < limit, "workers outlive their killed parent"
        time.sleep(0.1)
    again = start(many, tokenizer_dir, tmp_path)
    assert again.wait(120) == 0
    assert leftovers(tmp_path) == ["nli-en", "tokenizer"]
    assert Store(tmp_path, TaskLanguage("nli", "en"))["train"].examples == 60000


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupted_prepare_cleans_up(
    many: Path, tokenizer_dir: Path, tmp_path: Path, number: int, workers: str
):
    process = start(many, tokenizer_dir, tmp_path, "--workers", workers, start_new_session=True)
    wait_until_writing(tmp_path, process)
    os.killpg(process.pid, number)  # as a terminal does: to the workers too
    _, message = process.communicate(timeout=60)
    assert process.returncode == 130, message
    assert message.strip() == "mtlprune: interrupted; nothing half-written is left"
    assert leftovers(tmp_path) == []


@pytest.mark.slow
def test_a_full_disk_is_told_and_nothing_is_left(many: Path, tokenizer_dir: Path, tmp_path: Path):
    """A limit on file size stands in for a full disk: both fail in write(2)."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    process = start(many, tokenizer_dir, tmp_path, preexec_fn=limit)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "File too large" in message and "nothing half-written" in message
    assert "Traceback" not in message
    assert leftovers(tmp_path) == []


@pytest.mark.slow
def test_output_cut_by_head_is_no_error(tmp_path: Path):
    command = f"{sys.executable} -m mtlprune.cli.main prepare --list | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0 and "Traceback" not in done.stderr
