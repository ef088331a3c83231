# SPDX-License-Identifier: Apache-2.0
"""How a program ends by an exception, whichever it is: one line on standard error, and a status."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from polyloom.base import interrupts, memory
from polyloom.base.errors import UserError

#: Of an exception that was not foreseen (sysexits.h, EX_SOFTWARE).
DEFECT = 70


@contextlib.contextmanager
def one_line() -> Iterator[None]:
    """Around a whole program: whatever is raised inside ends it with one line on standard error and a status."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # what cannot be written is known here, not after the last line
    except UserError as error:
        end(str(error))
    except MemoryError:
        left = memory.left()
        end(f"not enough memory: {left}{', and ' if left else ''}this work needs more; make it smaller")
    except OSError as error:
        end(_of_system(error))
    except KeyboardInterrupt:
        end("interrupted by SIGINT", 130)
    except interrupts.Ended as ended:
        end(str(ended), ended.status)
    except Exception as error:
        if os.environ.get("POLYLOOM_TRACEBACK"):
            raise
        at = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(at.filename).name}:{at.lineno}"
        end(f"internal error, {type(error).__name__} at {where}: {error}; POLYLOOM_TRACEBACK=1 shows more", DEFECT)


def _of_system(error: OSError) -> str:
    """What failed, and why. An error that names no file is of what this process began with, or may have."""
    why = error.strerror or str(error)
    if error.filename is not None:
        return f"{error.filename}: {why}"
    if error.errno in {errno.ENOSPC, errno.EFBIG, errno.EPIPE, errno.EIO}:
        return f"cannot write to standard output: {why}"
    if error.errno in {errno.EMFILE, errno.ENFILE}:
        return f"cannot open one more file or pipe: {why}; the limit is that of ulimit -n"
    return why


def end(text: str, status: int = 1) -> NoReturn:
    """End the program with a line."""
    for word in sys.argv:  # what the user gave is part of one line; a compiler's message may have many
        shown = "".join(repr(letter)[1:-1] if ord(letter) < 32 else letter for letter in word)
        text = text.replace(word, shown) if shown != word else text
    print(f"polyloom: {text}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:  # said above; the interpreter must not try once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
