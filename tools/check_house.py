#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the dependency rules of docs/design.md, section 1, and a few conventions, from the text of the sources.

The checks concern includes, linked libraries, the use of LLVM, the length of files, licence lines, and the variables in
docs/environment.md. Prints one line for each finding; the exit code is 1 if there are any.
"""
from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

# Maps a folder (the longest prefix wins) to the folders whose headers it may include besides its own and those of src/support.
MAY_INCLUDE: dict[str, set[str]] = {
    "src/support": set(),
    "src/cache": set(),
    "src/hsail/isa": set(),
    "src/hsail/brig": {"src/hsail/isa"},
    "src/hsail/assemble": {"src/hsail/isa", "src/hsail/brig"},
    "src/hsail/debug": {"src/hsail/isa", "src/hsail/brig"},
    "src/hsail/print": {"src/hsail/isa", "src/hsail/brig", "src/hsail/debug"},
    "src/hsail/link": {"src/hsail/isa", "src/hsail/brig"},
    "src/codeobject": set(),
    "src/image": set(),
    "src/interpreter": {"src/hsail/isa", "src/hsail/brig", "src/hsail/link", "src/image"},
    # Code for GPUs shares structures in memory with its agent, and what image instructions do with agents of the host.
    "src/devlib": {"src/codeobject", "src/image"},
    "src/hsalib": set(),
    "src/finalizer": {"src/hsail/isa", "src/hsail/brig", "src/hsail/link", "src/hsail/assemble", "src/hsail/debug",
                      "src/hsail/print", "src/codeobject", "src/devlib", "src/interpreter", "src/cache"},
    # The compiler reaches HSAIL through the toolchain library.
    "src/compiler": {"src/devlib"},
    "src/driver": set(),
    "src/runtime": {"src/codeobject", "src/driver", "src/image"},
    "src/layers/check": set(),
    "src/agents/common": set(),
    "src/agents/cpu": {"src/agents/common", "src/codeobject", "src/image"},
    "src/agents/interpreter": {"src/agents/common", "src/codeobject", "src/interpreter", "src/hsail/isa",
                               "src/hsail/brig", "src/hsail/link", "src/hsail/print"},
    "src/agents/cuda": {"src/agents/common", "src/cache", "src/codeobject", "src/image"},
    "src/agents/null": {"src/agents/common", "src/codeobject"},
    # The command uses only public headers, as clients do, and what it shares with the HIP runtime: so does that runtime.
    "src/brigfile": set(),
    "src/hip": {"src/brigfile", "src/hip/bundle"},
    "src/hip/bundle": set(),
    "src/tools": {"src/brigfile", "src/hip/bundle"},
    "examples": set(),
    "examples/agent-driver": set(),
}

# Maps a shared library to the folders that may link it in order to use its C interface.
MAY_LINK: dict[str, set[str]] = {
    "hsa-runtime64": {"src/tools", "src/hip", "examples"},
    "heddle_finalizer": {"src/tools", "src/compiler"},
    "heddle_compiler": {"src/tools"},
}

# Maps a folder to the public headers that it may include: folders of include/, or prefixes of file names.
PUBLIC: dict[str, set[str]] = {
    "src/hsail": {"hsa/hsa_brig", "hsail"},
    "src/interpreter": {"hsa/hsa_brig"},
    "src/image": {"hsa", "hsam"},
    "src/finalizer": {"hsa/hsa_brig", "hsail"},
    "src/compiler": {"hsail"},
    "src/codeobject": set(),
    "src/support": set(),
    "src/cache": set(),
    "src/driver": {"hsa", "hsam"},
    "src/runtime": {"hsa", "hsam", "hsail"},
    "src/layers": {"hsa"},
    "src/agents": {"hsa", "hsam"},
    "src/brigfile": {"hsa/hsa_brig"},
    "src/hip": {"hsa", "hip", "hsail"},
    "src/hip/bundle": {"hsa/hsa_brig"},
    "src/tools": {"hsa", "hsail", "hsam/code_object"},
    "examples": {"hsa", "hsail"},
    "examples/hip": {"hip"},
    "examples/agent-driver": {"hsa", "hsam"},
    "include/hsam": {"hsa", "hsam"},
    "include/hsa": {"hsa"},
    "include/hsail": {"hsa/hsa_brig", "hsail"},
    "include/hip": {"hip"},
}

# Folders that restrict their headers: maps each to the folders that may include some of them, with these headers. The longest
# prefix wins. Other folders may include none of them; files inside the folder may include all.
PUBLIC_HEADERS: dict[str, dict[str, set[str]]] = {
    "src/hsail/debug": {"src/hsail/print": {"source_places.h"}, "src/finalizer/debug": {"graph.h"}},
    # Debug information may include no header of lowering; other parts of the finalizer see the IR and the target operations.
    "src/finalizer/debug": {"src/finalizer/lower": {"debug_info.h"}},
    "src/finalizer/lower": {"src/finalizer": {"target_operations.h", "callers.h", "canonical.h", "facts.h", "nearest.h", "spmd.h", "values.h"}, "src/finalizer/debug": set()},
    "src/finalizer/x86": {"src/finalizer/targets.cpp": {"target.h"}},
    "src/finalizer/interpreter": {"src/finalizer/targets.cpp": {"target.h"}},
    "src/finalizer/ptx": {"src/finalizer/targets.cpp": {"target.h"}},
}

LLVM_FOLDERS = ("src/finalizer", "src/compiler", "src/devlib")
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
MAX_LINES = 900
SOURCES = (".h", ".hpp", ".c", ".cpp", ".S", ".py", ".cmake")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
TARGET = re.compile(r"^\s*(?:add_library|add_executable|heddle_library|heddle_agent)\(\s*([\w-]+)", re.MULTILINE)
# Names of environment variables: written out, and without HEDDLE_, as agent drivers pass them to hsam_host::setting.
VARIABLE = re.compile(r'"(HEDDLE_[A-Z0-9_]+)"')
SETTING = re.compile(r'\bsetting\((?:\w+,\s*)?"([A-Z0-9_]+)"')
INCLUDE_ROOTS = re.compile(r"^\s*(?:target_)?include_directories\(([^)]*)\)", re.MULTILINE)
LINKS = re.compile(r"^\s*target_link_libraries\(\s*([\w-]+)([^)]*)\)", re.MULTILINE)


def longest_prefix(table: dict, path: str):
    """Returns the longest entry of `table` that is `path` or a folder that contains it; None if there is none."""
    best = None
    for folder in table:
        if (path == folder or path.startswith(folder + "/")) and (best is None or len(folder) > len(best)):
            best = folder
    return best


def folder_of_include(root: Path, path: str, name: str) -> str | None:
    """Returns the path of a quoted include below src/, or None if it names no file there."""
    if (root / "src" / name).is_file():
        return "src/" + name
    sibling = (root / path).parent / name
    if sibling.is_file():
        return str(sibling.resolve().relative_to(root.resolve()))
    return None


def check_include(root: Path, path: str, line: int, name: str, findings: list[str]) -> None:
    where = f"{path}:{line}"
    if name.startswith(("llvm/", "llvm-c/", "lld/")) and not path.startswith(LLVM_FOLDERS + ("tests/devlib", "tests/finalizer", "tests/compiler", "bench/compiler")):
        findings.append(f"{where}: LLVM is visible in {', '.join(LLVM_FOLDERS)} only: {name}")
    first = name.split("/")[0]
    if first in ("hsa", "hsam", "hsail", "hip") and (root / "include" / name).is_file():
        owner = longest_prefix(PUBLIC, path)
        if owner is not None and not any(name.startswith(p if "/" in p else p + "/") for p in PUBLIC[owner]):
            findings.append(f"{where}: {owner} must not see <{name}>")
        return
    owner = longest_prefix(MAY_INCLUDE, path)
    if owner is None:
        return
    target = folder_of_include(root, path, name)
    if target is None:
        return
    folder = longest_prefix(PUBLIC_HEADERS, target)
    if folder is not None and longest_prefix({folder: None}, path) is None:
        user = longest_prefix(PUBLIC_HEADERS[folder], path)
        if user is None or target[len(folder) + 1:] not in PUBLIC_HEADERS[folder][user]:
            findings.append(f"{where}: not a public header of {folder}: {name}")
    target_owner = longest_prefix(MAY_INCLUDE, target)
    if target_owner in (owner, "src/support", None):
        return
    if target_owner not in MAY_INCLUDE[owner]:
        findings.append(f"{where}: points the wrong way: {owner} -> {target_owner} ({name})")


def check_file(root: Path, path: str, findings: list[str]) -> None:
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    if not any(LICENCE in l for l in lines[:3]):
        findings.append(f"{path}:1: no licence line")
    if path.startswith(("src/", "include/")) and len(lines) > MAX_LINES and not path.startswith("include/hsa/"):
        findings.append(f"{path}: {len(lines)} lines; at most {MAX_LINES}: is it one idea?")
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if found:
            check_include(root, path, number, found.group(2), findings)


def check_links(root: Path, findings: list[str]) -> None:
    """Checks that targets link only libraries from folders whose headers the target's folder may include."""
    lists = {str(file.relative_to(root)): file.read_text(encoding="utf-8")
             for top in ("src", "examples") for file in sorted((root / top).rglob("CMakeLists.txt"))}
    home = {target: path for path, text in lists.items() for target in TARGET.findall(text)}
    for path, text in lists.items():
        owner = longest_prefix(MAY_INCLUDE, path)
        for target, words in LINKS.findall(text):
            for library in words.split():
                if library == "LLVM" and not path.startswith(LLVM_FOLDERS):
                    findings.append(f"{path}: {target} links LLVM")
                if owner is None or library not in home:
                    continue
                if library in MAY_LINK:
                    allowed = owner in MAY_LINK[library]
                else:
                    other = longest_prefix(MAY_INCLUDE, home[library])
                    allowed = other in (owner, "src/support", None) or other in MAY_INCLUDE[owner]
                if not allowed:
                    findings.append(f"{path}: points the wrong way: {target} links {library}")


def check_include_roots(root: Path, findings: list[str]) -> None:
    """Checks that heddle_headers alone adds include roots, because a root in the source tree would show every header."""
    for file in sorted((root / "src").rglob("CMakeLists.txt")):
        for words in INCLUDE_ROOTS.findall(file.read_text(encoding="utf-8")):
            if "SOURCE_DIR" in words:
                findings.append(f"{file.relative_to(root)}: an include root in the source tree; heddle_headers makes roots")


def check_environment(root: Path, findings: list[str]) -> None:
    """Checks that docs/environment.md lists exactly the HEDDLE_ variables that the sources and ./dev read."""
    page = root / "docs/environment.md"
    listed = set(re.findall(r"^\| `(HEDDLE_\w+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE)) if page.is_file() else set()
    read: dict[str, str] = {}
    for file in sorted((root / "src").rglob("*")):
        if file.suffix in SOURCES and file.is_file():
            text = file.read_text(encoding="utf-8")
            for name in VARIABLE.findall(text) + ["HEDDLE_" + name for name in SETTING.findall(text)]:
                read.setdefault(name, str(file.relative_to(root)))
    if (root / "dev").is_file():
        for name in re.findall(r"\$\{(HEDDLE_\w+)", (root / "dev").read_text(encoding="utf-8")):
            read.setdefault(name, "dev")
    for name in sorted(read.keys() - listed):
        findings.append(f"{read[name]}: {name} is not in docs/environment.md")
    for name in sorted(listed - read.keys()):
        findings.append(f"docs/environment.md: nothing reads {name}")


def check_documents(root: Path, findings: list[str]) -> None:
    for top, pattern in ((".", "*.md"), ("docs", "**/*.md"), ("isa", "**/*.md"), ("bench", "**/*.md")):
        for file in sorted((root / top).glob(pattern)):
            if LICENCE not in file.read_text(encoding="utf-8").partition("\n")[0]:
                findings.append(f"{file.relative_to(root)}:1: no licence line")


def check(root: Path) -> list[str]:
    findings: list[str] = []
    check_links(root, findings)
    check_include_roots(root, findings)
    check_environment(root, findings)
    check_documents(root, findings)
    for top in ("src", "include", "tests", "bench", "examples", "tools", "isa", "cmake"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in SOURCES and file.is_file() and "__pycache__" not in file.parts:
                check_file(root, str(file.relative_to(root)), findings)
    return findings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    findings = check(parser.parse_args().root)
    for finding in findings:
        print(finding)
    print(f"house: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
