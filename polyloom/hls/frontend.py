# SPDX-License-Identifier: Apache-2.0
"""C to LLVM IR: clang, link, and LLVM's own optimisations for a kernel. Output: IR text of one module.

``to_ir(["a.c", "b.c"], ["-DN=4"])``. The program is compiled for riscv64, whose types have the sizes of a CPU rank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from polyloom.base import process
from polyloom.hls import absent, toolchain

TARGET = "riscv64-unknown-elf"
CLANG_FLAGS = [
    # Not -ffreestanding: only a hosted main returns 0 where it has no return (C99 5.1.2.2.3).
    *("-fno-builtin", "-nostdlibinc"),
    *("-O2", "-ffp-contract=off", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"),
    *("-fsigned-char", "-g1", "-fno-discard-value-names", "-fno-jump-tables", "-fno-math-errno"),
]
#: After linking: inline across files, and leave loops in the form that the compiler expects.
PASSES = (
    "internalize,globalopt,globaldce,ipsccp,deadargelim,"
    "cgscc(inline,argpromotion,function(sroa<modify-cfg>,early-cse<memssa>,correlated-propagation,simplifycfg,"
    "instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop(indvars,loop-deletion),gvn,memcpyopt,sccp,bdce,dse,loop-mssa(licm),adce,simplifycfg,"
    "instcombine<no-verify-fixpoint>)),globalopt,globaldce,constmerge,"
    "function(lower-constant-intrinsics,loop-simplify,loop-mssa(licm),instcombine<no-verify-fixpoint>,simplifycfg,"
    "lower-expect,loop-simplify,lcssa)"
)
#: How often they run at most where that may take a call away that no kernel can make.
MOST_ROUNDS = 4
OPT_FLAGS = ["-internalize-public-api-list=polyloom_kernel", "-inline-threshold=150", "-jump-threading-threshold=0"]

_WITH_STRUCT = re.compile(
    r"^(define (?:[^@\n]*[\]}] @|[^@\n]*@[\w.$-]+\((?:[^\n]*, )?\[)[^\n]*?\)[^#\n]*)(#\d+)", re.MULTILINE
)
_NOINLINE = re.compile(r"^(attributes (?P<group>#\d+) = \{.*?)\bnoinline\b(?P<rest>.*)", re.MULTILINE)
_PHI_OF_STRUCT = re.compile(r"^ +%\S+ = phi [\[{]", re.MULTILINE)


def to_ir(c_files: Sequence[str | Path], flags: Sequence[str] = ()) -> str:
    """LLVM IR of the linked and optimised program. UserError with the compiler's messages if it does not compile."""
    with process.scratch("hls") as folder:
        parts = [compile_unit(file, flags, Path(folder) / f"{n}.ll") for n, file in enumerate(c_files)]
        return optimise(toolchain.run("llvm-link", ["-S", *parts, "-o", "-"]))


def compile_unit(file: str | Path, flags: Sequence[str], output: Path) -> Path:
    """One C file as IR text, written to ``output``, which is returned."""
    command = [f"--target={TARGET}", *CLANG_FLAGS, *flags, "-S", "-emit-llvm"]
    toolchain.run("clang", [*command, file, "-o", output])
    return output


def optimise(ir_text: str) -> str:
    """The linked module after LLVM's passes."""
    # a struct as a result or parameter has no register of its own: such functions become part of their callers
    text = _WITH_STRUCT.sub(r"\1alwaysinline \2", ir_text)
    inlined = {group for _, group in _WITH_STRUCT.findall(ir_text)}
    text = _NOINLINE.sub(
        lambda m: m[1] + m["rest"] if m["group"] in inlined or "alwaysinline" in m["rest"] else m[0], text
    )
    for _ in range(MOST_ROUNDS):
        before, text = text, _run_passes(text, PASSES)
        if _PHI_OF_STRUCT.search(text):  # of a function with several returns; through memory it falls apart
            text = _run_passes(text, f"function(reg2mem,sroa),{PASSES}")
        # One round is enough for all but constants that inlining has just brought to a test of the rank.
        if text == before or not absent.calls(text):
            break
    return text


def _run_passes(text: str, passes: str) -> str:
    return toolchain.run("opt", ["-S", f"-passes={passes}", *OPT_FLAGS, "-", "-o", "-"], text)
