#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every example on every kernel agent, with small problems. HEDDLE_EXAMPLES is the program."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["HEDDLE_EXAMPLES"]
BUILD = Path(PROGRAM).parents[1]
SOURCE = Path(__file__).resolve().parents[2]
NAMES = {"vector_add", "matmul", "mandelbrot", "gaussian_blur", "sobel", "histogram", "reduction", "nbody", "quicksort"}


def run(*arguments: str, agents: str = "cpu,interpreter") -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False,
                          env=dict(os.environ, HEDDLE_AGENTS=agents))


class Examples(unittest.TestCase):
    def test_every_example_on_every_agent(self):
        for plugin in ("cpu", "interpreter"):
            with tempfile.TemporaryDirectory() as out:
                result = run("--json", "--small", "--repeats", "1", "--out", out, "--label", plugin, agents=plugin)
                found = {entry["example"]: entry for entry in map(json.loads, result.stdout.splitlines())}
                self.assertEqual(set(found), NAMES, result.stderr)
                for name, entry in found.items():
                    with self.subTest((plugin, name)):
                        self.assertEqual(entry["mistake"], "")
                        self.assertTrue(entry["ok"])
                        self.assertGreater(entry["finalize_ms"], 0)
                        self.assertGreater(entry["kernel_ms"], 0)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual({path.name for path in Path(out).iterdir()},
                                 {f"{picture}-{plugin}.png" for picture in ("mandelbrot", "gaussian_blur", "sobel")})

    def test_kernels_in_opencl_c(self):
        for plugin in ("cpu", "interpreter"):
            result = run("--json", "--small", "--repeats", "1", "--kernels", str(BUILD / "examples" / "opencl"), agents=plugin)
            found = {entry["example"]: entry["mistake"] for entry in map(json.loads, result.stdout.splitlines())}
            self.assertEqual(found, {name: "" for name in NAMES}, result.stderr)

    def test_the_demo_shows_a_kernel_from_source(self):
        with tempfile.TemporaryDirectory() as out:
            result = subprocess.run([sys.executable, SOURCE / "examples/demo.py", "--build", BUILD, "--out", out,
                                     "--repeats", "1", "mandelbrot"], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout.count("mandelbrot (OpenCL C)"), 2, result.stdout)

    def test_the_demo_names_pictures_as_a_person_would(self):
        with tempfile.TemporaryDirectory() as out:
            result = subprocess.run([sys.executable, SOURCE / "examples/demo.py", "--build", BUILD, "--out", out,
                                     "--repeats", "1", "sobel"], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual({path.name for path in Path(out).iterdir()}, {"sobel-cpu.png", "sobel-interpreter.png"})
            self.assertIn("sobel-cpu.png, sobel-interpreter.png", result.stdout)

    def test_a_wrong_result_is_seen(self):
        # The null agent completes dispatches without executing them: every example must notice.
        result = run("--json", "--small", "--repeats", "1", agents="null")
        entries = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual({entry["example"] for entry in entries}, NAMES, result.stderr)
        for entry in entries:
            with self.subTest(entry["example"]):
                self.assertFalse(entry["ok"])
                self.assertNotEqual(entry["mistake"], "")
        self.assertEqual(result.returncode, 1)

    def test_usage(self):
        self.assertEqual(len(run("--list-agents").stdout.splitlines()), 2)
        self.assertEqual(run("frobnicate").returncode, 2)
        self.assertEqual(run("--frobnicate").returncode, 2)
        self.assertEqual(run("--agent", "toaster").returncode, 1)


if __name__ == "__main__":
    unittest.main()
