# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instruction set as objects: what the parser makes and the emitters read."""

from dataclasses import dataclass, field

# In the order of enum class Field in src/hsail/isa/isa.h.
FIELDS = (
    "type source_type coord_type vector ftz sat round pack segment align constant equiv_class width "
    "nontemporal nonull memory_order memory_scope group_scope atomic_operation compare geometry image_query "
    "sampler_query"
).split()

# Which spelling table the values of a field are in.
FIELD_NAMES = {
    "type": "type",
    "source_type": "type",
    "coord_type": "type",
    "round": "round",
    "pack": "pack",
    "segment": "segment",
    "memory_order": "memory_order",
    "memory_scope": "memory_scope",
    "group_scope": "memory_scope",
    "atomic_operation": "atomic_operation",
    "compare": "compare",
    "geometry": "image_geometry",
    "image_query": "image_query",
    "sampler_query": "sampler_query",
}

# Other names that a block may use for a field.
FIELD_ALIASES = {"signal_type": "source_type", "image_type": "source_type"}

FORMS = {"name": "name", "flag": "flag", "power": "power_of_two", "width": "width", "number": "number",
         "literal": "literal"}
OPERAND_KINDS = (
    "destination source source_register constant address label labels fbarrier fbarrier_or_source function "
    "functions signature output_arguments input_arguments"
).split()
TYPELESS_KINDS = {"label", "labels", "fbarrier", "function", "functions", "signature", "output_arguments",
                  "input_arguments"}
CONVERGENCE = "none communication cross_lane barrier fbarrier".split()
MEMORY = "none load store atomic fence signal image_load image_store image_fence queue stack call".split()
EXCEPTIONS = {"invalid": 1, "divide_by_zero": 2, "overflow": 4, "underflow": 8, "inexact": 16,
              "memory": 1 << 8, "integer_divide": 1 << 9, "implementation": 1 << 10, "debug": 1 << 11}
TERM_FUNCTIONS = ("size", "dimension", "unsigned", "scalar", "address")
ENVIRONMENT = ("profile", "model", "minor")
COMPARISONS = {"==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater",
               ">=": "greater_equal"}


@dataclass
class Position:
    file: str
    line: int

    def __str__(self):
        return f"{self.file}:{self.line}"


@dataclass
class SlotTemplate:
    name: str
    form: str
    word: str
    field: str | None
    values: list
    absent: int | None
    position: Position


@dataclass
class Slot:
    template: str
    form: str
    word: str
    field: str | None
    values: tuple
    optional: bool
    default: int


@dataclass
class Operand:
    name: str
    kind: str
    type_rule: str
    fixed_type: int = 0
    count_rule: str = "fixed"
    elements: int = 1
    text_position: int = 0
    maximum: int = 0xFFFF


@dataclass(frozen=True)
class Term:
    kind: str  # value, field, size, dimension, unsigned, scalar, address, profile, model, minor
    field: str = "type"
    value: int = 0


@dataclass(frozen=True)
class Atom:
    left: Term
    comparison: str  # COMPARISONS values, or in, not_in
    right: Term = Term("value")
    values: tuple = ()
    text: str = ""


@dataclass(frozen=True)
class Rule:
    id: str
    when: tuple
    require: tuple
    message: str
    warning: bool


@dataclass
class CommonRule:
    rule: Rule
    slot: str
    values: tuple
    position: Position


@dataclass
class Implied:
    field: str
    value: int
    accepted: tuple
    same_as: str | None = None


@dataclass
class Variant:
    name: str
    position: Position
    format: str = ""
    basic_if_default: bool = False
    clause: str = ""
    convergence: str = "none"
    memory: str = "none"
    exceptions: int = 0
    since: int = 0
    full_profile: bool = False
    image_extension: bool = False
    slots: list = None
    operands: list = None
    implied: list = field(default_factory=list)
    where: tuple = ()
    rules: list = field(default_factory=list)


@dataclass
class Instruction:
    mnemonic: str
    position: Position
    opcode: int = -1
    summary: str = ""
    clause: str = ""
    variants: list = field(default_factory=list)


@dataclass
class FormatField:
    field: str
    member: str
    bit: str | None


@dataclass
class Format:
    name: str
    kind: str
    kind_value: int
    struct: str
    fields: list


@dataclass
class InstructionSet:
    names: dict  # table name -> {spelling: value}
    formats: dict  # name -> Format
    instructions: list
    common_rules: list
