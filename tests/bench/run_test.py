#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the command line that bench/run.py writes to its reports."""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import run  # noqa: E402


class CommandLine(unittest.TestCase):
    def test_as_given(self):
        self.assertEqual(run.command_line(["python3", "bench/run.py", "--build", "build/release", "--only", "text"]),
                         "python3 bench/run.py --build build/release --only text")

    def test_no_paths_of_this_machine(self):
        words = ["/opt/somewhere/bin/python3", f"{ROOT}/bench/run.py", f"--build={ROOT}/build/release", "--out", f"{ROOT}/a b"]
        self.assertEqual(run.command_line(words), "python3 bench/run.py --build=build/release --out 'a b'")

    def test_paths_elsewhere_stay(self):
        self.assertEqual(run.command_line(["python3", "run.py", "--out", "/elsewhere"]), "python3 run.py --out /elsewhere")


if __name__ == "__main__":
    unittest.main()
