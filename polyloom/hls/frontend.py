# SPDX-License-Identifier: Apache-2.0
"""C to LLVM IR: clang, link, and LLVM's own optimisations for a kernel. Output: IR text of one module.

``to_ir(["a.c", "b.c"], ["-DN=4"])``. The program is compiled for riscv64, whose types have the sizes of a CPU rank.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from polyloom.errors import UserError

TARGET = "riscv64-unknown-elf"
CLANG_FLAGS = [
    *("-O2", "-ffreestanding", "-ffp-contract=off", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"),
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
OPT_FLAGS = ["-internalize-public-api-list=polyloom_kernel", "-inline-threshold=150", "-jump-threading-threshold=0"]


def tool(name: str) -> str:
    """Path of a program of LLVM 19."""
    found = shutil.which(name)
    if found is None:
        raise UserError(f"{name} is not installed; run `make setup` (Debian packages clang-19 and llvm-19)")
    return found


def to_ir(c_files: Sequence[str | Path], flags: Sequence[str] = ()) -> str:
    """LLVM IR of the linked and optimised program. UserError with the compiler's messages if it does not compile."""
    with tempfile.TemporaryDirectory(prefix="polyloom-hls-") as folder:
        parts = []
        for index, file in enumerate(c_files):
            out = str(Path(folder) / f"{index}.ll")
            command = [tool("clang-19"), f"--target={TARGET}", *CLANG_FLAGS, *flags, "-S", "-emit-llvm"]
            _run([*command, str(file), "-o", out])
            parts.append(out)
        linked = str(Path(folder) / "linked.ll")
        _run([tool("llvm-link-19"), "-S", *parts, "-o", linked])
        return optimise(Path(linked).read_text())


def optimise(ir_text: str) -> str:
    """The linked module after LLVM's passes."""
    # a struct as a result has no register of its own: such functions become part of their callers
    text = re.sub(r"^(define [^@]*[\]}] @[^\n]*?\)[^#\n]*)(#\d+)", r"\1alwaysinline \2", ir_text, flags=re.MULTILINE)
    text = re.sub(r"^(attributes #\d+ = \{.*?)\bnoinline\b(?=.*alwaysinline)", r"\1", text, flags=re.MULTILINE)
    command = [tool("opt-19"), "-S", f"-passes={PASSES}", *OPT_FLAGS, "-", "-o", "-"]
    return _run(command, text)


def _run(command: list[str], stdin: str | None = None) -> str:
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UserError(f"{Path(command[0]).name} failed:\n{done.stderr.strip()}")
    return done.stdout
