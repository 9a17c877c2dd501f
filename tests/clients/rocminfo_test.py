#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the rocminfo of the distribution, unmodified, on heddle's runtime. Skipped where rocminfo is not installed.

rocminfo asks for AMD's kernel driver before it calls the runtime: `lsmod` must list amdgpu, and /dev/kfd must open. The test
gives it a script of that name and a library that opens an empty file; what rocminfo prints then is what heddle answers.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROCMINFO = shutil.which("rocminfo")
HERE = Path(__file__).resolve().parent


@unittest.skipIf(ROCMINFO is None, "rocminfo is not installed")
class Rocminfo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="heddle-rocminfo-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        lsmod = cls.folder / "lsmod"
        lsmod.write_text("#!/bin/sh\necho 'amdgpu 1 0'\n", encoding="utf-8")
        lsmod.chmod(0o755)
        cls.library = cls.folder / "pretend_kfd.so"
        subprocess.run([os.environ["CC"], "-shared", "-fPIC", HERE / "pretend_kfd.c", "-o", cls.library, "-ldl"], check=True)

    def rocminfo(self, pretend: bool, **env: str) -> subprocess.CompletedProcess:
        if pretend:
            env |= {"LD_PRELOAD": str(self.library), "PATH": f"{self.folder}:{os.environ['PATH']}"}
        libraries = str(Path(os.environ["HEDDLE_BUILD"]) / "lib")
        return subprocess.run([ROCMINFO], capture_output=True, text=True, check=False,
                              env={**os.environ, "LD_LIBRARY_PATH": libraries, "HEDDLE_CACHE": "0", **env})

    @unittest.skipIf(Path("/dev/kfd").exists(), "this machine has AMD's kernel driver")
    def test_without_the_kernel_driver_it_ends_before_the_runtime_starts(self):
        done = self.rocminfo(pretend=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ROCk module is NOT loaded", done.stdout)
        self.assertNotIn("Agent", done.stdout)

    def test_runs_to_its_last_line(self):
        done = self.rocminfo(pretend=True, HEDDLE_AGENTS="cpu,interpreter")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "", "what a program may ask for in vain is no error in the log")
        self.assertEqual(done.stdout.rstrip().splitlines()[-1].strip(), "*** Done ***")
        self.assertEqual(len(re.findall(r"^Agent \d+", done.stdout, re.MULTILINE)), 3)
        self.assertRegex(done.stdout, r"Runtime Version: +1\.2")
        self.assertEqual(len(re.findall(r"FLAGS: KERNARG, FINE GRAINED", done.stdout)), 1)
        self.assertEqual(len(re.findall(r"FLAGS: COARSE GRAINED", done.stdout)), 3)
        self.assertEqual(len(re.findall(r"Segment: +GROUP", done.stdout)), 2)
        self.assertRegex(done.stdout, r"Name: +heddle:hsail:w1\b")
        self.assertNotIn("hsa api call failure", done.stdout + done.stderr)

    def test_shows_the_cpu_agent_as_a_gpu(self):
        kinds = r"Device Type: +(\w+)"
        for setting, expected in (("0", ["CPU", "CPU"]), ("1", ["CPU", "GPU"])):
            done = self.rocminfo(pretend=True, HEDDLE_AGENTS="cpu", HEDDLE_CPU_AS_GPU=setting)
            self.assertEqual(re.findall(kinds, done.stdout), expected)

    def test_shows_the_isa_that_the_setting_names(self):
        done = self.rocminfo(pretend=True, HEDDLE_AGENTS="cpu,interpreter", HEDDLE_CPU_AS_GPU="gfx906:sramecc+:xnack-")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(re.findall(r"Name: +(\S+--gfx\S+)", done.stdout), ["amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"] * 2)
        self.assertNotIn("heddle:", done.stdout)


if __name__ == "__main__":
    # CTest counts this status as a skipped test.
    if ROCMINFO is None:
        print("rocminfo is not installed: skipped")
        sys.exit(77)
    unittest.main()
