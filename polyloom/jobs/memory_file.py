# SPDX-License-Identifier: Apache-2.0
"""A graph as arrays in memory that programs map (polite/graph_arrays.h): input and output are NumPy arrays."""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.base import memory
from polyloom.base.errors import UserError

Array = NDArray[Any]

MAGIC = b"polyloom-arrays1"
#: Magic, vertices, edges, has weights, mirrored, kind of names, -, bytes of words, -.
HEAD = struct.Struct("<16s2Q4I2Q")
NO_NAMES, NUMBERS, WORDS = range(3)


class MemoryFile:
    """Memory without a name that programs we start can read and write as ``path``; gone with this object."""

    def __init__(self, purpose: str, file: Path | None = None) -> None:
        """In ``file`` where one is given, which stays."""
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
        opened = os.open(file, flags, 0o666) if file else os.memfd_create(f"polyloom-{purpose}")
        try:
            self.descriptor = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, 3)  # none of the standard streams' numbers
        finally:
            os.close(opened)
        self._end = weakref.finalize(self, os.close, self.descriptor)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copies: with all that it holds."""
        return _restored, (type(self), bytes(self.map()))

    def _is_filled(self) -> None:
        """Its bytes are there."""

    @property
    def path(self) -> str:
        """What we and programs that inherit the descriptor call it."""
        return f"/proc/self/fd/{self.descriptor}"

    def write(self, content: bytes) -> None:
        """Go on writing."""
        left = memoryview(content)
        while left:
            left = left[os.write(self.descriptor, left) :]

    def map(self, access: int = mmap.ACCESS_READ) -> mmap.mmap | bytes:
        """All of its bytes."""
        size = os.fstat(self.descriptor).st_size
        return mmap.mmap(self.descriptor, size, access=access) if size else b""


class ArraysFile(MemoryFile):
    """The arrays of a graph. ``edges`` (uint32, shape (edges, 2)) and ``weights`` are filled, then it is named."""

    def __init__(self, edges: int, weighted: bool, file: Path | None = None) -> None:
        size = HEAD.size + edges * (8 + 8 * weighted)
        memory.require(size, f"a graph of {edges} edges")
        super().__init__("graph", file)
        os.ftruncate(self.descriptor, size)
        self._view(edges, weighted)

    def _view(self, edges: int, weighted: bool) -> None:
        mapped = self.map(mmap.ACCESS_WRITE)
        self._head: Any = mapped
        self.edges: Array = np.frombuffer(mapped, np.uint32, 2 * edges, HEAD.size).reshape(edges, 2)
        self.weights: Array | None = None
        if weighted:
            self.weights = np.frombuffer(mapped, np.float64, edges, HEAD.size + 8 * edges)

    def _is_filled(self) -> None:
        head = HEAD.unpack(self.map()[: HEAD.size])
        self._view(head[2], bool(head[3]))

    def drop_weights(self) -> None:
        """There are none after all; before ``name``."""
        self.weights = None
        os.ftruncate(self.descriptor, HEAD.size + 8 * len(self.edges))

    def name(self, vertices: int, mirrored: bool, numbers: Array | None, words: list[bytes] | None) -> None:
        """What the vertices are called: 0, 1, 2 ..., ascending numbers, or words."""
        kind, rest = NO_NAMES, [b""]
        if numbers is not None:
            kind, rest = NUMBERS, [numbers.astype("<u8").tobytes()]
        elif words is not None:
            ends = np.cumsum(np.fromiter(map(len, words), np.uint64, len(words)))
            kind, rest = WORDS, [ends.astype("<u8").tobytes(), *words]
        text = b"".join(rest)
        bytes_of_words = len(text) - 8 * vertices if kind == WORDS else 0
        weighted = self.weights is not None
        head = (MAGIC, vertices, len(self.edges), weighted, mirrored, kind, 0, bytes_of_words, 0)
        self._head[: HEAD.size] = HEAD.pack(*head)
        os.lseek(self.descriptor, 0, os.SEEK_END)
        self.write(text)


def _restored(kind: type[MemoryFile], content: bytes) -> MemoryFile:
    """A copy of such memory."""
    made = kind.__new__(kind)
    MemoryFile.__init__(made, "graph")
    made.write(content)
    made._is_filled()
    return made


class ReadArrays:
    """What a program has written as such a file."""

    def __init__(self, file: MemoryFile) -> None:
        data = file.map()
        if len(data) < HEAD.size:
            raise UserError("the graph's arrays were not written")
        _, self.vertices, edges, weighted, mirrored, kind, _, _, _ = HEAD.unpack(data[: HEAD.size])
        self.mirrored, self.weighted, self.edges = bool(mirrored), bool(weighted), edges
        names = HEAD.size + edges * (8 + 8 * weighted)
        numbers = np.frombuffer(data, "<u8", self.vertices, names) if kind != NO_NAMES else None
        self.numbers: Array | None = numbers if kind == NUMBERS else None
        self.words: list[bytes] | None = None
        if kind == WORDS and numbers is not None:
            text = data[names + 8 * self.vertices :]
            ends = numbers.tolist()
            self.words = [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
