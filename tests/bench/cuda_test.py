#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs bench-cuda on the GPU that the environment names, with small problems: heddle's half alone, and beside a CUDA side that runs no
kernels. Usage: cuda_test.py BENCH_CUDA FOLDER_OF_BRIG IDLE_SIDE"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM, KERNELS, IDLE_SIDE = sys.argv[1:4]
WORKLOADS = ("vector_add", "triad", "sgemm_naive", "matmul", "mandelbrot", "nbody", "reduction", "histogram", "transpose",
             "stencil_3d", "spmv", "scan")


def run(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


class HeddleAlone(unittest.TestCase):
    def test_all_rows(self):
        done = run("--small", "--kernels", KERNELS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("fake driver:", done.stderr)
        for name in WORKLOADS:
            self.assertRegex(done.stdout, rf"(?m)^\| {name}, [^|]+ \| [\d.]+ \| \| \|$")
        for name in ("round trip", "each of 20 in a row", "1 MiB, host to GPU, `hsa_memory_copy`",
                     "4 KiB, GPU to host, `hsa_amd_memory_async_copy`", "`hsa_init`"):
            self.assertRegex(done.stdout, rf"(?m)^\| {name}[^|]* \| [\d.]+ \| \| \|$")
        self.assertRegex(done.stdout, r"Processor time of the process, us in a second: \d+; of heddle's threads: \d+")

    def test_code_objects(self):
        """With code that `heddle finalize` has made, nothing is finalized. It has what the fake needs because of LD_PRELOAD."""
        with tempfile.TemporaryDirectory() as folder:
            for brig in Path(KERNELS).glob("*.brig"):
                command = [str(Path(PROGRAM).parent / "heddle"), "finalize", str(brig), "--isa", "heddle:nvptx-sm_90", "-o",
                           f"{folder}/{brig.stem}.nvptx-sm_90.hco"]
                subprocess.run(command, env={**os.environ, "LD_PRELOAD": os.environ["HEDDLE_FINALIZER"]}, check=True)
            with unittest.mock.patch.dict(os.environ, HEDDLE_FINALIZER="/nowhere/finalizer.so"):
                done = run("--small", "--kernels", folder)
                self.assertEqual(run("--small", "--kernels", KERNELS).returncode, 1)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_several_gpus(self):
        self.assertNotIn("## Several GPUs", run("--small", "--kernels", KERNELS).stdout)
        with unittest.mock.patch.dict(os.environ, HEDDLE_FAKE_GPUS="2"):
            done = run("--small", "--kernels", KERNELS, "--gpu", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("- GPU: Fake GPU 1\n", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^\| nbody, 96 bodies, 2 GPUs \| [\d.]+ \| [\d.]+ \| [\d.]+ \|$")
        self.assertEqual(run("--small", "--kernels", KERNELS, "--gpu", "2").returncode, 1)

    def test_the_same_work_in_cuda(self):
        text = (ROOT / "bench/cuda/kernels.cu").read_text(encoding="utf-8")
        for name in WORKLOADS:
            folder = "bench/kernels" if (ROOT / f"bench/kernels/{name}.hsail").exists() else "examples/kernels"
            hsail = (ROOT / folder / f"{name}.hsail").read_text(encoding="utf-8")
            for kernel in re.findall(r"prog kernel &(\w+)", hsail):
                self.assertIn(f'{{"{kernel}", address({kernel})}}', text)


class Beside(unittest.TestCase):
    def test_wrong_results_are_found(self):
        done = run("--small", "--kernels", KERNELS, "--cuda", IDLE_SIDE)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for name in WORKLOADS:
            self.assertRegex(done.stdout, rf"(?m)^\| {name}: {name} of CUDA: .*elements are wrong")
        self.assertRegex(done.stdout, r"(?m)^\| 4 KiB, host to GPU, `hsa_memory_copy` \| [\d.]+ \| [\d.]+ \| [\d.]+ \|$")

    def test_no_such_library(self):
        done = run("--small", "--kernels", KERNELS, "--cuda", "/nowhere/side.so")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bench-cuda: ", done.stderr)

    def test_usage(self):
        for words in (["--rounds", "0"], ["--rounds", "x"], ["--gpu"], ["--dance", "1"], ["--gpu", "-1"]):
            self.assertEqual(run(*words).returncode, 2, words)


class Page(unittest.TestCase):
    def test_record(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(ROOT / "bench/cuda/record.py"), "--program", PROGRAM, "--out", folder, "--revision", "r1",
                       "--", "--small", "--kernels", KERNELS]
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            written = list(Path(folder).glob("*-fake-gpu-0-cuda.md"))
            self.assertEqual(len(written), 1)
            text = written[0].read_text(encoding="utf-8")
            self.assertIn("- revision: r1\n", text)
            self.assertIn("## Kernels", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
