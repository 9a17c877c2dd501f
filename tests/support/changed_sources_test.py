#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests which sources clang-tidy checks again: changed ones, ones that stand for a changed header, and all in doubt."""
import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import changed_sources  # noqa: E402


class ChangedSources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.write("src/a.cpp", '#include "a.h"\n')
        self.write("src/a.h", "")
        self.write("src/part/b.cpp", '#include "part/deep.h"\n')
        self.write("src/part/deep.h", '#include "inner.h"\n')
        self.write("src/part/inner.h", "")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def git(self, *arguments):
        command = ["git", "-C", str(self.root), "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false",
                   *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a change")
        return self.git("rev-parse", "HEAD")

    def repository(self):
        self.git("init", "-q", "-b", "main")
        return self.commit()

    def changed(self, base=None):
        words = io.StringIO()
        with contextlib.redirect_stderr(words):
            found = changed_sources.changed_sources(self.root, base)
        self.words = words.getvalue()
        self.assertNotEqual(self.words, "", "what was decided is said")
        return found

    def test_everything_without_a_repository(self):
        self.assertEqual(self.changed(), ["src/a.cpp", "src/part/b.cpp"])
        self.assertIn("no history", self.words)

    def test_everything_in_a_clone_of_one_commit(self):
        self.repository()
        self.assertEqual(self.changed(), ["src/a.cpp", "src/part/b.cpp"])

    def test_the_last_commits_of_main(self):
        self.repository()
        self.write("src/part/b.cpp", "// changed long ago\n")
        self.commit()
        for i in range(changed_sources.ANCESTORS - 1):
            self.commit()
        self.write("src/a.cpp", "// changed last\n")
        self.commit()
        self.assertEqual(self.changed(), ["src/a.cpp"])
        self.assertIn(f"{changed_sources.ANCESTORS} commits before HEAD", self.words)

    def test_all_of_a_branch(self):
        fork = self.repository()
        self.write("src/part/b.cpp", "// on the branch\n")
        self.commit()
        for i in range(changed_sources.ANCESTORS + 3):
            self.commit()
        self.git("update-ref", "refs/remotes/origin/main", fork)
        self.assertEqual(self.changed(), ["src/part/b.cpp"])
        self.assertIn("origin/main", self.words)

    def test_the_commit_that_is_asked_for(self):
        first = self.repository()
        self.write("src/a.cpp", "// 1\n")
        second = self.commit()
        self.write("src/part/b.cpp", "// 2\n")
        self.commit()
        self.assertEqual(self.changed(second), ["src/part/b.cpp"])
        self.assertEqual(self.changed(first), ["src/a.cpp", "src/part/b.cpp"])
        with self.assertRaises(SystemExit):
            self.changed("no-such-commit")

    def test_what_is_not_committed(self):
        self.repository()
        self.commit()
        self.assertEqual(self.changed(), [])
        self.write("src/a.cpp", "// changed\n")
        self.write("src/new.cpp", "// git does not know it\n")
        self.assertEqual(self.changed(), ["src/a.cpp", "src/new.cpp"])

    def test_what_is_gone(self):
        self.repository()
        (self.root / "src/a.cpp").unlink()
        self.commit()
        self.assertEqual(self.changed(), [])

    def test_a_source_stands_in_for_a_header(self):
        self.repository()
        self.commit()
        self.write("src/a.h", "// changed\n")
        self.assertEqual(self.changed(), ["src/a.cpp"])

    def test_even_through_other_headers(self):
        self.repository()
        self.commit()
        self.write("src/part/inner.h", "// changed\n")
        self.assertEqual(self.changed(), ["src/part/b.cpp"])

    def test_a_header_that_nobody_includes_is_said(self):
        self.repository()
        self.commit()
        self.write("src/lonely.h", "")
        self.assertEqual(self.changed(), [])
        self.assertIn("lonely.h", self.words)

    def test_everything_when_the_checks_change(self):
        self.repository()
        self.commit()
        self.write(".clang-tidy", "Checks: '*'\n")
        self.assertEqual(self.changed(), ["src/a.cpp", "src/part/b.cpp"])
        self.assertIn(".clang-tidy", self.words)


if __name__ == "__main__":
    unittest.main()
