#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the offload plugins and the HIP runtime of the distribution, unmodified, on heddle's runtime.

Each test is skipped where its library is not installed: libgomp-plugin-amdgcn1, libomp-*-dev, libamdhip64-5. They accept only
agents that are GPUs (HEDDLE_CPU_AS_GPU=1). HIP also wants agents with a single ISA, of AMD's GPUs (HEDDLE_CPU_AS_GPU=gfx906).
"""
from __future__ import annotations

import ctypes.util
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
HIP = ctypes.util.find_library("amdhip64")
OMPTARGET = sorted(glob.glob("/usr/lib/llvm-*/lib/libomptarget.rtl.amdgpu*.so.*"))
GOMP = glob.glob("/usr/lib/*/libgomp-plugin-gcn.so.1")
# A kernel that does nothing.
KERNEL = """
    .amdgcn_target "amdgcn-amd-amdhsa--gfx906"
    .text
    .globl k
    .p2align 8
    .type k,@function
k:  s_endpgm
    .section .rodata,"a"
    .p2align 6
    .amdhsa_kernel k
        .amdhsa_next_free_vgpr 1
        .amdhsa_next_free_sgpr 8
    .end_amdhsa_kernel
    .amdgpu_metadata
---
amdhsa.version: [1, 0]
amdhsa.kernels:
  - {.name: k, .symbol: k.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 4, .group_segment_fixed_size: 0,
     .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 8, .vgpr_count: 1, .max_flat_workgroup_size: 256}
...
    .end_amdgpu_metadata
"""


class Plugins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="heddle-plugins-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.program = cls.folder / "rocm_plugins"
        subprocess.run([os.environ["CC"], HERE / "rocm_plugins.c", "-o", cls.program, "-ldl"], check=True)
        # The folder of the build has a libamdhip64 of its own, which must not be found before the distribution's.
        cls.libraries = cls.folder / "lib"
        cls.libraries.mkdir()
        for file in (Path(os.environ["HEDDLE_BUILD"]) / "lib").iterdir():
            if not file.name.startswith("libamdhip64"):
                (cls.libraries / file.name).symlink_to(file)

    def execute(self, *command: str | Path, **env: str) -> subprocess.CompletedProcess:
        settings = {"LD_LIBRARY_PATH": str(self.libraries), "HEDDLE_CACHE": "0", "HEDDLE_AGENTS": "cpu",
                    "HEDDLE_CPU_AS_GPU": "1", **env}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **settings})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def ask(self, *arguments: str, **env: str) -> subprocess.CompletedProcess:
        return self.execute(self.program, *arguments, **env)

    @unittest.skipUnless(GOMP, "libgomp-plugin-amdgcn1 is not installed")
    def test_gomp_finds_and_initializes_the_agent(self):
        self.assertEqual(self.ask("gomp").stdout.split("\n")[:2], ["devices 1", "initialized 1"])
        self.assertEqual(self.ask("gomp", HEDDLE_CPU_AS_GPU="0").stdout.split("\n")[0], "devices 0")

    @unittest.skipUnless(OMPTARGET, "libomp-16-dev or a package like it is not installed")
    def test_omptarget_finds_the_agent(self):
        for plugin in OMPTARGET:
            with self.subTest(plugin):
                self.assertIn("devices 1", self.ask("omptarget", plugin).stdout)

    @unittest.skipUnless(HIP == "libamdhip64.so.5", "libamdhip64-5 is not installed")
    def test_hip_loads_and_counts_no_device_of_several_isas(self):
        self.assertIn("devices 0", self.ask("hip").stdout)

    @unittest.skipUnless(HIP == "libamdhip64.so.5", "libamdhip64-5 is not installed")
    def test_hip_counts_a_device(self):
        for target in ("gfx906", "gfx90a:sramecc+:xnack-"):
            with self.subTest(target):
                self.assertEqual(self.ask("hip", HEDDLE_CPU_AS_GPU=target).stdout, "status 0\ndevices 1\n")

    @unittest.skipUnless(HIP == "libamdhip64.so.5", "libamdhip64-5 is not installed")
    def test_code_for_amd_gpus_is_refused(self):
        source, module = self.folder / "kernel.s", self.folder / "kernel.co"
        source.write_text(KERNEL, encoding="utf-8")
        target = ["--target=amdgcn-amd-amdhsa", "-mcpu=gfx906", "-mcode-object-version=4", "-nogpulib"]
        if subprocess.run([os.environ["CC"], *target, source, "-o", module], capture_output=True, check=False).returncode != 0:
            self.skipTest("the compiler cannot make code for AMD's GPUs")
        done = self.ask("hip", str(module), HEDDLE_CPU_AS_GPU="gfx906")
        self.assertRegex(done.stdout, r"module [1-9]")
        self.assertIn("HEDDLE_FLOAT_ROUNDING", done.stderr)
        done = self.ask("hip", str(module), HEDDLE_CPU_AS_GPU="gfx906", HEDDLE_FLOAT_ROUNDING="near")
        self.assertRegex(done.stdout, r"module [1-9]")
        self.assertIn("for AMD's GPUs", done.stderr)

    @unittest.skipUnless(HIP == "libamdhip64.so.5", "libamdhip64-5 is not installed")
    def test_a_program_of_hip_counts_a_device_and_gets_no_kernel(self):
        program = self.folder / "rocm_hip"
        device = ["-x", "hip", "--offload-arch=gfx906", "-mcode-object-version=4", "-nogpulib", "-nogpuinc"]
        host = ["-no-hip-rt", f"-l:{HIP}", "-o", program]
        made = subprocess.run([os.environ["CXX"], *device, HERE / "rocm_hip.hip", *host], capture_output=True, check=False)
        if made.returncode != 0:
            self.skipTest("the compiler cannot make programs of HIP for AMD's GPUs")
        done = self.execute(program, HEDDLE_CPU_AS_GPU="gfx906", HEDDLE_FLOAT_ROUNDING="near")
        self.assertEqual(done.stdout, "status 0\ndevices 1\nlaunched hipErrorInvalidDeviceFunction\nvalue 0\n")
        self.assertIn("code for AMD's GPUs, which no agent of heddle executes", done.stderr)


if __name__ == "__main__":
    # CTest counts this status as a skipped test.
    if not (GOMP or OMPTARGET or HIP):
        print("libgomp-plugin-amdgcn1, libomp-16-dev and libamdhip64-5 are not installed: skipped")
        sys.exit(77)
    unittest.main()
