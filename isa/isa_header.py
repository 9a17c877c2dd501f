# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the enumerators and structs of the BRIG headers, so that values need not be repeated in *.isa files."""

import re


class HeaderError(Exception):
    """The header does not have the simple form that this reader expects."""


def parse_enumerators(text):
    """Returns {enumerator: value} of all enums in the C header `text`, in order."""
    values = {}
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    for body in re.findall(r"typedef\s+enum\s*\{(.*?)\}", text, flags=re.S):
        for item in body.split(","):
            item = " ".join(item.split())
            if not item:
                continue
            match = re.fullmatch(r"(HSA_(?:EXT_)?BRIG_\w+) = (.+)", item)
            if not match:
                raise HeaderError(f"cannot read the enumerator '{item}'")
            name, expression = match.groups()
            values[name] = _evaluate(expression, values)
    return values


def parse_struct_members(text):
    """Returns {struct name: set of member names} of the C header `text`."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    structs = {}
    for name, body in re.findall(r"typedef\s+struct\s+(\w+)_s\s*\{(.*?)\}", text, flags=re.S):
        members = re.findall(r"(\w+)(?:\[\d+\])?\s*;", body)
        structs[name + "_t"] = set(members)
    return structs


def with_prefix(values, prefix):
    """Returns {rest of the name: value} of the enumerators PREFIX_*, except those that begin a vendor range."""
    result = {}
    for name, value in values.items():
        if name.startswith(prefix + "_") and not name.endswith("_FIRST_USER_DEFINED"):
            result[name[len(prefix) + 1 :]] = value
    return result


def _evaluate(expression, values):
    def replace(match):
        name = match.group(0)
        if name not in values:
            raise HeaderError(f"'{name}' is used before its definition")
        return str(values[name])

    expression = re.sub(r"HSA_\w+", replace, expression)
    if not re.fullmatch(r"[0-9a-fA-Fx|<()+\- ]+", expression):
        raise HeaderError(f"cannot evaluate '{expression}'")
    return eval(expression, {"__builtins__": {}})  # safe, because only digits and operators are left
