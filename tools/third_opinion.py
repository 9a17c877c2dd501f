#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares heddle's results of generated programs with those of gccbrig and libhsail-rt (Debian: gccbrig-11,
libhsail-rt-11-dev), an implementation that shares no code with heddle. Programs that gccbrig cannot compile are counted
and left out.

    tools/third_opinion.py [--heddle build/release/bin/heddle] [--programs 200] [--seed 1]

Exit code 0: all results agree; 1: some differ, or none could be compared; 77: gccbrig is not installed."""
from __future__ import annotations

import argparse
import ctypes
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RECORD, SHARED, COLUMNS, GROUP_RESULTS = 512, 256, 31 * 2048, 64  # bytes; src/tools/fuzz/program.h
WORD = 0x12345678
GROUP_MEMORY = 65536
PATIENCE = 1200  # seconds: more than any machine needs, so a process that takes longer hangs


class Packet(ctypes.Structure):
    """A kernel dispatch packet (Runtime 2.6.5)."""
    _fields_ = [("header", ctypes.c_uint16), ("setup", ctypes.c_uint16), ("group", ctypes.c_uint16 * 3),
                ("reserved0", ctypes.c_uint16), ("grid", ctypes.c_uint32 * 3), ("private_size", ctypes.c_uint32),
                ("group_size", ctypes.c_uint32), ("kernel", ctypes.c_uint64), ("kernarg", ctypes.c_uint64),
                ("reserved2", ctypes.c_uint64), ("completion", ctypes.c_uint64)]


class Launch(ctypes.Structure):
    """The structure with which libhsail-rt starts kernels."""
    _fields_ = [("packet", ctypes.POINTER(Packet)), ("packet_id", ctypes.c_size_t), ("function", ctypes.c_void_p),
                ("first_group", ctypes.c_size_t * 3), ("end_group", ctypes.c_size_t * 3),
                ("barriers", ctypes.c_void_p * 3), ("group_base", ctypes.c_size_t), ("kernarg", ctypes.c_void_p)]


def geometry(text: str) -> tuple[list[int], list[int], int]:
    """Returns grid, work-group and dimensions from the first line that fuzz-exec prints."""
    match = re.match(r"// grid (\d+)x(\d+)x(\d+), groups of (\d+)x(\d+)x(\d+), (\d) dimensions", text)
    if not match:
        sys.exit("third_opinion: heddle fuzz-exec --print says no geometry")
    numbers = [int(n) for n in match.groups()]
    return numbers[:3], numbers[3:6], numbers[6]


def first_data(seed: int, grid: list[int], group: list[int]) -> bytes:
    items = grid[0] * grid[1] * grid[2]
    groups = 1
    for size, of in zip(grid, group):
        groups *= (size + of - 1) // of
    rng = random.Random(seed)
    data = bytearray(items * RECORD + SHARED + COLUMNS + groups * GROUP_RESULTS)
    for item in range(items):
        for i in range(12):
            value = rng.getrandbits(64) >> rng.randrange(64)
            data[item * RECORD + 8 * i:item * RECORD + 8 * i + 8] = value.to_bytes(8, "little")
    return bytes(data)


def run_heddle(heddle: str, folder: Path, text: Path, grid: list[int], group: list[int], dimensions: int, agent: str) -> bytes:
    def extent(size: list[int]) -> str:
        return ",".join(str(n) for n in size[:dimensions])
    result = folder / f"{agent}.bin"
    subprocess.run([heddle, "run", text, "--kernel", "&k", "--grid", extent(grid), "--group", extent(group), "--agent",
                    agent, "--arg", f"inout:u8@{folder / 'in.bin'}={result}", "--arg", f"u32:{WORD}"],
                   check=True, capture_output=True, timeout=PATIENCE)
    return result.read_bytes()


def compile_gccbrig(heddle: str, folder: Path, text: Path) -> Path | None:
    brig, obj, library = folder / "k.brig", folder / "k.o", folder / "k.so"
    subprocess.run([heddle, "as", "--brig", "1.0", text, "-o", brig], check=True)  # gccbrig reads no other version
    commands = [["gccbrig-11", "-O1", "-fPIC", "-c", brig, "-o", obj],
                ["gccbrig-11", "-shared", "-nostdlib", obj, "-o", library, "-lhsail-rt", "-lm", "-lc", "-lgcc"]]
    for command in commands:
        if subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE).returncode != 0:
            return None
    return library


def execute_library(library: str, data: str, out: str, grid: list[int], group: list[int], dimensions: int) -> None:
    """Executes a compiled kernel. It runs in a separate process, because gccbrig's code may crash."""
    buffer = ctypes.create_string_buffer(Path(data).read_bytes(), Path(data).stat().st_size)
    kernarg = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), WORD)
    memory = ctypes.create_string_buffer(GROUP_MEMORY + 4096)
    base = (ctypes.addressof(memory) + 4095) & ~4095
    packet = Packet(setup=dimensions, group=(ctypes.c_uint16 * 3)(*group), grid=(ctypes.c_uint32 * 3)(*grid),
                    private_size=65536, group_size=GROUP_MEMORY, kernarg=ctypes.addressof(kernarg))
    launch = Launch(packet=ctypes.pointer(packet), group_base=base, kernarg=ctypes.addressof(kernarg))
    launch.end_group = (ctypes.c_size_t * 3)(*[(n + of - 1) // of for n, of in zip(grid, group)])
    kernel = ctypes.CDLL(library).k
    kernel.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32]
    kernel(ctypes.addressof(launch), base, 0)
    Path(out).write_bytes(buffer.raw)


def one(heddle: str, seed: int, folder: Path) -> str:
    """Returns "same", "different", or the reason why there is nothing to compare."""
    text = folder / "k.hsail"
    printed = subprocess.run([heddle, "fuzz-exec", "--print", "--basic", "--seed", str(seed)], check=True,
                             capture_output=True, text=True).stdout
    text.write_text(printed)
    grid, group, dimensions = geometry(printed)
    # With more work-items, gccbrig's code overwrites memory of others, which have no room of their own in it.
    if group[0] * group[1] * group[2] >= 64:
        return "too large groups"
    library = compile_gccbrig(heddle, folder, text)
    if library is None:
        return "not compiled"
    (folder / "in.bin").write_bytes(first_data(seed, grid, group))
    out = folder / "gccbrig.bin"
    out.unlink(missing_ok=True)
    child = subprocess.run([sys.executable, __file__, "--execute", str(library), str(folder / "in.bin"), str(out),
                            *map(str, [*grid, *group, dimensions])], check=False, capture_output=True, timeout=PATIENCE)
    if child.returncode != 0:
        return "crashed"
    theirs = out.read_bytes()
    for agent in ("interpreter", "cpu"):
        ours = run_heddle(heddle, folder, text, grid, group, dimensions, agent)
        if ours != theirs:
            where = [i for i in range(0, len(ours), 4) if ours[i:i + 4] != theirs[i:i + 4]]
            print(f"seed {seed}, {agent}: {len(where)} words differ, the first at byte {where[0]} "
                  f"(record {where[0] // RECORD}, offset {where[0] % RECORD}): ours {ours[where[0]:where[0] + 4].hex()}, "
                  f"gccbrig {theirs[where[0]:where[0] + 4].hex()}")
            return "different"
    return "same"


def main() -> int:
    if len(sys.argv) > 1 and sys.argv[1] == "--execute":
        library, data, out, *numbers = sys.argv[2:]
        n = [int(text) for text in numbers]
        execute_library(library, data, out, n[:3], n[3:6], n[6])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", default="build/release/bin/heddle")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if shutil.which("gccbrig-11") is None:
        print("third_opinion: gccbrig-11 is not installed")
        return 77
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.programs):
            verdict = one(options.heddle, seed, Path(folder))
            counts[verdict] = counts.get(verdict, 0) + 1
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 0 if counts.get("different", 0) == 0 and counts.get("same", 0) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
