#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the numbers of instructions that heddle and LLVM's back end for AMD's processors make of the same OpenCL C.

    bench/instructions.py FILE.cl ... [--heddle PATH] [--cpu gfx906] [-- OPTIONS OF BOTH COMPILERS]

It writes a table in Markdown with the instructions in the text of each file: of all kernels, and of the functions that are not
inlined. Waits and no-operations, which AMD's processors need between others, are not counted; neither are directives, labels and
lines. A ratio is the instructions of HSAIL divided by those of the processor. It says whether the compiler leaves work undone, and
nothing about speed: an instruction of HSAIL may become many or none.
"""
from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from comparison import geometric_mean

ROOT = Path(__file__).resolve().parent.parent
LIBCLC = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"
# Statements of HSAIL inside of code blocks that execute nothing.
DIRECTIVES = ("loc", "pragma", "align", "private_", "spill_", "group_", "arg_", "requiredworkgroupsize", "maxflatworkgroupsize", "extension")
KERNEL_AS_FUNCTION = "__clang_ocl_kern_imp_"  # for kernels that call kernels; the kernel has a copy of its own
WAITS = ("s_waitcnt", "s_nop", "s_code_end", "s_clause", "s_delay_alu")


class Failed(Exception):
    """A compiler did not accept a file."""


def run(command: list[str]) -> None:
    done = subprocess.run(command, text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failed(f"{command[0]}: {done.stderr.strip()[-300:]}")


def is_instruction_of_hsail(line: str) -> bool:
    """Returns whether a line between the braces of a code block is an instruction."""
    return bool(line) and line[0] not in "@{}/" and not line.startswith(DIRECTIVES)


def hsail_instructions(text: str) -> int:
    count, inside = 0, False
    for line in map(str.strip, text.splitlines()):
        if line == "{" and not inside:
            inside = True
        elif line == "};":
            inside = False
        elif inside:
            count += is_instruction_of_hsail(line)
    return count


def amdgcn_instructions(text: str) -> int:
    count, inside = 0, False
    for line in text.splitlines():
        words = line.split(";")[0].split()
        if not words:
            continue
        if words[0] == ".amdgpu_metadata":
            break
        if words[0].startswith(".Lfunc_end"):
            inside = False
        elif words[0].endswith(":"):
            inside = inside if words[0].startswith(".") else not words[0].startswith(KERNEL_AS_FUNCTION)
        elif inside:
            count += not words[0].startswith((".", *WAITS))
    return count


def instructions_of(path: Path, heddle: str, cpu: str, options: list[str], folder: Path) -> tuple[int, int]:
    hsail, assembly = folder / "out.hsail", folder / "out.s"
    own = [f"-I{path.parent}", "-w", "-O2", *options]
    run([heddle, "cc", *own, str(path), "-o", str(hsail)])
    run(["clang-22", "-x", "cl", "-cl-std=CL3.0", "-Xclang", "-finclude-default-header", "-target", "amdgcn-amd-amdhsa", f"-mcpu={cpu}",
         "-nogpulib", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, *own, "-S", str(path), "-o", str(assembly)])
    return hsail_instructions(hsail.read_text()), amdgcn_instructions(assembly.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--heddle", default=str(ROOT / "build/release/bin/heddle"))
    parser.add_argument("--cpu", default="gfx906", help="the processor of AMD's")
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    arguments = parser.parse_args(words[:len(words) - len(options) - 1] if "--" in words else words)
    ratios = []
    print(f"| file | HSAIL | {arguments.cpu} | ratio |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="heddle-instructions-") as folder:
        for path in arguments.files:
            try:
                ours, theirs = instructions_of(path, arguments.heddle, arguments.cpu, options, Path(folder))
            except Failed as failure:
                print(f"{path}: {failure}", file=sys.stderr)
                continue
            ratios.append(ours / theirs)
            print(f"| {path.stem} | {ours} | {theirs} | {ours / theirs:.2f} |")
    print(f"| geometric mean of {len(ratios)} | | | {geometric_mean(ratios):.2f} |")
    return 0 if len(ratios) == len(arguments.files) else 1


if __name__ == "__main__":
    sys.exit(main())
