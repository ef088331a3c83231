# SPDX-License-Identifier: Apache-2.0
# Covers: jobs without FPGA ranks on the site's MPI: that it is that one, C++, objects and finished programs, what each
#         rank prints to the byte, how jobs end and what is said of it, hosts, a compiler and a launcher that do not
#         belong together, sites without an MPI.
# Leaves out: our own runtime (test_mpirun.py, --wire), signals to mpirun (test_kills.py), speed (bench/mpi-native).
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_jobs import FAULTS, ROOT, mpirun, source

NATIVE = ["--on", "native"]
MAIN = "int main(int c, char **v) { int rank; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &rank); "


def test_it_is_open_mpi_with_all_that_it_has(tmp_path: Path) -> None:
    body = MAIN + (
        "char text[MPI_MAX_LIBRARY_VERSION_STRING]; int n, x = 7 + rank, y = 0; MPI_Win w; MPI_Comm node; "
        "MPI_Get_library_version(text, &n); MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w); "
        "MPI_Win_fence(0, w); MPI_Get(&y, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, w); MPI_Win_fence(0, w); "
        'printf("%.8s %d\\n", text, y); MPI_Win_free(&w); MPI_Finalize(); }'
    )
    done = mpirun(tmp_path, *NATIVE, "-n", "2", "--json", source(tmp_path, body))
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    assert sorted(lines) == ["Open MPI 7", "Open MPI 8"]
    facts, run = json.loads(last), json.loads((tmp_path / "run" / "run.json").read_text())
    assert facts["mpi"].startswith("Open MPI 4") and facts["mpi"] == run["mpi"]
    assert facts["exits"] == run["exits"] == {"0": 0, "1": 0}
    assert (tmp_path / "run" / "report.html").is_file()


def test_cpp_c_and_objects_in_one_program(tmp_path: Path) -> None:
    (tmp_path / "half.c").write_text("int half(int x) { return x / 2; }\n")
    (tmp_path / "twice.c").write_text("int twice(int x) { return 2 * x; }\n")
    subprocess.run(["gcc", "-c", "twice.c"], cwd=tmp_path, check=True)
    main = tmp_path / "main.cc"
    main.write_text(
        '#include <mpi.h>\n#include <iostream>\n#include <vector>\nextern "C" int half(int), twice(int);\n'
        "int main(int c, char **v) { MPI_Init(&c, &v); std::vector<int> x{half(9), twice(LOUD)}, y(2);\n"
        "MPI_Allreduce(x.data(), y.data(), 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n"
        'std::cout << y[0] << " " << y[1] << std::endl; MPI_Finalize(); }\n'
    )
    files = [str(main), str(tmp_path / "half.c"), str(tmp_path / "twice.o")]
    done = mpirun(tmp_path, *NATIVE, "-n", "3", "-D", "LOUD=5", *files)
    assert (done.returncode, done.stdout) == (0, "12 30\n" * 3), done.stderr
    for other in (["--wire", *NATIVE, "-n", "2"], []):
        done = mpirun(tmp_path, *other, *files)
        assert done.returncode == 1 and "main.cc: FPGA ranks, and --wire, want C sources" in done.stderr, done.stderr


def test_a_finished_program(tmp_path: Path) -> None:
    program = tmp_path / "finished"
    subprocess.run(["mpicc", ROOT / "apps" / "mpi" / "pi.c", "-o", program, "-lm"], check=True)
    done = mpirun(tmp_path, *NATIVE, "-n", "2", str(program))
    assert done.returncode == 0 and "pi is about 3.14159" in done.stdout, done.stderr


def test_what_ranks_print_stays_theirs(tmp_path: Path) -> None:
    """Parts of lines, bytes that are no text, long lines, no newline at the end; a lot of it."""
    body = "#include <unistd.h>\n" + MAIN + (
        'for (int part = 0; part < 3; part++) { printf("part %d of %d,", part, rank); fflush(stdout); usleep(20000); } '
        'for (int n = 1; n < 256; n++) if (n != 10) putchar(n); puts(""); '
        'for (int n = 0; n < 20000; n++) putchar("ab"[rank]); puts(""); '
        'for (int n = 0; n < 20000; n++) printf("line %d of %d\\n", n, rank); '
        'fprintf(stderr, "rank %d warns\\n", rank); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); '
        'if (rank == 1) printf("end"); }'
    )  # fmt: skip
    command = [sys.executable, "-m", "polyloom", "mpirun", "--run-dir", str(tmp_path / "run"), *NATIVE, "-n", "2"]
    done = subprocess.run([*command, source(tmp_path, body)], capture_output=True, timeout=300, check=True, cwd=ROOT)
    every = bytes(n for n in range(1, 256) if n != 10)

    def lines(rank: int) -> list[bytes]:
        begin = b"".join(b"part %d of %d," % (part, rank) for part in range(3))
        return [begin + every, b"ab"[rank : rank + 1] * 20000, *(b"line %d of %d" % (n, rank) for n in range(20000))]

    assert sorted(done.stdout.split(b"\n")) == sorted([*lines(0), *lines(1), b"end"])
    assert sorted(done.stderr.splitlines())[-2:] == [b"rank 0 warns", b"rank 1 warns"]
    log = (tmp_path / "run" / "logs" / "rank-0.log").read_bytes()
    assert log.replace(b"rank 0 warns\n", b"").split(b"\n") == [*lines(0), b""], "as it came, within lines too"


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        ("exit(7);", 7, "rank 1 ended with status 7"),
        ("MPI_Abort(MPI_COMM_WORLD, 9);", 9, "rank 1 called MPI_Abort(9)"),
        ("*(volatile int*)8 = 1;", 139, "rank 1 was killed by signal 11"),
        ("_exit(0);", 1, "rank 1: its program ended without MPI_Finalize"),
        ("MPI_Send(&rank, 1, MPI_INT, 9, 0, MPI_COMM_WORLD);", 6, "rank 1: MPI_Send: MPI_ERR_RANK: invalid rank"),
        ("MPI_Finalize(); return 5;", 5, "rank 1 ended with status 5"),
    ],
    ids=lambda v: str(v)[:9],
)
def test_how_a_job_ends(end: str, status: int, said: str, tmp_path: Path) -> None:
    body = "#include <unistd.h>\n" + MAIN + (
        f'printf("rank %d is here\\n", rank); if (rank == 1) {{ {end} }} '
        "if (c < 2) MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); }"
    )  # fmt: skip
    words = ["no barrier"] if "return" in end else []
    done = mpirun(tmp_path, *NATIVE, "-n", "3", source(tmp_path, body), *words)
    assert done.returncode == status, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"rank {rank} is here" for rank in range(3)]
    assert done.stderr.splitlines()[-1] == f"polyloom: {said}"
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["exit_status"] == status and run["problems"] == [said]


def test_a_timeout_ends_the_job(tmp_path: Path) -> None:
    done = mpirun(tmp_path, *NATIVE, "-n", "2", "--timeout", "2", FAULTS, "deadlock")
    assert done.returncode == 124 and "stopped after 2 s (--timeout)" in done.stderr


def test_hosts_of_a_file_and_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("# ours\nlocalhost slots=2\n")
    program = str(ROOT / "apps" / "mpi" / "pi.c")
    for words in (["--hostfile", str(tmp_path / "hosts")], ["--host", "localhost:2"]):
        done = mpirun(tmp_path, *NATIVE, "-n", "2", *words, program)
        assert done.returncode == 0 and "pi is about" in done.stdout, done.stderr
    done = mpirun(tmp_path, *NATIVE, "--json", *words, program)
    assert json.loads(done.stdout.splitlines()[-1])["size"] == 2, "as many as there are slots"
    done = mpirun(tmp_path, *NATIVE, "-n", "3", "--host", "localhost:2", program)
    assert done.returncode != 0 and "not enough slots" in done.stderr, done.stderr


def test_a_host_that_is_not_reachable_is_named_before_the_start(tmp_path: Path) -> None:
    done = mpirun(tmp_path, *NATIVE, "-n", "2", "--host", "localhost,nowhere.invalid", FAULTS, "ring", "1")
    assert done.returncode == 1 and "nothing can be started on nowhere.invalid (" in done.stderr, done.stderr
    assert "localhost (" not in done.stderr and not list(tmp_path.rglob("*.log"))


def path_of(folder: Path, *names: str) -> str:
    """A PATH of all that is in this one but these programs, after a folder for others."""
    shadow = folder / "bin"
    shadow.mkdir()
    for place in reversed(os.environ["PATH"].split(":")):
        for program in Path(place).glob("*"):
            if program.name not in names:
                (shadow / program.name).unlink(missing_ok=True)
                (shadow / program.name).symlink_to(program)
    return str(shadow)


def test_a_launcher_of_another_mpi_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "mpirun"
    other.write_text("#!/bin/sh\necho 'HYDRA build details:'\necho '    Version: 4.0.2'\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    done = mpirun(tmp_path, *NATIVE, "-n", "2", FAULTS, "ring", "1")
    assert done.returncode == 1 and "mpicc compiles for Open MPI" in done.stderr, done.stderr
    assert f"{other} starts programs of MPICH" in done.stderr and "--wire" in done.stderr


def test_a_site_without_an_mpi_uses_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", path_of(tmp_path, "mpicc"))
    done = mpirun(tmp_path, *NATIVE, "-n", "2", "--json", FAULTS, "ring", "1")
    assert done.returncode == 0 and json.loads(done.stdout.splitlines()[-1])["mpi"] is None, done.stderr


def test_ranks_on_other_hosts(other_hosts: list[str], tmp_path: Path) -> None:
    """Each prints where it is, which comes to us over the network."""
    body = "#include <unistd.h>\n" + MAIN + (
        "int all; MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); MPI_Finalize(); "
        'printf("rank %d, sum %d, ", rank, all); fflush(stdout); '
        "return system(\"ip -4 -o addr show | sed -n 's|.* \\\\(10.81[0-9.]*\\\\)/24.*|\\\\1|p'\"); }"
    )  # fmt: skip
    words = ["--json", *NATIVE, "-n", "3", "--host", ",".join(["localhost", *other_hosts])]
    done = mpirun(tmp_path, *words, source(tmp_path, body))
    assert done.returncode == 0, done.stderr
    *lines, _ = done.stdout.splitlines()
    here = other_hosts[0].rpartition(".")[0] + ".1"
    assert sorted(lines) == [f"rank {n}, sum 3, {host}" for n, host in enumerate([here, *other_hosts])]
    log = (tmp_path / "run" / "logs" / "rank-1.log").read_text()
    assert log == f"rank 1, sum 3, {other_hosts[0]}\n"
    gone = mpirun(
        tmp_path / "gone", *NATIVE, "-n", "2", "--host", f"{other_hosts[0]},10.255.255.9", FAULTS, "ring", "1"
    )
    assert gone.returncode == 1 and "nothing can be started on 10.255.255.9 (" in gone.stderr, gone.stderr
