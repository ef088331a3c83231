# SPDX-License-Identifier: Apache-2.0
"""Graph files that Python packages read: Parquet, GraphML, sparse matrices of SciPy.

Input: an application's arguments; output: the same with a file that the application reads in the place of such a one.
A table becomes CSV, whose columns the application chooses as of any other; a graph becomes arrays that it maps.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from polyloom.base import extras, process
from polyloom.base.errors import UserError
from polyloom.jobs.memory_file import ArraysFile

#: How files are packed that are opened here, by what they begin with.
PACKINGS: dict[bytes, Any] = {b"\x1f\x8b": gzip, b"BZh": bz2, b"\xfd7zXZ": lzma}
HEAD_BYTES = 4096
PYARROW = ("pyarrow", "pyarrow.csv", "pyarrow.dataset")


@contextlib.contextmanager
def readable(args: Sequence[str]) -> Iterator[list[str]]:
    """Arguments with which the application can be started, inside this context."""
    graph, rest = _taken(args, "--graph")
    named, without_format = _taken(rest, "--format")
    kind = named if named in KINDS else _kind_of(Path(graph)) if graph and named in {"", "auto"} else ""
    if not graph or not kind:
        yield list(args)
        return
    with process.scratch("graph") as folder:
        try:
            notes = KINDS[kind](Path(graph), folder / "graph")
        except (UserError, MemoryError):
            raise
        except Exception as error:  # whatever a package finds wrong with a file
            why = " ".join(str(error).split()) or type(error).__name__
            raise UserError(f"{graph}: cannot be read as {kind}: {why}") from error
        into = ["--graph", str(folder / "graph"), "--format", "csv" if kind == "parquet" else "arrays"]
        yield ["--converted", kind, graph, *notes, *into, *without_format]


def _taken(args: Sequence[str], name: str) -> tuple[str, list[str]]:
    """The value of an option, "" if it is not there, and the other arguments."""
    for at, word in enumerate(args):
        if word.startswith(f"{name}="):
            return word.partition("=")[2], [*args[:at], *args[at + 1 :]]
        if word == name and at + 1 < len(args):
            return args[at + 1], [*args[:at], *args[at + 2 :]]
    return "", list(args)


def _opened(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked."""
    with path.open("rb") as file:
        magic = file.read(8)
    packing = next((packing for begin, packing in PACKINGS.items() if magic.startswith(begin)), None)
    return packing.open(path) if packing else path.open("rb")


def _kind_of(path: Path) -> str:
    """What the file holds, if the application cannot read it. It says itself what is wrong with any other."""
    if path.is_dir():
        return "parquet" if any(path.glob("*.parquet")) else ""
    if not path.is_file():
        return ""
    with contextlib.suppress(OSError, EOFError, lzma.LZMAError), _opened(path) as file:
        head = file.read(HEAD_BYTES)
        if head.startswith(b"PAR1"):
            return "parquet"
        if head.startswith(b"PK\x03\x04") and path.suffix.lower() == ".npz":
            return "npz"
        if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and b"<graphml" in head:
            return "graphml"
    return ""


def _parquet(path: Path, to: Path) -> list[str]:
    """A table as CSV. Columns of no use as vertices or weights stay empty."""
    arrow, csv, data = (extras.need(name, "pyarrow", "pip install pyarrow") for name in PYARROW)
    types = arrow.types

    kinds = (types.is_integer, types.is_floating, types.is_string, types.is_large_string, types.is_boolean)

    def plain(column: Any) -> Any:
        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        return column if any(is_kind(column.type) for is_kind in kinds) else arrow.nulls(len(column), arrow.string())

    def part(batch: Any) -> Any:
        return arrow.RecordBatch.from_arrays([plain(column) for column in batch.columns], batch.schema.names)

    scanner = data.dataset(path, format="parquet").scanner()
    none = arrow.RecordBatch.from_pylist([], schema=scanner.projected_schema)
    with to.open("wb") as file, csv.CSVWriter(file, part(none).schema) as writer:
        for batch in scanner.to_batches():
            writer.write_batch(part(batch))
    return []


def _graphml(path: Path, to: Path) -> list[str]:
    """A graph as NetworkX understands it: ids of nodes are names, an attribute `weight` is the weight."""
    networkx = extras.need("networkx", "networkx", "pip install networkx")
    with _opened(path) as file:
        graph = networkx.read_graphml(file, force_multigraph=True)
    names = [str(node) for node in graph]
    whole = all(name.isascii() and name.isdigit() for name in names)
    names.sort(key=lambda name: (int(name), name) if whole else name)
    number = {name: place for place, name in enumerate(names)}
    ends = np.array([(number[str(u)], number[str(v)]) for u, v in graph.edges()], dtype=np.int64).reshape(-1, 2)
    reported = [weight for _, _, weight in graph.edges(data="weight")]
    weights = np.array([1 if weight is None else weight for weight in reported], dtype=np.float64)
    missing = sum(weight is None for weight in reported)
    if not graph.is_directed():
        back = ends[:, 0] != ends[:, 1]
        ends, weights = np.vstack([ends, ends[back][:, ::-1]]), np.hstack([weights, weights[back]])
    _write(to, names, ends, None if missing == len(reported) else weights, mirrored=not graph.is_directed())
    return [f"edges without a weight: {missing}; their weight is 1"] * (0 < missing < len(reported))


def _npz(path: Path, to: Path) -> list[str]:
    """A sparse matrix of scipy.sparse.save_npz: entry (i, j) is an edge from i to j."""
    with np.load(path, allow_pickle=False) as file:
        form = file["format"].item() if "format" in file else f"it holds {', '.join(file.files)}"
        form = form.decode() if isinstance(form, bytes) else str(form)
        if form not in {"csr", "csc", "coo"}:
            raise UserError(
                f"{path}: is no sparse matrix of form csr, csc or coo, as scipy.sparse.save_npz writes: {form}"
            )
        shape, values = [int(size) for size in file["shape"]], file["data"]
        if form == "coo":
            places = file["coords"] if "coords" in file else (file["row"], file["col"])
        else:
            outer = np.repeat(np.arange(len(file["indptr"]) - 1), np.diff(file["indptr"]))
            places = (outer, file["indices"])[:: 1 if form == "csr" else -1]
    ends = np.stack([np.asarray(place, dtype=np.int64) for place in places], axis=1)
    # Entries that are all 1 are no weights.
    weights = None if values.dtype == bool or (values == 1).all() else values.astype(np.float64, casting="same_kind")
    _write(to, max(shape), ends, weights)
    rectangle = f"a matrix of {shape[0]} rows and {shape[1]} columns: row i and column i are taken for the same vertex"
    return [rectangle] * (shape[0] != shape[1])


#: What is converted, by the names of formats.
KINDS: dict[str, Callable[[Path, Path], list[str]]] = {"parquet": _parquet, "graphml": _graphml, "npz": _npz}


def _write(
    to: Path,
    names: Sequence[str] | int,
    ends: np.ndarray[Any, Any],
    weights: np.ndarray[Any, Any] | None,
    mirrored: bool = False,
) -> None:
    """Edges by pairs of vertices, these by their names, or so many without."""
    file = ArraysFile(len(ends), weights is not None, to)
    file.edges[:] = ends
    if weights is not None and file.weights is not None:
        file.weights[:] = weights
    if isinstance(names, int):
        file.name(names, mirrored, None, None)
    else:
        file.name(len(names), mirrored, None, [name.encode("utf-8", "surrogateescape") for name in names])
