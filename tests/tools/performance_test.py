#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands that docs/performance.md shows, in less time: they work, and their kernels agree in all ISAs."""
import os
import re
import shlex
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ["HEDDLE_SOURCE"])
PAGE = (SOURCE / "docs/performance.md").read_text(encoding="utf-8")


def commands(name: str) -> list[list[str]]:
    """Returns the arguments of each command `heddle NAME` of the page."""
    text = PAGE.replace("\\\n", " ")
    return [shlex.split(line)[1:] for line in re.findall(rf"(?m)^    \$ (heddle {name} .*)$", text)]


def run(arguments: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run([os.environ["HEDDLE"], *arguments], cwd=SOURCE, text=True, capture_output=True, check=False)


def has_waves() -> bool:
    return "v3:w8" in run(["info"]).stdout


class PerformancePage(unittest.TestCase):
    def test_kernels_are_timed(self):
        found = commands("bench")
        self.assertGreaterEqual(len(found), 4)
        if not has_waves():
            self.skipTest("the processor has no AVX2")
        for arguments in found:
            with self.subTest(arguments=arguments):
                short = {"--rounds": "1", "--min-time": "0.001"}
                quick = [short.get(before, word) for before, word in zip([""] + arguments, arguments)]
                done = run(quick)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_finalize_says_what_the_page_says(self):
        found = commands("finalize")
        self.assertEqual(len(found), 1)
        arguments = [os.devnull if word.endswith(".hco") else word for word in found[0]]
        done = run(arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = " ".join(re.findall(r"(?m)^    \.\.\. (note:.*(?:\n {8}.*)*)", PAGE)).replace("\n        ", " ")
        for note in re.split(r"(?=note: )", shown):
            self.assertIn(" ".join(note.split()), " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()
