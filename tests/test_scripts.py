"""Shell scripts and README: they run, they refuse clearly, they say what is true."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted((ROOT / "scripts").glob("*.sh"))


@pytest.mark.parametrize("script", [*SCRIPTS, ROOT / ".ci/run"], ids=lambda path: path.name)
def test_a_script_parses_is_executable_and_stops_on_errors(script: Path):
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)
    assert "set -euo pipefail" in script.read_text()


def setup(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run set-up in a copy of the project that has no environment yet."""
    for name in ("setup.py", "pyproject.toml", "scripts"):
        source, target = ROOT / name, folder / name
        if not target.exists():
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, target)
    return subprocess.run(
        ["bash", "scripts/setup.sh"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def fake(folder: Path, name: str, script: str) -> Path:
    """A program of our own making, first on the path."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)
    return path


def test_no_fitting_python_is_told(tmp_path: Path):
    for name in ("python3.11", "python3.12", "python3", "python"):
        fake(tmp_path, name, "exit 1")
    done = setup(tmp_path, PATH=f"{tmp_path}/bin:/usr/bin:/bin")
    assert done.returncode == 2
    assert "no Python 3.11 or 3.12 found" in done.stderr and "SETUP_PYTHON=" in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_a_wrong_setup_python_is_told(tmp_path: Path):
    done = setup(tmp_path, SETUP_PYTHON="/nowhere/python3.9")
    assert done.returncode == 2
    assert "SETUP_PYTHON=/nowhere/python3.9 is not a working Python 3.11 or 3.12" in done.stderr


PRETEND = """
case "$*" in
  *"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python";;
  *"--dry-run"*)
    while [ "$1" != --report ]; do shift; done
    echo '{"name": "nvidia-cublas"}' > "$2";;
  *"-m pip"*) echo "pip $*" >> "$(dirname "$0")/../../pip.log"; exit ${PIP_EXIT:-0};;
  *torchaudio*) exit 1;;
  *) echo 3.11;;
esac
"""


def without_gpu() -> bool:
    return not Path("/dev/nvidia0").exists() and not shutil.which("nvidia-smi")


@pytest.mark.skipif(not without_gpu(), reason="this machine has a GPU")
def test_without_gpu_no_cuda_build_is_fetched(tmp_path: Path):
    python = fake(tmp_path, "python3.11", PRETEND)
    done = setup(tmp_path, SETUP_PYTHON=str(python), MTLPRUNE_TORCH="")
    assert done.returncode == 2
    assert "no GPU" in done.stderr and "MTLPRUNE_TORCH=" in done.stderr
    assert not (tmp_path / "pip.log").exists(), "nothing was installed"


def test_a_half_made_environment_is_made_anew_and_a_finished_one_is_left(tmp_path: Path):
    python = fake(tmp_path, "python3.11", PRETEND)
    choice = {"SETUP_PYTHON": str(python), "MTLPRUNE_TORCH": "torch==2.6"}
    broken = setup(tmp_path, PIP_EXIT="1", **choice)
    assert broken.returncode == 2 and "installing torch==2.6 failed" in broken.stderr
    (tmp_path / ".venv/rubbish").touch()
    assert setup(tmp_path, **choice).returncode == 0
    assert not (tmp_path / ".venv/rubbish").exists(), "made anew"
    log = (tmp_path / "pip.log").read_text()
    assert "torch==2.6" in log and "-e .[dev]" in log and "uninstall" in log
    (tmp_path / "pip.log").unlink()
    start = time.monotonic()
    assert setup(tmp_path, **choice).returncode == 0
    assert time.monotonic() - start < 3
    assert not (tmp_path / "pip.log").exists(), "nothing to do the second time"
    (tmp_path / "setup.py").write_text("# changed")
    assert setup(tmp_path, **choice).returncode == 0
    assert (tmp_path / "pip.log").exists(), "requirements changed"


def test_an_environment_of_the_users_own_is_never_removed(tmp_path: Path):
    python = fake(tmp_path, "python3.11", PRETEND)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    shutil.copy(python, tmp_path / ".venv/bin/python")
    (tmp_path / ".venv/precious").touch()
    done = setup(tmp_path, MTLPRUNE_TORCH="torch==2.6")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / ".venv/precious").exists()


@pytest.mark.slow
def test_the_environment_has_what_was_promised():
    code = "from transformers import BertModel, AutoTokenizer; import fairseq, torch"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
    check = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    problems = [line for line in check.stdout.splitlines() if "torchaudio" not in line]
    assert problems in ([], ["No broken requirements found."])
    helped = subprocess.run(
        [Path(sys.executable).with_name("fairseq-train"), "--help"], capture_output=True, text=True
    )
    assert helped.returncode == 0 and "--user-dir" in helped.stdout


def load_tables() -> object:
    spec = importlib.util.spec_from_file_location("tables", ROOT / "scripts/tables.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_in_the_readme_are_those_of_the_code():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert load_tables().with_tables(text) == text, "run scripts/tables.py"  # type: ignore[attr-defined]


def readme_commands() -> list[str]:
    """The indented mtlprune commands of README that can be pasted as they are."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^    (mtlprune (?:.*\\\n)*.*)$", text, flags=re.M)
    return [block for block in blocks if "..." not in block]


@pytest.mark.slow
def test_readme_commands_work_when_pasted(tmp_path: Path):
    commands = readme_commands()
    assert len(commands) >= 5
    script = "\n".join(["set -euo pipefail", *commands])
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (training,) = re.findall(r"```bash\n(.*?)```", text, flags=re.S)
    training = training.replace("--user-dir user_dir", f"--user-dir {ROOT}/user_dir --cpu")
    training = training.replace("--max-update 200", "--max-update 3")
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail\n{training}"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    shown = ""
    for code in re.findall(r"```python\n(.*?)```", text, flags=re.S):
        shown += subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
    assert "premise" in shown and "probabilities" in shown
