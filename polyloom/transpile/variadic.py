# SPDX-License-Identifier: Apache-2.0
"""Functions with ``...``, which no circuit has. Input: IR text of a whole program; output: the same without them.

The arguments that follow are stored in memory, 8 bytes each, as riscv64 has them behind a ``va_list``, and the function
gets their address:

    call void (ptr, ...) @say(ptr %f, i32 %n)   ->   store i32 %n, ptr %area
                                                     call void @say(ptr %f, ptr %area)
"""

from __future__ import annotations

import re
from itertools import count

from polyloom.base.errors import UserError
from polyloom.transpile.indirect import listed

_FUNCTION = re.compile(r"^define [^\n]*\{\n(?:[\w.$-]+:[^\n]*\n)?", re.MULTILINE)
_DEFINED = re.compile(r"^define [^@\n]*@([\w.$-]+)\([^\n]*?\.\.\.\)", re.MULTILINE)
_CALL = re.compile(
    r"^(?P<result> +(?:%\S+ = )?)(?:tail |notail )?call (?P<type>[^(\n]*?)\((?P<fixed>[^()\n]*?),? ?\.\.\.\) "
    r"@(?P<name>[\w.$-]+)\(",
    re.MULTILINE,
)
_ARGUMENT = re.compile(
    r"(?P<type>\w+)(?: (?:noundef|signext|zeroext|nonnull|align \d+|dereferenceable\(\d+\)))* (?P<value>.*)"
)
_LIST = r"ptr [^%\n]*(?P<{}>%[\w.$-]+)"
_INTRINSIC = r"^ +(?:tail )?call void @llvm\.va_{}(?:\.p0)?\("
_START = re.compile(_INTRINSIC.format("start") + _LIST.format("list") + r"\)[^\n]*", re.MULTILINE)
_COPY = re.compile(
    _INTRINSIC.format("copy") + _LIST.format("to") + ", " + _LIST.format("of") + r"\)[^\n]*", re.MULTILINE
)
_END = re.compile(_INTRINSIC.format("end") + r"[^\n]*\n", re.MULTILINE)
_REST = "%polyloom.rest"


def resolve(module: str) -> str:
    """The module with addresses instead of ``...``, for functions that it defines."""
    defined = set(_DEFINED.findall(module))
    if not defined:
        return module
    numbers = count()
    begins = [match.start() for match in _FUNCTION.finditer(module)]
    parts = [module[begin:end] for begin, end in zip([0, *begins], [*begins, len(module)], strict=True)]
    return "".join(_of_function(part, defined, numbers) for part in parts)


def _of_function(text: str, defined: set[str], numbers: count[int]) -> str:
    areas: list[str] = []
    done, at = "", 0
    for call in _CALL.finditer(text):
        if call["name"] not in defined:
            continue
        arguments = listed(text, call.end())
        fixed = len([kind for kind in call["fixed"].split(",") if kind.strip()])
        area = f"%polyloom.area.{next(numbers)}"
        areas.append(f"  {area} = alloca [{max(1, len(arguments) - fixed)} x i64], align 16\n")
        stores = [_store(call["name"], area, place, argument) for place, argument in enumerate(arguments[fixed:])]
        end = call.end() + _length(text, call.end())
        given = ", ".join([*arguments[:fixed], f"ptr {area}"])
        done += (
            text[at : call.start()] + "".join(stores) + f"{call['result']}call {call['type']}@{call['name']}({given}"
        )
        at = end
    text = done + text[at:]
    head = _FUNCTION.match(text)
    if head is not None:
        begin = _DEFINED.sub(
            lambda m: re.sub(r"(?:, )?\.\.\.\)$", f", ptr {_REST})", m[0]).replace("(, ", "("), head[0]
        )
        text = begin + "".join(areas) + text[head.end() :]
    text = _START.sub(rf"  store ptr {_REST}, ptr \g<list>, align 8", text)

    def copied(copy: re.Match[str]) -> str:
        value = f"%polyloom.copy.{next(numbers)}"
        return f"  {value} = load ptr, ptr {copy['of']}, align 8\n  store ptr {value}, ptr {copy['to']}, align 8"

    text = _COPY.sub(copied, text)
    return _END.sub("", text)


def _store(name: str, area: str, place: int, argument: str) -> str:
    found = _ARGUMENT.match(argument)
    if found is None:
        raise UserError(f"{name}: a struct among the arguments of `...` cannot be in a kernel; hand its address over")
    slot = f"{area}.{place}"
    return (
        f"  {slot} = getelementptr i64, ptr {area}, i64 {place}\n"
        f"  store {found['type']} {found['value']}, ptr {slot}, align 8\n"
    )


def _length(text: str, begin: int) -> int:
    """Up to the parenthesis that closes what is open."""
    depth = 0
    for at in range(begin, len(text)):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            if depth == 0:
                return at - begin
            depth -= 1
    return len(text) - begin
