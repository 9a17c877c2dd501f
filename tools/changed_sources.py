#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the sources below src/ that clang-tidy has to check again after a change, one per line.

A file counts as changed if it differs between a base commit and the working tree, or is unknown to git. The base commit is the
first of these that exists:

  1. --base, or the variable HEDDLE_TIDY_BASE;
  2. for a branch under review, the commit where HEAD left the main branch of `origin`, if HEAD has commits of its own;
  3. for main itself, the tenth ancestor of HEAD, or the oldest one that the clone has.

A changed header is represented by a source that includes it, if possible the one of the same name. After a change of
.clang-tidy, and outside of a git repository, all sources count as changed. The decision is reported on standard error, so that
no source is left out silently.
"""
from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ANCESTORS = 10
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def say(text: str) -> None:
    print(f"changed_sources: {text}", file=sys.stderr)


def git(root: Path, *arguments: str) -> list[str] | None:
    """Returns the lines of the output; None if git fails."""
    answer = subprocess.run(["git", "-C", str(root), *arguments], text=True, capture_output=True, check=False)
    return answer.stdout.splitlines() if answer.returncode == 0 else None


def commit(root: Path, name: str) -> str | None:
    found = git(root, "rev-parse", "--verify", "--quiet", name + "^{commit}")
    return found[0] if found else None


def find_base(root: Path, wanted: str | None) -> tuple[str, str] | None:
    """Returns the base commit and the reason for choosing it; None if there is none."""
    if wanted:
        found = commit(root, wanted)
        if found is None:
            sys.exit(f"changed_sources: there is no commit {wanted!r}")
        return found, "as asked for"
    head = commit(root, "HEAD")
    if head is None:
        return None
    for main in ("origin/HEAD", "origin/main"):
        if commit(root, main):
            fork = git(root, "merge-base", main, head)
            if fork and fork[0] != head:
                return fork[0], f"where this branch left {main}"
            break
    ancestors = git(root, "rev-list", "--first-parent", f"--max-count={ANCESTORS + 1}", head) or []
    if len(ancestors) < 2:  # a single commit, or a clone of depth 1
        return None
    return ancestors[-1], f"{len(ancestors) - 1} commits before HEAD"


def all_files(root: Path, *endings: str) -> list[str]:
    return sorted(str(path.relative_to(root)) for ending in endings for path in (root / "src").rglob("*" + ending))


def includers(root: Path) -> dict[str, set[str]]:
    """Returns the files below src/ that include each header, by the header's path below the root. Includes are relative to
    src/ or to the including file's folder."""
    found: dict[str, set[str]] = {}
    for name in all_files(root, ".cpp", ".h"):
        for header in INCLUDE.findall((root / name).read_text(encoding="utf-8", errors="replace")):
            beside = os.path.normpath(os.path.join(os.path.dirname(name), header))
            target = beside if (root / beside).is_file() else "src/" + header
            found.setdefault(target, set()).add(name)
    return found


def stand_in(header: str, included_by: dict[str, set[str]]) -> str | None:
    """Returns the source of the same name, else the first one that includes the header, perhaps through other headers."""
    seen, reached = {header}, [header]
    sources: list[str] = []
    while reached and not sources:
        users = sorted({user for name in reached for user in included_by.get(name, ())} - seen)
        seen.update(users)
        sources = [user for user in users if user.endswith(".cpp")]
        reached = users
    of_its_name = header.removesuffix(".h") + ".cpp"
    return of_its_name if of_its_name in sources else next(iter(sources), None)


def changed_files(root: Path, base: str) -> list[str] | None:
    differing = git(root, "diff", "--name-only", "--diff-filter=d", base, "--")
    unknown = git(root, "ls-files", "--others", "--exclude-standard")
    return None if differing is None or unknown is None else sorted({*differing, *unknown})


def changed_sources(root: Path, wanted: str | None = None) -> list[str]:
    everything = all_files(root, ".cpp")
    base = find_base(root, wanted)
    files = changed_files(root, base[0]) if base else None
    if base is None or files is None:
        say(f"no history to compare with: all {len(everything)} sources")
        return everything
    words = f"since {base[0][:10]} ({base[1]})"
    if ".clang-tidy" in files:
        say(f".clang-tidy has changed {words}: all {len(everything)} sources")
        return everything
    below = [name for name in files if name.startswith("src/")]
    chosen = {name for name in below if name.endswith(".cpp")}
    included_by = includers(root)
    for header in (name for name in below if name.endswith(".h")):
        source = stand_in(header, included_by)
        if source is None:
            say(f"no source includes {header}: clang-tidy does not see it")
        else:
            chosen.add(source)
    say(f"{words}: {len(chosen)} of {len(everything)} sources")
    return sorted(chosen)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--base", default=os.environ.get("HEDDLE_TIDY_BASE") or None, metavar="COMMIT")
    arguments = parser.parse_args()
    for name in changed_sources(arguments.root, arguments.base):
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
