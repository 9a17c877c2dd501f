#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the table of functions that api_fuzz calls from the list of prototypes in tests/headers/data.

Usage: generate.py PROTOTYPES OUTPUT. Each line becomes FUNCTION(name, "parameter parameter ...").
"""
import re
import sys


def split_parameters(text: str) -> list[str]:
    """Splits at the commas that are not inside parentheses."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return [p.strip() for p in [*parts, part] if p.strip() not in ("", "void")]


def parameter_name(text: str) -> str:
    callback = re.search(r"\(\s*\*\s*(\w+)\s*\)", text)
    return callback[1] if callback else re.search(r"(\w+)$", text)[1]


def main() -> int:
    rows = []
    with open(sys.argv[1], encoding="utf-8") as prototypes:
        for line in prototypes:
            if line.startswith("#") or "(" not in line:
                continue
            head, rest = line.strip().rstrip(";").split("(", 1)
            name = re.search(r"(\w+)\s*$", head)[1]
            names = [parameter_name(p) for p in split_parameters(rest[:-1])]
            rows.append(f'FUNCTION({name}, "{" ".join(names)}")\n')
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        output.writelines(rows)
    return 0


sys.exit(main())
