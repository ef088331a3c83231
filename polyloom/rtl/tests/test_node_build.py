# SPDX-License-Identifier: Apache-2.0
# Covers: the cache of Verilated models (what its key holds, whole folders or nothing, one build for many processes),
# Verilator's errors as the user sees them, the C ABI of real objects through ctypes, a shell and its apps. Leaves out:
# nodes that use them (blocks/verilated/tests), the one shell that there is (roles/mpi/tests).
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from polyloom.base.errors import UserError
from polyloom.rtl import node_build, node_compile
from polyloom.rtl.node_build import Shape, build
from polyloom.rtl.testing.model import Model

COUNTER = """// SPDX-License-Identifier: Apache-2.0
`include "step.svh"
module counter #(parameter int unsigned Width = 8, parameter int unsigned Limit = 200) (
  input logic clk_i, input logic rst_ni, input logic [Width-1:0] add_i, output logic [Width-1:0] sum_o
);
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) sum_o <= '0; else sum_o <= sum_o + add_i + `STEP;
  below: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(sum_o) < Limit) else $error("sum %0d", sum_o);
endmodule
"""


#: A shell whose outputs to its app hang on the app's at the same time, and the other way round.
SHELL = """// SPDX-License-Identifier: Apache-2.0
module shell (
  input logic clk_i, input logic rst_ni, input logic [15:0] in_i, output logic [15:0] out_o,
  output logic app_rst_no, output logic [15:0] app_first_o, input logic [15:0] app_first_i,
  output logic [15:0] app_second_o, input logic [15:0] app_second_i
);
  logic [15:0] sum_q;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) sum_q <= '0; else sum_q <= sum_q + app_second_i;
  assign app_rst_no = rst_ni;
  assign app_first_o = in_i ^ sum_q;
  assign app_second_o = app_first_i * 16'd3;
  assign out_o = app_second_i ^ sum_q;
endmodule
"""
APP = """// SPDX-License-Identifier: Apache-2.0
module app (
  input logic clk_i, input logic rst_ni, input logic [15:0] first_i, output logic [15:0] first_o,
  input logic [15:0] second_i, output logic [15:0] second_o
);
  logic [15:0] last_q;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) last_q <= '0; else last_q <= second_i;
  assign first_o = first_i + last_q;
  assign second_o = second_i - `STEP;
  always_ff @(posedge clk_i) if (rst_ni && first_i == 16'hbad) begin $display("first is bad"); $stop; end
endmodule
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "step.svh").write_text("`define STEP 1\n")
    (tmp_path / "counter.sv").write_text(COUNTER)
    (tmp_path / "counter.f").write_text("+incdir+include\ncounter.sv\n")
    return tmp_path


@pytest.fixture
def mock(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the slow parts; returns the tops and parameters that were "compiled"."""
    made: list[str] = []

    def compile_model(
        model: node_compile.Model,
        _folder: Path,
        _runtime: Path,
        output: Path,
        _progress: Callable[[str], None],
        *_: object,
    ) -> None:
        made.append(f"{model.top} {dict(model.parameters)} {model.trace}")
        output.write_text("object")

    monkeypatch.setattr(node_compile, "verilate", lambda model, folder, options=(): None)
    monkeypatch.setattr(node_compile, "compile_model", compile_model)
    monkeypatch.setattr(node_compile, "compile_shell", lambda model, *_: made.append(f"shell of apps {model.top}"))
    monkeypatch.setattr(node_compile.Runtime, "build", lambda self, folder: None)
    return made


def test_each_input_of_a_build_is_in_its_key(sources: Path, mock: list[str]) -> None:
    cache = sources / "cache"

    def shape(**parameters: str) -> Shape:
        return Shape("counter", (sources / "counter.f",), parameters)

    first = build(shape(Width="8"), cache)
    again = build(shape(Width="8"), cache)
    assert (first.cached, again.cached, first.path) == (False, True, again.path)
    others = [
        build(shape(Width="9"), cache),
        build(shape(), cache),
        build(Shape("other", (sources / "counter.f",), {"Width": "8"}), cache),
        build(Shape("counter", (sources / "counter.f",), {"Width": "8"}, trace=True), cache),
    ]
    (sources / "include" / "step.svh").write_text("`define STEP 2\n")
    others.append(build(shape(Width="8"), cache))
    (sources / "counter.sv").write_text(COUNTER + "// changed\n")
    others.append(build(shape(Width="8"), cache))
    assert len({first.hash, *(b.hash for b in others)}) == 7
    assert len(mock) == 7
    assert not any(b.cached for b in others)
    facts = json.loads((first.path.parent / "build.json").read_text())
    assert facts["parameters"] == {"Width": "8"}
    assert facts["top"] == "counter"


def test_a_failed_build_leaves_nothing(sources: Path, mock: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    cache = sources / "cache"

    def fail(model: node_compile.Model, folder: Path, options: object = ()) -> None:
        (folder / "half").write_text("done")
        raise UserError("no")

    with monkeypatch.context() as patch:
        patch.setattr(node_compile, "verilate", fail)
        with pytest.raises(UserError, match="no"):
            build(Shape("counter", (sources / "counter.f",)), cache)
    assert [p.name for p in cache.iterdir() if p.is_dir() and not p.name.startswith("runtime-")] == []
    assert not build(Shape("counter", (sources / "counter.f",)), cache).cached


def test_a_cache_that_cannot_be_written_is_named(sources: Path, mock: list[str]) -> None:
    (sources / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written: Not a directory; set POLYLOOM_RTL_CACHE"):
        build(Shape("counter", (sources / "counter.f",)), sources / "file" / "cache")


def test_ports_are_read_from_verilators_header() -> None:
    header = """    VL_IN8(&clk_i,0,0);\n    VL_IN8(&rst_ni,0,0);\n    VL_OUT(&a_o,31,0);\n    VL_OUT64(&b_o,39,0);
    VL_INW(&c_i,511,0,16);\n    VL_IN16(&d_i,8,0);\n"""
    ports = node_compile.read_ports(header)
    assert [(p.name, p.bits, p.bytes, p.is_input) for p in ports] == [
        ("clk_i", 1, 1, True),
        ("rst_ni", 1, 1, True),
        ("a_o", 32, 4, False),
        ("b_o", 40, 8, False),
        ("c_i", 512, 64, True),
        ("d_i", 9, 2, True),
    ]
    with pytest.raises(UserError, match="needs an input rst_ni"):
        node_compile.read_ports("VL_IN8(&clk_i,0,0);")
    with pytest.raises(UserError, match="port x_i is an unpacked array"):
        node_compile.read_ports(header + "VL_IN8((&x_i)[2],7,0);")
    with pytest.raises(UserError, match="port y is an inout"):
        node_compile.read_ports(header + "VL_INOUT8(&y,7,0);")


def test_broken_sources_give_verilators_message(sources: Path) -> None:
    (sources / "counter.sv").write_text(COUNTER.replace("sum_o <= '0;", "sum_o <= nothing;"))
    with pytest.raises(UserError) as caught:
        build(Shape("counter", (sources / "counter.f",)), sources / "cache")
    text = str(caught.value)
    assert "Verilator refuses counter" in text
    assert "counter.sv:6:" in text
    assert "nothing" in text
    assert "Exiting due to" not in text


def run_cli(*arguments: str, cache: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "polyloom.rtl.node_build", "--json", "--top", "counter", *arguments]
    environment = {"POLYLOOM_RTL_CACHE": str(cache)}
    return subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def with_runtime(cache: Path, trace: bool = False) -> Path:
    """A cache that has it: it would take most of a test's time."""
    runtime = node_build.built_runtime(node_compile.Runtime(trace))
    shutil.copytree(runtime, cache / runtime.name)
    return cache


def counter(path: str) -> Model:
    """A counter, out of reset, that adds its step."""
    model = Model(path)
    model.reset(1)
    return model


def cycle(model: Model) -> None:
    model.settle()
    model.step()


def test_processes_build_once_and_shapes_live_side_by_side(sources: Path) -> None:
    cache = sources / "cache"
    with_runtime(cache)
    arguments = ["--files", str(sources / "counter.f"), "--param", "Width=8"]
    runs = [run_cli(*arguments, cache=cache) for _ in range(3)]
    results = [json.loads(r.communicate()[0]) for r in runs]
    assert sorted(r["cached"] for r in results) == [False, True, True]
    assert len({r["path"] for r in results}) == 1
    assert not list(cache.glob("polyloom-*"))
    for header in (headers := list(cache.glob("runtime-*/*.pch"))):
        header.write_text("of another compiler")  # is done without
    assert len(headers) == 2
    small = json.loads(run_cli(*arguments[:-1], "Width=4", "--param", "Limit=16", cache=cache).communicate()[0])
    wide, narrow = counter(results[0]["path"]), counter(small["path"])
    assert wide.parameters == "Width=8"
    assert narrow.parameters == "Limit=16 Width=4"
    wide.set("add_i", 2)
    for _ in range(20):
        cycle(wide)
        cycle(narrow)
    assert wide.get("sum_o") == 60
    assert narrow.get("sum_o") == 20 % 16
    for _ in range(47):
        cycle(wide)
    with pytest.raises(UserError, match=r"counter\.sv:7.*\n?.*sum 201"):  # 60 + 3 * 47 = 201 is over the limit
        cycle(wide)


def test_command_line_errors(sources: Path) -> None:
    failed = run_cli("--files", str(sources / "none.f"), cache=sources / "cache")
    output, _ = failed.communicate()
    assert failed.returncode == 1
    assert "none.f does not exist" in json.loads(output)["error"]
    bad = run_cli("--files", str(sources / "counter.f"), "--param", "8=Width", cache=sources / "cache")
    assert bad.wait() == 2
    assert "'8=Width' is not NAME=VALUE" in bad.communicate()[1]


def test_prefix_depends_on_the_shape_only(sources: Path, mock: list[str]) -> None:
    shape = Shape("counter", (sources / "counter.f",), {"Width": "8"})
    before = build(shape, sources / "cache").path.name
    (sources / "counter.sv").write_text(COUNTER + "// changed\n")
    assert build(shape, sources / "cache").path.name == before
    assert node_build._prefix(Shape("counter", (), {"Width": "9"})) + ".so" != before


def shell_and_app(folder: Path, step: str, text: str = APP, trace: bool = False) -> Shape:
    (folder / "shell.sv").write_text(SHELL)
    (folder / "shell.f").write_text("shell.sv\n")
    (folder / f"app{step}.sv").write_text(text.replace("`STEP", step))
    (folder / f"app{step}.f").write_text(f"app{step}.sv\n")
    return Shape("shell", (folder / "shell.f",), trace=trace, app="app", app_files=(folder / f"app{step}.f",))


@pytest.mark.parametrize("trace", [False, True])
def test_a_shell_is_built_once_and_joined_with_each_app(tmp_path: Path, trace: bool) -> None:
    cache = with_runtime(tmp_path / "cache", trace)
    models = {step: Model(build(shell_and_app(tmp_path, str(step), trace=trace), cache).path) for step in (1, 7)}
    assert len([entry for entry in cache.glob("shell-*") if entry.is_dir()]) == 1
    random = Random(5)
    for step, model in models.items():
        assert (set(model.inputs), set(model.outputs)) == ({"in_i"}, {"out_o"})
        waves = tmp_path / f"{step}.fst"
        if trace:
            model.trace_open(waves)
        model.reset()
        total, last = 0, 0
        for edge in range(200):
            word = random.randrange(1 << 16)
            if word ^ total == 0xBAD:
                continue
            model.set("in_i", word)
            model.settle()
            second = ((word ^ total) + last) * 3 % (1 << 16)
            assert model.get("out_o") == (second - step) % (1 << 16) ^ total
            model.step()
            total, last = (total + second - step) % (1 << 16), second
            if trace:
                model.trace_dump(edge)
        if trace:
            model.trace_close()
            assert waves.stat().st_size > 200 * 4  # of two registers of 16 bits that change in every cycle
        model.set("in_i", total ^ 0xBAD)
        model.settle()
        with pytest.raises(UserError, match=rf"first is bad \(the design stopped at .*app{step}\.sv:10\)"):
            model.step()


def test_each_part_of_a_shell_and_app_is_in_their_key(tmp_path: Path, mock: list[str]) -> None:
    first = build(shell_and_app(tmp_path, "1"), tmp_path / "cache")
    assert build(shell_and_app(tmp_path, "1"), tmp_path / "cache").cached
    other = build(shell_and_app(tmp_path, "1", APP + "// changed\n"), tmp_path / "cache")
    (tmp_path / "shell.sv").write_text(SHELL + "// changed\n")
    shape = Shape("shell", (tmp_path / "shell.f",), app="app", app_files=(tmp_path / "app1.f",))
    assert len({first.hash, other.hash, build(shape, tmp_path / "cache").hash}) == 3
    shells = [made for made in mock if made.startswith("shell of apps")]
    assert len(shells) == 2
    assert len(mock) == 5


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"module app (": "module app (output logic more_o,"}, "app has a port more_o of 1 bit, shell no app_more_i"),
        ({"[15:0] first_o": "[16:0] first_o", "first_i + last_q": "17'd0"}, "app has a port first_o of 17 bits, shell"),
        (
            {", output logic [15:0] second_o\n);": ");\nlogic [15:0] second_o;"},
            "shell has a port app_second_i, app has",
        ),
    ],
)
def test_ports_that_cannot_be_joined_are_named(tmp_path: Path, changes: dict[str, str], says: str) -> None:
    text = APP
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(UserError, match=says):
        build(shell_and_app(tmp_path, "1", text), with_runtime(tmp_path / "cache"))
