# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets programs that run the same kernels take turns, and compares their times.

The programs are the hosts of bench/workloads/host.h. All of them are started at once, but only one works at a time: in each
round every one of them has a turn, so that a machine that becomes slower or faster treats all alike.
"""
from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

TURN_MS = 20.0  # about how long a turn takes, so that it contains several runs of a short kernel
MOST_RUNS = 50  # in a turn


class Failed(Exception):
    """A program of the benchmark did not do what it should."""


class Contestant:
    """A host that has been started. Use it as a context manager, which ends it."""

    def __init__(self, label: str, command: list, **extra_env: str):
        self.label = label
        self.process = subprocess.Popen([str(part) for part in command], env={**os.environ, "HEDDLE_CACHE": "0", **extra_env},
                                        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.host = self.answer()["host"]

    def __enter__(self) -> "Contestant":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def answer(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            raise Failed(f"{self.label} ended: {self.process.stderr.read().strip()[-500:]}")
        return json.loads(line)

    def ask(self, command: str) -> dict:
        """Returns the answer to a command. Raises Failed if it is an error."""
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # answer() says why
        found = self.answer()
        if "error" in found:
            raise Failed(f'{self.label}: {command}: {found["error"]}')
        return found

    def turn(self, runs: int) -> float:
        """Returns the median time of a run in milliseconds."""
        return statistics.median(self.ask(f"time {runs}")["ms"])


@dataclass
class Comparison:
    """The times of one kernel, in milliseconds: those of each contestant by label, one for each round."""
    name: str
    problem: str
    times: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def median(self, label: str) -> float:
        return statistics.median(self.times[label])

    def ratio(self, label: str, subject: str) -> float:
        """How many times faster the subject is: the median over the rounds of the quotient of two times of the same round."""
        return statistics.median(other / own for other, own in zip(self.times[label], self.times[subject]))


def runs_of(times: list[float]) -> int:
    """Returns how many runs make a turn."""
    return max(1, min(MOST_RUNS, round(TURN_MS / max(min(times), 1e-3))))


def compare(name: str, contestants: list[Contestant], rounds: int) -> Comparison:
    """Measures one kernel. Those that fail are left out, except that the first contestant must not fail."""
    found = Comparison(name, "")
    runs = {}
    for contestant in contestants:
        try:
            found.problem = contestant.ask(f"load {name}")["problem"]
            runs[contestant.label] = runs_of(contestant.ask("time 3")["ms"])
            contestant.turn(runs[contestant.label])  # warms up
        except Failed as failure:
            if contestant is contestants[0]:
                raise
            found.failures.append(str(failure))
    racing = [contestant for contestant in contestants if contestant.label in runs]
    found.times = {contestant.label: [] for contestant in racing}
    for number in range(rounds):
        for contestant in racing if number % 2 == 0 else reversed(racing):
            found.times[contestant.label].append(contestant.turn(runs[contestant.label]))
    return found


def geometric_mean(values: list[float]) -> float:
    return math.exp(statistics.fmean(math.log(value) for value in values))


def rows_of(results: list[Comparison], labels: list[str]) -> list[list[str]]:
    """Returns the cells of a table: the name, the time of each label, and the ratio of each label but the first, whose times
    the ratios refer to. Two lines with the geometric mean and the minimum of the ratios are at the end."""
    rows, ratios = [], {label: [] for label in labels[1:]}
    for result in results:
        row = [f"{result.name}, {result.problem}"]
        row += [f"{result.median(label):.3f}" if label in result.times else "" for label in labels]
        for label in labels[1:]:
            if label not in result.times:
                row.append("")
                continue
            ratios[label].append(result.ratio(label, labels[0]))
            row.append(f"{ratios[label][-1]:.2f}")
        rows.append(row)
    for title, summary in (("geometric mean", geometric_mean), ("minimum", min)):
        rows.append([title] + [""] * len(labels) + [f"{summary(found):.2f}" if found else "" for found in ratios.values()])
    return rows


def workload_names(host: Path) -> list[str]:
    return subprocess.run([str(host), "--list"], text=True, check=True, stdout=subprocess.PIPE).stdout.split()
