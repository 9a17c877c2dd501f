# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instruction set as objects, which the parser makes and the emitters read."""

from dataclasses import dataclass, field

# In the order of enum class Field in src/hsail/isa/isa.h.
FIELDS = (
    "type source_type coord_type vector ftz sat round pack segment align constant equiv_class width "
    "nontemporal nonull memory_order memory_scope group_scope atomic_operation compare geometry image_query "
    "sampler_query"
).split()

# The spelling table for the values of each field.
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
CONVERGENCE = "none communication cross_lane wavebarrier barrier fbarrier".split()
MEMORY = "none load store stack call".split()
# The enumerator for each word that a block may use.
EXCEPTIONS = {
    "invalid": "HSA_BRIG_EXCEPTIONS_INVALID_OPERATION",
    "divide_by_zero": "HSA_BRIG_EXCEPTIONS_DIVIDE_BY_ZERO",
    "overflow": "HSA_BRIG_EXCEPTIONS_OVERFLOW",
    "underflow": "HSA_BRIG_EXCEPTIONS_UNDERFLOW",
    "inexact": "HSA_BRIG_EXCEPTIONS_INEXACT",
}
# The sizes of an image in the order of the BRIG entry. The words are also the names of the properties in
# text.
IMAGE_SIZES = "width height depth array".split()
# What holds for a kernel if a control directive occurs more than once (DirectiveMerge in
# control_directive.h).
MERGES = "unite agree limit callers".split()
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
    exceptions: tuple = ()  # words of EXCEPTIONS
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
    convergence: str = "none"
    memory: str = "none"
    variants: list = field(default_factory=list)


@dataclass
class ControlDirective:
    name: str
    position: Position
    value: int
    clause: str = ""
    summary: str = ""
    operand_type: str = ""  # no operands if empty
    operands: int = 0
    least: int = 0
    most: int = 0
    power_of_two: bool = False
    wavesize: bool = False
    merge: str = ""


@dataclass
class Geometry:
    name: str
    position: Position
    value: int
    sizes: tuple = ()
    holds_depth: bool = False

    @property
    def coordinates(self):
        return len(self.sizes)


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
    control_directives: list  # by value, from 1 on
    geometries: list  # by value
