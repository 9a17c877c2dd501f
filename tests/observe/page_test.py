#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `heddle trace --html` in headless Chromium: it draws, finds what it has drawn, and searches (#check)."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
WORK = os.environ["OBSERVED_WORK"]
KERNELS = Path(os.environ["HEDDLE_SOURCE"]) / "examples/kernels"
RUN = [HEDDLE, "run", str(KERNELS / "vector_add.hsail"), "--grid", "100000", "--group", "100", "--arg", "f32*100000",
       "--arg", "f32:iota*100000", "--arg", "f32:2.5*100000", "--arg", "u32:100000"]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def shown(self, *arguments: str) -> str:
        """The document that the browser has after it has run the page."""
        page = Path(self.folder.name) / "t.html"
        subprocess.run([HEDDLE, "trace", "--html", str(page), *arguments], check=True)
        done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder.name}/profile",
                               "--dump-dom", f"file://{page}#check"], capture_output=True, text=True, timeout=600)
        self.assertIn("</html>", done.stdout, done.stderr[-2000:])
        return done.stdout

    def check(self, *arguments: str) -> dict:
        shown = self.shown(*arguments)
        found = re.search(r'<script type="application/json" id="result">(.*?)</script>', shown)
        self.assertIsNotNone(found, "the page has not checked itself")
        result = json.loads(found[1])
        self.assertEqual(result["wrong"], [])
        return result

    def test_small_trace(self):
        result = self.check("--", WORK, "shut_down", "2")
        self.assertEqual(len(result["groups"]), 2)
        self.assertGreater(result["drawn"], 0)
        self.assertEqual(result["flows"], 2 * 2 + 2, "four submissions, of which two end at the host")
        self.assertEqual(result["arrows"], result["flows"], "arrows are drawn while they are few")

    def test_kernels(self):
        result = self.check("--", *RUN)
        self.assertEqual([name for name, _ in result["kernels"]], ["&vector_add"])
        self.assertTrue(any(track.startswith("compute unit") for track in result["tracks"]))

    def test_large_trace_is_drawn_by_pixels(self):
        result = self.check("--", WORK, "shut_down", "5000")
        self.assertGreater(result["events"], 50000)
        self.assertLess(result["drawn"], 20000)

    def test_what_is_no_trace(self):
        for text in ("[1]", "[null]", '[{"ph":"X"}]', '[{"ph":"X","ts":1,]', "[}]", '[{"ph":"X","ts":1,"dur":2}]',
                     '[{"ph":"X","ts":1,"name":"a"}]', '[{"ph":"X","ts":1,"dur":-1,"name":"a"}]', '[{"ph":"i","ts":1}]',
                     '[{"ph":"M","name":"process_name"}]', '[{"ph":"C","ts":1,"args":{"bytes":"x"}}]'):
            file = Path(self.folder.name) / "wrong.json"
            file.write_text(text)
            self.assertIn(">This is no trace that the page can show: ", self.shown("--from", str(file)), text)

    def test_empty_trace(self):
        empty = Path(self.folder.name) / "empty.json"
        empty.write_text("[]")
        self.assertEqual(self.check("--from", str(empty))["events"], 0)


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: there is no Chromium")
        sys.exit(77)
    unittest.main()
