#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs all benchmarks and writes bench/results/<date>-<hardware>.md.

Programs that are compared are measured in the same run, in turns, and reported as medians and a ratio. Comparisons with a
program that is not installed are left out, and the report says so.
"""
from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from comparison import Contestant, Failed, compare, geometric_mean, rows_of, runs_of, workload_names

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
ROOT = Path(__file__).resolve().parent.parent


def run(command: list, **extra_env: str) -> str:
    """Returns the standard output of a program, which must succeed."""
    done = subprocess.run([str(part) for part in command], env={**os.environ, "HEDDLE_CACHE": "0", **extra_env}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise Failed(f"{Path(str(command[0])).name} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def seconds(command: list) -> float:
    start = time.perf_counter()
    run(command)
    return time.perf_counter() - start


def google_benchmarks(program: Path, pattern: str = ".", *options: str, **extra_env: str) -> dict[str, dict]:
    """Returns the result of each benchmark by name. Raises Failed if one of them reports an error."""
    text = run([program, "--benchmark_format=json", f"--benchmark_filter={pattern}", *options], **extra_env)
    found = {}
    for result in json.loads(text)["benchmarks"]:
        if result.get("error_occurred"):
            raise Failed(f'{result["name"]}: {result["error_message"]}')
        found[result["name"]] = result
    return found


def repeated_benchmarks(program: Path, pattern: str, rounds: int, **extra_env: str) -> dict[str, list[dict]]:
    """Returns the results of all repetitions of each benchmark. The benchmarks take turns."""
    text = run([program, "--benchmark_format=json", f"--benchmark_filter={pattern}", f"--benchmark_repetitions={rounds}",
                "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.1"], **extra_env)
    found: dict[str, list[dict]] = {}
    for result in json.loads(text)["benchmarks"]:
        if result.get("error_occurred"):
            raise Failed(f'{result["name"]}: {result["error_message"]}')
        if result["run_type"] == "iteration":
            found.setdefault(result["run_name"], []).append(result)
    return found


# ---- the machine ----------------------------------------------------------------------------------------------------------

def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def hardware() -> str:
    memory = re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text(encoding="utf-8"))
    gib = int(memory.group(1)) / 2**20 if memory else 0
    return f"{cpu_model()}, {os.cpu_count()} logical processors, {gib:.0f} GiB"


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40].strip("-")


def command_line(words: list[str]) -> str:
    """Returns the command for a shell in the repository's folder, because the report is also read on other machines."""
    def portable(word: str) -> str:
        option, equals, value = word.rpartition("=") if word.startswith("--") else ("", "", word)
        path = Path(value)
        if path.is_absolute() and path.is_relative_to(ROOT):
            value = str(path.relative_to(ROOT))
        return option + equals + value
    return shlex.join([Path(words[0]).name] + [portable(word) for word in words[1:]])


def revision() -> str:
    try:
        return run(["git", "-C", ROOT, "describe", "--always", "--dirty"]).strip()
    except (Failed, OSError):
        return "unknown"


# ---- tables ---------------------------------------------------------------------------------------------------------------

def table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


# ---- the benchmarks -------------------------------------------------------------------------------------------------------

def bench_dispatch(bin_folder: Path, work: Path) -> str:
    empty = work / "empty.brig"
    run([bin_folder / "heddle", "as", ROOT / "bench/kernels/empty.hsail", "-o", empty])
    rows = []
    for agent in ("cpu", "null"):
        found = google_benchmarks(bin_folder / "bench-runtime", "dispatch|barrier_t", HEDDLE_AGENTS=agent, BENCH_EMPTY_KERNEL=str(empty))
        for name, result in found.items():
            if "round_trip" in name:
                groups = name.split("/")[1]
                rows.append([f"{agent}: round trip, {groups} work-group(s)", number(result["median_us"]), number(result["p99_us"])])
            else:
                what = ", one completion signal" if "last" in name else ", barrier packets" if "barrier" in name else ""
                rows.append([f"{agent}: per packet, 256 in a row{what}", number(1e6 / result["items_per_second"]), ""])
    return ("## Dispatch of an empty kernel\n\nFrom the store to the doorbell until the waiting host sees the completion signal "
            "(active wait). The null agent completes packets without executing: what it costs is the runtime's.\n\n"
            + table(["agent and case", "median us", "p99 us"], rows))


def bench_signals(bin_folder: Path) -> str:
    found = google_benchmarks(bin_folder / "bench-runtime", "signal", HEDDLE_AGENTS="null")
    rows = []
    for name, result in found.items():
        what = "ping-pong, there and back, " + result["label"] if "ping_pong" in name else "store and load, nobody waits"
        scale = {"ns": 1, "us": 1e3, "ms": 1e6}[result["time_unit"]]
        rows.append([what, number(result["real_time"] * scale)])
    return "## Signals between two threads\n\n" + table(["case", "ns"], rows)


MANY_SYMBOLS = 100_000


def make_many_symbols(bin_folder: Path, work: Path) -> Path:
    """Makes a code object with variables that belong to the agent, and one kernel."""
    lines = ["module &many:1:0:$full:$large:$default;"]
    lines += [f"prog alloc(agent) global_u32 &variable_{i};" for i in range(MANY_SYMBOLS - 1)]
    text, code = work / "many.hsail", work / "many.hco"
    text.write_text("\n".join(lines + ["prog kernel &empty() { ret; };", ""]), encoding="utf-8")
    run([bin_folder / "heddle", "finalize", text, "--isa", "heddle:x86-64-v2:w1", "-o", code])
    return code


def nanoseconds(result: dict) -> float:
    return result["real_time"] * {"ns": 1, "us": 1e3, "ms": 1e6}[result["time_unit"]]


def least_and_median(values: list[float]) -> list[str]:
    return [number(min(values)), number(statistics.median(values))]


def bench_runtime(bin_folder: Path, work: Path, rounds: int) -> str:
    """What the runtime costs beside the least that the host can do: words and futexes, memcpy."""
    empty = work / "empty.brig"
    run([bin_folder / "heddle", "as", ROOT / "bench/kernels/empty.hsail", "-o", empty])
    found = repeated_benchmarks(bin_folder / "bench-runtime", "ratio|^init", rounds, HEDDLE_AGENTS="cpu")
    # These keep the runtime, which the others start anew.
    found |= repeated_benchmarks(bin_folder / "bench-runtime", "^load|dispatch_t|barrier_t|dispatch_round_trip/1/", min(rounds, 5),
                                 HEDDLE_AGENTS="cpu", BENCH_EMPTY_KERNEL=str(empty),
                                 BENCH_MANY_SYMBOLS=str(make_many_symbols(bin_folder, work)))
    times = {name: [nanoseconds(result) for result in results] for name, results in found.items()}

    def of(start: str) -> str:
        return next(name for name in times if name.startswith(start))

    def pair(what: str, name: str) -> list[str]:
        own, base, ratios = ([result[counter] for result in found[of(name)]] for counter in ("own_ns", "base_ns", "ratio"))
        return [what, *least_and_median(own), *least_and_median(base), f"{min(ratios):.3f}", f"{statistics.median(ratios):.3f}"]

    pairs = [pair("ping-pong, active wait / word", "ping_pong_ratio/1/"), pair("ping-pong, blocked wait / futex", "ping_pong_ratio/0/")]
    pairs += [pair(f"copy of {int(name.split('/')[1]) // 1024:,} KiB / memcpy", name) for name in times if name.startswith("copy_ratio/")]
    latencies = found[of("dispatch_round_trip/1")]
    packets, silent = ([result["items_per_second"] / 1e6 for result in found[of(f"dispatch_throughput/{which}")]]
                       for which in ("all", "last"))
    barriers = [result["items_per_second"] / 1e6 for result in found[of("barrier_throughput")]]
    idle = google_benchmarks(bin_folder / "bench-runtime", "^idle", HEDDLE_AGENTS="cpu")
    symbols = int(found[of("load")][0]["symbols"])
    rows = [["round trip of an empty dispatch, us: least median of a repetition, median of these",
             *least_and_median([result["median_us"] for result in latencies])],
            ["the same, us: shortest, median of the shortest of each repetition",
             *least_and_median([result["min_us"] for result in latencies])],
            ["empty dispatches in a row, each with a completion signal, million a second: most, median",
             number(max(packets)), number(statistics.median(packets))],
            ["the same, only the last one with a completion signal", number(max(silent)), number(statistics.median(silent))],
            ["barrier packets in a row, million a second: most, median", number(max(barriers)), number(statistics.median(barriers))],
            ["hsa_init with two agents, us: least, median", *least_and_median([time / 1e3 for time in times[of("init")]])],
            [f"loading an executable of {symbols:,} symbols, ms: least, median",
             *least_and_median([time / 1e6 for time in times[of("load")]])],
            ["the same, ms of processor time: least, median",
             *least_and_median([result["processor_ms"] for result in found[of("load")]])],
            ["processor time of an idle process with a queue, us in a second", number(next(iter(idle.values()))["processor_us"]), ""]]
    return (f"## The runtime beside what the host can do\n\n{rounds} repetitions, in which all have turns; times in ns; a ratio below 1 "
            "means that heddle is faster.\n\n"
            + table(["case", "least", "median", "least of the host", "median of the host", "least ratio", "median ratio"],
                    pairs) + "\n" + table(["case", "", ""], rows))


def bench_finalize(bin_folder: Path) -> str:
    found = google_benchmarks(bin_folder / "bench-toolchain", "finalize")
    rows = [[name.removeprefix("finalize/").replace("finalize, cached/", "cached: ").replace("/", ", "), number(result["real_time"])]
            for name, result in found.items()]
    return ("## Finalization, warm\n\nProgram, module and agent code object. \"cached\": the code object comes from the cache on disk.\n\n"
            + table(["module, ISA", "ms"], rows))


def generate_text(path: Path, copies: int) -> int:
    """Writes a module of many copies of the example with the most varied instructions. Returns its number of lines."""
    text = (ROOT / "examples/kernels/gaussian_blur.hsail").read_text(encoding="utf-8")
    head, body = text.split("\n// Grid:", 1)
    parts = [head]
    for i in range(copies):
        parts.append(body.replace("&blur_rows", f"&blur_rows_{i}").replace("&blur_columns", f"&blur_columns_{i}"))
    joined = "\n// Grid:".join(parts)
    path.write_text(joined, encoding="utf-8")
    return joined.count("\n")


def bench_text(bin_folder: Path, work: Path, runs: int, copies: int) -> str:
    big, small = work / "big.hsail", ROOT / "bench/kernels/empty.hsail"
    lines = generate_text(big, copies)
    found = google_benchmarks(bin_folder / "bench-toolchain", "text", BENCH_TEXT=str(big))
    rows = [[f"library: {what}", number(found["text_" + what]["lines_per_s"]), ""] for what in ("assemble", "disassemble", "check")]
    note = ""
    other = shutil.which("HSAILasm")
    if other is None:
        note = "\nHSAILasm (Debian package hsail-tools) is not installed: no comparison.\n"
    else:
        # Each disassembles its own file: HSAILasm reads BRIG 1.0 only.
        run([bin_folder / "heddle", "as", big, "-o", work / "ours.brig"])
        run([other, "-assemble", big, "-o", work / "theirs.brig"])
        pairs = {
            "assemble": ([bin_folder / "heddle", "as", big, "-o", work / "ours.brig"],
                         [other, "-assemble", big, "-o", work / "theirs.brig"]),
            "disassemble": ([bin_folder / "heddle", "dis", work / "ours.brig", "-o", work / "ours.hsail"],
                            [other, "-disassemble", work / "theirs.brig", "-o", work / "theirs.hsail"]),
            "start (empty module)": ([bin_folder / "heddle", "as", small, "-o", work / "s1.brig"],
                                     [other, "-assemble", small, "-o", work / "s2.brig"]),
        }
        for what, (ours, theirs) in pairs.items():
            times = [(seconds(ours), seconds(theirs)) for _ in range(runs)]
            mine, yours = (statistics.median(t[i] for t in times) for i in (0, 1))
            if what.startswith("start"):
                note += (f"\nA process for an empty module takes {mine * 1e3:.1f} ms (`heddle as`) and {yours * 1e3:.1f} ms "
                         "(HSAILasm); the figures of processes above contain that.\n")
                continue
            rows.append([f"process: heddle, {what}", number(lines / mine), f"{yours / mine:.2f}"])
            rows.append([f"process: HSAILasm, {what}", number(lines / yours), ""])
    return (f"## Text and binary form\n\nOne module of {lines:,} lines. \"process\" counts everything from the start of the "
            "program to its end, files included; \"library\" is one call of the C API on memory. heddle keeps "
            "comments in BRIG, HSAILasm by default does not.\n\n"
            + table(["case", "lines/s", "heddle / HSAILasm"], rows) + note)


def heddle_command(bin_folder: Path, *options: object) -> list:
    return [bin_folder / "bench-heddle", *options]


def bench_kernels(bin_folder: Path, rounds: int, isas: list[str], names: list[str]) -> str:
    """The kernels of bench/kernels in heddle's ISAs, ispc and OpenCL, in turns."""
    before = os.getloadavg()[0]
    notes = ""
    with contextlib.ExitStack() as stack:
        contestants = []
        for isa in isas or [""]:
            label = f"heddle {isa.removeprefix('heddle:')}".strip()
            command = heddle_command(bin_folder, *(["--isa", isa] if isa else []))
            contestants.append(stack.enter_context(Contestant(label, command, HEDDLE_AGENTS="cpu")))
        for label, program in (("ispc", "bench-ispc"), ("OpenCL", "bench-opencl")):
            if not (bin_folder / program).exists():
                notes += f"\n{label} was not installed when {program} would have been built: no comparison.\n"
                continue
            try:
                contestants.append(stack.enter_context(Contestant(label, [bin_folder / program])))
            except Failed as failure:
                notes += f"\n{failure}\n"
        results = []
        for name in names or workload_names(bin_folder / "bench-heddle"):
            print(f"  {name}", file=sys.stderr, flush=True)
            results.append(compare(name, contestants, rounds))
    notes += "".join(f"\n{failure}\n" for result in results for failure in result.failures)
    labels = [contestant.label for contestant in contestants]
    head = ["kernel", *(f"{label} ms" for label in labels), *(f"{label} / {labels[0]}" for label in labels[1:])]
    hosts = "".join(f"- {contestant.label}: {contestant.host}\n" for contestant in contestants)
    return ("## Kernels beside ispc and OpenCL\n\nThe same kernels on the same data, all with all processors, from submission to "
            f"completion: medians of {rounds} rounds, in each of which all have a turn. A ratio above 1 means that "
            f"{labels[0]} is faster. Each result was compared with a reference. Load average: {before:.2f} before, "
            f"{os.getloadavg()[0]:.2f} after.\n\n{hosts}\n" + table(head, rows_of(results, labels)) + notes)


def compile_sources(bin_folder: Path, folder: Path, names: list[str]) -> None:
    """Compiles the OpenCL C of workloads to HSAIL in a folder."""
    folder.mkdir()
    for name in names:
        source = source_of(name)
        language = ["-cl-std=CL3.0"] if source.parent.name == "subgroups" else []
        run([bin_folder / "heddle", "cc", source, "-O2", *language, "-o", folder / f"{name}.hsail"])


def source_of(name: str) -> Path:
    """Returns the OpenCL C of a workload for heddle, which may use what OpenCL 1.2 does not have."""
    for folder in ("bench/kernels/subgroups", "bench/kernels"):
        if (ROOT / folder / f"{name}.cl").exists():
            return ROOT / folder / f"{name}.cl"
    raise Failed(f"{name} has no source in OpenCL C")


def bench_compiled(bin_folder: Path, work: Path, rounds: int, isas: list[str], names: list[str]) -> str:
    """The kernels compiled from OpenCL C beside those written in HSAIL by hand, in one process and in turns."""
    before = os.getloadavg()[0]
    names = names or workload_names(bin_folder / "bench-heddle")
    compile_sources(bin_folder, work / "compiled", names)
    options = ["--isa", isas[0]] if isas else []
    rows, ratios = [], []
    with Contestant("heddle", heddle_command(bin_folder, *options, "--beside", work / "compiled"), HEDDLE_AGENTS="cpu") as heddle:
        for name in names:
            print(f"  {name}", file=sys.stderr, flush=True)
            problem = heddle.ask(f"load {name}")["problem"]
            runs = max(2, runs_of(heddle.ask("time 3")["ms"]))
            heddle.ask(f"pair {runs}")
            pairs = []
            for _ in range(rounds):
                found = heddle.ask(f"pair {runs}")
                pairs += zip(found["ms"], found["beside"])
            hand, own = (statistics.median(pair[i] for pair in pairs) for i in (0, 1))
            ratios.append(statistics.median(a / b for a, b in pairs))
            rows.append([f"{name}, {problem}", f"{hand:.3f}", f"{own:.3f}", f"{ratios[-1]:.2f}"])
        host = heddle.host
    rows += [["geometric mean", "", "", f"{geometric_mean(ratios):.2f}"], ["minimum", "", "", f"{min(ratios):.2f}"]]
    return (f"## Kernels compiled from OpenCL C on {host}\n\nThe kernels of bench/kernels as `heddle cc -O2` compiles their OpenCL C, and "
            f"as they were written in HSAIL by hand, in turns in one process: medians of {rounds} rounds of at least two pairs of "
            "launches. A ratio is the median of the quotients of the pairs; above 1 means that the compiled ones are faster. Each result "
            f"was compared with a reference. Load average: {before:.2f} before, {os.getloadavg()[0]:.2f} after.\n\n"
            + table(["kernel", "by hand ms", "compiled ms", "ratio"], rows))


PRODUCTS = {"sgemm_naive": 2 * 256**3, "matmul": 2 * 256**3}  # operations of the workloads


def bench_peak(bin_folder: Path, rounds: int, isas: list[str]) -> str:
    """Matrix products on one processor beside a loop of fused multiply-adds, in turns."""
    options = ["--isa", isas[0]] if isas else []
    rows = []
    with Contestant("heddle", heddle_command(bin_folder, *options), HEDDLE_AGENTS="cpu", HEDDLE_CPU_THREADS="1") as heddle:
        level = re.search("v[34]", heddle.host)
        if level is None:
            raise Failed(f"{heddle.host} is not compared with a peak loop")
        for name, operations in PRODUCTS.items():
            heddle.ask(f"load {name}")
            runs = runs_of(heddle.ask("time 3")["ms"])
            pairs = []
            for _ in range(rounds):
                found = google_benchmarks(bin_folder / "bench-peak", f"peak_f32/{level[0]}", "--benchmark_min_time=0.05")
                peak = next(iter(found.values()))["items_per_second"] / 1e9
                pairs.append((operations / heddle.turn(runs) / 1e6, peak))
            own, peak = (statistics.median(pair[i] for pair in pairs) for i in (0, 1))
            rows.append([name, f"{own:.1f}", f"{peak:.1f}", f"{statistics.median(a / b for a, b in pairs):.2f}"])
        host = heddle.host
    return (f"## Matrix products on one processor, {host}\n\nBeside a loop that does nothing but fused multiply-adds with vectors "
            f"of the same length: medians of {rounds} rounds, in each of which both have a turn.\n\n"
            + table(["kernel", "GFLOP/s", "peak GFLOP/s", "share of the peak"], rows))


FLUSHED = "add|sub|mul|div|mad|fma|sqrt|min|max|ceil|floor|rint|trunc|fract"


def with_ftz(text: str) -> str:
    """HSAIL text with _ftz in each instruction that can have it, as the base profile requires."""
    text = re.sub(rf"(?m)^(\s*(?:{FLUSHED}))(?=_(?:\w+_)?f(?:32|64)\s)", r"\1_ftz", text)
    text = re.sub(r"(?m)^(\s*cmp_[a-z]+)(?=_\w+_f(?:32|64)\s)", r"\1_ftz", text)
    return re.sub(r"(?m)^(\s*cvt)(?=_\w+_f(?:32|64)\s)", r"\1_ftz", text)


def kernel_text(name: str) -> str:
    """Returns the HSAIL of a workload. Those that are examples are not in bench/kernels."""
    files = (ROOT / folder / f"{name}.hsail" for folder in ("bench/kernels", "examples/kernels"))
    return next(path for path in files if path.exists()).read_text(encoding="utf-8")


def bench_flushing(bin_folder: Path, work: Path, rounds: int, isas: list[str], names: list[str]) -> str:
    """The kernels as they are and with ftz, in turns."""
    folder = work / "ftz"
    folder.mkdir()
    changed = []
    for name in names or workload_names(bin_folder / "bench-heddle"):
        text = kernel_text(name)
        if with_ftz(text) != text:
            changed.append(name)
            (folder / f"{name}.hsail").write_text(with_ftz(text), encoding="utf-8")
    options = ["--isa", isas[0]] if isas else []
    with (Contestant("with ftz", heddle_command(bin_folder, *options, "--kernels", folder), HEDDLE_AGENTS="cpu") as flushing,
          Contestant("full profile", heddle_command(bin_folder, *options), HEDDLE_AGENTS="cpu") as plain):
        results = [compare(name, [flushing, plain], rounds) for name in changed]
        host = plain.host
    return (f"## Kernels with ftz on {host}\n\nThe kernels as they are, which is the full profile, and with ftz in each "
            "instruction that can have it, as the base profile requires. A ratio above 1 means that those with ftz are faster.\n\n"
            + table(["kernel", "with ftz ms", "full profile ms", "ratio"], rows_of(results, ["with ftz", "full profile"])))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="build folder (Release)")
    parser.add_argument("--out", type=Path, default=ROOT / "bench/results")
    parser.add_argument("--runs", type=int, default=5, help="pairs of runs of the assemblers")
    parser.add_argument("--rounds", type=int, default=15, help="rounds in which kernels that are compared take turns")
    parser.add_argument("--isa", action="append", default=[], help="heddle's ISA for the kernels, x86-64-v3:w8; may be repeated, "
                        "and ratios refer to the first (default: the first that the agent offers)")
    parser.add_argument("--kernel", action="append", default=[], help="only this kernel; may be repeated")
    parser.add_argument("--copies", type=int, default=500, help="size of the generated HSAIL module, in copies of an example")
    parser.add_argument("--only", choices=["dispatch", "signals", "runtime", "finalize", "text", "kernels", "compiled", "peak", "ftz"], action="append")
    arguments = parser.parse_args()
    bin_folder = arguments.build.resolve() / "bin"

    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        work = Path(folder)
        parts = {
            "dispatch": lambda: bench_dispatch(bin_folder, work),
            "signals": lambda: bench_signals(bin_folder),
            "runtime": lambda: bench_runtime(bin_folder, work, arguments.rounds),
            "finalize": lambda: bench_finalize(bin_folder),
            "text": lambda: bench_text(bin_folder, work, arguments.runs, arguments.copies),
            "kernels": lambda: bench_kernels(bin_folder, arguments.rounds, arguments.isa, arguments.kernel),
            "compiled": lambda: bench_compiled(bin_folder, work, arguments.rounds, arguments.isa, arguments.kernel),
            "peak": lambda: bench_peak(bin_folder, arguments.rounds, arguments.isa),
            "ftz": lambda: bench_flushing(bin_folder, work, arguments.rounds, arguments.isa, arguments.kernel),
        }
        load = os.getloadavg()[0]
        sections, failed = [], False
        for name, part in parts.items():
            if arguments.only and name not in arguments.only:
                continue
            print(f"measuring: {name} ...", file=sys.stderr, flush=True)
            try:
                sections.append(part())
            except Failed as failure:
                failed = True
                sections.append(f"## {name}\n\nFailed: {failure}\n")
                print(f"bench: {name}: {failure}", file=sys.stderr)

    today = datetime.date.today().isoformat()
    report = (f"<!-- {LICENCE} -->\n# Benchmarks of {today}\n\n"
              f"- command: `{command_line(sys.orig_argv)}`\n- revision: {revision()}\n- hardware: {hardware()}\n"
              f"- load average at the start: {load:.2f}\n\n" + "\n".join(sections))
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"{today}-{slug(cpu_model())}.md"
    path.write_text(report, encoding="utf-8")
    print(report)
    print(f"written to {os.path.relpath(path)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
