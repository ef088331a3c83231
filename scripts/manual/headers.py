# SPDX-License-Identifier: Apache-2.0
"""Pages of the public C and C++ headers, from what Doxygen reads in them.

Input: the headers of ``HEADERS``; output: a page each, with the comment at the head of the file, then classes,
functions, types and macros in the order of the file. Functions without a comment of their own stand with the one
before them, as in the source.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Header:
    """A header that programs include."""

    title: str
    path: str
    page: str


HEADERS = (
    Header("POLite.h: vertices", "polite/include/polite/types.h", "reference/cpp/types.md"),
    Header("combiner.h", "polite/include/polite/combiner.h", "reference/cpp/combiner.md"),
    Header("POLite.h: graphs", "polite/include/polite/pgraph.h", "reference/cpp/pgraph.md"),
    Header("program.h", "apps/include/polyloom/program.h", "reference/cpp/program.md"),
    Header("HostLink.h", "roles/overlay/host/HostLink.h", "reference/cpp/hostlink.md"),
    Header("DebugLink.h", "roles/overlay/host/DebugLink.h", "reference/cpp/debuglink.md"),
    Header("ProgRouters.h", "roles/overlay/host/ProgRouters.h", "reference/cpp/progrouters.md"),
    Header("collectives.h", "roles/collective/host/include/polyloom/collectives.h", "reference/cpp/collectives.md"),
    Header("rank.h", "roles/collective/host/include/polyloom/rank.h", "reference/cpp/rank.md"),
    Header("hub.h", "roles/hub/host/include/polyloom/hub.h", "reference/cpp/hub.md"),
    Header("mpi.h", "roles/mpi/include/mpi.h", "reference/cpp/mpi.md"),
)

OPTIONS = """
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
SORT_MEMBER_DOCS = NO
AUTOLINK_SUPPORT = NO
MARKDOWN_SUPPORT = NO
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = INLINE=inline
WARN_AS_ERROR = YES
WARN_IF_UNDOCUMENTED = NO
WARN_NO_PARAMDOC = NO
QUIET = YES
"""


def pages(root: Path) -> dict[str, str]:
    """Markdown by page."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = " ".join(f'"{root / header.path}"' for header in HEADERS)
        settings = f'{OPTIONS}INPUT = {inputs}\nOUTPUT_DIRECTORY = "{folder}"\nSTRIP_FROM_PATH = "{root}"\n'
        try:
            done = subprocess.run(["doxygen", "-"], input=settings, text=True, capture_output=True, check=False)
        except FileNotFoundError:
            raise SystemExit("docs: doxygen is not installed; run make setup-docs") from None
        if done.returncode != 0:
            raise SystemExit(f"docs: doxygen: {done.stderr.strip()}")
        read = _Read(Path(folder) / "xml")
        return {header.page: read.page(root, header) for header in HEADERS}


class _Read:
    """What Doxygen has written."""

    def __init__(self, folder: Path) -> None:
        self.members: dict[str, list[ElementTree.Element]] = {}
        self.classes: dict[str, list[ElementTree.Element]] = {}
        for path in sorted(folder.glob("*.xml")):
            for compound in ElementTree.parse(path).getroot().iter("compounddef"):
                place = compound.find("location")
                file = "" if place is None else place.get("file", "")
                kind = compound.get("kind")
                if kind in {"class", "struct", "union"} and compound.get("prot") == "public":
                    self.classes.setdefault(file, []).append(compound)
                if kind in {"file", "namespace"}:
                    for member in compound.iter("memberdef"):
                        where = member.find("location")
                        assert where is not None
                        kept = self.members.setdefault(where.get("file", ""), [])
                        if all(member.get("id") != other.get("id") for other in kept):
                            kept.append(member)

    def page(self, root: Path, header: Header) -> str:
        """One header."""
        include = re.sub(r"^.*/include/", "", header.path) if "/include/" in header.path else Path(header.path).name
        include = "POLite.h" if include in {"polite/types.h", "polite/pgraph.h"} else include
        parts = [f"# {header.title}", f"```cpp\n#include <{include}>\n```", _intro((root / header.path).read_text())]
        entries: list[tuple[int, str, ElementTree.Element]] = [
            *((_line(c), "class", c) for c in self.classes.get(header.path, [])),
            *((_line(m), "member", m) for m in self.members.get(header.path, []) if m.get("prot") != "private"),
        ]
        entries = [entry for entry in entries if not _hidden(entry[2])]
        entries.sort(key=lambda entry: entry[0])
        sections = _sections((root / header.path).read_text())
        run: list[ElementTree.Element] = []
        constants: list[ElementTree.Element] = []
        for _, kind, element in [*entries, (0, "end", ElementTree.Element("end"))]:
            anonymous = _text(element, "name").startswith("@")
            if constants and not anonymous:
                parts += _constants(constants)
                constants = []
            if kind == "member" and element.get("kind") in {"function", "variable", "typedef", "define"}:
                run.append(element)
                continue
            parts += _members(run, 2, sections)
            run = []
            if anonymous:
                constants.append(element)
            elif kind == "class":
                parts += _class(element, sections)
            elif kind == "member":
                parts += _enum(element, 2)
        return "\n\n".join(part for part in parts if part) + "\n"


def _line(element: ElementTree.Element) -> int:
    where = element.find("location")
    return 0 if where is None else int(where.get("line", "0"))


def _hidden(element: ElementTree.Element) -> bool:
    """Include guards, and what the name says is the header's own."""
    name = _text(element, "name") or _text(element, "compoundname")
    own = re.search(r"_H$|^(INLINE|_|polyloom_)|(^|::)(detail|internal)(::|$)", name)
    wrapper = element.get("kind") == "define" and "..." in "".join(element.itertext())  # of a function with that name
    return bool(own) or wrapper or "<" in name  # a specialisation says nothing of its own


def _text(element: ElementTree.Element, tag: str) -> str:
    found = element.find(tag)
    return "" if found is None else re.sub(r"\s+", " ", "".join(found.itertext())).strip()


def _intro(source: str) -> str:
    """The comment at the head of a file, below its licence; indented lines are code."""
    if source.startswith("/*"):
        comment = re.search(r"^/\* (?!SPDX)(.*?)\*/", source, re.MULTILINE | re.DOTALL)
        lines = [] if comment is None else [re.sub(r"^ \* ?", "", line) for line in comment[1].split("\n")]
    else:
        lines = []
        for line in source.split("\n")[1:]:
            if not line.startswith("//"):
                break
            lines.append(re.sub(r"^// ?", "", line))
    out: list[str] = []
    code = False
    for before, line in zip(["", *lines], lines, strict=False):
        example = code or not before or re.match(r" +(typedef|static|struct|class|template|using)\b", line)
        begins = line.startswith("  ") and bool(example)
        if not begins and not code and re.match(r"[A-Z]\w+( \w+)?: ", line):
            out.append("")  # "Errors: ...": a paragraph of its own
        if begins != code:
            out += ["", "```cpp"] if begins else ["```", ""]
            code = begins
        out.append(line[2:] if code else _escape(line.strip()))
    return "\n".join([*out, "```"] if code else out)


def _escape(text: str) -> str:
    """Prose of a comment as Markdown that shows it as it stands; between backquotes it is code."""
    return "".join(part if i % 2 else _escape_prose(part) for i, part in enumerate(re.split(r"(`[^`]*`)", text)))


def _escape_prose(text: str) -> str:
    text = re.sub(r"^#", r"\\#", text)
    return re.sub(r"([*_\[\]])", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")


def _prose(element: ElementTree.Element | None) -> str:
    """A description: paragraphs and lists."""
    if element is None:
        return ""
    parts: list[str] = []
    for child in element:
        if child.tag == "para":
            parts.append(_paragraph(child))
        elif child.tag == "itemizedlist":
            parts.append(_list(child))
    return "\n\n".join(part for part in parts if part)


def _paragraph(para: ElementTree.Element) -> str:
    text = _escape(para.text or "")
    for child in para:
        if child.tag == "itemizedlist":
            text = text.rstrip() + "\n\n" + _list(child) + "\n\n"
        elif child.tag in {"ndash", "mdash"}:
            text += "--" if child.tag == "ndash" else "---"
        elif child.tag in {"computeroutput", "verbatim"}:
            text += f"`{''.join(child.itertext())}`"
        elif child.tag == "programlisting":
            text += "\n\n```cpp\n" + "\n".join("".join(line.itertext()) for line in child) + "\n```\n\n"
        else:
            text += _escape("".join(child.itertext()))
        text += _escape(child.tail or "")
    return text.strip()


def _list(element: ElementTree.Element) -> str:
    return "\n".join("- " + _prose(item).replace("\n\n", " ") for item in element.iter("listitem"))


def _described(element: ElementTree.Element) -> str:
    parts = (_prose(element.find("briefdescription")), _prose(element.find("detaileddescription")))
    return "\n\n".join(part for part in parts if part)


def _template(element: ElementTree.Element) -> str:
    params = element.find("templateparamlist")
    if params is None:
        return ""
    words = []
    for param in params.iter("param"):
        name, value = _text(param, "declname"), _text(param, "defval")
        words.append(_text(param, "type") + (f" {name}" if name else "") + (f" = {value}" if value else ""))
    return f"template <{', '.join(words)}>\n"


def _signature(member: ElementTree.Element) -> str:
    kind, name = member.get("kind"), _text(member, "name")
    if kind == "define":
        params = [_text(p, "defname") for p in member.findall("param")]
        value = _text(member, "initializer")
        head = f"#define {name}" + (f"({', '.join(params)})" if params else "")
        return head + (f" {value}" if value and len(value) < 60 and not params else "")
    text = _text(member, "type").removesuffix("()")
    if kind == "typedef":
        definition = _text(member, "definition")
        return re.sub(r"polyloom::(\w+::)*", "", definition).rstrip(";") + ";"
    shown = f"{text} {name}".strip() + _text(member, "argsstring")
    if member.get("static") == "yes" and not shown.startswith("static"):
        shown = f"static {shown}"
    if member.get("explicit") == "yes":
        shown = f"explicit {shown}"
    value = _text(member, "initializer")
    if kind == "variable" and value and len(value) < 60:
        shown += f" {value}"
    shown = re.sub(r"\s+([&*])", r"\1", shown).replace("< ", "<").replace(" >", ">")
    return f"{_template(member)}{re.sub(r'polyloom::([a-z]+::)+', '', shown)};"


def _sections(source: str) -> list[tuple[int, str]]:
    """Comments that stand alone and are no member's: what follows in the header belongs together."""
    lines = source.split("\n")
    found: list[tuple[int, str]] = []
    for i, line in enumerate(lines):
        inline = re.fullmatch(r"\s*(?://|/\*) ([A-Z].*?)(?: \*/)?", line)
        before = lines[i - 1].strip() if i else ""
        if inline and i > 12 and (not before or before.endswith((":", "{"))) and ("//" in line or line.endswith("*/")):
            text = inline[1]
            for more in lines[i + 1 :]:
                following = re.fullmatch(r"\s*// (.*)", more)
                if not following:
                    break
                text += f" {following[1]}"
            found.append((i + 1, text.rstrip(".") + "."))
    return found


def _members(members: list[ElementTree.Element], level: int, sections: list[tuple[int, str]]) -> list[str]:
    """Functions, variables, types and macros; one without a comment stands with the one before, in its section."""
    groups: list[list[ElementTree.Element]] = []
    heads: list[str] = []
    last = 0
    for member in members:
        line = _line(member)
        head = " ".join(text for at, text in sections if last < at <= line and last)
        same = groups and (_text(groups[-1][-1], "name") == _text(member, "name") or not _described(member))
        if same and not head:
            groups[-1].append(member)
        else:
            groups.append([member])
            heads.append(head)
        last = line
    parts = []
    for group, head in zip(groups, heads, strict=True):
        names = list(dict.fromkeys(_text(member, "name") for member in group))
        shown = ", ".join(f"`{name}`" for name in names[:4]) + (", ..." if len(names) > 4 else "")
        title = head.rstrip(".") if head and len(head) < 50 and ". " not in head else ""
        parts.append(f"{'#' * level} {_escape(title) or shown}")
        parts += [_escape(head)] if head and not title else []
        parts.append("```cpp\n" + "\n".join(map(_signature, group)) + "\n```")
        parts += [_described(member) for member in group]
    return parts


def _enum(element: ElementTree.Element, level: int) -> list[str]:
    name = _text(element, "name")
    values = element.findall("enumvalue")
    rows = [(f"`{_text(v, 'name')}`", _described(v).replace("\n", " ").replace("|", "\\|")) for v in values]
    parts = [f"{'#' * level} `enum {name}`", _described(element)]
    if any(text for _, text in rows):
        table = "| value | meaning |\n| --- | --- |\n" + "\n".join(f"| {a} | {b} |" for a, b in rows)
        return [*parts, table]
    return [*parts, ", ".join(a for a, _ in rows)]


def _constants(enums: list[ElementTree.Element]) -> list[str]:
    """Enumerations without a name."""
    lines = ["- " + ", ".join(f"`{_text(v, 'name')}`" for v in enum.findall("enumvalue")) for enum in enums]
    return ["## Constants", "\n".join(lines)]


def _class(element: ElementTree.Element, sections: list[tuple[int, str]]) -> list[str]:
    """A class with its public members: variables in a table, functions below."""
    name = re.sub(r"^polyloom::(\w+::)*(?=[A-Z])", "", _text(element, "compoundname"))
    parts = [f"## `{element.get('kind')} {name}`"]
    template = _template(element).strip()
    if template:
        parts.append(f"```cpp\n{template} {element.get('kind')} {name}\n```")
    parts.append(_described(element))
    members = [m for m in element.iter("memberdef") if m.get("prot") == "public" and not _hidden(m)]
    members.sort(key=_line)
    if not _described(element) and not any(map(_described, members)) and template and members:
        return []  # helpers of what the header offers
    fields = [m for m in members if m.get("kind") == "variable"]
    rest = [m for m in members if m.get("kind") in {"function", "typedef"}]
    rest = [m for m in rest if not re.search(r"= ?delete", _text(m, "argsstring"))]
    if fields and not any(map(_described, fields)):
        parts.append("```cpp\n" + "\n".join(map(_signature, fields)) + "\n```")
    elif fields:
        rows = []
        for member in fields:
            text = _described(member).replace("\n\n", " ").replace("\n", " ").replace("|", "\\|")
            rows.append(f"| `{_signature(member).rstrip(';')}` | {text} |")
        parts.append("| member | meaning |\n| --- | --- |\n" + "\n".join(rows))
    for member in members:
        if member.get("kind") == "enum":
            parts += _enum(member, 3)
    return [*parts, *_members(rest, 3, sections)]
