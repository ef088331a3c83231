# SPDX-License-Identifier: Apache-2.0
# Covers: the RTL for several numbers of words a cycle against the C++ model, and both against zlib.
# Leaves out: Words 5 to 7, same structure.
"""Builds crc32_rtl_test.cc with the Verilated unit and checks what it prints with zlib; POLYLOOM_SEED chooses."""

import os
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

from polyloom import paths
from polyloom.rtl import filelist, tools

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("words", [1, 3, 4, 8])
def test_crc_of_frames_of_any_length(words: int) -> None:
    folder = paths.build_dir() / "rtl-tests" / f"crc32-{words}"
    folder.mkdir(parents=True, exist_ok=True)
    command = [str(tools.find("verilator")), "--cc", "--exe", "--build", "-j", "2", "-O3", "-Wall", "--assert"]
    command += ["--top", "polyloom_crc32", "-Mdir", str(folder), "-o", "crc", *tools.VERILATOR_BUILD_ARGS]
    command += [f"-GWords={words}", "-CFLAGS", f"-I{ROOT} -DWORDS={words}"]
    command += filelist.read(ROOT / "blocks/crc/rtl/crc32.f").verilator_args()
    command += [str(ROOT / source) for source in ("blocks/crc/tests/crc32_rtl_test.cc", "blocks/crc/sim/crc32.cc")]
    built = subprocess.run(command, env=tools.environment(), capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[-4000:]
    seed = os.environ.get("POLYLOOM_SEED", "1")
    done = subprocess.run([str(folder / "crc"), seed, "2000"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    frames = [line.split() for line in done.stdout.splitlines()]
    assert len(frames) == 2000
    for text, crc in frames:
        data = b"".join(struct.pack("<Q", int(text[i : i + 16], 16)) for i in range(0, len(text), 16))
        assert zlib.crc32(data) == int(crc, 16)
