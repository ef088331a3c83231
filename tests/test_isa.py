# SPDX-License-Identifier: Apache-2.0
# Covers: every instruction on a core of the overlay at each fidelity, against arithmetic in Python; verdicts of
# `polyloom isa-test`; bad programs. Leaves out: sequences (the lockstep tests), several threads.
import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.isa import build, programs

needs_compiler = pytest.mark.skipif(shutil.which(build.COMPILER) is None, reason=f"{build.COMPILER} is not installed")
TOO_SLOW_TO_REPORT = """#include "riscv_test.h"
RVTEST_RV32U
RVTEST_CODE_BEGIN
  j .
RVTEST_CODE_END
.data
RVTEST_DATA_BEGIN
RVTEST_DATA_END
"""


def isa_test(*arguments, cwd=None):
    command = [sys.executable, "-m", "polyloom", "isa-test", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=570, cwd=cwd)


def source(folder, name, text):
    path = folder / f"{name}.S"
    path.write_text(text)
    return build.link(path)


@pytest.fixture(scope="module")
def elves(tmp_path_factory):
    folder = tmp_path_factory.mktemp("isa")
    command = [sys.executable, "-m", "tests.isa", folder]
    subprocess.run(command, cwd=Path(__file__).parents[1], check=True, timeout=300)
    return sorted(folder.glob("*.elf"))


@needs_compiler
@pytest.mark.parametrize("on", ["sim", "rtl"])
def test_every_instruction(on, elves):
    done = isa_test("--on", on, "--json", "--elf", *elves)
    facts = json.loads(done.stdout)
    assert [test for test in facts["tests"] if not test["passed"]] == []
    assert facts["passed"] == facts["total"] == len(elves) == len(list(programs.all_programs()))
    assert done.returncode == 0


@needs_compiler
@pytest.mark.parametrize("row", [0, 7])
def test_wrong_result_is_told_by_its_number(row, tmp_path):
    rows = [(a, b, a + b) for a, b in ((1, 2), (3, 4), (5, 6), (7, 8), (9, 9), (2, 1), (0, 0), (6, 6))]
    rows[row] = (*rows[row][:2], rows[row][2] + 1)
    text = programs.program(programs.loop(ADD, 3), programs.table(rows))
    done = isa_test("--elf", source(tmp_path, "wrong", text))
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == f"wrong.elf: FAILED: test {row + 2} failed"


ADD = "  lw a0, 0(s0)\n  lw a1, 4(s0)\n  lw a3, 8(s0)\n  add a2, a0, a1\n  bne a2, a3, fail\n"


#: To the threads of a0:a1, no instruction that an assembler knows.
SEND = "  .4byte 0x00b50008\n"
#: What a program does wrong, from pc 0x80 on, and what is said of it; the same whatever the board is.
WRONG = {
    "illegal": ("  .word 0xffffffff\n", "illegal instruction at pc 0x80, value 0xffffffff"),
    "misaligned_load": ("  li a0, 0x1800001\n  lw a1, 0(a0)\n", "misaligned load at pc 0x88, value 0x1800001"),
    "misaligned_store": ("  li a0, 0x1800002\n  sw a1, 0(a0)\n", "misaligned store at pc 0x88, value 0x1800002"),
    "load_from_nowhere": ("  lw a1, 0x40(x0)\n", "load from an address where nothing is at pc 0x80, value 0x40"),
    "store_to_nowhere": ("  sw x0, 0(x0)\n", "store to an address where nothing is at pc 0x80, value 0x0"),
    "misaligned_jump": (
        "  li a0, 0x42\n  jr a0\n",
        "jump to an address that is not a multiple of 4 at pc 0x84, value 0x42",
    ),
    "jump_to_nowhere": (
        "  li a0, 0x7f0000\n  jr a0\n",
        "instruction fetch outside the instruction memory at pc 0x7f0000, value 0x7f0000",
    ),
    "breakpoint": ("  ebreak\n", "ebreak at pc 0x80"),
    "environment_call": ("  ecall\n", "ecall at pc 0x80"),
    "no_such_counter": (
        "  rdinstret a0\n",
        "illegal instruction (there is no CSR 0xc02) at pc 0x80, value 0xc0202573",
    ),
    "no_such_register": (
        "  csrwi 0x340, 5\n",
        "illegal instruction (there is no CSR 0x340) at pc 0x80, value 0x3402d073",
    ),
    "no_number_between": ("  csrr a0, 0x804\n", "illegal instruction (there is no CSR 0x804) at pc 0x80"),
    "compressed": ("  .4byte 0x00010001\n", "illegal instruction (compressed? build with -march=rv32imf) at pc 0x80"),
    **{
        f"send_{name}": (
            f"  li a0, 0\n  li a1, {mask}\n  li t0, {pointer}\n  csrw 0x807, t0\n  li t0, {length}\n"
            f"  csrw 0x806, t0\n  li t0, {dest}\n  csrw 0x808, t0\n{SEND}stay: j stay\n",
            f"bad send: the thread sends {reason}",
        )
        for name, mask, pointer, length, dest, reason in (
            ("to_no_thread", 0, 0x8000, 0, 0, "a message without receivers (its mask is 0) at pc 0x"),
            ("minus_one", 1, 0x8000, -1, 0, "a message that is too long: one has 1 to 4 flits"),
            ("five_flits", 1, 0x8040, 4, 0x800, "a message that is too long: one has 1 to 4 flits"),
            ("from_stack", 1, 0x81FFFFC0, 0, 0x800, "from a pointer outside the scratchpad or inside a slot"),
            ("from_nowhere", 1, 0, 0, 0, "from a pointer outside the scratchpad or inside a slot"),
            ("from_behind", 1, 0x10000, 3, 0, "from a pointer outside the scratchpad or inside a slot"),
            ("inside_a_slot", 1, 0x8010, 0, 0x800, "from a pointer outside the scratchpad or inside a slot"),
            ("nowhere", 1, 0x8000, 0, 1, "to board (0,0) tile (1,0), which does not exist"),
        )
    },
    "off_the_end": ("  j end\npass: fail: end:\n", "test 1073741823 failed"),
}


@needs_compiler
@pytest.mark.parametrize("on", ["sim", "rtl"])
def test_programs_that_do_not_pass(on, tmp_path):
    good = source(tmp_path, "good", programs.program("  j pass\n"))
    files = [source(tmp_path, name, bad_program(code)) for name, (code, _) in WRONG.items()]
    slow = source(tmp_path, "slow", TOO_SLOW_TO_REPORT)
    done = isa_test("--on", on, "--limit-us", 300, "--elf", *files, slow, good)
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    for line, (name, (_, reason)) in zip(lines, WRONG.items(), strict=False):
        assert line.startswith(f"{name}.elf: FAILED: {reason}")
    slow_line, *rest = lines[len(WRONG) :]
    assert slow_line == "slow.elf: FAILED: nothing was written to tohost in 300 us of simulated time"
    assert rest == ["good.elf: passed", f"1 of {len(WRONG) + 2} passed on {on}"]


#: Thread 1 never receives what threads 2 and 3 of its core send to it.
DEAF = f"""  csrr t0, 0xf14
  andi t0, t0, 15
  bnez t0, started
  li t1, 1
  csrw 0x80d, t1
  li t1, 2
  csrw 0x80d, t1
  li t1, 3
  csrw 0x80d, t1
here: j here
started: li t1, 1
  beq t0, t1, here
  slli t1, t0, 6
  li t2, 0x8000
  add t1, t1, t2
  csrw 0x807, t1
  csrw 0x808, x0
  csrw 0x806, x0
  li a1, 2
again: li t1, 1
  csrw 0x80a, t1
{SEND}  j again
"""


@needs_compiler
@pytest.mark.parametrize("on", ["sim", "rtl"])
def test_a_run_that_hangs_says_who_keeps_whom_waiting(on, tmp_path, monkeypatch):
    monkeypatch.setenv("POLYLOOM_MAX_CYCLES", "60000")
    done = isa_test("--on", on, "--elf", source(tmp_path, "deaf", programs.program(DEAF)))
    assert done.returncode == 1
    assert "the run was stopped after 60000 cycles" in done.stderr
    board = next(line for line in done.stderr.splitlines() if "fpga" in line)
    assert "2 threads waiting in can-send (the first is core 0 thread 2)" in board
    assert "1 thread with messages not received (core 0 thread 1)" in board
    assert "2 threads with a message that cannot leave (the first is core 0 thread 2)" in board


def noise(word):
    """What a word of a scratchpad holds before it is written (blocks/noise.h): the same in four words of a flit."""
    x = (word // 4 + 1) * 0x9E3779B9 & 0xFFFFFFFF
    x = (x ^ x >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    return x ^ x >> 13


@needs_compiler
@pytest.mark.parametrize(("on", "cluster"), [("sim", "tiny-1"), ("rtl", "tiny-1"), ("rtl", "laptop")])
def test_a_scratchpad_that_no_thread_wrote_holds_the_same_at_every_fidelity(on, cluster, tmp_path):
    """laptop: boards of several tiles, in RTL computed otherwise."""
    first, last = 64, 8191  # slot 0 has tohost, and the program's data
    wanted = 0
    for word in range(first, last + 1):
        wanted = (wanted * 31 + noise(word)) & 0xFFFFFFFF
    code = f"""  li t0, 0x8000 + 4 * {first}
  li t1, 0x10000
  li a0, 0
  li t3, 31
1: lw t2, 0(t0)
  mul a0, a0, t3
  add a0, a0, t2
  addi t0, t0, 4
  bne t0, t1, 1b
  li TESTNUM, 2
  li a1, {wanted}
  bne a0, a1, fail
  j pass
"""
    elf = source(tmp_path, "unwritten", programs.program(code))
    done = isa_test("--on", on, "--cluster", cluster, "--limit-us", 100000, "--elf", elf)
    assert done.stdout.splitlines()[0] == "unwritten.elf: passed", done.stdout + done.stderr


def bad_program(code):
    if "fail:" not in code:
        return programs.program(code)
    return (
        programs.PROLOGUE.format(kind="RVTEST_RV32U")
        + code
        + "RVTEST_CODE_END\n.data\nRVTEST_DATA_BEGIN\n"
        + programs.END
    )


#: Says that it has passed after about 380 us of a board at 250 MHz; gives up after twice that.
LATE = "  li t0, 6000\n1: addi t0, t0, -1\n  bnez t0, 1b\n  j pass\n"
LATER = "  li t0, 12000\n1: addi t0, t0, -1\n  bnez t0, 1b\n  j fail\n"


@needs_compiler
@pytest.mark.parametrize("on", ["sim", "rtl"])
def test_a_late_verdict_is_of_no_other(on, tmp_path):
    files = [source(tmp_path, name, bad_program(code)) for name, code in (("late", LATE), ("later", LATER))]
    done = isa_test("--on", on, "--limit-us", 300, "--elf", *files)
    nothing = "FAILED: nothing was written to tohost in 300 us of simulated time"
    assert done.stdout.splitlines() == [f"late.elf: {nothing}", f"later.elf: {nothing}", f"0 of 2 passed on {on}"]
    assert done.returncode == 1


@needs_compiler
@pytest.mark.parametrize("on", ["sim", "rtl"])
def test_a_limit_is_kept(on, tmp_path):
    """A program has passed within any limit that is not below what it took, and within no other."""
    good = source(tmp_path, "good", programs.program("  j pass\n"))
    took = json.loads(isa_test("--on", on, "--json", "--elf", good).stdout)["tests"][0]["microseconds"]
    assert 1 < took < 100
    for limit in (took, 2 * took, 1e9):
        assert isa_test("--on", on, "--limit-us", limit, "--elf", good).returncode == 0
    for limit in (1e-9, 0.5 * took, 0.999 * took):
        done = isa_test("--on", on, "--limit-us", limit, "--elf", good)
        assert done.returncode == 1
        late = f"it had passed when the host looked after {took:.10g} us of simulated time, "
        late += f"which is more than {limit:.10g}"
        unseen = f"nothing was written to tohost in {limit:.10g} us of simulated time"
        assert done.stdout.splitlines()[0] in (f"good.elf: FAILED: {late}", f"good.elf: FAILED: {unseen}")


@needs_compiler
@pytest.mark.parametrize("limit", ["1e30", "1.1e9", "0", "-1", "nan", "inf"])
def test_a_limit_that_is_none_is_refused(limit, tmp_path):
    good = source(tmp_path, "good", programs.program("  j pass\n"))
    done = isa_test(f"--limit-us={limit}", "--elf", good)
    assert done.returncode == 1
    assert f"--limit-us {float(limit):g}: allowed is above 0 to 1e+09" in done.stderr


@needs_compiler
def test_a_verdict_is_not_left_for_the_next_program(tmp_path):
    # An instruction memory of 64 KiB: tohost's address is one of its own, too.
    cluster = tmp_path / "large.toml"
    text = (Path(__file__).parents[1] / "clusters/tiny-1.toml").read_text()
    cluster.write_text(text.replace("[overlay]", "[overlay]\ninstr_words = 16384"))
    good = source(tmp_path, "good", programs.program("  j pass\n"))
    never = source(tmp_path, "never", TOO_SLOW_TO_REPORT)
    done = isa_test("--cluster", cluster, "--limit-us", 100, "--elf", good, never)
    assert done.stdout.splitlines()[:1] == ["good.elf: passed"]
    assert done.stdout.splitlines()[1].startswith("never.elf: FAILED: nothing was written to tohost")


@needs_compiler
@pytest.mark.parametrize("address", ["0x6000", "0x10000", "0x80000000", "0xfffffff0"])
def test_segment_that_lies_nowhere(address, tmp_path):
    text = programs.program("  j pass\n") + '.section .far, "aw"\n.word 1\n'
    path = tmp_path / "far.S"
    if address == "0xfffffff0":
        text += ".zero 32\n"
    path.write_text(text)
    output = tmp_path / "far.elf"
    flags = [
        *build.FLAGS,
        f"-I{build.ENVIRONMENT}",
        f"-T{build.ENVIRONMENT / 'link.ld'}",
        f"-Wl,--section-start=.far={address}",
    ]
    subprocess.run([build.COMPILER, *flags, str(path), "-o", str(output)], check=True)
    done = isa_test("--elf", output)
    assert done.returncode == 1
    assert done.stderr.startswith(f"polyloom: far.elf: a segment of data at {address} of ")
    assert "lies in no memory: on cluster 'tiny-1' code lies below 0x2000" in done.stderr
    assert done.stderr.count("\n") == 1


#: Bytes and the address of each, in segments of their own that meet in words: a word of three segments; data whose
#: segment comes before that of lower addresses in the file; data in the scratchpad; zeros of a .bss behind data.
MEETING = {
    "three in a word": [(0x1800000, b"abcde"), (0x1800005, b"f"), (0x1800006, b"gh")],
    "higher first": [(0x1810006, b"uvwxyz"), (0x1810001, b"qrstu")],
    "scratchpad": [(0x8101, b"m"), (0x8103, b"n"), (0x8102, b"k")],
    "zeros": [(0x1820000, b"data5"), (0x1820005, bytes(4)), (0x1820009, b"end")],
}


@needs_compiler
@pytest.mark.parametrize("name", MEETING)
def test_segments_that_meet_in_a_word(name, tmp_path):
    pieces = MEETING[name]
    image = dict(sorted((at + i, byte) for at, data in pieces for i, byte in enumerate(data)))
    checks = "".join(
        f"  li TESTNUM, {n}\n  li a0, {at}\n  lbu a1, 0(a0)\n  li a2, {byte}\n  bne a1, a2, fail\n"
        for n, (at, byte) in enumerate(image.items(), 2)
    )
    sections = ""
    for i, (_, data) in enumerate(pieces):
        kind = "progbits" if any(data) else "nobits"
        values = f".byte {','.join(map(str, data))}" if any(data) else f".zero {len(data)}"
        sections += f'.section .piece{i}, "aw", @{kind}\n{values}\n'
    script = tmp_path / "link.ld"
    names = [f"piece{i}" for i in range(len(pieces))]
    script.write_text(
        "OUTPUT_ARCH(riscv)\nENTRY(_start)\nPHDRS { text PT_LOAD; host PT_LOAD; "
        + " ".join(f"{n} PT_LOAD;" for n in names)
        + " }\nSECTIONS {\n  . = 0; .text : { *(.text.init) *(.text) } :text\n"
        + "  . = 0x8000; .tohost : { *(.tohost) } :host\n"
        + "".join(f"  .{n} {at} : {{ *(.{n}) }} :{n}\n" for n, (at, _) in zip(names, pieces, strict=True))
        + "  /DISCARD/ : { *(.note*) *(.comment) *(.riscv.attributes) *(.data) *(.bss) }\n}\n"
    )
    path = tmp_path / "meet.S"
    path.write_text(programs.program(checks + "  j pass\n") + sections)
    elf = path.with_suffix(".elf")
    flags = [*build.FLAGS, f"-I{build.ENVIRONMENT}", f"-T{script}"]
    subprocess.run([build.COMPILER, *flags, str(path), "-o", str(elf)], check=True)
    done = isa_test("--elf", elf)
    assert done.stdout.splitlines()[0] == "meet.elf: passed", done.stderr


@needs_compiler
@pytest.mark.parametrize(("march", "code"), [("rv32imc_zicsr", "  c.nop\n"), ("rv32imfc_zicsr", "  nop\n")])
def test_compressed_code_is_told_by_the_flags_of_its_file(march, code, tmp_path):
    path = tmp_path / "small.S"
    path.write_text(programs.program(code + "  j pass\n"))
    flags = [f"-march={march}", *build.FLAGS[1:], f"-I{build.ENVIRONMENT}", f"-T{build.ENVIRONMENT / 'link.ld'}"]
    subprocess.run([build.COMPILER, *flags, str(path), "-o", str(tmp_path / "small.elf")], check=True)
    done = isa_test("--elf", tmp_path / "small.elf")
    assert done.returncode == 1
    assert done.stderr.endswith(
        "small.elf is not a linked RV32 program for these cores (machine EM_RISCV, 32 bits, ET_EXEC, "
        "compressed instructions); build it with -march=rv32imf -mabi=ilp32 -static\n"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no ELF file"),
        (b"\x7fELF" + bytes(60), "is no ELF file"),
        (b"#!/bin/sh\n", "is no ELF file"),
    ],
)
def test_files_that_are_no_programs(content, message, tmp_path):
    path = tmp_path / "x.elf"
    path.write_bytes(content)
    done = isa_test("--elf", path)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_arguments(tmp_path):
    assert "no test program" in isa_test().stderr
    assert "cannot read" in isa_test("--elf", tmp_path / "none.elf").stderr
    assert "not a linked RV32 program" in isa_test("--elf", Path(sys.executable).resolve()).stderr


@needs_compiler
def test_cut_files_end_in_a_message(tmp_path):
    whole = source(tmp_path, "whole", programs.of_register_form("add")).read_bytes()
    for size in range(0, len(whole), max(1, len(whole) // 40)):
        path = tmp_path / "cut.elf"
        path.write_bytes(whole[:size])
        try:
            program = elf_reader().read(path)
        except user_error() as error:
            assert str(path) in str(error)
        else:
            assert size > len(whole) // 2, program


@needs_compiler
def test_damaged_files_end_in_a_message(tmp_path):
    whole = source(tmp_path, "whole", programs.of_register_form("add")).read_bytes()
    rng = random.Random(5)
    tables = [len(whole) - 1 - rng.randrange(800) for _ in range(1500)]  # of sections, at the end
    for at in [*range(200), *tables]:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.randrange(8)
        path = tmp_path / "damaged.elf"
        path.write_bytes(damaged)
        try:
            elf_reader().read(path)
        except user_error() as error:
            assert str(path) in str(error)


def elf_reader():
    from polyloom.jobs.isatest import elf

    return elf


def user_error():
    from polyloom.base.errors import UserError

    return UserError


@needs_compiler
def test_interrupt_leaves_nothing(tmp_path):
    slow = source(tmp_path, "slow", TOO_SLOW_TO_REPORT)
    command = [sys.executable, "-m", "polyloom", "isa-test", "--limit-us", "1e9", "--elf", str(slow)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(2)
    child.send_signal(signal.SIGINT)
    child.wait(timeout=20)
    time.sleep(0.5)
    left = subprocess.run(["pgrep", "-s", str(child.pid)], capture_output=True, text=True, check=False).stdout
    assert left == ""
    assert child.returncode != 0
