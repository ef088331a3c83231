# SPDX-License-Identifier: Apache-2.0
"""``polyloom run averaging``: data-parallel training whose gradients a cluster averages, beside a single node's.

Input: scikit-learn's digits. Output: accuracy by epoch, the time of all averages; ``--out FILE.csv`` gets the epochs.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from apps.averaging import schedules, training
from apps.averaging.checks import Checks
from polyloom.base import arguments, files
from polyloom.base import folder as run_folder
from polyloom.base.ending import one_line
from polyloom.base.errors import UserError
from polyloom.base.progress import Progress
from polyloom.collectives.models.topology import fully_connected

NATIVE_NODES = 8
#: Of a check that failed.
CAUSES = "a cluster whose links change data (bit errors, block_check = false) does that; else it is a defect, report it"


def parser() -> argparse.ArgumentParser:
    """Options beside those of ``polyloom run``."""
    options = arguments.Parser(prog="polyloom run averaging", description=__doc__)
    options.add_argument("--epochs", type=int, default=training.Settings().epochs, help="(default %(default)s)")
    options.add_argument(
        "--batch", type=int, default=training.Settings().batch, help="images a step (default %(default)s)"
    )
    options.add_argument("--algorithm", default="", help="schedule, e.g. naive, aggressive, hierarchical, halves")
    options.add_argument(
        "--verify",
        action="store_true",
        help="hold every average against the mean of its vectors and the whole batch's gradient, both in float64",
    )
    options.add_argument("--out", type=Path, help="write epoch, accuracy alone, accuracy of the cluster as CSV")
    options.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return options


def run(args: argparse.Namespace, native: bool, seed: int, progress: Progress) -> dict[str, Any]:
    """Train twice and say how it went."""
    timed: Any = None
    if native:
        nodes, topology = NATIVE_NODES, fully_connected(NATIVE_NODES)
        schedule = args.algorithm or "aggressive"
        average, name = training.on(topology, schedule), topology.name
    else:
        from apps.averaging.on_cluster import ClusterAverage  # compiled: only where it is used
        from polyloom.collectives import Communicator

        communicator = Communicator()
        nodes, name = communicator.size, communicator.topology
        average = timed = ClusterAverage(communicator, args.algorithm)
    settings = training.Settings(epochs=args.epochs, batch=args.batch, seed=seed or training.Settings().seed)
    data, held_out = training.digits()
    if args.batch > len(data):
        raise UserError(f"--batch {args.batch}: there are {len(data)} images to learn from; at most so many a step")
    start = time.monotonic()
    checks = Checks() if args.verify else None

    def begins(epoch: int, first: int, where: str) -> None:
        progress.at(first + epoch, f"epoch {epoch + 1} of {args.epochs} {where}")

    progress.begin_at(0)  # the cluster first, as it may refuse
    many = training.train(data, held_out, nodes, average, settings, checks, lambda n: begins(n, 0, f"on {nodes} nodes"))
    single = training.train(
        data, held_out, 1, training.alone, settings, begins=lambda n: begins(n, args.epochs, "alone")
    )
    if args.out:
        lines = [f"{n},{a},{b}" for n, (a, b) in enumerate(zip(single.accuracy, many.accuracy, strict=True), 1)]
        files.write(args.out, "\n".join(["epoch,alone,cluster", *lines]) + "\n")
    same = all(each.tobytes() == many.parameters[0].tobytes() for each in many.parameters)
    failed = None if checks is None else checks.failed or (None if same else "the nodes' parameters differ")
    return {
        "app": "averaging",
        "nodes": nodes,
        "topology": name,
        "algorithm": timed.algorithm if timed else schedule,
        "epochs": args.epochs,
        "averages": many.steps,
        "vector_bytes": many.vector_bytes,
        "accuracy": many.accuracy[-1],
        "accuracy_alone": single.accuracy[-1],
        "parameters_equal": same,
        "simulated_seconds": timed.seconds if timed else None,
        "wall_seconds": time.monotonic() - start,
        "verified": failed is None if args.verify else None,
        "failed_check": failed,
    }


def as_text(result: dict[str, Any]) -> str:
    """Lines for people."""
    lines = [
        f"averaging ({result['algorithm']}): {result['averages']} averages of {result['vector_bytes']} bytes on "
        f"{result['nodes']} nodes, {result['topology']}",
        f"accuracy after {result['epochs']} epochs: {result['accuracy']:.4f}, alone {result['accuracy_alone']:.4f}",
    ]
    if result["simulated_seconds"] is not None:
        each = result["simulated_seconds"] / max(1, result["averages"])
        lines.append(f"simulated {result['simulated_seconds'] * 1e3:.4f} ms in averages, {each * 1e6:.3f} us each")
    lines.append(f"wall {result['wall_seconds']:.2f} s")
    if result["verified"] is not None:
        lines.append("verified" if result["verified"] else f"WRONG: {result['failed_check']}: {CAUSES}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Run; returns the exit status: 0, 1 if the verification failed or the input is bad."""
    args = parser().parse_args(arguments)
    native = os.environ.get("POLYLOOM_ON") == "native"
    if native and args.algorithm and args.algorithm not in schedules.SCHEDULES:
        raise UserError(f"no schedule '{args.algorithm}'; there are: {', '.join(schedules.SCHEDULES)}")
    for name in ("epochs", "batch"):
        if getattr(args, name) < 1:
            raise UserError(f"--{name} {getattr(args, name)}: must be at least 1")
    if args.out:
        files.check_output(args.out, [".csv"])
    try:
        with Progress("averaging", 2 * args.epochs) as progress:
            result = run(args, native, int(os.environ.get("POLYLOOM_SEED", "0")), progress)
    except (ValueError, RuntimeError) as error:
        raise UserError(str(error)) from error
    if folder := os.environ.get("POLYLOOM_RUN_DIR"):
        run_folder.add(Path(folder), "result.json", json.dumps(result) + "\n")
    print(json.dumps(result) if args.json else as_text(result))
    return 1 if result["verified"] is False else 0


if __name__ == "__main__":
    with one_line():
        sys.exit(main(sys.argv[1:]))
