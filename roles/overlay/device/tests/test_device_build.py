# SPDX-License-Identifier: Apache-2.0
# Covers: device headers in C and C++, host headers in C++98, the boot image's size, equal layouts on both ABIs,
# limits and their messages, a machine without the compiler. Leaves out: running programs (compat/tinsel/tests).
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEVICE = Path(__file__).resolve().parents[1]
ROOT = DEVICE.parents[2]
RV = "riscv64-unknown-elf-"
FLAGS = (DEVICE / "rv_flags.txt").read_text().split()


def run(*command: str | Path, cwd: Path | None = None, **kwargs) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(c) for c in command], cwd=cwd, text=True, capture_output=True, **kwargs)


def parameters(mode: str) -> str:
    return run(DEVICE / "parameters.py", mode, check=True).stdout


@pytest.fixture(scope="module")
def generated(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    (folder / "config.h").write_text(parameters("cpp"))
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A CMake project with one good program and three that break a limit each."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "CMakeLists.txt").write_text(
        f"""cmake_minimum_required(VERSION 3.25)
project(p LANGUAGES C)
include({DEVICE}/polyloom_device.cmake)
polyloom_device_program(good good.cpp DEFINITIONS ANSWER=42)
polyloom_device_program(long long.c)
polyloom_device_program(roomy long.c TEXT_LIMIT 65536)
polyloom_device_program(globals globals.c POLITE)
polyloom_device_program(constructor constructor.cpp)
"""
    )
    include = "#include <tinsel.h>\n"
    (folder / "good.cpp").write_text(
        include + "static int table[2] = {ANSWER, 1};\nint main() { table[1]++; return table[tinselId() & 1]; }\n"
    )
    (folder / "long.c").write_text(include + 'int main(void) { __asm__(".zero 7620"); return tinselId(); }\n')
    (folder / "globals.c").write_text(include + "int a[4097];\nint main(void) { a[tinselId()] = 1; return a[1]; }\n")
    (folder / "constructor.cpp").write_text(
        include + "struct X { int a; X() { a = tinselId(); } } x;\nint main() { return x.a; }\n"
    )
    return folder


def configure(project: Path, build: str, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **env}
    return run("cmake", "-G", "Ninja", "-S", project, "-B", project / build, *options, env=environment)


def build(project: Path, target: str) -> subprocess.CompletedProcess[str]:
    if not (project / "b" / "build.ninja").exists():
        done = configure(project, "b")
        assert done.returncode == 0, done.stdout + done.stderr
    return run("ninja", "-C", project / "b", target)


def test_program_lies_where_it_must(project: Path) -> None:
    done = build(project, "device_good")
    assert done.returncode == 0, done.stdout
    out = project / "b" / "device" / "good"
    assert (out / "code.v").read_text().startswith("@00000240")
    data = (out / "data.v").read_text().split()
    assert data[0] == "@01800000"
    assert data[1:5] == ["2A", "00", "00", "00"]


def test_boot_image_is_small_and_position_fixed(project: Path) -> None:
    assert build(project, "device_good").returncode == 0
    image = (project / "b" / "device" / "runtime" / "boot.bin").read_bytes()
    assert len(image) <= 576
    symbols = run(RV + "nm", project / "b" / "device" / "runtime" / "boot.o", check=True).stdout
    assert re.search(r"^00000000 T _boot$", symbols, re.M)
    assert re.search(r"^00000040 T _park$", symbols, re.M)  # kParkAddress of roles/overlay/host/boot_image.h


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("long", "device program too large: its code does not fit into instruction memory"),
        ("globals", "device program too large: its global data does not fit"),
        ("constructor", "objects with constructors at file scope"),
    ],
)
def test_limits_are_named(project: Path, target: str, message: str) -> None:
    done = build(project, f"device_{target}")
    assert done.returncode != 0
    assert message in done.stdout
    assert not (project / "b" / "device" / target / "code.v").exists()


def test_text_limit_can_be_raised(project: Path) -> None:
    done = build(project, "device_roomy")
    assert done.returncode == 0, done.stdout


def test_missing_compiler_is_named(project: Path, tmp_path: Path) -> None:
    for tool in ("cmake", "ninja", "cc", "gcc", "sh", "ld", "as", "ar"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    (tmp_path / "python3").symlink_to(Path(sys.executable).resolve())
    done = configure(project, "none", "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", PATH=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "install the Debian package gcc-riscv64-unknown-elf" in " ".join(done.stderr.split())
    done = run("ninja", "-C", project / "none", "device_good")
    assert done.returncode != 0
    assert "device_good: no RISC-V compiler: install the Debian package gcc-riscv64-unknown-elf" in done.stdout


@pytest.mark.parametrize(("driver", "source"), [("gcc", "c"), ("g++", "c++")])
@pytest.mark.parametrize("level", ["-O0", "-O2", "-Os"])
def test_device_headers_compile(generated: Path, tmp_path: Path, driver: str, source: str, level: str) -> None:
    calls = (DEVICE / "tests" / "every_call.c").read_text()
    (tmp_path / "x.c").write_text(calls)
    done = run(
        RV + driver, *FLAGS, "-Wall", "-Wextra", "-Werror", level, f"-I{generated}", f"-I{DEVICE}",
        "-x", source, "-c", tmp_path / "x.c", "-o", tmp_path / "x.o",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = run(RV + "objdump", "-d", tmp_path / "x.o", check=True).stdout
    assert "00b50008" in text  # the Send instruction (docs/sources/tinsel.md, 1.2)
    assert not re.search(r"\b(csrrs|csrrc|csrr|csrs|csrc|csrrwi)\b", text)  # csrrw only: docs/sources/tinsel.md, 1.2


@pytest.mark.parametrize("standard", ["c++98", "c++11", "c++17", "c++20"])
def test_host_headers_compile(generated: Path, standard: str) -> None:
    source = '#include "HostLink.h"\n#include <tinsel-interface.h>\nint f(HostLink& h) { return h.meshXLen; }\n'
    done = run(
        "g++", f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{generated}", f"-I{DEVICE}",
        f"-I{ROOT / 'roles/overlay/host'}", "-x", "c++", "-", input=source,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_plain_data_has_the_same_layout_on_both_abis(generated: Path, tmp_path: Path) -> None:
    source = """
#include <stddef.h>
#include <stdint.h>
struct M { uint16_t key; struct { uint8_t a; float f; uint32_t w; uint16_t h[3]; } payload; };
struct N { uint16_t key; struct { uint16_t a, b; uint8_t c; } payload; };
union Packed { struct M m; uint8_t bytes[64]; };
int sizes[] = { sizeof(struct M), offsetof(struct M, payload), offsetof(struct M, payload.w), sizeof(struct N),
                offsetof(struct N, payload), sizeof(union Packed), sizeof(int), sizeof(float) };
"""

    def section(compiler: list[str]) -> bytes:
        run(*compiler, "-x", "c", "-c", "-", "-o", tmp_path / "y.o", input=source, check=True)
        objcopy = RV + "objcopy" if compiler[0].startswith(RV) else "objcopy"
        run(objcopy, "-O", "binary", "--only-section=.data", tmp_path / "y.o", tmp_path / "y.bin", check=True)
        return (tmp_path / "y.bin").read_bytes()

    assert section([RV + "gcc", *FLAGS]) == section(["gcc"]) != b""


def test_parameters_in_every_form() -> None:
    assert "export LogThreadsPerCore=4\n" in parameters("envs")
    assert "export DRAMBase=0x1800000\n" in parameters("envs")
    assert "#define TinselLogThreadsPerCore 4\n" in parameters("cpp")
    assert "-D LogThreadsPerCore=4\n" in parameters("defs")
    assert "`define TinselLogThreadsPerCore 4\n" in parameters("vpp")
    assert "#define TinselClockFreq 250\n" in parameters("cpp")  # MHz
    done = run(DEVICE / "parameters.py", "nonsense")
    assert done.returncode == 2
    assert "envs|cpp|defs|vpp" in done.stderr


def cluster_file(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text)
    return path


def test_parameters_of_a_cluster(tmp_path: Path) -> None:
    path = cluster_file(
        tmp_path, '[fpga]\nrole = "overlay"\nclocks = { core = "0.21 GHz" }\n[overlay]\ninstr_words = 4096\n'
    )
    text = run(DEVICE / "parameters.py", "cpp", path, check=True).stdout
    for line in ("TinselClockFreq 210", "TinselInstrsPerCore 4096", "TinselMaxInstrBytes 15808"):  # 4 * 4096 - 576
        assert f"#define {line}\n" in text
    # What fixes addresses is no cluster's to decide.
    ours = dict(line.split(" ")[1:] for line in parameters("cpp").splitlines() if line.startswith("#define Tinsel"))
    its = dict(line.split(" ")[1:] for line in text.splitlines() if line.startswith("#define Tinsel"))
    changed = {name for name in ours if ours[name] != its[name]}
    assert changed == {"TinselClockFreq", "TinselLogInstrsPerCore", "TinselInstrsPerCore", "TinselMaxInstrBytes"}


def test_parameters_of_shipped_clusters() -> None:
    clusters = [
        path for path in (DEVICE.parents[2] / "clusters").glob("*.toml") if 'role = "overlay"' in path.read_text()
    ]
    assert len(clusters) > 5
    for path in clusters:
        assert run(DEVICE / "parameters.py", "cpp", path, check=True).stdout == parameters("cpp"), path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[fpga", "is no cluster file that can be read"),
        ('[fpga]\nrole = "hub"\n', "has no overlay boards with one clock"),
        ('[fpga]\nrole = "overlay"\nclocks = { core = "fast" }\n', "the overlay's clock or instr_words cannot be read"),
    ],
)
def test_clusters_without_parameters(text: str, message: str, tmp_path: Path) -> None:
    path = cluster_file(tmp_path, text)
    done = run(DEVICE / "parameters.py", "cpp", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"polyloom: {path}")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
