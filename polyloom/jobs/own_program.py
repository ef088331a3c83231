# SPDX-License-Identifier: Apache-2.0
"""Vertex programs in one C++ file of the user's. Input: the file; output: a program for this machine, one for threads.

Both lie in the cache, under the contents of the file and of all headers that it includes. How the compilers are called
stands in ``build/own_program.json``, which CMake writes.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom.base import paths, process
from polyloom.base.cache import PROGRAMS
from polyloom.base.errors import UserError
from polyloom.base.progress import Progress

SUFFIXES = (".cc", ".cpp", ".cxx")
#: The example that `polyloom new` begins with.
EXAMPLE = "kcore"
#: What only the shipped form of the example needs.
HOST_PART = re.compile(r"\n\n#if POLYLOOM_HOST\n.*?#endif\n", re.DOTALL)
NO_MAIN = "undefined reference to `main'"


def is_source(name: str) -> bool:
    """Whether that names a C++ file rather than a shipped application."""
    return Path(name).suffix in SUFFIXES


@dataclass(frozen=True)
class OwnProgram:
    """A user's file."""

    source: Path

    @property
    def name(self) -> str:
        """As its runs call it."""
        return re.sub(r"[^\w.-]", "_", self.source.stem)

    def program(self) -> Path:
        """The program for this machine, compiled if need be."""
        return self._provide("host", self.name, self._compile_host)

    def device(self) -> Path:
        """The folder of the threads' programs, ``NAME/code.v`` and the like, compiled if need be."""
        description = json.loads(_call([str(self.program()), "--describe"]))
        return self._provide("device", self.name, functools.partial(self._compile_device, description))

    def _provide(self, kind: str, file: str, make: Any) -> Path:
        """A file of the cache's entry. The headers that it was made of are known once it has been made."""
        if not self.source.is_file():
            raise UserError(f"{self.source}: there is no such file; `polyloom new` writes one to begin with")
        words = [kind, str(self.source.resolve()), _library(), json.dumps(_words())]
        first = _digest(words, [self.source])
        listed = PROGRAMS.find(first, "headers")
        if listed is not None:
            headers = [Path(line) for line in (listed / "headers").read_text().splitlines()]
            if all(header.is_file() for header in headers):
                entry = PROGRAMS.find(_digest([first], headers), file)
                if entry is not None:
                    return entry / file
        with Progress(f"compiling {self.source.name}"), process.scratch("compiling") as scratch:
            made = scratch / "made"
            made.mkdir()
            headers = make(made)
            key = _digest([first], headers)
            with PROGRAMS.making(key) as fresh:
                shutil.copytree(made, fresh, dirs_exist_ok=True)
            listed = PROGRAMS.find(first, "headers")
            if listed is not None:  # of headers as they were
                (listed / "headers").write_text("".join(f"{header}\n" for header in headers))
            else:
                with PROGRAMS.making(first) as fresh:
                    (fresh / "headers").write_text("".join(f"{header}\n" for header in headers))
        return PROGRAMS.folder / key / file

    def _compile_host(self, folder: Path) -> list[Path]:
        library = paths.build_dir() / "lib"
        define = f'-DPOLYLOOM_PROGRAM_NAME="{self.name}"'
        words = [_tool("c++", "g++"), define, *_words()["host"], str(self.source), "-o", str(folder / self.name)]
        words += [
            "-pie",
            f"-L{library}",
            "-lpolyloom",
            f"-Wl,-rpath,{library}",
            "-MD",
            "-MF",
            str(folder / "headers.d"),
        ]
        self._compile(words)
        return _headers(folder / "headers.d")

    def _compile_device(self, description: dict[str, Any], folder: Path) -> list[Path]:
        compiler = _tool("riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf")
        headers: list[Path] = []
        for number, mode in enumerate(description["modes"]):
            out = folder / self.name / (f"{self.name}_{mode}" if number else self.name)
            out.mkdir(parents=True)
            words = [
                compiler,
                *_words()["device"],
                f"-DPOLYLOOM_MODE={number}",
                "-MD",
                "-MF",
                str(folder / "headers.d"),
            ]
            words += [f"-DPOLYLOOM_HOST_BYTES={description['bytes'][number]}"]
            self._compile([*words, "-c", str(self.source), "-o", str(out / "app.o")])
            headers = _headers(folder / "headers.d")
            elf = str(out / "app.elf")
            self._compile([compiler, *_words()["device_link"], str(out / "app.o"), "-lgcc", "-o", elf])
            objcopy = _tool("riscv64-unknown-elf-objcopy", "binutils-riscv64-unknown-elf")
            _call([objcopy, "-O", "verilog", "--only-section=.text", elf, str(out / "code.v")])
            data = ["--remove-section=.text", "--set-section-flags=.bss=alloc,load,contents"]
            _call([objcopy, "-O", "verilog", *data, elf, str(out / "data.v")])
        return headers

    def _compile(self, words: Sequence[str]) -> None:
        done = process.tool([*words, "-fdiagnostics-color=never"], env={**os.environ, "LC_ALL": "C"})
        if done.returncode != 0:
            raise UserError(what_is_wrong(self.source, done.stderr))


def what_is_wrong(source: Path, messages: str) -> str:
    """A compiler's messages, told of the user's lines: also where the error is in a header of ours that they use."""
    lines = messages.splitlines()
    errors = [i for i, line in enumerate(lines) if re.search(r"^(?!collect2).*: (fatal )?error: ", line)]
    if not errors:
        if NO_MAIN in messages:
            return f"{source}: has no POLYLOOM_PROGRAM(...), which makes a program of the description"
        reported = [line for line in lines if "undefined reference" in line or "too large" in line or "objects" in line]
        return f"{source}: cannot be linked: " + (reported or lines or ["the compiler says nothing"])[0].strip()
    place = re.compile(rf"{re.escape(str(source))}:(\d+)")
    own = [i for i in errors if place.match(lines[i])]
    if own:
        end = next((i for i in range(own[0] + 1, len(lines)) if not lines[i].startswith(" ")), len(lines))
        more = len(own) - 1
        text = "\n".join(lines[own[0] : end])
        return text + (f"\n(and {more} more error{'s' if more > 1 else ''})" if more else "")
    said = re.sub(r"^.*?: (fatal )?error: ", "", lines[errors[0]])
    said = re.sub(r"^static assertion failed: ", "", said)
    ways = [line for line in lines[: errors[0]] if "from" in line and not re.match(r"\s+from|In file", line)]
    around = [match for line in ways if (match := place.match(line))]
    at = f"{source}:{around[-1][1]}" if around else str(source)
    return f"{at}: error: {said}"


def new(name: str) -> Path:
    """Write NAME.cc, the example under that name. UserError if it is there, or the name is none."""
    if not re.fullmatch(r"[A-Za-z]\w*", name.removesuffix(".cc")):
        raise UserError(f"{name}: a name of letters, digits and _ is expected: polyloom new mine")
    file = Path(name.removesuffix(".cc") + ".cc")
    text = (paths.home() / "apps" / EXAMPLE / f"{EXAMPLE}.cc").read_text(encoding="utf-8")
    text = HOST_PART.sub("\n", text)
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise UserError(f"{file} is there already; give another name") from None
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}") from error
    return file


@functools.cache
def _words() -> dict[str, list[str]]:
    file = paths.build_dir() / "own_program.json"
    if not file.is_file():
        raise UserError(f"{file} is not there; {paths.how_to_build()}")
    places = {"{home}": str(paths.home()), "{build}": str(paths.build_dir())}
    words: dict[str, list[str]] = json.loads(file.read_text())
    for known in words.values():
        for i, word in enumerate(known):
            known[i] = functools.reduce(lambda text, item: text.replace(*item), places.items(), word)
    return words


@functools.cache
def _library() -> str:
    """Contents of the library that a program is linked with."""
    file = paths.build_dir() / "lib" / "libpolyloom.so"
    if not file.is_file():
        raise UserError(f"{file} is not built; {paths.how_to_build()}")
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _tool(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise UserError(
            f"a vertex program is compiled with {name}, which is not there; install the Debian package {package}"
        )
    return found


def _call(words: Sequence[str]) -> str:
    done = process.tool(words)
    if done.returncode != 0:
        raise UserError(f"{shlex.join(words)}: {done.stderr.strip() or f'ended with status {done.returncode}'}")
    return done.stdout


def _headers(depfile: Path) -> list[Path]:
    """What a compiler has read, but for the system's own; the file is removed."""
    text = depfile.read_text(encoding="utf-8").replace("\\\n", " ").partition(":")[2]
    depfile.unlink()
    read = [Path(word.replace("\\ ", " ")) for word in re.split(r"(?<!\\)\s+", text.strip())]
    return [file.resolve() for file in read if not file.is_relative_to("/usr")]


def _digest(words: Sequence[str], files: Sequence[Path]) -> str:
    found = hashlib.sha256("\0".join(words).encode(errors="surrogateescape"))
    for file in files:
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:24]
