# SPDX-License-Identifier: Apache-2.0
# Covers: application folders written to Tinsel's conventions build from their own Makefiles and run on cluster laptop
# (the vertex program also natively), from this tree and from a tree laid out as Tinsel's; errors they report.
# Leaves out: large clusters; speed.
from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TREE = HERE.parent
ROOT = TREE.parents[1]
ENVIRONMENT = {
    **{k: v for k, v in os.environ.items() if not k.startswith(("HOSTLINK_", "POLITE_", "MAKE", "TINSEL_"))},
    "POLYLOOM_BUILD": os.environ.get("POLYLOOM_BUILD", str(ROOT / "build")),
    "POLYLOOM_CLUSTER": "laptop",
    "POLYLOOM_ON": "sim",
}
BUILD_PATIENCE = 1800  # s; the first test builds what is not there yet
RUN_PATIENCE = 240


def run(*command: str | Path, cwd: Path, timeout: int, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(c) for c in command], cwd=cwd, env={**ENVIRONMENT, **env}, text=True, capture_output=True, timeout=timeout
    )


def make(folder: Path, *targets: str) -> None:
    done = run("make", *targets, cwd=folder, timeout=BUILD_PATIENCE)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def copied(name: str, to: Path) -> Path:
    shutil.copytree(HERE / name, to, ignore=shutil.ignore_patterns("build", "*.o", "*.elf", "*.v", "run", "link.ld"))
    return to


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """Tinsel's layout: the root's parts, applications below apps/ and apps/POLite/."""
    root = tmp_path_factory.mktemp("tinsel")
    for part in ("config.py", "globals.mk", "include", "lib", "hostlink", "bin"):
        (root / part).symlink_to(TREE / part)
    (root / "apps" / "POLite").mkdir(parents=True)
    (root / "apps" / "POLite" / "util").symlink_to(TREE / "apps" / "POLite" / "util")
    return root


@pytest.fixture(scope="module")
def heat(tree: Path) -> Path:
    folder = copied("heat", tree / "apps" / "POLite" / "heat")
    text = (folder / "Makefile").read_text()
    text = text.replace("TINSEL_ROOT ?= ../..\n", "").replace("$(TINSEL_ROOT)/apps/POLite/util", "../util")
    (folder / "Makefile").write_text(text)
    make(folder, "all", "sim", "build/hwsim")
    return folder / "build"


@pytest.fixture(scope="module")
def ring(tree: Path) -> Path:
    folder = copied("ring", tree / "apps" / "ring")
    make(folder)
    return folder


@pytest.fixture(scope="module")
def hello(tmp_path_factory) -> Path:
    """Stands elsewhere and names its root."""
    folder = copied("hello", tmp_path_factory.mktemp("elsewhere") / "hello")
    make(folder, f"TINSEL_ROOT={TREE}")
    return folder


def test_heat_runs_on_the_cluster_and_natively(heat: Path) -> None:
    for command, env in (
        ("./run", {}),
        ("./hwsim", {"POLYLOOM_ON": "native"}),
        ("./run", {"POLYLOOM_ON": "native"}),
        ("./sim", {}),
    ):
        done = run(command, cwd=heat, timeout=RUN_PATIENCE, **env)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "heat: 12 x 10 cells, 20 steps: 0 wrong\nOK\n" in done.stdout


def test_heat_placed_on_one_board(heat: Path) -> None:
    done = run("./run", "9", "7", "12", cwd=heat, timeout=RUN_PATIENCE, POLITE_BOARDS_X="1", POLITE_BOARDS_Y="1")
    assert done.returncode == 0, done.stdout + done.stderr


def test_heat_in_one_box_of_two(heat: Path) -> None:
    """Boards outside the box must still take part in termination detection."""
    done = run("./run", cwd=heat, timeout=RUN_PATIENCE, POLYLOOM_CLUSTER="tinsel-12", HOSTLINK_BOXES_Y="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 wrong" in done.stdout


@pytest.mark.parametrize("laps", [1, 5])
def test_ring(ring: Path, laps: int) -> None:
    done = run("./run", str(laps), cwd=ring, timeout=RUN_PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    # 2 boards of 70 threads: ids 0..69 and 1024..1093.
    total = laps * (2 * sum(range(70)) + 70 * 1024)
    assert done.stdout == f"ring: {laps} laps, {laps * 140} hops, sum {total}\nOK\n"


def test_hello_prints_from_every_thread(hello: Path) -> None:
    done = run("./run", cwd=hello, timeout=RUN_PATIENCE)
    assert done.returncode == 0, done.stderr
    pattern = re.compile(r"(\d+):(\d+):(\d+):(\d+): Hello from thread ([0-9a-f]{8}), check (\d+), bye")
    seen = set()
    for line in done.stdout.splitlines():
        match = pattern.fullmatch(line)
        assert match, line
        x, y, core, thread = (int(match[i]) for i in range(1, 5))
        number = int(match[5], 16)
        assert number == y << 13 | x << 10 | core << 4 | thread  # Tinsel facts 1.4
        assert int(match[6]) == (number + 19) // 3 + number * 1_000_000_007 % 1_000_003
        seen.add(number)
    cores = [16 * y + 4 * x + c for y in range(2) for x in range(2) for c in range(4)]
    assert seen == {b << 10 | c << 4 | t for b in range(2) for c in cores for t in range(16)}


def test_bare_metal_programs_need_a_cluster(ring: Path) -> None:
    done = run("./run", cwd=ring, timeout=RUN_PATIENCE, POLYLOOM_ON="native")
    assert done.returncode == 1
    assert "polyloom: a bare-metal program needs device threads" in done.stderr
    done = run("./run", cwd=ring, timeout=RUN_PATIENCE, POLYLOOM_CLUSTER="")
    assert done.returncode == 1
    assert "no cluster is named: set POLYLOOM_CLUSTER" in done.stderr


def test_a_fault_is_reported_with_its_source_line(ring: Path, tmp_path: Path) -> None:
    folder = copied("ring", tmp_path / "ring")
    source = """#include <tinsel.h>

__attribute__((noinline)) unsigned peek(unsigned address) {
  return *(volatile unsigned*)address;  // misaligned
}

int main() {
  if (tinselId() == (1024 | 5 << 4 | 3)) return peek(0x1800002);
  for (;;) tinselWaitUntil(TINSEL_CAN_RECV);
}
"""
    (folder / "ring.cpp").write_text(source)
    make(folder, f"TINSEL_ROOT={TREE}")
    done = run("./run", cwd=folder, timeout=RUN_PATIENCE)
    assert done.returncode == 1
    assert "misaligned load" in done.stderr
    assert "(value 0x1800002)" in done.stderr
    assert "ring.cpp:4 in peek" in done.stderr
    assert "on board (1,0) core 5 thread 3" in done.stderr


def test_single_cores_console_input_and_an_end_without_a_count(ring: Path, tmp_path: Path) -> None:
    folder = copied("ring", tmp_path / "ring")
    (folder / "ring.cpp").write_text(
        """#include <tinsel.h>
int seen[2] = {40, 2};
int main() {
  uint32_t byte;
  while (((byte = tinselUartTryGet()) & 0x100) == 0);
  printf("%c %d\\n", (int)(byte & 0xff) + 1, seen[0] + seen[1]);
  return 0;
}
"""
    )
    (folder / "run.cpp").write_text(
        """#include <HostLink.h>
int main() {
  HostLink hostLink;
  for (int core = 16; core <= 22; core += 6) {  // tile (0,1) core 0, tile (1,1) core 2
    hostLink.loadInstrsOntoCore("code.v", 1, 0, core);
    hostLink.loadDataViaCore("data.v", 1, 0, core);
    hostLink.startOne(1, 0, core, 1);
    hostLink.goOne(1, 0, core);
    hostLink.debugLink->setDest(1, 0, core, 0);
    hostLink.debugLink->put(1, 0, 'a' + core);
  }
  hostLink.dumpStdOut();
}
"""
    )
    make(folder, f"TINSEL_ROOT={TREE}")
    done = run("./run", cwd=folder, timeout=RUN_PATIENCE)
    assert done.returncode == 0, done.stderr
    expected = [f"1:0:{core}:0: {chr(ord('a') + core + 1)} 42" for core in (16, 22)]
    assert sorted(done.stdout.splitlines()) == expected


def test_a_program_that_waits_for_ever_is_told_so(ring: Path) -> None:
    done = run("./run", "0", cwd=ring, timeout=RUN_PATIENCE, POLYLOOM_MAX_CYCLES="2000000")
    assert done.returncode == 1  # 0 laps never end: the token runs until the limit
    assert "polyloom: " in done.stderr
    assert "2000000" in done.stderr


def test_code_that_does_not_fit_is_refused(ring: Path, tmp_path: Path) -> None:
    folder = copied("heat", tmp_path / "heat")
    text = (folder / "heat.cpp").read_text().replace("thread->run();", '__asm__ volatile(".zero 8000"); thread->run();')
    (folder / "heat.cpp").write_text(text)
    done = run("make", f"TINSEL_ROOT={TREE}", "build/code.v", cwd=folder, timeout=BUILD_PATIENCE)
    assert done.returncode != 0
    assert "its code does not fit into instruction memory" in done.stderr


def test_missing_compiler_is_named(tmp_path: Path) -> None:
    folder = copied("ring", tmp_path / "ring")
    done = run("make", f"TINSEL_ROOT={TREE}", "RV_PREFIX=no-such-riscv-", "code.v", cwd=folder, timeout=BUILD_PATIENCE)
    assert done.returncode != 0
    assert "install the Debian package gcc-riscv64-unknown-elf" in done.stderr
