# SPDX-License-Identifier: Apache-2.0
"""Calls through pointers, which no circuit has. Input: IR text of a whole program; output: the same with direct calls.

All functions of a program are known when it is made. So a pointer to one becomes a number, and a call through a pointer
a choice among the functions of its type whose address is taken:

    call void %f(ptr %a, ptr %b)   ->   call void @polyloom.indirect.0(ptr %f, ptr %a, ptr %b)

Where LLVM then knows the number, nothing of the choice is left. A call for which there is no function stays, and
``polyloom.hls`` refuses it with its place if LLVM does not delete it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_DEFINITION = re.compile(r"^define [^@\n]*?(?P<result>\{[^}]*\}|\[[^]]*\]|[\w.%]+) @(?P<name>[\w.$-]+)\(", re.MULTILINE)
_CALL = re.compile(
    r"^(?P<head> +(?:%\S+ = )?(?:tail |notail )?call )(?P<type>[^@%\n(]*?)"
    r"(?P<result>\{[^}\n]*\}|\[[^]\n]*\]|[\w.]+) (?P<named>\([^()\n]*\.\.\.\) )?(?P<pointer>%[\w.$-]+)\(",
    re.MULTILINE,
)
_USE = re.compile(r"@(?P<name>[\w.$-]+)(?![\w.$(-])")
_TYPE = re.compile(r"\{[^}]*\}|\[[^]]*\]|[\w.%]+")
#: Addresses that no object has (roles/mpi/ENGINE.md), and that differ from the null pointer's.
_FIRST, _DISTANCE = 16, 16

_Signature = tuple[str, ...]  # of the result and the parameters


def resolve(module: str) -> str:
    """The module without the calls through pointers for which it has functions."""
    defined: dict[str, _Signature] = {
        d["name"]: (d["result"], *_types(listed(module, d.end()))) for d in _DEFINITION.finditer(module)
    }
    code = "\n".join(line for line in module.splitlines() if not line.startswith("!"))
    taken = sorted({use["name"] for use in _USE.finditer(code)} & defined.keys())
    numbers = {name: _FIRST + _DISTANCE * place for place, name in enumerate(taken)}
    choices: dict[_Signature, str] = {}

    def direct(call: re.Match[str]) -> str:
        more = ["..."] if call["named"] else []  # of a function like MPI's handlers of errors
        signature = (call["result"], *_types(listed(module, call.end())), *more)
        if not any(defined[name] == signature for name in taken):
            return call[0]
        name = choices.setdefault(signature, f"polyloom.indirect.{len(choices)}")
        comma = ", " if len(signature) - len(more) > 1 else ""
        return f"{call['head']}{call['type']}{call['result']} @{name}(ptr {call['pointer']}{comma}"

    text = _CALL.sub(direct, module)

    def number(use: re.Match[str]) -> str:
        return f"inttoptr (i64 {numbers[use['name']]} to ptr)" if use["name"] in numbers else use[0]

    if taken:
        text = _USE.sub(number, text)
    for signature, name in choices.items():
        functions = {f: n for f, n in numbers.items() if defined[f] == signature}
        text += "\n" + "\n".join(_choice(name, signature, functions)) + "\n"
    return text


def _choice(name: str, signature: _Signature, functions: dict[str, int]) -> Iterator[str]:
    """The function that calls the one of a number; the last one is for all others."""
    result, *parameters = signature
    kind = result
    if parameters[-1:] == ["..."]:
        kind = f"{result} ({', '.join(parameters)})"
        parameters.pop()
    listed = ", ".join(f"{each} %a{place}" for place, each in enumerate(parameters))
    yield f"define internal {result} @{name}(ptr %function{', ' if listed else ''}{listed}) alwaysinline {{"
    for place, (function, number) in enumerate(functions.items()):
        if place < len(functions) - 1:
            yield f"  %is{place} = icmp eq ptr %function, inttoptr (i64 {number} to ptr)"
            yield f"  br i1 %is{place}, label %call{place}, label %else{place}"
            yield f"call{place}:"
        if result == "void":
            yield f"  call {kind} @{function}({listed})"
            yield "  ret void"
        else:
            yield f"  %r{place} = call {kind} @{function}({listed})"
            yield f"  ret {result} %r{place}"
        if place < len(functions) - 1:
            yield f"else{place}:"
    yield "}"


def listed(text: str, begin: int) -> list[str]:
    """What stands between commas from there to the parenthesis that closes what is open."""
    depth, parts, last = 0, [], begin
    for at in range(begin, len(text)):
        letter = text[at]
        if depth == 0 and letter in ",)":
            parts.append(text[last:at])
            last = at + 1
            if letter == ")":
                break
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
    return [part.strip() for part in parts if part.strip()]


def _types(parts: Sequence[str]) -> list[str]:
    return [match[0] if (match := _TYPE.match(part)) else part for part in parts]
