# SPDX-License-Identifier: Apache-2.0
"""Reads a module: types, globals, functions. Input: LLVM IR text; output: ``ir.Module``.

Example: ``@a = global [4 x i32] [i32 1, i32 2, i32 0, i32 0]`` becomes an Object of 16 bytes with an address.
"""

from __future__ import annotations

import re
from copy import copy

from polyloom.hls.errors import HlsError
from polyloom.hls.ir import Module, Object
from polyloom.hls.objects import for_dram, place
from polyloom.hls.options import Options
from polyloom.hls.reader.constants import Constants
from polyloom.hls.reader.debug import Locations
from polyloom.hls.reader.function import FunctionReader
from polyloom.hls.reader.lexer import Cursor
from polyloom.hls.reader.types import Layout, Type

Initialiser = tuple[Object, Cursor, Type]
_GLOBAL_WORDS = {
    *("private", "internal", "available_externally", "linkonce", "weak", "common", "appending", "extern_weak"),
    *("linkonce_odr", "weak_odr", "dso_local", "dso_preemptable", "hidden", "protected", "default"),
    *("unnamed_addr", "local_unnamed_addr", "externally_initialized", "thread_local", "addrspace"),
}
_DEFINE_NAME = re.compile(r'@("[^"]*"|[-\w.$]+)\(')
_ALLOCA = re.compile(r"^\s*(%\S+) = alloca (.*)$")


def read(text: str, options: Options | None = None) -> Module:
    """The module of a text; the options say which objects are in DRAM."""
    lines = text.splitlines()
    layout = Layout()
    for line in lines:
        if line.startswith("target datalayout"):
            layout = Layout.of(line.split('"')[1])
        elif line.startswith("%") and " = type " in line:
            name, _, body = line.partition(" = type ")
            layout.bodies[name] = body
    locations = Locations([line for line in lines if line.startswith("!")])
    functions = _split_functions(lines)
    names = {name for name, _ in functions}
    names |= {
        m.group(1).strip('"') for line in lines if line.startswith("declare ") and (m := _DEFINE_NAME.search(line))
    }

    module = Module()
    objects: dict[str, Object] = {}
    initialisers = _globals(lines, layout, objects)
    readers = []
    constants = Constants(layout, objects, names)
    for name, text_lines in functions:
        locals_ = _allocas(name, text_lines, layout, locations)
        readers.append(FunctionReader(name, text_lines, layout, constants, locations, locals_))
        module.objects += locals_.values()
    module.objects = [*objects.values(), *module.objects]
    _place(module, constants, initialisers, options or Options())
    for line in lines:
        if line.startswith(("@llvm.used", "@llvm.compiler.used")):
            for name in re.findall(r"@([-\w.$]+)", line.partition("[")[2]):
                if name in objects:
                    objects[name].dma_visible = True
    for obj, cursor, type_ in initialisers:
        (obj.start or obj).content = constants.data(cursor, type_, obj.points)
    for reader in readers:
        function = reader.read()
        module.functions[function.name] = function
    if module.entry not in module.functions:
        raise HlsError("", f"no function {module.entry}; the entry of a kernel is `void {module.entry}(void)`")
    return module


def _place(module: Module, constants: Constants, initialisers: list[Initialiser], options: Options) -> None:
    """Give every object its address."""
    place(module.objects, [], options)  # so that addresses in initial values are not zero
    initial = {o: len(constants.data(copy(cursor), t, [])) for o, cursor, t in initialisers}
    in_dram = for_dram(module.objects, initial, options)
    for obj in in_dram:
        if initial.get(obj):
            words = min(initial[obj] // 8 + 1, (obj.size + 7) // 8)  # a final address may be a byte longer
            obj.start = Object(f"{obj.name}.start", 8 * words, 8, "constant")
            module.objects.append(obj.start)
    constants.heap = place(module.objects, in_dram, options)


def _split_functions(lines: list[str]) -> list[tuple[str, list[str]]]:
    result: list[tuple[str, list[str]]] = []
    current: list[str] | None = None
    for line in lines:
        if line.startswith("define "):
            match = _DEFINE_NAME.search(line)
            assert match is not None
            current = [line]
            result.append((match.group(1).strip('"'), current))
        elif line == "}":
            current = None
        elif current is not None:
            current.append(line)
    return result


def _globals(lines: list[str], layout: Layout, objects: dict[str, Object]) -> list[Initialiser]:
    result = []
    for line in lines:
        if not line.startswith("@"):
            continue
        cursor = Cursor(line)
        name = cursor.next()[1:].strip('"')
        if name.startswith("llvm."):
            continue
        cursor.expect("=")
        external = False
        while cursor.peek() in _GLOBAL_WORDS or cursor.peek() == "external":
            external |= cursor.next() == "external"
            if cursor.peek() == "(":
                cursor.skip_brackets()
        kind = cursor.next()
        if external or kind not in {"global", "constant"}:
            continue
        type_ = layout.parse(cursor)
        align = re.search(r", align (\d+)", line)
        bytes_ = max(1, layout.size(type_))
        obj = Object(name, bytes_, int(align.group(1)) if align else 8, "constant" if kind == "constant" else "global")
        objects[name] = obj
        result.append((obj, cursor, type_))
    return result


def _allocas(function: str, body: list[str], layout: Layout, locations: Locations) -> dict[str, Object]:
    result = {}
    for line in body:
        match = _ALLOCA.match(line)
        if not match:
            continue
        dbg = re.search(r"!dbg (!\d+)", line)
        where = locations.of(dbg.group(1)) if dbg else ""
        cursor = Cursor(match.group(2), where)
        cursor.accept("inalloca")
        type_ = layout.parse(cursor)
        count = 1
        if cursor.accept(",") and cursor.peek() != "align":
            layout.parse(cursor)
            if not re.fullmatch(r"\d+", cursor.peek()):
                message = f"in {function}: a variable length array cannot be in a kernel; give it a constant length"
                raise HlsError(where, message)
            count = int(cursor.next())
        name = match.group(1)[1:].strip('"')
        result[match.group(1)] = Object(f"{function}.{name}", max(1, layout.size(type_) * count), 16, "local", where)
    return result
