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

from polyloom.testing import FULL

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
        *((("./run", {"POLYLOOM_ON": "native"}), ("./sim", {})) if FULL else ()),
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
        assert number == y << 13 | x << 10 | core << 4 | thread  # docs/sources/tinsel.md, 1.4
        assert int(match[6]) == (number + 19) // 3 + number * 1_000_000_007 % 1_000_003
        seen.add(number)
    cores = [16 * y + 4 * x + c for y in range(2) for x in range(2) for c in range(4)]
    assert seen == {b << 10 | c << 4 | t for b in range(2) for c in cores for t in range(16)}


@pytest.mark.parametrize("on", ["sim", "rtl"])
def test_printing_without_a_count_ends_when_all_threads_have(hello: Path, tmp_path: Path, on: str) -> None:
    folder = shutil.copytree(hello, tmp_path / "hello")
    text = (folder / "run.cpp").read_text()
    lines = [line for line in text.splitlines() if "const uint32_t threads" not in line]
    (folder / "run.cpp").write_text(
        "\n".join(lines).replace("(stdout, threads * hostLink.meshXLen * hostLink.meshYLen)", "()")
    )
    make(folder, f"TINSEL_ROOT={TREE}", "run")
    done = run("./run", cwd=folder, timeout=RUN_PATIENCE, POLYLOOM_ON=on, POLYLOOM_CLUSTER="tiny-1")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 64
    assert all("Hello from thread" in line for line in done.stdout.splitlines())


@pytest.mark.parametrize("on", ["sim", "rtl"])
def test_threads_that_wait_for_each_other_are_told(ring: Path, tmp_path: Path, on: str) -> None:
    folder = copied("ring", tmp_path / "ring")
    (folder / "ring.cpp").write_text(
        """#include <tinsel.h>
int main() {
  tinselWaitUntil(TINSEL_CAN_RECV);
  return 0;
}
"""
    )
    make(folder, f"TINSEL_ROOT={TREE}")
    done = run("./run", cwd=folder, timeout=RUN_PATIENCE, POLYLOOM_ON=on, POLYLOOM_CLUSTER="tiny-1")
    assert done.returncode == 1
    assert "deadlock at" in done.stderr
    # The host's token has let thread 0 go.
    assert "63 threads waiting in can-recv" in done.stderr


def test_messages_that_no_thread_accepts_are_told(ring: Path, tmp_path: Path) -> None:
    """The link's far end has no room for ever, and is asked for some for ever: nothing is ever quiet."""
    folder = copied("ring", tmp_path / "ring")
    (folder / "ring.cpp").write_text(
        """#include <tinsel.h>
int main() {
  if (tinselId() != 0) return 0;
  for (;;) {
    tinselWaitUntil(TINSEL_CAN_SEND);
    tinselSend(1024, tinselSendSlot());  // thread 0 of board (1,0), which has ended
  }
}
"""
    )
    make(folder, f"TINSEL_ROOT={TREE}")
    done = run("./run", cwd=folder, timeout=RUN_PATIENCE)
    assert done.returncode == 1
    assert "standstill at" in done.stderr and "for 20 ms nothing useful has happened" in done.stderr
    assert "1 thread waiting in can-send" in done.stderr and "client 0 waits for a frame" in done.stderr


#: Receives when its console says so, and tells how many messages did not come in their turn.
LATE_RECEIVER = """#include <tinsel.h>
int main() {
  if (tinselId() != 0) return 0;
  volatile uint32_t* slot = (volatile uint32_t*)tinselSendSlot();
  uint32_t wrong = 0;
  while ((tinselUartTryGet() & 0x100) == 0);
  for (uint32_t i = 0; i < 900; i++) {
    tinselWaitUntil(TINSEL_CAN_RECV);
    volatile uint32_t* message = (volatile uint32_t*)tinselRecv();
    if (message[0] != i) wrong++;
    tinselFree(message);
  }
  tinselSetLen(0);
  slot[0] = wrong;
  tinselSend(tinselHostId(), slot);
  while (!tinselCanSend());
  return 0;
}
"""
#: Sends as much as there is room for, then (argument 1) whatever it is told, then the byte.
FLOODS = """#include <HostLink.h>
int main(int argc, char** argv) {
  const uint32_t flits = atoi(argv[1]), tries = atoi(argv[2]);
  HostLink link;
  link.boot("code.v", "data.v");
  link.go();
  uint32_t message[16] = {0}, i = 0;
  while (i < tries && link.trySend(0, flits, message)) message[0] = ++i;
  printf("%u went\\n", i);
  for (; i < 850; message[0] = ++i) link.send(0, flits, message);
  link.debugLink->setDest(0, 0, 0, 0);
  link.debugLink->put(0, 0, 'g');
  for (; i < 900; message[0] = ++i) link.send(0, flits, message);
  link.recv(message);
  printf("%u wrong\\n", message[0]);
}
"""


def built(folder: Path, device: str, host: str) -> Path:
    """The ring's folder with other programs, made."""
    copied("ring", folder)
    (folder / "ring.cpp").write_text(device)
    (folder / "run.cpp").write_text(host)
    make(folder, f"TINSEL_ROOT={TREE}")
    return folder


@pytest.fixture(scope="module")
def flood(tmp_path_factory) -> Path:
    return built(tmp_path_factory.mktemp("flood") / "ring", LATE_RECEIVER, FLOODS)


@pytest.mark.parametrize("on", ["sim", "rtl"])
@pytest.mark.parametrize(("flits", "tries", "went"), [(4, 900, 576), (2, 900, 704), (4, 0, 0)])
def test_messages_that_no_thread_has_accepted_hold_no_byte(
    flood: Path, on: str, flits: int, tries: int, went: int
) -> None:
    """448 slots of the tile and 512 flits of the board hold what went; what the host sends behind it waits there."""
    done = run(
        "./run", str(flits), str(tries), cwd=flood, timeout=RUN_PATIENCE, POLYLOOM_ON=on, POLYLOOM_CLUSTER="tiny-1"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{went} went\n0 wrong\n"


#: Every thread tells the host what it hears.
REPORTS = """#include <tinsel.h>
int main() {
  volatile uint32_t* slot = (volatile uint32_t*)tinselSendSlot();
  for (;;) {
    tinselWaitUntil(TINSEL_CAN_RECV);
    volatile uint32_t* message = (volatile uint32_t*)tinselRecv();
    const uint32_t first = message[0], second = message[1], last = message[7];
    tinselFree(message);
    while (!tinselCanSend());
    tinselSetLen(0);
    slot[0] = tinselId(), slot[1] = first, slot[2] = second, slot[3] = last;
    tinselSend(tinselHostId(), slot);
  }
}
"""
#: Argument: how many records lead to threads of the first tile, one after the other.
SENDS_BY_KEY = """#include <HostLink.h>
#include <ProgRouters.h>
#include <string>
int main(int argc, char** argv) {
  const uint32_t many = atoi(argv[1]);
  HostLink link;
  ProgRouterMesh mesh(link.meshXLen, link.meshYLen);
  mesh.table[0][1].addURM2(0, 0, 9, 0xabcd0001, 0xabcd0002);
  mesh.table[0][1].addMRM(0, 0, 0x80000000, 5, 0xbeef);
  const uint32_t east = mesh.table[0][1].genKey();
  mesh.table[0][0].addURM1(0, 0, 33, 0x600d);
  const uint32_t further = mesh.table[0][0].genKey();
  for (uint32_t i = 0; i < many; ++i) mesh.table[0][0].addURM1(0, 0, i % 64, i);
  uint8_t* ind = mesh.table[0][0].addIND();
  mesh.table[0][0].addRR(2, east);
  const uint32_t key = mesh.table[0][0].genKey();
  mesh.table[0][0].setIND(ind, further);
  mesh.write(&link);
  link.boot("code.v", "data.v");
  link.go();
  uint32_t message[8] = {0x11112222, 0x33334444, 0, 0, 0, 0, 0, 77};
  link.keySend(key, 2, message);
  for (uint32_t i = 0; i < many + 5; ++i) {
    uint32_t got[16];
    link.recv(got);
    const std::string line = std::to_string(got[0]) + " " + std::to_string(got[1]) + " " + std::to_string(got[2]);
    printf("%s %u\\n", line.c_str(), got[3]);
  }
  return link.canRecv();
}
"""


@pytest.fixture(scope="module")
def keys(tmp_path_factory) -> Path:
    return built(tmp_path_factory.mktemp("keys") / "ring", REPORTS, SENDS_BY_KEY)


@pytest.mark.parametrize(("on", "many"), [("sim", 0), ("sim", 150), ("sim", 700), ("rtl", 160)])
def test_keys_of_a_mesh_of_routers(keys: Path, on: str, many: int) -> None:
    """docs/sources/tinsel.md, 3.5; more than 150 records of one chunk take more than the 30 beats of a key."""
    done = run("./run", str(many), cwd=keys, timeout=RUN_PATIENCE, POLYLOOM_ON=on, POLYLOOM_CLUSTER="tiny-2")
    assert done.returncode == 0, done.stderr
    heard = [(i % 64, i, 0x33334444) for i in range(many)]
    heard += [(33, 0x600D, 0x33334444), (1024 + 9, 0xABCD0002, 0xABCD0001)]
    heard += [(1024 + thread, 0x1111BEEF, 0x33334444) for thread in (0, 2, 63)]
    assert sorted(done.stdout.splitlines()) == sorted(f"{a} {b} {c} 77" for a, b, c in heard)


def test_bare_metal_programs_need_a_cluster(ring: Path) -> None:
    done = run("./run", cwd=ring, timeout=RUN_PATIENCE, POLYLOOM_ON="native")
    assert done.returncode == 1
    assert "polyloom: a bare-metal program needs device threads" in done.stderr
    done = run("./run", cwd=ring, timeout=RUN_PATIENCE, POLYLOOM_CLUSTER="")  # is laptop
    assert done.stdout == run("./run", cwd=ring, timeout=RUN_PATIENCE).stdout


#: Vertex VERTEX asks for Pin(PIN), of two.
REQUESTS_FOR_PIN = """#define POLITE_NUM_PINS 2
#include <POLite.h>
struct State { uint32_t id, pin; };
struct Asks : PDevice<State, None, State> {
  void init() { *readyToSend = s->pin == 255 ? No : Pin(s->pin); }
  void send(State* m) { m->id = s->id; *readyToSend = No; }
  void recv(State*, const None*) {}
  bool step() { return false; }
  bool finish(State* m) { m->id = s->id; return true; }
};
#ifdef TINSEL
int main() {
  typedef PThread<Asks, State, None, State> Thread;
  ((Thread*)tinselHeapBaseSRAM())->run();
  return 0;
}
#else
int main(int, char** argv) {
  PGraph<Asks, State, None, State> graph;
  graph.newDevices(70);
  for (int v = 0; v < 69; ++v) graph.addEdge(v, v % 2, v + 1);
  graph.map();
  for (int v = 0; v < 70; ++v) graph.devices[v]->state.pin = v == atoi(argv[1]) ? atoi(argv[2]) : 255;
  HostLink link;
  graph.write(&link);
  link.boot("code.v", "data.v");
  link.go();
  PMessage<State> message;
  for (int v = 0; v < 70; ++v) link.recvMsg(&message, sizeof message);
}
#endif
"""


def test_a_pin_that_the_graph_does_not_have_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "asks.cpp").write_text(REQUESTS_FOR_PIN)
    include = "include $(TINSEL_ROOT)/apps/POLite/util/polite.mk"
    (tmp_path / "Makefile").write_text(f"APP_CPP = asks.cpp\nRUN_CPP = asks.cpp\n{include}\n")
    make(tmp_path, f"TINSEL_ROOT={TREE}")
    for on in ("native", "sim"):
        for vertex, pin in ((69, 2), (3, 17), (3, 1)):
            words = ("./run", str(vertex), str(pin))
            # No cluster is named.
            done = run(*words, cwd=tmp_path / "build", timeout=RUN_PATIENCE, POLYLOOM_ON=on, POLYLOOM_CLUSTER="")
            assert done.returncode == (pin != 1), done.stderr
            reported = f"a vertex asks to send on Pin({pin}) of a graph with POLITE_NUM_PINS 2; its pins are HostPin"
            assert (reported in done.stderr) == (pin != 1)


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


#: Prints what six bytes of its console say, each one on.
READS_ITS_CONSOLE = """#include <tinsel.h>
int seen[2] = {40, 2};
int main() {
  for (int i = 0; i < 6; ++i) {
    uint32_t byte;
    while (((byte = tinselUartTryGet()) & 0x100) == 0);
    putchar((int)(byte & 0xff) + 1);
  }
  printf(" %d\\n", seen[0] + seen[1]);
  return 0;
}
"""
#: run X FIRST SECOND [LINES]: two cores of board (X, 0), which get their bytes faster than they read them.
WRITES_TO_CONSOLES = """#include <HostLink.h>
int main(int argc, char** argv) {
  HostLink hostLink;
  const int x = atoi(argv[1]);
  for (int i = 2; i < 4; ++i) {
    const int core = atoi(argv[i]);
    hostLink.loadInstrsOntoCore("code.v", x, 0, core);
    hostLink.loadDataViaCore("data.v", x, 0, core);
    hostLink.startOne(x, 0, core, 1);
    hostLink.goOne(x, 0, core);
    hostLink.debugLink->setDest(x, 0, core, 0);
    hostLink.debugLink->put(x, 0, 'A' + core);
    for (const char* c = "hello"; *c != 0; ++c) hostLink.debugLink->put(x, 0, *c);
  }
  if (argc > 4) hostLink.dumpStdOut(stdout, atoi(argv[4]));
  else hostLink.dumpStdOut();
}
"""


@pytest.fixture(scope="module")
def console(tmp_path_factory) -> Path:
    return built(tmp_path_factory.mktemp("console") / "ring", READS_ITS_CONSOLE, WRITES_TO_CONSOLES)


def test_single_cores_console_input_and_an_end_without_a_count(console: Path) -> None:
    done = run("./run", "1", "16", "22", cwd=console, timeout=RUN_PATIENCE)  # tile (0,1) core 0, tile (1,1) core 2
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["1:0:16:0: Rifmmp 42", "1:0:22:0: Xifmmp 42"]


def test_console_input_on_rtl(console: Path) -> None:
    done = run("./run", "0", "0", "2", "2", cwd=console, timeout=900, POLYLOOM_CLUSTER="tiny-1", POLYLOOM_ON="rtl")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["0:0:0:0: Bifmmp 42", "0:0:2:0: Difmmp 42"]


def test_a_program_is_not_loaded_over_one_that_runs(ring: Path, tmp_path: Path) -> None:
    """As Tinsel's tests/run does: each on core 0 as soon as the one before has said how it went."""
    folder = copied("ring", tmp_path / "ring")
    (folder / "ring.cpp").write_text(
        """#include <tinsel.h>
int main() {
  while (tinselUartTryPut('P') == 0);
  return 0;
}
"""
    )
    (folder / "run.cpp").write_text(
        """#include <HostLink.h>
int main() {
  HostLink hostLink;
  for (int test = 0; test < 3; ++test) {
    hostLink.loadInstrsOntoCore("code.v", 0, 0, 0);
    hostLink.loadDataViaCore("data.v", 0, 0, 0);
    hostLink.startOne(0, 0, 0, 1);
    hostLink.goOne(0, 0, 0);
    uint32_t x, y, core, thread;
    uint8_t byte;
    hostLink.debugLink->get(&x, &y, &core, &thread, &byte);
    printf("%d %c\\n", test, byte);
    fflush(stdout);
  }
}
"""
    )
    make(folder, f"TINSEL_ROOT={TREE}")
    done = run("./run", cwd=folder, timeout=RUN_PATIENCE)
    assert done.returncode == 1
    assert done.stdout == "0 P\n"
    assert done.stderr.startswith("polyloom: device program code.v cannot be loaded: core 0 of board (0,0) executes")
    assert done.stderr.count("\n") == 1


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
