# SPDX-License-Identifier: Apache-2.0
"""The hub as hosts and other hubs see it: its registers, why it refuses things, and its limits."""

from __future__ import annotations

from spec.rows import Constant, Enumeration, Enumerator, Field, Register, registers

PORTS = Enumeration(
    "Port",
    "",
    "Also the order of lanes and of registers that each port has.",
    [
        Enumerator("north", 0, "the host's PCI Express"),
        Enumerator("east", 1, "the ring"),
        Enumerator("south", 2, "the other ring"),
        Enumerator("west", 3, "the ring"),
        Enumerator("local", 4, "the hub's own unit: memory, registers, function"),
    ],
)

CAUSES = Enumeration(
    "Cause",
    "CAUSE_",
    "Why a packet was dropped, or a local write refused: the first that holds, checked in the order malformed, "
    "poisoned, refused (kind against port), unmapped, overlap, refused (a read to another port than L), u_turn, "
    "absent; then, at L, refused, proxy_full, function_full.",
    [
        Enumerator("none", 0, "nothing happened"),
        Enumerator("unmapped", 1, "outside the window, or no port's rules match"),
        Enumerator("overlap", 2, "rules of two ports match"),
        Enumerator("absent", 3, "the port has no link"),
        Enumerator("poisoned", 4, "the packet's poison bit is set"),
        Enumerator("u_turn", 5, "E, S, W: it would leave by the port it came in"),
        Enumerator("malformed", 6, "unknown type, no bytes or more than the largest payload, across 4 KiB"),
        Enumerator(
            "refused", 7, "a read not from N to L, a completion not from N, no such register, beyond the memory, busy"
        ),
        Enumerator("proxy_full", 8, "no room in the proxy queue"),
        Enumerator("function_full", 9, "input of the function: no step is active, or from E, S, W, L and no room"),
    ],
)

DMA_ERRORS = Enumeration(
    "DmaError",
    "DMA_",
    "Why a DMA stopped.",
    [
        Enumerator("none", 0, "it did not"),
        Enumerator(
            "not_local", 1, "source: another node, registers, beyond the memory, across units, or N has no link"
        ),
        Enumerator("outside", 2, "source or destination (or flag): outside the window"),
        Enumerator("zero", 3, "block bytes or block count"),
        Enumerator("misaligned", 4, "descriptor (64) or flag (8)"),
        Enumerator("crosses", 5, "a destination block crosses the window's end"),
        Enumerator("loop", 6, "more descriptors than a chain may have"),
        Enumerator("reserved", 7, "a reserved bit is set"),
        Enumerator("function", 8, "function bit, and no function or no active step"),
        Enumerator("poisoned", 9, "a completion was poisoned: its data went nowhere"),
    ],
)

COUNTERS = Enumeration(
    "Counter",
    "COUNTER_",
    "Of a port.",
    [
        Enumerator("tlps_in", 0, "packets in"),
        Enumerator("tlps_out", 1, "packets out"),
        Enumerator("beats_in", 2, "beats of 16 B in"),
        Enumerator("beats_out", 3, "beats out"),
        Enumerator("stalls", 4, "cycles in which a packet waited"),
        Enumerator("drops", 5, "packets dropped"),
    ],
)

LANES = Enumeration(
    "Lane",
    "LANE_",
    "Registers of an output of the function, by offset. `base` and `capacity` are multiples of the largest payload.",
    [
        Enumerator("base", 0, "RW: window address of the output"),
        Enumerator("capacity", 8, "RW: bytes; what is beyond is dropped"),
        Enumerator("flag", 16, "RW: window address of a 64-bit word, written behind the data; 0: none"),
        Enumerator("bytes", 24, "R: bytes produced in this step, also those beyond the capacity"),
    ],
)

CONTROL = Enumeration(
    "Control",
    "CONTROL_",
    "Bits of a descriptor's control word.",
    [
        Enumerator("last", 0, "of the chain; with function: its last byte ends the function's stream"),
        Enumerator("flag", 1, "the flag is written when the data are there"),
        Enumerator("function", 2, "data go to the function's stream; destination and its stride are not looked at"),
    ],
)

CONSTANTS = [
    Constant("chain_max", 65536, "descriptors of a chain"),
    Constant("proxy_depth", 16, "descriptors in the proxy queue"),
    Constant("descriptor_bytes", 64, "of a descriptor"),
    Constant("rule_shift", 24, "lowest address bit that rules look at"),
    Constant("magic", 0x3130_4255_484C_5950, "what `id` reads: PYLHUB01", bits=64),
]

REGISTERS = registers(
    "hub",
    [
        Register(0x0000, "id", "R", "the magic number", []),
        Register(
            0x0008,
            "shape",
            "R",
            "what the hub is made of",
            [
                Field("max_payload", 9, 0, "bytes of a packet"),
                Field("slots", 15, 10, "of each link input"),
                Field("lanes", 19, 16, "outputs of the function"),
                Field("kinds", 35, 20, "operators below 16 that the function holds, a bit each"),
                Field("function_width", 44, 36, "bits"),
                Field("tags", 51, 45, "reads under way"),
                Field("memory_bits", 57, 52, "binary logarithm of the on-board memory"),
            ],
        ),
        Register(0x0010, "node", "RW", "number in the window", [Field("node", 3, 0, "0 to 15")]),
        Register(0x0018, "links", "RW", "which ports have a link", [Field("present", 3, 0, "N, E, S, W from bit 0")]),
        Register(
            0x0020,
            "status",
            "R",
            "the first fault since it was cleared",
            [
                Field("cause", 7, 0, "a `Cause`"),
                Field("port", 11, 8, "by which it came in"),
                Field("more", 12, 12, "there were more since"),
                Field("chain_error", 13, 13, "the chain stopped"),
                Field("proxy_error", 14, 14, "a proxy descriptor stopped"),
                Field("function_error", 15, 15, "of the function"),
                Field("address", 63, 16, "bits 47:0"),
            ],
        ),
        Register(0x0028, "status_clear", "W", "any value clears status, DMA errors and drop counters by cause", []),
        Register(0x0030, "cycle", "R", "number of the cycle", []),
        Register(
            0x0100,
            "rules",
            "RW",
            "where a packet goes: + 16 port + 8 rule; it matches if lower <= (address[38:24] & mask) <= upper",
            [
                Field("lower", 14, 0, ""),
                Field("upper", 30, 16, ""),
                Field("mask", 46, 32, ""),
                Field("valid", 63, 63, ""),
            ],
        ),
        Register(0x0200, "counters", "R", "+ 64 port + 8 `Counter`; 40 bits, wrap", []),
        Register(0x0400, "drops", "R", "+ 8 `Cause`; 32 bits, wrap", []),
        Register(0x0800, "chain", "RW", "a write starts at this descriptor (busy: refused); reads the one in work", []),
        Register(
            0x0808,
            "dma_state",
            "R",
            "of the DMA",
            [
                Field("chain_busy", 0, 0, ""),
                Field("proxy_busy", 1, 1, ""),
                Field("queued", 12, 8, "proxy descriptors that wait"),
            ],
        ),
        Register(
            0x0810,
            "chain_error",
            "R",
            "why the chain stopped",
            [Field("error", 7, 0, "a `DmaError`"), Field("address", 63, 16, "of the descriptor, bits 47:0")],
        ),
        Register(0x0818, "proxy_error", "R", "the same of the proxy queue's first error; the address is 0", []),
        Register(
            0x0820,
            "dma_done",
            "R",
            "descriptors whose data and flag the switch has; wrap",
            [Field("chain", 31, 0, ""), Field("proxy", 63, 32, "")],
        ),
        Register(
            0x1000,
            "function_control",
            "W",
            "the function, as all below, if there is one",
            [
                Field("step", 0, 0, "begin a step"),
                Field("flush", 1, 1, "stop, forget all"),
                Field("kind", 15, 8, "operator"),
                Field("used", 31, 16, "lanes used"),
            ],
        ),
        Register(0x1008, "function_config", "RW", "configuration word, same for all lanes", []),
        Register(
            0x1010,
            "function_state",
            "R",
            "of the step",
            [
                Field("active", 0, 0, ""),
                Field("idle", 1, 1, "nothing in flight"),
                Field("done", 31, 16, "lanes done"),
                Field("overflow", 47, 32, "lanes overflowed"),
            ],
        ),
        Register(0x1100, "function_status", "R", "+ 8 word: status words of the operator, 2 + lanes of them", []),
        Register(0x1400, "lanes", "RW", "+ 32 lane + `Lane`", []),
        Register(0x4000, "proxy", "W", "one packet of 64 bytes: a descriptor", []),
    ],
)
