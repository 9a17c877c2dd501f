#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the Debian packages on a new Debian 12 that has nothing else, uses them there, and removes them again.

It needs root, debootstrap and an archive of Debian, and is skipped without them. HEDDLE_DEBIAN_MIRROR and
HEDDLE_DEBIAN_SECURITY_MIRROR name others than those from which this system installs. The new system is kept as build/release/packages/debian-12.tar.
"""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

from packages import build_packages, need, skip

SOURCE = Path(os.environ["HEDDLE_SOURCE"])
SUITE = "bookworm"


def archive(release: str) -> str:
    """The address from which this system installs packages of the release; "" if it does not."""
    if shutil.which("apt-get") is None:
        return ""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages"],
                            capture_output=True, text=True, check=False).stdout
    return next((line.split()[0].rstrip("/") for line in listed.splitlines() if line.split()[1:] == [release]), "")


MIRROR = os.environ.get("HEDDLE_DEBIAN_MIRROR") or archive(SUITE)
# LLVM 22 came to Debian 12 as an update.
SECURITY = os.environ.get("HEDDLE_DEBIAN_SECURITY_MIRROR") or archive(f"{SUITE}-security")
BASE = Path(os.environ["HEDDLE_BUILD"]) / "packages" / "debian-12.tar"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
               **{name: os.environ[name] for name in ("http_proxy", "https_proxy", "no_proxy") if name in os.environ}}


def run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def make_base(folder: Path) -> None:
    """Unpacks a new Debian to the folder."""
    if not BASE.exists():
        run("debootstrap", "--variant=minbase", SUITE, folder, MIRROR)
        for kept in (folder / "var/cache/apt/archives").glob("*.deb"):
            kept.unlink()
        BASE.parent.mkdir(parents=True, exist_ok=True)
        part = BASE.with_suffix(".part")
        run("tar", "-C", folder, "--one-file-system", "-cf", part, ".")
        part.rename(BASE)
    else:
        run("tar", "-C", folder, "-xf", BASE)
    (folder / "etc/apt/sources.list").write_text(f"deb {MIRROR} {SUITE} main\ndeb {SECURITY} {SUITE}-security main\n",
                                                 encoding="utf-8")


class CleanRoot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="heddle-root-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        make_base(cls.root)
        debs = cls.root / "debs"
        cls.packages = {name: f"/debs/{file.name}" for name, file in build_packages(debs).items()}
        shutil.rmtree(debs / "_CPack_Packages", ignore_errors=True)
        cls.inside("apt-get", "update", "-qq")
        cls.before = cls.installed()

    @classmethod
    def execute(cls, *command: str) -> subprocess.CompletedProcess:
        """Runs a command in the new system, with a /proc of its own."""
        return subprocess.run(["unshare", "--mount", "--pid", "--fork", f"--mount-proc={cls.root}/proc", "chroot", cls.root,
                               *command], capture_output=True, text=True, check=False, env=ENVIRONMENT)

    @classmethod
    def inside(cls, *command: str) -> str:
        done = cls.execute(*command)
        assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    @classmethod
    def install(cls, *names: str) -> None:
        cls.inside("apt-get", "install", "-y", "-qq", "--no-install-recommends", *[cls.packages.get(name, name) for name in names])

    @classmethod
    def installed(cls) -> set[str]:
        return set(cls.inside("dpkg-query", "-W", "-f", "${Package}\\n").split())

    def test_packages(self):
        """The steps build on each other, so they are one test."""
        with self.subTest("the runtime needs no compiler"):
            self.install("heddle-runtime")
            self.assertNotIn("libllvm22", self.installed())
            self.assertIn("libhsa-runtime64.so.1", self.inside("ldconfig", "-p"))

        with self.subTest("programs are built, and run without a finalizer as far as they need none"):
            self.install("heddle-runtime", "heddle-finalizer", "heddle-compiler", "heddle-dev", "heddle-doc", "heddle", "gcc", "libc6-dev",
                         "pkg-config")
            self.inside("sh", "-ec", "cd /tmp; doc=/usr/share/doc/heddle/examples/c; "
                        "gcc -std=c99 -Wall -Werror $doc/vector_copy.c $(pkg-config --cflags --libs hsa-runtime64) -o vector_copy; "
                        "heddle as $doc/vector_copy.hsail -o vector_copy.brig")
            for agent in ("cpu", "interpreter"):
                text = self.inside("env", f"HEDDLE_AGENTS={agent}", "/tmp/vector_copy", "/tmp/vector_copy.brig")
                self.assertIn(" 0 wrong", text)
            needed = self.inside("sh", "-ec", "ldd /tmp/vector_copy")
            self.assertIn("libhsa-runtime64.so.1 => /", needed)

        with self.subTest("the command"):
            self.assertIn("heddle:hsail:w1", self.inside("heddle", "info", "--agent", "all"))
            text = self.inside("heddle", "run", "/usr/share/doc/heddle/examples/kernels/vector_add.hsail", "--grid", "1K",
                               "--arg", "f32*1K", "--arg", "f32:iota*1K", "--arg", "f32:2.5*1K", "--arg", "u32:1024")
            self.assertIn("vector_add", text)
            self.assertIn("run", self.inside("bash", "-c", "source /usr/share/bash-completion/completions/heddle; "
                                             "COMP_WORDS=(heddle ru); COMP_CWORD=1; _heddle; echo ${COMPREPLY[@]}"))

        with self.subTest("the compiler compiles IR, and says what sources need"):
            text = self.inside("sh", "-ec", "cd /tmp; echo 'define amdgpu_kernel void @k() { ret void }' > k.ll; heddle cc k.ll -S -o -")
            self.assertIn("kernel &k(", text)
            text = self.inside("sh", "-ec", "cd /tmp; echo 'kernel void k() {}' > k.cl; if heddle cc k.cl 2>&1; then exit 1; fi")
            self.assertIn("install the Debian package clang-22", text)

        with self.subTest("clients of Debian's runtime take this one"):
            self.install("rocminfo")
            self.assertNotIn("libhsa-runtime64-1", self.installed())

        with self.subTest("everything goes again"):
            self.inside("apt-get", "purge", "-y", "-qq", "--autoremove", *sorted(self.installed() - self.before))
            self.assertEqual(self.installed(), self.before)
            left = self.inside("find", "/usr", "/etc", "/var/lib", "-iname", "*heddle*", "-not", "-path", "/var/lib/dpkg/*")
            self.assertEqual(left, "")


if __name__ == "__main__":
    if os.geteuid() != 0:
        skip("only root can make a new system")
    need("debootstrap", "unshare", "chroot", "dpkg-shlibdeps", "tar")
    if not MIRROR or not SECURITY:
        skip(f"this system does not install packages of {SUITE}")
    try:
        urllib.request.urlopen(f"{MIRROR}/dists/{SUITE}/Release", timeout=60).close()
    except OSError as error:
        skip(f"no archive: {error}")
    unittest.main()
