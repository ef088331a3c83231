# SPDX-License-Identifier: Apache-2.0
# Covers: what a person hears about programs that cannot be kernels: the place (file:line:column) and the reason.
# Leaves out: errors of clang itself, which are passed on as they are.
from pathlib import Path

import pytest

from polyloom.hls import HlsError, Options, compile_kernel, frontend

KERNEL = "void __polyloom_push(unsigned, unsigned long);\nunsigned long __polyloom_pop(unsigned);\n"

#: name: (source after two lines of declarations, line of the message, words in it)
CASES = {
    "function pointer": (
        "long a(long x) { return x * 3; }\nlong b(long x) { return x ^ __polyloom_pop(0); }\n"
        "long (*volatile table[2])(long) = {a, b};\n"
        "void polyloom_kernel(void) { __polyloom_push(0, table[__polyloom_pop(0) & 1](5)); }",
        None,
        ["pointer"],
    ),
    "unknown function": (
        "int printf(const char *, ...);\nlong outside(long);\nvoid polyloom_kernel(void) {\n"
        "  __polyloom_push(0, outside(__polyloom_pop(0)));\n}",
        6,
        ["outside", "defines"],
    ),
    "long double": (
        "void polyloom_kernel(void) {\n  long double x = __polyloom_pop(0);\n  __polyloom_push(0, x / 3);\n}",
        4,
        ["long double", "double"],
    ),
    "inline assembly": ('void polyloom_kernel(void) {\n  __asm__ volatile("nop");\n}', 4, ["assembly"]),
    "variable length": (
        "void polyloom_kernel(void) {\n  int n = __polyloom_pop(0);\n  volatile int a[n];\n"
        "  for (int i = 0; i < n; i++) a[i] = i;\n  __polyloom_push(0, a[n / 2]);\n}",
        5,
        ["variable length"],
    ),
    "port": ("void polyloom_kernel(void) {\n  __polyloom_push(__polyloom_pop(0), 1);\n}", 4, ["port", "constant"]),
}


def compile_text(folder: Path, text: str, options: Options | None = None) -> None:
    source = folder / "program.c"
    source.write_text(KERNEL + text)
    compile_kernel(frontend.to_ir([source], [f"-ffile-prefix-map={folder}/="]), options)


@pytest.mark.parametrize("name", CASES)
def test_message(name: str, tmp_path: Path) -> None:
    text, line, words = CASES[name]
    with pytest.raises(HlsError) as error:
        compile_text(tmp_path, text)
    message = str(error.value)
    if line is not None:
        assert message.startswith(f"program.c:{line}:"), message
    for word in words:
        assert word in message


def test_too_large(tmp_path: Path) -> None:
    text = "long a[1000]VALUES;\nvoid polyloom_kernel(void) { __polyloom_push(0, (unsigned long)a); }"
    values = text.replace("VALUES", " = {[0 ... 999] = 5}")
    compile_text(tmp_path, values)
    with pytest.raises(HlsError, match=r"8000 bytes of block RAM, at most 4096.*a with 8000.*[Ii]nitial values"):
        compile_text(tmp_path, values, Options(memory_limit=4096))
    zeros = text.replace("VALUES", "")
    compile_text(tmp_path, zeros, Options(memory_limit=4096, dram_bytes=8000))
    with pytest.raises(HlsError, match=r"8000 bytes of DRAM, the node has 4096.*a with 8000"):
        compile_text(tmp_path, zeros, Options(memory_limit=4096, dram_bytes=4096))


def test_no_entry(tmp_path: Path) -> None:
    with pytest.raises(HlsError, match=r"no function polyloom_kernel"):
        compile_text(tmp_path, "int x;")
