#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs into an empty prefix and looks at the files: they are all there, and none of them names the folders in which heddle
was built."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["HEDDLE_SOURCE"])
BUILD = Path(os.environ["HEDDLE_BUILD"])


class InstalledFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = Path(tempfile.mkdtemp(prefix="heddle-installed-"))
        cls.addClassCleanup(shutil.rmtree, cls.prefix)
        done = subprocess.run([os.environ["CMAKE"], "--install", BUILD, "--prefix", cls.prefix], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stderr
        cls.files = sorted(path for path in cls.prefix.rglob("*") if path.is_file() and not path.is_symlink())
        cls.names = {str(path.relative_to(cls.prefix)) for path in cls.files}

    def test_what_a_user_looks_for_is_there(self):
        share = "share/doc/heddle/"
        for name in ("bin/heddle", "bin/heddle-driver-conformance", "include/hsa/hsa.h", "share/man/man1/heddle.1",
                     "share/man/man1/heddle-run.1", "share/bash-completion/completions/heddle",
                     "share/zsh/vendor-completions/_heddle", "share/fish/vendor_completions.d/heddle.fish",
                     share + "LICENSE", share + "README.md", share + "CHANGELOG.md", share + "docs/status.md",
                     share + "examples/c/vector_copy.c", share + "examples/kernels/vector_add.hsail"):
            self.assertIn(name, self.names)

    def test_no_file_names_the_folders_of_the_build(self):
        for path in self.files:
            data = path.read_bytes()
            for folder in (SOURCE, BUILD):
                at = data.find(os.fsencode(folder) + b"/")
                self.assertEqual(at, -1, f"{path.relative_to(self.prefix)}: {data[max(at - 40, 0):at + 120]!r}")

    def test_run_paths_are_relative(self):
        for path in self.files:
            if path.read_bytes()[:4] != b"\x7fELF":
                continue
            text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
            for value in re.findall(r"R(?:UN)?PATH\).*\[(.*)\]", text):
                self.assertTrue(value.startswith("$ORIGIN"), f"{path.name}: {value}")


if __name__ == "__main__":
    unittest.main()
