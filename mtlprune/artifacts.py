"""Files between stages: versioned JSON with a checksum; folders that appear whole or not at all."""

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mtlprune.errors import ArtifactError, StoreError

VERSION = 1
LOCK = ".lock"


def format_name(kind: str) -> str:
    return f"mtlprune/{kind}/{VERSION}"


def checksum(body: dict[str, Any]) -> str:
    """SHA-256 of a JSON object's content, whatever its layout on disk."""
    canonical = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def write_artifact(path: Path, kind: str, body: dict[str, Any]) -> None:
    """Write ``body`` as ``mtlprune/<kind>/1``; the old file stays until the new one is whole."""
    content = {"format": format_name(kind), **body}
    text = json.dumps({**content, "checksum": checksum(content)}, ensure_ascii=False, indent=1)
    write_atomically(path, text.encode() + b"\n")


def read_artifact(path: Path, kind: str, by_hand: bool = False) -> dict[str, Any]:
    """The body of an artifact; another kind or version, or a damaged file, is refused.

    ``by_hand``: the file may have been written by a person, who gives no checksum.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise ArtifactError(f"{path}: {problem.strerror or problem}") from None
    except ValueError as problem:
        raise ArtifactError(f"{path}: not a JSON file: {problem}") from None
    found = content.get("format") if isinstance(content, dict) else None
    if found != format_name(kind):
        raise ArtifactError(f"{path}: its format is {found!r}, wanted is '{format_name(kind)}'")
    expected = content.pop("checksum", None)
    if expected != checksum(content) and not (by_hand and expected is None):
        raise ArtifactError(f"{path}: damaged or edited (its checksum does not fit its content)")
    del content["format"]
    return content


def write_atomically(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.tmp-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(handle)  # a rename must never show a file without its content
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def new_folder(
    target: Path, overwrite: bool = False, mark: str = "", nested: bool = False
) -> Iterator[Path]:
    """A folder to fill that becomes ``target`` at the end of the block, or vanishes on an error.

    An existing one is replaced only if asked, and only if it is one of ours: it holds the file
    ``mark`` and, unless ours are ``nested``, no folders. What a killed process left behind is
    found by its unheld lock.
    """
    with _parents(target):
        _clean_up_after_the_dead(target)
        if target.exists():
            _refuse_to_replace(target, overwrite, mark, nested)
        folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.tmp-"))
        folder.chmod(0o777 & ~_umask())
        try:
            with (folder / LOCK).open("wb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield folder
                (folder / LOCK).unlink()
                _swap(folder, target, overwrite)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def _refuse_to_replace(target: Path, overwrite: bool, mark: str, nested: bool) -> None:
    if not target.is_dir():
        raise StoreError(f"{target} is a file; give the name of a folder to make")
    if not overwrite:
        raise StoreError(f"{target} exists already; give --overwrite to replace it")
    inside = list(target.iterdir())
    is_ours = any(path.name == mark for path in inside)
    is_ours = is_ours and (nested or not any(path.is_dir() for path in inside))
    if inside and not is_ours:
        raise StoreError(
            f"{target} was not made by this command (no {mark} in it, or folders) and is not "
            f"replaced, --overwrite or not; give another name, or remove it yourself"
        )


@contextmanager
def _parents(target: Path) -> Iterator[None]:
    """Make the folders above ``target``; those made here go again if the block fails."""
    made = [path for path in target.parents if not path.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise StoreError(f"{target}: a file stands where a folder is needed") from None
    try:
        yield
    except BaseException:
        for path in made:
            with suppress(OSError):
                path.rmdir()
        raise


def _swap(folder: Path, target: Path, overwrite: bool) -> None:
    """Put ``folder`` in the place of ``target``; the old one is kept until then.

    A lock on the parent folder keeps two processes with one target from meeting half-way.
    """
    old = _old(target)
    parent = os.open(target.parent, os.O_RDONLY)
    try:
        fcntl.flock(parent, fcntl.LOCK_EX)
        if target.exists() and not overwrite:
            raise StoreError(f"{target} was made by another process in the meantime")
        with suppress(FileNotFoundError):
            target.rename(old)
        folder.rename(target)
        os.fsync(parent)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        os.close(parent)


def _old(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")


def _clean_up_after_the_dead(target: Path) -> None:
    old = _old(target)
    if old.exists() and not target.exists():  # killed between the two renames
        old.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    for folder in target.parent.glob(f".{target.name}.tmp-*"):
        with suppress(OSError), (folder / LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
