#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HEDDLE_TRACE and `heddle trace`: what traces have of a program, in both formats, and what happens at its end."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

from trace_files import Trace, read_json, read_perfetto

HEDDLE = os.environ["HEDDLE"]
WORK = os.environ["OBSERVED_WORK"]
KERNELS = Path(os.environ["HEDDLE_SOURCE"]) / "examples/kernels"
RUN = [HEDDLE, "run", str(KERNELS / "vector_add.hsail"), "--grid", "100000", "--group", "100", "--arg", "f32*100000",
       "--arg", "f32:iota*100000", "--arg", "f32:2.5*100000", "--arg", "u32:100000"]


def summary(trace: Trace) -> dict:
    """What has to be the same in both formats."""
    place = lambda track: (trace.group_of(track), trace.name_of(track))
    return {
        "slices": Counter((place(t), b, e, c, n, json.dumps(a, sort_keys=True)) for t, b, e, c, n, a in trace.slices),
        "instants": Counter((place(t), w, c, n, json.dumps(a, sort_keys=True)) for t, w, c, n, a in trace.instants),
        "counters": Counter((place(t), w, v) for t, w, v in trace.counters),
        "flows": sorted(sorted((w, place(t)) for w, t in points) for points in trace.flows.values()),
    }


class TraceTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name: str) -> Path:
        return Path(self.folder.name) / name

    def traced(self, command: list[str], files: str = "trace.json", check: bool = True, **environment: str):
        paths = ":".join(str(self.path(name)) for name in files.split(":"))
        return subprocess.run(command, env={**os.environ, "HEDDLE_TRACE": paths, **environment}, check=check,
                              capture_output=True, text=True)

    def json(self, name: str = "trace.json") -> Trace:
        trace = read_json(self.path(name).read_text())
        trace.check_nesting()
        return trace


class Contents(TraceTest):
    def test_packets_copies_waits_and_calls(self):
        rounds = 5
        self.traced([WORK, "shut_down", str(rounds)])
        trace = self.json()
        barriers = trace.named("barrier AND")
        self.assertEqual(len(barriers), 2 * rounds)
        self.assertEqual(sorted(s[5]["packet"] for s in barriers), sorted(2 * list(range(rounds))))
        self.assertEqual({trace.name_of(s[0]).split(" (")[0].split()[0] for s in barriers}, {"queue"})
        self.assertTrue(all(trace.group_of(s[0]).startswith("agent ") for s in barriers))
        # Barrier packets wait, on the same track, inside what is their whole life.
        for track, begin, end, *_ in barriers:
            inside = [s for s in trace.slices if s[0] == track and s[3] == "packet" and begin <= s[1] and s[2] <= end]
            self.assertIn("wait for signals", {s[4] for s in inside})
            self.assertEqual(sum(s[2] - s[1] for s in inside), end - begin)
        copies = [s for s in trace.slices if s[3] == "copy"]
        self.assertEqual([(s[4], s[5]["bytes"]) for s in copies], 2 * [("copy 64 KiB", 65536)])
        self.assertEqual(len({s[0] for s in copies}), 2, "one copy is made by the caller, the other one by the runtime's thread")
        calls = Counter(s[4] for s in trace.slices if s[3] == "api")
        for name, count in {"hsa_init": 1, "hsa_shut_down": 1, "hsa_queue_create": 2, "hsa_queue_destroy": 2,
                            "hsa_signal_create": 3 * rounds + 1, "hsa_memory_copy": 1, "hsa_amd_memory_async_copy": 1}.items():
            self.assertEqual(calls[name], count, name)
        self.assertGreaterEqual(len(trace.named("wait for signal")), rounds + 1)
        self.assertIn(65536, {value for _, _, value in trace.counters})

    def test_arrows_lead_from_submissions_to_those_who_wait(self):
        rounds = 5
        self.traced([WORK, "shut_down", str(rounds)])
        trace = self.json()
        submits = [i for i in trace.instants if i[3] == "submit"]
        seen = [i for i in trace.instants if i[3] == "completion seen"]
        self.assertEqual(len(submits), 2 * rounds)
        self.assertEqual(len(seen), rounds, "the host waits for one packet of each round")
        self.assertEqual(len(trace.flows), 2 * rounds)
        for points in trace.flows.values():
            points.sort()
            self.assertIn(points[0], [(i[1], i[0]) for i in submits])
            self.assertIn(points[1], [(s[1], s[0]) for s in trace.named("barrier AND")])
            if len(points) == 3:
                self.assertIn(points[2], [(i[1], i[0]) for i in seen])
        self.assertEqual(sum(len(points) == 3 for points in trace.flows.values()), rounds)

    def test_kernels_by_name_and_compute_unit(self):
        self.traced(RUN)
        trace = self.json()
        kernels = [s for s in trace.slices if s[3] == "kernel"]
        self.assertTrue(kernels)
        self.assertEqual({s[4] for s in kernels}, {"&vector_add"})
        shares = [s for s in trace.slices if s[3] == "compute"]
        self.assertTrue(all(trace.name_of(s[0]).startswith("compute unit ") for s in shares))
        for _, begin, end, _, _, arguments in kernels:
            self.assertEqual(arguments["work-groups"], 1000)
            self.assertEqual(arguments["work-items"], 100000)
            own = [s for s in shares if s[5]["packet"] == arguments["packet"] and begin <= s[1] and s[2] <= end]
            self.assertEqual(sum(s[5]["work-groups"] for s in own), 1000)

    def test_both_formats_say_the_same(self):
        for command in ([WORK, "shut_down", "20"], RUN):
            self.traced(command, "trace.json:trace.pftrace")
            perfetto = read_perfetto(self.path("trace.pftrace").read_bytes())
            perfetto.check_nesting()
            expected, got = summary(self.json()), summary(perfetto)
            for kind in expected:
                self.assertTrue(expected[kind])
                self.assertEqual(got[kind], expected[kind], kind)

    def test_much(self):
        """More records than the buffers hold; none is missing."""
        rounds = 20000
        self.traced([WORK, "shut_down", str(rounds)])
        trace = self.json()
        self.assertEqual(len(trace.named("barrier AND")), 2 * rounds)
        self.assertEqual(len(trace.named("hsa_signal_create")), 3 * rounds + 1)


    def test_names_that_are_not_utf8(self):
        """Names of threads and programs are bytes. The system cuts names of threads off, also inside a character."""
        program = os.fsencode(self.folder.name) + b"/work\xff"
        os.symlink(WORK, program)
        subprocess.run([program, b"named"], env={**os.environ, "HEDDLE_TRACE": f"{self.path('t.json')}:{self.path('t.pb')}"}, check=True)
        read = read_json(self.path("t.json").read_bytes().decode())  # raises for what is not UTF-8
        for trace in (read, read_perfetto(self.path("t.pb").read_bytes())):
            names = {trace.name_of(s[0]) for s in trace.slices if s[3] == "api"}
            self.assertTrue(any(name.startswith('a\ufffd"b\u00e9\ufffd\ufffd ') for name in names), names)
            self.assertTrue(any(group.startswith("work\ufffd ") for group in trace.groups.values()), trace.groups)


class Ends(TraceTest):
    def barriers(self, name: str = "trace.json") -> int:
        return len(self.json(name).named("barrier AND"))

    def test_exit_without_shut_down(self):
        self.traced([WORK, "exit", "50"])
        self.assertEqual(self.barriers(), 100)

    def test_the_runtime_starts_again(self):
        self.traced([WORK, "again", "50"])
        self.assertEqual(self.barriers(), 200)
        self.assertEqual(len(self.json().named("hsa_init")), 2)

    def test_shut_down_while_a_packet_waits(self):
        self.traced([WORK, "in_flight", "50"])
        self.assertEqual(self.barriers(), 100)
        self.assertEqual(len(self.json().named("hsa_shut_down")), 1)

    def test_a_child_has_a_file_of_its_own(self):
        self.traced([WORK, "fork", "50"])
        self.assertEqual(self.barriers(), 100)
        others = [p.name for p in Path(self.folder.name).iterdir() if p.name != "trace.json"]
        self.assertEqual(len(others), 1)
        self.assertRegex(others[0], r"^trace\.\d+\.json$")
        self.assertEqual(self.barriers(others[0]), 100)
        self.assertNotEqual(set(self.json().groups.values()), set(self.json(others[0]).groups.values()))

    def test_process_numbers_in_names(self):
        self.traced([WORK, "fork", "5"], "%p.pftrace")
        files = sorted(Path(self.folder.name).iterdir())
        self.assertEqual(len(files), 2)
        joined = read_perfetto(b"".join(f.read_bytes() for f in files))
        self.assertEqual(len(joined.named("barrier AND")), 20)

    def test_a_killed_process_leaves_a_whole_file(self):
        process = subprocess.Popen([WORK, "shut_down", "100000000"], env={**os.environ, "HEDDLE_TRACE": str(self.path("trace.json"))})
        try:
            while not self.path("trace.json").exists() or self.path("trace.json").stat().st_size < 100000:
                self.assertIsNone(process.poll())
                time.sleep(0.01)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        # The last write may have been cut off in the middle. Everything before it is whole.
        text = self.path("trace.json").read_text()
        if not text.endswith("\n]\n"):
            text = text[:text.rindex("},\n{") + 1] + "]"
        self.assertGreater(len(read_json(text).named("barrier AND")), 10)


class Settings(TraceTest):
    def test_formats(self):
        for name, setting, is_json in (("a.json", "", True), ("a.pftrace", "", False), ("a.perfetto-trace", "", False),
                                       ("a.pb", "", False), ("a.txt", "", True), ("b.json", "perfetto", False), ("b.pb", "json", True)):
            with self.subTest(name):
                self.traced([WORK], name, HEDDLE_TRACE_FORMAT=setting)
                self.assertEqual(self.path(name).read_bytes().startswith(b"[\n"), is_json)

    def test_wrong_settings_are_reported_and_do_no_harm(self):
        done = self.traced([WORK], "missing/trace.json")
        self.assertIn("there is no trace in", done.stderr)
        done = self.traced([WORK], "trace.json", HEDDLE_TRACE_FORMAT="xml", HEDDLE_LOG="warning")
        self.assertIn("HEDDLE_TRACE_FORMAT is 'xml'", done.stderr)
        self.json()

    def test_a_full_disk_is_reported_once(self):
        if not os.access("/dev/full", os.W_OK):
            self.skipTest("there is no /dev/full")
        done = subprocess.run([WORK, "shut_down", "100"], env={**os.environ, "HEDDLE_TRACE": "/dev/full"}, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr.count("cannot be written"), 1, done.stderr)


class Command(TraceTest):
    def heddle(self, *arguments: str, code: int = 0) -> str:
        done = subprocess.run([HEDDLE, "trace", *arguments], cwd=self.folder.name, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_default_file(self):
        self.heddle("--", WORK, "shut_down", "3")
        self.assertEqual(len(self.json().named("barrier AND")), 6)

    def test_folders_that_are_no_settings(self):
        for name in ("a:b", "a%pb"):
            self.path(name).mkdir()
            subprocess.run([HEDDLE, "trace", "--", WORK], cwd=self.folder.name, env={**os.environ, "TMPDIR": str(self.path(name))}, check=True)
            self.assertEqual(len(self.json().named("barrier AND")), 2)
            self.assertEqual(list(self.path(name).iterdir()), [])

    def test_a_folder_for_temporary_files_that_is_missing(self):
        subprocess.run([HEDDLE, "trace", "--", WORK], cwd=self.folder.name, env={**os.environ, "TMPDIR": str(self.path("none"))}, check=True)
        self.assertEqual(len(self.json().named("barrier AND")), 2)

    def test_several_processes_are_in_one_trace(self):
        for name, read in (("trace.json", lambda p: read_json(p.read_text())), ("trace.pftrace", lambda p: read_perfetto(p.read_bytes()))):
            self.heddle("-o", name, "--", WORK, "fork", "3")
            trace = read(self.path(name))
            self.assertEqual(len(trace.named("barrier AND")), 12)
            self.assertEqual(sum("observed_work" in group for group in trace.groups.values()), 2)
            if name.endswith(".json"):  # which has no numbers but those of processes and threads
                for number, group in trace.groups.items():
                    self.assertEqual(number >= 2**22, group.startswith("agent "), (number, group))
                for (_, thread), (_, name_of_track) in trace.tracks.items():
                    self.assertEqual(thread >= 2**22, name_of_track.startswith(("memory ", "queue ", "compute unit ")), name_of_track)

    def test_page_and_both_formats(self):
        self.heddle("-o", "t.pb", "--html", "t.html", "--", WORK)
        read_perfetto(self.path("t.pb").read_bytes())
        page = self.path("t.html").read_text()
        begin = page.index('id="trace">') + len('id="trace">')
        events = page[begin:page.index("</script>", begin)]
        self.assertEqual(len(read_json(events).named("barrier AND")), 2)
        for outside in ("http://", "https://", "src=", "@import", "url("):
            self.assertNotIn(outside, page.replace(events, ""), "the page needs something else")

    def test_page_of_a_trace(self):
        self.heddle("--", WORK)
        self.heddle("--from", "trace.json", "--html", "t.html")
        self.assertIn("barrier AND", self.path("t.html").read_text())
        self.path("no.json").write_text("<no trace>")
        self.assertIn("not a trace", self.heddle("--from", "no.json", "--html", "t.html", code=1))

    def test_outputs_that_cannot_be_are_found_before_the_program_starts(self):
        program = ["--", "touch", "started"]
        self.assertIn("no folder missing", self.heddle("-o", "missing/t.json", *program, code=1))
        self.assertIn("no folder missing", self.heddle("--html", "missing/t.html", *program, code=1))
        self.assertIn("both", self.heddle("-o", "t.json", "--html", "t.json", *program, code=1))
        self.assertFalse(self.path("started").exists())
        self.heddle("-o", "t.json", "--", WORK)
        trace = self.path("t.json").read_bytes()
        self.heddle("--from", "t.json", "--html", "./t.json", code=1)
        self.assertEqual(self.path("t.json").read_bytes(), trace)

    def test_names_cannot_leave_the_page(self):
        self.path("evil.json").write_text('[{"ph":"i","pid":1,"tid":1,"ts":1,"s":"t","cat":"x","name":"</script><script>alert(1)</script>"}]')
        self.heddle("--from", "evil.json", "--html", "t.html")
        self.assertNotIn("<script>alert", self.path("t.html").read_text())

    def test_failures(self):
        self.assertIn("exited with code 3", self.heddle("--", "sh", "-c", f"{WORK}; exit 3", code=1))
        self.assertEqual(len(self.json().named("barrier AND")), 2, "the trace of a program that fails is kept")
        self.assertIn("signal 9", self.heddle("--", "sh", "-c", f"{WORK}; kill -9 $$", code=1))
        self.assertIn("has not started the HSA runtime", self.heddle("--", "true", code=1))
        self.assertIn("exited with code 127", self.heddle("--", "sh", "-c", f"{WORK}; exit 127", code=1))
        for program, reason in (("no/such/program", "No such file"), ("/etc/passwd", "Permission denied")):
            message = self.heddle("--", program, code=1)
            self.assertEqual(message.count("error"), 1, message)
            self.assertIn(f"{program}: {reason}", message)
        self.assertIn("there is no program", self.heddle(code=2))
        self.assertIn("--from", self.heddle("--from", "x", "--", "y", code=2))
        self.assertIn("needs --html", self.heddle("--from", "x", code=2))
        self.assertIn("no meaning", self.heddle("--from", "x", "--html", "y", "-o", "z", code=2))
        self.assertIn("no meaning", self.heddle("--from", "x", "--html", "y", "--format", "json", code=2))


if __name__ == "__main__":
    unittest.main()
