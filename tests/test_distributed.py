"""Training in several processes: the launcher, torchrun, SLURM; real ones, on loopback only."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from mtlprune.cli.main import main

ROOT = Path(__file__).parent.parent
LAUNCHER = ROOT / "scripts/train_distributed.sh"
BIN = Path(sys.executable).parent

# Adam's epsilon is not its default 1e-8: the bias of attention's keys has gradient zero, since
# softmax does not notice it; what is computed is rounding noise, which Adam divides by itself.
OPTIONS = (
    f"--user-dir {ROOT}/user_dir --task mtl_multitask --arch mtl_encoder --criterion mtl_multitask "
    "--pairs nli-en,ner-es --backbone scratch:layers=2,heads=2,hidden=32,dropout=0.0 "
    "--decoder-dropout 0.0 --optimizer adam --adam-eps 1e-6 --lr 0.001 --clip-norm 0 "
    "--cpu --num-workers 0 --no-epoch-checkpoints --log-format json --log-interval 10 "
    "--best-checkpoint-metric score --maximize-best-checkpoint-metric"
).split()
SCHEDULERS = ("RANK", "WORLD_SIZE", "LOCAL_", "MASTER_", "SLURM_", "TORCHELASTIC_")

Start = Callable[..., subprocess.Popen[str]]


def environment() -> dict[str, str]:
    """That of now, as if no scheduler had started us."""
    own = {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore", "MTLPRUNE_PYTHON": sys.executable}
    return {k: v for k, v in os.environ.items() if not k.startswith(SCHEDULERS)} | own


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts commands, and leaves none of them running."""
    started = []

    def run(*command: Any, **variables: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment() | variables,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=30)


def finish(process: subprocess.Popen[str], code: int = 0, seconds: float = 120) -> str:
    output, _ = process.communicate(timeout=seconds)
    assert process.returncode == code, output[-3000:]
    return output


def until(condition: Callable[[], Any], seconds: float = 90) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.05)


def children(pid: int) -> dict[str, int]:
    """The processes that a launcher has started, by RANK."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = path.joinpath("stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == pid:
                words = path.joinpath("environ").read_text().split("\0")
                ranks = [word.removeprefix("RANK=") for word in words if word.startswith("RANK=")]
                found |= {rank: int(path.name) for rank in ranks}
        except (OSError, ValueError):
            continue  # it has just ended
    return found


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody asked for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# ---- the launcher, with pretended processes ----


@pytest.fixture
def pretended(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """Puts a shell script in the place of the training processes."""

    def replace(script: str) -> dict[str, str]:
        path = tmp_path / "python"
        real = f'if [ "$1" = -I ]; then exec "{sys.executable}" "$@"; fi'  # asks for a port
        path.write_text(f"#!/bin/bash\n{real}\n{script}\n")
        path.chmod(0o755)
        return {"MTLPRUNE_PYTHON": str(path)}

    return replace


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("2", "bin", "--distributed-world-size", "2"), "--distributed-world-size is set by this"),
        (("2", "bin", "--distributed-port=7"), "--distributed-port is set by this"),
        (("2", "bin", "--device-id", "1"), "--device-id is set by this"),
        (("bin", "--cpu"), "how many processes? The number comes first"),
        (("0", "bin"), "0 processes: give a number from 1 to 1024"),
        (("08", "bin"), "how many processes?"),
        (("2",), "give the data folder"),
    ],
)
def test_a_wrong_call_is_refused(start: Start, arguments: tuple[str, ...], expected: str):
    output = finish(start(LAUNCHER, *arguments), code=2, seconds=10)
    assert expected in output and len(output.splitlines()) == 1


TORCHRUN = {"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0"}
TORCHRUN |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}


@pytest.mark.parametrize(
    ("variables", "arguments", "expected"),
    [
        (TORCHRUN, ("2", "bin"), "leave out the number 2"),
        ({"SLURM_STEP_NUM_TASKS": "2"}, ("2", "bin"), "leave out the number 2"),
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}, ("bin",), "not started by srun"),
    ],
)
def test_processes_of_processes_and_waiting_for_nobody_are_refused(
    start: Start, variables: dict[str, str], arguments: tuple[str, ...], expected: str
):
    assert expected in finish(start(LAUNCHER, *arguments, **variables), code=2, seconds=10)


def test_each_process_is_told_its_place_and_its_share_of_the_cores(
    start: Start, pretended: Callable[[str], dict[str, str]], tmp_path: Path
):
    line = '"$RANK/$WORLD_SIZE $LOCAL_RANK $MASTER_ADDR $OMP_NUM_THREADS ${@: -2}"'
    variables = pretended(f'echo heard; echo {line} >"{tmp_path}/$RANK"')
    process = start(LAUNCHER, 3, "bin", "an arg; $(x)", OMP_NUM_THREADS="", **variables)
    output = finish(process, seconds=20)
    assert output == "heard\n", "only of the first"
    threads = max(1, len(os.sched_getaffinity(0)) // 3)
    for rank in "012":
        told = (tmp_path / rank).read_text()
        assert told == f"{rank}/3 {rank} 127.0.0.1 {threads} bin an arg; $(x)\n"


def test_the_first_failure_ends_all_and_is_told(
    start: Start, pretended: Callable[[str], dict[str, str]]
):
    script = 'echo "I am $RANK"; if [ "$RANK" = 1 ]; then exit 7; fi; sleep 60'
    began = time.monotonic()
    output = finish(start(LAUNCHER, 3, "bin", **pretended(script)), code=7, seconds=30)
    assert time.monotonic() - began < 15
    assert output.splitlines() == [
        "I am 0",
        "train_distributed: last lines of process 1:",
        "    I am 1",
        "train_distributed: process 1 of 0 to 2 failed with exit code 7; all have been ended",
    ]


def test_a_mistake_that_all_processes_find_is_told_once(
    start: Start, pretended: Callable[[str], dict[str, str]]
):
    process = start(LAUNCHER, 2, "bin", **pretended('sleep "0.$RANK"; echo wrong pair; exit 2'))
    assert finish(process, code=2, seconds=20) == "wrong pair\n"


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_reaches_all_processes(
    start: Start, pretended: Callable[[str], dict[str, str]], tmp_path: Path, name: str
):
    script = f"trap 'echo got >\"{tmp_path}/$RANK.got\"; exit 1' {name.removeprefix('SIG')}\n"
    script += f'touch "{tmp_path}/$RANK.up"; for i in {{1..600}}; do sleep 0.1; done 2>/dev/null'
    process = start(LAUNCHER, 2, "bin", **pretended(script))
    until(lambda: len(list(tmp_path.glob("*.up"))) == 2, seconds=20)
    process.send_signal(signal.Signals[name])
    output = finish(process, code=128 + signal.Signals[name], seconds=20)
    assert output == f"train_distributed: ended by {name}\n"
    assert len(list(tmp_path.glob("*.got"))) == 2


ORPHAN = """
import importlib.util, pathlib, sys, time
spec = importlib.util.spec_from_file_location("distributed", sys.argv[1])
distributed = sys.modules["distributed"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(distributed)
distributed._end_with_launcher()
pathlib.Path(sys.argv[2]).touch()
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a service of Linux")
def test_no_process_outlives_a_launcher_that_was_killed(
    start: Start, pretended: Callable[[str], dict[str, str]], tmp_path: Path
):
    (tmp_path / "orphan.py").write_text(ORPHAN)
    module = ROOT / "mtlprune/plugin/distributed.py"
    words = [sys.executable, tmp_path / "orphan.py", module, tmp_path / "up"]
    script = "exec " + " ".join(f'"{word}"' for word in words)
    process = start(LAUNCHER, 1, "bin", TMPDIR=str(tmp_path), **pretended(script))
    until((tmp_path / "up").exists)
    (pid,) = children(process.pid).values()
    process.kill()
    until(lambda: not alive(pid), seconds=10)


# ---- the flags and checks of one process ----


@pytest.mark.fairseq
def test_flags_for_cpu_and_gpu():
    from mtlprune.plugin.distributed import LaunchError, Place, fairseq_flags

    place = Place.of({"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1"})
    met = "--distributed-init-method env:// --distributed-no-spawn --distributed-world-size 8 "
    met += "--distributed-rank 5 --distributed-backend "
    cpu = fairseq_flags(["bin", "--cpu"], place, gpus=0)
    assert cpu == f"{met}gloo --ddp-backend legacy_ddp".split()
    gpu = fairseq_flags(["bin"], place, gpus=2)
    assert gpu == f"{met}nccl --ddp-backend legacy_ddp --device-id 1".split()
    own = fairseq_flags(["bin", "--ddp-backend=pytorch_ddp"], place, gpus=2)
    assert own == f"{met}nccl --device-id 1".split()
    with pytest.raises(LaunchError, match=r"1 visible.*add --cpu"):
        fairseq_flags(["bin"], place, gpus=1)
    with pytest.raises(LaunchError, match="pytorch_ddp needs GPUs"):
        fairseq_flags(["bin", "--cpu", "--ddp-backend", "pytorch_ddp"], place, gpus=0)
    with pytest.raises(LaunchError, match="must be numbers"):
        Place.of({"RANK": "0", "WORLD_SIZE": "two", "LOCAL_RANK": "0"})
    with pytest.raises(LaunchError, match="RANK 2 is not among WORLD_SIZE 2"):
        Place.of({"RANK": "2", "WORLD_SIZE": "2", "LOCAL_RANK": "0"})


class PretendedTrain:
    """Stands for the module fairseq_cli.train; main runs, or as in fairseq's trap does not."""

    def __init__(self, runs: bool) -> None:
        self.runs = runs
        self.trained = False

    def main(self) -> None:
        self.trained = True

    def cli_main(self) -> None:
        if self.runs:
            self.main()


@pytest.mark.fairseq
def test_fairseqs_silent_failures_are_loud(monkeypatch: pytest.MonkeyPatch):
    from mtlprune.plugin.distributed import LaunchError, run_checked

    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "1")
    with pytest.raises(LaunchError, match="trained nothing"):
        run_checked(PretendedTrain(runs=False))
    good = PretendedTrain(runs=True)
    run_checked(good)
    assert good.trained
    monkeypatch.setenv("WORLD_SIZE", "2")
    alone = PretendedTrain(runs=True)
    with pytest.raises(LaunchError, match=r"2 processes were started .* but 1 would train"):
        run_checked(alone)
    assert not alone.trained


# ---- real training in two processes ----


def real(test: Any) -> Any:
    """Marks a test that trains."""
    return pytest.mark.slow(pytest.mark.fairseq(test))


@pytest.fixture(scope="module")
def data_bin(raw: Path, tokenizer_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spread")
    for pair in ("nli-en", "ner-es"):
        shutil.copytree(raw / pair, folder / "raw" / pair)
    words = ["prepare", "--raw", folder / "raw", "--tokenizer", tokenizer_dir]
    assert main([str(word) for word in [*words, "--out", folder / "bin"]]) == 0
    return folder / "bin"


@pytest.fixture(scope="module")
def together(data_bin: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Output and last checkpoint of 20 updates by the launcher's two processes."""
    folder = tmp_path_factory.mktemp("together")
    command = [LAUNCHER, 2, data_bin, *options(8, folder)]
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout, folder / "checkpoint_last.pt"


def options(size: int, folder: Path, updates: int = 20) -> list[Any]:
    return [*OPTIONS, "--batch-size", size, "--save-dir", folder, "--max-update", updates]


def scores(output: str) -> dict[str, float]:
    """What the one validation found, apart from speed and shape of batches."""
    (line,) = [line for line in output.splitlines() if "| valid |" in line]
    values = json.loads(line.split("| valid | ", 1)[1])
    kinds = ("accuracy", "f1", "precision", "recall", "score", "loss")
    return {key: float(value) for key, value in values.items() if key.endswith(kinds)}


def gap(first: Path, second: Path) -> float:
    """The largest difference between the parameters of two checkpoints."""
    one, other = (torch.load(path, weights_only=True)["model"] for path in (first, second))
    assert one.keys() == other.keys()
    return max(float((one[name] - other[name]).abs().max()) for name in one)


@real
def test_two_processes_make_the_updates_of_one_with_twice_the_batch(
    start: Start, data_bin: Path, together: tuple[str, Path], tmp_path: Path
):
    alone = finish(start(BIN / "fairseq-train", data_bin, *options(16, tmp_path)))
    output, checkpoint = together
    assert "training on 2 devices" in output
    assert scores(output) == scores(alone)
    assert gap(checkpoint, tmp_path / "checkpoint_last.pt") < 1e-6


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@real
def test_two_machines_with_torchrun_do_the_same(
    start: Start, data_bin: Path, together: tuple[str, Path], tmp_path: Path
):
    port = free_port()
    words = f"--nnodes 2 --nproc-per-node 1 --master-addr 127.0.0.1 --master-port {port}".split()
    agents = [
        start(
            BIN / "torchrun", *words, "--node-rank", rank, "--no-python",
            LAUNCHER, data_bin, *options(8, tmp_path), "--disable-validation",
            GLOO_SOCKET_IFNAME="lo",
        )
        for rank in (0, 1)
    ]  # fmt: skip
    for agent in agents:
        finish(agent)
    assert gap(together[1], tmp_path / "checkpoint_last.pt") == 0


SRUN = """#!/bin/bash
while [[ $1 == --* ]]; do shift; done
export SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=$SLURM_NTASKS
worst=0
for task in 0 1; do SLURM_PROCID=$task SLURM_LOCALID=$task "$@" & tasks+=($!); done
for pid in "${tasks[@]}"; do wait "$pid" || worst=$?; done
exit "$worst"
"""


def slurm(folder: Path) -> dict[str, str]:
    """The environment of a batch job of two tasks, with a srun and a scontrol of our own."""
    folder.mkdir()
    (folder / "srun").write_text(SRUN)
    (folder / "scontrol").write_text("#!/bin/bash\nprintf '127.0.0.1\\nelsewhere\\n'\n")
    for path in folder.iterdir():
        path.chmod(0o755)
    job = {"SLURM_JOB_ID": str(os.getpid()), "SLURM_NTASKS": "2", "SLURM_JOB_NODELIST": "n[1-2]"}
    job |= {"SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_SUBMIT_DIR": str(ROOT)}
    return {**job, "PATH": f"{folder}:{os.environ['PATH']}", "GLOO_SOCKET_IFNAME": "lo"}


@real
def test_a_run_that_lost_a_process_ends_soon_and_goes_on_under_slurm(
    start: Start, data_bin: Path, together: tuple[str, Path], tmp_path: Path
):
    save = tmp_path / "save"
    more = ("--disable-validation", "--save-interval-updates", 10)
    process = start(LAUNCHER, 2, data_bin, *options(8, save, updates=1_000_000), *more)
    until((save / "checkpoint_1_20.pt").exists)
    ranks = children(process.pid)
    assert set(ranks) == {"0", "1"}
    os.kill(ranks["1"], signal.SIGKILL)
    output = finish(process, code=128 + signal.SIGKILL, seconds=15)
    assert "process 1 of 0 to 1 was killed by signal 9 (SIGKILL); all have been ended" in output
    assert not any(alive(pid) for pid in ranks.values())

    # sbatch runs a copy from elsewhere
    copy = shutil.copy(ROOT / "scripts/slurm_train.sh", tmp_path / "slurm_script")
    again = [*options(8, save), "--disable-validation"]
    again += ["--restore-file", save / "checkpoint_1_10.pt"]
    output = finish(start(copy, data_bin, *again, **slurm(tmp_path / "bin")))
    assert "checkpoint_1_10.pt (epoch 1 @ 10 updates)" in output
    assert gap(together[1], save / "checkpoint_last.pt") == 0


@real
def test_a_wrong_pair_is_told_once(start: Start, data_bin: Path, tmp_path: Path):
    process = start(LAUNCHER, 2, data_bin, *options(8, tmp_path), "--pairs", "nli-en,nli-xx")
    output = finish(process, code=2)
    assert output.count("pair 'nli-xx': no prepared data") == 1 and "Traceback" not in output
