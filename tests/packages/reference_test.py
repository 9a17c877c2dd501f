#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the manual pages and the completion that `heddle reference` writes with the help of each command, and lets the shells
and man themselves read them."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
TEXT = Path(os.environ["HEDDLE_SOURCE"]) / "docs" / "man"


def run(*command: object, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)


def help_of(*command: str) -> str:
    return run(HEDDLE, *command, "--help").stdout


def commands() -> list[str]:
    """Returns the names in the list of commands that `heddle --help` ends with."""
    lines = help_of().partition("Subcommands:\n")[2].splitlines()
    return [line.split()[0] for line in lines if re.match(r"  \w", line)]


def options_of(command: str) -> set[str]:
    """Returns the names of the options in the help of a command."""
    names: set[str] = set()
    for line in help_of(command).partition("Options:\n")[2].splitlines():
        if not line.startswith("  "):
            break
        if line.startswith("  -"):
            names.update(line.split()[0].split(","))
    return names


def plain(page: str) -> str:
    """Returns the source of a manual page without fonts and escapes."""
    return re.sub(r"\\f[BIR]|\\&", "", page).replace("\\-", "-")


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="heddle-reference-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        done = run(HEDDLE, "reference", cls.folder, "--text", TEXT)
        assert done.returncode == 0, done.stderr
        cls.pages = cls.folder / "man" / "man1"
        cls.bash = cls.folder / "bash-completion" / "completions" / "heddle"
        cls.zsh = cls.folder / "zsh" / "vendor-completions" / "_heddle"
        cls.fish = cls.folder / "fish" / "vendor_completions.d" / "heddle.fish"

    def test_there_are_commands_and_options(self):
        self.assertIn("run", commands())
        self.assertGreater(len(commands()), 9)
        self.assertLessEqual({"--help", "-h", "--arg", "--grid", "-O"}, options_of("run"))

    def test_every_command_has_a_page_with_every_option(self):
        self.assertEqual({page.name for page in self.pages.iterdir()},
                         {"heddle.1"} | {f"heddle-{command}.1" for command in commands()})
        main = plain((self.pages / "heddle.1").read_text(encoding="utf-8"))
        for command in commands():
            self.assertIn(f"heddle-{command}(1)", main)
            page = plain((self.pages / f"heddle-{command}.1").read_text(encoding="utf-8"))
            for option in options_of(command):
                self.assertRegex(page, rf"(?m)^\.TP\n.*(^|, ){re.escape(option)}(,| |$)", f"{command} {option}")

    def test_text_of_pages_belongs_to_commands(self):
        known = {"heddle"} | {f"heddle-{command}" for command in commands()}
        for file in TEXT.glob("*.man"):
            self.assertIn(file.stem, known)
            first = file.read_text(encoding="utf-8").splitlines()[0].removeprefix(".B ")
            self.assertIn(first, (self.pages / f"{file.stem}.1").read_text(encoding="utf-8"))

    def test_man_reads_the_pages_without_warnings(self):
        if shutil.which("mandoc") is None and shutil.which("groff") is None:
            self.skipTest("neither mandoc nor groff is installed")
        for page in sorted(self.pages.iterdir()):
            if shutil.which("mandoc"):
                done = run("mandoc", "-T", "lint", "-W", "warning", page)
                # Pages have no date, so that they are the same whenever they are made.
                lines = [line for line in done.stdout.splitlines() if "missing date" not in line]
                self.assertEqual(lines, [], page.name)
            if shutil.which("groff"):
                done = run("groff", "-man", "-Tutf8", "-ww", page)
                self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)

    def completed(self, *words: str) -> list[str]:
        """Returns what bash offers for the last word."""
        script = (f"source {self.bash}; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($#-1)); _heddle; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = run("bash", "-c", script, "bash", *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.completed("heddle", "final"), ["finalize"])
        for command in commands():
            self.assertIn(command, self.completed("heddle", ""))
            self.assertLessEqual(options_of(command), set(self.completed("heddle", command, "-")), command)
        self.assertEqual(self.completed("heddle", "info", "--agent", "n"), ["null"])
        self.assertEqual(self.completed("heddle", "as", "b"), ["bash-completion"])
        self.assertEqual(self.completed("heddle", "as", "-o", "m"), ["man"])
        self.assertEqual(self.completed("heddle", "run", "--grid", ""), [])

    def test_zsh_reads_its_script(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        done = run("zsh", "-n", self.zsh)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_zsh_knows_every_option(self):
        text = self.zsh.read_text(encoding="utf-8")
        for command in commands():
            part = text.partition(f"    {command})\n")[2].partition(";;\n")[0]
            for option in options_of(command):
                self.assertIn(f"{option}[", part, command)

    def test_fish_completes(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        for command in commands():
            done = run("fish", "--no-config", "-c", f"source {self.fish}; complete -C 'heddle {command} -'")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            offered = {line.split("\t")[0] for line in done.stdout.splitlines()}
            self.assertLessEqual(options_of(command), offered, command)

    def test_a_folder_that_cannot_be_made(self):
        file = self.folder / "file"
        file.write_text("", encoding="utf-8")
        done = run(HEDDLE, "reference", file)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Not a directory", done.stderr)


if __name__ == "__main__":
    unittest.main()
