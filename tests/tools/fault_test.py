#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that go wrong, as users of the `heddle` command see it, on each agent that executes: the command lives, the queue's
callback has the right status, and the log says which kernel, where in the source, which work-item and which address."""
from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
AGENTS = ("cpu", "interpreter")

HEADER = "module &faults:1:0:$full:$large:$default;\n"
# Each leaves work-item 37 as the only one that goes on to `body`.
KERNEL = HEADER + """{before}
prog kernel &guilty(kernarg_u64 %out)
{{
  {variables}
  loc 1 1 "guilty.c";
  workitemabsid_u32 $s0, 0;
  cmp_ne_b1_u32 $c0, $s0, 37;
  loc 2;
  cbr_b1 $c0, @end;
  {meet}
  loc 3;
  {body}
  loc 4;
  ret;
@end:
  {meet}
  loc 5;
  ret;
}};
"""
DESCENT = """
function &down()(arg_u32 %n)
{{
  private_u32 %saved[64];
  loc 10 1 "guilty.c";
  ld_arg_u32 $s0, [%n];
  st_private_u32 $s0, [%saved];
  add_u32 $s0, $s0, 1;
  {{ arg_u32 %m; st_arg_u32 $s0, [%m]; loc 11; call &down()(%m); }}
  ld_private_u32 $s0, [%saved];
  global_address
}};
""".replace("global_address", "{after}")

# name: (body, variables, before, words of the status, words of the log)
FAULTS = {
    "load": ("mov_b64 $d1, 0x123450;\n  ld_global_u32 $s1, [$d1];", "", "", "HSA_STATUS_ERROR:", ["0x123450"]),
    "store": ("mov_b64 $d1, 0x20;\n  st_global_u32 $s0, [$d1];", "", "", "HSA_STATUS_ERROR:", ["0x20"]),
    "atomic": ("mov_b64 $d1, 0x123450;\n  atomic_add_global_scar_system_u32 $s1, [$d1], 1;", "", "", "HSA_STATUS_ERROR:",
               ["0x123450"]),
    "flat": ("mov_b64 $d1, 0x123450;\n  ld_u32 $s1, [$d1];", "", "", "HSA_STATUS_ERROR:", ["0x123450"]),
    "debugtrap": ("debugtrap_u32 99;", "", "", "HSA_STATUS_ERROR_EXCEPTION:", ["debugtrap 99"]),
    "alloca": ("mov_b32 $s2, 0x7000000;\n  alloca_u32 $s1, $s2;\n  st_private_u32 $s0, [$s1];", "", "",
               "HSA_STATUS_ERROR_OUT_OF_RESOURCES:", []),
}


def run(agent: str, text: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    path = folder / "kernel.hsail"
    path.write_text(text)
    return subprocess.run([HEDDLE, "run", path, "--agent", agent, "--grid", "100", "--group", "10", "--arg",
                           f"u32*100={folder}/out.bin", *arguments], capture_output=True, check=False, timeout=120,
                          env={**os.environ, "HEDDLE_LOG": "warning"}, text=True)
