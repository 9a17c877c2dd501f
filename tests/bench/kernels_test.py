#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of bench/kernels on small problems, in every language whose program has been built, and compares the results
with the references. Usage: kernels_test.py BIN_FOLDER [unittest options]"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else ROOT / "build/release/bin"
KERNELS = ROOT / "bench/kernels"


def run(program: str, *words: object, **extra_env: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(BIN / program), *map(str, words)], env={**os.environ, "HEDDLE_CACHE": "0", **extra_env}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def workloads() -> list[str]:
    return run("bench-heddle", "--list").stdout.split()


def isas(agent: str) -> list[str]:
    """Returns the names of the ISAs that an agent offers."""
    return re.findall(r"ISA (heddle:\S+)", run("heddle", "info", "--agent", agent).stdout)


class Files(unittest.TestCase):
    def test_every_workload_has_three_texts(self):
        self.assertGreaterEqual(len(workloads()), 20)
        for name in workloads():
            in_hsail = [folder for folder in ("bench/kernels", "examples/kernels") if (ROOT / folder / f"{name}.hsail").exists()]
            self.assertEqual(len(in_hsail), 1, name)
            self.assertTrue((KERNELS / f"{name}.cl").exists(), name)
            self.assertTrue((KERNELS / f"{name}.ispc").exists(), name)

    def test_every_text_has_a_workload(self):
        others = {"empty"}  # for the time of a dispatch
        found = {path.stem for pattern in ("*.hsail", "*.cl", "*.ispc") for path in KERNELS.glob(pattern)}
        self.assertEqual(found - others, set(workloads()))


class Results(unittest.TestCase):
    def check_right(self, done: subprocess.CompletedProcess):
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(re.findall(r" right$", done.stdout, re.MULTILINE)), len(workloads()), done.stdout)

    def test_every_isa_of_the_host(self):
        self.assertTrue(isas("cpu"))
        for isa in isas("cpu"):
            with self.subTest(isa=isa):
                self.check_right(run("bench-heddle", "--small", "--isa", isa, "--check", HEDDLE_AGENTS="cpu"))

    def test_interpreter(self):
        self.check_right(run("bench-heddle", "--small", "--check", HEDDLE_AGENTS="interpreter"))

    def test_ispc(self):
        if not (BIN / "bench-ispc").exists():
            self.skipTest("ispc was not found when the programs were built")
        self.check_right(run("bench-ispc", "--small", "--check"))

    def test_a_wrong_kernel_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, right, wrong in (("saxpy", "fma_f32 $s4, $s2, $s3, $s4", "mul_f32 $s4, $s2, $s3"),
                                       ("life", "cmp_eq_b1_u32 $c0, $s3, 3", "cmp_eq_b1_u32 $c0, $s3, 2"),
                                       ("black_scholes", "0f3f317218", "0f3f300000")):
                text = (KERNELS / f"{name}.hsail").read_text(encoding="utf-8")
                self.assertIn(right, text)
                (Path(folder) / f"{name}.hsail").write_text(text.replace(right, wrong), encoding="utf-8")
                done = run("bench-heddle", "--small", "--kernels", folder, "--check", name, HEDDLE_AGENTS="cpu")
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("elements are wrong", done.stdout)


class Commands(unittest.TestCase):
    def answers(self, commands: str) -> list[str]:
        done = subprocess.run([str(BIN / "bench-heddle"), "--small"], input=commands, text=True, stdout=subprocess.PIPE, check=True,
                              env={**os.environ, "HEDDLE_CACHE": "0", "HEDDLE_AGENTS": "cpu"})
        return done.stdout.splitlines()

    def test_load_and_time(self):
        host, loaded, times = self.answers("load saxpy\ntime 3\n")
        self.assertRegex(host, r'^\{"host": "heddle:')
        self.assertIn('"problem": "4 Mi f32"', loaded)
        self.assertRegex(times, r'^\{"ms": \[[\d.]+, [\d.]+, [\d.]+\]\}$')

    def test_errors(self):
        for command in ("time 1", "load nothing", "time 0", "dance"):
            self.assertIn('"error"', self.answers(command + "\n")[1], command)


if __name__ == "__main__":
    unittest.main()
