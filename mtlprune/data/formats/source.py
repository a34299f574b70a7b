"""A raw file as a stream: UTF-8 checked, positions known, hash taken on the way."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from mtlprune.errors import DataError

BOM = b"\xef\xbb\xbf"


class NotUtf8(str):
    """Stands in the place of a line whose bytes are not UTF-8; says which byte."""


class SourceFile:
    """A file read once from start to end; ``position`` and ``digest`` grow with it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.position = 0
        self._hash = hashlib.sha256()
        if path.is_dir():
            raise DataError(f"{path} is a folder; give a file")
        try:
            self.size = path.stat().st_size
            path.open("rb").close()
        except OSError as problem:
            raise DataError(f"{path}: {problem.strerror or problem}") from None

    def head(self) -> bytes:
        """The first bytes, without moving ``position``."""
        with self.path.open("rb") as stream:
            return stream.read(4096)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Numbered lines without their ends. Only LF and CRLF end a line, not U+2028 or U+0085."""
        with self.path.open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                self._hash.update(raw)
                start = self.position
                self.position += len(raw)
                if number == 1 and raw.startswith(BOM):
                    raw, start = raw[len(BOM) :], start + len(BOM)
                yield number, decode(raw.removesuffix(b"\n").removesuffix(b"\r"), start)

    def blocks(self, size: int = 1 << 16) -> Iterator[bytes]:
        """The file in blocks of at most ``size`` bytes, without a byte order mark."""
        with self.path.open("rb") as stream:
            while raw := stream.read(size):
                self._hash.update(raw)
                first, self.position = self.position == 0, self.position + len(raw)
                yield raw.removeprefix(BOM) if first else raw

    @property
    def digest(self) -> str:
        """SHA-256 of what has been read so far; of the file, once it is read to its end."""
        return self._hash.hexdigest()


def decode(raw: bytes, start: int) -> str:
    """Text of bytes that stand at ``start`` in their file, or a ``NotUtf8``."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        where = start + problem.start
        return NotUtf8(f"byte {where} of the file (0x{raw[problem.start]:02x}) is not UTF-8")
