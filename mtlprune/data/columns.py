"""Ragged columns on disk, in the layout of fairseq's memory-mapped indexed datasets.

``NAME.bin`` holds all values in a line, ``NAME.idx`` the type, the size of each row and where it
starts. fairseq's own reader opens these files; ours adds no dependency and keeps floats as floats.
"""

import hashlib
import struct
from pathlib import Path
from typing import Any

import numpy as np

from mtlprune.data.encoding.rows import Ragged
from mtlprune.errors import StoreError

MAGIC = b"MMIDIDX\x00\x00"
HEADER = struct.Struct("<9sQBQ")  # magic, version, type code, number of rows
TYPE_CODES: dict[np.dtype[Any], int] = {
    np.dtype(np.uint8): 1,
    np.dtype(np.int8): 2,
    np.dtype(np.int16): 3,
    np.dtype(np.int32): 4,
    np.dtype(np.int64): 5,
    np.dtype(np.float64): 6,
    np.dtype(np.uint16): 8,
}
TYPES = {code: dtype for dtype, code in TYPE_CODES.items()}


class ColumnWriter:
    """Appends rows; the index is written at the end. Memory grows by four bytes a row."""

    def __init__(self, prefix: Path, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self._data = prefix.with_name(prefix.name + ".bin")
        self._index = prefix.with_name(prefix.name + ".idx")
        self._stream = self._data.open("wb")
        self._hash = hashlib.sha256()
        self._sizes: list[np.ndarray] = []

    def append(self, rows: Ragged) -> None:
        assert int(rows.sizes.sum()) == len(rows.values)
        raw = np.ascontiguousarray(rows.values, self.dtype).tobytes()
        self._hash.update(raw)
        self._stream.write(raw)
        self._sizes.append(rows.sizes.astype(np.int32, copy=False))

    @property
    def sizes(self) -> np.ndarray:
        self._sizes = [np.concatenate(self._sizes)] if self._sizes else [np.zeros(0, np.int32)]
        return self._sizes[0]

    def finish(self) -> dict[str, dict[str, Any]]:
        """Close both files; their sizes in bytes and SHA-256, by file name."""
        self._stream.close()
        sizes = self.sizes
        starts = np.zeros(len(sizes), np.int64)
        np.cumsum(sizes[:-1], out=starts[1:], dtype=np.int64)
        starts *= self.dtype.itemsize
        header = HEADER.pack(MAGIC, 1, TYPE_CODES[self.dtype], len(sizes))
        digest = hashlib.sha256()
        with self._index.open("wb") as stream:
            for part in (header, sizes.data, starts.data):
                digest.update(part)
                stream.write(part)
        self._sizes.clear()
        return {
            self._data.name: _facts(self._data, self._hash.hexdigest()),
            self._index.name: _facts(self._index, digest.hexdigest()),
        }

    def close(self) -> None:
        """Give up: release the file without writing an index."""
        self._stream.close()


def _facts(path: Path, digest: str) -> dict[str, Any]:
    return {"bytes": path.stat().st_size, "sha256": digest}


class Column:
    """A ragged column, memory-mapped: ``column[i]`` is row i, ``column.sizes`` all lengths."""

    def __init__(self, prefix: Path) -> None:
        self.prefix = prefix
        index = prefix.with_name(prefix.name + ".idx")
        try:
            with index.open("rb") as stream:
                magic, version, code, count = HEADER.unpack(stream.read(HEADER.size))
            if magic != MAGIC or version != 1 or code not in TYPES:
                raise StoreError(f"{index}: not an index of this format; prepare the pair again")
            self.dtype = TYPES[code]
            self.sizes = _map(index, np.int32, HEADER.size, count)
            self._starts = _map(index, np.int64, HEADER.size + 4 * count, count)
            data = prefix.with_name(prefix.name + ".bin")
            self.values = _map(data, self.dtype, 0, data.stat().st_size // self.dtype.itemsize)
        except (OSError, struct.error, ValueError) as problem:
            raise StoreError(f"{index}: {problem}; prepare the pair again") from None

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, row: int) -> np.ndarray:
        start = int(self._starts[row]) // self.dtype.itemsize
        return self.values[start : start + int(self.sizes[row])]

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy in another process maps the files anew instead of carrying them over."""
        return Column, (self.prefix,)


def _map(path: Path, dtype: Any, offset: int, count: int) -> np.ndarray:
    if count == 0:  # an empty file cannot be mapped
        return np.zeros(0, dtype)
    return np.memmap(path, dtype, "r", offset, (count,))
