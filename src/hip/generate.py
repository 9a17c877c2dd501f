#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes sources of functions.txt, the list of the functions of libamdhip64.so.5 (docs/design.md, D25).

    generate.py functions.txt --header FILE --source FILE --map FILE --declarations FILE

The header declares what src/hip/api defines and numbers all functions; the source defines the exported entries, which call these; the map
is the version script of the linker; the declarations are those of the exported functions that are implemented, for programs in C++.
"""
from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

LICENCE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
ROW = re.compile(r"(hip_\d\.\d)\s+(-|\d+)\s+(done|bare|check|none)\s+(.*?)([\w]+)\((.*)\)(?:\s+=\s+(\w+))?\s*$")
PARAMETER = re.compile(r"(.*?)(\w+)$")


@dataclass
class Function:
    version: str
    number: str
    state: str
    result: str
    name: str
    parameters: list[tuple[str, str]]  # type, name
    symbol: str

    def declaration(self) -> str:
        return f"{self.result} {self.name}({', '.join(f'{type} {name}' for type, name in self.parameters)})"

    def names(self) -> list[str]:
        return [name for _, name in self.parameters]


def read_row(line: str, where: str) -> Function:
    row = ROW.match(line)
    if row is None:
        sys.exit(f"{where}: not VERSION NUMBER STATE SIGNATURE [= SYMBOL]")
    version, number, state, result, name, parameters, symbol = row.groups()
    pairs = []
    for parameter in filter(None, (p.strip() for p in parameters.split(","))):
        parts = PARAMETER.match(parameter)
        if parts is None or not parts.group(1).strip():
            sys.exit(f"{where}: a parameter without a name: {parameter}")
        pairs.append((parts.group(1).strip(), parts.group(2)))
    return Function(version, number, state, result.strip(), name, pairs, symbol or name)


def read(path: Path) -> list[Function]:
    functions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            functions.append(read_row(line, f"{path.name}:{number}"))
    for key in ("name", "symbol"):
        values = [getattr(function, key) for function in functions]
        twice = {value for value in values if values.count(value) > 1}
        if twice:
            sys.exit(f"{path.name}: more than once: {', '.join(sorted(twice))}")
    return functions


def header(functions: list[Function]) -> str:
    lines = [LICENCE + "// Made by generate.py of functions.txt: what src/hip/api defines.", "#pragma once", "",
             "#include <cstdint>", "", "#include <hip/runtime/types.h>", "", "namespace heddle::hip {", "",
             "/// All functions, by their places in function_table.", "enum class FunctionId : uint16_t {"]
    lines += [f"  {function.name}," for function in functions]
    lines += ["};", "", "namespace api {", ""]
    lines += [f"{function.declaration()};" for function in functions if function.state != "none"]
    return "\n".join(lines + ["", "}  // namespace api", "}  // namespace heddle::hip", ""])


def entry(function: Function) -> list[str]:
    label = f' __asm__("{function.symbol}")' if function.symbol != function.name else ""
    arguments = ", ".join(function.names())
    if function.state == "none":
        if function.result not in ("hipError_t", "void"):
            sys.exit(f"{function.name}: a function with the result {function.result} has to be defined")
        # The parameters are left out: their types need not be known, and the caller removes them.
        head = f"{function.result} {function.name}()"
        value = "" if function.result == "void" else "return "
        body = f"{value}not_supported(FunctionId::{function.name});"
    elif function.result != "hipError_t":
        head = function.declaration()
        body = f"return api::{function.name}({arguments});"
    else:
        head = function.declaration()
        captured = "".join(f", {name}" for name in function.names())
        call = "observe" if function.state == "bare" else "enter"
        body = f"return {call}(FunctionId::{function.name}, [&] {{ return api::{function.name}({arguments}); }}{captured});"
    return ([f"HIP_ENTRY {head}{label};"] if label else []) + [f"HIP_ENTRY {head} {{ {body} }}"]


def source(functions: list[Function]) -> str:
    lines = [LICENCE + "// Made by generate.py of functions.txt: the exported entries.", "#include <iterator>", "",
             '#include "hip/core/bare_entry.h"', '#include "hip/core/entry.h"', '#include "hip/core/function_table.h"', "", "namespace heddle::hip {", "",
             "const FunctionRow function_table[] = {"]
    for function in functions:
        number = "-1" if function.number == "-" else function.number
        lines.append(f'    {{"{function.name}", "{function.symbol}", "{", ".join(function.names())}", {number}, {str(function.state in ("done", "bare")).lower()}}},')
    lines += ["};", "const size_t function_count = std::size(function_table);", "", "}  // namespace heddle::hip", "",
              "using namespace heddle::hip;", "",
              '#define HIP_ENTRY extern "C" __attribute__((visibility("default")))', ""]
    for function in functions:
        lines += entry(function)
    return "\n".join(lines) + "\n"


def version_map(functions: list[Function]) -> str:
    lines = ["/* " + LICENCE[3:].strip() + " */", "/* Made by generate.py of functions.txt. */"]
    before = ""
    for version in sorted({function.version for function in functions}):
        lines += [f"{version} {{", "  global:"]
        lines += [f"    {function.symbol};" for function in functions if function.version == version]
        if not before:
            lines += ["  local:", "    *;"]
        lines.append(f"}}{before};")
        before = f" {version}"
    return "\n".join(lines) + "\n"


def declarations(functions: list[Function]) -> str:
    lines = [LICENCE + "// Made by generate.py of functions.txt: the functions that are implemented.", "#pragma once", "",
             "#include <hip/hip_runtime_api.h>", "#include <hip/hiprtc.h>", "", 'extern "C" {']
    for function in functions:
        if function.state != "none":
            # Functions of C++ have the linkage that programs see.
            mangled = function.symbol.startswith("_Z")
            label = f' __asm__("{function.symbol}")' if function.symbol != function.name else ""
            lines.append(('extern "C++" ' if mangled else "") + f"{function.declaration()}{label};")
    return "\n".join(lines + ["}", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", type=Path)
    for name in ("header", "source", "map", "declarations"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    functions = read(arguments.list)
    for path, text in ((arguments.header, header(functions)), (arguments.source, source(functions)), (arguments.map, version_map(functions)),
                       (arguments.declarations, declarations(functions))):
        # What is the same keeps its time, so that nothing is compiled again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
