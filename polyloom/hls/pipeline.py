# SPDX-License-Identifier: Apache-2.0
"""The order of the passes, with reasons. Input: IR text; output: a Kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from polyloom.hls import absent
from polyloom.hls.bind import bind
from polyloom.hls.emit.design import Design
from polyloom.hls.emit.kernel import kernel_text
from polyloom.hls.emit.model import counted, model_text
from polyloom.hls.memory import assign_memories, check_limit
from polyloom.hls.options import Options
from polyloom.hls.passes.arithmetic import simplify_arithmetic
from polyloom.hls.passes.calls import check_calls, split_calls
from polyloom.hls.passes.cleanup import cleanup
from polyloom.hls.passes.if_convert import if_convert
from polyloom.hls.passes.load_reuse import reuse_loads
from polyloom.hls.passes.memory_loops import expand_memory_operations
from polyloom.hls.passes.merge_stores import merge_stores
from polyloom.hls.passes.narrow_counters import narrow_counters
from polyloom.hls.passes.recursion import remove_recursion
from polyloom.hls.passes.split_accesses import split_accesses
from polyloom.hls.passes.start_dram import start_dram
from polyloom.hls.pointsto import mark_objects
from polyloom.hls.reader import read
from polyloom.hls.report import report_of
from polyloom.hls.schedule.program import schedule
from polyloom.hls.units import Units


@dataclass
class Kernel:
    """What comes out: SystemVerilog, and facts about it."""

    verilog: str
    report: dict[str, Any]
    design: Design
    options: Options
    diagnostics: list[str] = field(default_factory=list)

    def model(self) -> str:
        """The same kernel as C++, for roles/mpi/arch/kernel_model.h."""
        return model_text(self.design, self.options)

    def counted(self) -> dict[str, Any]:
        """What the model's counters are (emit/count.py)."""
        return counted(self.design, self.options)


#: Passes over each function, in this order.
FUNCTION_PASSES = [
    expand_memory_operations,  # first, since its accesses are accesses like others
    split_accesses,  # then every access is one of a port
    simplify_arithmetic,  # before anything is scheduled by what it costs
    split_calls,  # a call ends its block
    cleanup,  # the reader and the passes leave duplicates
]

#: Once it is known what loads and stores may touch.
LOOP_PASSES = [
    if_convert,  # so that more loops are of one block
    cleanup,  # the branches computed the same things
    merge_stores,  # and stored to the same places
    reuse_loads,  # fewer accesses, so that iterations can begin more often
    narrow_counters,  # last, since it hides what the others look for
    cleanup,
]


def compile_kernel(ir_text: str, options: Options | None = None) -> Kernel:
    """SystemVerilog and report of a program in LLVM IR. HlsError with file:line:column if it cannot be a kernel."""
    options = options or Options()
    absent.refuse(ir_text)
    module = read(ir_text, options)
    check_calls(module)
    remove_recursion(module, options)
    start_dram(module)
    for function in module.functions.values():
        for change in FUNCTION_PASSES:
            change(function)
    mark_objects(module)
    for function in module.functions.values():
        for change in LOOP_PASSES:
            change(function)
    memories = assign_memories(module, options)
    plans = schedule(module, memories, options)
    check_limit(memories, options)
    units = Units()
    design = Design(module, plans, memories, bind(list(plans.values()), memories, units), options.dram_bytes)
    text = kernel_text(design, options)
    return Kernel(text, report_of(design, options), design, options)
