# SPDX-License-Identifier: Apache-2.0
"""``polyloom run sort``: sorts records (32-bit key, 32-bit value) over a cluster, or natively with NumPy.

Input: generated records, or ``--in FILE.npy`` with a row (key, value) a record. Output: a line or JSON; ``--out FILE``
(.npy or .csv) gets the records in order of (node, channel, position).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from apps.sort import sorts
from apps.sort.cluster import Cluster, Column, NumpyCluster
from polyloom.collectives.models import sorting
from polyloom.collectives.models.topology import Link, fully_connected

TYPES = 64
NATIVE_NODES = 8


def uniform(rng: np.random.Generator, count: int, types: int) -> Column:
    """Every type as frequent as the others."""
    return rng.integers(0, types, count, dtype=np.uint32)


def two_to_one(rng: np.random.Generator, count: int, types: int) -> Column:
    """One type twice as frequent as each other one."""
    drawn = rng.integers(0, types + 1, count, dtype=np.uint32)
    drawn[drawn == types] = types // 2 - 1
    return drawn


DATA: dict[str, Callable[[np.random.Generator, int, int], Column]] = {
    "uniform": uniform,
    "two-to-one": two_to_one,
    "all-equal": lambda _, count, types: np.full(count, types // 3, dtype=np.uint32),
    "wide": lambda rng, count, _: rng.integers(0, 1 << 32, count, dtype=np.uint32),
}


def parser() -> argparse.ArgumentParser:
    """Options beside those of ``polyloom run``."""
    options = argparse.ArgumentParser(prog="polyloom run sort", description=__doc__)
    options.add_argument("--keys", type=int, default=1 << 14, help="records a node (default %(default)s)")
    options.add_argument("--data", choices=sorted(DATA), default="", help="keys (default: uniform; full: wide)")
    options.add_argument("--in", dest="input", type=Path, help="records from a .npy file instead")
    options.add_argument("--algorithm", choices=["published", "fused", "full"], default="fused")
    options.add_argument(
        "--types", type=int, default=0, help="key types (default: channels of the cluster, at most 64)"
    )
    options.add_argument("--split", choices=["none", "node"], default="none", help="fused: frequent types over a node")
    options.add_argument("--sample", type=int, default=16, help="fused, split: count one in so many records")
    options.add_argument("--verify", action="store_true", help="compare with NumPy's sort")
    options.add_argument("--out", type=Path, help="write the sorted records: .npy or .csv")
    options.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return options


def records(args: argparse.Namespace, nodes: int, types: int, seed: int) -> tuple[list[Column], list[Column]]:
    """Keys and values of each node."""
    if args.input:
        table = np.load(args.input)
        if table.ndim != 2 or table.shape[1] != 2:
            raise ValueError(f"{args.input}: shape {table.shape}; needed is a row (key, value) a record")
        parts = np.array_split(table.astype(np.uint32), nodes)
        return [part[:, 0].copy() for part in parts], [part[:, 1].copy() for part in parts]
    if args.keys < 0:
        raise ValueError(f"--keys {args.keys}: a node has none or more")
    name = args.data or ("wide" if args.algorithm == "full" else "uniform")
    rng = np.random.default_rng(seed)
    keys = [DATA[name](rng, args.keys, types) for _ in range(nodes)]
    return keys, [np.arange(n * args.keys, (n + 1) * args.keys, dtype=np.uint32) for n in range(nodes)]


def sort(cluster: Cluster, args: argparse.Namespace, types: int) -> None:
    """Run the algorithm that was asked for."""
    if args.algorithm == "published":
        sorts.published(cluster, types)
    elif args.algorithm == "fused":
        sorts.fused(cluster, types, split=args.split)
    else:
        sorts.full_by_bits(cluster)


def verify(cluster: Cluster, keys: Sequence[Column], values: Sequence[Column], ordered: bool) -> bool:
    """Whether no record is lost, changed or doubled, and slots (or, without a split, all keys) ascend."""
    found = [cluster.areas(node) for node in range(cluster.topology.nodes)]
    got = np.concatenate([_records(k, v) for areas in found for k, v in zip(*areas, strict=True)])
    given = np.concatenate([_records(k, v) for k, v in zip(keys, values, strict=True)])
    if not np.array_equal(np.sort(got), np.sort(given)):
        return False
    key = got >> np.uint64(32)
    return not ordered or bool(np.all(key[1:] >= key[:-1]))


def _records(keys: Column, values: Column) -> np.ndarray[Any, np.dtype[np.uint64]]:
    joined: np.ndarray[Any, np.dtype[np.uint64]] = keys.astype(np.uint64) << np.uint64(32) | values.astype(np.uint64)
    return joined


def write_out(cluster: Cluster, path: Path) -> None:
    """All records in order."""
    found = [cluster.areas(node) for node in range(cluster.topology.nodes)]
    table = np.concatenate([np.column_stack(pair) for areas in found for pair in zip(*areas, strict=True)])
    if path.suffix == ".npy":
        np.save(path, table)
    else:
        np.savetxt(path, table, fmt="%d", delimiter=",", header="key,value", comments="")


def main(arguments: Sequence[str]) -> int:
    """Run; returns the exit status: 0, 1 if a verification failed or the input is bad."""
    args = parser().parse_args(arguments)
    native = os.environ.get("POLYLOOM_ON") == "native"
    try:
        answer = run(args, native, int(os.environ.get("POLYLOOM_SEED", "0")))
    except (ValueError, OSError, RuntimeError) as error:
        print(f"sort: {error}", file=sys.stderr)
        return 1
    if folder := os.environ.get("POLYLOOM_RUN_DIR"):
        Path(folder, "result.json").write_text(json.dumps(answer) + "\n")
    if args.json:
        print(json.dumps(answer))
    else:
        print(as_text(answer))
    return 1 if answer["verified"] is False else 0


def run(args: argparse.Namespace, native: bool, seed: int) -> dict[str, Any]:
    """Sort and say what it took."""
    predicted: float | None = None
    if native:
        topology, channels = fully_connected(NATIVE_NODES), 8
    else:
        from apps.sort.device import CommunicatorDevice  # compiled: only where it is used
        from apps.sort.simulated import DeviceCluster, Layout
        from apps.sort.topologies import topology_of
        from polyloom.collectives import Communicator

        communicator = Communicator()
        device = CommunicatorDevice(communicator)
        topology, channels = topology_of(communicator), min(device.channels, device.ports)
    types = args.types or min(TYPES, topology.nodes * channels)
    keys, values = records(args, topology.nodes, types, seed)
    start = time.monotonic()
    cluster: NumpyCluster | DeviceCluster
    if native:
        cluster = NumpyCluster(topology, channels, keys, values)
    else:
        layout: Layout = "columns" if args.algorithm == "published" else "pairs"
        sample = args.sample if args.algorithm == "fused" and args.split == "node" else 1
        cluster = DeviceCluster(device, topology, keys, values, layout, sample)
    sort(cluster, args, types)
    wall = time.monotonic() - start
    if not native and communicator.lane_gbps:
        link = Link.of(0.72, min(communicator.lane_gbps, communicator.clock_hz * 256e-9))
        predicted = sorting.seconds(cluster.log, 4 * max(map(len, keys)), channels, link)
    loads = [len(area) for node in range(topology.nodes) for area in cluster.areas(node)[0]]
    total = sum(map(len, keys))
    seconds = None if native else cluster.elapsed  # type: ignore[union-attr]
    answer = {
        "app": "sort",
        "algorithm": args.algorithm,
        "nodes": topology.nodes,
        "topology": topology.name,
        "records": total,
        "types": types,
        "passes": len(cluster.log),
        "fullest_channel": max(loads) * len(loads) / total if total else 0.0,
        "simulated_seconds": seconds,
        "passes_seconds": None if native else cluster.seconds,  # type: ignore[union-attr]
        "predicted_seconds": predicted,
        "gbps": total * 64e-9 / seconds if seconds else None,
        "host_finish": args.algorithm == "full" and not native,
        "wall_seconds": wall,
        "verified": verify(cluster, keys, values, args.split == "none") if args.verify else None,
    }
    if args.out:
        write_out(cluster, args.out)
    return answer


def as_text(answer: dict[str, Any]) -> str:
    """Lines for people."""
    lines = [
        f"sort ({answer['algorithm']}): {answer['records']} records on {answer['nodes']} nodes, {answer['topology']}"
    ]
    lines.append(
        f"passes over a column {answer['passes']}, fullest channel {answer['fullest_channel']:.2f} of the mean"
    )
    if answer["simulated_seconds"] is not None:
        simulated, predicted = answer["simulated_seconds"] * 1e3, answer["predicted_seconds"] * 1e3
        turns = simulated - answer["passes_seconds"] * 1e3
        lines.append(
            f"simulated {simulated:.4f} ms, of which {turns:.4f} ms the host's turns between passes; "
            f"predicted {predicted:.4f} ms without them; {answer['gbps'] or 0:.1f} Gb/s"
        )
    if answer["host_finish"]:
        lines.append("the order inside each channel was made by the host; its time is not in the simulated one")
    lines.append(f"wall {answer['wall_seconds']:.2f} s")
    if answer["verified"] is not None:
        lines.append("verified" if answer["verified"] else "WRONG: the result differs from NumPy's sort")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
