"""Shared fixtures: a small world, a tokenizer trained on it, and where real data may lie."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from mtlprune.cli.main import main
from mtlprune.data.corpus import texts, training_files
from mtlprune.data.sentencepieces import train_tokenizer
from mtlprune.data.tinyworld import write_world

os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
# Background jobs of a script ignore Ctrl-C, and so would the commands that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("repeatable")

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Raw files of the built-in world, 300 training examples a pair."""
    out = tmp_path_factory.mktemp("world") / "raw"
    write_world(out, {"train": 300, "valid": 50, "test": 50}, seed=3)
    return out


@pytest.fixture(scope="session")
def tokenizer_dir(raw: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentencepiece tokenizer trained on that world."""
    out = tmp_path_factory.mktemp("tokenizer") / "own"
    lines = (text for path in training_files([raw]) for text in texts(path))
    train_tokenizer(lines, 500, out)
    return out


@pytest.fixture(scope="session")
def data_bin(raw: Path, tokenizer_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That world, prepared with that tokenizer."""
    out = tmp_path_factory.mktemp("prepared") / "bin"
    command = ["prepare", "--raw", raw, "--tokenizer", tokenizer_dir, "--out", out]
    assert main([str(word) for word in command]) == 0
    return out


def _real(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"real data or weights not found: {path.relative_to(ROOT.parent)}")
    return path


@pytest.fixture(scope="session")
def real_raw() -> Path:
    return _real(SHARED / "data/raw")


@pytest.fixture(scope="session")
def real_pairs() -> Path:
    return _real(SHARED / "data/xtreme-en-es")


@pytest.fixture(scope="session")
def real_tokenizer() -> str:
    return str(_real(SHARED / "weights/minilm-multilingual-en-es-fr-de"))
