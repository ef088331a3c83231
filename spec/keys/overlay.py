# SPDX-License-Identifier: Apache-2.0
"""Keys of ``[overlay]``: sizes of a board, then what the published system is modelled with.

Defaults are those of the published configuration (Tinsel paper, Fig. 2; Tinsel 0.8), and of our RTL's timing.
"""

from __future__ import annotations

from spec.rows import Boolean, Choice, Integer, Key, KeyTable, Other, PowerOfTwo

#: Responses are kept in a calendar of 64 cycles.
MAX_LATENCY = 48

BOARD: list[Key] = [
    PowerOfTwo("tiles_x", 4, 1, 8, meaning="tiles in a row", rtl="TilesX"),
    PowerOfTwo("tiles_y", 4, 1, 8, meaning="rows of tiles", rtl="TilesY"),
    PowerOfTwo("cores_per_tile", 4, 1, 4, rtl="Cores", meaning="cores that share a mailbox, a data cache and an FPU"),
    PowerOfTwo("threads_per_core", 16, 1, 16, meaning="threads of a core", rtl="Threads"),
    PowerOfTwo(
        "instr_words", 2048, 256, 16384, rtl="InstrWords", meaning="of an instruction memory, which two cores share"
    ),
    PowerOfTwo("cache_ways", 16, 1, 16, meaning="ways of a data cache", rtl="CacheWays"),
    PowerOfTwo("cache_sets_per_thread", 4, 1, 64, meaning="sets of a data cache, for each thread", rtl="CacheSets"),
    PowerOfTwo("line_bytes", 32, 32, 64, meaning="of a line of the data cache", unit="B", rtl="LineBytes"),
    PowerOfTwo("dram_channels", 2, 1, 2, meaning="memories of a board, shared out evenly to its tiles", rtl="Slices"),
    PowerOfTwo("mailbox_slots", 512, 128, 512, meaning="of 64 B in a tile's scratchpad", rtl="MailboxSlots"),
    Integer("max_flits", 4, 1, 4, meaning="of the longest message", unit="flits of 16 B", rtl="MaxFlits"),
    Boolean("extra_send_slot", False, meaning="slots 64 to 127 of the scratchpad send, too", rtl="ExtraSendSlot"),
    Boolean(
        "programmable_routers",
        True,
        otherwise="true; boards of 64 tiles have no port left: false",
        rtl="Routers",
        meaning="the board's router looks keys up in memory and makes copies (Multicast paper IV)",
    ),
    Boolean("header_every_flit", False, meaning="mask and address in every flit, as published"),
    Boolean("scratchpad_single_port", False, meaning="one flit read or written a cycle, as published"),
    Integer("noc_cycles_per_flit", 1, 1, 8, unit="cycles", meaning="of a flit on a link between tiles; published: 2"),
]

SYSTEM: list[Key] = [
    Integer(
        "noc_link_flits",
        16,
        4,
        32,
        rtl="NocLinkFlits",
        unit="flits",
        meaning="buffer at each input of a tile's router",
    ),
    Other(
        "mesh",
        "two numbers, 1 to 8",
        "the size of `[topology]`, which must be a mesh",
        meaning='boards in x and y; of `kind = "explicit"`, where nodes have a `position`',
    ),
    Choice(
        "detector",
        ["tree", "star"],
        default="tree",
        meaning="how boards find out that all are idle; star: as published",
    ),
    Choice(
        "link_layer", ["ours", "published"], default="ours", meaning="framing of links; published: with `star` only"
    ),
    Choice("memory_controller", ["ours", "published"], default="ours", meaning="order and timing of DRAM requests"),
    Integer(
        "gather_cycles",
        0,
        0,
        1000,
        unit="cycles",
        meaning="further stages from the threads to the detector, and back",
    ),
    Integer(
        "turnaround_cycles",
        3,
        0,
        1000,
        unit="cycles",
        meaning="until a board responds to a control word",
        former="turn_cycles",
    ),
    Integer("end_cycles", 1, 0, 100, unit="cycles", meaning="tree: for each end of a link in a report, read or sent"),
    Integer("bridge_hop_cycles", 195, 1, 100_000, unit="cycles", meaning="star: from board (0,0) to its master"),
    Integer(
        "link_down_after",
        4096,
        1,
        1_000_000_000,
        meaning="repetitions of the same items after which a link is down, and ends the run",
    ),
    Boolean("profile", False, meaning="the run's record has instructions by address (also `POLYLOOM_PROFILE`)"),
]

OVERLAY = KeyTable(
    "overlay",
    "An FPGA as a board of RISC-V threads ([tinsel.md](../guides/tinsel.md)). "
    "Keys without a name in RTL are of the model.",
    [*BOARD, *SYSTEM],
    space="overlay",
    structs={"BoardValues": BOARD, "SystemValues": SYSTEM},
)


def _latency(name: str, default: int, meaning: str) -> Integer:
    return Integer(name, default, 1, MAX_LATENCY, unit="cycles", meaning=meaning)


_LATENCIES: list[Key] = [
    _latency("mul", 10, "integer multiplication; the FPU's pipelined operations take all as long"),
    _latency("fp_compare", 10, "comparison"),
    _latency("fp_convert", 10, "conversion"),
    _latency("fp_add", 10, "addition"),
    _latency("fp_mul", 10, "multiplication"),
    _latency("fp_fma", 10, "fused multiplication and addition"),
    _latency("div", 28, "integer division and remainder, from their start in the divider"),
    _latency("fp_div", 28, "division, from its start in the divider"),
    _latency("fp_sqrt", 28, "square root, from its start in the divider"),
    _latency("divide_interval", 17, "from the start of one operation of the divider to that of the next"),
    _latency("scratchpad", 2, "load from the scratchpad"),
    _latency("cache_hit", 4, "load that hits"),
    _latency("wake", 9, "from what a thread waits for to its next issue; below 9 late by the rest of a window of 8"),
    _latency("to_memory", 4, "from a cache's look-up to the queue of its memory"),
    _latency("from_memory", 12, "from the memory's response to the thread's next issue"),
    Integer(
        "cache_max_misses",
        32,
        1,
        64,
        meaning="misses of a tile on their way; further ones wait in order, hits pass them",
    ),
]

TIMING = KeyTable(
    "overlay.timing",
    "A thread whose instruction is granted its unit in cycle g can issue again in cycle g + 8 + latency. Defaults are "
    "those of the RTL; the clusters `tinsel-paper-*` have those of Tinsel 0.8.",
    _LATENCIES,
    space="overlay::timing",
    structs={"Values": _LATENCIES},
)
