#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HEDDLE_LOG: each subject has messages, and shows no others; levels and subjects together; what wrong values do."""
from __future__ import annotations

import os
import re
import subprocess
import unittest
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
WORK = os.environ["OBSERVED_WORK"]
KERNELS = Path(os.environ["HEDDLE_SOURCE"]) / "examples/kernels"
LINE = re.compile(r"^heddle: ([\w-]+): (error|warning|info|debug): (?:(\w+): )?(.*)$")
RUN = [HEDDLE, "run", str(KERNELS / "vector_add.hsail"), "--grid", "1000", "--group", "100", "--arg", "f32*1000",
       "--arg", "f32:iota*1000", "--arg", "f32:2.5*1000", "--arg", "u32:1000"]
EXAMPLE = [os.environ["HEDDLE_EXAMPLES"], "--small", "vector_add"]

# For each subject: the level, the program, and what some of its messages say.
SUBJECTS = {
    "api": ("debug", [WORK], [r"hsa_queue_create: status 0x0 after [\d.]+ us", "hsa_init: status 0x0", "hsa_shut_down: status 0x0"]),
    "command": ("debug", [WORK], ["queue_new to agent '", "queue_new of agent '.*' was answered HSAM_Done"]),
    "wait": ("debug", [WORK], [r"signal 0x\w+ has value 0 after a wait of", r"packet 0: waits for \d signals", r"packet 0: is complete after a wait"]),
    "aql": ("debug", [WORK], [r"queue \d+, packet 0: barrier AND, header 0x1403 \(barrier 0, acquire 2, release 2\), completion signal 0x\w+"]),
    "queue": ("info", [WORK], [r"queue \d+ of agent '.*' is created: 64 packets", r"queue \d+ becomes inactive", r"queue \d+ is destroyed after 1 packets"]),
    "signal": ("debug", [WORK], [r"signal 0x\w+ is created, value 1", r"signal 0x\w+ is destroyed"]),
    "kernel": ("debug", RUN, [r"kernel object 0x\w+, grid 1000 x 1 x 1, group 100 x 1 x 1, 10 groups", r"kernel ended after [\d.]+ us, planned for \d+ threads, status 0x0"]),
    "copy": ("debug", [WORK], [r"65536 bytes from 0x\w+ to 0x\w+: status 0x0", r"a copy of 65536 bytes is submitted, which waits for 0 signals"]),
    "resource": ("debug", [WORK], [r"the thread of queue \d+ starts", "the thread of copies starts"]),
    "init": ("info", [WORK], [r"agent 0 is '.*': \d+ compute units", r"the runtime has started with \d+ agents", "the runtime has ended"]),
    "code": ("info", EXAMPLE, [r"a program of 1 modules is finalized for heddle:\S+ in [\d.]+ ms: status 0", r"agent '.*' has loaded a code object of \d+ bytes", "an executable of 2 code objects is frozen: status 0x0"]),
    "memory": ("debug", [WORK], [r"65536 bytes are allocated at 0x\w+ in region \d+", r"the allocation at 0x\w+ is freed", r"65536 bytes at 0x\w+ are registered"]),
}


def log_of(command: list[str], value: str | None) -> list[re.Match]:
    environment = {name: text for name, text in os.environ.items() if name != "HEDDLE_LOG"}
    if value is not None:
        environment["HEDDLE_LOG"] = value
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    lines = [LINE.match(line) for line in done.stderr.splitlines()]
    assert None not in lines, done.stderr
    return lines


class Log(unittest.TestCase):
    def test_each_subject_has_its_messages_and_no_others(self):
        for subject, (level, command, wanted) in SUBJECTS.items():
            with self.subTest(subject):
                lines = log_of(command, f"{level},{subject}")
                self.assertEqual({line[3] for line in lines}, {subject})
                self.assertLessEqual({line[2] for line in lines}, {"info", "debug"} if level == "debug" else {"info"})
                texts = [line[4] for line in lines]
                for pattern in wanted:
                    self.assertTrue(any(re.search(pattern, text) for text in texts), f"no {pattern} in {texts}")

    def test_several_subjects(self):
        lines = log_of([WORK], "debug,aql,queue")
        self.assertEqual({line[3] for line in lines}, {"aql", "queue"})

    def test_subjects_alone_mean_debug(self):
        self.assertEqual({line[2] for line in log_of([WORK], "aql")}, {"debug"})

    def test_levels_without_subjects_show_all_of_them(self):
        info = {line[3] for line in log_of([WORK], "info")}
        self.assertEqual(info, {"init", "queue"})
        debug = {line[3] for line in log_of([WORK], "debug")}
        self.assertLessEqual({"api", "command", "wait", "aql", "queue", "signal", "copy", "resource", "init", "memory"}, debug)

    def test_nothing_is_shown_by_default(self):
        for value in (None, "", "error", "warning", "warning,aql"):
            with self.subTest(value):
                self.assertEqual(log_of([WORK], value), [])

    def test_wrong_values_are_reported_and_mean_error(self):
        for value in ("loud", "info,loud", "aql,info", "info,debug", "info,", ",info", "aql,,queue", "INFO"):
            with self.subTest(value):
                lines = log_of([WORK], value)
                self.assertEqual(len(lines), 1)
                self.assertEqual(lines[0][2], "error")
                self.assertIn(f"HEDDLE_LOG is '{value}', none of error, warning, info, debug", lines[0][0])


class SerialDispatch(unittest.TestCase):
    """What packets do is tested with the packet processor (tests/agents); here, that the setting reaches the agents."""

    def results(self, mode: str | None) -> tuple[str, str]:
        environment = {**os.environ, "HEDDLE_LOG": "warning"}
        environment.pop("HEDDLE_SERIALIZE", None)
        if mode is not None:
            environment["HEDDLE_SERIALIZE"] = mode
        done = subprocess.run(RUN, env=environment, capture_output=True, text=True, check=True)
        return re.sub(r"[\d.]+ [mun]?s\b", "TIME", done.stdout), done.stderr

    def test_results_are_the_same(self):
        checksums = {re.findall(r"[0-9a-f]{16}", self.results(mode)[0])[0:1].__repr__() for mode in (None, "none", "before", "after", "both")}
        self.assertEqual(len(checksums), 1)

    def test_a_wrong_value_is_a_warning(self):
        self.assertIn("HEDDLE_SERIALIZE is none of none, before, after, both", self.results("sometimes")[1])
        self.assertNotIn("HEDDLE_SERIALIZE", self.results("both")[1])

    def test_barriers_between_queues_do_not_hang(self):
        for mode in ("before", "after", "both"):
            subprocess.run([WORK, "shut_down", "100"], env={**os.environ, "HEDDLE_SERIALIZE": mode}, check=True)


if __name__ == "__main__":
    unittest.main()
