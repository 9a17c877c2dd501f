#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A HIP program under heddle's tools: the trace, the check layer, and gdb."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
PROGRAM = """#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void scaled(int* to, int factor) {
  const int i = static_cast<int>(threadIdx.x);
  int product = i * factor;
  to[i] = product;
}
int main() {
  int* memory = nullptr;
  int result[4] = {};
  hipGraph_t graph = nullptr;
  hipGraphExec_t executable = nullptr;
  hipStream_t stream = nullptr;
  if (hipMalloc(&memory, sizeof result) != hipSuccess || hipStreamCreate(&stream) != hipSuccess) return 10;
  if (hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal) != hipSuccess) return 11;
  scaled<<<1, 4, 0, stream>>>(memory, 7);
  if (hipStreamEndCapture(stream, &graph) != hipSuccess) return 12;
  if (hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0) != hipSuccess) return 13;
  if (hipGraphLaunch(executable, stream) != hipSuccess || hipStreamSynchronize(stream) != hipSuccess) return 14;
  if (hipGraphExecDestroy(executable) != hipSuccess || hipGraphDestroy(graph) != hipSuccess) return 15;
  scaled<<<1, 4>>>(memory, 5);
  if (hipMemcpy(result, memory, sizeof result, hipMemcpyDeviceToHost) != hipSuccess) return 16;
  std::printf("%d\\n", result[3]);
  return hipStreamDestroy(stream) + hipFree(memory);
}
"""


class Tooling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="heddle-hip-")))
        (cls.folder / "scaled.hip").write_text(PROGRAM, encoding="utf-8")
        subprocess.run([HEDDLE, "hipcc", "-g", "-O0", "scaled.hip", "-o", "scaled"], cwd=cls.folder, check=True)

    def run_command(self, *words: str, **environment: str) -> subprocess.CompletedProcess:
        result = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False, timeout=120,
                                env={**os.environ, "HEDDLE_AGENTS": "cpu", **environment})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def test_trace(self):
        result = self.run_command(HEDDLE, "trace", "-o", "trace.json", "--", "./scaled")
        self.assertIn("15\n", result.stdout)
        trace = json.loads((self.folder / "trace.json").read_text(encoding="utf-8"))
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        kernels = [event for event in events if "scaled" in event.get("name", "") and event.get("args", {}).get("work-items") == 4]
        self.assertEqual(len(kernels), 2, "one of the graph, and one launch")

    def test_check(self):
        result = self.run_command("./scaled", HEDDLE_CHECK="1")
        self.assertEqual((result.stdout, result.stderr), ("15\n", ""))

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_gdb(self):
        line = 1 + PROGRAM.splitlines().index("  to[i] = product;")
        script = ["set pagination off", "set confirm off", "set breakpoint pending on", "handle SIGUSR2 nostop noprint", "tbreak scaled",
                  "run", "bt 1", f"tbreak scaled.hip:{line} if i == 2", "continue", "print i", "print product", "print factor", "kill"]
        (self.folder / "script").write_text("\n".join(script), encoding="utf-8")
        output = self.run_command("gdb", "-nx", "-batch", "-x", "script", "./scaled", HEDDLE_DEBUG="1", HEDDLE_CPU_THREADS="1").stdout
        for word in ("#0  scaled (", "factor=7) at ", f"scaled.hip:{line}", "$1 = 2", "$2 = 14", "$3 = 7"):
            self.assertIn(word, output)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
