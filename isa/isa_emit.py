# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the instruction set as constant C++ tables: flat arrays that refer to each other by index ranges.

src/hsail/isa/tables.h includes the result in namespace heddle::isa::tables, after the element types. The tables
contain no pointers, so they need no relocation.
"""

from isa_model import EXCEPTIONS, Atom, Term


class Emitter:
    def __init__(self, instruction_set):
        self.isa = instruction_set
        self.pool = StringPool()
        self.sets = Interned()
        self.slots = Sequences()
        self.operands = Sequences()
        self.implied = Sequences()
        self.atoms = Sequences()
        self.rules = Sequences()
        self.variants = []
        self.instructions = []

    def emit(self):
        for instruction in self.isa.instructions:
            self._instruction(instruction)
        names = self._names()
        formats = self._formats()
        order = sorted(range(len(self.instructions)), key=lambda index: self.isa.instructions[index].mnemonic)
        parts = [
            "// Generated from isa/*.isa by isa/generate.py.\n",
            _array("ValueSet", "value_sets", [f"{{{low:#x}u, {high:#x}u}}" for low, high in self.sets.items]),
            _array("Slot", "slots", self.slots.items),
            _array("Operand", "operands", self.operands.items),
            _array("Implied", "implied", self.implied.items),
            _array("Atom", "atoms", self.atoms.items),
            _array("Rule", "rules", self.rules.items),
            _array("Variant", "variants", self.variants),
            _array("Instruction", "instructions", self.instructions),
            _array("uint16_t", "mnemonic_order", [str(index) for index in order], per_line=16),
            names,
            formats,
            self._control_directives(),
            _array("ImageGeometry", "image_geometries", [_geometry(one) for one in self.isa.geometries]),
            self.pool.emit(),
        ]
        return "\n".join(parts)

    def _instruction(self, instruction):
        first = len(self.variants)
        for variant in instruction.variants:
            self.variants.append(self._variant(instruction, variant))
        self.instructions.append(
            f"{{{self._text(instruction.mnemonic)}, {self._text(instruction.summary)}, "
            f"{self._text(instruction.clause)}, {{{first}, {len(instruction.variants)}}}, "
            f"Convergence::{instruction.convergence}, MemoryEffect::{instruction.memory}}}"
        )

    def _variant(self, instruction, variant):
        rules = variant.rules + self._common_rules(variant)
        fields = [
            str(instruction.opcode),
            self.isa.formats[variant.format].kind,
            _bool(variant.basic_if_default),
            " | ".join(EXCEPTIONS[word] for word in variant.exceptions) or "0",
            str(variant.since),
            _bool(variant.full_profile),
            _bool(variant.image_extension),
            self.slots.add([self._slot(slot) for slot in variant.slots]),
            self.operands.add([self._operand(operand) for operand in variant.operands]),
            self.implied.add([self._implied(implied) for implied in variant.implied]),
            self._conditions(variant.where),
            self.rules.add([self._rule(rule) for rule in rules]),
            self._text(variant.name),
            self._text(variant.clause),
        ]
        return "{" + ", ".join(fields) + "}"

    def _common_rules(self, variant):
        found = []
        for common in self.isa.common_rules:
            for slot in variant.slots:
                meant = not common.values or set(common.values) & set(slot.values)
                if slot.template == common.slot and meant:
                    found.append(common.rule)
        return found

    def _slot(self, slot):
        return (
            f"{{Field::{slot.field or 'type'}, SlotForm::{slot.form}, {_bool(slot.optional)}, "
            f"{slot.default}, {self._set(slot.values)}, {self._text(slot.word)}}}"
        )

    def _operand(self, operand):
        return (
            f"{{OperandKind::{operand.kind}, OperandType::{operand.type_rule}, "
            f"OperandCount::{operand.count_rule}, {operand.elements}, {operand.text_position}, "
            f"{operand.fixed_type}, {operand.maximum:#x}, {self._text(operand.name)}}}"
        )

    def _implied(self, implied):
        same = implied.same_as or "type"
        return (
            f"{{Field::{implied.field}, {implied.value}, {self._set(implied.accepted)}, "
            f"{_bool(implied.same_as is not None)}, Field::{same}}}"
        )

    def _rule(self, rule):
        return (
            f"{{{self._conditions(rule.when)}, {self._conditions(rule.require)}, {_bool(rule.warning)}, "
            f"{self._text(rule.id)}, {self._text(rule.message)}}}"
        )

    def _conditions(self, conditions):
        return self.atoms.add([self._atom(atom) for atom in conditions])

    def _atom(self, atom: Atom):
        terms = f"{_term(atom.left)}, Comparison::{atom.comparison}, {_term(atom.right)}"
        return f"{{{terms}, {self._set(atom.values)}}}"

    def _set(self, values):
        bits = sum(1 << value for value in set(values))
        assert bits < 1 << 128, "value sets hold values below 128"
        return self.sets.add((bits & (1 << 64) - 1, bits >> 64))

    def _text(self, text):
        offset, length = self.pool.add(text)
        return f"{{{offset}, {length}}}"

    def _names(self):
        entries, order, tables, enumerators = [], [], [], []
        for table, spelled in self.isa.names.items():
            first = len(entries)
            by_value = sorted(spelled.items(), key=lambda item: item[1])
            entries += [f"{{{value}, {self._text(spelling)}}}" for spelling, value in by_value]
            order += sorted(range(len(by_value)), key=lambda index: by_value[index][0])
            tables.append(f"{{{first}, {len(by_value)}}}")
            enumerators.append(table)
        checks = "\n".join(
            f"static_assert(static_cast<int>(Names::{table}) == {index});"
            for index, table in enumerate(enumerators)
        )
        return "\n".join([
            _array("NameEntry", "name_entries", entries),
            _array("uint16_t", "spelling_order", [str(index) for index in order], per_line=16),
            _array("Range", "name_tables", tables),
            checks,
            "",
        ])

    def _control_directives(self):
        rows = []
        for one in self.isa.control_directives:
            operand_type = f"HSA_BRIG_TYPE_{(one.operand_type or 'none').upper()}"
            rows.append(f"{{{operand_type}, {one.operands}, {_bool(one.wavesize)}, {_bool(one.power_of_two)}, "
                        f"{one.least}u, {one.most}u, DirectiveMerge::{one.merge}}}")
        return _array("ControlDirective", "control_directives", rows)

    def _formats(self):
        entries, fields = [], []
        for form in sorted(self.isa.formats.values(), key=lambda form: form.kind_value):
            entries.append(f"{{{form.kind}, sizeof({form.struct}), {{{len(fields)}, {len(form.fields)}}}}}")
            for entry in form.fields:
                member = f"{form.struct}::{entry.member}"
                fields.append(
                    f"{{Field::{entry.field}, offsetof({form.struct}, {entry.member}), sizeof({member}), "
                    f"{entry.bit or '0'}}}"
                )
        return _array("Format", "formats", entries) + "\n" + _array("FormatField", "format_fields", fields)


class StringPool:
    """Keeps all texts in one array, in which a text that is part of an earlier one shares its bytes."""

    def __init__(self):
        self.data = ""
        self.known = {}

    def add(self, text):
        if text not in self.known:
            at = self.data.find(text)
            if at < 0:
                at = len(self.data)
                self.data += text
            self.known[text] = (at, len(text))
        return self.known[text]

    def emit(self):
        lines = []
        for start in range(0, len(self.data), 96):
            piece = self.data[start : start + 96].replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  "{piece}"')
        return "inline constexpr char pool[] =\n" + "\n".join(lines) + ";\n"


class Interned:
    """A list of items in which equal items share an index."""

    def __init__(self):
        self.items = []
        self.index = {}

    def add(self, item):
        if item not in self.index:
            self.index[item] = len(self.items)
            self.items.append(item)
        return self.index[item]


class Sequences:
    """Concatenated sequences of items, in which equal sequences share a range."""

    def __init__(self):
        self.items = []
        self.known = {(): 0}

    def add(self, sequence):
        key = tuple(sequence)
        if key not in self.known:
            self.known[key] = len(self.items)
            self.items += sequence
        return f"{{{self.known[key]}, {len(key)}}}"


def emit_shapes(isa):
    """Returns the geometries as rows for src/image/format.cpp, which does not depend on the HSAIL tables."""
    rows = []
    for one in isa.geometries:
        dimensions = one.coordinates - ("array" in one.sizes)
        rows.append(f"{{{dimensions}, {_bool('array' in one.sizes)}, {_bool(one.holds_depth)}}},  // {one.name}")
    return "// Generated from isa/geometries.isa by isa/generate.py.\n" + "\n".join(rows) + "\n"


def _geometry(geometry):
    has = ", ".join(_bool(size in geometry.sizes) for size in ("height", "depth", "array"))
    return f"{{{geometry.coordinates}, {has}, {_bool(geometry.holds_depth)}}}"


def _term(term: Term):
    kind = "unsigned_type" if term.kind == "unsigned" else term.kind
    return f"{{TermKind::{kind}, Field::{term.field}, {term.value}}}"


def _bool(value):
    return "true" if value else "false"


def _array(element, name, items, per_line=1):
    lines = [", ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)]
    return f"inline constexpr {element} {name}[] = {{\n  " + ",\n  ".join(lines) + ",\n};\n"
