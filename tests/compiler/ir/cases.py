# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that ir_test.py compares: groups of cases by subject. What is undefined in IR must not occur in them."""
from __future__ import annotations

from module import Case

WIDTHS = (1, 2, 7, 8, 16, 24, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128)
PREDICATES = "eq ne ugt uge ult ule sgt sge slt sle".split()


class Lines:
    """Collects the instructions of a case and names their results."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.kinds: list[str] = []

    def add(self, instruction: str, kind: str = "") -> str:
        name = f"%v{len(self.text)}"
        self.text.append(f"  {name} = {instruction}")
        if kind:
            self.kinds.append(kind)
        return name

    def case(self, name: str, arguments: list[str], returns: list[str], before: str = "") -> Case:
        return Case(name, arguments, self.kinds, "\n".join(self.text), returns, before)


def arithmetic_of(width: int) -> Case:
    kind = f"i{width}"
    lines, returns = Lines(), []

    def result(instruction: str, kind: str) -> None:
        returns.append(lines.add(instruction, kind))

    for operation in ("add", "sub", "mul", "and", "or", "xor"):
        result(f"{operation} {kind} %a0, %a1", kind)
    in_range = "and" if width <= 2 else "urem"
    amount = lines.add(f"{in_range} {kind} %a1, {width - 1 if width <= 2 else width}")
    for operation in ("shl", "lshr", "ashr"):
        result(f"{operation} {kind} %a0, {amount}", kind)
    for predicate in PREDICATES:
        result(f"icmp {predicate} {kind} %a0, %a1", "i1")
    none = lines.add(f"icmp eq {kind} %a1, 0")
    divisor = lines.add(f"select i1 {none}, {kind} 1, {kind} %a1")
    for operation in ("udiv", "urem"):
        result(f"{operation} {kind} %a0, {divisor}", kind)
    if width > 1:
        least = lines.add(f"icmp eq {kind} %a0, {-(1 << (width - 1))}")
        minus = lines.add(f"icmp eq {kind} %a1, -1")
        overflows = lines.add(f"and i1 {least}, {minus}")
        divisor = lines.add(f"select i1 {overflows}, {kind} 1, {kind} {divisor}")
        for operation in ("sdiv", "srem"):
            result(f"{operation} {kind} %a0, {divisor}", kind)
    for other in WIDTHS:
        for operation in ("trunc",) if other < width else ("zext", "sext") if other > width else ():
            result(f"{operation} {kind} %a0 to i{other}", f"i{other}")
    return lines.case(f"arithmetic_{kind}", [kind, kind], returns)


def intrinsics_of(width: int) -> Case:
    kind = f"i{width}"
    lines, returns, before = Lines(), [], []

    def call(name: str, count: int, flag: str = "") -> None:
        before.append(f"declare {kind} @llvm.{name}.{kind}({', '.join([kind] * count + ['i1'] * bool(flag))})")
        passed = ", ".join([f"{kind} %a{i}" for i in range(count)] + [f"i1 {flag}"] * bool(flag))
        returns.append(lines.add(f"call {kind} @llvm.{name}.{kind}({passed})", kind))

    for name in ("ctpop", "bitreverse") + (("bswap",) if width % 16 == 0 else ()):
        call(name, 1)
    for name in ("ctlz", "cttz", "abs"):
        call(name, 1, "false")
    for name in ("smin", "smax", "umin", "umax", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"):
        call(name, 2)
    for name in ("fshl", "fshr"):
        call(name, 3)
    amount = lines.add(f"and {kind} %a1, {width - 1}" if width <= 2 else f"urem {kind} %a1, {width}")
    for name in ("sshl.sat", "ushl.sat"):
        before.append(f"declare {kind} @llvm.{name}.{kind}({kind}, {kind})")
        returns.append(lines.add(f"call {kind} @llvm.{name}.{kind}({kind} %a0, {kind} {amount})", kind))
    for name in ("sadd", "uadd", "ssub", "usub") + (("smul", "umul") if width <= 64 else ()):
        pair = f"{{{kind}, i1}}"
        before.append(f"declare {pair} @llvm.{name}.with.overflow.{kind}({kind}, {kind})")
        both = lines.add(f"call {pair} @llvm.{name}.with.overflow.{kind}({kind} %a0, {kind} %a1)")
        returns.append(lines.add(f"extractvalue {pair} {both}, 0", kind))
        returns.append(lines.add(f"extractvalue {pair} {both}, 1", "i1"))
    for name in ("scmp", "ucmp"):
        before.append(f"declare i8 @llvm.{name}.i8.{kind}({kind}, {kind})")
        returns.append(lines.add(f"call i8 @llvm.{name}.i8.{kind}({kind} %a0, {kind} %a1)", "i8"))
    return lines.case(f"intrinsics_{kind}", [kind] * 3, returns, "\n".join(before))


def reals_of(kind: str) -> Case:
    suffix = {"half": "f16", "float": "f32", "double": "f64"}[kind]
    lines, returns, before = Lines(), [], []

    def result(instruction: str, kind: str) -> None:
        returns.append(lines.add(instruction, kind))

    for operation in ("fadd", "fsub", "fmul", "fdiv"):
        result(f"{operation} {kind} %a0, %a1", kind)
    result(f"fneg {kind} %a0", kind)
    for predicate in "oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno".split():
        result(f"fcmp {predicate} {kind} %a0, %a1", "i1")
    for name, count in (("fabs", 1), ("floor", 1), ("ceil", 1), ("trunc", 1), ("rint", 1), ("nearbyint", 1), ("roundeven", 1),
                        ("round", 1), ("sqrt", 1), ("canonicalize", 1), ("copysign", 2), ("minimum", 2), ("maximum", 2),
                        ("minimumnum", 2), ("maximumnum", 2), ("fma", 3)):
        before.append(f"declare {kind} @llvm.{name}.{suffix}({', '.join([kind] * count)})")
        result(f"call {kind} @llvm.{name}.{suffix}({', '.join(f'{kind} %a{i}' for i in range(count))})", kind)
    before.append(f"declare i1 @llvm.is.fpclass.{suffix}({kind}, i32)")
    for mask in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 504):
        result(f"call i1 @llvm.is.fpclass.{suffix}({kind} %a0, i32 {mask})", "i1")
    for width in (1, 7, 8, 16, 24, 32, 33, 48, 64):
        for sign in "su":
            before.append(f"declare i{width} @llvm.fpto{sign}i.sat.i{width}.{suffix}({kind})")
            result(f"call i{width} @llvm.fpto{sign}i.sat.i{width}.{suffix}({kind} %a0)", f"i{width}")
            number = lines.add(f"trunc i64 %a3 to i{width}" if width < 64 else "or i64 %a3, 0")
            result(f"{sign}itofp i{width} {number} to {kind}", kind)
    for other in ("half", "float", "double"):
        if other != kind:
            longer = ("half", "float", "double").index(other) > ("half", "float", "double").index(kind)
            result(f"{'fpext' if longer else 'fptrunc'} {kind} %a0 to {other}", other)
    return lines.case(f"reals_{kind}", [kind] * 3 + ["i64"], returns, "\n".join(before))


# Vectors whose elements share bytes in memory, and some that do not: bits in a row, in memory, in arguments, in variables.
VECTORS = ((3, 1), (8, 1), (9, 1), (65, 1), (3, 7), (13, 5), (4, 24), (3, 16), (7, 10), (2, 64))


def vector_of(count: int, width: int) -> Case:
    whole, kind, name = f"i{count * width}", f"<{count} x i{width}>", f"vector_{count}_{width}"
    ones = ", ".join(f"i{width} {i % 3 - 1 if width > 1 else ('true', 'false')[i % 3 == 0]}" for i in range(count))
    before = (f"define internal {kind} @{name}_invert({kind} %v) noinline {{\n  %w = xor {kind} %v, <{ones}>\n  ret {kind} %w\n}}\n"
              f"@{name}_variable = internal GLOBAL global {kind} <{ones}>, align 16")
    body = f"""  %v = bitcast {whole} %a0 to {kind}
  %place = alloca {kind}, PRIVATE
  store {kind} %v, ptr PRIVATE %place
  %byte = load volatile i8, ptr PRIVATE %place
  %back = load {kind}, ptr PRIVATE %place
  %r0 = bitcast {kind} %back to {whole}
  %w = call {kind} @{name}_invert({kind} %v)
  %r1 = bitcast {kind} %w to {whole}
  %variable = load volatile {kind}, ptr GLOBAL @{name}_variable
  %r2 = bitcast {kind} %variable to {whole}
  %i = urem i8 %a1, {count}
  %r3 = extractelement {kind} %v, i8 %i
  %r4 = extractelement {kind} %v, i32 {count - 1}"""
    return Case(name, [whole, "i8"], [whole, whole, whole, f"i{width}", f"i{width}"], body, [f"%r{i}" for i in range(5)], before)


def copies_of(kind: str, name: str) -> Case:
    """Copies and fills with lengths of up to 255, which are negative numbers of 8 bits."""
    call = f"memset.pPRIVATE.{kind}(ptr PRIVATE %to, i8 %a2, {kind} %length, i1 false)" if name == "memset" else \
        f"{name}.pPRIVATE.pPRIVATE.{kind}(ptr PRIVATE %to, ptr PRIVATE %from, {kind} %length, i1 false)"
    declared = f"ptr PRIVATE, i8, {kind}, i1" if name == "memset" else f"ptr PRIVATE, ptr PRIVATE, {kind}, i1"
    same = "or i8 %a0, 0" if kind == "i8" else f"zext i8 %a0 to {kind}"
    body = f"""  %bytes = alloca [600 x i8], align 8, PRIVATE
  br label %fill
fill:
  %i = phi i32 [0, %0], [%next, %fill]
  %place = getelementptr i8, ptr PRIVATE %bytes, i32 %i
  %value = trunc i32 %i to i8
  store i8 %value, ptr PRIVATE %place
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 600
  br i1 %more, label %fill, label %copy
copy:
  %length = {same}
  %to.offset = and i8 %a1, 31
  %to.index = zext i8 %to.offset to i32
  %to = getelementptr i8, ptr PRIVATE %bytes, i32 %to.index
  %from.offset = and i8 %a2, 31
  %from.short = zext i8 %from.offset to i32
  %from.index = add i32 %from.short, {300 if name == "memcpy" else 0}
  %from = getelementptr i8, ptr PRIVATE %bytes, i32 %from.index
  call void @llvm.{call}
  br label %sum
sum:
  %k = phi i32 [0, %copy], [%k.next, %sum]
  %hash = phi i64 [0, %copy], [%hash.next, %sum]
  %read = getelementptr i8, ptr PRIVATE %bytes, i32 %k
  %byte = load i8, ptr PRIVATE %read
  %long = zext i8 %byte to i64
  %product = mul i64 %hash, 1099511628211
  %hash.next = xor i64 %product, %long
  %k.next = add i32 %k, 1
  %k.more = icmp ult i32 %k.next, 600
  br i1 %k.more, label %sum, label %done
done:"""
    symbol = call.split("(")[0]
    return Case(f"{name}_{kind}", ["i8", "i8", "i8"], ["i64"], body, ["%hash.next"], f"declare void @llvm.{symbol}({declared})")


def combined() -> list[Case]:
    """Integers that are put together from parts in memory, at any address. Those that are neighbours become one load."""
    shapes = (("i8", 64, range(8)), ("i8", 32, range(3, 7)), ("i16", 64, range(0, 8, 2)), ("i32", 64, (4, 8)), ("i8", 64, range(4)),
              ("i8", 32, (3, 2, 1, 0)), ("i8", 64, (0, 1, 2, 3, 4, 5, 7, 6)), ("i8", 16, (9, 10)), ("i16", 32, (0, 1)))
    cases = []
    for number, (part, width, offsets) in enumerate(shapes):
        name = f"combined_{number}"
        table = "".join(f"\\{(37 * i + 11) % 256:02x}" for i in range(48))
        body = f"""  %offset = and i64 %a0, 31
  %start = getelementptr i8, ptr GLOBAL @{name}_bytes, i64 %offset
"""
        for i, offset in enumerate(offsets):
            body += f"""  %p{i} = getelementptr i8, ptr GLOBAL %start, i64 {offset}
  %part{i} = load {part}, ptr GLOBAL %p{i}, align 1
  %wide{i} = zext {part} %part{i} to i{width}
  %shifted{i} = shl i{width} %wide{i}, {i * int(part[1:])}
"""
            body += f"  %sum{i} = or i{width} {f'%sum{i - 1}' if i else 0}, %shifted{i}\n"
        before = f'@{name}_bytes = internal GLOBAL global [48 x i8] c"{table}"'
        cases.append(Case(name, ["i64"], [f"i{width}"], body, [f"%sum{len(offsets) - 1}"], before))
    return cases


def variables() -> list[Case]:
    table = "@{0}_table = internal GLOBAL global [4 x i32] [i32 10, i32 20, i32 30, i32 40]\n"
    aliases = Case("aliases", ["i32"], ["i32", "i32", "i32"], """  %x = load i32, ptr GLOBAL @aliases_third
  %y = load i32, ptr GLOBAL @aliases_fourth
  %z = call i32 @aliases_more(i32 %a0)""", ["%x", "%y", "%z"], table.format("aliases") +
                   """@aliases_third = internal alias i32, getelementptr ([4 x i32], ptr GLOBAL @aliases_table, i64 0, i64 2)
@aliases_fourth = internal alias i32, getelementptr (i8, ptr GLOBAL @aliases_third, i64 4)
define internal i32 @aliases_add(i32 %x) noinline {
  %y = add i32 %x, 41
  ret i32 %y
}
@aliases_more = internal alias i32 (i32), ptr @aliases_add""")
    indices = Case("indices", ["i8", "i33", "i100"], ["i32"] * 3, """  %third = getelementptr [4 x i32], ptr GLOBAL @indices_table, i64 0, i64 2
  %i = ashr i8 %a0, 7
  %p = getelementptr i32, ptr GLOBAL %third, i8 %i
  %x = load i32, ptr GLOBAL %p
  %j = and i33 %a1, 3
  %q = getelementptr i32, ptr GLOBAL @indices_table, i33 %j
  %y = load i32, ptr GLOBAL %q
  %low = and i100 %a2, 3
  %k = sub i100 %low, 2
  %r = getelementptr i32, ptr GLOBAL %third, i100 %k
  %z = load i32, ptr GLOBAL %r""", ["%x", "%y", "%z"], table.format("indices"))
    relocations = Case("relocations", ["i2"], ["i32", "i32"], """  %i = zext i2 %a0 to i64
  %p = getelementptr [4 x ptr GLOBAL], ptr GLOBAL @relocations_places, i64 0, i64 %i
  %place = load ptr GLOBAL, ptr GLOBAL %p
  %x = load i32, ptr GLOBAL %place
  %number = load i64, ptr GLOBAL @relocations_number
  %q = inttoptr i64 %number to ptr GLOBAL
  %y = load i32, ptr GLOBAL %q""", ["%x", "%y"], table.format("relocations") +
                       "@relocations_places = internal GLOBAL global [4 x ptr GLOBAL] [ptr GLOBAL @relocations_table, ptr GLOBAL "
                       "getelementptr (i8, ptr GLOBAL @relocations_table, i64 4), ptr GLOBAL getelementptr ([4 x i32], ptr GLOBAL "
                       "@relocations_table, i64 1, i64 -2), ptr GLOBAL getelementptr ([4 x i32], ptr GLOBAL @relocations_table, i64 0, i64 "
                       "3)]\n@relocations_number = internal GLOBAL global i64 ptrtoint (ptr GLOBAL getelementptr (i8, ptr GLOBAL "
                       "@relocations_table, i64 8) to i64)")
    return [aliases, indices, relocations]


def control() -> list[Case]:
    """Phis whose block is reached twice from another, phis that exchange their values, and switches."""
    cases = [
        Case("both_ways", ["i1", "i32"], ["i32"], """  br i1 %a0, label %there, label %there
there:
  %x = phi i32 [%a1, %0], [%a1, %0]""", ["%x"]),
        Case("exchange", ["i32", "i32", "i4"], ["i32", "i32", "i64"], """  %count = zext i4 %a2 to i32
  br label %loop
loop:
  %x = phi i32 [%a0, %0], [%y, %loop]
  %y = phi i32 [%a1, %0], [%x, %loop]
  %pair = phi <2 x i32> [<i32 1, i32 2>, %0], [%turned, %loop]
  %both = phi {i32, i64} [{i32 1, i64 2}, %0], [%more, %loop]
  %i = phi i32 [0, %0], [%next, %loop]
  %turned = shufflevector <2 x i32> %pair, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %z = extractvalue {i32, i64} %both, 1
  %product = mul i64 %z, 3
  %more = insertvalue {i32, i64} %both, i64 %product, 1
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %count
  br i1 %again, label %loop, label %done
done:
  %first = extractelement <2 x i32> %pair, i32 0
  %sum = add i32 %y, %first""", ["%x", "%sum", "%z"])]
    for kind, numbers in (("i8", (0, 1, 2, 3, 127, -1, -128)), ("i64", (-1, 5, 1 << 40, -(1 << 63))), ("i100", (0, 1, 2, 3, -1, 1 << 70)),
                          ("i7", (0, 1, 2, 3, 4, -1)), ("i16", (-1, -2, -3, -4, -5, -6)), ("i1", (0, -1))):
        targets = "\n".join(f"    {kind} {number}, label %way{i % 3}" for i, number in enumerate(numbers))
        ways = "\n".join(f"way{i}:\n  %v{i} = add i32 %a1, {i}\n  br label %done" for i in range(3))
        cases.append(Case(f"switch_{kind}", [kind, "i32"], ["i32"], f"""  switch {kind} %a0, label %done [
{targets}
  ]
{ways}
done:
  %x = phi i32 [5, %0], [%v0, %way0], [%v1, %way1], [%v2, %way2]""" if len(numbers) > 2 else f"""  switch {kind} %a0, label %way2 [
{targets}
  ]
{ways}
done:
  %x = phi i32 [%v0, %way0], [%v1, %way1], [%v2, %way2]""", ["%x"]))
    return cases


def masked() -> Case:
    """Accesses to those elements of a vector for which a mask has bits."""
    numbers, pointers = "<4 x i32>", "<4 x ptr PRIVATE>"
    before = f"""declare {numbers} @llvm.masked.load.v4i32.pPRIVATE(ptr PRIVATE, i32, <4 x i1>, {numbers})
declare void @llvm.masked.store.v4i32.pPRIVATE({numbers}, ptr PRIVATE, i32, <4 x i1>)
declare {numbers} @llvm.masked.gather.v4i32.v4pPRIVATE({pointers}, i32, <4 x i1>, {numbers})
declare void @llvm.masked.scatter.v4i32.v4pPRIVATE({numbers}, {pointers}, i32, <4 x i1>)"""
    body = f"""  %bits = trunc i32 %a0 to i4
  %mask = bitcast i4 %bits to <4 x i1>
  %other.bits = xor i4 %bits, 6
  %other = bitcast i4 %other.bits to <4 x i1>
  %place = alloca [8 x i32], align 16, PRIVATE
  %upper = getelementptr i32, ptr PRIVATE %place, i32 4
  store {numbers} <i32 1, i32 2, i32 3, i32 4>, ptr PRIVATE %place
  store {numbers} <i32 5, i32 6, i32 7, i32 8>, ptr PRIVATE %upper
  %first = insertelement {numbers} <i32 10, i32 20, i32 30, i32 40>, i32 %a1, i32 2
  %loaded = call {numbers} @llvm.masked.load.v4i32.pPRIVATE(ptr PRIVATE %upper, i32 4, <4 x i1> %mask, {numbers} %first)
  call void @llvm.masked.store.v4i32.pPRIVATE({numbers} %loaded, ptr PRIVATE %place, i32 4, <4 x i1> %other)
  %places = getelementptr i32, ptr PRIVATE %place, <4 x i32> <i32 7, i32 0, i32 3, i32 1>
  %gathered = call {numbers} @llvm.masked.gather.v4i32.v4pPRIVATE({pointers} %places, i32 4, <4 x i1> %other, {numbers} %first)
  call void @llvm.masked.scatter.v4i32.v4pPRIVATE({numbers} %gathered, {pointers} %places, i32 4, <4 x i1> %mask)
  %low = load {numbers}, ptr PRIVATE %place
  %high = load {numbers}, ptr PRIVATE %upper
  %r0 = bitcast {numbers} %low to i128
  %r1 = bitcast {numbers} %high to i128
  %r2 = bitcast {numbers} %gathered to i128"""
    return Case("masked", ["i32", "i32"], ["i128"] * 3, body, [f"%r{i}" for i in range(3)], before)


def groups() -> dict[str, list[Case]]:
    return {
        "integers": [arithmetic_of(width) for width in WIDTHS],
        "intrinsics": [intrinsics_of(width) for width in (1, 7, 8, 16, 24, 32, 33, 48, 64, 65, 100, 128)],
        "reals": [reals_of(kind) for kind in ("half", "float", "double")],
        "vectors": [vector_of(count, width) for count, width in VECTORS],
        "memory": [copies_of(kind, name) for kind in ("i8", "i16", "i32", "i64") for name in ("memcpy", "memmove", "memset")] + [*variables(), masked()],
        "combined": combined(),
        "control": control(),
    }
