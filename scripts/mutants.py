# SPDX-License-Identifier: Apache-2.0
"""Whether the daily tests notice a wrong line: a fixed sample of mutants of C++, Python and SystemVerilog, each tested.

Usage: mutants.py list | run [--only TEXT] [--kind KIND] [--users]

A mutant is one operator, number or word of one line of the product, changed. The sample is drawn with a fixed seed.
``run`` changes one file of this tree after the other, tests it, puts the file back, and writes what killed each, or
that nothing did, into bench/results/mutants.json. The nearest tests come first (those that a module in RTL names, the
folder's own), then the room's (scripts/stages.py); with --users, what is alive after all that meets the tests of the
rooms that use it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import rooms as tree

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "mutants.json"
SEED, EACH = 32, 20
#: Suffixes, and the folders of the product, of each kind.
KINDS = {
    "C++": (
        (".cc", ".h"),
        re.compile(r"(fabric|polite|nbody|apps|blocks/\w+/sim|roles/\w+/(sim|host|runtime))/(?!.*test)"),
    ),
    "Python": ((".py",), re.compile(r"(polyloom|apps)/(?!.*(test|conftest))")),
    "SystemVerilog": ((".sv",), re.compile(r"(blocks|roles)/.*/?rtl/(?!.*test)")),
}
#: What is changed into what; of a line the first that fits, beginning at a random one.
CHANGES = [
    (r" < ", " <= "), (r" > ", " >= "), (r" <= (?=[\w(]+[;)\]])", " < "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" and ", " or "), (r" or ", " and "), (r"\bif not ", "if "),
    (r" \+ ", " - "), (r" - (?=\w)", " + "), (r"\btrue\b", "false"), (r"\bTrue\b", "False"),
    (r"\bfalse\b", "true"), (r"\bFalse\b", "True"), (r"(?<=[ (\[])1(?=[;)\]: ])", "2"),
    (r"(?<=[ (\[])0(?=[;)\] ])", "1"), (r" \* ", " + "), (r"\bmin\(", "max("), (r"\bmax\(", "min("),
    (r" >> ", " << "), (r" & ", " | "), (r" \| ", " & "),
]  # fmt: skip
_NO_CODE = re.compile(
    r"^\s*(//|#|\*|static_assert|assert|import|from|\$|`)"
    r"|\$(error|fatal)|raise |throw |edge |genvar|assert|frozen|\bdef |\| None"
)
LIMIT = 400  #: seconds of one room's tests; a mutant that runs for ever is noticed


@dataclass
class Mutant:
    """One changed line."""

    kind: str
    file: str
    line: int
    old: str
    new: str
    killed_by: str = ""
    seconds: float = 0.0
    before: str = ""  #: what killed it at f69e863, before lists became samples; written by hand
    why: str = ""  #: of a survivor: why no test can tell; written by hand


def sample() -> Iterator[Mutant]:
    """More than are needed of each kind, as some do not compile."""
    for kind, (suffixes, place) in KINDS.items():
        rng = random.Random(f"{SEED} {kind}")
        lines = [
            (name, number, text)
            for name in tree.files([])
            if name.endswith(suffixes) and place.match(name)
            for number, text in code(ROOT / name)
            if not _NO_CODE.search(text)
        ]
        rng.shuffle(lines)
        seen: set[str] = set()
        for name, number, text in lines:
            if name not in seen and (new := change(rng, text.split("  #" if kind == "Python" else "//")[0], kind)):
                seen.add(name)
                yield Mutant(kind, name, number, text.strip(), new.strip())


def code(path: Path) -> Iterator[tuple[int, str]]:
    """Numbers and texts of lines, without those of Python's longer strings."""
    text = path.read_text()
    strings: set[int] = set()
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.end_lineno:
                strings |= set(range(node.lineno, node.end_lineno + 1))
    yield from ((number, line) for number, line in enumerate(text.splitlines(), 1) if number not in strings)


def change(rng: random.Random, text: str, kind: str) -> str:
    """A line with one thing in it changed, or ""."""
    first = rng.randrange(len(CHANGES))
    for pattern, new in CHANGES[first:] + CHANGES[:first]:
        if kind == "SystemVerilog" and new == " < ":  # an assignment
            continue
        if re.search(pattern, text) and text.count('"') == 0:
            return re.sub(pattern, new, text, count=1)
    return ""


def near(mutant: Mutant) -> list[str]:
    """Its nearest tests, files or a folder, its room, and the one around that."""
    path, here = Path(mutant.file), tree.room_of(mutant.file)
    head = (ROOT / path).read_text().partition("module ")[0]
    if path.suffix == ".sv" and (named := re.findall(r"test_\w+\.py", head)):
        return [" ".join(name for name in tree.tracked() if Path(name).name in named), here]
    places = dict.fromkeys([str(path.parent), here, str(Path(here).parent)])
    return [place for place in places if "/" in place or place == here]


def users(mutant: Mutant) -> list[str]:
    """The rooms that use that one."""
    here = tree.room_of(mutant.file)
    return sorted({user for user, used in tree.users() if used == here and (ROOT / user).is_dir()})


def tested(mutant: Mutant, rooms: list[str]) -> str | None:
    """What kills a mutant in some rooms, "" if nothing does, None if it does not compile."""
    path = ROOT / mutant.file
    before = path.read_text()
    lines = before.splitlines(keepends=True)
    if lines[mutant.line - 1].strip() != mutant.old:
        return "its line is gone"
    lines[mutant.line - 1] = lines[mutant.line - 1].replace(mutant.old, mutant.new)
    path.write_text("".join(lines))
    try:
        for place in rooms:
            command = ["timeout", "-k", "5", str(LIMIT), sys.executable]
            if place.endswith(".py"):
                command += ["-m", "pytest", "-x", "-q", *place.split()]
            else:
                command += [str(ROOT / "scripts" / "stages.py"), "build", "2", "--room", place, "--no-lint", "--first"]
            environment = os.environ | {"POLYLOOM_RTL_OPTIMIZE": "-O1"}
            done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
            failed = re.findall(r"^(?:FAILED|ERROR(?= \S+::)) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
            if failed:
                return None if failed == ["compile"] else failed[0]
            if done.returncode != 0:
                return "the time limit" if done.returncode == 124 else f"status {done.returncode}"
        return ""
    finally:
        path.write_text(before)


def main() -> None:
    """List the sample, or test it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["list", "run"])
    parser.add_argument("--only", default="", help="mutants whose file has this text")
    parser.add_argument("--kind", default="", choices=["", *KINDS])
    parser.add_argument("--users", action="store_true", help="the rooms that use a mutant's too")
    arguments = parser.parse_args()
    found: list[Mutant] = []
    for kind in KINDS:
        here = [m for m in sample() if m.kind == kind]
        count = 0
        for mutant in here:
            if count == EACH:
                break
            if arguments.kind not in {"", kind} or arguments.only not in mutant.file:
                continue
            if arguments.what == "run":
                begin = time.monotonic()
                killer = tested(mutant, near(mutant))
                if killer is None:
                    continue
                mutant.killed_by, mutant.seconds = killer, round(time.monotonic() - begin)
            count += 1
            found.append(mutant)
            show(mutant)
            if arguments.what == "run" and not arguments.only:
                write(found)
    if arguments.what == "run" and arguments.users:
        for mutant in found:
            if not mutant.killed_by:
                begin = time.monotonic()
                mutant.killed_by = tested(mutant, users(mutant)) or ""
                mutant.seconds += round(time.monotonic() - begin)
                show(mutant)
                if not arguments.only:
                    write(found)


def show(mutant: Mutant) -> None:
    """A line of it."""
    print(f"{mutant.file}:{mutant.line}: {mutant.old}  ->  {mutant.new}   {mutant.killed_by or '-'}", flush=True)


def write(found: list[Mutant]) -> None:
    """What was found so far, an interrupted run keeps it; what had been found of other kinds, or written by hand."""
    before = json.loads(RESULT.read_text())["mutants"] if RESULT.is_file() else []
    kinds = {mutant.kind for mutant in found}
    known = {(m["file"], m["old"], m["new"]): m for m in before}
    for mutant in found:
        if note := known.get((mutant.file, mutant.old, mutant.new)):
            mutant.before, mutant.why = note["before"], note["why"]
    every = [*(m for m in before if m["kind"] not in kinds), *map(asdict, found)]
    killed, earlier = (sum(bool(m[key]) for m in every) for key in ("killed_by", "before"))
    counts = {"killed": killed, "killed_before": earlier, "of": len(every)}
    RESULT.write_text(json.dumps(counts | {"mutants": every}, indent=1) + "\n")


if __name__ == "__main__":
    main()
