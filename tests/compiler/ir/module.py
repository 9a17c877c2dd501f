# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of LLVM IR with the same functions for the host and for the device, and the values that they get."""
from __future__ import annotations

import random
import re
from dataclasses import dataclass

ITEMS = 64  # work-items, each with values of its own
SLOT = 16   # bytes of an argument or result in the buffers
FRACTION = {"half": 10, "float": 23, "double": 52}
WIDTH = {"half": 16, "float": 32, "double": 64}


@dataclass
class Case:
    """A function of scalars. In `body`, the arguments are %a0, %a1, ... and `returns` names the results; in `body` and `before`, PRIVATE
    and GLOBAL stand for address spaces, and pPRIVATE and pGLOBAL for them in the names of intrinsics."""
    name: str
    arguments: list[str]
    results: list[str]
    body: str
    returns: list[str]
    before: str = ""  # declarations, variables and functions whose names begin with the case's


def width(kind: str) -> int:
    return WIDTH[kind] if kind in WIDTH else int(kind[1:])


def is_nan(kind: str, bits: int) -> bool:
    if kind not in FRACTION:
        return False
    fraction, exponent_bits = FRACTION[kind], width(kind) - 1 - FRACTION[kind]
    return (bits >> fraction) & ((1 << exponent_bits) - 1) == (1 << exponent_bits) - 1 and bits & ((1 << fraction) - 1) != 0


def special_values(kind: str) -> list[int]:
    bits = width(kind)
    if kind not in FRACTION:
        return [value & ((1 << bits) - 1) for value in (0, 1, -1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 2, 3, -2, 5, bits, bits - 1)]
    fraction = FRACTION[kind]
    bias = (1 << (bits - 2 - fraction)) - 1
    magnitudes = [0, 1, (1 << fraction) - 1, 1 << fraction, bias << fraction, (bias - 1) << fraction, (bias << fraction) + 1,
                  ((bias + 1) << fraction) + (1 << (fraction - 2)), (2 * bias + 1) << fraction, ((2 * bias + 1) << fraction) - 1,
                  ((2 * bias + 1) << fraction) | 1 << (fraction - 1), (bias + fraction) << fraction | 3]
    return magnitudes + [1 << (bits - 1) | value for value in magnitudes]


def values(kind: str, seed: str) -> list[int]:
    """Returns a value for each work-item, in which quiet NaNs are the only ones."""
    generator = random.Random(seed)
    bits = width(kind)
    result = special_values(kind)
    while len(result) < ITEMS:
        if kind in FRACTION and generator.random() < 0.6:
            bias = (1 << (bits - 2 - FRACTION[kind])) - 1
            exponent = bias + generator.randint(-8, 8)
            result.append(generator.getrandbits(1) << (bits - 1) | exponent << FRACTION[kind] | generator.getrandbits(FRACTION[kind]))
        else:
            result.append(generator.getrandbits(generator.choice([bits, bits, max(1, bits // 2), min(bits, 5)])))
    generator.shuffle(result)
    return [value | 1 << (FRACTION[kind] - 1) if is_nan(kind, value) else value for value in result[:ITEMS]]


def for_machine(text: str, device: bool) -> str:
    for name, number in (("PRIVATE", 5), ("GLOBAL", 1)):
        text = text.replace(f"p{name}", f"p{number if device else 0}")
        text = text.replace(name, f"addrspace({number})") if device else re.sub(rf",\s*{name}|{name}", "", text)
    return text


def structure(kinds: list[str]) -> str:
    return "{" + ", ".join(kinds) + "}"


def function_of(case: Case) -> str:
    whole = structure(case.results)
    lines = [f"define {whole} @{case.name}_case({', '.join(f'{kind} %a{i}' for i, kind in enumerate(case.arguments))}) {{", case.body]
    before = "poison"
    for i, (kind, value) in enumerate(zip(case.results, case.returns)):
        lines.append(f"  %whole{i} = insertvalue {whole} {before}, {kind} {value}, {i}")
        before = f"%whole{i}"
    return "\n".join(lines + [f"  ret {whole} {before}", "}", ""])


def load_argument(kind: str, name: str, offset: int, pointer: str) -> str:
    bits = width(kind)
    last = f"  {name} = bitcast i{bits} {name}.n to {kind}" if kind in WIDTH else f"  {name} = or i{bits} {name}.n, 0"
    cut = f"  {name}.n = trunc i128 {name}.w to i{bits}" if bits < 128 else f"  {name}.n = or i128 {name}.w, 0"
    return f"""  {name}.o = add i64 %in.o, {offset}
  {name}.p = getelementptr i8, {pointer} %in, i64 {name}.o
  {name}.w = load i128, {pointer} {name}.p, align 16
{cut}
{last}
"""


def store_result(kind: str, name: str, offset: int, pointer: str) -> str:
    bits = width(kind)
    first = f"  {name}.b = bitcast {kind} {name} to i{bits}" if kind in WIDTH else f"  {name}.b = or i{bits} {name}, 0"
    extended = f"  {name}.w = zext i{bits} {name}.b to i128" if bits < 128 else f"  {name}.w = or i128 {name}.b, 0"
    return f"""{first}
{extended}
  {name}.o = add i64 %out.o, {offset}
  {name}.p = getelementptr i8, {pointer} %out, i64 {name}.o
  store i128 {name}.w, {pointer} {name}.p, align 16
"""


def entry_of(cases: list[Case], device: bool) -> str:
    """The kernel, or the host's function for the work-item %item, which calls all cases."""
    pointer = "ptr addrspace(1)" if device else "ptr"
    if device:
        text = ("declare i32 @__hsail_workitemabsid_u32(i32)\n"
                f"define amdgpu_kernel void @all({pointer} %in, {pointer} %out) {{\n"
                "  %id = call i32 @__hsail_workitemabsid_u32(i32 0)\n  %item = zext i32 %id to i64\n")
    else:
        text = "define void @all(ptr %in, ptr %out, i64 %item) {\n"
    arguments = sum(len(case.arguments) for case in cases)
    results = sum(len(case.results) for case in cases)
    text += f"  %in.o = mul i64 %item, {arguments * SLOT}\n  %out.o = mul i64 %item, {results * SLOT}\n"
    argument = result = 0
    for number, case in enumerate(cases):
        passed = []
        for kind in case.arguments:
            text += load_argument(kind, f"%x{argument}", argument * SLOT, pointer)
            passed.append(f"{kind} %x{argument}")
            argument += 1
        text += f"  %c{number} = call {structure(case.results)} @{case.name}_case({', '.join(passed)})\n"
        for i, kind in enumerate(case.results):
            text += f"  %y{result} = extractvalue {structure(case.results)} %c{number}, {i}\n"
            text += store_result(kind, f"%y{result}", result * SLOT, pointer)
            result += 1
    return text + "  ret void\n}\n"


def module_of(cases: list[Case], device: bool) -> str:
    triple = "amdgcn-amd-amdhsa" if device else "x86_64-unknown-linux-gnu"
    declarations = sorted({line for case in cases for line in case.before.splitlines() if line.startswith("declare")})
    others = [line for case in cases for line in case.before.splitlines() if not line.startswith("declare")]
    text = "\n".join([f'target triple = "{triple}"', *declarations, *others, *map(function_of, cases), entry_of(cases, device)])
    return for_machine(text, device)


def input_of(cases: list[Case]) -> list[list[int]]:
    """Returns the arguments of all cases for each work-item."""
    columns = [values(kind, f"{case.name} {i}") for case in cases for i, kind in enumerate(case.arguments)]
    return [[column[item] for column in columns] for item in range(ITEMS)]
