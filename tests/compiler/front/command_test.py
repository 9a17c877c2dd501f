#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests `heddle cc`, and the other commands with sources, as their users see them: outputs, messages, exit codes. HEDDLE is the
program, HEDDLE_SOURCE the repository."""
from __future__ import annotations

import array
import math
import os
import pty
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
SOURCE = Path(os.environ["HEDDLE_SOURCE"])

ADD = """kernel void add(global const float* a, global const float* b, global float* c, uint count) {
  const size_t i = get_global_id(0);
  if (i < count) c[i] = a[i] + b[i];
}
"""
SCALE = """#ifndef FACTOR
#define FACTOR 2
#endif
kernel void scale(global const int* from, global int* to) {
  to[get_global_id(0)] = FACTOR * from[get_global_id(0)];
}
"""
WRONG = """kernel void wrong(global int* p) {
  *p = missing;
}
"""


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-cc-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in (("add.cl", ADD), ("scale.cl", SCALE), ("wrong.cl", WRONG)):
            (self.folder / name).write_text(text, encoding="utf-8")

    def heddle(self, *words: object, code: int = 0, **options) -> subprocess.CompletedProcess:
        environment = {**os.environ, **options.pop("env", {})}
        done = subprocess.run([HEDDLE, *map(str, words)], capture_output=True, text=True, check=False, cwd=self.folder,
                              env=environment, errors="replace", **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def files(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}

    # ---- outputs ----

    def test_the_output_has_the_name_of_the_first_input(self):
        self.heddle("cc", "add.cl", "scale.cl")
        self.assertEqual(self.files(), {"add.brig", "add.cl", "scale.cl", "wrong.cl"})
        self.heddle("check", "add.brig")
        text = self.heddle("dis", "add.brig").stdout
        self.assertIn("kernel &add(", text)
        self.assertIn("kernel &scale(", text)

    def test_the_end_of_the_name_tells_the_form(self):
        self.heddle("cc", "add.cl", "-o", "out.hsail")
        self.assertIn("kernel &add(", (self.folder / "out.hsail").read_text(encoding="utf-8"))
        self.heddle("cc", "-S", "add.cl")
        self.assertEqual((self.folder / "add.hsail").read_bytes(), (self.folder / "out.hsail").read_bytes())
        self.heddle("cc", "-c", "add.cl", "--output=other")
        self.assertEqual((self.folder / "other").read_bytes()[:8], b"HSA BRIG")
        self.assertIn("kernel &add(", self.heddle("cc", "add.cl", "-S", "-o", "-").stdout)

    def test_standard_input(self):
        done = self.heddle("cc", "-x", "cl", "-", "-S", input=ADD)
        self.assertIn("kernel &add(", done.stdout)
        done = self.heddle("cc", "-xcl", "-", input=WRONG, code=1)
        self.assertIn("<stdin>:2:8: error: use of undeclared identifier 'missing'", done.stderr)
        self.assertIn("say -x cl", self.heddle("cc", "-", input=ADD, code=2).stderr)
        self.assertIn("twice", self.heddle("cc", "-x", "cl", "-", "-", input=ADD, code=2).stderr)

    def test_languages_hold_for_what_follows(self):
        shutil.copy(self.folder / "add.cl", self.folder / "add.txt")
        self.heddle("cc", "scale.cl", "-x", "cl", "add.txt", "-x", "none", "wrong.cl", code=1)
        self.heddle("cc", "-x", "cl", "add.txt", "-x", "none", "scale.cl", "-o", "out.brig")
        self.assertIn("add.txt", self.heddle("cc", "add.txt", code=2).stderr)

    def test_save_temps(self):
        self.heddle("cc", "add.cl", "-o", "out.brig", "-save-temps")
        self.assertEqual({name for name in self.files() if name.startswith("out.")},
                         {"out.bc", "out.opt.ll", "out.hsail", "out.brig"})
        self.assertIn("define", (self.folder / "out.opt.ll").read_text(encoding="utf-8"))
        self.heddle("as", "out.hsail", "-o", "again.brig")
        self.assertEqual((self.folder / "again.brig").read_bytes(), (self.folder / "out.brig").read_bytes())
        self.heddle("cc", "out.bc", "-o", "linked.brig")
        self.assertIn("an output file", self.heddle("cc", "add.cl", "-o", "-", "-save-temps", code=2).stderr)

    # ---- mistakes ----

    def test_a_mistake_leaves_no_output(self):
        (self.folder / "out.brig").write_text("old", encoding="utf-8")
        done = self.heddle("cc", "wrong.cl", "-o", "out.brig", code=1)
        self.assertEqual((self.folder / "out.brig").read_text(encoding="utf-8"), "old")
        self.assertIn("wrong.cl:2:8: error: use of undeclared identifier 'missing'\n    2 |   *p = missing;\n", done.stderr)
        self.assertIn("heddle: error: wrong.cl: the source does not compile", done.stderr)
        self.heddle("cc", "wrong.cl", code=1)
        self.assertNotIn("wrong.brig", self.files())

    def test_wrong_command_lines(self):
        for words, text in (([], "at least one FILE"), (["add.cl", "--wrong"], "no option '--wrong'"),
                            (["add.cl", "-o"], "-o lacks its value"), (["add.cl", "-D"], "-D lacks its value"),
                            (["-x", "c", "add.cl"], "no language 'c'"), (["add.c"], "does not tell the language"),
                            (["add.cl", "-o", "add.cl"], "would be lost"), (["add.cl", "-mcpu=x"], "for every processor"),
                            (["add.cl", "-O9"], "no option '-O9'"), (["add.cl", "-o", ""], "output is empty"),
                            (["add.cl", "--output="], "output is empty"), (["add.cl", ""], "FILE is empty"),
                            (["add.cl", "-E"], "always makes a module"), (["add.cl", "-MD"], "no dependencies"),
                            (["add.cl", "-save-temps", "-o", "/dev/null"], "needs an output file"),
                            (["add.cl", "-save-temps", "-o", "add.bc"], "is the output")):
            self.assertIn(text, self.heddle("cc", *words, code=2).stderr, words)

    def test_names_like_options(self):
        shutil.copy(self.folder / "add.cl", self.folder / "-g.cl")
        self.heddle("cc", "-o", "out.brig", "--", "-g.cl")

    def test_places_that_cannot_be_written(self):
        self.assertIn("cannot write", self.heddle("cc", "add.cl", "-o", "missing/out.brig", code=1).stderr)
        self.heddle("cc", "add.cl", "-o", "missing/out.brig", "-save-temps", code=1)

    def test_nothing_is_left_behind(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        self.heddle("cc", "add.cl", "-o", "out.brig", env={"TMPDIR": str(scratch)})
        self.heddle("cc", "wrong.cl", env={"TMPDIR": str(scratch)}, code=1)
        self.assertEqual(list(scratch.iterdir()), [])

    def test_save_temps_spare_the_input(self):
        text = "define amdgpu_kernel void @k() {\n  ret void\n}\n"
        (self.folder / "k.bc").write_text(text, encoding="utf-8")
        self.assertIn("would write k.bc, which is a source", self.heddle("cc", "k.bc", "-save-temps", code=2).stderr)
        self.assertEqual((self.folder / "k.bc").read_text(encoding="utf-8"), text)

    # ---- what is not installed ----

    def test_clang_is_missing(self):
        done = self.heddle("cc", "add.cl", env={"HEDDLE_CLANG": "/nonexistent"}, code=1)
        self.assertIn("HEDDLE_CLANG names /nonexistent, which cannot be executed: No such file or directory", done.stderr)
        done = self.heddle("cc", "add.cl", env={"HEDDLE_CLANG": str(self.folder)}, code=1)
        self.assertIn("cannot be started", done.stderr)
        self.assertIn("something that the compiler needs is not installed", done.stderr)

    def test_the_compiler_is_missing(self):
        for words in (["cc", "add.cl"], ["check", "add.cl"], ["run", "add.cl", "--grid", "1"]):
            done = self.heddle(*words, env={"HEDDLE_COMPILER": "/nonexistent/library.so"}, code=1)
            self.assertIn("the compiler is not installed (/nonexistent/library.so): install the package heddle-compiler", done.stderr)
        broken = self.folder / "broken.so"
        broken.write_text("broken", encoding="utf-8")
        self.assertIn("cannot be opened", self.heddle("cc", "add.cl", env={"HEDDLE_COMPILER": str(broken)}, code=1).stderr)

    def test_commands_that_need_no_compiler_do_not_open_it(self):
        (self.folder / "k.hsail").write_text("module &m:1:0:$full:$large:$default;\nprog kernel &k() { ret; };\n", encoding="utf-8")
        self.heddle("check", "k.hsail", env={"HEDDLE_COMPILER": "/nonexistent"})

    # ---- messages ----

    def test_verbose_names_the_command(self):
        done = self.heddle("cc", "-v", "add.cl", "-DX=a b")
        self.assertRegex(done.stderr, r"note: running \S*clang\S* .*amdgcn-amd-amdhsa.* '-DX=a b' ")

    def test_colours_on_terminals_only(self):
        master, slave = pty.openpty()
        done = subprocess.run([HEDDLE, "cc", "wrong.cl"], stderr=slave, check=False, cwd=self.folder,
                              env={name: value for name, value in {**os.environ, "TERM": "xterm"}.items() if name != "NO_COLOR"})
        os.close(slave)
        text = os.read(master, 65536).decode()
        os.close(master)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(text, "\033\\[[0-9;]*m")
        self.assertNotIn("\033", self.heddle("cc", "wrong.cl", code=1).stderr)

    def test_help_lists_what_the_library_takes(self):
        text = self.heddle("cc", "--help").stdout
        self.assertEqual(text, self.heddle("cc", "-h").stdout)
        options = re.findall(r"^  (-[^ ,]+)(?:,\S+)?(?: (\S+))?", text.partition("Options:\n")[2], re.MULTILINE)
        self.assertGreater(len(options), 15)
        values = {"-x": "cl", "-O": "1", "-D": "A", "-U": "A", "-I": ".", "-include": "add.cl", "-cl-std=": "CL3.0", "-W": "all",
                  "-f": "fast-math", "-Xclang": "-w", "-o": "out.brig", "--rocm-path=": "/usr"}
        for name, value in options:
            if name in ("-h", "--help"):
                continue
            word = [] if not value else [name, values[name]] if name in ("-x", "-o", "-include", "-Xclang") else [name + values[name]]
            self.heddle("cc", *word or [name], "scale.cl", *([] if name == "-o" else ["-o", "out.brig"]))

    # ---- the other commands ----

    def test_run_compiles_and_runs(self):
        for agent in ("cpu", "interpreter"):
            done = self.heddle("run", "add.cl", "--kernel", "add", "--agent", agent, "--grid", 1000, "--group", 100, "--arg",
                               "f32:iota*1000", "--arg", "f32:0.5*1000", "--arg", "f32*1000=out.npy", "--arg", "u32:1000",
                               env={"HEDDLE_AGENTS": "cpu,interpreter"})
            self.assertIn("&add", done.stdout)
            data = (self.folder / "out.npy").read_bytes()
            values = array.array("f", data[-4000:])
            self.assertEqual([i + 0.5 for i in range(1000)], list(values))

    def test_mathematics_of_hip_are_exact(self):
        (self.folder / "power.hip").write_text("""extern "C" __attribute__((global)) void power(float* x) {
  float* p = x + __builtin_amdgcn_workitem_id_x();
  *p = __builtin_powf(__builtin_expf(*p), 1.5f) + __builtin_sinf(*p);
}
""", encoding="utf-8")
        self.heddle("run", "power.hip", "--cc=-nogpuinc", "--grid", 16, "--group", 16, "--arg", "f32:iota*16=out.raw",
                    env={"HEDDLE_AGENTS": "interpreter", "HEDDLE_WAVESIZE": "32"})
        values = array.array("f", (self.folder / "out.raw").read_bytes())
        self.assertEqual(len(values), 16)
        for x, value in enumerate(values):
            expected = math.exp(x) ** 1.5 + math.sin(x)
            self.assertLess(abs(value - expected), 1e-6 * expected, f"for {x}")

    def test_options_of_the_compiler(self):
        for factor in (2, 5):
            words = [] if factor == 2 else [f"--cc=-DFACTOR={factor}"]
            done = self.heddle("run", "scale.cl", *words, "--grid", 16, "--arg", "s32:iota*16", "--arg", "s32*16=out.raw")
            self.assertIn("&scale", done.stdout)
            data = (self.folder / "out.raw").read_bytes()
            self.assertEqual([int.from_bytes(data[4 * i:4 * i + 4], "little") for i in range(16)], [factor * i for i in range(16)])
        self.assertIn("there is no option", self.heddle("check", "scale.cl", "--cc=--wrong", code=1).stderr)

    def test_kernels_print(self):
        (self.folder / "print.cl").write_text("""kernel void hello(global int* p) {
  const int i = get_global_id(0);
  printf("item %d of %s: %v2d %.2f\\n", i, "four", (int2)(i, -i), i / 2.0f);
  p[i] = i;
}
""", encoding="utf-8")
        for agent in ("cpu", "interpreter"):
            done = self.heddle("run", "print.cl", "--agent", agent, "--grid", 4, "--repeat", 2, "--arg", "s32*4",
                               env={"HEDDLE_AGENTS": "cpu,interpreter"})
            lines = [line for line in done.stdout.splitlines() if line.startswith("item")]
            self.assertEqual(sorted(lines), sorted(2 * [f"item {i} of four: {i},{-i} {i / 2:.2f}" for i in range(4)]))
        (self.folder / "much.cl").write_text("""kernel void much(global int* p) {
  for (int i = 0; i < 1000; ++i) printf("a line that is long enough to fill the buffer %d\\n", i);
  p[get_global_id(0)] = 1;
}
""", encoding="utf-8")
        done = self.heddle("run", "much.cl", "--grid", 1024, "--arg", "s32*1024")
        lines = done.stdout.count("a line that")
        self.assertIn(f"{1024 * 1000 - lines} calls of printf were lost", done.stderr)
        self.assertGreater(lines, 1000)

    def test_kernels_count_what_they_print_if_they_look(self):
        count, count_without_floats = "&__heddle_printf_result(", "&__heddle_printf_result_without_floats("
        for call, expected in (('printf("%d", *x)', set()), ('*x = printf("%d %s", *x, "efg")', {count_without_floats}),
                               ('*x = printf("%-+5.1f", 0.5)', {count}), ('*x = printf(text, *x)', {count}),
                               ('*x = printf("%d", *x) + printf("%lg", 0.5)', {count, count_without_floats})):
            (self.folder / "count.hip").write_text("""extern "C" __attribute__((device)) int printf(const char*, ...);
__attribute__((global)) void k(int* x, const char* text) { %s; }
""" % call, encoding="utf-8")
            for level in ("-O0", "-O2"):
                text = self.heddle("cc", level, "-nogpuinc", "-S", "count.hip", "-o", "-").stdout
                self.assertEqual({name for name in (count, count_without_floats) if "call " + name in text}, expected, call)
                self.assertEqual("_Z5isnand" in text, count in expected and level == "-O0", "code for floating-point numbers")

    def agents_with_waves(self):
        """The agents that can execute waves of 32 work-items."""
        known = self.heddle("info", env={"HEDDLE_AGENTS": "cpu,interpreter"}).stdout
        return ("cpu", "interpreter") if "x86-64-v3:w32" in known else ("interpreter",)

    def test_assertions_print_and_end_the_dispatch(self):
        (self.folder / "check.hip").write_text("""extern "C" {
__attribute__((device)) void __assert_fail(const char*, const char*, unsigned, const char*);
__attribute__((device)) unsigned long __ockl_fprintf_stderr_begin();
__attribute__((device)) unsigned long __ockl_fprintf_append_string_n(unsigned long, const char*, unsigned long, unsigned);
__attribute__((device)) unsigned long __ockl_fprintf_append_args(unsigned long, unsigned, unsigned long, unsigned long, unsigned long,
                                                               unsigned long, unsigned long, unsigned long, unsigned long, unsigned);
__attribute__((global)) void check(int* x) {
  const int i = __builtin_amdgcn_workitem_id_x();
  if (i > 2 && x[i] != i) __assert_fail("x[i] == i", "check.hip", 42, "check");
  x[i] = 1;
}
__attribute__((global)) void talk(int* x) {
  unsigned long message = __ockl_fprintf_stderr_begin();
  message = __ockl_fprintf_append_string_n(message, "%s is %d or %d\\n", 16, 0);
  message = __ockl_fprintf_append_string_n(message, "it", 3, 0);
  __ockl_fprintf_append_args(message, 2, x[__builtin_amdgcn_workitem_id_x()], -1ul, 0, 0, 0, 0, 0, 1);
}
}
""", encoding="utf-8")
        env = {"HEDDLE_AGENTS": "cpu,interpreter", "HEDDLE_CPU_ISA": "heddle:x86-64-v3:w32", "HEDDLE_WAVESIZE": "32"}
        for agent in self.agents_with_waves():
            for level in ("-O0", "-O2"):
                words = ["--cc=-nogpuinc", f"--cc={level}", "--agent", agent, "--grid", 8, "--group", 8]
                done = self.heddle("run", "check.hip", "--kernel", "check", *words, "--arg", "s32:iota*8", env=env)
                self.assertNotIn("assertion", done.stdout)
                done = self.heddle("run", "check.hip", "--kernel", "check", *words, "--arg", "s32:0*8", env=env, code=1)
                self.assertIn("check.hip:42: check: assertion `x[i] == i' failed\n", done.stdout)
                done = self.heddle("run", "check.hip", "--kernel", "talk", *words, "--arg", "s32:iota*8", env=env)
                self.assertIn("it is 5 or -1\n", done.stdout)

    def test_group_memory_has_initial_values(self):
        (self.folder / "group.ll").write_text("""target triple = "amdgcn-amd-amdhsa"
@numbers = internal addrspace(3) global [4 x i32] [i32 5, i32 6, i32 7, i32 9]
@zeros = internal addrspace(3) global [100 x i32] zeroinitializer
declare i32 @__hsail_workitemabsid_u32(i32)
declare void @__hsail_barrier() convergent
define internal i32 @number(i32 %i) noinline {
  %at = and i32 %i, 3
  %place = getelementptr i32, ptr addrspace(3) @numbers, i32 %at
  %value = load i32, ptr addrspace(3) %place
  ret i32 %value
}
define amdgpu_kernel void @group(ptr addrspace(1) %out) {
  %i = call i32 @__hsail_workitemabsid_u32(i32 0)
  %first = call i32 @number(i32 %i)
  %place = getelementptr i32, ptr addrspace(3) @zeros, i32 %i
  %second = load i32, ptr addrspace(3) %place
  %sum = add i32 %first, %second
  store i32 77, ptr addrspace(3) %place
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %sum, ptr addrspace(1) %to
  ret void
}
""", encoding="utf-8")
        for agent in ("cpu", "interpreter"):
            self.heddle("run", "group.ll", "--agent", agent, "--grid", 64, "--group", 32, "--arg", "s32*64=out.raw",
                        env={"HEDDLE_AGENTS": "cpu,interpreter"})
            values = array.array("i", (self.folder / "out.raw").read_bytes())
            self.assertEqual(list(values), 16 * [5, 6, 7, 9])

    def test_modules_keep_their_formats_apart(self):
        for name in ("first", "second"):
            (self.folder / f"{name}.cl").write_text(f"""kernel void {name}(global int* p) {{
  printf("{name} %d\\n", p[get_global_id(0)]);
}}
""", encoding="utf-8")
            self.heddle("cc", f"{name}.cl", "-o", f"{name}.brig")
        self.heddle("finalize", "first.brig", "second.brig", "-o", "both.hco")
        for name in ("first", "second"):
            done = self.heddle("run", "both.hco", "--kernel", name, "--grid", 1, "--arg", "s32:iota*1")
            self.assertIn(f"{name} 0\n", done.stdout)

    def test_kernels_allocate_memory(self):
        (self.folder / "heap.hip").write_text("""extern "C" {
__attribute__((device)) void* malloc(unsigned long);
__attribute__((device)) void free(void*);
// Each work-item writes its blocks and finds them as it left them, again and again, so that the heap must be used again.
__attribute__((global)) void heap(int* x) {
  const int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  int wrong = 0;
  for (int round = 0; round < 40; ++round) {
    int* blocks[3];
    for (int b = 0; b < 3; ++b) {
      const int count = 1 + (i * 7 + b * 50 + round) % 300;
      blocks[b] = (int*)malloc(count * 4);
      if (blocks[b] == nullptr || ((unsigned long)blocks[b] & 15) != 0) { x[i] = 1000000; return; }
      for (int k = 0; k < count; ++k) blocks[b][k] = i * 1000 + b * 100 + k;
    }
    for (int b = 2; b >= 0; --b) {
      const int count = 1 + (i * 7 + b * 50 + round) % 300;
      for (int k = 0; k < count; ++k) wrong += blocks[b][k] != i * 1000 + b * 100 + k;
      free(blocks[b]);
    }
  }
  free(nullptr);
  if (malloc(1ul << 30) != nullptr) ++wrong;
  x[i] = wrong;
}
}
""", encoding="utf-8")
        for agent in self.agents_with_waves():
            done = self.heddle("run", "heap.hip", "--cc=-nogpuinc", "--agent", agent, "--grid", 256, "--group", 64,
                               "--arg", "s32:7*256=out.raw",
                               env={"HEDDLE_AGENTS": "cpu,interpreter", "HEDDLE_CPU_ISA": "heddle:x86-64-v3:w32", "HEDDLE_WAVESIZE": "32"})
            self.assertIn("&heap", done.stdout)
            self.assertEqual((self.folder / "out.raw").read_bytes(), bytes(1024))

    def test_check_and_finalize(self):
        self.assertEqual(self.heddle("check", "add.cl", "scale.cl").stdout, "add.cl: correct\nscale.cl: correct\n")
        self.assertIn("wrong.cl:2:8: error", self.heddle("check", "wrong.cl", code=1).stderr)
        self.heddle("finalize", "add.cl", "scale.cl", "-o", "out.hco")
        done = self.heddle("run", "out.hco", "--kernel", "scale", "--grid", 4, "--arg", "s32:iota*4", "--arg", "s32*4")
        self.assertIn("&scale", done.stdout)

    def test_debug_shows_the_source(self):
        (self.folder / "script").write_text("break scale.cl:5\ncontinue\nquit\n", encoding="utf-8")
        done = self.heddle("debug", "scale.cl", "-x", "script", "--grid", 4, "--arg", "s32:iota*4", "--arg", "s32*4", code=1)
        self.assertRegex(done.stdout + done.stderr, r"(?m)^breakpoint 1: scale\.cl:5$")
        self.assertRegex(done.stdout, r"(?m)^work-item \(0, 0, 0\), &scale\n")  # arguments are loaded before the first line
        self.assertRegex(done.stdout, r"(?m)^work-item \(0, 0, 0\), &scale, .*scale\.cl:5\n")

    def test_worked_example_of_the_documents(self):
        lines = Path(os.environ["HEDDLE_SOURCE"], "docs/languages.md").read_text(encoding="utf-8").splitlines()

        def block(first: str) -> str:
            start = next(i for i, line in enumerate(lines) if line.startswith("    " + first))
            rest = lines[start:]
            length = next((i for i, line in enumerate(rest) if not line.startswith("    ")), len(rest))
            return "".join(line[4:] + "\n" for line in rest[:length])

        (self.folder / "vector_add.cl").write_text(block("kernel void vector_add"), encoding="utf-8")
        self.heddle("cc", "vector_add.cl", "-o", "vector_add.hsail")
        written, position = (self.folder / "vector_add.hsail").read_text(encoding="utf-8"), 0
        for part in block("module &vector_add.cl").split("    ...\n"):
            self.assertIn(part, written[position:])
            position = written.index(part, position) + len(part)
        self.assertEqual(position, len(written))


if __name__ == "__main__":
    unittest.main()
