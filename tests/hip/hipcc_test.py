#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests `heddle hipcc`: steps, inputs, options, exit codes, and what it leaves behind."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
SOURCE = Path(os.environ["HEDDLE_SOURCE"])
WORDS = ["-nogpuinc", "-std=c++17", f"-I{SOURCE}/include", f"-I{SOURCE}/tests/hip", f"-I{os.environ['HEDDLE_HIP_DECLARATIONS']}"]

KERNEL = """
#include "device_code.h"
static __device__ int step = STEP;
static __global__ void add(int* to) { to[item(0)] += step; }
int NAME(int* to) {
  void* arguments[] = {static_cast<void*>(&to)};
  return hipLaunchKernel(reinterpret_cast<const void*>(&add), dim3(1), dim3(4), arguments, 0, nullptr);
}
"""
MAIN = """
#include <cstdio>
#include <hip_functions.h>
int first(int* to);
int second(int* to);
int main() {
  int* memory = nullptr;
  int result[4] = {};
  if (hipMalloc(reinterpret_cast<void**>(&memory), sizeof result) != hipSuccess) return 10;
  if (hipMemset(memory, 0, sizeof result) != hipSuccess) return 11;
  if (first(memory) != 0 || second(memory) != 0) return 12;
  if (hipMemcpy(result, memory, sizeof result, hipMemcpyDeviceToHost) != hipSuccess) return 13;
  std::printf("%d %d\\n", result[0], result[3]);
  return hipFree(memory);
}
"""


class HipccTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        self.temporary = self.path / "tmp"
        self.temporary.mkdir()
        for name, step in (("first", 1), ("second", 10)):
            text = KERNEL.replace("NAME", name).replace("STEP", str(step))
            (self.path / f"{name}.hip").write_text(text, encoding="utf-8")
        (self.path / "main.cpp").write_text(MAIN, encoding="utf-8")

    def tearDown(self):
        self.assertEqual(list(self.temporary.iterdir()), [], "temporary files are left")

    def run_program(self, *words, **settings):
        environment = dict(os.environ, TMPDIR=str(self.temporary), **settings)
        return subprocess.run(list(map(str, words)), cwd=self.path, env=environment, capture_output=True, text=True, check=False)

    def hipcc(self, *words, code=0):
        done = self.run_program(HEDDLE, "hipcc", *WORDS, *words)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def check_program(self, *command):
        done = self.run_program(*(command or ("./program",)))
        self.assertEqual((done.returncode, done.stdout), (0, "11 11\n"), done.stderr)

    def test_sources_become_a_program(self):
        self.hipcc("-O2", "first.hip", "second.hip", "main.cpp", "-o", "program")
        self.check_program()

    def test_objects_and_archives_are_linked(self):
        self.hipcc("-c", "first.hip", "second.hip")
        self.hipcc("-c", "main.cpp", "-o", "entry.o")
        self.run_program("ar", "rc", "libkernels.a", "first.o", "second.o")
        self.hipcc("entry.o", "-L.", "-lkernels", "-o", "program")
        self.check_program()

    def test_shared_libraries_register_their_kernels(self):
        self.hipcc("-shared", "-fPIC", "first.hip", "second.hip", "-o", "libkernels.so")
        self.hipcc("main.cpp", "-L.", "-lkernels", "-Wl,-rpath,$ORIGIN", "-o", "program")
        self.check_program()

    def test_architectures_have_no_effect(self):
        self.hipcc("--offload-arch=gfx90a", "--offload-arch=gfx1100", "first.hip", "second.hip", "main.cpp", "-o", "program")
        self.check_program()

    def write_units_that_need_each_other(self):
        """Two units whose device code calls functions and uses variables of the other one, and kernels of one static name."""
        for name, other, value in (("first", "second", 1), ("second", "first", 10)):
            (self.path / f"{name}.hip").write_text(f"""
#include "device_code.h"
__device__ int {name}_value = {value - value // 10};
extern __device__ int {other}_value;
__device__ int {name}_sum(int x) {{ return x + {name}_value; }}
__device__ int {other}_sum(int x);
static __global__ void add(int* to) {{ to[item(0)] = {other}_sum(to[item(0)]) + {other}_value - {other}_value; }}
int {name}(int* to) {{
  const int step = {value};
  if (hipMemcpyToSymbol(reinterpret_cast<const void*>(&{name}_value), &step, sizeof step, 0, hipMemcpyHostToDevice) != hipSuccess) return 1;
  return 0;
}}
int {name}_run(int* to) {{
  void* arguments[] = {{static_cast<void*>(&to)}};
  return hipLaunchKernel(reinterpret_cast<const void*>(&add), dim3(1), dim3(4), arguments, 0, nullptr);
}}
""", encoding="utf-8")
        text = MAIN.replace("int main()", "int first_run(int* to);\nint second_run(int* to);\nint main()")
        text = text.replace("second(memory) != 0)", "second(memory) != 0 || first_run(memory) != 0 || second_run(memory) != 0)")
        (self.path / "main.cpp").write_text(text, encoding="utf-8")

    def test_device_code_of_several_sources_is_linked(self):
        self.write_units_that_need_each_other()
        self.hipcc("-fgpu-rdc", "-O2", "first.hip", "second.hip", "main.cpp", "-o", "program")
        self.check_program()
        self.assertIn("first_sum", self.hipcc("-O2", "-c", "second.hip", code=1).stderr)

    def test_device_code_of_objects_and_archives_is_linked(self):
        self.write_units_that_need_each_other()
        self.hipcc("-fgpu-rdc", "-c", "first.hip", "second.hip")
        self.hipcc("-c", "main.cpp", "-o", "entry.o")
        self.hipcc("-fgpu-rdc", "--hip-link", "entry.o", "first.o", "second.o", "-o", "program")
        self.check_program()
        self.run_program("ar", "rc", "libkernels.a", "first.o", "second.o")
        self.hipcc("entry.o", "-L.", "-lkernels", "-o", "from_archive")
        self.check_program("./from_archive")
        self.run_program("ld", "-r", "first.o", "second.o", "-o", "both.o")
        self.hipcc("entry.o", "libkernels.a", "-o", "by_name")
        self.check_program("./by_name")
        self.assertIn("second_sum", self.hipcc("entry.o", "first.o", "-o", "broken", code=1).stderr)

    def test_damaged_inputs_are_refused(self):
        self.hipcc("-fgpu-rdc", "-c", "first.hip")
        whole = (self.path / "first.o").read_bytes()
        at = whole.index(b"HEDDLERD")
        (self.path / "first.o").write_bytes(whole[:at + 8] + b"\xff" * 8 + whole[at + 16:])
        self.assertIn("first.o is damaged", self.hipcc("first.o", "-o", "program", code=1).stderr)
        (self.path / "short.a").write_bytes(b"!<arch>\n" + b"short.o/".ljust(48) + b"999999".ljust(10) + b"`\n")
        self.assertIn("short.a is damaged", self.hipcc("main.cpp", "short.a", "-o", "program", code=1).stderr)
        for size in range(0, len(whole), 997):
            (self.path / "cut.o").write_bytes(whole[:size])
            self.run_program(HEDDLE, "hipcc", "cut.o", "-o", "program")

    def test_response_files_have_words(self):
        (self.path / "more.txt").write_text("'second.hip' main.cpp\n", encoding="utf-8")
        (self.path / "words.txt").write_text("-O2 first.hip\n@more.txt -o \"pro\"gram", encoding="utf-8")
        self.hipcc("@words.txt")
        self.check_program()
        (self.path / "loop.txt").write_text("@loop.txt", encoding="utf-8")
        self.assertIn("without end", self.hipcc("@loop.txt", code=2).stderr)

    def test_dependency_files_name_headers(self):
        self.hipcc("-c", "-MD", "-MF", "first.d", "first.hip", "-o", "first.o")
        text = (self.path / "first.d").read_text(encoding="utf-8")
        self.assertRegex(text, r"^first\.o:")
        self.assertIn("device_code.h", text)

    def test_options_for_one_half(self):
        (self.path / "halves.hip").write_text(
            "#if defined(__HIP_DEVICE_COMPILE__) ? HALF != 1 : HALF != 2\n#error the other half's option\n#endif\n", encoding="utf-8")
        self.hipcc("-c", "-Xarch_device", "-DHALF=1", "-Xarch_host", "-DHALF=2", "-x", "hip", "halves.hip")

    def test_folders_are_searched_behind_others(self):
        for folder, names in (("before", ("both.h",)), ("behind", ("both.h", "one.h"))):
            (self.path / folder).mkdir()
            for name in names:
                (self.path / folder / name).write_text(f"#define {name[:-2].upper()} \"{folder}\"\n", encoding="utf-8")
        (self.path / "folders.hip").write_text(
            "#include <both.h>\n#include <one.h>\n"
            "constexpr bool is(const char* text, char end) { while (text[1] != 0) ++text; return *text == end; }\n"
            "static_assert(is(BOTH, 'e') && is(ONE, 'd'));\n", encoding="utf-8")
        self.hipcc("-c", "-idirafter", "behind", "-Ibefore", "folders.hip")
        self.assertIn("one.h", self.hipcc("-c", "-Ibefore", "folders.hip", code=1).stderr)

    def test_text_of_the_host_is_printed(self):
        done = self.hipcc("-E", "-DMARK=42", "-x", "hip", "first.hip")
        self.assertIn("void add(int* to)", done.stdout)
        self.hipcc("-S", "first.hip", "-o", "first.s")
        self.assertIn("hipLaunchKernel", (self.path / "first.s").read_text(encoding="utf-8"))

    def test_sources_are_only_checked(self):
        self.hipcc("-fsyntax-only", "first.hip")
        self.assertFalse((self.path / "first.o").exists())

    def test_device_code_alone(self):
        self.hipcc("--genco", "first.hip", "-o", "first.hsaco")
        self.assertTrue((self.path / "first.hsaco").read_bytes().startswith(b"HEDDLEHB"))
        for words in (("--cuda-device-only", "-c"), ("-c", "--cuda-device-only")):
            self.hipcc(*words, "first.hip", "-o", "second.hsaco")
            self.assertTrue((self.path / "second.hsaco").read_bytes().startswith(b"HEDDLEHB"))
            (self.path / "second.hsaco").unlink()

    def test_mistakes_are_shown_as_clang_shows_them(self):
        (self.path / "wrong.hip").write_text("int broken( {", encoding="utf-8")
        done = self.hipcc("-c", "wrong.hip", code=1)
        self.assertRegex(done.stderr, r"wrong\.hip:1:\d+: error:")
        self.assertFalse((self.path / "wrong.o").exists())
        (self.path / "host.hip").write_text("#ifndef __HIP_DEVICE_COMPILE__\n#error only the host\n#endif\n", encoding="utf-8")
        self.assertIn("only the host", self.hipcc("-c", "host.hip", code=1).stderr)

    def test_the_command_line_is_checked(self):
        self.assertIn("lacks its value", self.hipcc("first.hip", "-o", code=2).stderr)
        self.assertIn("several sources", self.hipcc("-c", "first.hip", "second.hip", "-o", "x.o", code=2).stderr)
        self.assertIn("at least one FILE", self.hipcc("-O2", code=2).stderr)
        self.hipcc("missing.o", "-o", "program", code=1)

    def test_versions_are_printed(self):
        done = self.run_program(HEDDLE, "hipcc", "--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"HIP version: 5\.2(.|\n)*clang version 22")

    def linker_lines(self, text):
        """Returns the command lines of linkers, as CMakeParseImplicitLinkInfo finds them."""
        return [line for line in text.splitlines() if re.match(r'^ *"?([^" ]*/)?([^/" ]+-)?ld[^/" ]*"? ', line)]

    def test_the_command_of_the_linker_is_shown(self):
        done = self.hipcc("-v", "first.hip", "second.hip", "main.cpp", "-o", "program")
        lines = self.linker_lines(done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], r'"?-L/[^" ]*/heddle/hip/lib"? .*-lamdhip64')
        self.check_program()
        quiet = self.hipcc("first.hip", "second.hip", "main.cpp", "-o", "program")
        self.assertEqual(self.linker_lines(quiet.stderr), [])

    def test_commands_are_shown_and_not_run(self):
        for words in ((), ("-fgpu-rdc",)):
            done = self.hipcc("-###", *words, "first.hip", "main.cpp", "-o", "program")
            self.assertEqual(len(self.linker_lines(done.stderr)), 1, done.stderr)
            self.assertEqual(done.stderr.count('"-cc1" '), 2, done.stderr)
            self.assertEqual("linked.o" in self.linker_lines(done.stderr)[0], bool(words))
        self.hipcc("-###", "-c", "first.hip")
        self.hipcc("-###", "--genco", "first.hip")
        names = {"first.hip", "second.hip", "main.cpp", "tmp"}
        self.assertEqual({path.name for path in self.path.iterdir()}, names)
        self.assertNotEqual(self.run_program(HEDDLE, "hipcc", "-###", "missing.o").returncode, 0)

    def test_the_installation_is_shown_without_an_input(self):
        done = self.run_program(HEDDLE, "hipcc", "-v")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"Found HIP installation: /[^,]*/heddle/hip, version 5\.2")

    def test_a_library_of_the_same_name_is_not_linked(self):
        (self.path / "other.c").write_text("int unrelated;\n", encoding="utf-8")
        self.assertEqual(self.run_program("cc", "-shared", "-fPIC", "other.c", "-o", "libamdhip64.so").returncode, 0)
        self.hipcc("first.hip", "second.hip", "main.cpp", "-L.", "-o", "program")
        self.check_program()

    def test_a_missing_clang_is_named(self):
        done = self.run_program(HEDDLE, "hipcc", *WORDS, "-c", "first.hip", HEDDLE_CLANG="/nonexistent/clang")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/nonexistent/clang", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
