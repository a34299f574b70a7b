"""Columns on disk: what was written comes back, to us and to fairseq."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtlprune.data.columns import Column, ColumnWriter
from mtlprune.data.encoding.rows import Ragged
from mtlprune.errors import StoreError


def write(prefix: Path, rows: list[list[Any]], dtype: Any, pieces: int = 1) -> dict[str, Any]:
    writer = ColumnWriter(prefix, dtype)
    for at in range(0, len(rows), max(1, len(rows) // pieces)):
        writer.append(Ragged.of(rows[at : at + max(1, len(rows) // pieces)], dtype))
    return writer.finish()


INT_ROWS = st.lists(st.lists(st.integers(0, 65535), max_size=6), max_size=12)


@given(INT_ROWS, st.integers(1, 4))
@settings(max_examples=50)
def test_rows_come_back(tmp_path: Path, rows: list[list[int]], pieces: int):
    write(tmp_path / "c", rows, np.uint16, pieces)
    column = Column(tmp_path / "c")
    assert [row.tolist() for row in column] == rows
    assert column.sizes.tolist() == [len(row) for row in rows]


def test_floats_stay_floats(tmp_path: Path):
    write(tmp_path / "c", [[2.615], [], [-1e300]], np.float64)
    assert [row.tolist() for row in Column(tmp_path / "c")] == [[2.615], [], [-1e300]]


def test_a_copy_in_another_process_maps_the_files_anew(tmp_path: Path):
    write(tmp_path / "c", [[1, 2], [3]], np.int32)
    data = pickle.dumps(Column(tmp_path / "c"))
    assert len(data) < 500
    assert pickle.loads(data)[1].tolist() == [3]


@pytest.mark.fairseq
@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64])
def test_fairseq_reads_the_same_rows(tmp_path: Path, dtype: Any):
    from fairseq.data.indexed_dataset import MMapIndexedDataset

    rows = [[1, 2, 3], [], [255], [7] * 40]
    write(tmp_path / "c", rows, dtype, pieces=2)
    theirs = MMapIndexedDataset(str(tmp_path / "c"))
    assert [theirs[number].tolist() for number in range(len(theirs))] == rows
    assert theirs.sizes.tolist() == [3, 0, 1, 40]


@pytest.mark.fairseq
def test_files_are_those_that_fairseq_writes(tmp_path: Path):
    import torch
    from fairseq.data.indexed_dataset import MMapIndexedDatasetBuilder

    rows = [[1, 2, 3], [9], [4, 5]]
    write(tmp_path / "ours", rows, np.uint16)
    builder = MMapIndexedDatasetBuilder(str(tmp_path / "theirs.bin"), dtype=np.uint16)
    for row in rows:
        builder.add_item(torch.tensor(row))
    builder.finalize(str(tmp_path / "theirs.idx"))
    for suffix in ("bin", "idx"):
        assert (tmp_path / f"ours.{suffix}").read_bytes() == (
            tmp_path / f"theirs.{suffix}"
        ).read_bytes()


@pytest.mark.parametrize("damage", [b"", b"MMIDIDX", b"x" * 60])
def test_a_damaged_index_is_refused(tmp_path: Path, damage: bytes):
    write(tmp_path / "c", [[1], [2]], np.int32)
    (tmp_path / "c.idx").write_bytes(damage)
    with pytest.raises(StoreError, match="prepare the pair again"):
        Column(tmp_path / "c")
