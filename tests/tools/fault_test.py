#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that fault, as users of the `heddle` command see it, on each agent that executes: the process lives, the queue's
callback gets the right status, and the log names the kernel, the source line, the work-item and the address."""
from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
AGENTS = ("cpu", "interpreter")
ERROR, OUT_OF_RESOURCES, EXCEPTION = 0x1000, 0x1008, 0x1016

# Only work-item 37, which is number 7 of work-group 3, reaches `body`.
KERNEL = """module &faults:1:0:$full:$large:$default;
{functions}
prog kernel &guilty(kernarg_u64 %out)
{{
  {variables}
  loc 1 1 "guilty.c";
  {before}
  workitemabsid_u32 $s0, 0;
  cmp_ne_b1_u32 $c0, $s0, 37;
  cbr_b1 $c0, @end;
  loc 3;
  {body}
  loc 4;
  ret;
@end:
  ret;
}};
"""
# The recursion has no end, and is no loop in disguise: after a call, each level uses a value that it saved
# before.
DESCENT = """
function &down(arg_u32 %r)(arg_u32 %n)
{
  private_u32 %saved[64];
  ld_arg_u32 $s0, [%n];
  st_private_u32 $s0, [%saved];
  add_u32 $s0, $s0, 1;
  { arg_u32 %x; arg_u32 %m; st_arg_u32 $s0, [%m]; call &down(%x)(%m); ld_arg_u32 $s1, [%x]; }
  ld_private_u32 $s0, [%saved];
  add_u32 $s0, $s0, $s1;
  st_arg_u32 $s0, [%r];
};
"""

# Only the work-items of work-group (1, 1) whose flattened ID compares so with a number reach `body`, after their waves have
# gone on behind two barriers. The others then wait at a third one.
MEETING = """module &faults:1:0:$full:$large:$default;
prog kernel &guilty(kernarg_u64 %out)
{{
  group_u32 %tile[64];
  loc 1 1 "guilty.c";
  currentworkitemflatid_u32 $s0;
  workgroupid_u32 $s1, 0;
  workgroupid_u32 $s2, 1;
  shl_u32 $s3, $s0, 2;
  st_group_u32 $s1, [%tile][$s3];
  barrier;
  ld_group_u32 $s4, [%tile];
  barrier;
  cmp_{compare}_b1_u32 $c0, $s0, {number};
  and_b32 $s1, $s1, $s2;
  cmp_eq_b1_u32 $c1, $s1, 1;
  and_b1 $c0, $c0, $c1;
  cbr_b1 $c0, @guilty;
  barrier;
  ret;
@guilty:
  loc 3;
  {body}
  ret;
}};
"""
# All work-items of a wave execute `body`, in which work-item 37 has the address 0x123450 in $d3, and the others that of their
# element, which is in $d1, too.
EACH_ITS_OWN = """module &faults:1:0:$full:$large:$default;
prog kernel &guilty(kernarg_u64 %out)
{{
  loc 1 1 "guilty.c";
  workitemabsid_u32 $s0, 0;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  cvt_u64_u32 $d2, $s0;
  shl_u64 $d2, $d2, 2;
  add_u64 $d1, $d0, $d2;
  cmp_eq_b1_u32 $c0, $s0, 37;
  cmov_b64 $d3, $c0, 0x123450, $d1;
  mov_b32 $s1, 1;
  loc 3;
  {body}
  ret;
}};
"""
MEETING_SHAPE = ("--grid", "12,10", "--group", "6,5", "--arg", "u32*120")


class Fault:
    def __init__(self, name: str, body: str, status: int, *words: str, functions: str = "", variables: str = ""):
        self.name, self.body, self.status, self.words = name, body, status, words
        self.functions, self.variables = functions, variables

    def text(self, before: str = "") -> str:
        return KERNEL.format(body=self.body, functions=self.functions, variables=self.variables, before=before)


KEEP = "ld_kernarg_u64 $d0, [%out];\n  st_global_u32 $s1, [$d0];"
FAULTS = (
    Fault("load", f"mov_b64 $d1, 0x123450;\n  ld_global_u32 $s1, [$d1];\n  {KEEP}", ERROR, "0x123450"),
    Fault("store", "mov_b64 $d1, 0x123450;\n  st_global_u32 $s0, [$d1];", ERROR, "0x123450"),
    Fault("null", "mov_b64 $d1, 0x10;\n  st_global_u32 $s0, [$d1];", ERROR, "0x10"),
    Fault("atomic", "mov_b64 $d1, 0x123450;\n  atomicnoret_add_global_scar_system_u32 [$d1], 1;", ERROR, "0x123450"),
    Fault("flat", f"mov_b64 $d1, 0x123450;\n  ld_u32 $s1, [$d1];\n  {KEEP}", ERROR, "0x123450"),
    Fault("debugtrap", "debugtrap_u32 99;", EXCEPTION, "debugtrap 99"),
    Fault("recursion", f"{{ arg_u32 %x; arg_u32 %m; st_arg_u32 $s0, [%m]; call &down(%x)(%m); ld_arg_u32 $s1, [%x]; }}\n  {KEEP}",
          OUT_OF_RESOURCES, functions=DESCENT),
    Fault("alloca", f"mov_b32 $s2, 0x7000000;\n  alloca_u32 $s1, $s2;\n  {KEEP}", OUT_OF_RESOURCES),
)


class Faults(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="heddle-fault-")
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def run_kernel(self, agent: str, text: str, **environment: str) -> subprocess.CompletedProcess:
        path = self.folder / "kernel.hsail"
        path.write_text(text)
        return self.run_file(agent, path, **environment)

    def run_file(self, agent: str, path: Path, *shape: str, **environment: str) -> subprocess.CompletedProcess:
        shape = shape or ("--grid", "100", "--group", "10", "--arg", f"u32*100={self.folder}/out.bin")
        return subprocess.run([HEDDLE, "run", path, "--agent", agent, *shape], capture_output=True, check=False,
                              env={**os.environ, "HEDDLE_LOG": "warning", **environment}, text=True)

    def wave_isas(self) -> list[tuple[str, int]]:
        """The ISAs of the CPU agent with waves of several work-items, and how many."""
        shown = subprocess.run([HEDDLE, "info", "--agent", "cpu"], capture_output=True, check=True, text=True).stdout
        return [(isa, int(lanes)) for isa, lanes in re.findall(r"ISA (heddle:x86-64-v\d:w(\d+))", shown) if lanes != "1"]

    def expect(self, agent: str, result: subprocess.CompletedProcess, fault: Fault):
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.count("failed with status"), 1, result.stderr)
        self.assertIn(f"failed with status {fault.status:#x}", result.stderr)
        self.assertIn("kernel &guilty", result.stderr)
        for word in fault.words:
            self.assertIn(word, result.stderr)
        self.assertIn("absolute work-item (37, 0, 0), which is work-item (7, 0, 0) of work-group (3, 0, 0)", result.stderr)

    def test_each(self):
        for agent in AGENTS:
            for fault in FAULTS:
                with self.subTest((agent, fault.name)):
                    self.expect(agent, self.run_kernel(agent, fault.text()), fault)

    def test_each_where_waves_meet(self):
        for agent in AGENTS:
            for fault in FAULTS:
                with self.subTest((agent, fault.name)):
                    self.expect(agent, self.run_kernel(agent, fault.text("barrier;")), fault)

    def test_each_in_waves_of_lanes(self):
        for fault in FAULTS:
            with self.subTest(fault.name):
                self.expect("interpreter", self.run_kernel("interpreter", fault.text(), HEDDLE_WAVESIZE="4"), fault)

    def test_behind_barriers_in_waves(self):
        """A trap names the work-item, and a fault at an address on which the wave agrees its first one, in waves that are resumed
        in turn."""
        path = self.folder / "kernel.hsail"
        for isa, lanes in self.wave_isas():
            first = 20 // lanes * lanes
            for body, flat, words in (("debugtrap_u32 99;", 20, "debugtrap 99"),
                                      ("mov_b64 $d1, 0x123450; st_global_u32 $s4, [$d1];", first, "memory fault at 0x123450")):
                with self.subTest((isa, body)):
                    path.write_text(MEETING.format(compare="eq", number=20, body=body))
                    result = self.run_file("cpu", path, *MEETING_SHAPE, HEDDLE_CPU_ISA=isa)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertIn(words, result.stderr)
                    x, y = flat % 6, flat // 6
                    self.assertIn(f"{'' if 'trap' in words else 'wave of '}absolute work-item ({6 + x}, {5 + y}, 0), which is "
                                  f"work-item ({x}, {y}, 0) of work-group (1, 1, 0)", result.stderr)
                    self.assertIn("(guilty.c:3)", result.stderr)

    def test_the_work_item_in_waves(self):
        """Accesses for a lane each, and consecutive ones under a mask, name the work-item, or those of which it is one."""
        path = self.folder / "kernel.hsail"
        gather = EACH_ITS_OWN.format(body="ld_global_u32 $s1, [$d3];\n  st_global_u32 $s1, [$d1];")
        store = EACH_ITS_OWN.format(body="st_global_u32 $s1, [$d3];")
        from_37_on = EACH_ITS_OWN.format(body="cmp_lt_b1_u32 $c0, $s0, 37;\n  cbr_b1 $c0, @end;\n  add_u64 $d1, $d2, 0x1233bc;\n"
                                              "  st_global_u32 $s1, [$d1];\n@end:")
        for isa, lanes in self.wave_isas():
            for name, text in (("gather", gather), ("store", store), ("masked", from_37_on)):
                with self.subTest((isa, name)):
                    path.write_text(text)
                    # Behind work-item 37 come others that would fault in work-groups of other threads.
                    result = self.run_file("cpu", path, HEDDLE_CPU_ISA=isa, HEDDLE_CPU_THREADS="1")
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertIn("memory fault at 0x123450", result.stderr)
                    self.assertIn("(guilty.c:3)", result.stderr)
                    self.assertIn(37, self.named_work_items(result.stderr, lanes), result.stderr)

    def named_work_items(self, message: str, lanes: int) -> range:
        """The work-items that a message may mean: one, a part of the wave if it takes several instructions, or the whole wave."""
        named = re.search(r"kernel &guilty, (?:one of (\d+) work-items from |(wave of ))?absolute work-item \((\d+), 0, 0\), which is "
                          r"work-item \((\d+), 0, 0\) of work-group \((\d+), 0, 0\)", message)
        self.assertIsNotNone(named, message)
        part, wave, first, item, group = named.groups()
        self.assertEqual(int(first), 10 * int(group) + int(item))
        return range(int(first), int(first) + (lanes if wave else int(part or 1)))

    def test_a_barrier_that_some_waves_miss(self):
        path = self.folder / "kernel.hsail"
        path.write_text(MEETING.format(compare="ge", number=16, body="ret;"))
        for isa in (isa for isa, lanes in self.wave_isas() if lanes <= 16):
            with self.subTest(isa):
                result = self.run_file("cpu", path, *MEETING_SHAPE, HEDDLE_CPU_ISA=isa)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn("failed with status 0x1000: kernel &guilty", result.stderr)
                self.assertIn("no wave of the group can go on", result.stderr)
                self.assertIn("of work-group (1, 1, 0)", result.stderr)

    def test_the_line(self):
        for agent in AGENTS:
            for before in ("", "barrier;"):
                for fault in FAULTS:
                    if fault.functions == "":
                        with self.subTest((agent, before, fault.name)):
                            self.assertIn("(guilty.c:3)", self.run_kernel(agent, fault.text(before)).stderr)

    def test_the_line_of_the_disassembled_text(self):
        """Without loc, as in modules of other producers, both agents report the line that `heddle dis` shows."""
        text = "\n".join(line for line in FAULTS[1].text().splitlines() if not line.lstrip().startswith("loc"))
        (self.folder / "plain.hsail").write_text(text)
        brig = self.folder / "plain.brig"
        subprocess.run([HEDDLE, "as", self.folder / "plain.hsail", "-o", brig], check=True)
        shown = subprocess.run([HEDDLE, "dis", brig], capture_output=True, check=True, text=True).stdout.splitlines()
        line = 1 + next(i for i, text in enumerate(shown) if "st_global_u32 $s0, [$d1]" in text)
        for agent in AGENTS:
            with self.subTest(agent):
                self.assertIn(f"(faults.hsail:{line})", self.run_file(agent, brig).stderr)

    def test_the_line_of_debug_pragmas(self):
        entities = """pragma "hsa.tools.debug.src", 1, "File", "guilty.cl", "/src", 0, 0;
pragma "hsa.tools.debug.src", 2, "Location", 1, 44, 5, 0, 0;
prog kernel"""
        body = 'pragma "hsa.tools.debug.ref", "SourceLine", 2;\n' + FAULTS[1].body
        text = Fault("", body, 0).text().replace("prog kernel", entities)
        for agent in AGENTS:
            with self.subTest(agent):
                self.assertIn("(/src/guilty.cl:44)", self.run_kernel(agent, text).stderr)

    def test_division_by_zero_is_a_value(self):
        text = Fault("", "div_u32 $s1, $s0, 0;\n rem_s32 $s2, $s0, 0;\n add_u32 $s1, $s1, $s2;\n mov_b32 $s3, 0x80000000;\n"
                     f"div_s32 $s2, $s3, -1;\n add_u32 $s1, $s1, $s2;\n {KEEP}", 0).text()
        for agent in AGENTS:
            with self.subTest(agent):
                result = self.run_kernel(agent, text)
                self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
