# SPDX-License-Identifier: Apache-2.0
# Covers: what only rank 0 executes need not be possible in hardware: programs as they are published, compiled for an
#         FPGA rank; the same calls where an FPGA rank gets to them, refused with place and reason; what main returns.
# Leaves out: that such a program runs (tests/mpi/root_only.c, tests/test_mpirun.py).
from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyloom import hls
from polyloom.hls import HlsError, absent, frontend
from polyloom.transpile import kernels, library, program, specialise

HEAD = """#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
"""
MAIN = """int main(int argc, char** argv) {
  int rank, size, n = 5;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  %s
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
  printf("rank %%d of %%d: %%d\\n", rank, size, n);
  MPI_Finalize();
}
"""
COMPARE = "static int up(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }\n"
STAMP = """static void timestamp(void) {
  static char text[40];
  const time_t now = time(NULL);
  const struct tm* tm = localtime(&now);
  strftime(text, sizeof text, "%d %B %Y %I:%M:%S %p", tm);
  printf("%s\\n", text);
}
"""
REQUEST = """static void ask(int* n, int my_rank, MPI_Comm comm) {
  if (my_rank == 0) {
    printf("How many?\\n");
    scanf("%d", n);
    if (*n <= 0) fprintf(stderr, "n must be positive\\n");
  }
  MPI_Bcast(n, 1, MPI_INT, 0, comm);
}
static void show(const int* local, int count, const char* title, int my_rank, MPI_Comm comm) {
  char line[80];
  if (my_rank == 0) {
    int* all = malloc(sizeof(int) * (unsigned)count * 2);
    MPI_Gather(local, count, MPI_INT, all, count, MPI_INT, 0, comm);
    sprintf(line, "%s %d", title, all[0]);
    printf("%s\\n", line);
    free(all);
  } else {
    MPI_Gather(local, count, MPI_INT, NULL, count, MPI_INT, 0, comm);
  }
}
"""
#: name: (before main, in main)
PROGRAMS = {
    "standard input": ("", 'if (rank == 0) { scanf("%d", &n); getchar(); }'),
    "lines": ("", "char line[80]; if (!rank) { while (fgets(line, sizeof line, stdin) != NULL) n += atoi(line); }"),
    "sort": (COMPARE, "static int a[50]; if (rank == 0) { qsort(a, 50, sizeof(int), up); n = a[7]; }"),
    "file": (
        "",
        'if (rank == 0) { FILE* f = fopen("points", "r"); if (f == NULL) MPI_Abort(MPI_COMM_WORLD, errno); '
        'fscanf(f, "%d", &n); while (!feof(f)) n += fgetc(f); fclose(f); }',
    ),
    "time": (STAMP, "if (rank == 0) timestamp();"),
    "environment": ("", 'char* s; if (rank == 0 && (s = getenv("N")) != NULL) n = (int)strtod(s, NULL);'),
    "options": (
        "",
        'int c; if (rank == 0) { opterr = 0; while ((c = getopt(argc, argv, "n:")) != -1) '
        "if (isdigit(c)) n = atoi(optarg) + optind; }",
    ),
    "memory and text": (
        "",
        'if (rank == 0) { char* t = malloc(100); snprintf(t, 100, "%d", size); n += (int)strlen(strdup(t)); free(t); }',
    ),
    "mathematics": ("", "if (rank == 0) n = (int)(sin(size) + pow(2, size) + log(size));"),
    "characters printed": ("", 'if (rank == 0) n = printf("%d\\n", size);'),
    "switch": ("", 'switch (rank) { case 0: scanf("%d", &n); break; default: n = 0; }'),
    "other ranks leave": ("", 'if (rank != 0) { n = 1; } else { srandom(7); n = (int)random(); system("true"); }'),
    "processes": ("", 'if (rank == 0) { FILE* f = popen("date", "r"); fgetc(f); pclose(f); n = getpid(); }'),
    "helper that gets the rank": (REQUEST, 'ask(&n, rank, MPI_COMM_WORLD); show(&n, 1, "n", rank, MPI_COMM_WORLD);'),
}


def linked(folder: Path, before: str, body: str, size: int = 2) -> str:
    file = folder / "program.c"
    file.write_text(HEAD + before + MAIN % body)
    return program.link(program.Source((file,)), program.Target(size))


def test_what_only_rank_0_executes_is_no_matter_to_others(tmp_path: Path) -> None:
    """All of them in one program, as each takes seconds to link."""
    before, inside = zip(*PROGRAMS.values(), strict=True)
    module = linked(tmp_path, "".join(before), "\n".join(f"{{ {body} }}" for body in inside))
    assert absent.calls(specialise.for_rank(module, 1)) == []
    hls.compile_kernel(specialise.for_rank(module, 1))
    left = {call.function for call in absent.calls(specialise.for_rank(module, 0))}
    assert left == {"system", "popen", "pclose", "getpid"}


def test_what_an_fpga_rank_executes_is_refused_with_its_place(tmp_path: Path) -> None:
    """By rank, as all are one program."""
    refused = {
        1: (16, "popen is not there in an FPGA kernel; keep it on CPU ranks"),
        2: (17, "sinl is not there in an FPGA kernel"),
        3: (18, "an FPGA kernel prints and scans at most 30 arguments by a call"),
        4: (19, "system is not there"),
    }
    body = """
  if (rank == 1) popen("date", "r");
  n = rank == 2 ? (int)sinl(n) : 0;
  if (rank == 3) printf("x"@);
  if (rank == size - 1) n = system("true");"""
    module = linked(tmp_path, COMPARE, body.replace("@", ", 1" * 31), 5)
    for rank, (line, words) in refused.items():
        with pytest.raises(HlsError) as error:
            hls.compile_kernel(specialise.for_rank(module, rank))
        assert re.match(rf"\S*program\.c:{line + 1}:\d+: ", str(error.value)) and words in str(error.value)


def test_ranks_share_a_program_only_if_it_can_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of ranks 1 and 2 knows that it does not sort; a program for both would have to ask."""
    monkeypatch.setenv("POLYLOOM_KERNEL_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "program.c"
    body = "static int a[2]; if (rank * 5 % 7 == 4) qsort(a, 2, 4, 0); n = rank * 100;"
    file.write_text(HEAD + MAIN % body)
    built = kernels.build(program.Source((file,)), program.Target(4), [1, 2])
    assert sorted(rank for kernel in built for rank in kernel.ranks) == [1, 2]


def test_a_main_without_return_returns_0(tmp_path: Path) -> None:
    """C99 5.1.2.2.3. What main returns goes to polyloom_exit, which stores it for the manager."""
    file, output = tmp_path / "program.c", tmp_path / "program.ll"
    for end, status in (("", 0), ("return 3;", 3)):
        file.write_text(f"int main(void) {{ {end} }}")
        text = frontend.compile_unit(file, library.STRICT_FLAGS, output).read_text()
        assert re.search(rf"define [^\n]*@main\(.*?ret i32 {status},", text, re.DOTALL)
