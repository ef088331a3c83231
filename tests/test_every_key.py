# SPDX-License-Identifier: Apache-2.0
# Covers: every key of a role's table in a cluster file (as `cluster show --json` lists them, so that none is forgotten)
#   and the keys of all roles: another value changes what a program does on the cluster, by the digest of all state or
#   the simulated time, or is refused in a line that names it.
# Leaves out: the role mpi, whose nodes are Verilated; whether the change is the right one (tests of each model).
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from polyloom.base import paths

COLLECTIVES = """
import sys
import numpy as np
from polyloom.collectives import CollectiveError, Communicator
comm = Communicator()
rng = np.random.default_rng(1)
for size in (64, 2000):
    comm.all_reduce([rng.integers(0, 9, size, dtype=np.int32) for _ in range(comm.size)])
    comm.all_to_all([[np.full(size, rank, dtype=np.int32) for _ in range(comm.size)] for rank in range(comm.size)])
comm.partition([rng.integers(0, 64, 3000, dtype=np.uint32) for _ in range(comm.size)], bits=(0, 3))
"""
#: One of each kind of instruction that has a unit and a latency of its own; says how many cycles they took.
UNITS = """
  .globl _start
_start:
  li x5, 77; li x6, 5; csrr x10, 0xc00
  mul x7, x5, x6; div x7, x5, x6; rem x8, x5, x6; div x7, x5, x6
  fcvt.s.w f1, x5; fcvt.s.w f2, x6; feq.s x9, f1, f2
  fadd.s f3, f1, f2; fmul.s f3, f1, f2; fmadd.s f3, f1, f2, f3; fdiv.s f4, f1, f2; fsqrt.s f5, f1
  feq.s x9, f4, f5; csrr x11, 0xc00; sub x3, x11, x10; la x4, tohost; sw x3, 0(x4)
1: j 1b
  .section .tohost, "aw", @progbits
  .align 6
  .globl tohost
tohost: .dword 0
"""


@dataclass(frozen=True)
class Program:
    """A program, and the cluster file that its keys are put into."""

    words: tuple[str, ...]
    cluster: str
    lines: tuple[tuple[str, str], ...] = ()  # table and line: what the file says besides


def app(name: str, *words: str) -> Program:
    return Program((str(paths.build_dir() / "bin" / f"app_{name}"), *words), "tiny-2")


PAGERANK = app("pagerank", "--generate", "uniform:60:4", "--iterations", "3")
LOSSY = replace(PAGERANK, lines=(("[link]", "drop_rate = 0.5"),))
ASP = app("asp", "--generate", "uniform:200:8")  # its messages have several flits
UNIT = Program(("polyloom-elf-run",), "tiny-1")
COLLECTIVE = Program((sys.executable, "-c", COLLECTIVES), "optweb-small")
HUB = Program((str(paths.build_dir() / "bin" / "hub_tour"), "CLUSTER"), "peach2-2")

LET = Program((str(paths.build_dir() / "bin" / "bench_let"), "push"), "peach2-2")

#: (table, key): other value, program. A text in the place of the program is what the refusal says.
OVERLAY: dict[str, tuple[str, Program | str]] = {
    "tiles_x": ("2", PAGERANK),
    "tiles_y": ("2", PAGERANK),
    "cores_per_tile": ("2", PAGERANK),
    "threads_per_core": ("8", PAGERANK),
    "instr_words": ("256", "instruction"),
    "cache_ways": ("8", PAGERANK),
    "cache_sets_per_thread": ("2", PAGERANK),
    "line_bytes": ("64", PAGERANK),
    "dram_channels": ("2", "is more than the board has tiles"),
    "mailbox_slots": ("256", PAGERANK),
    "max_flits": ("2", "sends a message that is too long: one has 1 to 2 flits"),
    "extra_send_slot": ("true", PAGERANK),
    "programmable_routers": ("false", PAGERANK),
    "header_every_flit": ("true", ASP),
    "scratchpad_single_port": ("true", ASP),
    "noc_cycles_per_flit": ("2", PAGERANK),
    "noc_link_flits": ("4", ASP),
    "detector": ('"star"', PAGERANK),
    "link_layer": ('"published"', "has no channel for control words"),
    "gather_cycles": ("50", PAGERANK),
    "turnaround_cycles": ("10", PAGERANK),
    "end_cycles": ("5", PAGERANK),
    "bridge_hop_cycles": ("500", 'is for detector = "star"'),
    "memory_controller": ('"published"', PAGERANK),
    "link_down_after": ("1", "is down"),
    "timing.mul": ("11", UNIT),
    "timing.div": ("40", UNIT),
    "timing.fp_compare": ("40", UNIT),
    "timing.fp_convert": ("40", UNIT),
    "timing.fp_add": ("40", UNIT),
    "timing.fp_mul": ("40", UNIT),
    "timing.fp_fma": ("40", UNIT),
    "timing.fp_div": ("40", UNIT),
    "timing.fp_sqrt": ("40", UNIT),
    "timing.divide_interval": ("40", UNIT),
    "timing.scratchpad": ("3", PAGERANK),
    "timing.cache_hit": ("6", PAGERANK),
    "timing.wake": ("12", PAGERANK),
    "timing.to_memory": ("6", PAGERANK),
    "timing.from_memory": ("20", PAGERANK),
    "timing.cache_max_misses": ("1", PAGERANK),
}
CHANGES: dict[str, dict[str, tuple[str, Program | str]]] = {
    "overlay": OVERLAY,
    "collective": {
        "channels": ("2", "4 channels"),
        "channel_size": ('"128 KiB"', COLLECTIVE),
        "read_latency": ("40", COLLECTIVE),
        "write_latency": ("20", COLLECTIVE),
        "contents": ('"none"', "keep no bytes"),
        "operator_inputs": ("8", COLLECTIVE),
        "operators": ('["reduce"]', "partition"),
        "partitions": ("2", COLLECTIVE),
        "record_beats": ("16", COLLECTIVE),
        "rx_beats": ("64", COLLECTIVE),
        "eager_bytes": ('"0 B"', COLLECTIVE),
        "block_check": ("false", COLLECTIVE),
        "command_cycles": ("7", COLLECTIVE),
        "step_cycles": ("7", COLLECTIVE),
        "program_size": ("32", COLLECTIVE),
        "schedule": ('"paper"', COLLECTIVE),
    },
    "hub": {
        "preset": ('"paper"', HUB),
        "max_payload": ("128", HUB),
        "slots": ("2", HUB),
        "tags": ("1", HUB),
        "function": ('["pass"]', "deadlock"),
        "geometry_latency": ("136", LET),
        "open_depth": ("16", "standstill"),
        "lanes": ("2", HUB),
        "function_clock": ('"150 MHz"', LET),
        "store_latency": ('"900 ns"', HUB),
        "write_latency": ('"900 ns"', HUB),
        "read_latency": ('"900 ns"', HUB),
        "poll_latency": ('"900 ns"', HUB),
    },
}
#: Keys that no program here depends on: what a run writes, a hub's own memory, and a stream that is narrower than its
#: operator. roles/hub/tests hold these.
ELSEWHERE = {"overlay": {"profile"}, "hub": {"memory_bits", "memory_read", "memory_write", "function_width"}}
#: Keys of every role: the line that is put in the place of one that begins alike, or behind its table's name.
GENERAL = [
    ("[link]", 'latency = "900 ns"', PAGERANK),
    ("[link]", 'rate = "1 Gb/s"', PAGERANK),
    ("[link]", "bit_error_rate = 1e-4", PAGERANK),
    ("[link]", "drop_rate = 0.1", PAGERANK),
    ("[link]", 'protocol = "udp"', "do not speak it"),
    ("[fpga]", 'clocks = { core = "200 MHz" }', PAGERANK),
    ("[fpga]", 'clocks = { core = "250 MHz", noc = "1 GHz" }', "unknown key"),
    ("[fpga]", 'fidelity = "board"', "no node runs on a board yet"),
    ("[fpga]", 'fidelity = "native"', "a native run has no cluster"),
    ("[host]", 'latency = "2 us"', PAGERANK),
    ("[host]", 'rate = "1 Gb/s"', PAGERANK),
    ("[host]", 'call_time = "5 us"', PAGERANK),
    ("[host]", "bit_error_rate = 1e-9", "data link layer of PCI Express"),
    ("[host]", "drop_rate = 0.01", "data link layer of PCI Express"),
    ("[host]", 'attach = ["fpga.0.0"]', "has no host link"),
]


def with_line(text: str, table: str, line: str) -> str:
    """The file with one key changed; ``table`` as in the file."""
    key = line.split(" =")[0]
    found = re.search(rf"^{re.escape(table)}[^\n]*\n", text, flags=re.MULTILINE)
    if found is None:
        return f"{text}\n{table}\n{line}\n"
    body, *rest = re.split(r"^(?=\[)", text[found.end() :], maxsplit=1, flags=re.MULTILINE)
    kept = "".join(f"{each}\n" for each in body.splitlines() if not each.startswith(f"{key} "))
    return f"{text[: found.end()]}{line}\n{kept}" + "".join(rest)


@dataclass(frozen=True)
class Seen:
    """What a run showed."""

    status: int
    said: str  # on standard error
    digest: str = ""
    picoseconds: int = 0
    result: str = ""  # of UNIT


@pytest.fixture(scope="module")
def units_elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.isa import build

    source = tmp_path_factory.mktemp("units") / "units.S"
    source.write_text(UNITS)
    return Path(build.link(source))


def observe(folder: Path, program: Program, text: str, elf: Path) -> Seen:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cluster = folder / "cluster.toml"
    cluster.write_text(text)
    run = folder / "run"
    env = {
        **os.environ,
        "POLYLOOM_HOME": str(paths.home()),
        "POLYLOOM_ON": "sim",
        "POLYLOOM_CLUSTER": str(cluster),
        "POLYLOOM_RUN_DIR": str(run),
    }
    words = [str(cluster) if word == "CLUSTER" else word for word in program.words]
    if program is UNIT:
        from polyloom.jobs.isatest import elf as reader

        (folder / "units.json").write_text(json.dumps(reader.read(elf).as_dict()))
        words = [str(paths.program("polyloom-elf-run")), "1000", str(folder / "units.json")]
    found = subprocess.run(words, env=env, capture_output=True, text=True, check=False, timeout=120)
    record = json.loads((run / "run.json").read_text()) if (run / "run.json").exists() else {}
    result = found.stdout if program is UNIT else ""
    return Seen(found.returncode, found.stderr, record.get("digest", ""), record.get("simulated_ps", 0), result)


def base_text(program: Program) -> str:
    text = paths.cluster_file(program.cluster).read_text()
    for table, line in program.lines:
        text = with_line(text, table, line)
    return text


BASES: dict[Program, Seen] = {}


def base_of(program: Program, folder: Path, elf: Path) -> Seen:
    if program not in BASES:
        BASES[program] = observe(folder, program, base_text(program), elf)
        assert BASES[program].status == 0, BASES[program].said
        assert BASES[program].digest
    return BASES[program]


def check(tmp_path: Path, table: str, line: str, what: Program | str, usual: Program, elf: Path) -> None:
    program = usual if isinstance(what, str) else what
    before = base_of(program, tmp_path / "base", elf)
    after = observe(tmp_path / "changed", program, with_line(base_text(program), table, line), elf)
    if isinstance(what, str):
        assert after.status != 0, f"{line} was accepted"
        assert what in after.said, after.said
        return
    assert after.status == 0, after.said
    assert after != before, f"{line} changed nothing"


@pytest.mark.parametrize(("role", "key"), [(role, key) for role, keys in CHANGES.items() for key in keys])
def test_a_role_heeds_or_refuses(tmp_path: Path, role: str, key: str, units_elf: Path) -> None:
    value, what = CHANGES[role][key]
    table, _, name = key.rpartition(".")
    header = f"[{role}.{table}]" if table else f"[{role}]"
    usual = {"overlay": PAGERANK, "collective": COLLECTIVE, "hub": HUB}[role]
    usual = {"max_flits": ASP, "link_down_after": LOSSY, "function": LET, "open_depth": LET}.get(key, usual)
    check(tmp_path, header, f"{name} = {value}", what, usual, units_elf)


@pytest.mark.parametrize(("table", "line", "what"), GENERAL, ids=[f"{t}{line}" for t, line, _ in GENERAL])
def test_general_keys_are_heeded_or_refused(
    tmp_path: Path, table: str, line: str, what: Program | str, units_elf: Path
) -> None:
    check(tmp_path, table, line, what, PAGERANK, units_elf)


@pytest.mark.parametrize(
    ("program", "protocol"),
    [(COLLECTIVE, "reliable"), (COLLECTIVE, "pcie"), (HUB, "reliable"), (HUB, "serial"), (PAGERANK, "pcie")],
    ids=lambda value: value if isinstance(value, str) else value.cluster,
)
def test_links_speak_what_their_role_speaks(program: Program, protocol: str, tmp_path: Path, units_elf: Path) -> None:
    check(tmp_path, "[link]", f'protocol = "{protocol}"', "do not speak it", program, units_elf)


@pytest.mark.parametrize("role", CHANGES)
def test_no_key_is_forgotten(role: str) -> None:
    cluster = {"overlay": "tiny-2", "collective": "optweb-small", "hub": "peach2-2"}[role]
    command = [str(paths.program("polyloom-sim")), "--cluster", str(paths.cluster_file(cluster)), "--show", "--json"]
    shown = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    keys = set()
    for key, value in shown["roles"][role][0].items():
        name = re.sub("_(ps|hz|bytes)$", "", key)  # shown in these units, given in any
        name = name if name in CHANGES[role] else key
        keys |= {f"{name}.{inner}" for inner in value} if isinstance(value, dict) else {name}
    assert keys - ELSEWHERE.get(role, set()) == set(CHANGES[role])
