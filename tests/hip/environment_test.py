#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests of hip_test with the environment variables that the library of HIP knows, and looks at its messages."""
import os
import re
import subprocess
import sys
import unittest

HIP_TEST = os.environ["HIP_TEST"]
# One test that launches, copies, fills, waits for events and allocates; one that resets; one with large arguments and full queues.
BUSY = "Capture.TakesWorkInsteadOfDoingIt:Graph.JoinsBranches:Stream.WaitsForAnEventOfAnother:Graph.OfMoreKernelsThanAQueueHolds:Fault.*"
# The bits of AMD_LOG_MASK, with a message of each.
SUBJECTS = {
    0x1: ("api", r"hipMalloc \("),
    0x2: ("cmd", r"launches "),
    0x4: ("wait", r"waits for packet \d+ of queue"),
    0x8: ("aql", r"dispatch of 0x\w+: grid 1 x 1 x 1"),
    0x10: ("queue", r"created queue"),
    0x20: ("sig", r"created signal 0x"),
    0x40: ("lock", r"took the lock"),
    0x80: ("kern", r"launched "),
    0x100: ("copy", r"copies \d+ bytes"),
    0x200: ("copy2", r"copy of kind 2, pageable, the host waits"),
    0x800: ("init", r"found device "),
    0x1000: ("misc", r"resets a device"),
    0x2000: ("aql2", r"packet \d+: (\w{8} ){15}\w{8}$"),
    0x4000: ("code", r"finalized \d+ modules"),
    0x8000: ("cmd2", r"lets queue \d+ wait for \d+ markers"),
    0x20000: ("mem", r"allocated \d+ bytes"),
}


def run(filter: str, **environment: str) -> subprocess.CompletedProcess:
    result = subprocess.run([HIP_TEST, f"--gtest_filter={filter}"], capture_output=True, text=True, check=False, timeout=120,
                            env={**os.environ, **environment})
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def messages(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("hip:")]


class Log(unittest.TestCase):
    def test_each_subject(self):
        for bit, (name, pattern) in SUBJECTS.items():
            with self.subTest(name):
                lines = messages(run(BUSY, AMD_LOG_LEVEL="4", AMD_LOG_MASK=hex(bit)).stderr)
                self.assertTrue(lines, "no message")
                self.assertEqual({re.match(r"hip:\w: \[(\w+)\]", line).group(1) for line in lines}, {name})
                self.assertTrue(any(re.search(pattern, line) for line in lines), lines[:5])

    def test_resource(self):
        """The kernels of the test wait until its input ends, which it does when the queue has become full."""
        with subprocess.Popen([HIP_TEST, "--gtest_filter=Stream.WaitsWhileItsQueueIsFull"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "AMD_LOG_LEVEL": "4", "AMD_LOG_MASK": "0x400"}) as process:
            full = False
            for line in process.stderr:
                self.assertRegex(line, r"^hip:\w: \[resource\]")
                if not full and re.search(r"queue \d+ (is full|has all memory for arguments in use)", line):
                    full = True
                    process.stdin.close()
        self.assertTrue(full)
        self.assertEqual(process.returncode, 0)

    def test_place(self):
        plain = messages(run(BUSY, AMD_LOG_LEVEL="3", AMD_LOG_MASK="0x800").stderr)
        placed = messages(run(BUSY, AMD_LOG_LEVEL="3", AMD_LOG_MASK="0x10800").stderr)
        self.assertFalse(any(".cpp:" in line for line in plain))
        self.assertTrue(all(re.search(r"\(\w+\.cpp:\d+\)$", line) for line in placed), placed)

    def test_levels(self):
        self.assertEqual(messages(run(BUSY, AMD_LOG_LEVEL="0").stderr), [])
        for level, letters in (("1", "E"), ("2", "EW"), ("3", "EWI"), ("4", "EWID")):
            found = {line[4] for line in messages(run(f"{BUSY}:Launch.Refuses*", AMD_LOG_LEVEL=level).stderr)}
            self.assertLessEqual(found, set(letters))
            self.assertIn("E", found)
            if level in "34":
                self.assertIn(letters[-1], found)


class DeferredLoading(unittest.TestCase):
    """Of the module's 48 kernels, three are launched."""

    def lines(self, **environment: str) -> list[str]:
        result = run("Deferred.KernelsShareTheVariablesOfTheirModule", AMD_LOG_LEVEL="3", AMD_LOG_MASK="0x4000",
                     HEDDLE_LOG="info,code", **environment)
        return result.stderr.splitlines()

    def finalizations(self, lines: list[str]) -> int:
        return sum(1 for line in lines if re.search(r"is finalized for heddle:", line))

    def test_kernels_are_finalized_when_launched(self):
        lines = self.lines()
        self.assertEqual(sum(1 for line in lines if re.search(r"the code of \S*step\S* is ready", line)), 3)
        self.assertEqual(self.finalizations(lines), 4, "the module, and each kernel")

    def test_modules_are_finalized_at_once_if_asked_for(self):
        self.assertEqual(self.finalizations(self.lines(HIP_ENABLE_DEFERRED_LOADING="0")), 1)


class Serialize(unittest.TestCase):
    """Between a launch and the next call the log shows whether the host waits."""

    def events(self, **environment: str) -> list[str]:
        lines = messages(run("Graph.NodesAreReadAndChanged:Stream.MayUseFewComputeUnits", AMD_LOG_LEVEL="4", AMD_LOG_MASK="0x8c", **environment).stderr)
        return ["wait" if "[wait]" in line else "aql" for line in lines if "[wait]" in line or "dispatch of" in line]

    def count(self, before: bool, events: list[str]) -> tuple[int, int]:
        dispatches = [i for i, event in enumerate(events) if event == "aql"]
        near = [i - 1 if before else i + 1 for i in dispatches]
        return sum(0 <= i < len(events) and events[i] == "wait" for i in near), len(dispatches)

    def test_before(self):
        found, dispatches = self.count(True, self.events(AMD_SERIALIZE_KERNEL="1"))
        self.assertEqual(found, dispatches)

    def test_after(self):
        for environment in ({"AMD_SERIALIZE_KERNEL": "2"}, {"HIP_LAUNCH_BLOCKING": "1"}):
            found, dispatches = self.count(False, self.events(**environment))
            self.assertEqual(found, dispatches)

    def test_both(self):
        once = self.events(AMD_SERIALIZE_KERNEL="2").count("wait")
        events = self.events(AMD_SERIALIZE_KERNEL="3")
        self.assertEqual(self.count(True, events)[0], self.count(False, events)[1])
        self.assertGreater(events.count("wait"), once)

    def test_copies(self):
        for filter in ("Copy.InAStreamIsInItsOrder:Graph.JoinsBranches", "Copy.OfRowsInAStreamIsInItsOrder"):
            def waits(**environment: str) -> int:
                # What happens when streams and memory are released depends on whether work was complete before.
                lines = messages(run(filter, AMD_LOG_LEVEL="4", AMD_LOG_MASK="0x5", **environment).stderr)
                count, submits = 0, False
                for line in lines:
                    if "[api]" in line and "returned" not in line:
                        submits = "Async (" in line or "hipGraphLaunch (" in line or (submits and "hipLaunchKernel (" in line)
                    count += submits and "[wait]" in line
                return count
            with self.subTest(filter):
                plain, before, both = waits(), waits(AMD_SERIALIZE_COPY="1"), waits(AMD_SERIALIZE_COPY="3")
                self.assertGreater(before, plain)
                self.assertGreater(both, before)


class Values(unittest.TestCase):
    def test_queues(self):
        def queues(**environment: str) -> int:
            text = run("Stream.SharesQueuesIfThereAreMoreStreams", AMD_LOG_LEVEL="3", AMD_LOG_MASK="0x10", **environment).stderr
            return text.count("created queue")
        self.assertEqual(queues(), 4)
        self.assertEqual(queues(GPU_MAX_HW_QUEUES="1"), 1)
        self.assertEqual(queues(GPU_MAX_HW_QUEUES="2"), 2)

    def test_bad_values(self):
        for variable, value in (("AMD_LOG_LEVEL", "5"), ("AMD_LOG_MASK", "all"), ("AMD_SERIALIZE_KERNEL", "4"),
                                ("AMD_SERIALIZE_COPY", "-1"), ("HIP_LAUNCH_BLOCKING", "2"), ("GPU_MAX_HW_QUEUES", "0"), ("HIP_ENABLE_DEFERRED_LOADING", "2"),
                                ("GPU_MAX_HW_QUEUES", "99999999999999999999"), ("HIP_VISIBLE_DEVICES", "0,x")):
            with self.subTest(f"{variable}={value}"):
                lines = messages(run("Launch.CollectsArgumentsOneByOne", **{variable: value}).stderr)
                self.assertEqual(len(lines), 1, lines)
                self.assertIn(f"{variable}={value}", lines[0])

    def test_good_values(self):
        for variable, value in (("AMD_LOG_MASK", "0xffffffff"), ("GPU_MAX_HW_QUEUES", ""), ("CUDA_VISIBLE_DEVICES", "0")):
            with self.subTest(f"{variable}={value}"):
                self.assertEqual(messages(run("Launch.CollectsArgumentsOneByOne", **{variable: value}).stderr), [])


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
