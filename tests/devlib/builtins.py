#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program that refers to all functions that clang's headers declare for OpenCL C, or for the device code of HIP.

    builtins.py CLANG STANDARD EXTENSIONS > PROGRAM.cl
    builtins.py CLANG hip > PROGRAM.hip

EXTENSIONS is the value of clang's option -cl-ext. The program takes the address of each function and each overload, so that its
module in LLVM IR declares all of them. That in OpenCL C must be compiled with the same options, and with
-cl-ext=...,+__cl_clang_function_pointers.
"""
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

MARK = "__attribute__((overloadable))"
ATTRIBUTE = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)")
DECLARATION = re.compile(r"(.*?)\b(\w+)\s*\(([^()]*)\)")
IN_A_FUNCTION = 50  # few enough for a readable dump, and many enough to compile fast


def declarations(clang: str, standard: str, extensions: str) -> list[tuple[str, str, str]]:
    """Returns (result, name, parameters) of each overload."""
    command = [clang, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-nogpulib", f"-cl-std={standard}", "-Xclang",
               f"-cl-ext={extensions}", "-include", "opencl-c.h", "-E", "-P", "-"]
    text = subprocess.run(command, input="", capture_output=True, text=True, check=True).stdout
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    found = []
    for statement in text.split(";"):
        if MARK not in statement:
            continue
        match = DECLARATION.fullmatch(" ".join(ATTRIBUTE.sub("", statement).split()))
        if match is None:
            raise SystemExit(f"builtins.py: not understood: {statement}")
        found.append((match.group(1), match.group(2), match.group(3) or "void"))
    return found


def program(functions: list[tuple[str, str, str]]) -> str:
    lines = ["#pragma OPENCL EXTENSION cl_khr_fp16 : enable", "#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable"]
    for start in range(0, len(functions), IN_A_FUNCTION):
        lines.append(f"void use_{start}(private ulong* p) {{")
        for index, (result, name, parameters) in enumerate(functions[start:start + IN_A_FUNCTION]):
            lines.append(f"  {{ {result}(*f)({parameters}) = {name}; p[{index}] = (ulong)f; }}")
        lines.append("}")
    return "\n".join(lines) + "\n"


def hip_program(clang: str) -> str:
    folder = subprocess.run([clang, "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
    header = Path(folder, "include", "__clang_hip_libdevice_declares.h")
    names = sorted(set(re.findall(r"\b(__oc[km]l_\w+)\(", header.read_text(encoding="utf-8"))))
    lines = ["#define __device__ __attribute__((device))", f"#include <{header.name}>", "__device__ void* use[] = {"]
    return "\n".join(lines + [f"    (void*){name}," for name in names] + ["};"]) + "\n"


if __name__ == "__main__":
    if sys.argv[2] == "hip":
        print(hip_program(sys.argv[1]), end="")
    else:
        print(program(declarations(*sys.argv[1:4])), end="")
