"""Checkpoints of fairseq that are whole or not there: safe writes, and plain words on damage.

fairseq writes one file of a save and copies it to the other names; a copy that is cut short by a
kill or a full disk destroys the checkpoint it was to replace. Here both go to a temporary file
that takes the old one's place when it is complete.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from fairseq import checkpoint_utils
from fairseq.file_io import PathManager

from mtlprune.checkpoints import check_whole, read_state, why
from mtlprune.errors import CheckpointError

UNFINISHED = ".tmp"  # fairseq's own ending for it


def make_checkpoints_safe() -> None:
    """Put our writing, copying and reading in the place of fairseq's, once."""
    if getattr(checkpoint_utils.torch_persistent_save, "__module__", None) == __name__:
        return
    checkpoint_utils.torch_persistent_save = _saver(checkpoint_utils.torch_persistent_save)
    PathManager.copy = staticmethod(_copier(PathManager.copy))
    checkpoint_utils.load_checkpoint_to_cpu = _loader(checkpoint_utils.load_checkpoint_to_cpu)
    checkpoint_utils.load_checkpoint = _restorer(checkpoint_utils.load_checkpoint)


def _saver(stock: Callable[..., None]) -> Callable[..., None]:
    def save(obj: Any, filename: str, async_write: bool = False) -> None:
        if async_write or not PathManager.supports_rename(filename):
            stock(obj, filename, async_write=async_write)
            return
        with _replacing(Path(filename)) as unfinished:
            torch.save(obj, unfinished)

    return save


def _copier(stock: Callable[..., Any]) -> Callable[..., Any]:
    def copy(src_path: str, dst_path: str, overwrite: bool = False) -> Any:
        if not (PathManager.supports_rename(src_path) and PathManager.supports_rename(dst_path)):
            return stock(src_path, dst_path, overwrite)
        with _replacing(Path(dst_path)) as unfinished:
            shutil.copyfile(src_path, unfinished)
        return True

    return copy


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A file to write that becomes ``path`` at the end of the block; on failure ``path`` stays."""
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        yield unfinished
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())  # a rename must never show a file without its content
        unfinished.replace(path)
    except (OSError, RuntimeError) as problem:  # torch's writer turns a full disk into the latter
        unfinished.unlink(missing_ok=True)
        free = shutil.disk_usage(path.parent).free if path.parent.is_dir() else 0
        kept = f"; the {path.name} from before is kept" if path.exists() else ""
        raise CheckpointError(
            f"{path}: cannot be written: {why(problem)} ({free / 2**20:,.0f} MB free "
            f"there){kept}. Make room or give another --save-dir; the run then goes on from its "
            f"last checkpoint"
        ) from None


def _loader(stock: Callable[..., Any]) -> Callable[..., Any]:
    def load(path: str, *args: Any, **options: Any) -> Any:
        try:
            check_whole(Path(path))
            return stock(path, *args, **options)
        except FileNotFoundError:
            raise CheckpointError(f"{path}: no such checkpoint") from None
        except Exception as problem:  # torch raises many types on a damaged or hostile file
            offer = _offer(Path(path))
            raise CheckpointError(
                f"{path}: damaged, or not a checkpoint: {why(problem)}. {offer}"
            ) from None

    return load


def _restorer(stock: Callable[..., Any]) -> Callable[..., Any]:
    """fairseq starts afresh without a word where the file given to --restore-file is missing."""

    def restore(cfg: Any, trainer: Any, **options: Any) -> Any:
        if cfg.restore_file != "checkpoint_last.pt" and not PathManager.exists(cfg.restore_file):
            raise CheckpointError(
                f"--restore-file {cfg.restore_file}: no such file (the path is taken from the "
                f"current folder, not from --save-dir)"
            )
        return stock(cfg, trainer, **options)

    return restore


def _offer(bad: Path) -> str:
    """The newest other checkpoint of the folder that can be read, as an option to give."""
    others = [path for path in bad.parent.glob("*.pt") if path != bad and path.name != "crash.pt"]
    for path in sorted(others, key=lambda path: -path.stat().st_mtime):
        updates = _updates(path)
        if updates is not None:
            return f"The newest good one is of update {updates}: --restore-file {path}"
    return "There is no good one beside it; remove it to start afresh"


def _updates(path: Path) -> int | None:
    """After how many updates a checkpoint was written; None for a file that cannot be read."""
    try:
        return int(read_state(path)["optimizer_history"][-1]["num_updates"])
    except (CheckpointError, LookupError, TypeError):
        return None
