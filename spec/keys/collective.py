# SPDX-License-Identifier: Apache-2.0
"""Keys of ``[collective]``."""

from __future__ import annotations

from spec.rows import Boolean, Bytes, Choice, Integer, Key, KeyTable, Names, PowerOfTwo

_OWN: list[Key] = [
    Integer(
        "channels", 8, 1, 128, otherwise="those of a `hbm2` memory, else 8", rtl="Channels", meaning="memory channels"
    ),
    Bytes(
        "channel_size",
        "512 MiB",
        "64 B",
        "4 GiB",
        otherwise="that of a `hbm2` memory, else 512 MiB",
        meaning="of a channel; two equal halves of whole beats of 32 B",
    ),
    Choice("contents", ["stored", "none"], default="stored", meaning="none: memories keep no data, for timing alone"),
    Integer("rx_beats", 128, 4, 4096, unit="beats of 32 B", rtl="RxBeats", meaning="receive buffer of a link"),
    Bytes(
        "eager_bytes",
        None,
        "0 B",
        "4 GiB",
        otherwise="the whole receive buffer",
        meaning="up to which a block is sent before the receiver has asked for it",
    ),
    Boolean("block_check", True, rtl="BlockCheck", meaning="a sum over each block, checked by its receiver"),
    Integer(
        "command_cycles",
        0,
        0,
        100_000,
        unit="cycles",
        rtl="CommandCycles",
        meaning="before a program begins, as published systems take them",
    ),
    Integer("step_cycles", 0, 0, 100_000, unit="cycles", rtl="StepCycles", meaning="before each of its steps"),
    PowerOfTwo("program_size", 1024, 16, 65536, rtl="ProgramSize", meaning="of a program", unit="steps"),
    Choice(
        "schedule",
        ["best", "paper"],
        default="best",
        meaning="which algorithms hosts choose from; paper: the published one",
    ),
    Names(
        "operators",
        ["reduce", "partition", "pass"],
        otherwise="`reduce`, `pass`, and `partition` where it can have a power of two of ports",
        meaning="what the slot holds",
    ),
    Integer("operator_inputs", None, 1, 63, otherwise="as many as channels, at most 63", meaning="ports of the slot"),
    Integer("partitions", 1, 1, 2, rtl="Partitions", meaning="how many operators `partition` the slot holds"),
    Integer(
        "record_beats",
        1024,
        2,
        1 << 22,
        unit="beats of 32 B",
        rtl="RecordBeats",
        meaning="keys that a partition remembers to steer values by",
    ),
]

_CHANNEL: list[Key] = [
    Integer("read_latency", 36, 1, 1000, unit="cycles", meaning="of a channel"),
    Integer("write_latency", 12, 1, 1000, unit="cycles", meaning="of a channel"),
]

COLLECTIVE = KeyTable(
    "collective",
    "An FPGA that exchanges data with all others by collective operations "
    "([collectives.md](../guides/collectives.md)).",
    [*_OWN, *_CHANNEL],
    space="collective",
    structs={"Values": _OWN},
)
