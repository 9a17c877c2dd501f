#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what kernels from LLVM IR compute with what the host computes for the same functions, compiled by clang. HEDDLE is the command,
CLANG the clang that compiles for the host. Words on the command line are the names of the groups to test, instead of all."""
from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cases
from module import ITEMS, SLOT, Case, input_of, is_nan, module_of

HEDDLE = os.environ["HEDDLE"]
CLANG = os.environ["CLANG"]


def run(*words: object) -> None:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, errors="replace",
                          env={**os.environ, "HEDDLE_AGENTS": "cpu,interpreter"})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")


def host_results(group: list[Case], folder: Path, arguments: bytes, size: int) -> bytes:
    (folder / "host.ll").write_text(module_of(group, device=False), encoding="utf-8")
    run(CLANG, "-w", "-O1", "-shared", "-fPIC", "-x", "ir", folder / "host.ll", "-o", folder / "host.so", "-lm")
    function = ctypes.CDLL(str(folder / "host.so")).all
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    # The functions access whole slots.
    results = (ctypes.c_char * (size + SLOT))()
    place = (ctypes.addressof(results) + SLOT - 1) // SLOT * SLOT
    source = (ctypes.c_char * (len(arguments) + SLOT))()
    start = (ctypes.addressof(source) + SLOT - 1) // SLOT * SLOT
    ctypes.memmove(start, arguments, len(arguments))
    for item in range(ITEMS):
        function(start, place, item)
    return ctypes.string_at(place, size)


def device_results(folder: Path, level: str, agent: str, size: int) -> bytes:
    run(HEDDLE, "cc", level, folder / "device.ll", "-o", folder / "device.brig")
    run(HEDDLE, "run", folder / "device.brig", "--kernel", "all", "--agent", agent, "--grid", ITEMS, "--group", 16, "--arg",
        f"u64@{folder / 'in.raw'}", "--arg", f"u64*{size // 8}={folder / 'out.raw'}")
    return (folder / "out.raw").read_bytes()


def differences(group: list[Case], expected: bytes, found: bytes) -> list[str]:
    """Describes the first difference of each result that differs."""
    kinds = [(case, i, kind) for case in group for i, kind in enumerate(case.results)]
    reported: dict[str, str] = {}
    inputs = input_of(group)
    firsts = {}
    for case in group:
        firsts[case.name] = sum(len(before.arguments) for before in group[:group.index(case)])
    for item in range(ITEMS):
        for number, (case, i, kind) in enumerate(kinds):
            place = (item * len(kinds) + number) * SLOT
            want, got = (int.from_bytes(data[place:place + SLOT], "little") for data in (expected, found))
            if want == got or (is_nan(kind, want) and is_nan(kind, got)):
                continue
            first = firsts[case.name]
            passed = " ".join(f"{value:#x}" for value in inputs[item][first:first + len(case.arguments)])
            reported.setdefault(f"{case.name} {i}", f"{case.name}({passed}): result {i} ({kind}) is {got:#x}, not {want:#x}")
    return list(reported.values())


def check(name: str, group: list[Case]) -> int:
    with tempfile.TemporaryDirectory(prefix="heddle-ir-") as place:
        folder = Path(place)
        rows = input_of(group)
        arguments = b"".join(value.to_bytes(SLOT, "little") for row in rows for value in row)
        size = ITEMS * sum(len(case.results) for case in group) * SLOT
        expected = host_results(group, folder, arguments, size)
        (folder / "in.raw").write_bytes(arguments)
        (folder / "device.ll").write_text(module_of(group, device=True), encoding="utf-8")
        wrong = 0
        for level in ("-O0", "-O2"):
            for agent in ("interpreter", "cpu"):
                for text in differences(group, expected, device_results(folder, level, agent, size)):
                    wrong += 1
                    print(f"{name} {level} {agent}: {text}")
    print(f"{name}: {len(group)} functions, {sum(len(case.results) for case in group)} results, {wrong} differ")
    return wrong


def main() -> int:
    groups = {name: group for name, group in cases.groups().items() if len(sys.argv) == 1 or name in sys.argv[1:]}
    if not groups:
        sys.exit(f"there are these groups: {' '.join(cases.groups())}")
    return 1 if sum(check(name, group) for name, group in groups.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
