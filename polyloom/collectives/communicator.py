# SPDX-License-Identifier: Apache-2.0
"""The communicator: one method an operation. Input and output: lists of arrays, one a rank; a ``Result``.

Numbers in lists are arrays too: float64 or int64 where they only move, float32 or int32 where they are computed with.
"""

from __future__ import annotations

import contextlib
import os
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.base import memory, paths, process
from polyloom.base.errors import UserError
from polyloom.collectives.loader import CollectiveError, ext
from polyloom.collectives.operations import OPERATIONS
from polyloom.collectives.program import Instruction

Array = NDArray[Any]
_INT32 = (-(1 << 31), (1 << 31) - 1)
_TYPES = {np.dtype(np.float32): "fp32", np.dtype(np.int32): "int32"}
#: What Python's own numbers are for operations that compute.
_NARROW = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.int64): np.dtype(np.int32)}


@dataclass(frozen=True)
class Result:
    """What an operation cost. Rates are in Gb/s (10^9 bit); None where no time is simulated (native)."""

    operation: str
    algorithm: str
    bytes: int  # of the whole vector; all_to_all: of one rank's send buffer
    ranks: int
    steps: int
    simulated_seconds: float | None
    predicted_seconds: float | None  # by the alpha-beta model; None too if programs are loaded in parts
    algorithm_gbps: float | None  # bytes / simulated seconds
    bus_gbps: float | None  # algorithm bandwidth x bus factor, as nccl-tests
    bus_factor: float

    @staticmethod
    def of(raw: Any) -> Result:
        """Copy the fields of the compiled module's result."""
        return Result(**{name: getattr(raw, name) for name in Result.__dataclass_fields__})


@dataclass(frozen=True)
class NodeRun:
    """What a node says after the end of its program; cycles of its clock, zero natively."""

    begin: int
    finish: int
    marks: list[int]  # [mark] end of the step whose ``go`` named it
    status: list[int]  # words of the operator's status after the last step, as asked for


def _bytes_of(array: Array) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _joined(arrays: Sequence[Array]) -> NDArray[np.uint8]:
    """Their bytes: ``np.concatenate`` of the arrays themselves would turn them into this machine's byte order."""
    return np.concatenate([_bytes_of(array) for array in arrays])


def _native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype.newbyteorder("=")


def _words_of(array: Array) -> NDArray[np.uint32]:
    if array.dtype.itemsize != 4:
        raise CollectiveError(f"a column of {array.dtype}: partition moves elements of 4 bytes")
    return np.ascontiguousarray(array).reshape(-1).view(np.uint32)


def _array(value: Any, who: str = "", narrow: bool = False) -> Array:
    """What was given, arrays or numbers, as an array whose bytes are all that it holds.

    ``narrow``: Python's own numbers, which have no type, become float32 or int32.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise CollectiveError(f"{who}a masked array, whose mask would be lost; fill it (filled()) or give its data")
    try:
        array = np.asarray(value)
        if narrow and not hasattr(value, "dtype") and array.dtype in _NARROW:
            array = np.asarray(value, _NARROW[array.dtype])
    except (ValueError, OverflowError) as error:
        raise CollectiveError(f"{who}{error}") from None
    if array.dtype.hasobject or not array.dtype.itemsize:
        what = f"an array of {array.dtype}" if isinstance(value, np.ndarray) else repr(value)
        raise CollectiveError(f"{who}{what}; elements of a fixed size are expected, no Python objects")
    return array


def _items(value: Any, what: str) -> list[Any]:
    try:
        return list(value)
    except TypeError:
        raise CollectiveError(f"{what} = {value!r}: a sequence is expected") from None


def _word(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise CollectiveError(f"{what} = {value!r}: a word is expected")
    return value


def _whole(value: Any, what: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise CollectiveError(f"{what} = {value!r}: a whole number from {least} to {most} is expected")
    return int(value)


def _check_types(arrays: Sequence[Array | None]) -> None:
    """All of one type: bytes of another would be taken for the first's."""
    ranks: dict[str, list[str]] = {}
    for rank, array in enumerate(arrays):
        if array is not None:
            ranks.setdefault(str(array.dtype), []).append(str(rank))
    if len(ranks) > 1:
        who = "; ".join(f"{name} (rank {', '.join(of)})" for name, of in ranks.items())
        raise CollectiveError(f"the ranks' arrays are of different types: {who}")


class Communicator:
    """All ranks of a cluster, driven by this process.

    ``cluster``: name or path (default: ``POLYLOOM_CLUSTER``). ``on``: "sim" or "rtl" (every FPGA, over the cluster
    file) or "native" (default: ``POLYLOOM_ON``, else as the file says): this process does the work at the speed of its
    memory and knows no time. Without a cluster a native one has ``native_ranks`` ranks (8).
    ``watchdog_seconds``: simulated time without progress after which the operation
    fails with the cause. Errors: CollectiveError.
    """

    def __init__(
        self, cluster: str = "", on: str = "", native_ranks: int | None = None, watchdog_seconds: float = 5e-3
    ) -> None:
        path = str(paths.cluster_file(cluster)) if cluster else ""
        if (on or os.environ.get("POLYLOOM_ON")) != "native":
            process.guard()  # the simulator, and what that builds with, end with this process
        self._own: Any = ext.Communicator(path, on, native_ranks, watchdog_seconds)

    @property
    def _raw(self) -> Any:
        if self._own is None:
            raise CollectiveError("this communicator has ended, with the block that it was opened for")
        return self._own

    def __enter__(self) -> Communicator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        traceback.clear_frames(trace)  # of an exception: operations in them hold what ends here
        self._own = None

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """Around waiting for a person, a pipe, another program: others that share the cluster go on meanwhile.

        No other call in between. Simulated time goes on here when no other program can (fabric/host/README.md).
        """
        self._raw.away()
        try:
            yield
        finally:
            self._raw.back()

    @property
    def size(self) -> int:
        """Number of ranks."""
        return int(self._raw.size)

    @property
    def native(self) -> bool:
        """Whether this process does the work, without a cluster and without time."""
        return bool(self._raw.native)

    @property
    def topology(self) -> str:
        """The topology in words."""
        return str(self._raw.topology)

    @property
    def lane_gbps(self) -> float | None:
        """Payload of each lane in Gb/s; None natively, and where lanes differ."""
        rate: float | None = self._raw.lane_gbps
        return rate

    @property
    def fastest_lane_gbps(self) -> float | None:
        """Payload in Gb/s that no lane exceeds, where links differ; None natively."""
        rate: float | None = self._raw.fastest_lane_gbps
        return rate

    @property
    def lanes(self) -> int:
        """Lanes that leave a node."""
        return int(self._raw.lanes)

    def _one_each(self, arrays: Any, narrow: bool = False) -> list[Array]:
        found = [_array(each, f"rank {rank}: ", narrow) for rank, each in enumerate(_items(arrays, "arrays"))]
        if len(found) != self.size:
            raise CollectiveError(f"{len(found)} arrays for {self.size} ranks; one a rank is expected")
        _check_types(found)
        return found

    def _check_rank(self, rank: int) -> None:
        _whole(rank, "rank", 0, self.size - 1)

    def request(self, operation: str, sizes: Sequence[int], dtype: Any = np.uint8, **options: Any) -> Any:
        """Build a request for ``explain``, ``algorithms`` and ``prepare``; sizes in bytes as operations.h says."""
        for size in sizes:
            if not 0 <= size < 1 << 63:
                raise CollectiveError(f"{operation}: {size} bytes; sizes are from 0 to 2^63 - 1")
        kind = _TYPES.get(np.dtype(dtype), "bytes")
        if kind == "bytes" and operation in OPERATIONS and OPERATIONS[operation].reduces:
            raise CollectiveError(f"{operation} of {np.dtype(dtype)}: elements are {' or '.join(map(str, _TYPES))}")
        if "reduce" in options:
            _word(options["reduce"], "op")
        for name in ("root", "destination"):
            if name in options:
                options[name] = _whole(options[name], name, *_INT32)
        return self._raw.request(operation, list(sizes), type=kind, **options)

    def uniform(self, operation: str, total: int, **options: Any) -> Any:
        """Build a request of ``total`` bytes a rank, blocks equal (cut down to whole blocks of 4-byte elements)."""
        name = operation.replace("-", "_")
        row = OPERATIONS.get(name)
        dtype = np.float32 if row and row.reduces else np.uint8
        n = self.size
        if row and row.sizes == "none":
            return self.request(name, [], **options)
        if row and row.sizes == "vector":
            options.setdefault("destination", n - 1)
            return self.request(name, [max(4, total // 4 * 4)], dtype, **options)
        block = max(4, total // n // 4 * 4)
        return self.request(name, [block] * (n * n if row and row.sizes == "pairs" else n), dtype, **options)

    def algorithms(self, request: Any) -> list[str]:
        """Names of the algorithms that apply, the published first; natively "memory", which has no steps, before."""
        return list(self._raw.algorithms(request))

    def explain(self, request: Any) -> str:
        """The alpha-beta model's table: every algorithm with its predicted time, quickest first."""
        return str(self._raw.explain(request))

    def _call(
        self, request: Any, send: Sequence[Array | None], dtype: Any, algorithm: str
    ) -> tuple[list[Array], Result]:
        _word(algorithm, "algorithm")
        empty = np.zeros(0, np.uint8)
        _check_types(send)
        given = [empty if a is None else _bytes_of(a) for a in send]
        sizes = [self._raw.recv_bytes(request, rank) for rank in range(self.size)]
        try:
            memory.require(sum(sizes), "what the ranks receive")
        except UserError as error:
            raise CollectiveError(str(error)) from error
        taken = [np.empty(size, np.uint8) for size in sizes]
        raw = self._raw.call(request, given, taken, algorithm)
        return [array.view(dtype) for array in taken], Result.of(raw)

    def _from_root(self, root: int, array: Array) -> list[Array | None]:
        return [array if rank == root else None for rank in range(self.size)]

    def barrier(self) -> Result:
        """Wait until all ranks are there."""
        return self._call(self.request("barrier", []), [None] * self.size, np.uint8, "")[1]

    def unicast(self, array: Array, root: int, destination: int, algorithm: str = "") -> tuple[Array, Result]:
        """``array`` of rank ``root`` to rank ``destination``; returns what arrived, in its shape."""
        array = _array(array)
        request = self.request("unicast", [array.nbytes], root=root, destination=destination)
        send = self._from_root(root, array)
        received, result = self._call(request, send, array.dtype, algorithm)
        return received[destination].reshape(array.shape), result

    def broadcast(self, array: Array, root: int = 0, algorithm: str = "") -> tuple[list[Array], Result]:
        """``array`` of rank ``root`` to all; returns one array of its shape a rank."""
        array = _array(array)
        request = self.request("broadcast", [array.nbytes], root=root)
        received, result = self._call(request, self._from_root(root, array), array.dtype, algorithm)
        received[root] = array.copy()
        return [each.reshape(array.shape) for each in received], result

    def scatter(self, blocks: Sequence[Array], root: int = 0, algorithm: str = "") -> tuple[list[Array], Result]:
        """Block i, of any shape, of rank ``root`` to rank i."""
        blocks = self._one_each(blocks)
        request = self.request("scatter", [b.nbytes for b in blocks], root=root)
        received, result = self._call(request, self._from_root(root, _joined(blocks)), blocks[0].dtype, algorithm)
        return [each.reshape(block.shape) for each, block in zip(received, blocks, strict=True)], result

    def gather(self, arrays: Sequence[Array], root: int = 0, algorithm: str = "") -> tuple[Array, Result]:
        """``arrays[i]`` of rank i, of any length, flat and one after the other at rank ``root``."""
        arrays = self._one_each(arrays)
        request = self.request("gather", [a.nbytes for a in arrays], root=root)
        received, result = self._call(request, arrays, arrays[0].dtype, algorithm)
        return received[root], result

    def all_gather(self, arrays: Sequence[Array], algorithm: str = "") -> tuple[list[Array], Result]:
        """``arrays[i]`` of rank i, of any length, flat and one after the other at every rank."""
        arrays = self._one_each(arrays)
        request = self.request("all_gather", [a.nbytes for a in arrays])
        return self._call(request, arrays, arrays[0].dtype, algorithm)

    def all_to_all(self, blocks: Sequence[Sequence[Array]], algorithm: str = "") -> tuple[list[list[Array]], Result]:
        """``blocks[i][j]``, of any shape, from rank i to rank j; returns ``received[j][i]``.

        Rows that are arrays (of two dimensions or more, so blocks are equal) are taken as they lie in memory.
        """
        n = self.size
        given = _items(blocks, "blocks")
        rows = [
            [_array(block, f"rank {i}, block {j}: ") for j, block in enumerate(_items(row, f"rank {i}"))]
            for i, row in enumerate(given)
        ]
        if len(rows) != n or any(len(row) != n for row in rows):
            raise CollectiveError(f"all_to_all: {n} rows of {n} blocks are wanted for {n} ranks")
        for row in rows:
            _check_types(row)
        _check_types([row[0] for row in rows])
        dtype = rows[0][0].dtype
        request = self.request("all_to_all", [block.nbytes for row in rows for block in row])
        send = [_bytes_of(r) if isinstance(r, np.ndarray) else _joined(row) for r, row in zip(given, rows, strict=True)]
        received, result = self._call(request, send, dtype, algorithm)
        cuts = [np.cumsum([row[j].size for row in rows])[:-1] for j in range(n)]
        return [
            [piece.reshape(row[j].shape) for piece, row in zip(np.split(received[j], cuts[j]), rows, strict=True)]
            for j in range(n)
        ], result

    def reduce(
        self, arrays: Sequence[Array], root: int = 0, op: str = "sum", algorithm: str = ""
    ) -> tuple[Array, Result]:
        """Element-wise sum, min, max or average of equal float32 or int32 arrays, at rank ``root``.

        The result has the shape of rank 0's array. No sum of an average leaves float32 on the way. Minimum and
        maximum are IEEE 754's minimumNumber and maximumNumber, in which a NaN loses against a number; in sums and
        averages it wins.
        """
        arrays = self._one_each(arrays, narrow=True)
        request = self.request("reduce", [arrays[0].nbytes], arrays[0].dtype, root=root, reduce=op)
        received, result = self._call(request, arrays, arrays[0].dtype, algorithm)
        return received[root].reshape(arrays[0].shape), result

    def reduce_scatter(
        self, arrays: Sequence[Array], counts: Sequence[int] | None = None, op: str = "sum", algorithm: str = ""
    ) -> tuple[list[Array], Result]:
        """Element-wise combination; rank i gets ``counts[i]`` elements, flat (default: equal shares)."""
        arrays = self._one_each(arrays, narrow=True)
        if counts is None and arrays[0].size % self.size:
            raise CollectiveError(
                f"reduce_scatter of {arrays[0].size} elements over {self.size} ranks: shares are not equal; "
                "counts= says how many each rank gets"
            )
        share = [arrays[0].size // self.size] * self.size
        if counts is not None:
            share = [_whole(count, "counts", 0, 1 << 60) for count in _items(counts, "counts")]
        sizes = [c * arrays[0].itemsize for c in share]
        request = self.request("reduce_scatter", sizes, arrays[0].dtype, reduce=op)
        return self._call(request, arrays, arrays[0].dtype, algorithm)

    def all_reduce(self, arrays: Sequence[Array], op: str = "sum", algorithm: str = "") -> tuple[list[Array], Result]:
        """Element-wise sum, min, max or average of equal float32 or int32 arrays, at every rank.

        Shapes and NaN as ``reduce``.
        """
        arrays = self._one_each(arrays, narrow=True)
        request = self.request("all_reduce", [arrays[0].nbytes], arrays[0].dtype, reduce=op)
        received, result = self._call(request, arrays, arrays[0].dtype, algorithm)
        return [each.reshape(arrays[0].shape) for each in received], result

    def partition(
        self,
        keys: Sequence[Array],
        values: Sequence[Array] | None = None,
        *,
        bits: tuple[int, int],
        owners: Sequence[int] = (),
    ) -> tuple[list[Any], NDArray[np.int64], Result]:
        """``keys[i]`` of rank i, of any length, each to the rank that owns its bucket, by the nodes' operator.

        ``bits=(shift, count)``: bucket = count bits (at most 6) of the key from bit shift on. ``owners[bucket]`` is a
        rank; without it neighbouring buckets go to ranks in order, as many to each. Keys are uint32 or int32 (their
        bits count); ``values``, of any type of 4 bytes, go with their keys. Returns what each rank received, an array
        or a pair (keys, values), in any order; the histogram ``[sender, bucket]``; and the Result.
        """
        first, *others = [_whole(each, "bits", 0, 32) for each in _items(bits, "bits")] or [0]
        if len(others) != 1 or first + others[0] > 32:
            raise CollectiveError(f"bits={bits}: the first bit and how many, of the 32 of a key")
        keys = [_array(each, f"rank {rank}: ", narrow=True) for rank, each in enumerate(_items(keys, "keys"))]
        for rank, array in enumerate(keys):
            if array.dtype.kind not in "iu":
                raise CollectiveError(f"partition: rank {rank}'s keys are {array.dtype}; keys are uint32 or int32")
        given = [] if values is None else _items(values, "values")
        if values is not None and len(given) != len(keys):
            raise CollectiveError(f"partition: values of {len(given)} ranks and keys of {len(keys)}")
        beside = [_array(each, f"rank {rank}: ", narrow=True) for rank, each in enumerate(given)]
        columns = [[_words_of(a.astype(_native(a.dtype), copy=False)) for a in keys], [_words_of(a) for a in beside]]
        raw = self._raw.partition(
            *columns, first, others[0], [_whole(owner, "owners", *_INT32) for owner in _items(owners, "owners")]
        )
        received = [
            a.view(_native(k.dtype)).astype(k.dtype, copy=False) for a, k in zip(raw.take_keys(), keys, strict=True)
        ]
        if values is not None:
            taken = [a.view(v.dtype) for a, v in zip(raw.take_values(), beside, strict=True)]
            received = list(zip(received, taken, strict=True))
        return received, np.array(raw.histogram, np.int64), Result.of(raw.result)

    def prepare(self, request: Any, algorithm: str = "") -> Any:
        """Allot buffers that stay, for ``run``, ``send_views`` and ``recv_views``."""
        return self._raw.prepare(request, _word(algorithm, "algorithm"))

    def run(self, prepared: Any) -> Result:
        """Run the operation once on prepared buffers, without moving data to or from this process."""
        return Result.of(self._raw.run(prepared))

    def run_all(self, operations: Sequence[Any], *, barrier: bool = True, start_order: Sequence[int] = ()) -> None:
        """Run prepared operations one after the other in one program, without a word of the host in between."""
        self._raw.run_all(list(operations), barrier, list(start_order))

    def write_send(self, prepared: Any, rank: int, array: Array) -> None:
        """Fill the send buffer of a rank."""
        self._check_rank(rank)
        self._raw.write(prepared, rank, _bytes_of(_array(array)))

    def read_recv(self, prepared: Any, rank: int, dtype: Any = np.uint8) -> Array:
        """Read the receive buffer of a rank."""
        self._check_rank(rank)
        taken = np.zeros(prepared.recv_bytes(rank), np.uint8)
        self._raw.read(prepared, rank, taken)
        return taken.view(dtype)

    def send_views(self, prepared: Any, rank: int) -> list[NDArray[np.uint8]]:
        """Pieces of the send buffer in the node's memory, no copy; empty unless POLYLOOM_LOAD=backdoor or native."""
        self._check_rank(rank)
        return list(self._raw.views(prepared, True, rank))

    def recv_views(self, prepared: Any, rank: int) -> list[NDArray[np.uint8]]:
        """Pieces of the receive buffer in the node's memory, no copy; as ``send_views``."""
        self._check_rank(rank)
        return list(self._raw.views(prepared, False, rank))

    # Programs of one's own: polyloom.collectives.program.

    @property
    def channels(self) -> int:
        """Memory channels of a node."""
        return int(self._raw.channels)

    @property
    def channel_bytes(self) -> int:
        """Bytes of a channel; the first half is one pseudo-channel, the second the other."""
        return int(self._raw.channel_bytes)

    @property
    def operator_ports(self) -> int:
        """Inputs (and outputs) of a node's operator slot."""
        return int(self._raw.operator_ports)

    @property
    def partitions(self) -> int:
        """Partition operators of a node, side by side; ports from ``operator_ports`` on are the second's."""
        return int(self._raw.partitions)

    @property
    def record_beats(self) -> int:
        """Beats of keys that a partition remembers of each input."""
        return int(self._raw.record_beats)

    @property
    def eager_bytes(self) -> int:
        """Blocks up to this size may be eager."""
        return int(self._raw.eager_bytes)

    @property
    def clock_hz(self) -> float:
        """Clock of the nodes; 0 natively."""
        return float(self._raw.clock_hz)

    def lane_ends(self, rank: int) -> list[tuple[int, int]]:
        """Of each lane of a rank: peer and its lane, (-1, -1) where nothing is connected."""
        return [(int(peer), int(lane)) for peer, lane in self._raw.lane_ends(rank)]

    def lanes_to(self, rank: int, peer: int) -> list[int]:
        """Lanes of ``rank`` that lead to ``peer``."""
        return [lane for lane, end in enumerate(self.lane_ends(rank)) if end[0] == peer]

    def allocate(self, rank: int, channel: int, size: int, half: str = "any") -> Any:
        """Memory of ``size`` bytes in one channel of a rank, in its "first" or "second" half or "any".

        The buffer has ``rank``, ``channel``, ``offset`` (for patterns) and ``bytes``; it is free when it is no longer
        referenced.
        """
        rank = _whole(rank, "rank", *_INT32)  # which there are, and what fits: the allocator
        channel = _whole(channel, "channel", 0, _INT32[1])
        size = _whole(size, "size", 0, (1 << 63) - 1)
        return self._raw.allocate(rank, channel, size, half)

    def store(self, buffer: Any, array: Array, at: int = 0) -> None:
        """Write an array's bytes into a buffer from byte ``at`` (a multiple of 8) on."""
        self._raw.store(buffer, _whole(at, "at", 0, buffer.bytes), _bytes_of(_array(array)))

    def load(self, buffer: Any, dtype: Any = np.uint8, count: int = -1, at: int = 0) -> Array:
        """Read ``count`` elements (-1: to the end) of a buffer from byte ``at`` (a multiple of 8) on."""
        item = np.dtype(dtype).itemsize
        at = _whole(at, "at", 0, buffer.bytes)
        size = (buffer.bytes - at) // item if count < 0 else count
        taken = np.zeros(size * item, np.uint8)
        self._raw.load(buffer, at, taken)
        return taken.view(dtype)

    def run_programs(
        self,
        programs: Sequence[Sequence[Instruction]],
        *,
        barrier: bool = True,
        marks: int = 2,
        status: Sequence[int] = (),
        start_order: Sequence[int] = (),
    ) -> list[NodeRun]:
        """Execute one program a rank; fetch the first ``marks`` marks and words of the operator's status.

        ``status``: which words, in this order.

        ``barrier``: one goes before, and mark 0 gets the cycle of its end. ``start_order``: order in which the host
        starts the ranks. A program longer than the program memory is loaded in parts, between steps. CollectiveError
        names the cause if a node stops.
        """
        given = [[tuple(i) for i in program] for program in programs]
        first, count = (min(status), max(status) + 1 - min(status)) if status else (0, 0)
        runs = self._raw.run_programs(given, barrier, marks, count, first, list(start_order))
        chosen = [word - first for word in status]
        return [NodeRun(r.begin, r.finish, list(r.marks), [r.status[word] for word in chosen]) for r in runs]
