# SPDX-License-Identifier: Apache-2.0
"""The cores that are compared: what is synthesized of each, and what runs on it to count its instructions a cycle.

Input: the packages of scripts/requirements-bench.txt. Output: Core, with file lists in a build folder. Sources of Ibex
are copied there, as the tools take included files by the suffix .svh only.
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
IBEX_INCLUDES = (
    "vendor/lowrisc_ip/ip/prim/rtl/prim_assert.sv",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_assert_dummy_macros.svh",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_assert_yosys_macros.svh",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_assert_standard_macros.svh",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_assert_sec_cm.svh",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_flop_macros.sv",
    "vendor/lowrisc_ip/dv/sv/dv_utils/dv_fcov_macros.svh",
)
IBEX_MODULES = (
    *("pkg", "alu", "compressed_decoder", "controller", "cs_registers", "csr", "counter", "decoder", "ex_block"),
    *("fetch_fifo", "id_stage", "if_stage", "load_store_unit", "multdiv_fast", "prefetch_buffer", "wb_stage"),
    *("core", "register_file_fpga", "pmp", "dummy_instr"),
)

_INCLUDED = re.compile(r'(`include "\w+)\.sv"')


@dataclass(frozen=True)
class Core:
    """``counted``: what its LUTs are of; ``runs``: list of what measures instructions a cycle, ``ipc_top`` its top."""

    name: str
    isa: str
    counted: str
    top: str
    list: Path
    parameters: dict[str, str] = field(default_factory=dict)
    runs: Path | None = None
    ipc_top: str = ""


def package(name: str) -> Path:
    """Folder of pythondata-cpu-NAME."""
    found = importlib.util.find_spec(f"pythondata_cpu_{name}")
    if found is None or found.origin is None:
        raise SystemExit(f"bench: the Python package pythondata-cpu-{name} is missing; run `make setup-bench`")
    return Path(found.origin).parent


def others(folder: Path) -> list[Core]:
    """The cores of others, in their packages' default or named configuration."""
    picorv32 = [package("picorv32") / "verilog/picorv32.v"]
    vexriscv, vexriscv_min = ([package("vexriscv") / f"verilog/VexRiscv_{name}.v"] for name in ("Lite", "Min"))
    serv = sorted((package("serv") / "verilog/rtl").glob("serv_*.v"))
    serv = [file for file in serv if file.stem != "serv_synth_wrapper"]
    ibex = [*_ibex(folder), HERE / "ibex_alone.sv"]
    include = [f"+incdir+{folder / 'ibex'}"]

    def core(name: str, isa: str, counted: str, top: str, files: list[Path], more: list[str] | None = None) -> Core:
        lines = [*(more or []), *map(str, files)]
        ipc_top = f"{name.split('-')[0]}_ipc"
        runs = _write(
            folder, f"{name}_ipc", [*lines, *(str(HERE / f"ipc/{top}.sv") for top in ("ipc_memory", ipc_top))]
        )
        return Core(name, isa, counted, top, _write(folder, name, lines), runs=runs, ipc_top=ipc_top)

    return [
        core("picorv32", "RV32I", "registers in 16x4 RAM, 64-bit counters, no memory", "picorv32", picorv32),
        core("vexriscv", "RV32IM", "Lite: registers and 2 KiB instruction cache in EBR", "VexRiscv", vexriscv),
        core("vexriscv-min", "RV32I", "Min: registers in EBR, no cache", "VexRiscv", vexriscv_min),
        core("serv", "RV32I", "serv_rf_top: with CSRs, registers in EBR or 16x4 RAM, no memory", "serv_rf_top", serv),
        core("ibex", "RV32IMC", "ibex_core and registers in 16x4 RAM, no memory", "ibex_alone", ibex, include),
    ]


def ours() -> list[Core]:
    """Our core as it stands in a tile, without M and with its side of M; then what M takes for one and four cores."""
    alone = HERE.parent.parent / "roles/overlay/tests/core/core_alone.f"
    muldiv = HERE / "muldiv_alone.f"
    all_of_it = "16 threads: pipeline, issue, CSRs, results of units, registers, memory of 2,048 instructions (4 EBR)"
    return [
        Core("ours", "RV32I, message CSRs", all_of_it, "core_alone", alone),
        Core("ours-m", "RV32IM, message CSRs", all_of_it, "core_alone", alone, {"MulDiv": "1"}),
        Core("muldiv-1", "M", "queue, multiplier, divider for one core", "muldiv_alone", muldiv, {"Cores": "1"}),
        Core("muldiv-4", "M", "the same for four cores", "muldiv_alone", muldiv, {"Cores": "4"}),
    ]


def _write(folder: Path, name: str, lines: list[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.f"
    path.write_text("\n".join(lines) + "\n")
    return path


def _ibex(folder: Path) -> list[Path]:
    root, copy = package("ibex") / "system_verilog", folder / "ibex"
    copy.mkdir(parents=True, exist_ok=True)
    sources = [(root / name, copy / (Path(name).stem + ".svh")) for name in IBEX_INCLUDES]
    modules = [(root / f"rtl/ibex_{name}.sv", copy / f"ibex_{name}.sv") for name in IBEX_MODULES]
    for source, target in [*sources, *modules]:
        target.write_text(_INCLUDED.sub(r'\1.svh"', source.read_text()))
    return [target for _, target in modules]
