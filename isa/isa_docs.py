# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference of all instructions as a Markdown page."""

from isa_model import FIELD_NAMES


def emit(isa):
    out = [
        "# HSAIL instructions",
        "",
        "Generated from `isa/*.isa`. Clauses are those of the HSA Programmer's Reference Manual 1.2. In a",
        "mnemonic, brackets hold what may be omitted, and braces the values of a part.",
        "",
        "| opcode | instruction | |",
        "|---|---|---|",
    ]
    for instruction in isa.instructions:
        mnemonic = instruction.mnemonic
        out.append(f"| {instruction.opcode} | [{mnemonic}](#{mnemonic}) | {instruction.summary} |")
    for instruction in isa.instructions:
        out += _instruction(isa, instruction)
    out += _control_directives(isa)
    out += _geometries(isa)
    return "\n".join(out) + "\n"


def _control_directives(isa):
    out = ["", "# Control directives", "", "| directive | operands | | PRM |", "|---|---|---|---|"]
    for one in isa.control_directives:
        operands = f"{one.operands} x {one.operand_type}, {one.least} to {one.most}" if one.operands else "none"
        operands += ", a power of two" if one.power_of_two else ""
        operands += ", or WAVESIZE" if one.wavesize else ""
        out.append(f"| {one.name} | {operands} | {one.summary} | {one.clause} |")
    return out


def _geometries(isa):
    out = ["", "# Image geometries", "", "| geometry | sizes | elements |", "|---|---|---|"]
    for one in isa.geometries:
        out.append(f"| {one.name} | {' '.join(one.sizes)} | {'depth' if one.holds_depth else 'four components'} |")
    return out


def _instruction(isa, instruction):
    out = ["", f"## {instruction.mnemonic}", "", f"{instruction.summary} (PRM {instruction.clause})", ""]
    facts = [_properties(instruction, variant) for variant in instruction.variants]
    for variant, properties in zip(instruction.variants, facts):
        modifiers = "".join(_slot(isa, slot) for slot in variant.slots)
        text = f"    {instruction.mnemonic}{modifiers} {_operands(isa, variant)}".rstrip()
        form = variant.format + (" or basic" if variant.basic_if_default else "")
        out += [f"`{variant.name}`, format {form}", "", text, ""]
        conditions = [atom.text for atom in variant.where]
        if conditions:
            out += ["- where " + " and ".join(conditions)]
        if properties and (variant is instruction.variants[-1] or len(set(facts)) > 1):
            out += ["- " + properties]
        out += [f"- {rule.message} (`{rule.id}`)" for rule in variant.rules]
        if out[-1]:
            out.append("")
    return out[:-1]


def _properties(instruction, variant):
    facts = []
    if instruction.convergence != "none":
        facts.append(f"convergence: {instruction.convergence}")
    if instruction.memory != "none":
        facts.append(f"memory: {instruction.memory}")
    if variant.exceptions:
        facts.append("exceptions: " + ", ".join(variant.exceptions))
    if variant.since:
        facts.append(f"since HSAIL 1.{variant.since}")
    if variant.full_profile:
        facts.append("full profile only")
    if variant.image_extension:
        facts.append('extension "IMAGE"')
    return "; ".join(facts)


def _slot(isa, slot):
    if slot.form in ("flag", "literal"):
        text = slot.word
    elif slot.form in ("power_of_two", "number"):
        text = f"{slot.word}(n)"
    elif slot.form == "width":
        text = f"{slot.word}(n|WAVESIZE|all)"
    elif slot.field == "vector":
        text = _choice([f"v{value}" for value in slot.values if value > 1])
    else:
        spelling = {value: name for name, value in isa.names[FIELD_NAMES[slot.field]].items()}
        # The default of a segment or rounding has no token of its own.
        shown = [value for value in slot.values if not (slot.optional and value == slot.default)]
        text = _choice([spelling[value] for value in shown])
    return f"[_{text}]" if slot.optional else f"_{text}"


def _choice(names):
    return names[0] if len(names) == 1 else "{" + " ".join(names) + "}"


def _operands(isa, variant):
    types = {value: name for name, value in isa.names["type"].items()}
    shown = []
    for operand in sorted(variant.operands, key=lambda operand: operand.text_position):
        text = operand.name
        if operand.type_rule == "fixed":
            text += f":{types[operand.fixed_type]}"
        if operand.kind == "address":
            text = f"[{text}]"
        elif operand.kind in ("labels", "functions"):
            text = f"[{text}...]"
        elif operand.kind in ("output_arguments", "input_arguments"):
            text = f"({text}...)"
        elif operand.count_rule == "vector" or operand.elements > 1:
            text = f"({text}...)" if operand.count_rule == "vector" else f"({text} x{operand.elements})"
        if operand.maximum != 0xFFFF:
            text += f" 0..{operand.maximum}"
        shown.append(text)
    return ", ".join(shown)
