# SPDX-License-Identifier: Apache-2.0
"""A program of the suite. Input: a section of a file *.c.in (README.md says how they are written), or what generated.py
makes of its tables. Output: its C source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* {name}: {ranks} ranks */
#include <mpi.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
"""
#: Few values as they are; of many their number, the first eight and a digest.
SHOW = """
static void show(const char *what, const int *v, int n) {
  int f[8] = {0};
  unsigned digest = 0;
  for (int i = 0; i < n; i++) {
    if (i < 8) f[i] = v[i];
    digest = digest * 31 + (unsigned)v[i];
  }
  printf("rank %d: %s %d: %d %d %d %d %d %d %d %d, %u\\n", rank, what, n, f[0], f[1], f[2], f[3], f[4], f[5], f[6],
         f[7], digest);
}
"""
MAIN = """
int main(int argc, char **argv) {{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
{body}
  MPI_Finalize();
  return 0;
}}
"""


@dataclass(frozen=True)
class Program:
    """A program of ``ranks`` ranks. ``words``: of one that must fail, patterns that its message matches."""

    name: str
    ranks: int
    declarations: str
    body: str
    words: tuple[str, ...] = ()

    @property
    def chapter(self) -> str:
        """Of the standard, as ``ch5``; or ``c``, ``wrong``."""
        return self.name.split("/")[0]

    @property
    def source(self) -> str:
        """The C program. One whose declarations have a main has no other."""
        head = HEAD.format(name=self.name, ranks=self.ranks)
        show = SHOW if "show(" in self.declarations + self.body else ""
        main = "" if " main(" in self.declarations else MAIN.format(body=self.body.rstrip("\n"))
        declarations = f"\n{self.declarations.strip()}\n" if self.declarations.strip() else ""
        return head + show + declarations + main


def read(path: Path) -> Iterator[Program]:
    """The programs of a file of sections: ``//: NAME RANKS [PATTERN; PATTERN...]``, C outside of main, ``//: main``,
    the rest of main. Without the second line all is in main."""
    chapter = path.name.removesuffix(".c.in")
    _, *sections = re.split(r"^//: (?!main$)", path.read_text(), flags=re.MULTILINE)
    for section in sections:
        head, _, text = section.partition("\n")
        name, ranks, *rest = head.split(" ", 2)
        before, main, body = text.partition("//: main\n")
        words = tuple(word.strip() for word in " ".join(rest).split(";") if word.strip())
        only_main = not main and " main(" not in before
        yield Program(
            f"{chapter}/{name}", int(ranks), "" if only_main else before, before if only_main else body, words
        )
