"""Training through fairseq's own commands: scores, resume, several processes, mistakes."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
pytestmark = [pytest.mark.slow, pytest.mark.fairseq]

SMALL = "scratch:layers=2,heads=2,hidden=32,dropout=0.1"
OPTIONS = (
    "--task mtl_multitask --arch mtl_encoder --criterion mtl_multitask --optimizer adam --lr 0.001 "
    "--cpu --num-workers 0 --no-epoch-checkpoints --log-format json --log-interval 10 "
    "--best-checkpoint-metric score --maximize-best-checkpoint-metric"
).split()


def environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}


def start(program: str, *arguments: Any) -> subprocess.Popen[str]:
    command = [str(BIN / program), *map(str, arguments), "--user-dir", str(ROOT / "user_dir")]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment()
    )


def finish(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=180)
    assert process.returncode == 0, output[-3000:]
    return output


def train(data_bin: Path, folder: Path, *options: Any) -> str:
    return finish(start_training(data_bin, folder, *options))


def start_training(data_bin: Path, folder: Path, *options: Any) -> subprocess.Popen[str]:
    return start(
        "fairseq-train", data_bin, *OPTIONS, "--backbone", SMALL, "--save-dir", folder, *options
    )


def logged(output: str, tag: str) -> Iterator[dict[str, float]]:
    """The JSON lines of one kind of log."""
    for line in output.splitlines():
        if f"| {tag} |" in line:
            values = json.loads(line.split(f"| {tag} | ", 1)[1])
            yield {key: float(value) for key, value in values.items()}


def parameters(path: Path) -> dict[str, torch.Tensor]:
    return torch.load(path, weights_only=True)["model"]


def test_validation_scores_do_not_depend_on_batches_and_come_again(data_bin: Path, tmp_path: Path):
    output = train(data_bin, tmp_path, "--batch-size", 16, "--max-update", 20)
    (first,) = logged(output, "valid")
    wanted = {f"{task}-{lang}_accuracy" for task in ("nli", "pa", "mlm") for lang in ("en", "es")}
    wanted |= {f"{task}-{lang}_f1" for task in ("qa", "ner") for lang in ("en", "es")}
    assert {f"valid_{key}" for key in wanted} <= set(first)
    pairs = [first[f"valid_{key}"] for key in wanted if not key.startswith("mlm")]
    assert first["valid_score"] == pytest.approx(sum(pairs) / len(pairs), abs=1e-3)
    scores = {key: first[f"valid_{key}"] for key in [*wanted, "score"]}
    for size in (1, 7, 64):
        output = finish(
            start(
                "fairseq-validate", data_bin, "--task", "mtl_multitask", "--cpu", "--batch-size",
                size, "--path", tmp_path / "checkpoint_best.pt", "--log-format", "json",
            )
        )  # fmt: skip
        (again,) = logged(output, "valid")
        assert {key: again[f"valid_{key}"] for key in scores} == scores, size


def test_a_killed_run_goes_on_as_if_nothing_had_happened(data_bin: Path, tmp_path: Path):
    options = (
        "--batch-size",
        16,
        "--sampling",
        "annealed",
        "--max-epoch",
        3,
        "--disable-validation",
    )
    options += ("--save-interval-updates", 20, "--keep-interval-updates", 1)
    train(data_bin, tmp_path / "whole", *options, "--max-update", 260)
    process = start_training(data_bin, tmp_path / "killed", *options, "--max-update", 260)
    limit = time.monotonic() + 120
    while not list((tmp_path / "killed").glob("checkpoint_*_1*0.pt")):  # some way into it
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    train(data_bin, tmp_path / "killed", *options, "--max-update", 260)
    whole = parameters(tmp_path / "whole/checkpoint_last.pt")
    killed = parameters(tmp_path / "killed/checkpoint_last.pt")
    assert whole.keys() == killed.keys()
    assert all(torch.equal(whole[name], killed[name]) for name in whole)


def test_an_encoder_trained_on_other_tasks_is_taken_up(data_bin: Path, tmp_path: Path):
    train(
        data_bin, tmp_path / "a", "--batch-size", 16, "--pairs", "mlm-en,nli-en", "--max-update", 3
    )
    options = ("--batch-size", 16, "--pairs", "nli-en,pa-en", "--max-update", 1, "--lr", 0)
    source = tmp_path / "a/checkpoint_last.pt"
    output = train(data_bin, tmp_path / "b", *options, "--finetune-from-model", source)
    assert "decoders of pa start afresh" in output and "decoders of mlm are left aside" in output
    before, after = parameters(source), parameters(tmp_path / "b/checkpoint_last.pt")
    shared = [name for name in after if not name.startswith("network.decoders.pa.")]
    assert len(shared) > 20 and all(torch.equal(before[name], after[name]) for name in shared)
    assert not any(name.startswith("network.decoders.mlm.") for name in after)


def test_training_stops_by_patience_and_is_seen_in_tensorboard(data_bin: Path, tmp_path: Path):
    board = tmp_path / "board"
    options = ("--pairs", "nli-en,ner-es", "--batch-size", 64, "--lr", 0, "--max-epoch", 20)
    train(data_bin, tmp_path / "a", *options, "--patience", 2, "--tensorboard-logdir", board)
    saved = torch.load(tmp_path / "a/checkpoint_last.pt", weights_only=True)
    assert saved["extra_state"]["train_iterator"]["epoch"] <= 5  # nothing improves: 1 + 2 epochs
    seen = EventAccumulator(str(board / "valid")).Reload()
    assert {"score", "nli-en_accuracy", "ner-es_f1", "loss"} <= set(seen.Tags()["scalars"])
    assert len(seen.Scalars("score")) == 3
    assert {event.value for event in seen.Scalars("score")} == {seen.Scalars("score")[0].value}


def test_bfloat16_trains_and_never_enters_validation(data_bin: Path, tmp_path: Path):
    options = ("--pairs", "nli-en,ner-es,qa-en,mlm-es", "--batch-size", 16, "--max-update", 20)
    output = train(data_bin, tmp_path / "half", *options, "--autocast")
    (last,) = logged(output, "valid")
    half = parameters(tmp_path / "half/checkpoint_last.pt")
    assert all(tensor.dtype == torch.float32 for tensor in half.values())
    again = finish(
        start(
            "fairseq-validate", data_bin, "--task", "mtl_multitask", "--cpu", "--batch-size", 5,
            "--path", tmp_path / "half/checkpoint_last.pt", "--log-format", "json",
            "--pairs", "nli-en,ner-es,qa-en,mlm-es",
        )
    )  # fmt: skip
    (validated,) = logged(again, "valid")
    assert validated["valid_loss"] == pytest.approx(last["valid_loss"], abs=1e-3)
    train(data_bin, tmp_path / "single", *options)
    single = parameters(tmp_path / "single/checkpoint_last.pt")
    gaps = [(single[name] - half[name]).abs().max().item() for name in single]
    assert 0 < max(gaps) < 0.03  # rounded otherwise, on the same way (20 updates of 0.001)


HYDRA = """
common: {{user_dir: {root}/user_dir, cpu: true, log_format: json}}
task: {{_name: mtl_multitask, data: {data}, pairs: "nli-en,ner-es"}}
model: {{_name: mtl_encoder, backbone: "scratch:layers=2,heads=2,hidden=32"}}
criterion: {{_name: mtl_multitask}}
optimizer: {{_name: adam}}
lr_scheduler: {{_name: fixed}}
optimization: {{lr: [0.001], max_update: 3}}
dataset: {{batch_size: 8, num_workers: 0}}
checkpoint: {{save_dir: {save}}}
"""


def test_hydra_trains_too(data_bin: Path, tmp_path: Path):
    save = tmp_path / "checkpoints"
    (tmp_path / "small.yaml").write_text(HYDRA.format(root=ROOT, data=data_bin, save=save))
    command = [BIN / "fairseq-hydra-train", "--config-dir", tmp_path, "--config-name", "small"]
    done = subprocess.run(
        [str(word) for word in command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
    )
    assert (save / "checkpoint_last.pt").exists(), (done.stdout + done.stderr)[-3000:]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_two_processes_make_the_updates_of_one(data_bin: Path, tmp_path: Path):
    still = SMALL.replace("dropout=0.1", "dropout=0.0")
    common = (
        "--adam-eps",  # with less, Adam makes steps of rounding errors where gradients are zero
        1e-6,
        "--decoder-dropout",
        0.0,
        "--max-update",
        20,
        "--clip-norm",
        0,
        "--backbone",
        still,
        "--pairs",
        "nli-en,ner-es",
    )
    one = train(data_bin, tmp_path / "one", *common, "--batch-size", 16)
    address = f"tcp://127.0.0.1:{free_port()}"
    spread = ("--distributed-init-method", address, "--distributed-world-size", 2)
    spread += (
        "--distributed-no-spawn",
        "--distributed-backend",
        "gloo",
        "--ddp-backend",
        "legacy_ddp",
    )
    processes = [
        start_training(
            data_bin, tmp_path / "two", *common, "--batch-size", 8, *spread,
            "--distributed-rank", rank,
        )
        for rank in (0, 1)
    ]  # fmt: skip
    two = [finish(process) for process in processes]
    (alone,) = logged(one, "valid")
    (together,) = logged(two[0], "valid")
    for key in ("valid_nli-en_accuracy", "valid_ner-es_f1", "valid_score"):
        assert alone[key] == together[key]
    first = parameters(tmp_path / "one/checkpoint_last.pt")
    second = parameters(tmp_path / "two/checkpoint_last.pt")
    gap = max(float((first[name] - second[name]).abs().max()) for name in first)
    assert gap < 1e-6


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--pairs", "nli-en,nli-xx"), "pair 'nli-xx': no prepared data"),
        (("--pairs", "foo-en"), "there is no task 'foo'"),
        (("--backbone", "scratch:layers=2"), "heads is missing"),
        (("--backbone", "./nowhere"), "backbone ./nowhere"),
        (("--pair-weights", "nli-en=-1"), "--pair-weights 'nli-en=-1'"),
        (("--task", "mtl_nli", "--pairs", "qa-en"), "trains pairs of nli only"),
        (("--max-tokens", "10"), "does not fit in --max-tokens 10"),
        (("--restore-file", "nowhere.pt"), "--restore-file nowhere.pt: no such file"),
    ],
)
def test_a_mistake_is_told_in_one_message(
    data_bin: Path, tmp_path: Path, options: tuple[str, ...], expected: str
):
    process = start_training(data_bin, tmp_path, "--batch-size", 8, *options)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 2, output[-2000:]
    assert expected in output and "Traceback" not in output
