"""Encoding beside reading and writing: in a thread, or in several processes. Order is kept."""

import json
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from mtlprune.data.encoding import Encoder, Limits, Ragged, Rows, make_encoder
from mtlprune.data.examples import Example
from mtlprune.data.tokenizers import Tokenizer
from mtlprune.errors import DataError
from mtlprune.specs import TaskSpec

Chunk = list[Example]
Encoded = tuple[Ragged, Rows]
Encode = Callable[[Iterator[Chunk]], Iterator[Encoded]]


def encoding(encoder: Encoder, workers: int) -> Any:
    """A context that gives a function from chunks of examples to encoded chunks, in order.

    One worker is a thread: the tokenizer works outside the interpreter's lock, so reading goes on
    meanwhile. More are processes.
    """
    return _in_thread(encoder) if workers == 1 else _in_processes(encoder, workers)


def encode_chunk(encoder: Encoder, chunk: Chunk) -> Encoded:
    """The examples of a chunk as JSON, and as numbers."""
    lines = [json.dumps(example, ensure_ascii=False).encode() for example in chunk]
    sizes = np.fromiter(map(len, lines), np.int32, len(lines))
    rows = encoder.encode(chunk)
    unknown = encoder.tokenizer.special_ids["unk"]
    if unknown is not None:
        rows.notes["unknown tokens"] += int((rows.columns["tokens"].values == unknown).sum())
    return Ragged(np.frombuffer(b"".join(lines), np.uint8), sizes), rows


@contextmanager
def _in_thread(encoder: Encoder) -> Iterator[Encode]:
    executor = ThreadPoolExecutor(1)
    work = partial(encode_chunk, encoder)

    def encode(chunks: Iterator[Chunk]) -> Iterator[Encoded]:
        pending = deque(executor.submit(work, chunk) for chunk in islice(chunks, 2))
        while pending:
            yield pending.popleft().result()
            pending.extend(executor.submit(work, chunk) for chunk in islice(chunks, 1))

    try:
        yield encode
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _in_processes(encoder: Encoder, workers: int) -> Iterator[Encode]:
    """Each process has a pipe of its own and one chunk at a time: nothing to lock, so nothing
    that a process killed at any moment could leave locked."""
    light = replace(encoder.tokenizer, transformers=None)
    started = [_start(encoder.spec, light, encoder.limits) for _ in range(workers)]

    def encode(chunks: Iterator[Chunk]) -> Iterator[Encoded]:
        pending: deque[Connection] = deque()
        for (_, pipe), chunk in zip(started, chunks, strict=False):
            pipe.send(chunk)
            pending.append(pipe)
        while pending:
            pipe = pending.popleft()
            result = _receive(pipe)
            for chunk in islice(chunks, 1):
                pipe.send(chunk)
                pending.append(pipe)
            yield result

    try:
        yield encode
    finally:
        for process, _ in started:
            process.kill()
            process.join()


def _start(spec: TaskSpec, tokenizer: Tokenizer, limits: Limits) -> tuple[Any, Connection]:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    parts = (theirs, spec, tokenizer, limits, os.getpid())
    process = context.Process(target=_serve, args=parts, daemon=True)
    with _deaf_to_interrupts():  # Ctrl-C reaches all processes of a terminal; only we act on it
        process.start()
    theirs.close()
    return process, ours


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """A process started here ignores SIGINT from its first moment on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _receive(pipe: Connection) -> Encoded:
    try:
        result = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise DataError("a worker process ended unexpectedly (out of memory?)") from None
    if isinstance(result, Exception):
        raise result
    return result


def _serve(
    pipe: Connection, spec: TaskSpec, tokenizer: Tokenizer, limits: Limits, parent: int
) -> None:
    """The life of a worker process."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # processes are the parallelism here
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    encoder = make_encoder(spec, tokenizer, limits)
    while True:
        chunk = pipe.recv()
        try:
            pipe.send(encode_chunk(encoder, chunk))
        except Exception as problem:  # goes to the parent, which raises it
            pipe.send(problem)


def _end_with(parent: int) -> None:
    """A parent that was killed cannot end its workers; they see to that themselves."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
