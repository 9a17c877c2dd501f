#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the functions that the runtime exports, from their declarations in the public headers.

  generate_exports.py OUTPUT HEADER ...

Each function calls the entry of the same name in a table; the lists of functions in the headers say in which. A declared
function without an entry is an old name of one that has an entry.
"""
from __future__ import annotations

import re
import sys
from pathlib import Path

# Maps the macros PREFIX_API_FUNCTIONS, which list the functions of a table, to the expression of the table.
TABLES = {
    "HSA_CORE": "live_tables.core",
    "HSA_AMD_EXT": "live_tables.amd",
    "HSA_FINALIZER_EXT": "live_tables.finalizer",
    "HSA_IMAGE_EXT": "live_tables.images",
    "HSA_PC_SAMPLING_EXT": "live_tables.pc_sampling",
    "HEDDLE": "live_tables.heddle",
}
# Old spellings, by regular expression, and the present ones.
OLD_NAMES = [
    (r"_acq_rel$", "_scacq_screl"),
    (r"_acquire$", "_scacquire"),
    (r"_release$", "_screlease"),
    (r"^hsa_ext_profiling_event_", "hsa_ext_profile_event_"),
    (r"_by_linker_name$", "_by_name"),
]


def tables_of_functions(text: str) -> dict[str, str]:
    tables = {}
    for prefix, table in TABLES.items():
        rows = re.search(rf"#define {prefix}_API_FUNCTIONS\(F\)((?:.*\\\n)*.*)", text).group(1)
        tables.update({name: table for name in re.findall(r"F\((\w+)\)", rows)})
    return tables


def split_parameters(text: str) -> list[str]:
    """Splits at the commas outside of parentheses."""
    parameters, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parameters.append("")
        else:
            parameters[-1] += character
    return parameters


def argument(parameter: str) -> str:
    """The name of a parameter."""
    found = re.search(r"\(\*(\w+)\)", parameter) or re.search(r"(\w+)\s*$", parameter)
    return found.group(1)


def forwarder(prototype: str, name: str, table: str) -> str:
    inside = re.fullmatch(rf".*?\b{name}\((.*)\)", prototype).group(1)
    arguments = "" if inside == "void" else ", ".join(argument(p) for p in split_parameters(inside))
    return f"HSA_API {prototype} {{ return entry({table}.{name}_fn)({arguments}); }}"


def present_name(old: str, tables: dict[str, str]) -> str:
    for pattern, replacement in OLD_NAMES:
        name = re.sub(pattern, replacement, old)
        if name != old and name in tables:
            return name
    sys.exit(f"{old} is declared, but is in no table")


def main() -> None:
    output, *headers = sys.argv[1:]
    text = "".join(Path(header).read_text(encoding="utf-8") for header in headers)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    tables = tables_of_functions(text)
    lines = ["// Generated from the public headers."]
    synonyms = []
    declared = set()
    for declaration in re.findall(r"^HSA_API\s+(.*?);", text, flags=re.S | re.M):
        prototype = " ".join(declaration.split())
        name = re.search(r"(\w+)\(", prototype).group(1)
        declared.add(name)
        if name in tables:
            lines.append(forwarder(prototype, name, tables[name]))
        else:
            new = present_name(name, tables)
            synonyms.append(f'HSA_API decltype({new})({name}) __attribute__((alias("{new}")));')
    missing = set(tables) - declared
    if missing:
        sys.exit("in a table, but not declared: " + ", ".join(sorted(missing)))
    Path(output).write_text("\n".join(lines + synonyms) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
