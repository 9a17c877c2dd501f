#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the binary interfaces of heddle with the lists beside this file, which are what programs, drivers and plugins of
others were compiled for.

  abi.py symbols LIST LIBRARY                    names that a library exports, with their versions, and its soname
  abi.py types LIST INCLUDE FOLDER [COMPILER]    macros, enumerators, layouts and functions of the headers in INCLUDE/FOLDER
  abi.py --write ...                             writes the list instead: for changes that are meant

Whoever changes or removes a line breaks what was compiled before, and raises the version of the interface: HSAIL_API_VERSION,
the tail sizes of hsam.h, or a new version node. tests/headers compares the headers of the runtime with the manuals instead.
"""
from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path


def output(*command: object) -> str:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout


def symbols(library: Path) -> list[str]:
    soname = re.findall(r"SONAME\).*\[(.*)\]", output("readelf", "-dW", library))
    lines = [f"soname {name}" for name in soname]
    for line in output("nm", "-D", "--defined-only", "--with-symbol-versions", library).splitlines():
        kind, name = line.split()[-2:]
        if kind != "A":  # the version nodes themselves
            lines.append(name)
    return sorted(lines)


def declarations(node: dict, place: list[str]) -> Iterator[tuple[str, dict]]:
    """Yields the declarations of a translation unit with the files in which they stand; clang writes the name of a file only where
    it differs from that of the place before."""
    for child in node.get("inner", ()):
        note_files(child.get("loc", {}), place)
        yield place[0], child
        note_files(child.get("range", {}), place)
        note_files({"inner": child.get("inner", ())}, place)


def note_files(value: object, place: list[str]) -> None:
    if isinstance(value, list):
        for part in value:
            note_files(part, place)
    elif isinstance(value, dict):
        for key, part in value.items():
            if key == "file" and isinstance(part, str):
                place[0] = part
            elif key != "includedFrom" and isinstance(part, (dict, list)):
                note_files(part, place)


def enumerators(node: dict) -> Iterator[str]:
    value = -1
    for constant in node.get("inner", ()):
        if constant["kind"] == "EnumConstantDecl":
            given = next((part["value"] for part in constant.get("inner", ()) if "value" in part), None)
            value = int(given) if given is not None else value + 1
            yield f"enumerator {constant['name']} = {value}"


def layouts(text: str) -> dict[str, list[str]]:
    """Returns the lines of each record by its name."""
    found: dict[str, list[str]] = {}
    for block in text.split("*** Dumping AST Record Layout\n")[1:]:
        lines = [line.strip() for line in block.split("\n\n")[0].splitlines() if line.strip()]
        name = lines[0].partition("| ")[2].split()[-1]
        found[name] = [re.sub(r"\(unnamed at [^)]*\)", "(unnamed)", line) for line in lines[1:]]
    return found


def types(include: Path, folder: str, compiler: str = "clang-22") -> list[str]:
    headers = sorted((include / folder).glob("*.h"))
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "all.c"
        source.write_text("".join(f"#include <{folder}/{header.name}>\n" for header in headers), encoding="utf-8")
        command = [compiler, "-std=gnu11", "-I", include, "-fsyntax-only", source]
        tree = json.loads(output(*command, "-Xclang", "-ast-dump=json"))
        records = layouts(output(*command, "-Xclang", "-fdump-record-layouts-complete"))
        macros = output(compiler, "-std=gnu11", "-I", include, "-E", "-dM", source)
    lines = []
    text = "".join(header.read_text(encoding="utf-8") for header in headers)
    for name, value in re.findall(r"^#define (\w+) (.+)$", macros, re.MULTILINE):
        if re.search(rf"^#define {name}\b", text, re.MULTILINE) and not value.startswith("__attribute__"):
            lines.append(f"macro {name} {value}")
    for file, node in declarations(tree, [""]):
        name = node.get("name", "")
        if Path(file).parent != include / folder:
            continue
        if node["kind"] == "EnumDecl":
            lines += enumerators(node)
        elif node["kind"] == "FunctionDecl" and node.get("storageClass") != "static" and not name.startswith("__"):
            lines.append(f"function {name}: {node['type']['qualType']}")
        elif node["kind"] == "TypedefDecl" and node["type"]["qualType"].count("("):
            lines.append(f"pointer {name}: {node['type']['qualType']}")
        elif node["kind"] == "RecordDecl" and name in records:
            lines += [f"record {name}: {line}" for line in records[name]]
    return list(dict.fromkeys(lines))


def compare(list_file: Path, found: list[str]) -> int:
    lines = list_file.read_text(encoding="utf-8").splitlines()
    known = [line for line in lines if line and not line.startswith("#")]
    for line in known:
        if line not in found:
            print(f"{list_file.name}: gone or changed, which breaks programs: {line}")
    for line in found:
        if line not in known:
            print(f"{list_file.name}: not in the list: {line}")
    return int(sorted(known) != sorted(found))


def main(arguments: list[str]) -> int:
    write = arguments[:1] == ["--write"]
    arguments = arguments[1:] if write else arguments
    if len(arguments) == 3 and arguments[0] == "symbols":
        found = symbols(Path(arguments[2]))
    elif len(arguments) in (4, 5) and arguments[0] == "types":
        found = types(Path(arguments[2]), arguments[3], *arguments[4:])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    list_file = Path(arguments[1])
    if not write:
        return compare(list_file, found)
    head = ["# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception", f"# Written by abi.py {arguments[0]}."]
    list_file.write_text("\n".join(head + found) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
