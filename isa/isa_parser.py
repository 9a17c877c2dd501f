# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads *.isa files. The language is described in isa/README.md."""

import fnmatch
import re

from isa_header import with_prefix
from isa_model import (
    COMPARISONS, CONVERGENCE, ENVIRONMENT, EXCEPTIONS, FIELD_ALIASES, FIELD_NAMES, FIELDS, FORMS, IMAGE_SIZES,
    MEMORY, MERGES, OPERAND_KINDS, TERM_FUNCTIONS, TYPELESS_KINDS, Atom, CommonRule, ControlDirective, Format,
    FormatField, Geometry, Implied, Instruction, InstructionSet, Operand, Position, Rule, Slot, SlotTemplate,
    Term, Variant,
)


# Keywords of lines that, before the first variant of an instruction, apply to all its variants.
SHARED_KEYWORDS = ("exceptions", "since", "profile", "extension", "rule", "warning")
# The names in rules for the geometries with a certain size: the set WITHHEIGHT has those with a height.
SIZE_SETS = {size: f"WITH{size.upper()}" for size in IMAGE_SIZES}


class IsaError(Exception):
    """Mistakes in .isa files, each on a line of the message of the form file:line: message."""


class _Mistake(Exception):
    """A mistake in the line being read."""


class Parser:
    """Parses .isa files: call feed() for each file, common definitions first, and then finish()."""

    def __init__(self, enumerators, structs):
        self.enumerators = enumerators
        self.structs = structs
        self.sets = {name: [] for name in SIZE_SETS.values()}
        self.names = {}
        self.names_overrides = None  # (table, prefix, {pattern: spelling})
        self.formats = {}
        self.format = None
        self.templates = {}
        self.common_rules = []
        self.controls = []
        self.control = None
        self.geometries = []
        self.geometry = None
        self.instructions = []
        self.instruction = None
        self.variant = None
        self.shared = []  # lines of the instruction that stand before its first variant
        self.errors = []
        self.position = None

    def feed(self, file_name, text):
        for number, line in _logical_lines(text):
            self.position = Position(file_name, number)
            try:
                self._statement(line)
            except _Mistake as mistake:
                self.errors.append(f"{self.position}: {mistake}")
        self._close_all()

    def finish(self):
        """Returns the InstructionSet, or raises IsaError with all mistakes."""
        self._check_whole()
        if self.errors:
            raise IsaError("\n".join(self.errors))
        self.instructions.sort(key=lambda instruction: instruction.opcode)
        self.controls.sort(key=lambda control: control.value)
        self.geometries.sort(key=lambda geometry: geometry.value)
        return InstructionSet(self.names, self.formats, self.instructions, self.common_rules, self.controls,
                              self.geometries)

    # Statements

    def _statement(self, line):
        keyword, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        indented = line.startswith(" ")
        if not indented:
            self._close_all()
            handler = {
                "set": self._set, "names": self._open_names, "format": self._open_format, "slot": self._slot,
                "rule": self._common_rule, "warning": self._common_rule,
                "control": self._open_control, "geometry": self._open_geometry,
                "instruction": self._open_instruction,
            }.get(keyword)
            if handler is None:
                raise _Mistake(f"unknown statement '{keyword}'")
            handler(*((rest, keyword) if handler == self._common_rule else (rest,)))
        elif self.names_overrides is not None:
            self.names_overrides[2][keyword] = rest
        elif self.format is not None:
            self._format_field(keyword, rest)
        elif self.control is not None:
            self._control_line(keyword, rest)
        elif self.geometry is not None:
            self._geometry_line(keyword, rest)
        elif self.instruction is not None:
            self._instruction_line(keyword, rest)
        else:
            raise _Mistake("an indented line must belong to a block")

    def _close_all(self):
        self._close_names()
        self._close_variant()
        self.format = None
        self.control = None
        self.geometry = None
        self.instruction = None

    def _set(self, rest):
        name, equals, items = rest.partition("=")
        name = name.strip()
        if not equals or not re.fullmatch(r"[A-Z][A-Z0-9]*", name):
            raise _Mistake("expected: set NAME = values")
        if name in self.sets:
            raise _Mistake(f"set {name} is defined twice")
        self.sets[name] = self._expand(items.split())

    def _expand(self, items):
        result = []
        for item in items:
            if re.fullmatch(r"[A-Z][A-Z0-9]*", item) and item != "WAVESIZE":
                if item not in self.sets:
                    raise _Mistake(f"unknown set {item}")
                result += self.sets[item]
            else:
                result.append(item)
        return result

    def _open_names(self, rest):
        parts = rest.split()
        if len(parts) != 2:
            raise _Mistake("expected: names NAME ENUMERATOR_PREFIX")
        if parts[0] in self.names:
            raise _Mistake(f"names {parts[0]} is defined twice")
        if not with_prefix(self.enumerators, parts[1]):
            raise _Mistake(f"the header has no enumerators {parts[1]}_*")
        self.names_overrides = (parts[0], parts[1], {})

    def _close_names(self):
        if self.names_overrides is None:
            return
        table, prefix, overrides = self.names_overrides
        self.names_overrides = None
        spelled = {}
        used = set()
        for name, value in with_prefix(self.enumerators, prefix).items():
            if name.startswith("CLASS_"):
                continue  # masks for the fields of type codes have the same prefix as types
            spelling = name.lower()
            for pattern, override in overrides.items():
                if fnmatch.fnmatchcase(name, pattern):
                    spelling = override
                    used.add(pattern)
            if spelling == "-":
                continue
            if spelling in spelled:
                self.errors.append(f"{self.position}: names {table} spells two values '{spelling}'")
            spelled[spelling] = value
        for pattern in overrides.keys() - used:
            self.errors.append(f"{self.position}: names {table}: {prefix} has no enumerator '{pattern}'")
        self.names[table] = spelled

    def _open_format(self, rest):
        parts = rest.split()
        if len(parts) != 3:
            raise _Mistake("expected: format NAME KIND STRUCT")
        name, kind, struct = parts
        if name in self.formats:
            raise _Mistake(f"format {name} is defined twice")
        if kind not in self.enumerators:
            raise _Mistake(f"the header has no {kind}")
        if struct not in self.structs:
            raise _Mistake(f"the header has no {struct}")
        self.format = self.formats[name] = Format(name, kind, self.enumerators[kind], struct, [])

    def _format_field(self, name, rest):
        parts = rest.split()
        if name not in FIELDS or len(parts) not in (1, 2):
            raise _Mistake("expected: FIELD MEMBER [BIT]")
        if parts[0] not in self.structs[self.format.struct]:
            raise _Mistake(f"{self.format.struct} has no member {parts[0]}")
        bit = parts[1] if len(parts) == 2 else None
        if bit is not None and bit not in self.enumerators:
            raise _Mistake(f"the header has no {bit}")
        self.format.fields.append(FormatField(name, parts[0], bit))

    def _slot(self, rest):
        parts = rest.split()
        name = parts[0] if parts else ""
        if name in self.templates:
            raise _Mistake(f"slot {name} is defined twice")
        form = parts[1] if len(parts) > 1 else ""
        if form not in FORMS:
            raise _Mistake(f"unknown form '{form}' of slot {name}")
        parts = parts[2:]
        word = parts.pop(0) if form != "name" and parts else ""
        field = None
        if form != "literal":
            field = parts.pop(0) if parts else ""
            if field not in FIELDS:
                raise _Mistake(f"unknown field '{field}'")
        absent = values = None
        while parts:
            keyword = parts.pop(0)
            if keyword == "absent" and parts:
                absent = self._value(field, parts.pop(0))
            elif keyword == "values" and values is None:
                end = parts.index("absent") if "absent" in parts else len(parts)
                values, parts = self._values(field, form, parts[:end]), parts[end:]
            else:
                raise _Mistake(f"unexpected '{keyword}'")
        if form == "flag":
            values, absent = (0, 1), 0
        if form == "number":
            values = ()
        self.templates[name] = SlotTemplate(name, FORMS[form], word, field, values, absent, self.position)

    def _common_rule(self, rest, keyword):
        match = re.fullmatch(r"(\S+) for (\w+)(?:\{([^}]*)\})? (.*)", rest)
        if not match:
            raise _Mistake("expected: rule ID for SLOT{VALUES} when CONDITIONS require CONDITIONS : MESSAGE")
        rule_id, slot, values, conditions = match.groups()
        template = self._template(slot)
        values = tuple(self._values(template.field, "name", values.split())) if values else ()
        rule = self._rule(f"{rule_id} {conditions}", keyword == "warning")
        self.common_rules.append(CommonRule(rule, slot, values, self.position))

    def _template(self, name):
        if name not in self.templates:
            raise _Mistake(f"unknown slot '{name}'")
        return self.templates[name]

    # Control directives and image geometries

    def _open_control(self, name):
        self.control = ControlDirective(name, self.position, self._named("control_directive", name, self.controls))
        self.controls.append(self.control)

    def _control_line(self, keyword, rest):
        control = self.control
        if keyword in ("clause", "summary"):
            setattr(control, keyword, rest)
        elif keyword == "merge":
            control.merge = _one_of(rest, MERGES, keyword)
        elif keyword == "operands":
            self._control_operands(control, rest)
        else:
            raise _Mistake(f"unexpected '{keyword} {rest}' in a control directive")

    def _control_operands(self, control, rest):
        match = re.fullmatch(r"(u32|u64)(?:\*(\d))? (\d+)\.\.(\d+|max)( power_of_two)?( or WAVESIZE)?", rest)
        if not match:
            raise _Mistake("expected: operands TYPE[*COUNT] LEAST..MOST [power_of_two] [or WAVESIZE]")
        type_name, count, least, most, power_of_two, wavesize = match.groups()
        largest = (1 << int(type_name[1:])) - 1
        control.operand_type, control.operands = type_name, int(count or 1)
        control.least, control.most = int(least), largest if most == "max" else int(most)
        control.power_of_two, control.wavesize = power_of_two is not None, wavesize is not None
        if not control.least <= control.most <= largest:
            raise _Mistake(f"{least}..{most} is no range of {type_name}")
        if not 1 <= control.operands <= 3:
            raise _Mistake("a control directive has at most three operands")

    def _open_geometry(self, name):
        self.geometry = Geometry(name, self.position, self._named("image_geometry", name, self.geometries))
        self.geometries.append(self.geometry)

    def _geometry_line(self, keyword, rest):
        geometry = self.geometry
        if keyword == "sizes" and not geometry.sizes:
            sizes = tuple(_one_of(word, IMAGE_SIZES, "size") for word in rest.split())
            in_order = tuple(size for size in IMAGE_SIZES if size in sizes)
            if sizes != in_order or sizes[0] != "width" or ("depth" in sizes and "height" not in sizes):
                raise _Mistake("expected: sizes width [height [depth]] [array]")
            geometry.sizes = sizes
            for size in sizes:
                self.sets[SIZE_SETS[size]].append(geometry.name)
        elif keyword == "holds" and rest == "depth":
            geometry.holds_depth = True
        else:
            raise _Mistake(f"unexpected '{keyword} {rest}' in a geometry")

    def _named(self, table, name, known):
        """Returns the value of `name` in the spelling table; a block in `known` must not describe it already."""
        if name not in self.names.get(table, {}):
            raise _Mistake(f"'{name}' is no {table}")
        if any(other.name == name for other in known):
            raise _Mistake(f"{table} {name} is defined twice")
        return self.names[table][name]

    # Instructions

    def _open_instruction(self, rest):
        if not re.fullmatch(r"[a-z][a-z0-9]*", rest):
            raise _Mistake(f"'{rest}' is not a mnemonic")
        if any(instruction.mnemonic == rest for instruction in self.instructions):
            raise _Mistake(f"instruction {rest} is defined twice")
        self.instruction = Instruction(rest, self.position)
        self.instructions.append(self.instruction)
        self.shared = []

    def _instruction_line(self, keyword, rest):
        instruction = self.instruction
        if keyword == "variant":
            self._close_variant()
            if not re.fullmatch(r"[a-z][a-z0-9_]*", rest):
                raise _Mistake(f"'{rest}' is not a name of a variant")
            if any(variant.name == rest for variant in instruction.variants):
                raise _Mistake(f"variant {rest} is defined twice")
            self.variant = Variant(rest, self.position, clause=instruction.clause)
            instruction.variants.append(self.variant)
            for shared_keyword, shared_rest in self.shared:
                self._variant_line(shared_keyword, shared_rest)
        elif self.variant is not None:
            self._variant_line(keyword, rest)
        elif keyword == "opcode":
            if not rest.isdigit():
                raise _Mistake("expected: opcode NUMBER")
            instruction.opcode = int(rest)
        elif keyword == "summary":
            instruction.summary = rest
        elif keyword == "clause":
            instruction.clause = rest
        elif keyword == "memory":
            instruction.memory = _one_of(rest, MEMORY, keyword)
        elif keyword == "convergence":
            instruction.convergence = _one_of(rest, CONVERGENCE, keyword)
        elif keyword in SHARED_KEYWORDS:
            self.shared.append((keyword, rest))
        else:
            raise _Mistake(f"'{keyword}' must stand in a variant")

    def _variant_line(self, keyword, rest):
        variant = self.variant
        if keyword == "format":
            name, _, alternative = rest.partition(" or ")
            if name not in self.formats or alternative not in ("", "basic"):
                raise _Mistake(f"unknown format '{rest}'")
            variant.format, variant.basic_if_default = name, alternative == "basic"
        elif keyword == "clause":
            variant.clause = rest
        elif keyword == "mnemonic":
            variant.slots = self._slots(rest)
        elif keyword == "operands":
            variant.operands = self._operands(rest)
        elif keyword == "where":
            variant.where = self._conditions(rest)
        elif keyword in ("rule", "warning"):
            variant.rules.append(self._rule(rest, keyword == "warning"))
        elif keyword == "implied":
            variant.implied.append(self._implied(rest))
        elif keyword in ("memory", "convergence"):
            raise _Mistake(f"'{keyword}' belongs to the whole instruction: write it before the first variant")
        elif keyword == "exceptions":
            variant.exceptions = tuple(_one_of(name, EXCEPTIONS, keyword) for name in rest.split())
        elif keyword == "since" and rest.isdigit():
            variant.since = int(rest)
        elif keyword == "profile" and rest == "full":
            variant.full_profile = True
        elif keyword == "extension" and rest == "IMAGE":
            variant.image_extension = True
        else:
            raise _Mistake(f"unexpected '{keyword} {rest}' in a variant")

    def _close_variant(self):
        variant, self.variant = self.variant, None
        if variant is None:
            return
        where = f"{variant.position}: {self.instruction.mnemonic} {variant.name}"
        if not variant.format:
            self.errors.append(f"{where}: no format")
            return
        if variant.slots is None or variant.operands is None:
            self.errors.append(f"{where}: no {'mnemonic' if variant.slots is None else 'operands'}")
            return
        self.errors += [f"{where}: {problem}" for problem in self._variant_problems(variant)]

    def _variant_problems(self, variant):
        stored = {"type", "vector"} | {entry.field for entry in self.formats[variant.format].fields}
        used = [slot.field for slot in variant.slots if slot.field]
        if len(used) != len(set(used)):
            yield "two slots for one field"
        for name in used + [implied.field for implied in variant.implied]:
            if name not in stored:
                yield f"format {variant.format} does not store {name}"
        for implied in variant.implied:
            if implied.field in used:
                yield f"{implied.field} is a slot and implied"
        required = [slot for slot in variant.slots if not slot.optional and slot.field != "type"]
        if variant.basic_if_default and required:
            yield "with a required modifier the format cannot be basic"
        if ("vector" in used) != any(operand.count_rule == "vector" for operand in variant.operands):
            yield "the slot v and an operand *vector belong together"
        positions = sorted(operand.text_position for operand in variant.operands)
        if positions != list(range(len(positions))):
            yield "the text positions of the operands are not 0, 1, 2..."
        for operand in variant.operands:
            if operand.type_rule in ("source_type", "coord_type", "type", "unsigned_type"):
                field = "type" if operand.type_rule == "unsigned_type" else operand.type_rule
                if field not in used:
                    yield f"operand {operand.name} has the type {field}, which the mnemonic lacks"

    # Parts of lines

    def _slots(self, rest):
        slots = []
        pattern = re.compile(r"\s*(\[?)(\w+)(?:\{([^}]*)\})?(?:=(\w+))?(\]?)")
        at = 0
        while at < len(rest):
            match = pattern.match(rest, at)
            if not match or not match.group(0).strip():
                raise _Mistake(f"cannot read the mnemonic at '{rest[at:]}'")
            at = match.end()
            opened, name, values, default, closed = match.groups()
            if bool(opened) != bool(closed):
                raise _Mistake(f"unbalanced bracket around slot {name}")
            slots.append(self._slot_use(name, values, default, bool(opened)))
        return slots

    def _slot_use(self, name, values, default, optional):
        template = self._template(name)
        if values is not None:
            values = self._values(template.field, "name", values.split())
        else:
            values = template.values
        if values is None and template.form not in ("literal", "number"):
            raise _Mistake(f"slot {name} needs its values in braces")
        default = self._value(template.field, default) if default is not None else template.absent
        if optional and default is None:
            raise _Mistake(f"slot {name} cannot be optional: it has no meaning when absent")
        values = tuple(values or ())
        if template.form == "flag" and not optional:
            values = (1,)
        if optional and values and default not in values:
            values += (default,)
        default = default if optional else 0
        return Slot(name, template.form, template.word, template.field, values, optional, default)

    def _operands(self, rest):
        operands = []
        pattern = re.compile(r"(\w+)(?::(\w+))?(?:\((\w+)\))?(?:\*(\w+))?(?:@(\d+))?(?:<=(\d+))?")
        for index, item in enumerate(rest.split()):
            match = pattern.fullmatch(item)
            if not match:
                raise _Mistake(f"cannot read the operand '{item}'")
            name, kind, type_name, count, position, maximum = match.groups()
            if kind is None:
                kind = "destination" if name == "dest" else "source" if name.startswith("src") else None
            if kind is None:
                raise _Mistake(f"operand '{name}' needs a kind")
            operand = Operand(name, _one_of(kind, OPERAND_KINDS, "operand kind"), "none", text_position=index)
            self._set_operand_type(operand, type_name)
            if count == "vector":
                operand.count_rule = "vector"
            elif count is not None:
                operand.elements = int(count)
            if position is not None:
                operand.text_position = int(position)
            if maximum is not None:
                operand.maximum = int(maximum)
            operands.append(operand)
        return operands

    def _set_operand_type(self, operand, name):
        if operand.kind in TYPELESS_KINDS:
            if name is not None:
                raise _Mistake(f"operand {operand.name} has no type")
            return
        name = FIELD_ALIASES.get(name, name) or "type"
        if name in ("type", "source_type", "coord_type"):
            operand.type_rule = name
        elif name == "unsigned":
            operand.type_rule = "unsigned_type"
        else:
            operand.type_rule = "fixed"
            operand.fixed_type = self._value("type", name)

    def _implied(self, rest):
        parts = rest.split()
        if len(parts) == 3 and parts[1] == "same" and parts[0] in FIELDS and parts[2] in FIELDS:
            return Implied(parts[0], 0, (), parts[2])
        if len(parts) < 2 or parts[0] not in FIELDS or (len(parts) > 2 and parts[2] != "accept"):
            raise _Mistake("expected: implied FIELD VALUE [accept VALUES], or: implied FIELD same FIELD")
        values = [self._value(parts[0], value) for value in [parts[1]] + parts[3:]]
        return Implied(parts[0], values[0], tuple(values))

    def _rule(self, rest, warning):
        match = re.fullmatch(r"(HSAIL-[\w.-]+) (?:when (.*?) )?require (.*?) : (.*)", rest)
        if not match:
            raise _Mistake("expected: rule HSAIL-ID [when CONDITIONS] require CONDITIONS : MESSAGE")
        rule_id, when, require, message = match.groups()
        when = self._conditions(when) if when else ()
        return Rule(rule_id, when, self._conditions(require), message, warning)

    def _conditions(self, text):
        return tuple(self._condition(part.strip()) for part in text.split(" and "))

    def _condition(self, text):
        match = re.fullmatch(r"(\S+) (not in|in) \{([^}]*)\}", text)
        if match:
            left = self._term(match.group(1))
            values = [self._constant(left, value) for value in self._expand(match.group(3).split())]
            return Atom(left, match.group(2).replace(" ", "_"), values=tuple(values), text=text)
        match = re.fullmatch(r"(\S+) (==|!=|<=|>=|<|>) (\S+)", text)
        if not match:
            raise _Mistake(f"cannot read the condition '{text}'")
        left = self._term(match.group(1))
        try:
            right = self._term(match.group(3))
        except _Mistake:
            right = Term("value", value=self._constant(left, match.group(3)))
        return Atom(left, COMPARISONS[match.group(2)], right, text=text)

    def _term(self, text):
        match = re.fullmatch(r"(\w+)\((\w+)\)", text)
        if match:
            function, argument = match.groups()
            if function not in TERM_FUNCTIONS:
                raise _Mistake(f"unknown function '{function}'")
            argument = FIELD_ALIASES.get(argument, argument)
            if function == "address" and argument != "segment":
                return Term("address_of", value=self._value("segment", argument))
            if argument not in FIELDS:
                raise _Mistake(f"unknown field '{argument}'")
            return Term(function, argument)
        text = FIELD_ALIASES.get(text, text)
        if text in ENVIRONMENT:
            return Term(text)
        if text in FIELDS:
            return Term("field", text)
        raise _Mistake(f"unknown term '{text}'")

    def _constant(self, left, text):
        """Returns the value of `text` in a comparison with the term `left`."""
        if left.kind in ("profile", "model"):
            table = self.names["profile" if left.kind == "profile" else "machine_model"]
            if text not in table:
                raise _Mistake(f"unknown {left.kind} '{text}'")
            return table[text]
        if left.kind in ("field", "unsigned", "scalar"):
            return self._value(left.field if left.kind == "field" else "type", text)
        if not text.isdigit():
            raise _Mistake(f"'{text}' is not a number")
        return int(text)

    def _values(self, field, form, items):
        values = []
        for item in self._expand(items):
            if ".." in item:
                first, last = (int(end) for end in item.split(".."))
                bits = range(first.bit_length() - 1, last.bit_length())
                values += [self._value(field, str(1 << bit)) for bit in bits]
            else:
                values.append(self._value(field, item))
        if len(values) != len(set(values)):
            raise _Mistake("a value is listed twice")
        return values

    def _value(self, field, text):
        """Returns the number that `text` stands for in the field."""
        if field in FIELD_NAMES:
            table = self.names.get(FIELD_NAMES[field], {})
            if text not in table:
                raise _Mistake(f"'{text}' is no value of {field}")
            return table[text]
        if field == "width" and text.upper() in ("WAVESIZE", "ALL", "NONE"):
            return self.enumerators["HSA_BRIG_WIDTH_" + text.upper()]
        if not text.isdigit():
            raise _Mistake(f"'{text}' is no value of {field}")
        number = int(text)
        if field in ("align", "width"):
            name = f"HSA_BRIG_{'ALIGNMENT' if field == 'align' else 'WIDTH'}_{number}"
            if name not in self.enumerators:
                raise _Mistake(f"'{text}' is no value of {field}")
            return self.enumerators[name]
        return number

    # Checks of the whole

    def _check_whole(self):
        self._check_opcodes()
        self._check_values("control_directive", self.controls, 1)
        self._check_values("image_geometry", self.geometries, 0)
        for control in self.controls:
            if not control.summary or not control.clause or not control.merge:
                self.errors.append(f"{control.position}: control {control.name} needs a summary, a clause and merge")
        for geometry in self.geometries:
            if not geometry.sizes:
                self.errors.append(f"{geometry.position}: geometry {geometry.name} needs its sizes")
        for instruction in self.instructions:
            for variant in instruction.variants:
                where = f"{variant.position}: {instruction.mnemonic} {variant.name}"
                self.errors += [f"{where}: {problem}" for problem in self._geometry_problems(variant)]

    def _geometry_problems(self, variant):
        """Yields the contradictions between an image instruction and the geometries that it allows."""
        slots = {slot.template: slot for slot in variant.slots or ()}
        coordinates = [operand for operand in variant.operands or () if operand.name == "coord"]
        if "geometry" not in slots or not coordinates:
            return
        has_vector = "v" in slots
        for geometry in self.geometries:
            if geometry.value not in slots["geometry"].values:
                continue
            if coordinates[0].elements != geometry.coordinates:
                yield f"geometry {geometry.name} has {geometry.coordinates} coordinates"
            if has_vector == geometry.holds_depth:
                yield f"an element of geometry {geometry.name} has {'one component' if has_vector else 'four components'}"

    def _check_values(self, table, blocks, first):
        """Checks that there is a block for each value from `first` on, because the tables are indexed by value."""
        names = {value: name for name, value in self.names.get(table, {}).items()}
        described = {block.value for block in blocks}
        for value, name in sorted(names.items()):
            if value not in described:
                self.errors.append(f"the header has {table} {name}, which no block describes")
        for value in range(first, max(names, default=first - 1)):
            if value not in names:
                self.errors.append(f"the header has no {table} {value}, but larger ones: the values must have no gap")

    def _check_opcodes(self):
        opcodes = with_prefix(self.enumerators, "HSA_BRIG_OPCODE")
        seen = {}
        for instruction in self.instructions:
            where = f"{instruction.position}: instruction {instruction.mnemonic}"
            if not instruction.variants:
                self.errors.append(f"{where} has no variant")
            if not instruction.summary or not instruction.clause:
                self.errors.append(f"{where} needs a summary and a clause")
            expected = opcodes.get(instruction.mnemonic.upper())
            if expected is None:
                self.errors.append(f"{where} is not in the header")
            elif expected != instruction.opcode:
                self.errors.append(f"{where} must have opcode {expected}, not {instruction.opcode}")
            elif instruction.opcode in seen:
                other = seen[instruction.opcode]
                self.errors.append(f"{where}: opcode {instruction.opcode} is that of {other}")
            seen[instruction.opcode] = instruction.mnemonic
        for name in opcodes:
            if name.lower() not in seen.values():
                self.errors.append(f"the header has opcode {name.lower()}, which no block describes")
        # Opcodes are indices of the generated tables and of every table with a row for each instruction.
        for value in range(max(opcodes.values(), default=0)):
            if value not in opcodes.values():
                self.errors.append(f"the header has no opcode {value}, but larger ones: the opcodes must have no gap")


def _one_of(value, allowed, what):
    if value not in allowed:
        raise _Mistake(f"unknown {what} '{value}'")
    return value


def _logical_lines(text):
    """Yields the lines that are not empty, without comments; joins a line that ends in a backslash with the next."""
    number, pending, start = 0, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"(^|\s)#.*", "", line).rstrip()
        start = start if pending else number
        if line.endswith("\\"):
            pending += line[:-1].rstrip() + " "
            continue
        line = pending + (line.strip() if pending else line)
        pending = ""
        if line.strip():
            yield start, line
    if pending.strip():
        yield start, pending
