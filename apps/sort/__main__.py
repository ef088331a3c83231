# SPDX-License-Identifier: Apache-2.0
"""``polyloom run sort``: sorts records (32-bit key, 32-bit value) over a cluster, or natively with NumPy.

Input: generated records, or ``--in FILE.npy`` with a row (key, value) a record, of any integer type whose numbers fit
32 bits, signed or not. Output: a line or JSON; ``--out FILE`` (.npy or .csv) gets the records in order of their keys.
No result leaves unless its keys ascend and its records are those that came in.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from apps.sort import sorts, table
from apps.sort.cluster import Column, NumpyCluster
from polyloom.base import arguments, files, memory
from polyloom.base import folder as run_folder
from polyloom.base.ending import one_line
from polyloom.base.errors import UserError
from polyloom.base.progress import Progress
from polyloom.collectives.models.topology import fully_connected

TYPES = 64
#: Of a result that is wrong.
CAUSES = "a cluster whose links change data (bit errors, block_check = false) does that; else it is a defect, report it"
#: What simulated_seconds of a result contains.
SPAN = "from the first pass to the last, the host's turns between passes included; loading and reading back are not"
NATIVE_NODES = 8
#: Of memory a record, measured with 8 and 3.2 million (records, columns, what is dealt): natively, and over a cluster,
#: whose nodes' memories lie in this machine too; what --verify and --out need beside.
BYTES_A_RECORD = {True: 60, False: 75}
BYTES_TO_VERIFY, BYTES_TO_WRITE = 16, 8
DEFAULT_KEYS = 1 << 14
#: What of the order the cluster leaves to the host: nothing, that inside each channel, or inside each node.
Finish = Literal["", "channel", "node"]


def parser() -> argparse.ArgumentParser:
    """Options beside those of ``polyloom run``."""
    options = arguments.Parser(prog="polyloom run sort", description=__doc__)
    options.add_argument("--keys", type=int, help=f"records a node (default {DEFAULT_KEYS})")
    options.add_argument("--data", choices=sorted(table.DATA), help="keys (default: uniform; full: wide)")
    options.add_argument("--in", dest="input", type=Path, help="records from a .npy file instead")
    options.add_argument(
        "--algorithm",
        choices=["published", "fused", "full"],
        help="published and fused sort keys below --types, full any (default: fused if it can, else full)",
    )
    options.add_argument("--types", type=int, help="key types (default: channels of the cluster, at most 64)")
    options.add_argument("--split", choices=["none", "node"], help="fused: frequent types over a node (default none)")
    options.add_argument("--sample", type=int, help="fused, split: count one in so many records (default 16)")
    options.add_argument(
        "--verify", action="store_true", help="read the input, and what --out holds, again; compare with NumPy's sort"
    )
    options.add_argument("--out", type=Path, help="write the sorted records: .npy or .csv")
    options.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return options


def check_options(args: argparse.Namespace, native: bool, seed: int = 0) -> None:
    """ValueError for an option that would not be heeded."""
    if args.input and (args.keys is not None or args.data):
        raise ValueError(f"{'--data' if args.data else '--keys'} is for generated records; --in brings its own")
    if args.input and native and seed:  # in a cluster it is also that of the faults
        raise ValueError(f"--seed {seed} is for generated records; --in brings its own, and a native run has no faults")
    if args.keys is not None and args.keys < 0:
        raise ValueError(f"--keys {args.keys}: a node has none or more")
    if args.algorithm == "full" and args.types is not None:
        raise ValueError("--types is for published and fused; full sorts keys of any value")
    if args.algorithm in ("published", "full") and args.split:
        raise ValueError(f"--split is for fused; {args.algorithm} has no use for it")
    if args.sample is not None and (args.split != "node" or args.sample < 1):
        raise ValueError(f"--sample {args.sample}: for --split node, and at least 1")
    if args.sample is not None and native:
        raise ValueError(f"--sample {args.sample}: a native run counts all; leave it out, or say --on sim")
    if args.types is not None and args.types < 1:
        raise ValueError(f"--types {args.types}: keys are of at least one type")
    if args.out:
        files.check_output(args.out, [".npy", ".csv"], args.input)


def records(args: argparse.Namespace, nodes: int, types: int, seed: int, native: bool) -> table.Table:
    """The table that is to be sorted; UserError if there is no memory for its sort."""
    each = BYTES_A_RECORD[native] + BYTES_TO_VERIFY * args.verify + BYTES_TO_WRITE * bool(args.out)
    if args.input:
        return table.read(args.input, each)
    data = args.data or ("wide" if args.algorithm == "full" else "uniform")
    count = DEFAULT_KEYS if args.keys is None else args.keys
    memory.require(each * nodes * count, f"a sort of {nodes * count} records")
    return table.generate(data, nodes, count, types, seed)


def choose(requested: str | None, split: str | None, largest: int, types: int) -> str:
    """The algorithm: what was asked for, else one that is valid for keys up to ``largest`` (as words)."""
    if largest < types:
        return requested or "fused"
    if requested in ("published", "fused") or split:
        raise ValueError(
            f"{requested or '--split is for fused, which'} sorts keys of 0 to {types - 1} here, and there are others; "
            "--algorithm full sorts any"
        )
    return "full"


def sort(cluster: Any, algorithm: str, types: int, split: Literal["none", "node"], largest: int) -> Finish:
    """Run the algorithm; returns what it leaves to the host."""
    if algorithm == "published":
        sorts.published(cluster, types)
    elif algorithm == "fused":
        sorts.fused(cluster, types, split=split)
        return "node" if split == "node" else ""
    elif isinstance(cluster, NumpyCluster):
        sorts.full(cluster)
    else:
        sorts.top_bits(cluster, largest)
        return "channel"
    return ""


def collect(cluster: Any, finish: Finish) -> tuple[Column, Column, list[int], float]:
    """All records in order of (node, channel, position), what is left to the host done.

    Then how many each channel held, and the host's wall seconds.
    """
    parts: list[tuple[Column, Column]] = []
    loads: list[int] = []
    seconds = 0.0
    for node in range(cluster.topology.nodes):
        keys, values = cluster.areas(node)
        channels = list(zip(keys, values, strict=True))
        loads += map(len, keys)
        start = time.perf_counter()
        if finish == "channel":
            parts += [_ordered(*channel) for channel in channels]
        elif finish == "node":
            parts.append(_ordered(np.concatenate(keys), np.concatenate(values)))
        else:
            parts += channels
        seconds += time.perf_counter() - start
    found_keys, found_values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return found_keys, found_values, loads, seconds if finish else 0.0


def _ordered(keys: Column, values: Column) -> tuple[Column, Column]:
    order = np.argsort(keys, kind="stable")
    return keys[order], values[order]


def check(given: tuple[Column, Column], found: tuple[Column, Column]) -> None:
    """RuntimeError unless the keys found ascend and the records are the given ones, none lost, changed or doubled."""
    if np.any(found[0][1:] < found[0][:-1]):
        at = int(np.argmax(found[0][1:] < found[0][:-1]))
        raise RuntimeError(f"record {at + 1} of the result has a smaller key than record {at}: {CAUSES}")
    one, other = (np.sort(keys.astype(np.uint64) << np.uint64(32) | values) for keys, values in (given, found))
    if not np.array_equal(one, other):
        raise RuntimeError(f"the records of the result are not those that came in: {CAUSES}")


def verify(given: table.Table, result: table.Table) -> bool:
    """Whether keys are as NumPy sorts them, and the same records have them."""
    one, other = (each[np.lexsort((each[:, 1], each[:, 0]))] for each in (given, result))
    return np.array_equal(one, other) and np.array_equal(result[:, 0], one[:, 0])


def main(arguments: Sequence[str]) -> int:
    """Run; returns the exit status: 0, 1 if a verification failed or the input is bad."""
    args = parser().parse_args(arguments)
    native = os.environ.get("POLYLOOM_ON") == "native"
    try:
        seed = int(os.environ.get("POLYLOOM_SEED", "0"))
        check_options(args, native, seed)
        with Progress("sort") as progress:
            result = run(args, native, seed, progress)
    except (ValueError, RuntimeError) as error:
        raise UserError(str(error)) from error
    if folder := os.environ.get("POLYLOOM_RUN_DIR"):
        run_folder.add(Path(folder), "result.json", json.dumps(result) + "\n")
    if args.json:
        print(json.dumps(result))
    else:
        print(as_text(result))
    return 1 if result["verified"] is False else 0


def run(args: argparse.Namespace, native: bool, seed: int, progress: Progress) -> dict[str, Any]:
    """Sort and say what it took."""
    if native:
        topology, channels = fully_connected(NATIVE_NODES), 8
    else:
        from apps.sort.device import CommunicatorDevice  # compiled: only where it is used
        from apps.sort.simulated import DeviceCluster, Layout, require_partition
        from apps.sort.topologies import topology_of
        from polyloom.collectives import Communicator

        communicator = Communicator()
        device = CommunicatorDevice(communicator)
        topology, channels = topology_of(communicator), min(device.channels, device.ports)
        require_partition(device, topology)
    types = min(TYPES, topology.nodes * channels) if args.types is None else args.types
    progress.at(0, "reading the records" if args.input else "drawing the records")
    given = records(args, topology.nodes, types, seed, native)
    code = table.Code.of(given)
    keys, values = code.encode(given)
    largest = int(keys.max()) if len(keys) else 0
    if args.types is not None and args.algorithm is None and largest >= types:
        raise ValueError(
            f"--types {types}: there are keys up to {largest}; leave it out, and --algorithm full sorts them"
        )
    algorithm, split = choose(args.algorithm, args.split, largest, types), args.split or "none"
    shares = np.array_split(keys, topology.nodes), np.array_split(values, topology.nodes)
    start = time.monotonic()
    cluster: NumpyCluster | DeviceCluster
    progress.at(0, f"loading {len(given)} records")
    if native:
        cluster = NumpyCluster(topology, channels, *shares)
    else:
        layout: Layout = "columns" if algorithm == "published" else "pairs"
        sample = (args.sample or 16) if split == "node" else 1
        cluster = DeviceCluster(device, topology, *shares, layout, sample)
    progress.at(0, lambda: f"sorting {len(given)} records, {len(cluster.log)} passes done")
    finish = sort(cluster, algorithm, types, split, largest)
    progress.at(0, f"collecting {len(given)} records")
    found_keys, found_values, loads, host_seconds = collect(cluster, finish)
    wall = time.monotonic() - start
    progress.at(0, f"checking {len(given)} records")
    check((keys, values), (found_keys, found_values))
    result = code.decode(found_keys, found_values)
    if args.out:
        progress.at(0, f"writing {args.out}")
        table.write(args.out, result)
    if args.verify:
        progress.at(0, "verifying")
    seconds = None if native else cluster.elapsed  # type: ignore[union-attr]
    return {
        "app": "sort",
        "algorithm": algorithm,
        "nodes": topology.nodes,
        "topology": topology.name,
        "records": len(given),
        "types": None if algorithm == "full" else types,
        "passes": len(cluster.log),
        "fullest_channel": max(loads) * len(loads) / len(given) if len(given) else 0.0,
        "simulated_seconds": seconds,
        "simulated_span": SPAN,
        "passes_seconds": None if native else cluster.seconds,  # type: ignore[union-attr]
        "links_seconds": None if native else links_seconds(cluster, communicator.fastest_lane_gbps),
        "host_orders": finish or None,
        "host_wall_seconds": host_seconds,
        "gbps": len(given) * 64e-9 / seconds if seconds else None,  # what the host orders afterwards is not in it
        "wall_seconds": wall,
        "verified": _verified(args, given, result) if args.verify else None,
    }


def links_seconds(cluster: Any, gbps: float) -> float:
    """What no run undercuts: in each pass the busiest lane's bytes at the lane's rate, nothing else waited for."""
    return float(cluster.traffic.busiest * 8e-9 / gbps) if cluster.traffic.busiest else 0.0


def _verified(args: argparse.Namespace, given: table.Table, result: table.Table) -> bool:
    if args.input:
        given = np.load(args.input)
    if args.out and args.out.suffix == ".npy":
        result = np.load(args.out)
    elif args.out:
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # of a file without records
            result = np.loadtxt(args.out, dtype=given.dtype, delimiter=",", skiprows=1, ndmin=2).reshape(-1, 2)
    return verify(given, result)


def as_text(result: dict[str, Any]) -> str:
    """Lines for people."""
    lines = [
        f"sort ({result['algorithm']}): {result['records']} records on {result['nodes']} nodes, {result['topology']}"
    ]
    lines.append(
        f"passes over a column {result['passes']}, fullest channel {result['fullest_channel']:.2f} of the mean"
    )
    if result["simulated_seconds"] is not None:
        simulated, links = result["simulated_seconds"] * 1e3, result["links_seconds"] * 1e3
        turns = simulated - result["passes_seconds"] * 1e3
        lines.append(
            f"simulated {simulated:.4f} ms without loading and reading back, "
            f"of which {turns:.4f} ms the host's turns between passes; "
            f"the links alone need {links:.4f} ms"
        )
        if result["host_orders"]:
            lines.append(
                f"the cluster leaves the order inside each {result['host_orders']} to the host: "
                f"{result['host_wall_seconds'] * 1e3:.4f} ms of this machine's time, measured, not simulated"
            )
        rate = "rate of the cluster's part" if result["host_orders"] else "rate"
        lines.append(f"{rate}: {result['gbps'] or 0:.1f} Gb/s of simulated time")
    lines.append(f"wall {result['wall_seconds']:.2f} s")
    if result["verified"] is not None:
        lines.append("verified" if result["verified"] else "WRONG: the result differs from NumPy's sort")
    return "\n".join(lines)


if __name__ == "__main__":
    with one_line():
        sys.exit(main(sys.argv[1:]))
