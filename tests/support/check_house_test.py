#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that check_house.py finds the faults that it is there to find, and none in this repository."""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_house  # noqa: E402

LICENCE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
DOCUMENT = "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n"


class CheckHouse(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.write("src/runtime/core/agent.h", LICENCE)
        self.write("src/support/result.h", LICENCE)
        self.write("include/hsa/hsa.h", LICENCE)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def findings(self):
        return check_house.check(self.root)

    def test_clean(self):
        self.write("src/driver/a.cpp", LICENCE + '#include "support/result.h"\n')
        self.assertEqual(self.findings(), [])

    def test_wrong_way(self):
        self.write("src/driver/a.cpp", LICENCE + '#include "runtime/core/agent.h"\n')
        self.assertIn("points the wrong way", self.findings()[0])

    def test_public_headers(self):
        for header in ("graph.h", "source_places.h"):
            self.write("src/hsail/debug/" + header, LICENCE)
        self.write("src/hsail/debug/graph.cpp", LICENCE + '#include "hsail/debug/graph.h"\n')
        self.write("src/hsail/print/a.cpp", LICENCE + '#include "hsail/debug/source_places.h"\n')
        self.write("src/finalizer/debug/a.cpp", LICENCE + '#include "hsail/debug/graph.h"\n')
        self.assertEqual(self.findings(), [])
        self.write("src/hsail/print/a.cpp", LICENCE + '#include "hsail/debug/graph.h"\n')
        self.write("src/finalizer/lower/a.cpp", LICENCE + '#include "hsail/debug/graph.h"\n')
        self.write("src/finalizer/x86/target.h", LICENCE)
        self.write("src/finalizer/x86/machine.h", LICENCE)
        self.write("src/finalizer/targets.cpp", LICENCE + '#include "finalizer/x86/target.h"\n#include "finalizer/x86/machine.h"\n')
        self.write("src/finalizer/finalize.cpp", LICENCE + '#include "finalizer/x86/target.h"\n')
        self.write("src/finalizer/lower/spmd.h", LICENCE)
        self.write("src/finalizer/target.h", LICENCE + '#include "finalizer/lower/spmd.h"\n')
        self.write("src/finalizer/debug/b.cpp", LICENCE + '#include "finalizer/lower/spmd.h"\n')
        self.assertEqual(self.findings(), ["src/finalizer/debug/b.cpp:2: not a public header of src/finalizer/lower: finalizer/lower/spmd.h",
                                           "src/finalizer/finalize.cpp:2: not a public header of src/finalizer/x86: finalizer/x86/target.h",
                                           "src/finalizer/lower/a.cpp:2: not a public header of src/hsail/debug: hsail/debug/graph.h",
                                           "src/finalizer/targets.cpp:3: not a public header of src/finalizer/x86: finalizer/x86/machine.h",
                                           "src/hsail/print/a.cpp:2: not a public header of src/hsail/debug: hsail/debug/graph.h"])

    def test_llvm_outside(self):
        self.write("src/runtime/core/a.cpp", LICENCE + '#include <llvm/IR/Module.h>\n')
        self.assertIn("LLVM is visible", self.findings()[0])

    def test_public_header(self):
        self.write("src/interpreter/a.cpp", LICENCE + '#include <hsa/hsa.h>\n')
        self.assertIn("must not see", self.findings()[0])

    def test_public_folders_are_whole_names(self):
        self.write("include/hsam/hsam.h", LICENCE)
        self.write("examples/a.cpp", LICENCE + '#include <hsa/hsa.h>\n#include <hsam/hsam.h>\n')
        self.assertEqual(len(self.findings()), 1)
        self.assertIn("hsam", self.findings()[0])

    def test_links(self):
        self.write("src/driver/CMakeLists.txt", "heddle_library(heddle_driver a.cpp)\n")
        self.write("src/runtime/CMakeLists.txt",
                   "add_library(hsa-runtime64 SHARED b.cpp)\ntarget_link_libraries(hsa-runtime64 PRIVATE\n  heddle_driver)\n")
        self.write("src/tools/CMakeLists.txt", "target_link_libraries(heddle PRIVATE fmt::fmt hsa-runtime64)\n")
        self.assertEqual(self.findings(), [])
        self.write("src/agents/cpu/CMakeLists.txt", "target_link_libraries(heddle-agent-cpu PRIVATE heddle_driver hsa-runtime64)\n")
        self.write("src/codeobject/CMakeLists.txt", "target_link_libraries(heddle_codeobject PUBLIC LLVM)\n")
        self.assertEqual(len(self.findings()), 3)

    def test_include_roots(self):
        self.write("src/driver/CMakeLists.txt",
                   'target_include_directories(heddle_driver PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")\n')
        self.assertEqual(self.findings(), [])
        self.write("src/driver/CMakeLists.txt", 'target_include_directories(heddle_driver PUBLIC "${PROJECT_SOURCE_DIR}/src")\n')
        self.assertIn("an include root", self.findings()[0])

    def test_environment(self):
        self.write("src/driver/a.cpp", LICENCE + 'auto a = getenv("HEDDLE_ONE");\nauto b = setting(host, "TWO");\n')
        self.write("dev", 'jobs=${HEDDLE_JOBS:-2}\n')
        self.write("docs/environment.md", DOCUMENT + "| `HEDDLE_ONE` | x |\n| `HEDDLE_TWO` | x |\n| `HEDDLE_JOBS` | x |\n")
        self.assertEqual(self.findings(), [])
        self.write("docs/environment.md", DOCUMENT + "| `HEDDLE_ONE` | x |\n| `HEDDLE_THREE` | `HEDDLE_TWO` |\n")
        self.assertEqual(self.findings(), ["dev: HEDDLE_JOBS is not in docs/environment.md",
                                           "src/driver/a.cpp: HEDDLE_TWO is not in docs/environment.md",
                                           "docs/environment.md: nothing reads HEDDLE_THREE"])

    def test_licence_and_length(self):
        self.write("src/driver/a.cpp", "\n" * 1000)
        self.assertEqual(len(self.findings()), 2)

    def test_licence_of_documents(self):
        self.write("docs/a.md", "# A\n")
        self.assertEqual(self.findings(), ["docs/a.md:1: no licence line"])

    def test_this_house(self):
        self.assertEqual(check_house.check(ROOT), [])


if __name__ == "__main__":
    unittest.main()
