#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the tables in data/ into lists of checks for the C and C++ tests of the public headers.

  generate.py OUTPUT        writes OUTPUT: enumerator, size, offset and slot checks, and prototypes
  generate.py --compare DIR checks that tables and headers below DIR name the same functions, enumerators and types
"""
from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
# The headers that the tables describe. BRIG has tests of its own.
HEADERS = ("hsa.h", "hsa_ext_finalize.h", "hsa_ext_image.h", "hsa_ext_log.h", "hsa_ext_perf_counter.h",
           "hsa_ext_profile_event.h", "hsa_ext_amd.h", "hsa_ven_amd_loader.h", "hsa_ven_amd_pc_sampling.h", "hsa_api_trace.h", "hsa_amd_tool.h",
           "hsa_ven_heddle_trace.h", "core/*.h", "amd/*.h")
# Types of layouts.csv that are not structures, or have other names than those of HSA.
SCALARS = {"hsa_signal_value_t", "hsa_file_t", "hsa_queue_type32_t", "hsa_ext_module_t",
           "amd_aql_intercept_marker_t", "perf_sample_hosttrap_v1_t", "perf_sample_snapshot_v1_t"}
# Fields that hold an address. In the small model they are 4 bytes wide and follow their padding on big-endian
# hosts.
ADDRESS_FIELDS = {"base_address", "kernarg_address", "return_address", "callback"}


def rows(name: str) -> list[dict[str, str]]:
    with open(DATA / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def prototypes() -> list[str]:
    lines = (DATA / "functions.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def layout_checks(model: str) -> list[str]:
    checks = []
    for row in rows("layouts.csv") + rows("api_tables.csv"):
        type_name, field, value = row["type"], row["field"], row[model]
        if value == "-":
            continue
        if not field:
            checks.append(f"CHECK_SIZE({type_name}, {value})")
        elif model == "small" and field in ADDRESS_FIELDS:
            checks.append(f"CHECK_OFFSET({type_name}, {field}, {value} + ADDRESS_PADDING)")
        else:
            checks.append(f"CHECK_OFFSET({type_name}, {field}, {value})")
    return checks


def generate(output: Path) -> None:
    lines = ["/* Generated from tests/headers/data. */", "#ifdef CHECK_PROTOTYPES"]
    lines += prototypes()
    lines += ["#else"]
    lines += [f"CHECK_ENUMERATOR({r['type']}, {r['name']}, {r['value']})" for r in rows("enumerators.csv")]
    lines += ["#ifdef HSA_LARGE_MODEL", *layout_checks("large"), "#else", *layout_checks("small"), "#endif"]
    lines += [f"CHECK_SLOT({r['type']}, {r['field']})" for r in rows("layouts.csv")
              if r["type"].endswith("_pfn_t") and r["field"]]
    lines += ["#endif", ""]
    output.write_text("\n".join(lines), encoding="utf-8")


def declared_names(include: Path) -> tuple[set[str], set[str], set[str]]:
    """Functions, enumerators and complete types that the headers declare."""
    text = "".join(path.read_text(encoding="utf-8") for glob in HEADERS for path in sorted(include.glob(glob)))
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    functions = set(re.findall(r"HSA_API\s+\w+\s+(\w+)\(", text))
    enumerators = set(re.findall(r"\b((?:HSA|MEMORY_TYPE)_\w+) = ", text))
    types = set(re.findall(r"^\} (hsa_\w+_t);", text, flags=re.M))
    enums = set(re.findall(r"typedef enum \w*\s*\{[^}]*\} (hsa_\w+_t);", text))
    return functions, enumerators, types - enums


def compare(include: Path) -> int:
    functions, enumerators, types = declared_names(include)
    known_functions = {re.search(r"(\w+)\(", line).group(1) for line in prototypes()}
    known_enumerators = {row["name"] for row in rows("enumerators.csv")}
    known_types = {row["type"] for row in rows("layouts.csv")}
    pairs = [("functions.txt", functions, known_functions), ("enumerators.csv", enumerators, known_enumerators),
             ("layouts.csv", types, known_types - SCALARS)]
    differences = 0
    for table, declared, known in pairs:
        for name in sorted(declared ^ known):
            print(f"{name}: only in {'the headers' if name in declared else table}")
            differences += 1
    return int(differences > 0)


def main(arguments: list[str]) -> int:
    if len(arguments) == 2 and arguments[0] == "--compare":
        return compare(Path(arguments[1]))
    if len(arguments) == 1:
        generate(Path(arguments[0]))
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
