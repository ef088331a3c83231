#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The overlay's parameters as device programs, host programs and build files see them.

Usage: parameters.py envs|cpp|defs|vpp [CLUSTER_FILE]

  envs   shell exports, for `eval` in an application's genld.sh
  cpp    the header config.h: macros Tinsel<Name>
  defs   compiler options -D <Name>=<value>
  vpp    Verilog macros: `define Tinsel<Name> <value>

Names are those of Tinsel 0.8 (docs/sources/tinsel.md, 7), and so are the values that fix the ABI of device
programs: address layout, message size. A cluster file decides ClockFreq (in MHz) and LogInstrsPerCore; without one they
are those of a cluster that says nothing else, 250 MHz and 2,048 words. How many boards there are, and how many of the
tiles, cores and threads that can be addressed exist, a host program asks of HostLink: ThreadsPerBoard and the like are
what addresses leave room for.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

# Chosen by the published default configuration.
BASE: dict[str, int | bool] = {
    "LogThreadsPerCore": 4,
    "LogInstrsPerCore": 11,
    "SharedInstrMem": True,
    "LogCoresPerFPU": 2,
    "LogCoresPerDCache": 2,
    "LogDCachesPerDRAM": 3,
    "LogWordsPerBeat": 3,
    "LogBeatsPerLine": 0,
    "DCacheLogNumWays": 4,
    "DCacheLogSetsPerThread": 2,
    "LogDRAMsPerBoard": 1,
    "LogBeatsPerDRAM": 26,
    "SRAMAddrWidth": 20,
    "LogBytesPerSRAMBeat": 3,
    "LogCoresPerMailbox": 2,
    "LogWordsPerFlit": 2,
    "LogMaxFlitsPerMsg": 2,
    "LogMsgsPerMailbox": 9,
    "LogMsgPtrQueueSize": 6,
    "LogMulticastBufferSize": 9,
    "MailboxMeshXBits": 2,
    "MailboxMeshYBits": 2,
    "MeshXBits": 3,
    "MeshYBits": 3,
    "MeshXLenWithinBox": 3,
    "MeshYLenWithinBox": 2,
    "BoxMeshXLen": 2,
    "BoxMeshYLen": 4,
    "MaxBootImageBytes": 576,
    "LogTransmitBufferSize": 10,
    "LogReliableLinkRecvBufferSize": 9,
    "LogMacRecvBufferSize": 5,
    "TransmitBound": 20,
    "LinkTimeout": 1024,
    "LogRoutingEntryLen": 5,
    "ProgRouterMaxBurst": 4,
    "FetcherLogIndQueueSize": 1,
    "FetcherLogBeatBufferSize": 5,
    "FetcherLogFlitBufferSize": 5,
    "DRAMLogMaxInFlight": 5,
    "EnablePerfCount": True,
    "ClockFreq": 250,  # of every shipped cluster; the published machine had 210 to 250
}
MHZ = {"Hz": 1e-6, "kHz": 1e-3, "MHz": 1.0, "GHz": 1e3}

# Printed in hexadecimal: addresses, and what C would otherwise not read as 32 bits wide.
HEX = {"DRAMBase", "SRAMBase", "POLiteProgRouterBase", "BytesPerDRAM"}


def of_cluster(path: Path) -> dict[str, int | bool]:
    """What a cluster file decides; ValueError, with the file's name, if its overlay boards do not say one thing."""
    import tomllib  # from Python 3.11 on, which nothing else here needs

    try:
        cluster = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path} is no cluster file that can be read: {error}") from error
    tables = [cluster.get("fpga", {}), *cluster.get("node", [])]
    boards: list[dict[str, Any]] = [t for t in tables if isinstance(t, dict) and t.get("role") == "overlay"]
    clocks = {str(board.get("clocks", {}).get("core", "250 MHz")) for board in boards}
    words = int(cluster.get("overlay", {}).get("instr_words", 1 << int(BASE["LogInstrsPerCore"])))
    if len(clocks) != 1:
        raise ValueError(f"{path} has no overlay boards with one clock; name a cluster of them, for example laptop")
    clock = re.fullmatch(r"\s*([0-9.]+)\s*([kMG]?Hz)\s*", clocks.pop())
    if clock is None or words < 1:
        raise ValueError(f"{path}: the overlay's clock or instr_words cannot be read")
    return {"ClockFreq": round(float(clock[1]) * MHZ[clock[2]]), "LogInstrsPerCore": words.bit_length() - 1}


def parameters(cluster: Path | None = None) -> dict[str, int | bool]:
    """All parameters, derived ones included, in the order in which they are printed."""
    p = BASE | (of_cluster(cluster) if cluster else {})
    # Messages.
    p["LogBytesPerWord"] = 2
    p["WordsPerFlit"] = 1 << p["LogWordsPerFlit"]
    p["LogBytesPerFlit"] = p["LogWordsPerFlit"] + 2
    p["BytesPerFlit"] = 1 << p["LogBytesPerFlit"]
    p["BitsPerFlit"] = 8 * p["BytesPerFlit"]
    p["MaxFlitsPerMsg"] = 1 << p["LogMaxFlitsPerMsg"]
    p["LogWordsPerMsg"] = p["LogWordsPerFlit"] + p["LogMaxFlitsPerMsg"]
    p["WordsPerMsg"] = 1 << p["LogWordsPerMsg"]
    p["LogBytesPerMsg"] = p["LogWordsPerMsg"] + 2
    p["BytesPerMsg"] = 1 << p["LogBytesPerMsg"]
    p["MsgsPerMailbox"] = 1 << p["LogMsgsPerMailbox"]
    p["LogBytesPerMailbox"] = p["LogMsgsPerMailbox"] + p["LogBytesPerMsg"]
    # Cores and threads.
    p["InstrsPerCore"] = 1 << p["LogInstrsPerCore"]
    p["ThreadsPerCore"] = 1 << p["LogThreadsPerCore"]
    p["CoresPerFPU"] = 1 << p["LogCoresPerFPU"]
    p["CoresPerDCache"] = 1 << p["LogCoresPerDCache"]
    p["CoresPerMailbox"] = 1 << p["LogCoresPerMailbox"]
    p["LogThreadsPerMailbox"] = p["LogCoresPerMailbox"] + p["LogThreadsPerCore"]
    p["ThreadsPerMailbox"] = 1 << p["LogThreadsPerMailbox"]
    p["MailboxMeshXLen"] = 1 << p["MailboxMeshXBits"]
    p["MailboxMeshYLen"] = 1 << p["MailboxMeshYBits"]
    p["LogMailboxesPerBoard"] = p["MailboxMeshXBits"] + p["MailboxMeshYBits"]
    p["MailboxesPerBoard"] = 1 << p["LogMailboxesPerBoard"]
    p["LogCoresPerBoard"] = p["LogMailboxesPerBoard"] + p["LogCoresPerMailbox"]
    p["CoresPerBoard"] = 1 << p["LogCoresPerBoard"]
    p["LogThreadsPerBoard"] = p["LogCoresPerBoard"] + p["LogThreadsPerCore"]
    p["ThreadsPerBoard"] = 1 << p["LogThreadsPerBoard"]
    p["LogMaxThreads"] = p["MeshXBits"] + p["MeshYBits"] + p["LogThreadsPerBoard"]
    p["MaxThreads"] = 1 << p["LogMaxThreads"]
    # Memories.
    p["LogBytesPerBeat"] = p["LogWordsPerBeat"] + 2
    p["BytesPerBeat"] = 1 << p["LogBytesPerBeat"]
    p["BeatsPerLine"] = 1 << p["LogBeatsPerLine"]
    p["LogBytesPerLine"] = p["LogBeatsPerLine"] + p["LogBytesPerBeat"]
    p["BytesPerLine"] = 1 << p["LogBytesPerLine"]
    p["DCacheNumWays"] = 1 << p["DCacheLogNumWays"]
    p["DCacheSetsPerThread"] = 1 << p["DCacheLogSetsPerThread"]
    p["DCachesPerDRAM"] = 1 << p["LogDCachesPerDRAM"]
    p["DRAMsPerBoard"] = 1 << p["LogDRAMsPerBoard"]
    p["LogThreadsPerDRAM"] = p["LogDCachesPerDRAM"] + p["LogCoresPerDCache"] + p["LogThreadsPerCore"]
    p["ThreadsPerDRAM"] = 1 << p["LogThreadsPerDRAM"]
    p["LogBytesPerDRAM"] = p["LogBeatsPerDRAM"] + p["LogBytesPerBeat"]
    p["BytesPerDRAM"] = 1 << p["LogBytesPerDRAM"]
    p["LogBytesPerDRAMPartition"] = p["LogBytesPerDRAM"] - 1 - p["LogThreadsPerDRAM"]
    p["LogBytesPerSRAM"] = p["SRAMAddrWidth"] + p["LogBytesPerSRAMBeat"]
    p["BytesPerSRAM"] = 1 << p["LogBytesPerSRAM"]
    p["LogBytesPerSRAMPartition"] = p["LogBytesPerSRAM"] + 1 - p["LogThreadsPerDRAM"]
    p["SRAMBase"] = p["BytesPerSRAM"]
    p["DRAMBase"] = 3 * p["BytesPerSRAM"]
    # The upper half of a DRAM is its threads' partitions; what lies below is shared.
    p["DRAMGlobalsLength"] = p["BytesPerDRAM"] // 2 - p["DRAMBase"]
    p["POLiteDRAMGlobalsLength"] = 1 << 14
    p["POLiteProgRouterBase"] = p["DRAMBase"] + p["POLiteDRAMGlobalsLength"]
    p["POLiteProgRouterLength"] = p["DRAMGlobalsLength"] - p["POLiteDRAMGlobalsLength"]
    # Boxes and instruction space.
    p["BoardsPerBox"] = p["MeshXLenWithinBox"] * p["MeshYLenWithinBox"] + 1
    p["MeshXLen"] = p["BoxMeshXLen"] * p["MeshXLenWithinBox"]
    p["MeshYLen"] = p["BoxMeshYLen"] * p["MeshYLenWithinBox"]
    p["MaxInstrBytes"] = 4 * p["InstrsPerCore"] - p["MaxBootImageBytes"]
    return p


def value_text(name: str, value: int | bool) -> str:
    """A value as C, assembler and shell read it."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return hex(value) if name in HEX else str(value)


def cpp(parameters: dict[str, int | bool]) -> list[str]:
    """Lines of config.h."""
    lines = [
        "// Made by roles/overlay/device/parameters.py cpp; do not edit.",
        "#ifndef POLYLOOM_OVERLAY_CONFIG_H",
        "#define POLYLOOM_OVERLAY_CONFIG_H",
    ]
    for name, value in parameters.items():
        if value is False:
            continue  # as upstream: a false option is an undefined macro
        lines.append(f"#define Tinsel{name} {value_text(name, value)}")
    return [*lines, "#endif"]


MODES = {
    "envs": lambda p: [f"export {n}={value_text(n, v)}" for n, v in p.items()],
    "cpp": cpp,
    "defs": lambda p: [f"-D {n}={value_text(n, v)}" for n, v in p.items() if v is not False],
    "vpp": lambda p: [f"`define Tinsel{n} {int(v)}" for n, v in p.items() if v is not False],
}


def main(argv: list[str]) -> int:
    """Prints one mode; status 2 on a wrong call, 1 for a cluster file that does not do."""
    if len(argv) not in {2, 3} or argv[1] not in MODES:
        print(f"usage: {argv[0]} {'|'.join(MODES)} [CLUSTER_FILE]", file=sys.stderr)
        return 2
    try:
        lines = MODES[argv[1]](parameters(Path(argv[2]) if len(argv) == 3 else None))
    except ValueError as error:
        print(f"polyloom: {error}", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
