#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that tests name every diagnostic id that the sources can report and every rule of the instruction tables."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Ids that no test can reach, each with the reason.
OUT_OF_REACH = {
    "CHECK-sampler-destroyed": "samplers have no function but their destruction, and a second one has another rule",
    "BRIG-18.2-section-size": "takes a section of 4 GiB",
    "HSAIL-18-size": "takes a text that becomes a section of 4 GiB",
    "INTERPRETER-unsupported-instruction": "every instruction has an execution; for those that a later table brings",
}

# "FAMILY-what", or "FAMILY-prefix-" to which the sources append a name.
LITERAL = re.compile(r'"([A-Z]{3,}-[0-9a-z][0-9A-Za-z.-]+)"')
# Tests of the check layer name its rules without the family.
SHORT = re.compile(r'"([a-z]+(?:-[a-z]+)*)"')
RULE = re.compile(r"^\s*(?:rule|warning)\s+([A-Z]{3,}-[0-9A-Za-z.-]+)", re.MULTILINE)
COMMENT = re.compile(r'^\s*(?://|#).*$|(?<=[\s;{}])//[^"\n]*$', re.MULTILINE)


def literals(root: Path, suffixes: tuple[str, ...]) -> dict[str, set[str]]:
    """Returns each id with the files of `root` whose code contains it as a string."""
    found: dict[str, set[str]] = {}
    for file in sorted(root.rglob("*")):
        if file.suffix in suffixes and file.is_file() and file != Path(__file__).resolve():
            for name in LITERAL.findall(COMMENT.sub("", file.read_text(encoding="utf-8"))):
                found.setdefault(name, set()).add(str(file.relative_to(root.parent)))
    return found


def reported(root: Path) -> dict[str, set[str]]:
    found = literals(root / "src", (".cpp", ".h"))
    for file in sorted((root / "isa").glob("*.isa")):
        for name in RULE.findall(file.read_text(encoding="utf-8")):
            found.setdefault(name, set()).add(f"isa/{file.name}")
    return found


def tested_ids(root: Path) -> set[str]:
    found = set(literals(root / "tests", (".cpp", ".h", ".py")))
    for file in (root / "tests" / "layers" / "check").glob("*.cpp"):
        found.update("CHECK-" + name for name in SHORT.findall(file.read_text(encoding="utf-8")))
    return found


def untested(root: Path) -> list[str]:
    ids = reported(root)
    tested = tested_ids(root)
    missing = []
    for name, files in sorted(ids.items()):
        if name.endswith("-"):
            good = any(other.startswith(name) and other not in ids for other in tested)
        else:
            good = name in tested
        if not good and name not in OUT_OF_REACH:
            missing.append(f"{name} ({', '.join(sorted(files))})")
    return missing


class DiagnosticIds(unittest.TestCase):
    maxDiff = None

    def test_each_is_tested(self):
        self.assertEqual(untested(ROOT), [])

    def test_the_sources_are_found(self):
        families = {name.split("-")[0] for name in reported(ROOT)}
        self.assertEqual(families, {"BRIG", "HSAIL", "CODEOBJECT", "COMPILER", "FINALIZER", "INTERPRETER", "CHECK"})
        self.assertGreater(len(reported(ROOT)), 250)

    def test_exceptions_are_needed(self):
        ids = reported(ROOT)
        tested = tested_ids(ROOT)
        for name in OUT_OF_REACH:
            self.assertIn(name, ids)
            self.assertNotIn(name, tested)


if __name__ == "__main__":
    unittest.main()
