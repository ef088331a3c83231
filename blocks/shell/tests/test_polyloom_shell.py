# SPDX-License-Identifier: Apache-2.0
# Covers: lint of each machine below and shell_swap_test.cc on it (C++ shell against Verilated shell).
# Tests polyloom_shell with polyloom_shell_parser, polyloom_shell_read_dma,
# polyloom_shell_write_dma, polyloom_shell_regs and polyloom_shell_sender.
# Leaves out: see shell_swap_test.cc; proofs: test_shell_formal.py.
"""Builds the Verilated shell with its swap test and runs it: ``pytest blocks/shell/tests``; POLYLOOM_SEED chooses."""

import os
from pathlib import Path

import pytest

from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated, elaborate

HERE = Path(__file__).resolve().parent
FILES = filelist.read(HERE.parent / "rtl" / "shell.f")
CHANNEL_BYTES, PROGRAM_WORDS = 8192, 100
SOURCES = [HERE / "shell_swap_test.cc", HERE.parent / "sim" / "shell.cc", HERE.parent / "host_frames.cc"]


@pytest.mark.parametrize(("pass_frames", "channels", "role_spaces"), [(0, 3, 0), (1, 1, 0), (1, 2, 1)])
def test_the_rtl_responds_as_the_model_does(pass_frames: int, channels: int, role_spaces: int) -> None:
    parameters = {
        "PassFrames": f"1'd{pass_frames}",
        "RoleSpaces": f"1'd{role_spaces}",
        "Channels": f"{channels}",
        "ChannelBytes": f"64'd{CHANNEL_BYTES}",
        "ProgramWords": f"{PROGRAM_WORDS}",
        "ClockHz": "64'd250000000",
        "Role": "8'd3",
    }
    defines = {
        "PASS_FRAMES": pass_frames,
        "ROLE_SPACES": role_spaces,
        "CHANNELS": channels,
        "CHANNEL_BYTES": CHANNEL_BYTES,
        "PROGRAM_WORDS": PROGRAM_WORDS,
    }
    model = Verilated("polyloom_shell", FILES, parameters, options=("-Wall",))
    printed = Program(model, SOURCES, defines, libraries=()).run(os.environ.get("POLYLOOM_SEED", "1"), "60")
    assert printed.count("equal") == 5


def test_illegal_parameters_are_refused() -> None:
    sizes = {"Channels": 129, "ChannelBytes": "64'd100", "ProgramWords": 1, "ClockHz": "64'd1", "Role": "8'd3"}
    said = elaborate("polyloom_shell", FILES, **sizes)
    assert "Channels is 129, must be 1 to 128" in said
    assert "ChannelBytes is 100, must be a multiple of 32" in said
