#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every example on every kernel agent, compares with the host's results, writes the pictures, prints one table.

Agents that interpret get smaller problems; the table says which. Exit code 1 if a result is wrong or a run failed.
"""
from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

FROM_SOURCE = "mandelbrot"  # the example that is also run with its kernel in OpenCL C
HIP_EXAMPLES = ("vector_add", "mandelbrot", "nbody")  # also programs in HIP
COLUMNS = ("example", "agent", "problem", "result", "finalize ms", "kernel ms", "rate")


def run(command: list[str], env: dict[str, str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, env=env, text=True, stdout=subprocess.PIPE, check=False)


def agents_of(program: str, env: dict[str, str]) -> list[str]:
    listed = run([program, "--list-agents"], env)
    if listed.returncode != 0:
        sys.exit(f"demo: {program} --list-agents failed")
    return listed.stdout.splitlines()


def label_of(plugin: str, agent: str, several: bool) -> str:
    """Returns the label of the agent's pictures: the plugin's name, or the agent's if the plugin has several."""
    return re.sub(r"\W+", "-", agent).strip("-").lower() if several else plugin


def rows_of(result: subprocess.CompletedProcess, agent: str) -> tuple[list[list[str]], bool]:
    """Returns the table rows of one run of the program, and whether all results are right."""
    rows, right = [], True
    for line in result.stdout.splitlines():
        found = json.loads(line)
        right = right and found["ok"]
        rows.append([found["example"], found["agent"], found["problem"], "OK" if found["ok"] else found["mistake"],
                     f'{found["finalize_ms"]:.1f}' if found["finalize_ms"] else "-",
                     f'{found["kernel_ms"]:.3f}' if found["kernel_ms"] else "-",
                     f'{found["rate"]:.3g} {found["unit"]}' if found["kernel_ms"] else "-"])
    if result.returncode not in (0, 1) or not rows:
        rows.append(["-", agent, "-", f"the program ended with {result.returncode}", "-", "-", "-"])
        right = False
    return rows, right and result.returncode == 0


def print_table(rows: list[list[str]]) -> None:
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    widths = [max(len(row[i]) for row in [list(COLUMNS), *rows]) for i in range(len(COLUMNS))]
    right_aligned = {"finalize ms", "kernel ms", "rate"}
    for row in [list(COLUMNS), ["-" * width for width in widths], *rows]:
        cells = [cell.rjust(width) if name in right_aligned else cell.ljust(width)
                 for cell, width, name in zip(row, widths, COLUMNS)]
        if colour and row[3] not in ("OK", "result") and not row[3].startswith("---"):
            cells[3] = f"\033[1;31m{cells[3]}\033[0m"
        print("  ".join(cells).rstrip())


def run_hip(arguments: argparse.Namespace) -> bool:
    """Runs the programs in HIP on device 0, and n-body on all agents at once. They print one line each."""
    right = True
    for example in HIP_EXAMPLES:
        program = arguments.build / "bin" / f"hip_{example}"
        if not program.exists() or (arguments.examples and example not in arguments.examples):
            continue
        picture = [str(arguments.out / "mandelbrot-hip.png")] if example == "mandelbrot" else []
        done = run([str(program), *picture], dict(os.environ, HEDDLE_AGENTS=arguments.agents))
        print(done.stdout, end="")
        right = right and done.returncode == 0
    return right


def run_hetero(arguments: argparse.Namespace) -> bool:
    """Runs the program that shares one field among all agents. It prints what each agent does, and the result."""
    program = arguments.build / "bin" / "heddle-hetero"
    if arguments.examples and "hetero" not in arguments.examples:
        return True
    done = run([str(program), "--all", "--out", str(arguments.out / "hetero.png")], dict(os.environ, HEDDLE_AGENTS=arguments.agents))
    print(done.stdout, end="")
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the pictures")
    parser.add_argument("--agents", default="cpu,interpreter", help="value for HEDDLE_AGENTS (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="measured runs; the median counts")
    parser.add_argument("examples", nargs="*", help="only these")
    arguments = parser.parse_args()

    program = str(arguments.build / "bin" / "heddle-examples")
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows, pictures, all_right = [], [], True
    for plugin in arguments.agents.split(","):
        env = dict(os.environ, HEDDLE_AGENTS=plugin)
        agents = agents_of(program, env)
        for agent in agents:
            label = label_of(plugin, agent, len(agents) > 1)
            command = [program, "--json", "--agent", agent, "--out", str(arguments.out), "--label", label, "--repeats",
                       str(arguments.repeats)]
            if "interpreter" in agent.lower():
                command.append("--small")
            print(f"running on {agent} ...", file=sys.stderr, flush=True)
            more, right = rows_of(run(command + arguments.examples, env), agent)
            rows += more
            if not arguments.examples or FROM_SOURCE in arguments.examples:
                # A kernel that is written in OpenCL C and was compiled to HSAIL, without a picture, which would be the same.
                command[command.index("--out"):command.index("--out") + 2] = ["--kernels", str(arguments.build / "examples" / "opencl")]
                more, same = rows_of(run(command + [FROM_SOURCE], env), agent)
                rows += [[row[0] + " (OpenCL C)", *row[1:]] for row in more]
                right = right and same
            pictures += sorted(path.name for path in arguments.out.glob(f"*-{label}.png"))
            all_right = all_right and right
    if not rows:
        print("demo: there is no kernel agent", file=sys.stderr)
        return 1
    print_table(rows)
    print("finalize: the first figure of an agent contains opening the finalizer library; kernel: median, submission to "
          "completion")
    all_right = run_hip(arguments) and all_right
    all_right = run_hetero(arguments) and all_right
    print(f"pictures in {arguments.out}: {', '.join(pictures)}")
    return 0 if all_right else 1


if __name__ == "__main__":
    sys.exit(main())
