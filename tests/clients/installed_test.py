#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs into an empty prefix and builds examples/c there with pkg-config and with find_package."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = os.environ["HEDDLE_BUILD"]
SOURCE = Path(os.environ["HEDDLE_SOURCE"])
CLIENT = SOURCE / "examples" / "c"


def run(*command: object, **env: str) -> subprocess.CompletedProcess:
    """Without variables that would lead the client back to the build folder."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("HEDDLE", "LD_LIBRARY"))}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                          env={**clean, **env}, timeout=240)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="heddle-clients-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        installed = run(os.environ["CMAKE"], "--install", BUILD, "--prefix", cls.prefix)
        assert installed.returncode == 0, installed.stderr
        cls.libraries = next(path.parent for path in cls.prefix.rglob("libhsa-runtime64.so"))

    def succeed(self, *command: object, **env: str) -> str:
        done = run(*command, **env)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def copy_on_every_agent(self, program: Path, brig: Path) -> None:
        for agent in ("cpu", "interpreter"):
            text = self.succeed(program, brig, HEDDLE_AGENTS=agent, LD_LIBRARY_PATH=str(self.libraries))
            self.assertIn(" 0 wrong", text)

    def test_pkg_config(self):
        config = {"PKG_CONFIG_PATH": str(self.libraries / "pkgconfig")}
        flags = self.succeed("pkg-config", "--cflags", "--libs", "hsa-runtime64", **config).split()
        self.assertNotIn(str(SOURCE), " ".join(flags))
        brig, program = self.folder / "vector_copy.brig", self.folder / "vector_copy"
        self.succeed(self.prefix / "bin" / "heddle", "as", CLIENT / "vector_copy.hsail", "-o", brig)
        self.succeed(os.environ["CC"], "-std=c99", "-Wall", "-Wextra", "-Werror", CLIENT / "vector_copy.c", *flags, "-o", program)
        self.copy_on_every_agent(program, brig)

    def test_find_package(self):
        build = self.folder / "build"
        cmake = os.environ["CMAKE"]
        self.succeed(cmake, "-S", CLIENT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                     f"-DCMAKE_C_COMPILER={os.environ['CC']}")
        self.succeed(cmake, "--build", build)
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        self.assertIn(str(self.prefix), cache)
        self.copy_on_every_agent(build / "vector_copy", build / "vector_copy.brig")

    def test_the_command_runs_from_the_prefix(self):
        text = self.succeed(self.prefix / "bin" / "heddle", "info", "--agent", "all")
        self.assertIn("ISA heddle:hsail:w1", text)

    def test_a_client_needs_no_llvm(self):
        text = self.succeed("ldd", self.libraries / "libhsa-runtime64.so")
        self.assertNotIn("LLVM", text)
        self.assertNotIn("finalizer", text)


if __name__ == "__main__":
    unittest.main()
