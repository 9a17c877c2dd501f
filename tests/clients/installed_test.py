#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs into an empty prefix and builds examples/c and examples/cpp there with pkg-config and with find_package."""
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
CPP_CLIENT = SOURCE / "examples" / "cpp"
ROCM_CLIENTS = SOURCE / "tests" / "clients"


def run(*command: object, **env: str) -> subprocess.CompletedProcess:
    """Runs a command without the variables that would lead the client back to the build folder."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("HEDDLE", "LD_LIBRARY"))}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                          env={**clean, "HEDDLE_CACHE": "0", **env})


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

    def rocm_client(self, name: str) -> Path:
        config = {"PKG_CONFIG_PATH": str(self.libraries / "pkgconfig")}
        flags = self.succeed("pkg-config", "--cflags", "--libs", "hsa-runtime64", **config).split()
        program = self.folder / name
        self.succeed(os.environ["CC"], "-std=gnu99", "-Wall", "-Wextra", "-Werror", ROCM_CLIENTS / f"{name}.c", *flags, "-o", program)
        return program

    def test_rocm_copies(self):
        text = self.succeed(self.rocm_client("rocm_copies"), HEDDLE_AGENTS="cpu,interpreter,null",
                            LD_LIBRARY_PATH=str(self.libraries))
        self.assertIn("4 agents: 0 wrong, 0 out of order", text)

    def test_rocm_binary_search(self):
        program, code = self.rocm_client("rocm_binary_search"), self.folder / "binary_search.hco"
        for agent, isa in (("cpu", "heddle:x86-64-v2:w1"), ("interpreter", "heddle:hsail:w1")):
            self.succeed(self.prefix / "bin" / "heddle", "finalize", "--isa", isa, ROCM_CLIENTS / "rocm_binary_search.hsail",
                         "-o", code)
            text = self.succeed(program, code, HEDDLE_AGENTS=agent, LD_LIBRARY_PATH=str(self.libraries))
            self.assertRegex(text, r"^0 wrong, [0-9]+ ticks\n$")

    def test_rocm_ipc(self):
        text = self.succeed(self.rocm_client("rocm_ipc"), LD_LIBRARY_PATH=str(self.libraries))
        self.assertEqual(text, "0 wrong, the second process returned 0\n")

    def test_find_package(self):
        build = self.folder / "build"
        cmake = os.environ["CMAKE"]
        self.succeed(cmake, "-S", CLIENT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                     f"-DCMAKE_C_COMPILER={os.environ['CC']}")
        self.succeed(cmake, "--build", build)
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        self.assertIn(str(self.prefix), cache)
        self.copy_on_every_agent(build / "vector_copy", build / "vector_copy.brig")

    def finalize_all(self, program: Path) -> None:
        """The C++ client of the toolchain gets valid text, text with an error, and a call of an undefined function."""
        env = {"LD_LIBRARY_PATH": str(self.libraries)}
        text = self.succeed(program, CLIENT / "vector_copy.hsail", **env)
        for isa in ("heddle:x86-64-v2:w1", "heddle:hsail:w1"):
            self.assertRegex(text, rf"(?m)^{isa} +waves of +1, +[0-9]+ bytes$")
        bad = self.folder / "bad.hsail"
        bad.write_text("module &m:1:0:$full:$large:$default;\nkernel &k() { nosuch; };\n", encoding="utf-8")
        done = run(program, bad, **env)
        self.assertEqual(done.returncode, 1)
        self.assertIn("syntax error", done.stderr)
        self.assertIn("bad.hsail:2:", done.stderr)
        bad.write_text("module &m:1:0:$full:$large:$default;\ndecl prog function &f()();\n"
                       "prog kernel &k() { { call &f()(); } ret; };\n", encoding="utf-8")
        done = run(program, bad, **env)
        self.assertEqual(done.returncode, 1)
        self.assertIn("finalization failed", done.stderr)
        self.assertIn("&f", done.stderr)

    def test_cpp_pkg_config(self):
        config = {"PKG_CONFIG_PATH": str(self.libraries / "pkgconfig")}
        flags = self.succeed("pkg-config", "--cflags", "--libs", "hsail", **config).split()
        program = self.folder / "finalize_all"
        self.succeed(os.environ["CXX"], "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fno-exceptions", "-fno-rtti",
                     CPP_CLIENT / "finalize_all.cpp", *flags, "-o", program)
        self.finalize_all(program)

    def test_cpp_find_package(self):
        build = self.folder / "build-cpp"
        cmake = os.environ["CMAKE"]
        self.succeed(cmake, "-S", CPP_CLIENT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                     f"-DCMAKE_CXX_COMPILER={os.environ['CXX']}")
        self.succeed(cmake, "--build", build)
        self.assertIn(str(self.prefix), (build / "CMakeCache.txt").read_text(encoding="utf-8"))
        self.finalize_all(build / "finalize_all")

    def test_the_command_runs_from_the_prefix(self):
        text = self.succeed(self.prefix / "bin" / "heddle", "info", "--agent", "all")
        self.assertIn("ISA heddle:hsail:w1", text)

    def test_a_client_needs_no_llvm(self):
        text = self.succeed("ldd", self.libraries / "libhsa-runtime64.so")
        self.assertNotIn("LLVM", text)
        self.assertNotIn("finalizer", text)


if __name__ == "__main__":
    unittest.main()
