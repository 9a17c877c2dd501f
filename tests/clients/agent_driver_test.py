#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs what a vendor of agent drivers needs into an empty prefix, builds examples/agent-driver there, out of the tree, and
runs its client and the conformance suite on it. Also compares the tutorial with the sample."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["HEDDLE_SOURCE"])
SAMPLE = SOURCE / "examples" / "agent-driver"
TUTORIAL = SOURCE / "docs" / "writing-an-agent-driver.md"
CMAKE = os.environ["CMAKE"]
# The parts of an installation; nothing else may be needed.
COMPONENTS = ("runtime", "dev")

# The body of a main function that registers an agent for kernels whose functions are all null.
NO_FUNCTIONS = """{
  static const hsam_isa_description isa = {.name = "nobody:nothing", .wavefront_size = 1};
  const hsa_agent_driver_interface functions = {.tail_size = sizeof functions};
  const hsa_agent_driver_config config = {.major = 1, .minor = 1, .name = "nothing", .vendor_name = "nobody",
    .tail_size = sizeof config, .features = HSA_AGENT_FEATURE_KERNEL_DISPATCH, .isas = &isa, .isa_count = 1};
  hsa_generic_driver_config generic;
  return host->register_agent(&functions, &config, &generic) == NULL;
}"""


def run(*command: object, **env: str) -> subprocess.CompletedProcess:
    """Runs a command without the variables that would lead it back to the build folder."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("HEDDLE", "LD_LIBRARY"))}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, env={**clean, **env})


class AgentDriver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="heddle-agent-driver-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix, cls.build = cls.folder / "prefix", cls.folder / "build"
        sources = shutil.copytree(SAMPLE, cls.folder / "sources")  # no path leads from here into the repository
        commands = [[CMAKE, "--install", os.environ["HEDDLE_BUILD"], "--prefix", cls.prefix, "--component", component]
                    for component in COMPONENTS]
        commands += [[CMAKE, "-S", sources, "-B", cls.build, f"-DCMAKE_PREFIX_PATH={cls.prefix}",
                      f"-DCMAKE_C_COMPILER={os.environ['CC']}", f"-DCMAKE_CXX_COMPILER={os.environ['CXX']}",
                      "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror -Wno-missing-field-initializers",
                      "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror"],
                     [CMAKE, "--build", cls.build]]
        for command in commands:
            done = run(*command)
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"

    def succeed(self, *command: object, **env: str) -> str:
        done = run(*command, **env)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_the_client_runs_on_the_driver(self):
        text = self.succeed(self.build / "tiny_dsp_client", HEDDLE_AGENTS="cpu,tiny_dsp", HEDDLE_AGENT_PATH=str(self.build))
        self.assertEqual(text, "saxpy: 0 of 1000 wrong; sum: 499500\n")

    def test_the_client_says_that_the_agent_is_not_there(self):
        done = run(self.build / "tiny_dsp_client")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no agent 'tiny DSP'", done.stderr)

    def test_the_driver_passes_the_conformance_suite(self):
        code = self.folder / "empty.co"
        self.succeed(self.build / "tiny_dsp_client", "--code", code)
        text = self.succeed(self.prefix / "bin" / "heddle-driver-conformance", self.build / "libheddle-agent-tiny_dsp.so", code)
        self.assertIn("[  PASSED  ]", text)
        self.assertNotIn("SKIPPED", text)

    def test_the_suite_says_what_a_driver_lacks(self):
        """Drivers that lack nearly everything fail; the suite neither crashes nor waits for them."""
        main = "#include <hsam/hsam.h>\n__attribute__((visibility(\"default\"))) int hsam_agent_driver_main(const hsam_host* host) "
        for source, *messages in (("int nothing;", "no hsam_agent_driver_main"),
                                  (main + "{ (void)host; return 0; }", "it has registered no agent"),
                                  (main + NO_FUNCTIONS, "a kernel agent needs code_load, code_unload and code_kernel",
                                   "Description.queues_have_sizes_and_functions", "no fine-grained region",
                                   "without a queue there is nothing to wait for")):
            file, library = self.folder / "broken.c", self.folder / "libheddle-agent-broken.so"
            file.write_text(source, encoding="utf-8")
            self.succeed(os.environ["CC"], "-shared", "-fPIC", f"-I{self.prefix / 'include'}", file, "-o", library)
            done = run(self.prefix / "bin" / "heddle-driver-conformance", library)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            for message in messages:
                self.assertIn(message, done.stdout + done.stderr)

    def test_the_driver_is_small(self):
        files = [file for file in SAMPLE.iterdir() if file.name != "client.c"]
        self.assertLessEqual(sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files), 600)


class Tutorial(unittest.TestCase):
    def test_every_snippet_is_from_the_sample(self):
        """Each block of C, C++ or CMake in the tutorial is a run of lines of one file of the sample."""
        files = {file.name: file.read_text(encoding="utf-8") for file in SAMPLE.iterdir()}
        snippets = re.findall(r"```(?:cpp|c|cmake)\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
        self.assertGreater(len(snippets), 10)
        for snippet in snippets:
            self.assertTrue(any(snippet in text for text in files.values()), f"not in the sample:\n{snippet}")


if __name__ == "__main__":
    unittest.main()
