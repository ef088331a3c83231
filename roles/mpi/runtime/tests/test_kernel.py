# SPDX-License-Identifier: Apache-2.0
# Covers: the kernel's C library and MPI layer compiled for a kernel: what is left for the hardware compiler, what is
# refused, and kernels run natively on a software engine under the real manager (board.cc), also beside CPU ranks.
# Leaves out: the circuit (polyloom/hls), simulated time.
from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import mpi_job
import pytest

from polyloom.testing import FULL

HERE = Path(__file__).resolve().parent
RUNTIME = HERE.parent
APPS = mpi_job.REPOSITORY / "apps" / "mpi"
INCLUDE = [f"-I{RUNTIME / 'kernel' / 'include'}", f"-I{RUNTIME.parent / 'include'}"]
LIBRARY = [*sorted((RUNTIME / "kernel").glob("*.c")), *sorted((RUNTIME / "mpi").glob("*.c"))]
KERNEL = [
    "-std=gnu11",
    "-O2",
    "-fno-builtin",
    "-nostdlibinc",
    "-ffp-contract=off",
    "-fno-math-errno",
    # As polyloom.hls has it; what an x86 makes of vectors of all reductions takes half a minute.
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-DPOLYLOOM_KERNEL",
    "-DPOLYLOOM_HANDLE_SHIFT=0",  # its engine is ours
]
ALLOWED = re.compile(r"__polyloom_(push|pop|cycle|rank|halt)|llvm\..*")
pytestmark = pytest.mark.skipif(shutil.which("clang-19") is None, reason="kernels are compiled by clang-19")


def arguments_of(source: Path) -> int:
    """Which POLYLOOM_MAIN_ARGUMENTS a program has."""
    return 0 if re.search(r"int main\((void)?\)", source.read_text()) else 1


def to_ir(folder: Path, source: Path, rank: int, size: int, *flags: str) -> str:
    parts = []
    main = f"-DPOLYLOOM_MAIN_ARGUMENTS={2 * arguments_of(source)}"
    fixed = [f"-DPOLYLOOM_RANK={rank}", f"-DPOLYLOOM_SIZE={size}", main, *flags]
    for number, file in enumerate([source, *LIBRARY]):
        out = folder / f"{number}.bc"
        command = ["clang-19", "--target=riscv64-unknown-elf", *KERNEL, *fixed, *INCLUDE, "-emit-llvm", "-c"]
        subprocess.run([*command, str(file), "-o", str(out)], check=True)
        parts.append(str(out))
    linked = folder / "linked.bc"
    subprocess.run(["llvm-link-19", *parts, "-o", str(linked)], check=True)
    public = "-internalize-public-api-list=polyloom_kernel"
    passes = "-passes=internalize,default<O2>,globaldce"
    done = subprocess.run(["opt-19", "-S", public, passes, str(linked)], check=True, capture_output=True, text=True)
    return done.stdout


@pytest.mark.parametrize("name", sorted(p.stem for p in APPS.glob("*.c")) if FULL else ["jacobi"])
def test_nothing_is_left_but_intrinsics(tmp_path: Path, name: str) -> None:
    for rank in [0, 1] if FULL else [1]:  # rank 0 is seldom an FPGA
        ir = to_ir(tmp_path, APPS / f"{name}.c", rank, 4)
        declared = re.findall(r"^declare .*@([\w.$]+)\(", ir, re.MULTILINE)
        assert [f for f in declared if not ALLOWED.fullmatch(f)] == []
        assert "@polyloom_kernel" in ir


def test_what_a_rank_does_not_do_is_not_there(tmp_path: Path) -> None:
    ir = to_ir(tmp_path, APPS / "pi.c", 1, 4)
    assert "pi is about" not in ir  # only rank 0 prints
    assert "@polyloom_comms" not in ir  # only MPI_COMM_WORLD is used
    assert "fmul" in ir and len(ir.splitlines()) < 2500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "#include <mpi.h>\nint main(void) { return MPI_Win_create(); }",
            "MPI_Win_create is not supported by Polyloom",
        ),
        ("#include <mpi.h>\nint main(void) { MPI_Frobnicate(); }", "MPI_Frobnicate"),
        ("#include <stdlib.h>\nint main(void) { return system(0); }", "system is not there in an FPGA kernel"),
        ("#include <unistd.h>\nint main(void) { _exit(0); }", "_exit is not there in an FPGA kernel"),
        ("#include <stdlib.h>\nint main(void) { quick_exit(0); }", "quick_exit is not there in an FPGA kernel"),
        (
            f'#include <stdio.h>\nint main(void) {{ printf("%d"{", 1" * 31}); }}',
            "an FPGA kernel prints and scans at most 30 arguments by a call",
        ),
        (
            f'#include <stdio.h>\nint main(void) {{ fprintf(stderr, "%d"{", 1" * 200}); }}',
            "an FPGA kernel prints and scans at most 30 arguments by a call",
        ),
        ("#include <stdio.h>\nint main(void) { popen(0, 0); }", "popen is not there in an FPGA kernel"),
        ("#include <math.h>\nint main(void) { return (int)sinl(3); }", "sinl is not there in an FPGA kernel"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, text: str, message: str) -> None:
    source = tmp_path / "program.c"
    source.write_text(text)
    command = ["clang-19", "--target=riscv64-unknown-elf", *KERNEL, *INCLUDE, "-Werror=implicit-function-declaration"]
    done = subprocess.run([*command, "-c", str(source), "-o", os.devnull], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert message in done.stderr


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory):
    """Compiles a program into a native kernel; returns it and its report."""
    folder = tmp_path_factory.mktemp("boards")
    archives = [
        "roles/mpi/runtime/libpolyloom_mpi_station.a",
        "roles/mpi/runtime/libpolyloom_mpi_engine.a",
        "roles/mpi/arch/libpolyloom_mpi_arch.a",
        "blocks/libpolyloom_block_crc.a",
        "fabric/host/libpolyloom_host_client.a",
        "fabric/libpolyloom_home.a",
    ]
    if not (mpi_job.BUILD / archives[0]).exists():
        pytest.skip("the C++ build makes these libraries")
    # The machine's library has the names of C's library too.
    parts = [folder / f"{file.parent.name}-{file.stem}.bc" for file in LIBRARY]
    for file, part in zip(LIBRARY, parts, strict=True):
        subprocess.run(["clang-19", *KERNEL, *INCLUDE, "-w", "-emit-llvm", "-c", file, "-o", part], check=True)
    symbols = ["llvm-nm-19", "--defined-only", "--extern-only", "--format=just-symbols", "--quiet", *map(str, parts)]
    listed = subprocess.run(symbols, check=True, capture_output=True, text=True).stdout
    own = re.compile(r"(?:polyloom_|MPI_)\w+|.*\W.*")
    names = ["main", *(name for name in listed.split() if not own.fullmatch(name))]
    compiler = ["clang++-19", "-std=c++20", "-O1", f"-I{mpi_job.REPOSITORY}"]
    frame = folder / "board.o"
    subprocess.run([*compiler, "-fno-pie", "-c", str(HERE / "board.cc"), "-o", str(frame)], check=True)

    @cache
    def compiled(file: Path, arguments: int, size: int) -> str:
        to = folder / f"{file.parent.name}-{file.stem}-{arguments}-{size}.o"
        renamed = [f"-D{name}=kernel_{name}" for name in names] + ["-DPOLYLOOM_HEAP=0x80000000u"]
        main = [f"-DPOLYLOOM_MAIN_ARGUMENTS={arguments}", f"-DPOLYLOOM_SIZE={size}"]
        command = ["clang-19", *KERNEL, "-fno-pie", "-fno-merge-constants", *renamed, *main, *INCLUDE, "-w"]
        subprocess.run([*command, "-c", str(file), "-o", str(to)], check=True)
        return str(to)

    @cache
    def build(source: Path, size: int) -> tuple[Path, Path]:
        here = folder / f"{source.stem}-{size}"
        here.mkdir()
        objects = [compiled(source, arguments_of(source), size)]
        # Of the library only one file cares for the program's arguments.
        objects += [compiled(file, arguments_of(source) * (file.stem == "platform"), size) for file in LIBRARY]
        binary = here / source.stem
        libraries = [str(mpi_job.BUILD / archive) for archive in archives]
        subprocess.run(
            ["clang++-19", "-no-pie", *objects, str(frame), *libraries, "-lpthread", "-o", str(binary)], check=True
        )
        report = here / "report.json"
        report.write_text(mpi_job.strings_of(binary))
        return binary, report

    return build


def native(tmp_path: Path, source: Path, size: int, *arguments: str) -> tuple[list[str], int]:
    """The same with Open MPI and the machine's library: what each rank prints, and the exit code."""
    binary = tmp_path / "native"
    subprocess.run(["mpicc", "-O1", "-w", "-ffp-contract=off", str(source), "-o", str(binary), "-lm"], check=True)
    out = tmp_path / "out"
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [
        "mpirun",
        "--oversubscribe",
        "--mca",
        "btl",
        "self,vader",
        "--output-filename",
        str(out),
        "-n",
        str(size),
    ]
    done = subprocess.run(
        [*command, str(binary), *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | root,
        timeout=60,
        check=False,
    )
    return [path.read_text() for path in sorted(out.glob("1/rank.*/stdout"))], done.returncode


def text_of(run: mpi_job.Run, rank: int, stream: str = "stdout") -> str:
    return "".join(
        e["text"] for e in run.events if e["event"] == "output" and e["rank"] == rank and e["stream"] == stream
    )


needs_mpicc = pytest.mark.skipif(shutil.which("mpicc") is None, reason="Open MPI is the reference")


@needs_mpicc
def test_the_c_library(board, tmp_path: Path) -> None:
    source = HERE / "programs" / "library.c"
    binary, report = board(source, 1)
    words = ["one", "", "three words here", str(tmp_path / "file")]
    ours = mpi_job.run(binary, 1, boards={0: (binary, report)}, arguments=["program", *words])
    want, code = native(tmp_path, source, 1, *words)
    assert text_of(ours, 0).splitlines() == want[0].splitlines()
    assert text_of(ours, 0, "stderr") == "said: No such file or directory\nto stderr 2\n"
    assert ours.event("exit")["code"] == code == 3


@needs_mpicc
@pytest.mark.parametrize("cpus", [0, 1, 2])
@pytest.mark.parametrize(
    "name", sorted(p.stem for p in APPS.glob("*.c")) if FULL else ["pi", "jacobi", "odd_even_sort"]
)
def test_kernels_beside_cpu_ranks(board, tmp_path: Path, name: str, cpus: int) -> None:
    size = 4
    source = APPS / f"{name}.c"
    binary, report = board(source, size)
    ranks = random.Random(cpus).sample(range(size), size - cpus)
    program = mpi_job.BUILD / "tests" / "mpi" / name
    ours = mpi_job.run(program, size, boards={rank: (binary, report) for rank in ranks})
    assert ours.manager_code == 0, (ours.events, ours.stderr)
    want, _ = native(tmp_path, source, size)
    hide = re.compile(r"(?m)^time.*$")
    for rank in range(size):
        got = text_of(ours, rank) if rank in ranks else ours.stdout[rank]
        assert hide.sub("time", got) == hide.sub("time", want[rank])
    assert ours.manager_code == 0
    counters = ours.event("end")["counters"]
    assert sorted(counters) == sorted(str(rank) for rank in ranks)


@needs_mpicc
@pytest.mark.parametrize("how", ["messages", "comms", "collectives"] + (["reductions"] if FULL else []))
def test_conformance_of_kernels(board, tmp_path: Path, how: str) -> None:
    source = HERE / "programs" / f"{how}.c"
    binary, report = board(source, 3)
    # Kernels have credits, not memory to put envelopes aside: as many as this program leaves waiting.
    program = mpi_job.BUILD / "tests" / "mpi" / how
    ours = mpi_job.run(program, 3, boards={1: (binary, report), 2: (binary, report)}, credits=64)
    want, _ = native(tmp_path, source, 3)
    assert [ours.stdout[0], text_of(ours, 1), text_of(ours, 2)] == want


def test_a_kernel_that_waits_for_ever_is_explained(board) -> None:
    source = HERE / "programs" / "fatal.c"
    binary, report = board(source, 2)
    program = mpi_job.BUILD / "tests" / "mpi" / "fatal"
    ours = mpi_job.run(
        program,
        2,
        "circle",
        boards={1: (binary, report)},
        arguments=["fatal", "circle"],
        hang_ps=100_000_000_000,
    )
    deadlock = ours.event("deadlock")
    assert [w["text"].split(", since")[0] for w in deadlock["waits"]] == [
        "rank 0 waits in MPI_Ssend for rank 1 to receive, tag 3, MPI_COMM_WORLD",
        "rank 1 waits in MPI_Ssend for rank 0 to receive, tag 3, MPI_COMM_WORLD",
    ]
    assert deadlock["circle"] == [0, 1]
    assert ours.manager_code == 3


def test_errors_of_a_kernel_end_the_job(board) -> None:
    source = HERE / "programs" / "fatal.c"
    binary, report = board(source, 2)
    program = mpi_job.BUILD / "tests" / "mpi" / "fatal"
    boards = {0: (binary, report), 1: (binary, report)}
    ours = mpi_job.run(program, 2, boards=boards, arguments=["fatal", "truncate"])
    text = ours.event("abort")["text"]
    assert text == ("rank 0: MPI_Recv: the message is longer than the receive's buffer (rank 1, tag 5, MPI_COMM_WORLD)")


def at_the_limits(board, size: int, *arguments: str, **changes: int) -> mpi_job.Run:
    """tests/mpi/faults/limits.c, rank 0 a CPU, the others kernels."""
    binary, report = board(mpi_job.REPOSITORY / "tests" / "mpi" / "faults" / "limits.c", size)
    boards = {rank: (binary, report) for rank in range(1, size)}
    words = ["limits", *arguments]
    program = mpi_job.BUILD / "tests" / "mpi" / "limits"
    return mpi_job.run(program, size, *arguments, boards=boards, arguments=words, **changes)


@pytest.mark.parametrize("count", [8, 60, 63])  # a board has 64
def test_no_line_is_lost_whatever_is_outstanding(board, count: int) -> None:
    ours = at_the_limits(board, 2, "prints", str(count))
    assert ours.manager_code == 0
    assert text_of(ours, 1).splitlines() == ["rank 1 begins", *(f"line {i}" for i in range(8))]


def test_too_many_requests_are_named(board) -> None:
    ours = at_the_limits(board, 2, "requests", "70")
    assert ours.event("abort")["text"] == (
        "rank 1: MPI_Irecv: too many requests at once: a rank has at most 255 on an FPGA, 1023 on a CPU; complete some "
        "first (rank 0, tag 63, MPI_COMM_WORLD)"
    )
    assert text_of(ours, 1) == "rank 1 begins\n"


def test_a_kernel_that_stops_without_a_word_is_named(board) -> None:
    ours = at_the_limits(board, 2, "stop", hang_ps=100_000_000_000)
    assert ours.event("error")["text"] == "rank 1: its kernel has stopped without saying how it ended"
    assert ours.manager_code == 1


def test_messages_match_in_any_order_up_to_the_limit_of_a_pair(board) -> None:
    ours = at_the_limits(board, 2, "reversed", "25", "0", "1", credits=4, most_envelopes=25)
    assert ours.manager_code == 0 and "25 reversed, 0 wrong" in text_of(ours, 1)


def test_more_than_the_limit_is_a_deadlock_that_names_it(board) -> None:
    more = {"credits": 4, "most_envelopes": 6, "hang_ps": 100_000_000_000}
    ours = at_the_limits(board, 2, "reversed", "7", "0", "1", **more)
    assert ours.manager_code == 3
    assert "rank 1 keeps at most 6 messages of rank 0 that no receive has taken" in ours.event("deadlock")["note"]
