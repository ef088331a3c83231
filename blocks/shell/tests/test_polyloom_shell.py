# SPDX-License-Identifier: Apache-2.0
# Covers: lint of each machine below and shell_swap_test.cc on it (C++ shell against Verilated shell).
# Tests polyloom_shell with polyloom_shell_parser, polyloom_shell_read_dma,
# polyloom_shell_write_dma, polyloom_shell_regs and polyloom_shell_sender.
# Leaves out: see shell_swap_test.cc; proofs: test_shell_formal.py.
"""Builds the Verilated shell with its swap test and runs it: ``pytest blocks/shell/tests``; POLYLOOM_SEED chooses."""

import os
import subprocess
from pathlib import Path

import pytest

from polyloom import paths
from polyloom.rtl import filelist, tools

ROOT = Path(__file__).resolve().parents[3]
CHANNEL_BYTES, PROGRAM_WORDS = 8192, 100
C_SOURCES = ["blocks/shell/tests/shell_swap_test.cc", "blocks/shell/sim/shell.cc", "blocks/shell/host_frames.cc"]


def build(folder: Path, pass_frames: int, channels: int, role_spaces: int) -> Path:
    """Verilate and compile; path of the program."""
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
    command = [str(tools.find("verilator")), "--cc", "--exe", "--build", "-j", "2", "-O3", "-Wall", "--assert"]
    command += ["--top", "polyloom_shell", "-Mdir", str(folder), "-o", "swap", *tools.VERILATOR_BUILD_ARGS]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += ["-CFLAGS", " ".join([f"-I{ROOT}", *(f"-D{name}={value}" for name, value in defines.items())])]
    command += filelist.read(ROOT / "blocks/shell/rtl/shell.f").verilator_args()
    command += [str(ROOT / source) for source in C_SOURCES]
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, env=tools.environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return folder / "swap"


@pytest.mark.parametrize(("pass_frames", "channels", "role_spaces"), [(0, 3, 0), (1, 1, 0), (1, 2, 1)])
def test_the_rtl_answers_as_the_model_does(pass_frames: int, channels: int, role_spaces: int) -> None:
    seed = os.environ.get("POLYLOOM_SEED", "1")
    folder = paths.build_dir() / "rtl-tests" / f"shell-{pass_frames}-{channels}-{role_spaces}"
    program = build(folder, pass_frames, channels, role_spaces)
    done = subprocess.run([str(program), seed, "60"], capture_output=True, text=True, timeout=300)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("equal") == 5


def test_illegal_parameters_are_refused(tmp_path: Path) -> None:
    sources = filelist.read(ROOT / "blocks/shell/rtl/shell.f").verilator_args()
    command = [str(tools.find("verilator")), "--lint-only", "--top", "polyloom_shell", "-Mdir", str(tmp_path)]
    command += ["-GChannels=129", "-GChannelBytes=64'd100", "-GProgramWords=1", "-GClockHz=64'd1", "-GRole=8'd3"]
    done = subprocess.run([*command, *sources], env=tools.environment(), capture_output=True, text=True)
    assert done.returncode != 0
    assert "Channels is 129, must be 1 to 128" in done.stderr
    assert "ChannelBytes is 100, must be a multiple of 32" in done.stderr
