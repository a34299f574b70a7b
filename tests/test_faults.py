"""Training when things break: kills, damaged checkpoints, a full disk, a loss of NaN."""

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
pytestmark = [pytest.mark.slow, pytest.mark.fairseq]

OPTIONS = (
    "--user-dir {root}/user_dir --task mtl_multitask --arch mtl_encoder --criterion mtl_multitask "
    "--backbone scratch:layers=2,heads=2,hidden=32,dropout=0.1 --optimizer adam --lr 0.001 --cpu "
    "--num-workers 0 --no-epoch-checkpoints --log-format json --log-interval 10 --batch-size 8 "
    "--pairs nli-en,ner-es,qa-en --sampling annealed --max-epoch 3 --disable-validation"
)


def command(data_bin: Path, folder: Path, *options: Any) -> list[str]:
    words = [data_bin, *OPTIONS.format(root=ROOT).split(), "--save-dir", folder, *options]
    return [str(word) for word in words]


def run(words: list[str], **options: Any) -> tuple[int, str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        timeout=300,
        **options,
    )
    return done.returncode, done.stdout


def train(data_bin: Path, folder: Path, *options: Any, **how: Any) -> tuple[int, str]:
    return run([str(BIN / "fairseq-train"), *command(data_bin, folder, *options)], **how)


def parameters(path: Path) -> dict[str, torch.Tensor]:
    return torch.load(path, weights_only=True)["model"]


def same(one: Path, two: Path) -> bool:
    first, second = parameters(one), parameters(two)
    return first.keys() == second.keys() and all(
        torch.equal(first[name], second[name]) for name in first
    )


def test_twenty_kills_at_random_moments_change_nothing(data_bin: Path, tmp_path: Path):
    options = (
        "--max-epoch",
        9,
        "--save-interval-updates",
        4,
        "--keep-interval-updates",
        1,
        "--max-update",
        900,
    )
    code, output = train(data_bin, tmp_path / "whole", *options)
    assert code == 0, output[-2000:]
    driver = [sys.executable, str(Path(__file__).parent / "killed_again_and_again.py"), "20"]
    code, output = run([*driver, *command(data_bin, tmp_path / "killed", *options)])
    assert code == 0, output[-2000:]
    assert "Loaded checkpoint" in output
    assert int(output.rsplit("killed ", 1)[1].split()[0]) >= 10  # on a fast machine it ends sooner
    assert same(tmp_path / "whole/checkpoint_last.pt", tmp_path / "killed/checkpoint_last.pt")


@pytest.fixture(scope="module")
def begun(data_bin: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of six updates with a checkpoint after four."""
    folder = tmp_path_factory.mktemp("begun")
    code, output = train(data_bin, folder, "--max-update", 6, "--save-interval-updates", 4)
    assert code == 0, output[-2000:]
    return folder


def copied(begun: Path, folder: Path) -> Path:
    folder.mkdir()
    for path in begun.glob("*.pt"):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def emptied(content: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("damage", [cut, flip, emptied])
def test_a_damaged_checkpoint_is_named_and_the_one_before_offered(
    data_bin: Path, begun: Path, tmp_path: Path, damage: Any
):
    folder = copied(begun, tmp_path / "run")
    last = folder / "checkpoint_last.pt"
    last.write_bytes(damage(last.read_bytes()))
    code, output = train(data_bin, folder, "--max-update", 8)
    good = folder / "checkpoint_1_4.pt"
    assert code == 2 and "Traceback" not in output, output[-2000:]
    assert f"{last}: damaged" in output
    assert f"of update 4: --restore-file {good}" in output
    if damage is cut:
        code, output = train(data_bin, folder, "--max-update", 8, "--restore-file", good)
        assert code == 0 and "Loaded checkpoint" in output, output[-2000:]


def test_a_full_disk_is_told_and_the_old_checkpoint_kept(
    data_bin: Path, begun: Path, tmp_path: Path
):
    folder = copied(begun, tmp_path / "run")
    before = (folder / "checkpoint_last.pt").read_bytes()

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    code, output = train(data_bin, folder, "--max-update", 8, preexec_fn=small_files)
    assert code == 2 and "Traceback" not in output, output[-2000:]
    assert "checkpoint_last.pt: cannot be written" in output
    assert "the checkpoint_last.pt from before is kept" in output
    assert (folder / "checkpoint_last.pt").read_bytes() == before
    assert not list(folder.glob("*.tmp"))


def test_a_loss_that_is_no_number_names_pair_and_examples(data_bin: Path, tmp_path: Path):
    code, output = train(data_bin, tmp_path, "--max-update", 8, "--lr", 1e30)
    assert code == 2 and "Traceback" not in output, output[-3000:]
    message = next(line for line in output.splitlines() if line.startswith("mtlprune: "))
    assert "not a finite number any more at update 2" in message
    assert any(f"{pair}-train-" in message for pair in ("nli", "ner", "qa")), message
