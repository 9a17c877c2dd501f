#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the reader and the generator of the instruction set. Arguments: none; ctest runs it."""

import contextlib
import io
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "isa"))

import generate
import isa_docs
from isa_emit import Emitter, StringPool, emit_shapes
from isa_header import HeaderError, parse_enumerators, parse_struct_members, with_prefix
from isa_parser import IsaError, Parser

INCLUDE = ROOT / "include"
FOUNDATION = [ROOT / "isa" / name for name in generate.FIRST]

# With one opcode, a single block is a complete instruction set.
SMALL_HEADER = """
typedef enum {
  HSA_BRIG_OPCODE_NOP = 0,
  HSA_BRIG_OPCODE_FIRST_USER_DEFINED = 32768
} hsa_brig_opcode_t;
"""

NOP = """
instruction nop
  opcode 0
  clause 11.4.1
  summary Does nothing.
  variant nop
    format basic
    mnemonic
    operands
"""


def enumerators(opcodes):
    values = parse_enumerators(generate.header_text(INCLUDE))
    values = {name: value for name, value in values.items() if not name.startswith("HSA_BRIG_OPCODE_")}
    return values | parse_enumerators(opcodes)


def structs():
    return parse_struct_members(generate.header_text(INCLUDE))


def parse(text, foundation=True, opcodes=SMALL_HEADER):
    parser = Parser(enumerators(opcodes), structs())
    if foundation:
        for path in FOUNDATION:
            parser.feed(path.name, path.read_text())
    parser.feed("test.isa", text)
    return parser.finish()


def nop_with(mnemonic="", operands="", form="basic", extra=""):
    """The block of nop with other contents in its variant."""
    text = NOP.replace("format basic", f"format {form}")
    text = text.replace("    mnemonic\n", f"    mnemonic {mnemonic}\n")
    return text.replace("    operands\n", f"    operands {operands}\n{extra}")


def of_instruction(line):
    """The block of nop with one more line before its variant."""
    return NOP.replace("  variant nop\n", f"  {line}\n  variant nop\n")


class WholeSet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.isa = generate.load(INCLUDE, generate.default_files())
        cls.opcodes = with_prefix(parse_enumerators(generate.header_text(INCLUDE)), "HSA_BRIG_OPCODE")

    def test_every_opcode_of_the_header_once(self):
        described = {one.mnemonic.upper(): one.opcode for one in self.isa.instructions}
        self.assertEqual(described, self.opcodes)
        self.assertEqual([one.opcode for one in self.isa.instructions], list(range(len(self.opcodes))))

    def test_rule_ids_carry_a_clause(self):
        for instruction in self.isa.instructions:
            for variant in instruction.variants:
                for rule in variant.rules:
                    self.assertRegex(rule.id, r"^HSAIL-[0-9.]+-[a-z0-9-]+$")

    def test_every_instruction_has_a_clause_and_a_sentence(self):
        for instruction in self.isa.instructions:
            self.assertRegex(instruction.clause, r"^\d+(\.\d+)+$")
            self.assertTrue(instruction.summary.endswith("."), instruction.mnemonic)

    def test_tables_are_the_same_each_time(self):
        again = generate.load(INCLUDE, generate.default_files())
        self.assertEqual(Emitter(self.isa).emit(), Emitter(again).emit())

    def test_tables_have_no_pointers_and_all_instructions(self):
        tables = Emitter(self.isa).emit()
        self.assertNotIn("*", tables.split("char pool")[0].split("\n", 1)[1])
        body = re.search(r"constexpr Instruction instructions\[\] = \{\n(.*?)\n\};", tables, re.S).group(1)
        self.assertEqual(len(body.splitlines()), len(self.opcodes))

    def test_docs_have_every_instruction(self):
        page = isa_docs.emit(self.isa)
        for instruction in self.isa.instructions:
            self.assertIn(f"\n## {instruction.mnemonic}\n", page)
        self.assertIn("atomic_cas[_{global group}]_{rlx scacq screl scar}_{wave wg agent system}[_equiv(n)]",
                      page)
        self.assertIn("call func, (out...), (in...)", page)


class Blocks(unittest.TestCase):
    def problem(self, text, expected, foundation=True, opcodes=SMALL_HEADER):
        with self.assertRaises(IsaError) as caught:
            parse(text, foundation, opcodes)
        self.assertRegex(str(caught.exception), expected)

    def test_good_block(self):
        isa = parse(NOP)
        self.assertEqual([one.mnemonic for one in isa.instructions], ["nop"])

    def test_positions(self):
        self.problem("\n\nbogus\n" + NOP, r"test\.isa:3: unknown statement 'bogus'")
        self.problem(NOP + "    frobnicate x\n", r"test\.isa:10: unexpected 'frobnicate x' in a variant")

    def test_all_mistakes_are_told(self):
        with self.assertRaises(IsaError) as caught:
            parse("bogus\nbogus2\n" + NOP)
        self.assertEqual(len(str(caught.exception).splitlines()), 2)

    def test_opcodes(self):
        self.problem("", "the header has opcode nop, which no block describes")
        self.problem(NOP + NOP.replace("nop", "npo"), "instruction npo is not in the header")
        self.problem(NOP + NOP, "instruction nop is defined twice")
        self.problem(NOP.replace("opcode 0", "opcode 1"), "must have opcode 0, not 1")
        self.problem(NOP.replace("opcode 0", "opcode zero"), "expected: opcode NUMBER")

    def test_gaps_between_opcodes_are_refused(self):
        # Tables are indexed by opcode: after a gap every row would belong to another instruction.
        header = SMALL_HEADER.replace("HSA_BRIG_OPCODE_NOP = 0,", "HSA_BRIG_OPCODE_NOP = 0, HSA_BRIG_OPCODE_LATE = 2,")
        late = NOP.replace("instruction nop", "instruction late").replace("opcode 0", "opcode 2")
        self.problem(NOP + late, "the header has no opcode 1, but larger ones", opcodes=header)

    def test_incomplete_blocks(self):
        self.problem(NOP.replace("    format basic\n", ""), "nop nop: no format")
        self.problem(NOP.replace("    mnemonic\n", ""), "no mnemonic")
        self.problem(NOP.replace("    operands\n", ""), "no operands")
        self.problem(NOP.replace("  summary Does nothing.\n", ""), "needs a summary and a clause")
        self.problem(NOP.split("  variant")[0], "has no variant")
        self.problem("  opcode 0\n", "an indented line must belong to a block")
        self.problem(NOP.replace("  variant nop\n", ""), "'format' must stand in a variant")
        self.problem(NOP + "  variant nop\n    format basic\n    mnemonic\n    operands\n", "defined twice")

    def test_slots(self):
        self.problem(nop_with("type{u33}"), "'u33' is no value of type")
        self.problem(nop_with("type{NOSET}"), "unknown set NOSET")
        self.problem(nop_with("type{u32 u32}"), "a value is listed twice")
        self.problem(nop_with("type"), "slot type needs its values in braces")
        self.problem(nop_with("[type{u32}]"), "cannot be optional")
        self.problem(nop_with("[ftz"), "unbalanced bracket around slot ftz")
        self.problem(nop_with("nosuch"), "unknown slot 'nosuch'")
        self.problem(nop_with("type{u32"), "cannot read the mnemonic|unknown slot|needs its values")
        self.problem(nop_with("[ftz] type{f32}"), "format basic does not store ftz")
        self.problem(nop_with("type{u32} type{u64}"), "two slots for one field")
        self.problem(nop_with("[width=3] type{u32}", form="br"), "'3' is no value of width")

    def test_operands(self):
        self.problem(nop_with("type{u32}", "thing"), "operand 'thing' needs a kind")
        self.problem(nop_with("type{u32}", "thing:thing"), "unknown operand kind 'thing'")
        self.problem(nop_with("type{u32}", "dest(u33)"), "'u33' is no value of type")
        self.problem(nop_with("type{u32}", "dest("), "cannot read the operand")
        self.problem(nop_with("", "dest"), "has the type type, which the mnemonic lacks")
        self.problem(nop_with("type{u32}", "dest src(source_type)"), "which the mnemonic lacks")
        self.problem(nop_with("type{u32}", "label:label(u32)"), "operand label has no type")
        self.problem(nop_with("type{u32}", "dest@1"), "text positions")
        self.problem(nop_with("type{u32}", "dest*vector"), "belong together")

    def test_formats_and_implied_fields(self):
        self.problem(nop_with(form="nosuch"), "unknown format 'nosuch'")
        self.problem(nop_with(form="mod or cvt"), "unknown format")
        self.problem(nop_with("sat type{u32}", form="mod or basic"), "the format cannot be basic")
        self.problem(nop_with(extra="    implied width all\n"), "does not store width")
        self.problem(nop_with("[width]", form="br", extra="    implied width all\n"), "is a slot and implied")
        self.problem(nop_with(form="br", extra="    implied width\n"), "expected: implied FIELD VALUE")

    def test_rules(self):
        for rule, expected in (
            ("X require type == u32 : no", "expected: rule HSAIL-ID"),
            ("HSAIL-1-x require type == u32", "expected: rule HSAIL-ID"),
            ("HSAIL-1-x require type : no", "cannot read the condition"),
            ("HSAIL-1-x require type == 3.4 : no", "'3.4' is no value of type"),
            ("HSAIL-1-x require color == 1 : no", "unknown term 'color'"),
            ("HSAIL-1-x require age(type) == 1 : no", "unknown function 'age'"),
            ("HSAIL-1-x require size(color) == 1 : no", "unknown field 'color'"),
            ("HSAIL-1-x require size(type) == big : no", "'big' is not a number"),
            ("HSAIL-1-x require profile == huge : no", "unknown profile 'huge'"),
        ):
            self.problem(nop_with("type{u32}", extra=f"    rule {rule}\n"), expected)

    def test_properties(self):
        self.problem(of_instruction("convergence sometimes"), "unknown convergence 'sometimes'")
        self.problem(of_instruction("memory lots"), "unknown memory 'lots'")
        self.problem(NOP + "    memory load\n", "'memory' belongs to the whole instruction")
        self.problem(NOP + "    convergence barrier\n", "'convergence' belongs to the whole instruction")
        self.problem(NOP + "    exceptions tantrum\n", "unknown exceptions 'tantrum'")
        self.problem(NOP + "    profile base\n", "unexpected 'profile base'")

    def test_properties_of_the_instruction(self):
        block = of_instruction("convergence barrier\n  memory load")
        instruction = parse(block).instructions[0]
        self.assertEqual((instruction.convergence, instruction.memory), ("barrier", "load"))

    def test_shared_lines_reach_every_variant(self):
        block = of_instruction("exceptions invalid")
        block += "  variant other\n    format basic\n    mnemonic type{u32}\n    operands\n"
        variants = parse(block).instructions[0].variants
        self.assertEqual([variant.exceptions for variant in variants], [("invalid",), ("invalid",)])

    def test_image_instructions_agree_with_the_geometries(self):
        image = "v{4} geometry{%s} type{f32} image_type{roimg} coord_type{f32}"
        operands = "dest*vector image:source_register(image_type) coord:source(coord_type)*%d"
        self.problem(nop_with(image % "2d", operands % 3, "image"), "geometry 2d has 2 coordinates")
        self.problem(nop_with(image % "1da", operands % 1, "image"), "geometry 1da has 2 coordinates")
        self.problem(nop_with(image % "2ddepth", operands % 2, "image"),
                     "an element of geometry 2ddepth has one component")
        depth = nop_with((image % "2d").replace("v{4} ", ""), (operands % 2).replace("*vector", ""), "image")
        self.problem(depth, "an element of geometry 2d has four components")
        parse(nop_with(image % "2d", operands % 2, "image"))

    def test_continued_lines_and_comments(self):
        isa = parse(nop_with("type{u32 \\\n      u64}  # two", "dest"))
        self.assertEqual(len(isa.instructions[0].variants[0].slots[0].values), 2)


class Foundation(unittest.TestCase):
    def problem(self, text, expected):
        with self.assertRaises(IsaError) as caught:
            parse(text + NOP)
        self.assertRegex(str(caught.exception), expected)

    def test_sets(self):
        self.problem("set low = u32\n", "expected: set NAME")
        self.problem("set F = f32\n", "set F is defined twice")

    def test_names(self):
        self.problem("names mine HSA_BRIG_NOSUCH\n", "no enumerators HSA_BRIG_NOSUCH_")
        self.problem("names mine HSA_BRIG_PROFILE\n  MIDDLE middle\n", "has no enumerator 'MIDDLE'")
        self.problem("names mine HSA_BRIG_PROFILE\n  BASE full\n", "spells two values 'full'")
        self.problem("names pack HSA_BRIG_PACK\n", "names pack is defined twice")

    def test_formats(self):
        kind, struct = "HSA_BRIG_KIND_INST_MOD", "hsa_brig_inst_mod_t"
        self.problem(f"format mine HSA_BRIG_KIND_NOSUCH {struct}\n", "the header has no HSA_BRIG_KIND_NOSUCH")
        self.problem(f"format mine {kind} hsa_brig_nosuch_t\n", "the header has no hsa_brig_nosuch_t")
        self.problem(f"format mine {kind} {struct}\n  round roundness\n", "no member roundness")

    def test_slots(self):
        self.problem("slot ftz flag ftz ftz\n", "slot ftz is defined twice")
        self.problem("slot mine shape ftz\n", "unknown form 'shape'")
        self.problem("slot mine name color\n", "unknown field 'color'")

    def test_common_rules(self):
        self.problem("rule HSAIL-1-x for color require type == u32 : no\n", "unknown slot 'color'")
        self.problem("rule HSAIL-1-x require type == u32 : no\n", "expected: rule ID for SLOT")


class DirectivesAndGeometries(unittest.TestCase):
    """Changes of the files themselves: they are complete, so that another block for the same name is a mistake."""

    def problem(self, name, old, new, expected):
        parser = Parser(enumerators(SMALL_HEADER), structs())
        for path in FOUNDATION:
            text = path.read_text()
            if path.name == name:
                self.assertIn(old, text)
                text = text.replace(old, new, 1)
            parser.feed(path.name, text)
        parser.feed("test.isa", NOP)
        with self.assertRaises(IsaError) as caught:
            parser.finish()
        self.assertRegex(str(caught.exception), expected)

    def test_control_directives(self):
        def problem(old, new, expected):
            self.problem("directives.isa", old, new, expected)

        problem("control requireddim", "control requiredmood", "'requiredmood' is no control_directive")
        problem("control requireddim", "control maxflatgridsize", "maxflatgridsize is defined twice")
        problem("control requireddim", "control requiredmood", "control_directive requireddim, which no block")
        problem("u32 1..3", "u32 3..1", "3..1 is no range of u32")
        problem("u32 1..3", "u32 1..5000000000", "1..5000000000 is no range of u32")
        problem("u32 1..3", "f32 1..3", "expected: operands TYPE")
        problem("u64*3", "u64*4", "at most three operands")
        problem("merge limit", "merge somehow", "unknown merge 'somehow'")
        problem("  merge limit\n", "", "maxflatgridsize needs a summary, a clause and merge")
        problem("  merge limit\n", "  color red\n", "unexpected 'color red' in a control directive")

    def test_geometries(self):
        def problem(old, new, expected):
            self.problem("geometries.isa", old, new, expected)

        problem("geometry 3d", "geometry 4d", "'4d' is no image_geometry")
        problem("geometry 3d", "geometry 2d", "image_geometry 2d is defined twice")
        problem("geometry 3d", "geometry 4d", "image_geometry 3d, which no block describes")
        problem("sizes width height depth", "sizes width depth", "expected: sizes width")
        problem("sizes width height depth", "sizes height width depth", "expected: sizes width")
        problem("sizes width height depth", "sizes width weight", "unknown size 'weight'")
        problem("  sizes width height depth\n", "", "geometry 3d needs its sizes")
        problem("holds depth", "holds water", "unexpected 'holds water' in a geometry")

    def test_gaps_between_values_are_refused(self):
        values = enumerators(SMALL_HEADER)
        values["HSA_EXT_BRIG_IMAGE_GEOMETRY_9D"] = 9
        parser = Parser(values, structs())
        for path in FOUNDATION:
            parser.feed(path.name, path.read_text())
        parser.feed("test.isa", NOP)
        with self.assertRaises(IsaError) as caught:
            parser.finish()
        self.assertIn("the header has no image_geometry 8, but larger ones", str(caught.exception))

    def test_rows(self):
        isa = generate.load(INCLUDE, generate.default_files())
        self.assertEqual([one.name for one in isa.control_directives][:2],
                         ["enablebreakexceptions", "enabledetectexceptions"])
        dim = next(one for one in isa.control_directives if one.name == "requireddim")
        self.assertEqual((dim.operand_type, dim.operands, dim.least, dim.most), ("u32", 1, 1, 3))
        self.assertEqual([one.coordinates for one in isa.geometries], [1, 2, 3, 2, 3, 1, 2, 3])
        self.assertEqual(emit_shapes(isa).splitlines()[-1], "{2, true, true},  // 2dadepth")


class Header(unittest.TestCase):
    def test_expressions(self):
        values = parse_enumerators("typedef enum { HSA_BRIG_A = 1 << 4, HSA_BRIG_B = HSA_BRIG_A | 0x3 } a;")
        self.assertEqual(values, {"HSA_BRIG_A": 16, "HSA_BRIG_B": 19})

    def test_unreadable(self):
        for body in ("HSA_BRIG_A", "HSA_BRIG_A = HSA_BRIG_B", "HSA_BRIG_A = sizeof(int)"):
            with self.assertRaises(HeaderError):
                parse_enumerators(f"typedef enum {{ {body} }} a;")

    def test_members(self):
        members = parse_struct_members("typedef struct a_s { int x; char y[3]; } a_t;")
        self.assertEqual(members, {"a_t": {"x", "y"}})


class Program(unittest.TestCase):
    def test_writes_both_files(self):
        with tempfile.TemporaryDirectory() as folder:
            tables, docs = pathlib.Path(folder, "a", "tables.inc"), pathlib.Path(folder, "docs.md")
            status = generate.main(["--include", str(INCLUDE), "--tables", str(tables), "--docs", str(docs)])
            self.assertEqual(status, 0)
            self.assertIn("inline constexpr Variant variants[]", tables.read_text())
            self.assertIn("# HSAIL instructions", docs.read_text())

    def test_mistakes_give_status_1(self):
        with tempfile.TemporaryDirectory() as folder:
            bad = pathlib.Path(folder, "bad.isa")
            bad.write_text("bogus\n")
            messages = io.StringIO()
            with contextlib.redirect_stderr(messages):
                status = generate.main(["--include", str(INCLUDE), str(bad)])
            self.assertEqual(status, 1)
            self.assertIn("bad.isa:1: unknown statement 'bogus'", messages.getvalue())

    def test_string_pool_shares(self):
        pool = StringPool()
        self.assertEqual([pool.add("abc"), pool.add("b"), pool.add("abc"), pool.add("d")],
                         [(0, 3), (1, 1), (0, 3), (3, 1)])


if __name__ == "__main__":
    unittest.main()
