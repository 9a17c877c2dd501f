#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the Debian packages and looks at them: dependencies, files, and what lintian finds."""
from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from packages import NAMES, build_packages, need


def output(*command: object) -> str:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout


class DebianPackages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="heddle-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.packages = build_packages(cls.folder)
        cls.files = {name: [line.split(None, 5)[5] for line in output("dpkg-deb", "--contents", file).splitlines()
                            if not line.startswith("d")] for name, file in cls.packages.items()}

    def depends(self, name: str) -> str:
        return output("dpkg-deb", "--field", self.packages[name], "Depends").strip()

    def test_dependencies(self):
        self.assertRegex(self.depends("heddle-finalizer"), r"\blibllvm22\b")
        self.assertRegex(self.depends("heddle-runtime"), r"\blibc6 \(>= ")
        self.assertNotIn("llvm", self.depends("heddle-runtime"))
        version = output("dpkg-deb", "--field", self.packages["heddle"], "Version").strip()
        for name in ("heddle", "heddle-dev"):
            for other in ("heddle-runtime", "heddle-finalizer"):
                self.assertIn(f"{other} (= {version})", self.depends(name))
        self.assertIn(f"heddle-finalizer (= {version})", self.depends("heddle-compiler"))
        self.assertIn(f"heddle-compiler (= {version})", self.depends("heddle-dev"))
        self.assertNotIn("heddle-compiler", self.depends("heddle"))
        self.assertEqual(output("dpkg-deb", "--field", self.packages["heddle-compiler"], "Recommends").strip(), "clang-22, libclc-22")
        self.assertNotIn("heddle-compiler", self.depends("heddle-hip"))
        self.assertEqual(output("dpkg-deb", "--field", self.packages["heddle-hip"], "Recommends").strip(), f"heddle-compiler (= {version})")
        self.assertRegex(self.depends("heddle"), r"\blibpng16-16 ")
        self.assertEqual(self.depends("heddle-doc"), "")
        self.assertEqual(output("dpkg-deb", "--field", self.packages["heddle-doc"], "Architecture").strip(), "all")

    def test_each_file_is_in_one_package(self):
        owners: dict[str, str] = {}
        for name, files in self.files.items():
            for file in files:
                path = file.split(" -> ")[0]
                self.assertNotIn(path, owners, f"{name} and {owners.get(path)}")
                owners[path] = name
        for pattern, name in ((r"/libhsa-runtime64\.so\.1$", "heddle-runtime"), (r"/libhsa-runtime64\.so$", "heddle-dev"),
                              (r"/libheddle-agent-cpu\.so$", "heddle-runtime"), (r"/libheddle-finalizer\.so\.\d+$", "heddle-finalizer"),
                              (r"/libheddle-compiler\.so\.\d+$", "heddle-compiler"), (r"/libheddle-compiler\.so$", "heddle-dev"),
                              (r"/libamdhip64\.so\.5$", "heddle-hip"),
                              (r"^\./usr/bin/heddle$", "heddle"), (r"/man1/heddle-run\.1\.gz$", "heddle"),
                              (r"/hsa/hsa\.h$", "heddle-dev"), (r"/docs/status\.md$", "heddle-doc")):
            self.assertEqual([owner for path, owner in owners.items() if re.search(pattern, path)], [name], pattern)

    def test_every_package_has_copyright_and_changelog(self):
        for name in NAMES:
            for file in ("copyright", "changelog.gz"):
                self.assertIn(f"./usr/share/doc/{name}/{file}", self.files[name])

    def test_lintian(self):
        if shutil.which("lintian") is None:
            self.skipTest("lintian is not installed")
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", *map(str, self.packages.values())],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_same_files_give_the_same_packages(self):
        again = self.folder / "again"
        for name, file in build_packages(again).items():
            self.assertEqual(file.read_bytes(), self.packages[name].read_bytes(), name)


if __name__ == "__main__":
    need("dpkg-deb", "dpkg-shlibdeps")
    unittest.main()
