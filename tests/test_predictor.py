"""A trained checkpoint answers: without fairseq, without its data, the same as in validation."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import mtlprune
from mtlprune.cli.main import main
from mtlprune.data.store import Store
from mtlprune.errors import MtlPruneError, SpecError
from mtlprune.metrics import METRICS
from mtlprune.specs import TaskLanguage

ROOT = Path(__file__).parent.parent
pytestmark = [pytest.mark.slow, pytest.mark.fairseq]


@pytest.fixture(scope="module")
def trained(raw: Path, tokenizer_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``bin``, ``checkpoint_best.pt`` and ``valid.json``, its last scores."""
    folder = tmp_path_factory.mktemp("trained")
    prepare = ["prepare", "--raw", raw, "--tokenizer", tokenizer_dir, "--out", folder / "bin"]
    assert main([str(word) for word in prepare]) == 0
    command = [
        Path(sys.executable).with_name("fairseq-train"), folder / "bin", "--user-dir",
        ROOT / "user_dir", "--task", "mtl_multitask", "--arch", "mtl_encoder", "--criterion",
        "mtl_multitask", "--backbone", "scratch:layers=2,heads=2,hidden=32", "--optimizer", "adam",
        "--lr", "0.003", "--batch-size", "16", "--max-update", "40", "--cpu", "--num-workers", "0",
        "--save-dir", folder, "--log-format", "json", "--best-checkpoint-metric", "score",
        "--maximize-best-checkpoint-metric", "--no-epoch-checkpoints",
    ]  # fmt: skip
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (line,) = [x for x in (done.stdout + done.stderr).splitlines() if "| valid |" in x]
    (folder / "valid.json").write_text(line.split("| valid | ", 1)[1])
    return folder


def predict(trained: Path, out: Path, *options: Any) -> int:
    command = ["predict", "--path", trained / "checkpoint_best.pt", "--data", trained / "bin"]
    return main([str(word) for word in [*command, "--out", out, *options]])


@pytest.mark.parametrize("size", [1, 64])
def test_predictions_score_as_validation_did(trained: Path, tmp_path: Path, size: int):
    assert predict(trained, tmp_path / "p", "--split", "valid", "--batch-size", size) == 0
    logged = json.loads((trained / "valid.json").read_text())
    for pair in ("nli-en", "pa-es", "qa-en", "ner-es"):
        store = Store(trained / "bin", TaskLanguage.parse(pair))
        lines = [json.loads(x) for x in (tmp_path / f"p/{pair}.jsonl").read_text().splitlines()]
        examples = [store["valid"].example(at) for at in range(50)]
        assert [line["id"] for line in lines] == [example["id"] for example in examples]
        found: list[Any] = [line["answer"] for line in lines]
        gold: list[Any] = [example.get("label", example.get("tags")) for example in examples]
        if pair == "qa-en":
            gold = [[answer["text"] for answer in example["answers"]] for example in examples]
        metric = METRICS[store.spec.metric]
        score = metric.compute(gold, found, store.pair.language)[metric.main]
        assert score == pytest.approx(float(logged[f"valid_{pair}_{metric.main}"]), abs=1e-3)


def test_probabilities_add_up_and_every_word_has_a_tag(trained: Path, tmp_path: Path):
    assert predict(trained, tmp_path / "p", "--pairs", "nli-es,ner-en") == 0
    for line in (tmp_path / "p/nli-es.jsonl").read_text().splitlines():
        chances = json.loads(line)["probabilities"]
        assert sum(chances.values()) == pytest.approx(1, abs=1e-5)
        assert json.loads(line)["answer"] == max(chances, key=chances.__getitem__)
    store = Store(trained / "bin", TaskLanguage("ner", "en"))
    for number, line in enumerate((tmp_path / "p/ner-en.jsonl").read_text().splitlines()):
        assert len(json.loads(line)["answer"]) == len(store["test"].example(number)["tokens"])


def test_the_layout_of_xtreme(trained: Path, tmp_path: Path):
    assert predict(trained, tmp_path / "p", "--format", "xtreme") == 0
    labels = (tmp_path / "p/pawsx/test-es.tsv").read_text().split()
    assert len(labels) == 50 and set(labels) <= {"0", "1"}
    answers = json.loads((tmp_path / "p/xquad/test-en.json").read_text())
    assert len(answers) == 50 and "qa-test-0" in answers
    tags = (tmp_path / "p/panx/test-en.tsv").read_text()
    assert tags.count("\n\n") == 50
    again = ("--format", "xtreme", "--qa", "tydiqa", "--pairs", "qa-en", "--overwrite")
    assert predict(trained, tmp_path / "p", *again) == 0
    assert [path.name for path in (tmp_path / "p").glob("*/*")] == ["test-en.json"]
    assert (tmp_path / "p/tydiqa/test-en.json").exists()


def test_prepared_data_is_answered_by_the_name_of_its_pair(trained: Path):
    model = mtlprune.load(trained / "checkpoint_best.pt", data=trained / "bin")
    assert len(model.answers("nli-es", "test")) == 50
    with pytest.raises(SpecError, match="say where"):
        mtlprune.load(trained / "checkpoint_best.pt").answers("nli-es", "test")


def test_a_checkpoint_works_alone_and_elsewhere(trained: Path, tmp_path: Path):
    shutil.copy(trained / "checkpoint_best.pt", tmp_path / "alone.pt")
    code = (
        "import sys, mtlprune\n"
        "model = mtlprune.load('alone.pt')\n"
        "print(model.predict('nli-es', premise='Ana vive en Lima.', hypothesis='Ana reside.'))\n"
        "print(model.predict('qa-en', question='Who?', context='Ana lives in Lima.')['answer'])\n"
        "print(model.predict('ner-de', tokens=['Ana', 'lebt', 'in', 'Lima'])['answer'])\n"
        "assert 'fairseq' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert "probabilities" in first and second in "Ana lives in Lima."
    assert third.count(",") == 3


def test_one_example_is_answered_as_in_a_batch(trained: Path, tmp_path: Path):
    model = mtlprune.load(trained / "checkpoint_best.pt")
    assert "nli-en" in model.pairs and model.encoder.config.model_type == "bert"
    store = Store(trained / "bin", TaskLanguage("nli", "en"))
    together = model.answers(store, "test")
    for number in (0, 7, 49):
        example = store["test"].example(number)
        alone = model.predict(
            "nli-en", premise=example["premise"], hypothesis=example["hypothesis"]
        )
        assert alone["answer"] == together[number]["answer"]
        assert alone["probabilities"] == pytest.approx(together[number]["probabilities"], abs=1e-5)


@pytest.mark.parametrize(
    ("pair", "fields", "expected"),
    [
        ("pos-en", {}, "there is no task 'pos'"),
        ("nli-en", {"premise": "a"}, "'hypothesis' is missing"),
        ("mlm-en", {"text": "a"}, "no answers to predict"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(
    trained: Path, pair: str, fields: dict[str, str], expected: str
):
    with pytest.raises(MtlPruneError, match=expected):
        mtlprune.load(trained / "checkpoint_best.pt").predict(pair, **fields)


class Canary:
    def __reduce__(self) -> tuple[Any, ...]:
        return print, ("the canary sang",)


def test_a_checkpoint_that_would_run_code_is_refused(tmp_path: Path, capsys: Any):
    torch.save({"model": Canary()}, tmp_path / "bad.pt")
    with pytest.raises(MtlPruneError, match="not a readable checkpoint"):
        mtlprune.load(tmp_path / "bad.pt")
    (tmp_path / "cut.pt").write_bytes((tmp_path / "bad.pt").read_bytes()[:100])
    with pytest.raises(MtlPruneError, match="not a readable checkpoint"):
        mtlprune.load(tmp_path / "cut.pt")
    torch.save({"model": {}}, tmp_path / "other.pt")
    with pytest.raises(MtlPruneError, match="not a checkpoint of mtlprune"):
        mtlprune.load(tmp_path / "other.pt")
    with pytest.raises(MtlPruneError, match="no such checkpoint"):
        mtlprune.load(tmp_path / "none.pt")
    assert "canary" not in capsys.readouterr().out
