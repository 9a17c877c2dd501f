#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of abi.py: it notices changes of headers that break programs."""
from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
import unittest
from pathlib import Path

import abi

HEADER = """#include <stdint.h>
#define PART_VERSION 2
#define PART_API __attribute__((visibility("default")))
typedef enum part_kind { PART_A, PART_B = 5, PART_C } part_kind;
typedef struct part { uint32_t size; union { uint64_t word; uint8_t bytes[8]; } u; } part;
typedef int (*part_function)(const part* p, part_kind kind);
PART_API int part_make(part* p);
static inline int part_inline(void) { return 0; }
"""
LINES = ["macro PART_VERSION 2", "enumerator PART_A = 0", "enumerator PART_B = 5", "enumerator PART_C = 6",
         "pointer part_function: int (*)(const part *, part_kind)", "function part_make: int (part *)"]


@unittest.skipIf(shutil.which("clang-22") is None, "clang-22 is not installed")
class Types(unittest.TestCase):
    def setUp(self):
        self.include = Path(tempfile.mkdtemp(prefix="heddle-abi-"))
        self.addCleanup(shutil.rmtree, self.include)
        (self.include / "part").mkdir()

    def lines(self, header: str) -> list[str]:
        (self.include / "part" / "part.h").write_text(header, encoding="utf-8")
        return abi.types(self.include, "part", "clang-22")

    def test_what_is_listed(self):
        found = self.lines(HEADER)
        self.assertEqual([line for line in found if not line.startswith("record")], LINES)
        self.assertIn("record part: 0 |   uint32_t size", found)
        self.assertIn("record part: | [sizeof=16, align=8]", found)

    def test_changes_are_noticed(self):
        known = self.include / "known"
        known.write_text("# a comment\n" + "\n".join(self.lines(HEADER)) + "\n", encoding="utf-8")
        for old, new in (("uint32_t size", "uint64_t size"), ("PART_B = 5", "PART_B = 4"), ("int part_make", "long part_make"),
                         ("bytes[8]", "bytes[9]"), ("VERSION 2", "VERSION 3"), ("const part* p", "part* p")):
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                self.assertEqual(abi.compare(known, self.lines(HEADER.replace(old, new))), 1, new)
            self.assertIn("gone or changed", said.getvalue())
        self.assertEqual(abi.compare(known, self.lines(HEADER)), 0)


if __name__ == "__main__":
    unittest.main()
