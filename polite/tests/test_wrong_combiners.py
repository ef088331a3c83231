# SPDX-License-Identifier: Apache-2.0
"""Covers: each wrong declaration of a combiner is refused by the compiler, with the one sentence that says what is
missing; right ones are not. Leaves out: what combiners compute (combiner_test.cc)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

IDENTITY = "static Message identity() { return {}; }"
COMBINE = "static void combine(Message& into, const Message& from) { into.value += from.value; }"
ALONG = "static void along(Message& message, const Label& label) { message.value += label; }"
NEUTRAL = "static Label neutralLabel() { return 0; }"
EVERY_STEP = "static constexpr bool sendsEveryStep = true;"
MONOTONE = "static constexpr bool monotone = true;"

FIELDS = (
    "the combiner works on fields of one type, and the message does not consist of such fields: name their type "
    "(PSum<float>), or give the vertex class identity() and combine(M&, const M&)"
)

#: Label, members, members of the message (one float if it does not say).
RIGHT = {
    "none": ("None", ""),
    "none-labels": ("int", "void combined(); int identity();"),
    "own": ("None", COMBINE + IDENTITY + EVERY_STEP),
    "own-by-value": (
        "None",
        "static void combine(Message& into, Message from) { into.value += from.value; }" + IDENTITY,
    ),
    "own-overloaded": ("None", "static void combine(int) {}" + COMBINE + IDENTITY + MONOTONE),
    "own-labels": ("Label", COMBINE + IDENTITY + ALONG + NEUTRAL),
    "named": ("None", "typedef PSum<float> Combiner;"),
    "named-array": ("None", "typedef POr<uint16_t> Combiner;", "uint16_t value[2]"),
    "named-fields": ("None", "typedef PMax<int32_t> Combiner;", "struct { int32_t a, b; } value; int32_t c"),
    "named-labels": ("Label", "typedef PMin<float> Combiner;" + ALONG + NEUTRAL + MONOTONE),
}
WRONG = {
    "other-message": (
        "None", "static void combine(int& into, const int& from) { into += from; }" + IDENTITY,
        "combine is not static void combine(M& into, const M& from), of two messages of this program",
    ),
    "one-message": (
        "None", "static void combine(Message& into) { into = {}; }" + IDENTITY,
        "combine is not static void combine(M& into, const M& from), of two messages of this program",
    ),
    "not-static": (
        "None", COMBINE.replace("static ", "") + IDENTITY,
        "combine is not static void combine(M& into, const M& from), of two messages of this program",
    ),
    "no-identity": (
        "None", COMBINE,
        "a vertex class with combine() needs static M identity(), the message that changes nothing",
    ),
    "other-identity": (
        "None", COMBINE + "static const char* identity() { return nullptr; }",
        "a vertex class with combine() needs static M identity(), the message that changes nothing",
    ),
    "no-along": (
        "Label", COMBINE + IDENTITY + NEUTRAL,
        "edges have labels, so the combiner needs static void along(M& message, const E& label): what a message is at "
        "the end of an edge",
    ),
    "no-neutral-label": (
        "Label", "typedef PMin<float> Combiner;" + ALONG,
        "edges have labels, so the combiner needs static E neutralLabel(): the one that along() ignores",
    ),
    "both-kinds": (
        "None", COMBINE + IDENTITY + "typedef PSum<float> Combiner;",
        "a vertex class has either a combine() of its own or a named Combiner",
    ),
    "both-policies": (
        "None", COMBINE + IDENTITY + EVERY_STEP + MONOTONE,
        "a combiner waits for all messages of a superstep (sendsEveryStep) or sends on what improves at once "
        "(monotone); a program cannot ask for both",
    ),
    "two-pins": (
        "None", COMBINE + IDENTITY + EVERY_STEP,
        "sendsEveryStep counts messages of vertices that all send on one pin: leave it out with more pins",
    ),
    "first-by-value": (
        "None", "static void combine(Message into, const Message& from) { into.value += from.value; }" + IDENTITY,
        "combine is not static void combine(M& into, const M& from), of two messages of this program",
    ),
    "with-result": (
        "None", "static Message combine(const Message& a, const Message& b) { return {a.value + b.value}; }" + IDENTITY,
        "combine is not static void combine(M& into, const M& from), of two messages of this program",
    ),
    "along-by-value": (
        "Label", COMBINE + IDENTITY + NEUTRAL + ALONG.replace("Message&", "Message"),
        "edges have labels, so the combiner needs static void along(M& message, const E& label): what a message is at "
        "the end of an edge",
    ),
    "writes-labels": (
        "Label", COMBINE + IDENTITY + NEUTRAL + ALONG + "void recv(Message*, Label* label) { ++*label; }",
        "a program with a combiner must not write labels, because merged messages come with a neutral one: let recv "
        "take a const E*",
    ),
    "sum-twice": (
        "None", "typedef PSum<float> Combiner;" + MONOTONE,
        "monotone is for combiners that do not mind hearing a message twice, and a sum does",
    ),
    "too-wide": ("None", "typedef PSum<double> Combiner;", FIELDS),
    "other-type": ("None", "typedef PSum<uint32_t> Combiner;", FIELDS),
    "mixed-types": ("None", "typedef PSum<uint32_t> Combiner;", FIELDS, "uint32_t value; float other"),
    "narrow-tail": ("None", "typedef PSum<uint32_t> Combiner;", FIELDS, "uint32_t value; uint8_t other"),
}  # fmt: skip


def refusals(label: str, members: str, message: str = "float value", pins: int = 1) -> list[str]:
    """What the compiler says against a vertex class."""
    if "recv" not in members:
        members += f"void recv(Message*, const {label}*) {{}}"
    source = f"""#include "polite/combiner.h"
typedef int Label;
struct Message {{ {message}; }};
struct Vertex : PVertex<int, {label}, Message> {{ {members} }};
typedef polyloom::polite::CombinerOf<Vertex, {label}, Message> Combiner;
Message both(Message a, const Message& b) {{
  Combiner::combine(a, b);
  Combiner::along(a, {{}});
  return Combiner::kExists ? a : Combiner::identity();
}}
"""
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-fsyntax-only", f"-I{ROOT / 'polite/include'}"]
    command += [f"-DPOLITE_NUM_PINS={pins}", "-x", "c++", "-"]
    done = subprocess.run(command, input=source, text=True, capture_output=True, check=False)
    assert (done.returncode != 0) == ("error:" in done.stderr), done.stderr
    return [line for line in done.stderr.splitlines() if "error:" in line or "warning:" in line]


@pytest.mark.parametrize("case", RIGHT)
def test_right_one_is_taken(case: str) -> None:
    assert refusals(*RIGHT[case]) == []


@pytest.mark.parametrize("case", WRONG)
def test_wrong_one_is_refused_with_a_sentence(case: str) -> None:
    label, members, sentence, *message = WRONG[case]
    lines = refusals(label, members, *message, pins=2 if case == "two-pins" else 1)
    assert [line for line in lines if f"error: static assertion failed: {sentence}" in line], lines
