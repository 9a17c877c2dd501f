#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debugs kernels of the CPU agent with gdb: breakpoints on HSAIL lines, registers, arguments, variables of all segments,
the current work-item, steps, calls."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
SKIPPED = 77
DWARFDUMP = shutil.which("llvm-dwarfdump-22") or shutil.which("llvm-dwarfdump")

PROGRAM = """module &t:1:2:$full:$large:$default;
function &twice(arg_u32 %r)(arg_u32 %n)
{
  ld_arg_u32 $s0, [%n];
  add_u32 $s0, $s0, $s0;
  st_arg_u32 $s0, [%r];
};
prog kernel &k(kernarg_u64 %out, kernarg_u32 %add)
{
  workitemabsid_u32 $s0, 0;
  ld_kernarg_u64 $d0, [%out];
  ld_kernarg_u32 $s1, [%add];
  cvt_f64_u32 $d3, $s0;
  cmp_eq_b1_u32 $c1, $s0, 5;
  {
    arg_u32 %x; arg_u32 %y;
    st_arg_u32 $s0, [%y];
    call &twice(%x)(%y);
    ld_arg_u32 $s2, [%x];
  }
  MEET
  add_u32 $s2, $s2, $s1;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 2;
  add_u64 $d1, $d0, $d1;
  st_global_u32 $s2, [$d1];
  ret;
};
"""
# A variable of each segment. One private and one spill variable are in the frame, because an address is taken and a register
# indexes; the others are in places of their own.
SEGMENTS = """module &seg:1:2:$full:$large:$default;
prog alloc(agent) global_u32 &counters[3] = u32[](11, 22, 33);
prog readonly_f32 &scale = 2.5f;
group_u32 &common[4];
private_u32 &own;
function &id(arg_u32 %r)(arg_u32 %n)
{
  private_u32 %inner;
  ld_arg_u32 $s0, [%n];
  st_private_u32 $s0, [%inner];
  st_group_u32 $s0, [&common][8];
  st_arg_u32 $s0, [%r];
};
prog kernel &k(kernarg_u64 %out, kernarg_u32 %add)
{
  group_u32 %shared[4];
  private_u32 %frame[4];
  private_u64 %alone;
  spill_f32 %spilled;
  spill_u32 %spills[3];
  alloc(agent) global_u32 %calls = 5;
  workitemabsid_u32 $s0, 0;
  workitemid_u32 $s1, 0;
  shl_u32 $s2, $s1, 2;
  st_group_u32 $s0, [%shared][$s2];
  st_private_u32 $s0, [%frame][$s2];
  st_private_u64 0x123456789, [%alone];
  st_spill_f32 1.5f, [%spilled];
  st_spill_u32 77, [%spills][4];
  st_private_u32 99, [&own];
  ld_global_u32 $s3, [&counters][4];
  ld_readonly_f32 $s4, [&scale];
  ld_global_u32 $s5, [%calls];
  {
    arg_u32 %x; arg_u32 %y;
    st_arg_u32 $s0, [%y];
    call &id(%x)(%y);
    ld_arg_u32 $s6, [%x];
  }
  {
    arg_u32 %x; arg_u32 %y;
    st_arg_u32 17, [%y];
    call &id(%x)(%y);
    ld_arg_u32 $s7, [%x];
  }
  MEET
  nop;
  ret;
};
"""


def segment_line(text: str, number: int = 0) -> int:
    return [i + 1 for i, line in enumerate(SEGMENTS.splitlines()) if text in line][number]


ADD = 1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if "$s2, $s2, $s1" in line)
CALLED = 1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if "add_u32 $s0, $s0, $s0" in line)
CALL = 1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if "call &twice" in line)


class Debugger(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="heddle-gdb-")
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def debug(self, commands: list[str], program: str = PROGRAM, options: tuple[str, ...] = ("-g",), file: str = "t.hsail",
              **environment: str) -> str:
        (self.folder / "t.hsail").write_text(program.replace("MEET", environment.pop("meet", "nop;")))
        script = ["set pagination off", "set confirm off", "set breakpoint pending on", "handle SIGUSR2 nostop noprint",
                  *commands, "kill", "quit"]
        (self.folder / "script").write_text("\n".join(script))
        result = subprocess.run(
            ["gdb", "-nx", "-batch", "-x", "script", "--args", HEDDLE, "run", *options, file, "--kernel", "k", "--grid", "16",
             "--group", "4", "--agent", "cpu", "--arg", "u32*16", "--arg", "u32:7"],
            cwd=self.folder, capture_output=True, check=False, text=True, env={**os.environ, **environment})
        return result.stdout + result.stderr

    def expect(self, output: str, *words: str):
        for word in words:
            self.assertIn(word, output)

    def stop_and_look(self, **environment: str):
        output = self.debug([f"break t.hsail:{ADD} if workitemabsid.x == 5", "run", "backtrace 1", "info locals", "info args",
                             "print s2.u32", "next", "print s2.u32"], **environment)
        self.expect(output, f"t.hsail:{ADD}", "#0  k (out=", "add=7)", "workitemabsid = {x = 5, y = 0, z = 0}",
                    "workgroupid = {x = 1, y = 0, z = 0}", "workitemid = {x = 1, y = 0, z = 0}", "s0 = {u32 = 5,",
                    "d3 = {u64 = 4617315517961601024, s64 = 4617315517961601024, f64 = 5}", "c1 = true",
                    "$1 = 10", "$2 = 17")

    def test_a_line_of_a_work_item(self):
        self.stop_and_look()

    def test_where_waves_meet(self):
        self.stop_and_look(meet="barrier;")

    def test_functions(self):
        output = self.debug([f"break t.hsail:{CALLED}", "run", "backtrace 2", "info args"], HEDDLE_CPU_THREADS="1")
        self.expect(output, "#0  twice (r=", "n=0) at", f"t.hsail:{CALLED}", "#1 ", " in k (", f"t.hsail:{CALL}", "n = 0")

    def test_by_environment_with_lines_from_the_assembler(self):
        (self.folder / "t.hsail").write_text(PROGRAM.replace("MEET", "nop;"))
        subprocess.run([HEDDLE, "as", "-g", "t.hsail", "-o", "t.brig"], cwd=self.folder, check=True)
        output = self.debug([f"break t.hsail:{ADD}", "run", "print s1.u32"], options=(), file="t.brig", HEDDLE_DEBUG="1")
        self.expect(output, f"t.hsail:{ADD}", "$1 = 7")

    def test_lines_of_the_disassembled_text(self):
        (self.folder / "t.hsail").write_text(PROGRAM.replace("MEET", "nop;"))
        subprocess.run([HEDDLE, "as", "t.hsail", "-o", "t.brig"], cwd=self.folder, check=True)
        text = subprocess.run([HEDDLE, "dis", "t.brig"], cwd=self.folder, check=True, capture_output=True, text=True).stdout
        line = 1 + next(i for i, line in enumerate(text.splitlines()) if "add_u64 $d1, $d0, $d1" in line)
        output = self.debug([f"break t.hsail:{line} if workitemabsid.x == 0", "run", "print s2.u32"], file="t.brig")
        self.expect(output, f"t.hsail:{line}", "$1 = 7")

    def show_segments(self, **environment: str):
        output = self.debug([
            f"break t.hsail:{segment_line('ld_arg_u32 $s7')} if workitemabsid.x == 5", "run", "printf \"x %u y %u\\n\", x, y",
            f"tbreak t.hsail:{segment_line('  nop;')} if workitemabsid.x == 5", "continue",
            "print counters", "print scale", "print common[2]", "print own", "print shared[1]", "print frame[1]", "print/x alone",
            "print spilled", "print spills[1]", "print calls", "print x"], SEGMENTS, HEDDLE_CPU_THREADS="1", **environment)
        self.expect(output, "x 17 y 17", "$1 = {11, 22, 33}", "$2 = 2.5", "$3 = 17", "$4 = 99", "$5 = 5", "$6 = 5",
                    "$7 = 0x123456789", "$8 = 1.5", "$9 = 77", "$10 = 5", 'No symbol "x" in current context')

    def test_variables_of_all_segments(self):
        self.show_segments()

    def test_variables_where_waves_meet(self):
        self.show_segments(meet="barrier;")

    def test_lines_of_debug_pragmas(self):
        program = PROGRAM.replace("function &twice", """pragma "hsa.tools.debug.src", 1, "File", "t.cl", "", 0, 0;
pragma "hsa.tools.debug.src", 2, "Location", 1, 40, 0, 0, 0;
pragma "hsa.tools.debug.src", 3, "Location", 1, 41, 0, 0, 0;
function &twice""").replace("MEET", 'pragma "hsa.tools.debug.ref", "SourceLine", 2;').replace(
            "  cvt_u64_u32 $d1", '  pragma "hsa.tools.debug.ref", "SourceLine", 3;\n  cvt_u64_u32 $d1')
        output = self.debug(["break t.cl:41 if workitemabsid.x == 5", "run", "backtrace 1", "print s2.u32"], program)
        self.expect(output, "t.cl:41", "$1 = 17")

    def test_variables_of_functions(self):
        output = self.debug([f"break t.hsail:{segment_line('st_arg_u32 $s0, [%r]')} if n == 17", "run", "print inner", "print common[2]",
                             "print counters[2]", "print own", "up", "print spills[1]"], SEGMENTS, HEDDLE_CPU_THREADS="1")
        self.expect(output, "$1 = 17", "$2 = 17", "$3 = 33", "$4 = 99", "$5 = 77")

    def look_at_source(self, **environment: str):
        """Looks at variables of the source that saxpy.hsail describes."""
        at = "if workitemabsid.x == 5"
        output = self.debug([
            f"break saxpy.c:11 {at}", "run", "backtrace 1", "print i", "print s0.u32", "delete", "tbreak twice if n == 5",
            "continue", "backtrace 2", f"tbreak saxpy.c:13 {at}", "continue", "print p.lo", "print p.hi", "print p.next->hi[1]",
            "ptype p", "print m", "print halves", "print through", "print limit", "print version", "print memory_of_limit[3]",
            "print s2.u32", f"tbreak saxpy.c:16 {at}", "continue", "print i", "print scratch[1]", "print count",
            "whatis count", "whatis y", f"tbreak saxpy.c:18 {at}", "continue", "print i", "print count", "info locals"],
            (Path(__file__).parent / "saxpy.hsail").read_text(), HEDDLE_CPU_THREADS="1", **environment)
        self.expect(output, "#0  saxpy (y=0x", "count=7) at saxpy.c:11", "$1 = 5", "$2 = 5", "#0  twice (n=5) at saxpy.c:7",
                    "in saxpy (y=0x", "$3 = 1.5", "$4 = {5, 10}", "$5 = 10", "type = struct pair {", "float lo;", "int hi[2];",
                    "struct pair *next;", "$6 = ON", "$7 = {5, 10}", "$8 = 10", "$9 = {100, 200}", "$10 = 12", "$11 = 200",
                    "$12 = 10", "$13 = 77", "$14 = 1.5", "$15 = 7", "type = size", "type = float *", "$16 = 5", "$17 = 84",
                    # No longer available.
                    "halves = <optimized out>")

    def test_variables_of_the_source(self):
        self.look_at_source()

    def test_variables_of_the_source_where_waves_meet(self):
        self.look_at_source(meet="barrier;")

    @unittest.skipUnless(DWARFDUMP, "llvm-dwarfdump is not installed")
    def test_the_dwarf_of_the_source_verifies(self):
        (self.folder / "t.hsail").write_text((Path(__file__).parent / "saxpy.hsail").read_text().replace("MEET", "barrier;"))
        for opt_level in "02":
            subprocess.run([HEDDLE, "finalize", "-g", "-O", opt_level, "--dump", str(self.folder), "t.hsail", "-o", "t.co"],
                           cwd=self.folder, check=True)
            for command in ["--verify"], ["--debug-info"]:
                result = subprocess.run([DWARFDUMP, *command, "code.o"], cwd=self.folder, capture_output=True, check=False, text=True)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.expect(result.stdout, 'DW_AT_name\t("twice")', 'DW_AT_name\t("pair")', "DW_TAG_lexical_block")


if __name__ == "__main__":
    if not shutil.which("gdb"):
        print("skipped: gdb is not installed")
        sys.exit(SKIPPED)
    unittest.main()
