# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the Debian packages from the build folder."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("heddle", "heddle-compiler", "heddle-dev", "heddle-doc", "heddle-finalizer", "heddle-hip", "heddle-runtime")


def skip(reason: str) -> None:
    """Ends the program as a test that was skipped."""
    print(f"skipped: {reason}")
    sys.exit(77)


def need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            skip(f"{program} is not installed")


def build_packages(folder: Path) -> dict[str, Path]:
    """Runs CPack, and returns the packages by their names."""
    done = subprocess.run([os.environ["CPACK"], "--config", Path(os.environ["HEDDLE_BUILD"]) / "CPackConfig.cmake", "-B", folder],
                          capture_output=True, text=True, check=False, cwd=os.environ["HEDDLE_BUILD"])
    assert done.returncode == 0, done.stdout + done.stderr
    found = {file.name.split("_")[0]: file for file in folder.glob("*.deb")}
    assert sorted(found) == sorted(NAMES), sorted(found)
    return found
