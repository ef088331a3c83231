# SPDX-License-Identifier: Apache-2.0
"""Keys that every cluster file may have, whatever its FPGAs are."""

from __future__ import annotations

from spec.rows import Bytes, Choice, Duration, Integer, KeyTable, Other

TOP = KeyTable(
    "",
    "At the top of the file.",
    [
        Integer("version", None, 1, 1, meaning="of this format"),
        Other("name", "text", "the file's name", meaning="of the cluster, in records and reports"),
        Other("description", "text", "none", meaning="one line, which `polyloom cluster list` shows"),
    ],
)

TOPOLOGY = KeyTable(
    "topology",
    "How FPGAs are linked. Names of nodes and numbers of ports: `fabric/cluster/spec.h`.",
    [
        Choice(
            "kind",
            ["mesh", "torus", "ring", "double_ring", "fully_connected", "hypercube", "star", "explicit"],
            meaning="shape; explicit: `[[node]]` and `[[connect]]` say it",
        ),
        Other("size", "array of numbers", "must be given, but for `explicit`", meaning="FPGAs, by dimension"),
        Other(
            "links",
            "array of numbers, 1 to 16",
            "1 each",
            meaning="fully_connected, hypercube: of each pair, by dimension",
        ),
    ],
)

LINK = KeyTable(
    "link",
    "All links between FPGAs. `[host]`, `[[connect]]` and `[[override]]` take the same keys for theirs.",
    [
        Choice(
            "protocol",
            ["reliable", "ethernet", "udp", "serial", "pcie"],
            otherwise="what the roles at its ends speak; they speak no other",
            meaning="of frames",
        ),
        Duration(
            "latency",
            None,
            "1 ns",
            "1 s",
            otherwise="must be given where there are links; hosts: 1 us",
            meaning="one way",
        ),
        Other("rate", "1 b/s to 10 Tb/s", "must be given where there are links; hosts: 32 Gb/s", meaning="one way"),
        Other("bit_error_rate", "0 to 1", "0", meaning="probability, of a bit, that it is flipped"),
        Other("drop_rate", "0 to 1", "0", meaning="probability, of a frame, that it is lost"),
    ],
)

FPGA = KeyTable(
    "fpga",
    "What every FPGA is, unless its `[[node]]` says otherwise.",
    [
        Other(
            "role",
            "`overlay`, `collective`, `hub`, `kernel`",
            "must be given",
            meaning="what the FPGA is configured to be",
        ),
        Choice("fidelity", ["sim", "rtl"], default="sim", meaning="fast model, or Verilated RTL"),
        Other(
            "clocks",
            '`{ core = "250 MHz" }`',
            "250 MHz",
            meaning="frequency of its `core` clock; further names are free",
        ),
    ],
)

SWITCH = KeyTable(
    "switch",
    "The switch of a star.",
    [
        Duration(
            "forward_latency", "1 us", "0 ps", "1 s", meaning="from a frame's last bit to its first bit on the way out"
        ),
        Bytes("queue", "1 MiB", "64 B", "1 GiB", meaning="of each output; what does not fit is dropped"),
    ],
    space="fabric::network_switch",
)

MEMORY = KeyTable(
    "memory.NAME",
    "A kind of memory that each FPGA has, under a name of one's own.",
    [
        Choice("kind", ["ddr3-1600", "qdr2plus", "hbm2"], meaning="timing"),
        Integer("channels", 1, 1, 64, meaning="how many there are"),
        Bytes("size", None, "4 KiB", "1 TiB", otherwise="must be given", meaning="of a channel"),
    ],
    space="fabric::memory",
)

HOST = KeyTable(
    "host",
    "Hosts and their links, which are PCI Express of 1 us and 32 Gb/s where nothing else is said.",
    [
        Integer("count", 1, 0, 256, meaning="hosts"),
        Other("attach", '`"all"`, `"switch"` or an array of names', "`all`", meaning="to which FPGAs they are linked"),
        Duration("call_time", "1 us", "1 ns", "1 s", meaning="simulated time that a call of a host program takes"),
        Integer("clients", 1, 1, 256, meaning="host programs on each"),
    ],
    space="fabric::host",
)

NODE = KeyTable(
    "[node]",
    "One FPGA that differs: keys of `[fpga]`, and a table of its role's keys below it. Explicit topologies: each node.",
    [
        Other("name", "text", "must be given", meaning="of the node; explicit: letters, digits, dots and underscores"),
        Choice("kind", ["fpga", "host", "switch"], default="fpga", meaning="explicit only"),
        Other("position", "array of numbers", "none", meaning="explicit only: coordinates, for roles that want them"),
    ],
)

CONNECT = KeyTable(
    "[connect]",
    "A link of an explicit topology, with keys of `[link]`.",
    [
        Other("a", '`"NODE:PORT"`', "must be given", meaning="one end"),
        Other("b", '`"NODE:PORT"`', "must be given", meaning="the other"),
    ],
)

OVERRIDE = KeyTable(
    "[override]",
    "Links that differ, with keys of `[link]`.",
    [Other("between", "array of two names", "must be given", meaning="of linked nodes")],
)

BEFORE_ROLES = [TOP, TOPOLOGY, LINK, FPGA, SWITCH, MEMORY, HOST]
FOR_SOME = [NODE, CONNECT, OVERRIDE]
