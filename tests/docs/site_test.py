#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the site of the documents and follows its links."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["HEDDLE_SOURCE"])
SITE = SOURCE / "tools" / "site.py"


def run(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, str(SITE), *map(str, arguments)], capture_output=True, text=True, check=False)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="heddle-site-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.site = cls.folder / "site"
        done = run("build", cls.site)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_every_document_is_a_page(self):
        pages = {page.stem for page in self.site.glob("*.html")}
        self.assertLessEqual({page.stem for page in (SOURCE / "docs").glob("*.md")} | {"index", "CHANGELOG"}, pages)

    def test_links(self):
        done = run("check-site", self.site)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_search_knows_the_pages(self):
        index = json.loads((self.site / "search" / "search_index.json").read_text(encoding="utf-8"))
        places = {entry["location"].partition("#")[0] for entry in index["docs"]}
        self.assertIn("status.html", places)
        self.assertIn("design.html", places)

    def test_broken_links_are_noticed(self):
        site = self.folder / "broken"
        site.mkdir()
        (site / "a.html").write_text('<p id="here"><a href="a.html#here">x</a><a href="a.html#there">x</a><a href="b.html">x</a>'
                                     '<script src="https://example.org/x.js"></script></p>', encoding="utf-8")
        done = run("check-site", site)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines(), ["a.html: no such place: a.html#there", "a.html: there is no b.html",
                                                    "a.html: loads https://example.org/x.js"])


if __name__ == "__main__":
    if shutil.which("mkdocs") is None:
        print("skipped: mkdocs is not installed")
        sys.exit(77)
    unittest.main()
