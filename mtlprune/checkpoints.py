"""Checkpoint files as fairseq writes them, read without running anything in them."""

import re
import zipfile
from pathlib import Path
from typing import Any

import torch

from mtlprune.errors import CheckpointError


def read_state(path: Path) -> dict[str, Any]:
    """All that a checkpoint file holds; one that is damaged, or wants to run code, is refused."""
    try:
        check_whole(path)
        return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise CheckpointError(f"{path}: no such checkpoint") from None
    except Exception as problem:  # torch raises many types on a damaged or hostile file
        raise CheckpointError(f"{path}: not a readable checkpoint: {why(problem)}") from None


def check_whole(path: Path) -> None:
    """Compare the content with the checksums that torch wrote beside it but does not read."""
    with zipfile.ZipFile(path) as archive:
        damaged = archive.testzip()
    if damaged is not None:
        raise CheckpointError(f"its part {damaged} is damaged (the checksum does not fit)")


def read_checkpoint(path: Path) -> dict[str, Any]:
    """The content of a checkpoint written by ``fairseq-train`` with one of our tasks."""
    state = read_state(path)
    bundle = state.get("task_state") if isinstance(state, dict) else None
    if not isinstance(bundle, dict) or "encoder" not in bundle or "model" not in state:
        raise CheckpointError(f"{path}: not a checkpoint of mtlprune (no encoder and tasks in it)")
    return state


def why(problem: BaseException) -> str:
    """The first line of an error, without torch's advice to load a file unsafely."""
    text = re.split(r"\n|\. This file can still be loaded", str(problem).strip())[0]
    return text[:200] or type(problem).__name__
