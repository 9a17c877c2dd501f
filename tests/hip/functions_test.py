#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the symbols that libamdhip64.so exports with the list of functions and with those that binaries of others name."""
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = os.environ["HEDDLE_HIP_LIBRARY"]
SOURCE = Path(os.environ["HEDDLE_SOURCE"])
LIST = SOURCE / "src/hip/functions.txt"
# What programs do not call by name: what clang and debuggers call, and what other headers than those of functions/ declare.
UNDECLARED = re.compile(r"__hip(Register|Unregister|GetPCH)|amd_dbgapi|__gnu_|hiprtc|hipApiName|hipHccModuleLaunchKernel|hipLaunchKernelGGLImpl|"
                        r"hipCreateChannelDesc$|hip\w+R0000$|hip(Register|Remove|Enable|Init).*Callback$|hipGetCmdName")


def exported() -> set[tuple[str, str]]:
    text = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    return {(version, name) for name, version in re.findall(r" [TW] (\w+)@@(\w+\.\w+)", text)}


def listed() -> set[tuple[str, str]]:
    rows = set()
    for line in LIST.read_text(encoding="utf-8").splitlines():
        row = re.match(r"(hip_\S+)\s+\S+\s+(?:done|bare|check|none)\s+.*?(\w+)\(.*\)(?:\s+=\s+(\w+))?$", line)
        if row:
            rows.add((row.group(1), row.group(3) or row.group(2)))
    return rows


def named() -> set[str]:
    text = LIST.read_text(encoding="utf-8")
    return set(re.findall(r"^hip_\S+\s+\S+\s+\w+\s+.*?(\w+)\(", text, re.MULTILINE))


def implemented() -> set[str]:
    text = LIST.read_text(encoding="utf-8")
    names = re.findall(r"^hip_\S+\s+\S+\s+(?:done|bare|check)\s+.*?(\w+)\(", text, re.MULTILINE)
    return {name for name in names if not UNDECLARED.match(name)}


def declared() -> set[str]:
    """Functions with a prototype for programs. That its types are right, the tests' compiler sees: hip_functions.h has it, too."""
    text = "".join(header.read_text(encoding="utf-8") for header in (SOURCE / "include/hip/functions").glob("*.h"))
    return set(re.findall(r"^(?:hipError_t|const char\*|int) (\w+)\(", text, re.MULTILINE))


def expected() -> set[tuple[str, str]]:
    lines = (HERE / "data/symbols.txt").read_text(encoding="utf-8").splitlines()
    return {tuple(line.split()) for line in lines if line and not line.startswith("#")}


def main() -> int:
    library = exported()
    failures = 0
    for name in sorted(implemented() - declared()):
        print(f"defined, without a prototype in include/hip/functions: {name}")
        failures += 1
    for name in sorted(declared() - named()):
        print(f"declared, not listed: {name}")
        failures += 1
    for what, missing in (("listed, not exported", listed() - library), ("exported, not listed", library - listed()),
                          ("named by others, not exported", expected() - library)):
        for version, name in sorted(missing):
            print(f"{what}: {name}@@{version}")
            failures += 1
    print(f"{len(library)} functions, {len(expected())} that others name, {failures} differences")
    return 1 if failures or len(expected()) < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
