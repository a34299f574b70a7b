"""JSON files with a kind, a version and a checksum; folders that appear whole or not at all."""

import json
import os
from pathlib import Path

import pytest

from mtlprune.artifacts import new_folder, read_artifact, write_artifact, write_atomically
from mtlprune.errors import ArtifactError, StoreError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_comes_back(tmp_path: Path):
    path = tmp_path / "a.json"
    write_artifact(path, "masks", {"sets": {"ñ": [[0, 1]]}})
    assert read_artifact(path, "masks") == {"sets": {"ñ": [[0, 1]]}}
    assert json.loads(path.read_text())["format"] == "mtlprune/masks/1"


def test_another_kind_is_refused(tmp_path: Path):
    write_artifact(tmp_path / "a.json", "masks", {})
    with pytest.raises(ArtifactError, match="'mtlprune/masks/1', wanted is 'mtlprune/store/1'"):
        read_artifact(tmp_path / "a.json", "store")


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"format": "mtlprune/masks/2"}', "\x00"])
def test_what_is_no_artifact_is_refused(tmp_path: Path, text: str):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(ArtifactError, match=r"a\.json"):
        read_artifact(tmp_path / "a.json", "masks")


def test_every_changed_byte_of_the_content_is_noticed(tmp_path: Path):
    path = tmp_path / "a.json"
    write_artifact(path, "masks", {"alpha": 0.25, "name": "top"})
    original = path.read_bytes()
    for at in range(len(original)):
        for bit in (0, 2, 6):
            changed = bytearray(original)
            changed[at] ^= 1 << bit
            path.write_bytes(bytes(changed))
            try:
                body = read_artifact(path, "masks")
            except ArtifactError:
                continue
            assert body == {"alpha": 0.25, "name": "top"}, "a flip was accepted"


def test_a_file_written_by_hand_needs_no_checksum_where_that_is_allowed(tmp_path: Path):
    (tmp_path / "a.json").write_text('{"format": "mtlprune/masks/1", "sets": {}}')
    assert read_artifact(tmp_path / "a.json", "masks", by_hand=True) == {"sets": {}}
    with pytest.raises(ArtifactError, match="damaged or edited"):
        read_artifact(tmp_path / "a.json", "masks")


def test_the_old_file_stays_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "a"
    write_atomically(path, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_new_folder_appears_at_the_end_of_the_block(tmp_path: Path):
    target = tmp_path / "deep" / "x"
    with new_folder(target) as folder:
        (folder / "f").write_text("1")
        assert not target.exists()
    assert names(target) == ["f"]
    assert names(target.parent) == ["x"]


def test_a_folder_vanishes_on_an_error(tmp_path: Path):
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "x") as folder:
        (folder / "f").write_text("1")
        raise ZeroDivisionError
    assert names(tmp_path) == []


def test_an_existing_folder_is_replaced_only_when_asked(tmp_path: Path):
    with new_folder(tmp_path / "x") as folder:
        (folder / "old").touch()
    with pytest.raises(StoreError, match="--overwrite"), new_folder(tmp_path / "x"):
        pass
    with new_folder(tmp_path / "x", overwrite=True, mark="old") as folder:
        (folder / "new").touch()
    assert names(tmp_path / "x") == ["new"]
    assert names(tmp_path) == ["x"]


@pytest.mark.parametrize("inside", ["precious.txt", "old/precious.txt"])
def test_a_folder_that_is_not_ours_is_never_replaced(tmp_path: Path, inside: str):
    file = tmp_path / "x" / inside
    file.parent.mkdir(parents=True)
    file.touch()
    with (
        pytest.raises(StoreError, match="was not made by this command"),
        new_folder(tmp_path / "x", overwrite=True, mark="old"),
    ):
        pass
    assert file.exists()


def test_folders_made_on_the_way_go_again_when_it_fails(tmp_path: Path):
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "a/b/c"):
        raise ZeroDivisionError
    assert names(tmp_path) == []


def test_what_a_dead_process_left_is_removed_and_a_living_ones_is_not(tmp_path: Path):
    dead = tmp_path / ".x.tmp-dead"
    dead.mkdir()
    (dead / ".lock").touch()
    with new_folder(tmp_path / "x", overwrite=True) as mine:
        assert not dead.exists()
        with new_folder(tmp_path / "x", overwrite=True):
            assert mine.exists()


def test_a_process_killed_between_two_renames_loses_nothing(tmp_path: Path):
    old = tmp_path / ".x.old"
    old.mkdir()
    (old / "precious").touch()
    with pytest.raises(StoreError, match="exists already"), new_folder(tmp_path / "x"):
        pass
    assert names(tmp_path / "x") == ["precious"]
