#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `heddle debug` with scripts of commands. Checks what each prints, and that the kernel then ends as it should."""
from __future__ import annotations

import os
import pty
import select
import subprocess
import tempfile
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
COMPLETES = os.environ.get("HEDDLE_TEST_EDITLINE") == "1"

PROGRAM = """module &t:1:2:$full:$large:$default;
function &twice(arg_u32 %r)(arg_u32 %n)
{
  ld_arg_u32 $s0, [%n];
  add_u32 $s0, $s0, $s0;
  st_arg_u32 $s0, [%r];
};
prog kernel &k(kernarg_u64 %out, kernarg_u32 %add)
{
  group_u32 %shared[4];
  workitemabsid_u32 $s0, 0;
  ld_kernarg_u64 $d0, [%out];
  ld_kernarg_u32 $s1, [%add];
  {
    arg_u32 %x; arg_u32 %y;
    st_arg_u32 $s0, [%y];
    call &twice(%x)(%y);
    ld_arg_u32 $s2, [%x];
  }
  workitemid_u32 $s3, 0;
  shl_u32 $s3, $s3, 2;
  st_group_u32 $s0, [%shared][$s3];
  barrier;
@sum:
  add_u32 $s2, $s2, $s1;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 2;
  add_u64 $d1, $d0, $d1;
  st_global_u32 $s2, [$d1];
  ret;
};
"""


def line_of(text: str) -> int:
    return 1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if text in line)


CALL, SUM, BODY = line_of("call &twice"), line_of("add_u32 $s2"), line_of("add_u32 $s0, $s0")
RIGHT = "[7, 9, 11, 13, ...]"


class Debug(unittest.TestCase):
    def debug(self, *commands: str, wave: str = "1", script: bool = False, options: tuple[str, ...] = ()) -> str:
        result = self.run_debugger(*commands, wave=wave, script=script, options=options)
        return result.stdout + result.stderr

    def run_debugger(self, *commands: str, wave: str = "1", script: bool = False,
                     options: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory(prefix="heddle-debug-") as folder:
            (Path(folder) / "t.hsail").write_text(PROGRAM)
            text = "\n".join(commands) + "\n"
            (Path(folder) / "script").write_text(text)
            return subprocess.run(
                [HEDDLE, "debug", "t.hsail", *options, "--kernel", "k", *(("-x", "script") if script else ()), "--grid", "8", "--group",
                 "4", "--arg", "u32*8", "--arg", "u32:7"], cwd=folder, input="" if script else text, capture_output=True,
                check=False, text=True, env={**os.environ, "HEDDLE_WAVESIZE": wave, "HEDDLE_LOG": "warning"})

    def expect(self, output: str, *words: str):
        at = 0
        for word in words:
            found = output.find(word, at)
            self.assertGreaterEqual(found, 0, f"{word!r} not found in order in:\n{output}")
            at = found + len(word)

    def test_starts_with_a_stop_and_runs_to_the_end(self):
        self.expect(self.debug("continue"), "work-item (0, 0, 0), &k, t.hsail:11", "workitemabsid_u32", "complete", RIGHT)

    def test_a_line_of_one_work_item(self):
        self.expect(self.debug(f"break t.hsail:{SUM} if 5", "c", "print $s0", "p $s2", "p $d9", "info item", "step", "print $s2",
                               "c", script=True),
                    f"breakpoint 1: t.hsail:{SUM} if 5", f"work-item (5, 0, 0), &k, t.hsail:{SUM}", "$s0 = 0x00000005  u32 5",
                    "$s2 = 0x0000000a", "no register $d9 in &k", "workgroupid (1, 0, 0)", "$s2 = 0x00000011  u32 17", RIGHT)

    def test_step_goes_into_calls_and_finish_out(self):
        self.expect(self.debug(f"break {CALL}", "c", "step", "backtrace", "finish", "print $s0", "delete", "c"),
                    f"t.hsail:{CALL}", "&twice, t.hsail:4", "#0 &twice t.hsail:4", f"#1 &k t.hsail:{CALL}", "&k, t.hsail:18",
                    "$s0 = 0x00000000", RIGHT)

    def test_next_goes_over_calls(self):
        output = self.debug(f"break {CALL} if 0", "c", "next", "c")
        self.expect(output, f"t.hsail:{CALL}", "&k, t.hsail:18", RIGHT)
        self.assertNotIn("&twice, t.hsail", output)

    def test_labels_and_functions(self):
        self.expect(self.debug("break @sum if 2", "break &twice if 3", "c", "c", "c"),
                    "breakpoint 2: &twice if 3", "work-item (3, 0, 0), &twice, t.hsail:4", "breakpoint 1: @sum if 2",
                    f"work-item (2, 0, 0), &k, t.hsail:{SUM}", RIGHT)

    def test_watch_and_memory(self):
        self.expect(self.debug("watch group 8", "watch $s1", "c", "c", "memory group 0 4", "x group 9999999", "delete", "c"),
                    "watching group 8: 0x00000000", "watching $s1", "$s1: ", "-> 0x00000007  u32 7",
                    "group 8: 0x00000000 -> 0x00000002", "0x0: 0x00000000", "0x4: 0x00000001", "0x8: 0x00000002",
                    "no memory at group 0x9896", RIGHT)

    def test_the_group(self):
        self.expect(self.debug("break @sum if 0", "c", "info work-items", "info waves", "item 3", "list", "info breakpoints", "c"),
                    f"* work-item (0, 0, 0): ready, line {SUM}", "work-item (3, 0, 0): ready", "wave 3: work-items 3 to 3",
                    "work-item (3, 0, 0), &k", "$s0 = 0x00000003", f">  {SUM}  ", "1 @sum if 0", RIGHT)

    def test_barriers(self):
        self.expect(self.debug("break 23 if 3", "c", "info barriers", "c"), "work-item (3, 0, 0)",
                    "work-item (0, 0, 0): at a barrier", "work-item (2, 0, 0): at a barrier", RIGHT)

    def test_waves_of_lanes(self):
        self.expect(self.debug("break @sum if 6", "c", "info waves", "print $s0", "c", wave="4"),
                    "work-item (6, 0, 0), &k", "wave 0: work-items 0 to 3", "$s0 = 0x00000006", RIGHT)

    def test_quit_ends_the_dispatch(self):
        self.expect(self.debug("quit"), "the dispatch ends: stopped by the debugger")
        self.expect(self.debug("quit"), "INTERPRETER-stopped")

    def test_wrong_commands_say_what_is_right(self):
        self.expect(self.debug("fly", "break", "break 0", "watch $q7", "memory", "delete 4", "item 77", "info", "c"),
                    "unknown command 'fly'", "break [FILE:]LINE", "break [FILE:]LINE", "no register $q7", "memory SEGMENT",
                    "no breakpoint 4", "the group has no work-item 77", "info registers", RIGHT)

    def test_disassemble(self):
        self.expect(self.debug(f"break {SUM} if 0", "c", "disassemble 2", "dis 1000", "disassemble x", "c"),
                    "barrier;", "@sum:", "=> ", "add_u32 $s2, $s2, $s1;", "cvt_u64_u32 $d1, $s0;", "shl_u64 $d1, $d1, 2;",
                    "group_u32 %shared[4];", "=> ", "ret;", "disassemble [LINES", RIGHT)

    def test_batch_runs_a_script_and_its_end(self):
        result = self.run_debugger(f"break {SUM} if 3", "", "c", "print $s0", script=True, options=("--batch",))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.expect(result.stdout, "$s0 = 0x00000003", RIGHT)
        self.assertNotIn("(heddle)", result.stdout)

    def test_batch_fails_where_a_command_is_wrong(self):
        for commands in (("print $s77", "c"), ("fly", "c"), ("break 0", "c"), ("memory group 99999999", "c"), ("quit",)):
            for script in (False, True):
                with self.subTest((commands, script)):
                    result = self.run_debugger(*commands, script=script, options=("--batch",))
                    self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                    self.assertIn("stopped by the debugger", result.stdout)

    def test_a_script_that_is_not_there(self):
        self.assertEqual(self.run_debugger(options=("-x", "nothing")).returncode, 1)

    def test_terminal(self):
        """A prompt, commands, and an empty line that repeats; TAB completes if heddle was built with libedit."""
        with tempfile.TemporaryDirectory(prefix="heddle-debug-") as folder:
            (Path(folder) / "t.hsail").write_text(PROGRAM)
            (Path(folder) / "script").write_text("print $s1\n")
            master, slave = pty.openpty()
            process = subprocess.Popen(
                [HEDDLE, "debug", "t.hsail", "--kernel", "k", "-x", "script", "--grid", "8", "--group", "4", "--arg", "u32*8",
                 "--arg", "u32:7"], cwd=folder, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                env={**os.environ, "TERM": "dumb"})
            os.close(slave)
            seen = ""

            def wait_for(text: str):
                nonlocal seen
                while text not in seen:
                    self.assertTrue(select.select([master], [], [], 60)[0], seen)
                    try:
                        seen += os.read(master, 4096).decode()
                    except OSError:  # the other end is closed
                        self.assertIn(text, seen)
                seen = seen[seen.find(text) + len(text):]

            wait_for("$s1 = 0x00000000")
            wait_for("(heddle) ")
            os.write(master, b"step\n")
            wait_for("t.hsail:12")
            wait_for("(heddle) ")
            os.write(master, b"\n")
            wait_for("t.hsail:13")
            wait_for("(heddle) ")
            if COMPLETES:
                os.write(master, b"info bre\t\n")
                os.write(master, b"break @s\t\n")
                wait_for("breakpoint 1 at @sum")
                wait_for("(heddle) ")
            os.write(master, b"delete\nc\n")
            wait_for("the dispatch is complete")
            wait_for(RIGHT)
            process.wait()
            os.close(master)
            self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
