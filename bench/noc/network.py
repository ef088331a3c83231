# SPDX-License-Identifier: Apache-2.0
"""The message network of 4 x 4 tiles in RTL alone: built with Verilator (a minute), run, flits a cycle and tile."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from bench.common.harness import BUILD, ROOT
from polyloom.rtl import filelist, tools

TILES = 4
FLITS = 4
OVERLAY = ROOT / "roles" / "overlay"
MODELS = [OVERLAY / "sim" / "net" / name for name in ("noc.cc", "mailbox.cc", "../../arch/address.cc")]


def rates(cycles: int) -> dict[str, float]:
    """Flits a cycle and tile, by flits of a message; every tile always has a message to send."""
    folder = BUILD / "bench" / "noc-network"
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {"TilesX": TILES, "TilesY": TILES, "MaxFlits": FLITS, "LinkFlits": 16}
    macros = f"-DTILES_X={TILES} -DTILES_Y={TILES} -DMAX_FLITS={FLITS} -DLINK_FLITS=16"
    command = [str(tools.find("verilator")), str(tools.WAIVERS)]
    command += filelist.read(OVERLAY / "rtl" / "noc" / "noc.f").verilator_args()
    command += ["--cc", "--exe", "--build", "-j", os.environ.get("POLYLOOM_RTL_JOBS") or str(os.cpu_count() or 1)]
    command += ["-O3", "--Mdir", str(folder), "--top-module", "overlay_noc_tb", "-o", "network"]
    command += [f"-G{name}={value}" for name, value in sizes.items()]
    command += [str(OVERLAY / "tests" / "noc" / "overlay_noc_tb.sv"), str(ROOT / "bench" / "noc" / "network.cc")]
    command += [str(model) for model in MODELS]
    command += [
        *tools.VERILATOR_BUILD_ARGS,
        "-CFLAGS",
        f"-O2 -I{ROOT} -I{BUILD / 'generated'} {macros}",
        "-LDFLAGS",
        "-lgtest -pthread",
    ]
    built = subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)
    if built.returncode != 0:
        sys.exit(f"bench: the network in RTL does not build:\n{(built.stdout + built.stderr)[-4000:]}")
    ran = subprocess.run([str(folder / "network"), str(cycles)], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"bench: the network in RTL failed with status {ran.returncode}:\n{(ran.stdout + ran.stderr)[-4000:]}")
    return dict(json.loads(ran.stdout))
