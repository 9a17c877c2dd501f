#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of what bench/run.py writes to its reports, and of the kernels that it changes."""
import contextlib
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import comparison  # noqa: E402
import run  # noqa: E402

HOST = """
import sys
print('{"host": "a host"}', flush=True)
for line in sys.stdin:
    if line.startswith("load"):
        print('{"error": "no"}' if FAILS else '{"problem": "a problem"}', flush=True)
    else:
        print('{"ms": [%s]}' % ", ".join([MS] * int(line.split()[1])), flush=True)
"""


class CommandLine(unittest.TestCase):
    def test_as_given(self):
        self.assertEqual(run.command_line(["python3", "bench/run.py", "--build", "build/release", "--only", "text"]),
                         "python3 bench/run.py --build build/release --only text")

    def test_no_paths_of_this_machine(self):
        words = ["/opt/somewhere/bin/python3", f"{ROOT}/bench/run.py", f"--build={ROOT}/build/release", "--out", f"{ROOT}/a b"]
        self.assertEqual(run.command_line(words), "python3 bench/run.py --build=build/release --out 'a b'")

    def test_paths_elsewhere_stay(self):
        self.assertEqual(run.command_line(["python3", "run.py", "--out", "/elsewhere"]), "python3 run.py --out /elsewhere")


class WithFtz(unittest.TestCase):
    def test_instructions_that_can_have_it(self):
        for plain, flushing in {"  fma_f32 $s4, $s0, $s0, $s4;": "  fma_ftz_f32 $s4, $s0, $s0, $s4;",
                                "add_up_f64 $d0, $d0, $d1;": "add_ftz_up_f64 $d0, $d0, $d1;",
                                "  cmp_gt_b1_f32 $c0, $s1, 4.0f;": "  cmp_gt_ftz_b1_f32 $c0, $s1, 4.0f;",
                                "  cvt_neari_sat_u8_f32 $s6, $s6;": "  cvt_ftz_neari_sat_u8_f32 $s6, $s6;"}.items():
            self.assertEqual(run.with_ftz(plain), flushing)

    def test_others(self):
        for text in ("add_u32 $s0, $s1, $s2;", "  cvt_f32_u32 $s8, $s0;", "  ld_global_f32 $s0, [$d0];", "  neg_f32 $s0, $s1;",
                     "  packcvt_u8x4_f32 $s12, $s8, $s9, $s10, $s11;", "  cmp_lt_b1_u32 $c0, $s0, $s1;", "  arg_f32 %x;"):
            self.assertEqual(run.with_ftz(text), text)

    def test_once_in_each(self):
        text = run.with_ftz((ROOT / "examples/kernels/nbody.hsail").read_text(encoding="utf-8"))
        self.assertIn("sqrt_ftz_f32", text)
        self.assertNotIn("_ftz_ftz", text)


class Compare(unittest.TestCase):
    """Compares small programs that answer as hosts do."""

    def compare(self, *hosts: tuple[str, str, bool]) -> comparison.Comparison:
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            contestants = []
            for label, ms, fails in hosts:
                program = Path(folder) / f"{label}.py"
                program.write_text(f"MS = {ms!r}\nFAILS = {fails}\n{HOST}", encoding="utf-8")
                contestants.append(stack.enter_context(comparison.Contestant(label, [sys.executable, program])))
            return comparison.compare("kernel", contestants, 3)

    def test_times_and_ratio(self):
        found = self.compare(("a", "2", False), ("b", "3", False))
        self.assertEqual(found.times, {"a": [2, 2, 2], "b": [3, 3, 3]})
        self.assertEqual((found.median("b"), found.ratio("b", "a"), found.problem), (3, 1.5, "a problem"))

    def test_failures(self):
        found = self.compare(("a", "2", False), ("b", "3", True))
        self.assertEqual(set(found.times), {"a"})
        self.assertEqual(found.failures, ["b: load kernel: no"])
        self.assertRaises(comparison.Failed, self.compare, ("a", "2", True), ("b", "3", False))

    def test_ratio_of_the_same_round(self):
        found = comparison.Comparison("kernel", "", {"a": [1, 10, 100], "b": [2, 20, 100]})
        self.assertEqual(found.ratio("b", "a"), 2)

    def test_rows(self):
        results = [comparison.Comparison("x", "p", {"a": [1], "b": [2]}), comparison.Comparison("y", "q", {"a": [1], "b": [8]}),
                   comparison.Comparison("z", "r", {"a": [1]})]
        self.assertEqual(comparison.rows_of(results, ["a", "b"]),
                         [["x, p", "1.000", "2.000", "2.00"], ["y, q", "1.000", "8.000", "8.00"], ["z, r", "1.000", "", ""],
                          ["geometric mean", "", "", "4.00"], ["minimum", "", "", "2.00"]])


if __name__ == "__main__":
    unittest.main()
