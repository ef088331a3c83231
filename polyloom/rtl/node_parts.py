# SPDX-License-Identifier: Apache-2.0
"""Parts of a node that are compiled once and stand in it many times.

Input: the name of a module P in the node's sources, whose parameters are numbers and have the names that the node's
top gives them, whose ports are packed, with inputs clk_i and rst_ni. Output: for the design around them a stand-in of
P, and the C++ between the two. Verilator lays every instance of a module out as code of its own; a board of 16 tiles is
16 times the code of one, which takes 16 times as long to compile and does not fit the processor's caches.

P is Verilated as a model of its own. The stand-in has P's name and ports; it evaluates the model at the rising edge,
and with what stands at its inputs while the clock is low. While the clock is high its outputs do not follow its inputs:
nothing that a node's clock takes depends on that half of a cycle. Cycles are those of a node without parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from polyloom.errors import UserError
from polyloom.rtl.filelist import FileList
from polyloom.rtl.node_compile import Port

#: For the design around parts: any output of a stand-in may depend on any input, so there seem to be loops; there are
#: none, so that what Verilator repeats because of them ends.
OPTIONS = ["-Wno-UNOPTFLAT"]

_COMMENT = re.compile(r"//.*?$|/\*.*?\*/", re.MULTILINE | re.DOTALL)
_PARAMETER = re.compile(r"\bparameter\b[^=,]*?(\w+)\s*=\s*([^,\n)]+)")
_SCALARS = [(1, "bit", "svBit"), (8, "byte unsigned", "unsigned char"), (16, "shortint unsigned", "unsigned short")]
_SCALARS += [(32, "int unsigned", "unsigned int"), (64, "longint unsigned", "unsigned long long")]


def source_of(part: str, files: FileList) -> Path:
    """The file of the module ``part``. UserError if the node's lists do not name it."""
    for path in files.sources:
        if path.stem == part:
            return path
    raise UserError(f"part {part}: no source of that name in the node's file lists")


def parameters_of(source: Path, of_top: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """All of the part: as the top has them, else as the part has them by itself."""
    found = _PARAMETER.findall(_COMMENT.sub("", source.read_text()))
    return tuple((name, of_top.get(name, value.strip())) for name, value in found)


def around(part: str, files: FileList, stand_in: Path) -> FileList:
    """The node's sources with the stand-in where the part was."""
    source = source_of(part, files)
    sources = [stand_in if path == source else path for path in files.sources]
    return FileList(sources, files.include_dirs, files.vlt)


def stand_in(part: str, parameters: Sequence[tuple[str, str]], ports: Sequence[Port]) -> str:
    """SystemVerilog of the stand-in. An instance with other parameters than the model's is refused."""
    inputs, outputs = _sides(ports)
    declared = ", ".join(f"parameter {name} = {value}" for name, value in parameters)
    heads = [f"input  logic {_range(p)}{p.name}" for p in ports if p.is_input]
    heads += [f"output logic {_range(p)}{p.name}" for p in outputs]
    arguments = ["input chandle part", "input bit clk_i", "input bit tick", "input bit rst_ni"]
    arguments += [f"input {_sv(p)} {p.name}" for p in inputs] + [f"output {_sv(p)} {p.name}" for p in outputs]
    values = ["part", "clk_i", "tick", "rst_ni", *(_cast(p) for p in inputs), *(f"{p.name}_of_part" for p in outputs)]
    lines = [
        f"// Made by polyloom.rtl.node_parts: stands for {part}.",
        f"module {part}" + (f" #({declared}) (" if declared else " ("),
        ",\n".join("    " + head for head in heads),
        ");",
        *(
            f'  if ({name} != {value}) $error("%m: {name} is %0d; a part has one value, here {value}", {name});'
            for name, value in parameters
        ),
        f'  import "DPI-C" function chandle {part}_new(input string name);',
        f'  import "DPI-C" function void {part}_rise(input chandle part);',
        f'  import "DPI-C" function void {part}_delete(input chandle part);',
        f'  import "DPI-C" function void {part}_settle(\n    ' + ",\n    ".join(arguments) + ");",
        "  chandle part;",
        "  bit tick;",
        *(f"  {_sv(p)} {p.name}_of_part;" for p in outputs),
        f'  initial part = {part}_new($sformatf("%m"));',
        f"  final {part}_delete(part);",
        "  always_ff @(posedge clk_i) begin",
        f"    {part}_rise(part);",
        "    tick <= !tick;",
        "  end",
        f"  always_comb {part}_settle(" + ", ".join(values) + ");",
        *(f"  assign {p.name} = {p.bits}'({p.name}_of_part);" for p in outputs),
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def glue(part: str, prefix: str, ports: Sequence[Port]) -> str:
    """C++ behind the stand-in."""
    inputs, outputs = _sides(ports)
    arguments = [
        "void* part",
        "svBit clk_i",
        "svBit",
        "svBit rst_ni",
        *(_c(p) for p in inputs),
        *(_c(p) for p in outputs),
    ]
    taken = "\n".join(f"    changed |= take(model.{p.name}, {_value(p)});" for p in inputs)
    given = "\n".join(f"  {_give(p)}" for p in outputs)
    return f"""// Made by polyloom.rtl.node_parts: between {part} and its stand-in.
#include <cstring>
#include "{prefix}.h"
#include "svdpi.h"
#include "verilated.h"

namespace {{

template <typename Port>
bool take(Port& port, Port value) {{
  const bool changed = port != value;
  port = value;
  return changed;
}}

template <std::size_t Words>
bool take(VlWide<Words>& port, const svBitVecVal* value) {{
  const bool changed = std::memcmp(port.data(), value, sizeof port) != 0;
  if (changed) std::memcpy(port.data(), value, sizeof port);
  return changed;
}}

}}  // namespace

extern "C" void* {part}_new(const char* name) {{
  auto* model = new {prefix}(Verilated::threadContextp(), name);
  model->clk_i = 0;
  model->rst_ni = 1;
  model->eval();  // so that there is an edge into reset
  return model;
}}

extern "C" void {part}_delete(void* part) {{
  auto* model = static_cast<{prefix}*>(part);
  if (model == nullptr) return;  // the node was never evaluated
  model->final();
  delete model;
}}

extern "C" void {part}_rise(void* part) {{
  auto& model = *static_cast<{prefix}*>(part);
  model.clk_i = 1;
  model.eval();
}}

extern "C" void {part}_settle({", ".join(arguments)}) {{
  auto& model = *static_cast<{prefix}*>(part);
  if (clk_i == 0 || rst_ni != model.rst_ni) {{
    bool changed = take<CData>(model.clk_i, clk_i);
    changed |= take<CData>(model.rst_ni, rst_ni);
{taken}
    if (changed) model.eval();
  }}
{given}
}}
"""


def _sides(ports: Iterable[Port]) -> tuple[list[Port], list[Port]]:
    """Inputs but clock and reset; outputs."""
    found = list(ports)
    return [p for p in found if p.is_input and p.name not in ("clk_i", "rst_ni")], [p for p in found if not p.is_input]


def _range(port: Port) -> str:
    return f"[{port.bits - 1}:0] " if port.bits > 1 else ""


def _scalar(port: Port) -> tuple[int, str, str] | None:
    return next((s for s in _SCALARS if port.bits <= s[0]), None)


def _sv(port: Port) -> str:
    scalar = _scalar(port)
    return scalar[1] if scalar else f"bit [{port.bits - 1}:0]"


def _cast(port: Port) -> str:
    scalar = _scalar(port)
    return f"{scalar[0]}'({port.name})" if scalar else port.name


def _c(port: Port) -> str:
    scalar = _scalar(port)
    if port.is_input:
        return f"{scalar[2]} {port.name}" if scalar else f"const svBitVecVal* {port.name}"
    return f"{scalar[2] if scalar else 'svBitVecVal'}* {port.name}"


def _value(port: Port) -> str:
    kinds = {1: "CData", 2: "SData", 4: "IData", 8: "QData"}
    return f"static_cast<{kinds[port.bytes]}>({port.name})" if _scalar(port) else port.name


def _give(port: Port) -> str:
    if _scalar(port):
        return f"*{port.name} = model.{port.name};"
    return f"std::memcpy({port.name}, model.{port.name}.data(), sizeof model.{port.name});"
