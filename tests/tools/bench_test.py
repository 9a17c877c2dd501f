#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests `heddle bench` as its users see it. HEDDLE is the program, HEDDLE_SOURCE the repository. No test depends on how long
anything takes."""
from __future__ import annotations

import array
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
KERNELS = Path(os.environ["HEDDLE_SOURCE"]) / "examples" / "kernels"
VECTOR_ADD = (KERNELS / "vector_add.hsail", "--grid", "1000", "--arg", "f32*1000", "--arg", "f32:iota*1000", "--arg",
              "f32:2.5*1000", "--arg", "u32:1000")


def quick(rounds):
    return ("--warm-up", "1", "--warm-up-time", "0", "--rounds", str(rounds), "--min-time", "0")


QUICK = quick(3)

# Stores WAVESIZE, which differs between the ISAs of the interpreter.
WAVE_SIZE = """module &m:1:0:$full:$large:$default;
prog kernel &wave(kernarg_u64 %out)
{
  ld_kernarg_u64 $d0, [%out];
  mov_b32 $s0, WAVESIZE;
  st_global_u32 $s0, [$d0];
};
"""

# Adds 1 to a number in memory, so that the number counts the launches.
COUNT = """module &m:1:0:$full:$large:$default;
prog kernel &count(kernarg_u64 %out)
{
  ld_kernarg_u64 $d0, [%out];
  ld_global_u32 $s0, [$d0];
  add_u32 $s0, $s0, 1;
  st_global_u32 $s0, [$d0];
};
"""

# Faults if the number in memory is 3; otherwise adds 1 to it.
FAULT_ON_THE_FOURTH = """module &m:1:0:$full:$large:$default;
prog kernel &count(kernarg_u64 %out)
{
  ld_kernarg_u64 $d0, [%out];
  ld_global_u32 $s0, [$d0];
  cmp_ne_b1_u32 $c0, $s0, 3;
  cbr_b1 $c0, @fine;
  debugtrap_u32 77;
@fine:
  add_u32 $s0, $s0, 1;
  st_global_u32 $s0, [$d0];
};
"""


def heddle(*arguments: object, **env: str) -> subprocess.CompletedProcess:
    clean = {key: value for key, value in os.environ.items() if key not in ("HEDDLE_AGENTS", "HEDDLE_WAVESIZE")}
    return subprocess.run([HEDDLE, *map(str, arguments)], capture_output=True, check=False, env={**clean, **env})


def masked(text: str) -> str:
    """Replaces measured numbers by # and the name of the processor by CPU, and shortens runs of blanks."""
    text = re.sub(r"heddle on .*", "heddle on CPU", text)
    text = re.sub(r"\b\d+(\.\d+)?(?= %)", "#", text)
    text = re.sub(r"\b(finalize|min|median|p90)/\w+", r"\1/unit", text)
    text = re.sub(r"\b\d+\.\d+\b", "#", text)
    return re.sub(r" +", " ", text)


class BenchTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-bench-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def kernel(self, text: str) -> Path:
        path = self.folder / "kernel.hsail"
        path.write_text(text)
        return path

    def bench(self, *arguments: object, **env: str) -> str:
        result = heddle("bench", *arguments, **env)
        self.assertEqual(result.returncode, 0, result.stdout.decode() + result.stderr.decode())
        return result.stdout.decode()

    def fails(self, code: int, *arguments: object, parts: tuple[str, ...], **env: str) -> subprocess.CompletedProcess:
        result = heddle("bench", *arguments, **env)
        text = result.stderr.decode()
        self.assertEqual(result.returncode, code, text)
        for part in parts:
            self.assertIn(part, text)
        return result


class Output(BenchTest):
    def test_table(self):
        text = masked(self.bench(*VECTOR_ADD, *QUICK, "--agent", "interpreter", "--isa", "w4", "--isa", "w1", "--bytes", "12000",
                                 "--operations", "1000"))
        lines = [line for line in text.splitlines() if not line.startswith("note ")]
        self.assertEqual(lines[:7], [
            "kernel &vector_add grid 1000 group 256",
            "agent heddle HSAIL interpreter",
            "",
            "ISA finalize/unit min/unit median/unit p90/unit spread GB/s GFLOP/s speed",
            "heddle:hsail:w4 # # # # # % # # #",
            "heddle:hsail:w1 # # # # # % # # #",
            ""])
        self.assertRegex(lines[7], r"^time \d+ rounds? of one launch each, after \d+ launch(es)? to warm up; speeds")
        self.assertRegex(lines[8], r"^load # at the start, # at the end, on \d+ processors?$")
        self.assertEqual(lines[9:], ["result the same from all 2"])

    def test_json(self):
        report = json.loads(self.bench(*VECTOR_ADD, "--json", "--agent", "cpu,interpreter", "--isa", "w1", *QUICK, "--bytes",
                                       "12K"))
        self.assertEqual((report["kernel"], report["grid"], report["group"]), ("&vector_add", [1000], [256]))
        self.assertEqual((report["bytes"], report["operations"]), (12288, None))
        self.assertEqual((report["not_timed"], report["wrong_results"]), ([], []))
        isas = [timing["isa"] for timing in report["timings"]]
        self.assertIn("heddle:hsail:w1", isas)
        self.assertTrue(any("x86-64-v2" in isa for isa in isas) or os.uname().machine != "x86_64")
        for timing in report["timings"]:
            self.assertEqual((timing["rounds"], len(timing["times"])), (3, 3))
            self.assertEqual(timing["min"], min(timing["times"]))
            self.assertEqual(timing["median"], sorted(timing["times"])[1])
            self.assertGreater(timing["finalize_seconds"], 0)
            self.assertAlmostEqual(timing["bytes_per_second"], 12288 / timing["median"], delta=1)
        self.assertEqual(report["timings"][0]["speed"], 1)

    def test_help_says_what_is_timed(self):
        text = self.bench("--help")
        for part in ("doorbell", "HEDDLE_AGENTS", "--restore", "overwrites its input", "f32:iota*1024", "Exit codes"):
            self.assertIn(part, text)


class Choice(BenchTest):
    def isas(self, *arguments: object, **env: str) -> list[str]:
        report = json.loads(self.bench(*VECTOR_ADD, *QUICK, "--json", *arguments, **env))
        return [timing["isa"] for timing in report["timings"]]

    def test_the_interpreter_takes_part_only_if_it_is_named(self):
        self.assertFalse(any("hsail" in isa for isa in self.isas()))
        self.assertTrue(all("hsail" in isa for isa in self.isas(HEDDLE_AGENTS="interpreter")))

    def test_all_isas_of_an_agent(self):
        listed = re.findall(r"ISA (\S+)", heddle("info", "--agent", "interpreter").stdout.decode())
        self.assertEqual(self.isas("--agent", "interpreter"), listed)

    def test_isas_in_the_order_in_which_they_are_named(self):
        self.assertEqual(self.isas("--agent", "interpreter", "--isa", "w16", "--isa", "heddle:hsail:w2", "--isa", "w16"),
                         ["heddle:hsail:w16", "heddle:hsail:w2"])

    def test_wrong_names(self):
        self.fails(1, *VECTOR_ADD, "--isa", "w9", parts=("--isa: no ISA is called 'w9'; there are\n  heddle:",))
        self.fails(1, *VECTOR_ADD, "--agent", "interpreter", "--isa", "x86-64-v2",
                   parts=("--isa: no agent chosen here executes 'x86-64-v2'", "heddle:hsail:w1 (heddle HSAIL interpreter)"))
        self.fails(1, *VECTOR_ADD, "--agent", "toaster", parts=("no kernel agent is called 'toaster'",))

    def test_code_objects(self):
        code = self.folder / "code.hco"
        subprocess.run([HEDDLE, "finalize", VECTOR_ADD[0], "-o", code, "--isa", "heddle:hsail:w2"], check=True)
        report = json.loads(self.bench(code, *VECTOR_ADD[1:], *QUICK, "--json", "--agent", "interpreter"))
        self.assertEqual([(timing["isa"], timing["finalize_seconds"]) for timing in report["timings"]], [("heddle:hsail:w2", None)])
        self.fails(1, code, *VECTOR_ADD[1:], "--isa", "w1", parts=("--isa: the file is code for heddle:hsail:w2",))

    def test_code_that_an_agent_cannot_load(self):
        code = self.folder / "code.hco"
        subprocess.run([HEDDLE, "finalize", VECTOR_ADD[0], "-o", code, "--isa", "heddle:hsail:w2"], check=True)
        result = self.fails(1, code, *VECTOR_ADD[1:], *QUICK, "--agent", "cpu", parts=("nothing could be timed",))
        self.assertRegex(result.stdout.decode(), r"not timed heddle:hsail:w2 \(.*\): cannot load the code object")
        result = self.fails(1, code, *VECTOR_ADD[1:], *QUICK, "--json", "--agent", "cpu,interpreter",
                            parts=("1 of 2 could not be timed",))
        report = json.loads(result.stdout)
        self.assertEqual((len(report["timings"]), len(report["not_timed"])), (1, 1))
        self.assertIn("cannot load", report["not_timed"][0]["reason"])


class Results(BenchTest):
    def test_differences_are_reported(self):
        file = self.kernel(WAVE_SIZE)
        arguments = (file, "--grid", "1", "--arg", f"u32*2={self.folder}/out.bin", *QUICK, "--agent", "interpreter", "--isa", "w4",
                     "--isa", "w8")
        result = self.fails(1, *arguments, parts=("the results are not the same",))
        self.assertIn("result    heddle:hsail:w8 (heddle HSAIL interpreter): arg 0: 1 of 2 elements are not those of "
                      "heddle:hsail:w4 (heddle HSAIL interpreter); the first is [0]: 8 instead of 4\n", result.stdout.decode())
        self.assertEqual(list(array.array("I", (self.folder / "out.bin").read_bytes())), [4, 0])
        report = json.loads(self.fails(1, *arguments, "--json", parts=()).stdout)
        self.assertEqual(report["wrong_results"][0], {
            "agent": "heddle HSAIL interpreter", "isa": "heddle:hsail:w8", "argument": 0, "elements": 2, "different": 1, "first": 0,
            "expected": "4", "found": "8", "expected_bits": "0x00000004", "found_bits": "0x00000008"})
        self.assertIn("result    not compared\n", self.bench(*arguments, "--no-compare"))

    def test_all_start_from_the_same_values(self):
        out = self.folder / "out.bin"
        text = self.bench(self.kernel(COUNT), "--grid", "1", "--arg", f"inout:u32:5*1={out}", *QUICK, "--agent", "interpreter",
                          "--isa", "w1", "--isa", "w2", "--isa", "w4")
        self.assertIn("the same from all 3", text)
        self.assertEqual(list(array.array("I", out.read_bytes())), [6])

    def test_launches_leave_the_buffers_unless_they_are_restored(self):
        # The first launch is that whose results are compared. The buffers are filled again before the warm-up.
        file = self.kernel(FAULT_ON_THE_FOURTH)
        arguments = (file, "--grid", "1", "--arg", "inout:u32:0*1", "--agent", "interpreter", "--isa", "w1")
        result = self.fails(1, *arguments, *QUICK, parts=("nothing could be timed", "debugtrap 77"))
        self.assertRegex(result.stdout.decode(), r"not timed heddle:hsail:w1 \(.*\): the dispatch failed")
        self.bench(*arguments, *QUICK, "--restore")
        self.bench(*arguments, *quick(2))

    def test_a_buffer_that_is_written_but_called_an_input(self):
        result = heddle("bench", self.kernel(COUNT), "--grid", "1", "--arg", "in:u32:5*1", *QUICK, "--agent", "interpreter",
                        "--isa", "w1")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--arg 0: the kernel writes this buffer", result.stderr.decode())

    def test_an_endless_kernel_is_not_timed(self):
        file = self.kernel("module &m:1:0:$full:$large:$default;\nprog kernel &k()\n{\n@again:\n  br @again;\n};\n")
        result = self.fails(1, file, "--grid", "1", *QUICK, "--agent", "interpreter", "--isa", "w1", "--timeout", "0.1",
                            parts=("nothing could be timed",))
        self.assertIn("has not finished after 100.00 ms", result.stdout.decode())


class Errors(BenchTest):
    def test_the_command_line_is_checked_before_any_work(self):
        file = self.folder / "does-not-matter.hsail"
        for options, part in ((("--bytes", "x"), "--bytes: 'x' is no count"), (("--bytes", "0"), "--bytes: '0' is no count"),
                              (("--operations", "-1"), "--operations: '-1' is no count"), (("--rounds", "0"), "--rounds: 0"),
                              (("--rounds", "1.5"), "--rounds: 1.5"), (("--warm-up", "-1"), "--warm-up: -1"),
                              (("--min-time", "nan"), "--min-time: nan"), (("--warm-up-time", "-1"), "--warm-up-time: -1"),
                              (("--timeout", "x"), "--timeout"), (("--arg", "f33*4"), "'f33' is no type"),
                              (("--group", "70000"), "65535"), (("--frobnicate",), "frobnicate")):
            with self.subTest(options):
                self.fails(2, file, "--grid", "4", *options, parts=(part,))
        self.fails(2, file, parts=("--grid",))

    def test_errors_of_the_work_are_those_of_run(self):
        vector_add = KERNELS / "vector_add.hsail"
        for arguments in ((self.folder / "none.hsail", "--grid", "4"), (vector_add, "--grid", "4", "--kernel", "&nothing"),
                          (vector_add, "--grid", "4", "--arg", "u32:1"), (KERNELS / "gaussian_blur.hsail", "--grid", "4"),
                          (vector_add, "--grid", "4", "--arg", f"@{self.folder}/none.npy")):
            with self.subTest(arguments):
                expected = heddle("run", *arguments)
                self.assertEqual(expected.returncode, 1)
                result = heddle("bench", *arguments)
                self.assertEqual((result.returncode, result.stderr, result.stdout), (1, expected.stderr, b""))


if __name__ == "__main__":
    unittest.main()
