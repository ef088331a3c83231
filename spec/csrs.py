# SPDX-License-Identifier: Apache-2.0
"""Control and status registers of an overlay thread: those of Tinsel 0.8, with its numbers and effects."""

from __future__ import annotations

from spec.rows import Csr, unique

CSRS = [
    Csr(0x001, "fflags", "RW", "floating point: accrued flags"),
    Csr(0x002, "frm", "RW", "floating point: rounding mode"),
    Csr(0x003, "fcsr", "RW", "floating point: rounding mode in [7:5], flags in [4:0]"),
    Csr(0x800, "instr_addr", "W", "index of the word of the instruction memory that `instr` writes", held=True),
    Csr(0x801, "instr", "W", "that word"),
    Csr(0x802, "free", "W", "address of a received slot: drops one reference"),
    Csr(0x803, "can_send", "R", "1 if the thread's last message has left"),
    Csr(0x805, "can_recv", "R", "1 if a message waits"),
    Csr(0x806, "send_len", "W", "flits of messages, less 1; a new thread has 0", held=True),
    Csr(0x807, "send_ptr", "W", "address of the slot that is sent", held=True),
    Csr(0x808, "send_dest", "W", "mailbox, key or host that messages go to", held=True),
    Csr(0x809, "recv", "R", "address of the slot of the next message"),
    Csr(
        0x80A,
        "wait_until",
        "RW",
        "waits for any of: 0 can send, 1 can receive, 2 all idle, 3 all idle by vote; reads those",
    ),
    Csr(0x80B, "from_uart", "R", "a byte of the host's console in [7:0], if [8] is set"),
    Csr(0x80C, "to_uart", "RW", "a byte to it; reads 0 if it was not taken"),
    Csr(0x80D, "new_thread", "W", "starts the core's thread of that number at address 0"),
    Csr(0x80E, "kill_thread", "W", "ends this thread"),
    Csr(0x80F, "emit", "W", "none here; the published simulator prints it"),
    Csr(0xC00, "cycle", "R", "cycles of the core, low half"),
    Csr(0xC01, "flush", "W", "line << 4 | way of the thread's own part of the cache: is written back"),
    Csr(0xC07, "perf_count", "W", "all counters of the core: 0 reset, 1 start, 2 stop", tinsel="PERFCOUNT"),
    Csr(0xC08, "miss_count", "R", "misses of the tile's cache", tinsel="MISSCOUNT"),
    Csr(0xC09, "hit_count", "R", "its hits", tinsel="HITCOUNT"),
    Csr(0xC0A, "writeback_count", "R", "lines that it wrote back", tinsel="WBCOUNT"),
    Csr(0xC0B, "cpu_idle_count", "R", "cycles of the core without an instruction, low half", tinsel="CPUIDLECOUNT"),
    Csr(0xC0C, "cpu_idle_count_u", "R", "bits 39:32 of that", tinsel="CPUIDLECOUNTU"),
    Csr(0xC0D, "cycle_u", "R", "bits 39:32 of `cycle`", tinsel="CYCLEU"),
    Csr(0xC0E, "prog_router_sent", "R", "copies that the board's router made; on thread 0", tinsel="PROGROUTERSENT"),
    Csr(
        0xC0F,
        "prog_router_sent_inter",
        "R",
        "those that went to other boards; on thread 0",
        tinsel="PROGROUTERSENTINTER",
    ),
    Csr(0xF14, "hart_id", "R", "the thread's global id"),
]
unique("CSRs", [csr.number for csr in CSRS])
unique("CSRs", [csr.name for csr in CSRS])
