#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs bench-cuda and writes its report to bench/results/<date>-<gpu>-cuda.md.

Words behind -- are options of bench-cuda.
"""
from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import run  # noqa: E402


def page(report: str, revision: str, today: str) -> str:
    """The report of bench-cuda with a title, and with what it does not know."""
    return (f"<!-- {run.LICENCE} -->\n# heddle beside CUDA ({today})\n\n- command: `{run.command_line(sys.orig_argv)}`\n"
            f"- revision: {revision}\n- host: {run.hardware()}\n{report}")


def gpu_of(report: str) -> str:
    found = re.search(r"^- GPU: (.+)$", report, re.MULTILINE)
    return found.group(1) if found else "unknown"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="bench-cuda")
    parser.add_argument("--out", type=Path, default=ROOT / "bench/results")
    parser.add_argument("--revision", default=None, help="what was measured, where there is no git (default: git describe)")
    parser.add_argument("options", nargs="*", help="for bench-cuda")
    arguments = parser.parse_args()
    done = subprocess.run([str(arguments.program), *arguments.options], env={**os.environ, "HEDDLE_CACHE": "0"}, text=True,
                          stdout=subprocess.PIPE, check=False)
    print(done.stdout)
    if "## Kernels" not in done.stdout:
        return done.returncode or 1
    today = datetime.date.today().isoformat()
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"{today}-{run.slug(gpu_of(done.stdout))}-cuda.md"
    path.write_text(page(done.stdout, arguments.revision or run.revision(), today).rstrip() + "\n", encoding="utf-8")
    print(f"written to {os.path.relpath(path)}", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
