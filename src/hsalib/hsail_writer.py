# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes HSAIL functions from Python expressions.

A Function collects instructions: arithmetic on its Values appends them, select() chooses between values without a branch, and
`with function.when(condition):` and `with function.loop():` make blocks. Values live in virtual registers; text() gives them
HSAIL registers by their live ranges. All floating-point instructions name their rounding, so that modules of any default
rounding can be linked with the result.
"""

import contextlib
import struct

KINDS = {"b1": "c", "f32": "s", "u32": "s", "s32": "s", "f64": "d", "u64": "d", "s64": "d"}
FLOATS = ("f32", "f64")


def bits64(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def bits32(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def literal(type_, value):
    """Returns the spelling of a constant."""
    if type_ == "f64":
        return f"0d{bits64(float(value)):016x}"
    if type_ == "f32":
        return f"0f{bits32(float(value)):08x}"
    if type_.startswith("u") and value < 0:
        value += 1 << int(type_[1:])
    return str(int(value))


class Value:
    """A virtual register, or a constant if `constant` is not None, with the type in which it is used."""

    def __init__(self, function, type_, number=None, constant=None):
        self.function, self.type, self.number, self.constant = function, type_, number, constant

    def cast(self, type_):
        """Returns the same bits with another type of the same size. Costs nothing."""
        assert KINDS[type_] == KINDS[self.type] and self.constant is None
        return Value(self.function, type_, self.number)

    def of(self, other):
        """Returns `other`, which may be a number, as an operand of this type."""
        if isinstance(other, Value):
            assert other.type == self.type, (other.type, self.type)
            return other
        return Value(self.function, self.type, constant=other)

    def binary(self, name, other, swap=False):
        other = self.of(other)
        operands = (other, self) if swap else (self, other)
        rounding = "_near" if self.type in FLOATS else ""
        return self.function.emit(f"{name}{rounding}_{self.type}", self.type, *operands)

    def __add__(self, other): return self.binary("add", other)
    def __radd__(self, other): return self.binary("add", other)
    def __sub__(self, other): return self.binary("sub", other)
    def __rsub__(self, other): return self.binary("sub", other, swap=True)
    def __mul__(self, other): return self.binary("mul", other)
    def __rmul__(self, other): return self.binary("mul", other)
    def __truediv__(self, other): return self.binary("div", other)
    def __rtruediv__(self, other): return self.binary("div", other, swap=True)
    def __neg__(self): return self.function.emit(f"neg_{self.type}", self.type, self)
    def __and__(self, other): return self.logical("and", other)
    def __or__(self, other): return self.logical("or", other)
    def __xor__(self, other): return self.logical("xor", other)
    def __invert__(self): return self.logical("not")

    def logical(self, name, *other):
        size = "b1" if self.type == "b1" else "b" + self.type[1:]
        return self.function.emit(f"{name}_{size}", self.type, self, *(self.of(o) for o in other))

    def shifted(self, name, amount):
        if not isinstance(amount, Value):
            amount = Value(self.function, "u32", constant=amount)
        return self.function.emit(f"{name}_{self.type}", self.type, self, amount.cast("u32") if amount.constant is None else amount)

    def __lshift__(self, amount): return self.shifted("shl", amount)
    def __rshift__(self, amount): return self.shifted("shr", amount)

    def binary_plain(self, name, other): return self.function.emit(f"{name}_{self.type}", self.type, self, self.of(other))
    def mulhi(self, other): return self.binary("mulhi", other)
    def compare(self, relation, other):
        return self.function.emit(f"cmp_{relation}_b1_{self.type}", "b1", self, self.of(other))

    def __lt__(self, other): return self.compare("lt", other)
    def __le__(self, other): return self.compare("le", other)
    def __gt__(self, other): return self.compare("gt", other)
    def __ge__(self, other): return self.compare("ge", other)
    def equals(self, other): return self.compare("eq", other)
    def differs(self, other): return self.compare("neu" if self.type in FLOATS else "ne", other)
    def is_nan(self): return self.compare("nan", self)

    def one_operand(self, name): return self.function.emit(f"{name}_{self.type}", self.type, self)
    def abs(self): return self.one_operand("abs")
    def floor(self): return self.one_operand("floor")
    def ceil(self): return self.one_operand("ceil")
    def trunc(self): return self.one_operand("trunc")
    def rint(self): return self.one_operand("rint")
    def sqrt(self): return self.one_operand("sqrt_near")

    def copysign(self, sign):
        return self.function.emit(f"copysign_{self.type}", self.type, self, self.of(sign))

    def fma(self, factor, summand):
        return self.function.emit(f"fma_near_{self.type}", self.type, self, self.of(factor), self.of(summand))

    def convert(self, type_, rounding=""):
        """Converts the value; `rounding` is a suffix such as "neari", needed where the result may be inexact."""
        suffix = f"_{rounding}" if rounding else ""
        return self.function.emit(f"cvt{suffix}_{type_}_{self.type}", type_, self)

    def most_significant(self):
        """Returns the number of the highest bit that is set, counted from bit 0, of an unsigned value that is not 0."""
        top = self.function.emit(f"firstbit_u32_{self.type}", "u32", self)
        return int(self.type[1:]) - 1 - top

    def spelled(self, names):
        return literal(self.type, self.constant) if self.constant is not None else names[self.number]


class Variable(Value):
    """A register that can be set again, in blocks that may or may not be executed."""

    def set(self, value):
        value = self.of(value)
        self.function.lines.append(("mov_b" + self.type[1:], self, [value], ""))

    def now(self):
        """Returns a copy of the present value."""
        return self.function.emit("mov_b" + self.type[1:], self.type, Value(self.function, self.type, self.number))


class Function:
    """One HSAIL function; `arguments` and `results` are lists of types."""

    def __init__(self, name, results, arguments):
        self.name, self.results, self.argument_types = name, results, arguments
        self.is_f32 = "f32" in results + arguments
        self.lines = []  # (mnemonic, destination Value or None, operands, label)
        self.count = self.labels = 0
        self.loops = []  # (first line, last line)
        self.arguments = []
        for i, type_ in enumerate(arguments):
            self.arguments.append(self.emit_text(f"ld_arg_{type_}", type_, f"[%x{i}]"))

    def new(self, type_):
        self.count += 1
        return Value(self, type_, self.count)

    def constant(self, type_, value):
        """Returns a constant in a register."""
        return self.emit("mov_b" + type_[1:], type_, Value(self, type_, constant=value))

    def variable(self, value):
        out = Variable(self, value.type, self.new(value.type).number)
        out.set(value)
        return out

    def emit(self, mnemonic, type_, *operands):
        out = self.new(type_)
        self.lines.append((mnemonic, out, list(operands), ""))
        return out

    def emit_text(self, mnemonic, type_, text):
        out = self.new(type_)
        self.lines.append((mnemonic, out, [], text))
        return out

    def select(self, condition, yes, no):
        """Returns `yes` or `no`, one of which may be a number."""
        if not isinstance(yes, Value):
            yes = no.of(yes)
        no = yes.of(no)
        size = yes.type[1:]
        return self.emit(f"cmov_b{size}", yes.type, condition, yes, no)

    def load(self, type_, table, index):
        """Loads element `index`, a u64, of a readonly array of 8-byte elements."""
        out = self.new(type_)
        self.lines.append((f"ld_readonly_{type_}", out, [index << 3], f"[&{table}][@]"))
        return out

    def store(self, address, value):
        self.lines.append((f"st_{value.type}", None, [value, address], "[@]"))

    def jump(self, label, condition=None):
        self.lines.append(("br" if condition is None else "cbr_b1", None, [] if condition is None else [condition], label))

    def place(self, label):
        self.lines.append(("label", None, [], label))

    def label(self):
        self.labels += 1
        return f"@l{self.labels}"

    @contextlib.contextmanager
    def when(self, condition):
        """A block that is executed only if the condition holds."""
        end = self.label()
        self.jump(end, ~condition)
        yield
        self.place(end)

    @contextlib.contextmanager
    def loop(self):
        """A block that is repeated until the function that the caller gets is called with a condition that holds."""
        begin, end = self.label(), self.label()
        first = len(self.lines)
        self.place(begin)
        yield lambda condition: self.jump(end, condition)
        self.jump(begin)
        self.loops.append((first, len(self.lines)))
        self.place(end)

    def result(self, value, index=0):
        value = Value(self, self.results[index], value.number, value.constant)
        self.lines.append((f"st_arg_{self.results[index]}", None, [value], f"[%r{index}]"))

    # ---- registers ----
    def live_ranges(self):
        """Returns the first and the last line of each virtual register. What lives at the head of a loop lives throughout it."""
        ranges, kinds = {}, {}
        for at, (_, destination, operands, _) in enumerate(self.lines):
            for value in operands + ([destination] if destination else []):
                if value.constant is None:
                    first, _ = ranges.get(value.number, (at, at))
                    ranges[value.number] = (first, at)
                    kinds[value.number] = KINDS[value.type]
        for begin, end in self.loops:
            for number, (first, last) in ranges.items():
                if first < begin <= last < end:
                    ranges[number] = (first, end)
        return ranges, kinds

    def allocate(self):
        """Returns the HSAIL register of each virtual one."""
        ranges, kinds = self.live_ranges()
        free, busy, highest, names = {k: [] for k in "csd"}, [], {k: 0 for k in "csd"}, {}
        for number in sorted(ranges, key=lambda n: ranges[n]):
            first, last = ranges[number]
            for entry in [b for b in busy if b[0] <= first]:
                busy.remove(entry)
                free[entry[1]].append(entry[2])
            kind = kinds[number]
            if free[kind]:
                free[kind].sort(reverse=True)
                register = free[kind].pop()
            else:
                register = highest[kind]
                highest[kind] += 1
            names[number] = f"${kind}{register}"
            busy.append((last, kind, register))
        return names

    def text(self):
        names = self.allocate()
        formals = lambda letter, types: ", ".join(f"arg_{t} %{letter}{i}" for i, t in enumerate(types))
        out = [f"prog function &{self.name}({formals('r', self.results)})({formals('x', self.argument_types)})", "{"]
        for mnemonic, destination, operands, place in self.lines:
            if mnemonic == "label":
                out.append(f"{place}:")
                continue
            words = [v.spelled(names) for v in operands]
            if "@]" in place:
                place = place.replace("@", words.pop())
            words = ([names[destination.number]] if destination else []) + words + ([place] if place else [])
            out.append(f"  {mnemonic} {', '.join(words)};")
        out += ["  ret;", "};"]
        return "\n".join(out) + "\n"


def table(name, values):
    """Returns the definition of a readonly array of f64 (floats) or u64 (ints)."""
    type_ = "f64" if isinstance(values[0], float) else "u64"
    words = [literal(type_, v) for v in values]
    lines = [", ".join(words[i:i + 4]) for i in range(0, len(words), 4)]
    return f"readonly_{type_} &{name}[{len(values)}] = {type_}[](\n  " + ",\n  ".join(lines) + ");\n"
