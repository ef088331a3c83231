# SPDX-License-Identifier: Apache-2.0
# Covers: the RTL for several numbers of words a cycle against the C++ model, and both against zlib.
# Leaves out: Words 5 to 7, same structure.
"""Builds crc32_rtl_test.cc with the Verilated unit and checks what it prints with zlib; POLYLOOM_SEED chooses."""

import os
import struct
import zlib
from pathlib import Path

import pytest

from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated

HERE = Path(__file__).resolve().parent
SOURCES = [HERE / "crc32_rtl_test.cc", HERE.parent / "sim" / "crc32.cc"]


@pytest.mark.parametrize("words", [1, 3, 4, 8])
def test_crc_of_frames_of_any_length(words: int) -> None:
    files = filelist.read(HERE.parent / "rtl" / "crc32.f")
    model = Verilated("polyloom_crc32", files, {"Words": words}, options=("-Wall",))
    printed = Program(model, SOURCES, {"WORDS": words}, libraries=()).run(os.environ.get("POLYLOOM_SEED", "1"), "2000")
    frames = [line.split() for line in printed.splitlines()]
    assert len(frames) == 2000
    for text, crc in frames:
        data = b"".join(struct.pack("<Q", int(text[i : i + 16], 16)) for i in range(0, len(text), 16))
        assert zlib.crc32(data) == int(crc, 16)
