#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates the instruction tables and the instruction reference from isa/*.isa.

    generate.py --include DIR [--tables FILE] [--docs FILE] [--shapes FILE] [ISA_FILES...]

DIR is the root of the public headers, whose hsa/hsa_brig*.h contain the values and layouts. --tables writes the tables
for src/hsail/isa, --docs the instruction reference, and --shapes the image geometries for src/image. Without
ISA_FILES, all *.isa files in the folder of this program are read. Mistakes are reported as file:line: message, with
exit status 1.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import isa_docs
from isa_emit import Emitter, emit_shapes
from isa_header import parse_enumerators, parse_struct_members
from isa_parser import IsaError, Parser

# Files with definitions that the others use, in the order in which they are read.
FIRST = ("names.isa", "formats.isa", "common.isa", "directives.isa", "geometries.isa")


def load(include, files):
    """Parses the files, and returns the InstructionSet. Raises IsaError."""
    text = header_text(include)
    parser = Parser(parse_enumerators(text), parse_struct_members(text))
    for path in in_order(files):
        parser.feed(path.name, path.read_text())
    return parser.finish()


def header_text(include):
    """Returns the concatenated text of the public BRIG headers below the folder `include`."""
    return "\n".join(path.read_text() for path in sorted(pathlib.Path(include, "hsa").glob("hsa_brig*.h")))


def in_order(files):
    def key(path):
        return (FIRST.index(path.name) if path.name in FIRST else len(FIRST), path.name)

    return sorted(map(pathlib.Path, files), key=key)


def default_files():
    return list(pathlib.Path(__file__).resolve().parent.glob("*.isa"))


def write(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--include", required=True)
    parser.add_argument("--tables")
    parser.add_argument("--docs")
    parser.add_argument("--shapes")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args(arguments)
    try:
        isa = load(options.include, options.files or default_files())
    except IsaError as error:
        print(error, file=sys.stderr)
        return 1
    if options.tables:
        write(options.tables, Emitter(isa).emit())
    if options.docs:
        write(options.docs, isa_docs.emit(isa))
    if options.shapes:
        write(options.shapes, emit_shapes(isa))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
