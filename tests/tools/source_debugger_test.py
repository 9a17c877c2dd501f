#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debugs kernels in OpenCL C and HIP with gdb: lines, variables with their types, arguments, calls, inlined calls, and variables that
passes have removed."""
from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
SKIPPED = 77
DWARFDUMP = shutil.which("llvm-dwarfdump-22") or shutil.which("llvm-dwarfdump")

OPENCL = """struct pair { float lo; int hi[2]; };
enum mode { OFF, ON = 5 };
constant int table[4] = {3, 5, 7, 9};
static int twice(int n) {
  int r = n + n;
  return r;
}
kernel void sums(global int* out, uint add) {
  local int shared[4];
  int i = get_global_id(0);
  struct pair p = {1.5f, {i, twice(i)}};
  float4 v = (float4)(i, 1, 2, 3);
  enum mode m = ON;
  shared[get_local_id(0)] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int j = 0; j < 4; ++j) {
    int t = shared[j] + table[j];
    sum += t;
  }
  out[i] = sum + p.hi[1] + add + (int)v.x + m;
}
"""

# What a loop computes, a value that nobody needs, and an inlined call.
OPTIMISED = """static int squared(int n) {
  int product = n * n;
  return product + 1;
}
kernel void count(global int* out, int add) {
  int i = get_global_id(0);
  int unused = i * 7;
  int sum = 0;
  for (int j = 0; j < out[i + 16]; ++j)
    sum += out[j];
  int s = squared(sum + add);
  out[i] = s;
}
"""

HIP = """#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
template <typename T>
struct Range {
  T first, last;
  __device__ T size() const { return last - first; }
};
__device__ int weight = 3;
__device__ static int scaled(int value) {
  int product = value * weight;
  return product;
}
extern "C" __global__ void scale(int* out, int add) {
  __shared__ int shared[4];
  const int lane = __builtin_amdgcn_workitem_id_x();
  const int i = __builtin_amdgcn_workgroup_id_x() * 4 + lane;
  Range<int> range{add, add + i};
  shared[lane] = scaled(i);
  out[i] = shared[lane] + range.size();
}
"""


def line_of(program: str, text: str) -> int:
    return 1 + next(i for i, line in enumerate(program.splitlines()) if text in line)


class SourceDebugger(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="heddle-gdb-")
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def debug(self, name: str, program: str, kernel: str, commands: list[str], options: tuple[str, ...] = (),
              **environment: str) -> str:
        (self.folder / name).write_text(program)
        script = ["set pagination off", "set confirm off", "set breakpoint pending on", "handle SIGUSR2 nostop noprint",
                  *commands, "kill", "quit"]
        (self.folder / "script").write_text("\n".join(script))
        result = subprocess.run(
            ["gdb", "-nx", "-batch", "-x", "script", "--args", HEDDLE, "run", "-g", *options, name, "--kernel", kernel, "--grid", "16",
             "--group", "4", "--agent", "cpu", "--arg", "s32:iota*32", "--arg", "s32:7"],
            cwd=self.folder, capture_output=True, check=False, text=True,
            env={**os.environ, "HEDDLE_CPU_THREADS": "1", **environment})
        return result.stdout + result.stderr

    def expect(self, output: str, *words: str):
        at = 0
        for word in words:
            found = output.find(word, at)
            self.assertGreaterEqual(found, 0, f"{word!r} not found in order in:\n{output}")
            at = found + len(word)

    def look_at_opencl(self, **environment: str):
        output = self.debug("sums.cl", OPENCL, "sums", [
            f"break sums.cl:{line_of(OPENCL, 'sum += t')} if i == 5", "run", "backtrace 1", "info args", "print i", "print p", "print v",
            "print m", "print j", "print t", "print shared", "print table", "ptype p", "whatis add", "whatis v", "print *out@3", "next",
            "next", "print j", "delete", "tbreak twice if n == 9", "continue", "backtrace 2", "next", "print r"], **environment)
        self.expect(output, "#0  sums (out=0x", "add=7) at ", f"sums.cl:{line_of(OPENCL, 'sum += t')}", "add = 7", "$1 = 5",
                    "$2 = {lo = 1.5, hi = {5, 10}}", "$3 = {5, 1, 2, 3}", "$4 = ON", "$5 = 0", "$6 = 7", "$7 = {4, 5, 6, 7}",
                    "$8 = {3, 5, 7, 9}", "type = struct pair {", "float lo;", "int hi[2];", "type = uint", "type = float4", "$9 = {",
                    "for (int j = 0", "int t = shared[j]", "$10 = 1", "twice (n=9) at", "#1 ", " in sums (out=0x", "$11 = 18")

    def test_opencl(self):
        self.look_at_opencl()

    def test_opencl_in_an_isa_with_waves(self):
        """With -g, work-items execute one at a time, so that there are variables also there."""
        self.look_at_opencl(HEDDLE_CPU_ISA="heddle:x86-64-v3:w8")

    def test_hip(self):
        output = self.debug("scale.hip", HIP, "scale", [
            "tbreak scaled if value == 5", "run", "next", "print product", "backtrace 2", "finish", "next", "print range", "print weight",
            "ptype range", "print lane", "print shared[1]"], HEDDLE_CPU_ISA="heddle:x86-64-v3:w32")
        self.expect(output, "scaled (value=5) at", "$1 = 15", "#0  scaled (value=5) at ", "scale.hip:12", "#1 ", "in scale (out=0x",
                    "add=7) at", "$3 = {first = 7, last = 12}", "$4 = 3", "type = struct Range<int> {", "$5 = 1", "$6 = 15")

    def test_hip_that_looks_at_lanes_keeps_its_waves(self):
        observes = HIP.replace("__builtin_amdgcn_workitem_id_x()", "__builtin_amdgcn_mbcnt_lo(~0u, 0)")
        output = self.debug("scale.hip", observes, "scale", [f"tbreak scale.hip:{line_of(HIP, 'out[i] =')}", "run", "print lane", "bt 1"],
                            HEDDLE_CPU_ISA="heddle:x86-64-v3:w32")
        self.expect(output, "hit Temporary breakpoint", "$1 = <optimized out>", "scale.hip:")

    def test_what_passes_have_removed(self):
        """Values that are shown are right; all else is said to be optimised away. Calls that were inlined are in the backtrace."""
        end = line_of(OPTIMISED, "out[i] = s")
        output = self.debug("count.cl", OPTIMISED, "count", [
            f"tbreak count.cl:{line_of(OPTIMISED, 'product + 1')}", "run", "backtrace 2", "up", "print unused", "print s", "print i",
            "print sum", "print add", f"tbreak count.cl:{end}", "continue", "print s", "print sum"], ("--cc=-O2",))
        self.expect(output, "#0  squared (", "#1  count (out=0x", "$1 = ", f"count.cl:{end}")
        values = dict(re.findall(r"^\$(\d+) = (.*)$", output, re.MULTILINE))
        for number, right in ("1", "0"), ("2", ""), ("3", "0"), ("4", "120"), ("5", "7"), ("6", "16130"), ("7", "120"):
            self.assertIn(values[number], {right, "<optimized out>"}, output)

    def test_the_worked_example(self):
        """The commands of docs/languages.md do what the page says."""
        page = (Path(os.environ["HEDDLE_SOURCE"]) / "docs/languages.md").read_text(encoding="utf-8")
        example = page[page.index("## A worked example"):page.index("## How to add a front end")]
        blocks = [re.sub(r"(?m)^    ", "", block) for block in re.findall(r"(?m)((?:^    .*\n)+)", example)]
        (self.folder / "vector_add.cl").write_text(blocks[0])
        environment = {key: value for key, value in os.environ.items() if key != "HEDDLE_CPU_ISA"}

        def run(command: str) -> str:
            words = [HEDDLE if word == "heddle" else word for word in shlex.split(command)]
            return subprocess.run(words, cwd=self.folder, check=True, text=True, capture_output=True, env=environment).stdout

        for command, shown in re.findall(r"(?m)^\$ ((?:heddle|ls) .*|ls)\n((?:^[^$].*\n)*)", "$ \n".join(blocks[1:])):
            printed = run(command)
            if command.startswith("ls"):
                self.assertEqual(printed.split(), shown.split())
        session = next(block for block in blocks if block.startswith("$ gdb"))
        commands = re.findall(r"(?m)^\(gdb\) (.*)$", session)
        (self.folder / "script").write_text("\n".join(["set pagination off", "handle SIGUSR2 nostop noprint", *commands, "kill"]))
        output = run(session.splitlines()[0].removeprefix("$ ").replace("gdb -q", "gdb -nx -batch -x script"))
        self.expect(output, *[line for line in session.splitlines()[1:] if not line.startswith("(gdb)")])

    @unittest.skipUnless(DWARFDUMP, "llvm-dwarfdump is not installed")
    def test_the_dwarf_verifies(self):
        for name, text in ("sums.cl", OPENCL), ("count.cl", OPTIMISED), ("scale.hip", HIP):
            (self.folder / name).write_text(text)
            for level in "02":
                subprocess.run([HEDDLE, "cc", "-g", f"-O{level}", name, "-o", "m.brig"], cwd=self.folder, check=True)
                for isa in "w1", "w8":
                    if isa == "w1" and name == "scale.hip":
                        continue  # it asks for lock-step
                    subprocess.run([HEDDLE, "finalize", "-g", "-O", level, "--isa", f"heddle:x86-64-v3:{isa}", "--dump", str(self.folder),
                                    "m.brig", "-o", "m.hco"], cwd=self.folder, check=True)
                    result = subprocess.run([DWARFDUMP, "--verify", "code.o"], cwd=self.folder, capture_output=True, check=False, text=True)
                    self.assertEqual(result.returncode, 0, f"{name} -O{level} {isa}\n{result.stdout}{result.stderr}")


if __name__ == "__main__":
    if not shutil.which("gdb"):
        print("skipped: gdb is not installed")
        sys.exit(SKIPPED)
    unittest.main()
