# SPDX-License-Identifier: Apache-2.0
"""Programs of collective nodes, as host library, model and RTL see them: instructions, frames, faults, registers."""

from __future__ import annotations

from spec.rows import NOTHING, Constant, Enumeration, Enumerator, Field, Given, Operation, Register, registers, unique

OPS = Enumeration(
    "Op",
    "OP_",
    "What an instruction says about the step that the next `go` starts.",
    [
        Enumerator("end", 0, "program's end: reports to the host"),
        Enumerator("read", 1, "R#index reads the pattern"),
        Enumerator("write", 2, "W#index writes the pattern from `source`"),
        Enumerator("send", 3, "tx lane index takes from `source`; one block. extra = signature"),
        Enumerator("take", 4, "a block is expected on rx lane index; sinks select it elsewhere. extra = signature"),
        Enumerator("feed", 5, "operator input index takes from `source`"),
        Enumerator(
            "config",
            6,
            "operator output index: base = its configuration word, stride = mask of the inputs that it takes part of, "
            "extra[7:0] = operator, one that the slot holds",
        ),
        Enumerator("go", 7, "starts the step. index = mark that gets the completion cycle (0xff: none)"),
    ],
)

SOURCES = Enumeration(
    "Source",
    "FROM_",
    "Source numbers of write, send and feed.",
    [
        Enumerator("read", 0x00, "+ channel"),
        Enumerator("lane", 0x80, "+ lane"),
        Enumerator("operator", 0xC0, "+ output"),
        Enumerator("none", 0xFF, "nothing"),
    ],
)

#: A flag may mean one thing to one instruction and another to another.
FLAGS = [
    Enumerator(
        "eager",
        1,
        "send, take: the block waits in the receiver's buffer; no ready pulse before, one pulse after it was drained. "
        "Both ends must say the same. Without it the receiver's pulse comes first (rendezvous)",
    ),
    Enumerator("pulse_only", 2, "send, take: no data, only the pulse (a barrier). Never with eager"),
    Enumerator(
        "open_end",
        4,
        "write: the stream may end before the pattern does (its length is the data's); what came is written. Without "
        "it another length than the pattern's is a fault",
    ),
    Enumerator(
        "together",
        1,
        "go: no R# and no send begins before all ready pulses of the step are here, so that streams that an operator "
        "joins begin together on all nodes of a group",
    ),
]

CONTROLS = Enumeration(
    "LaneControl",
    "CONTROL_",
    "Frames of one word on a lane, low byte.",
    [
        Enumerator("hello", 1, "node[31:16] port[15:8]: who is at the other end"),
        Enumerator("abort", 2, "code[15:8] node[31:16]: a node has stopped the operation"),
        Enumerator("signature", 3, "extra of `send` in [63:32]; block number on this lane, modulo 2^16, in [31:16]"),
        Enumerator("check", 4, "CRC-32 of the data frame's words in [63:32]; block number in [31:16]"),
    ],
)

FAULTS = Enumeration(
    "Fault",
    "FAULT_",
    "Why a node stopped: code of its fault event. value: what was found; lane: where (0xff: nowhere).",
    [
        Enumerator(
            "bad_program",
            1,
            "instruction with an index, source or pattern that this node has not. value: its word 0; at go: of the go. "
            "A pattern that leaves its channel is found when the engine comes to that place; value: the offset there, "
            "modulo 2^40",
        ),
        Enumerator("signature", 2, "the peer's block belongs to another operation (count, type, root or order differ)"),
        Enumerator("length", 3, "a block ended before or after the place where its sink ends"),
        Enumerator("overflow", 4, "a beat arrived with the receive buffer full"),
        Enumerator("check", 5, "a block's CRC differs: the link has damaged it"),
        Enumerator("aborted", 6, "a peer reported a fault"),
        Enumerator(
            "timeout",
            7,
            "nothing moved for `watchdog` cycles. value: lanes that lack a pulse [31:0], data [63:32]; lane: the first "
            "above 31 that lacks either",
        ),
        Enumerator("unexpected", 8, "data or a check on a lane where no block is expected and that is not eager"),
        Enumerator(
            "operator_error",
            9,
            "the operator met what it cannot do. value: its status word 0 (of two partitions the bits of both)",
        ),
    ],
)

CONSTANTS = [
    Constant("beat_bytes", 32, "256 bit: an HBM2 pseudo-channel's width"),
    Constant("beat_words", 4, "of 64 bit"),
    Constant("instruction_words", 4, "of 64 bit"),
    Constant("marks", 32, "completion cycles that are kept"),
]

#: Offsets from the role's base, in registers.
REGISTERS = registers(
    "collective node",
    [
        Register(0x00, "start", "W", "instruction index: starts the program there", [], step=1),
        Register(0x01, "state", "R", "0 idle, 1 running, 2 stopped by a fault", [], step=1),
        Register(0x02, "node", "RW", "number of this node, sent in hello and abort", [], step=1),
        Register(0x03, "hello", "W", "any value: sends hello on all lanes", [], step=1),
        Register(0x04, "watchdog", "RW", "cycles without progress before a timeout; 0: never", [], step=1),
        Register(0x05, "clear", "W", "leaves `stopped`: buffers and lane counters to zero", [], step=1),
        Register(
            0x06,
            "shape",
            "R",
            "what the node is made of",
            [
                Field("channels", 7, 0, ""),
                Field("lanes", 15, 8, ""),
                Field("operator_ports", 23, 16, ""),
                Field("rx_beats", 47, 32, ""),
            ],
            step=1,
        ),
        Register(0x07, "program_size", "R", "instructions that fit", [], step=1),
        Register(0x08, "begin", "R", "cycle in which the program began", [], step=1),
        Register(0x09, "finish", "R", "cycle in which it ended", [], step=1),
        Register(0x20, "mark", "R", "+ i: completion cycle of the step whose go named mark i", [], step=1),
        Register(
            0x80,
            "peer",
            "R",
            "+ lane: of the hello received",
            [Field("port", 7, 0, ""), Field("node", 23, 8, ""), Field("valid", 31, 31, "")],
            step=1,
        ),
        Register(
            0x200,
            "status",
            "R",
            "+ i: status words of the operator; of the second partition from + 128 on",
            [],
            step=1,
        ),
    ],
)

# ---- operations: what a request may ask for ----

SIZES = Enumeration(
    "SizeKind",
    "SIZE_",
    "What a request's sizes are.",
    [
        Enumerator("none", 0, "there are none"),
        Enumerator("vector", 1, "one: the whole vector"),
        Enumerator("blocks", 2, "a block for each rank"),
        Enumerator("pairs", 3, "a block for each pair: sizes[i * ranks + j] goes from i to j"),
    ],
)

RANKS = Enumeration(
    "Who",
    "WHO_",
    "Which ranks have a buffer.",
    [
        Enumerator("none", 0, "none of them"),
        Enumerator("all", 1, "every rank"),
        Enumerator("root", 2, "the request's root"),
        Enumerator("others", 3, "all but the root"),
        Enumerator("destination", 4, "the request's destination"),
    ],
)

BUFFERS = Enumeration(
    "Holds",
    "HOLDS_",
    "What lies in a buffer.",
    [
        Enumerator("nothing", 0, "no byte"),
        Enumerator("vector", 1, "all bytes, as one vector"),
        Enumerator("block", 2, "the rank's own block"),
        Enumerator("blocks", 3, "all blocks, one after the other in the order of ranks"),
        Enumerator("row", 4, "the blocks from the rank to each, in their order"),
        Enumerator("column", 5, "the blocks from each to the rank, in their order"),
    ],
)

BUSES = Enumeration(
    "Bus",
    "BUS_",
    "Bus bandwidth by algorithm bandwidth of n ranks, as nccl-tests counts.",
    [
        Enumerator("none", 0, "0: nothing moves"),
        Enumerator("whole", 1, "1"),
        Enumerator("share", 2, "(n - 1) / n"),
        Enumerator("twice", 3, "2 (n - 1) / n"),
    ],
)

OPERATIONS = [
    Operation("barrier", "none", NOTHING, NOTHING, "none"),
    Operation("unicast", "vector", Given("root", "vector"), Given("destination", "vector"), "whole"),
    Operation("scatter", "blocks", Given("root", "blocks"), Given("all", "block"), "share"),
    Operation("gather", "blocks", Given("all", "block"), Given("root", "blocks"), "share"),
    Operation("broadcast", "vector", Given("root", "vector"), Given("others", "vector"), "whole"),
    Operation("all_to_all", "pairs", Given("all", "row"), Given("all", "column"), "share"),
    Operation("all_gather", "blocks", Given("all", "block"), Given("all", "blocks"), "share"),
    Operation("reduce", "vector", Given("all", "vector"), Given("root", "vector"), "whole", reduces=True),
    Operation("reduce_scatter", "blocks", Given("all", "blocks"), Given("all", "block"), "share", reduces=True),
    Operation("all_reduce", "vector", Given("all", "vector"), Given("all", "vector"), "twice", reduces=True),
]
unique("operations", [one.name for one in OPERATIONS])
