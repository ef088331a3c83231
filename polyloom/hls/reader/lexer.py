# SPDX-License-Identifier: Apache-2.0
"""Words of LLVM's IR text. Input: a line (or several); output: tokens, and a cursor over them."""

from __future__ import annotations

import re

from polyloom.hls.errors import HlsError

_TOKEN = re.compile(
    r"""\s+|;[^\n]*
    |(?P<token>c"[^"]*"|[%@](?:"[^"]*"|[-\w.$]+)|![-\w.$]*|\#\d+|"[^"]*"|\.\.\.
    |-?\d+\.\d*(?:[eE][-+]?\d+)?|0x[0-9A-Za-z]+|-?\d+|[A-Za-z_.$][-\w.$]*|[(){}\[\]<>,=*:|])""",
    re.VERBOSE,
)


def tokens(text: str) -> list[str]:
    """All tokens of a text, comments dropped."""
    result = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise HlsError("", f"LLVM IR that is not understood: {text[position : position + 60]!r}")
        if match.group("token"):
            result.append(match.group("token"))
        position = match.end()
    return result


class Cursor:
    """A place in a list of tokens."""

    def __init__(self, text: str, where: str = "") -> None:
        self.text, self.where = text, where
        self._tokens = tokens(text)
        self._at = 0

    def peek(self, ahead: int = 0) -> str:
        """The next token, or "" at the end."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def next(self) -> str:
        """Take a token."""
        token = self.peek()
        self._at += 1
        return token

    def accept(self, *words: str) -> bool:
        """Take the next token if it is one of these."""
        if self.peek() in words:
            self._at += 1
            return True
        return False

    def expect(self, word: str) -> None:
        """Take this token or fail."""
        if not self.accept(word):
            raise HlsError(self.where, f"LLVM IR that is not understood: {word!r} expected in {self.text.strip()!r}")

    def skip_words(self, words: set[str]) -> None:
        """Drop flags such as nsw."""
        while self.peek() in words or self.peek().startswith("#"):
            if self.next() == "inrange":
                self.skip_brackets()

    def skip_brackets(self) -> None:
        """Drop a bracketed group."""
        depth = 0
        while True:
            token = self.next()
            depth += (token in "([{<") - (token in ")]}>") if len(token) == 1 else 0
            if depth == 0 or not token:
                return
