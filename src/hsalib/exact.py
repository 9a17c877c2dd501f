# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions whose results are exact, or rounded once by an instruction.

Those in NATIVE work on f32 and f64 alike; the others are written for f64, in which f32 arguments lose nothing.
"""
import math

from elementary import INFINITY, bits_of, clamp, power_of_two


# ---- rounding ----
def floor(f, x): return x.floor()
def ceil(f, x): return x.ceil()
def trunc(f, x): return x.trunc()
def rint(f, x): return x.rint()
def nearbyint(f, x): return x.rint()
def roundeven(f, x): return x.rint()


def round(f, x):
    whole = x.trunc()
    away = whole + x.of(1.0).function.constant(x.type, 1.0).copysign(x)
    return f.select((x - whole).abs() >= 0.5, away, whole).copysign(x)


def to_integer(value): return value.convert("s64", "zeroi_sat")
def lround(f, x): return to_integer(round(f, x))
def lrint(f, x): return to_integer(x.rint())


llround, llrint = lround, lrint


# ---- parts and comparisons ----
def fabs(f, x): return x.abs()
def copysign(f, x, y): return x.copysign(y)
def sqrt(f, x): return x.sqrt()
def fma(f, x, y, z): return x.fma(y, z)
def fmin(f, x, y): return x.binary_plain("min", y)
def fmax(f, x, y): return x.binary_plain("max", y)


def fdim(f, x, y):
    out = f.select(x > y, x - y, 0.0)
    return f.select(x.is_nan() | y.is_nan(), x + y, out)


def nextafter(f, x, y):
    unsigned = "u" + x.type[1:]
    smallest = f.constant(unsigned, 1).cast(x.type).copysign(y)
    bits = x.cast(unsigned)
    away = (x < y) ^ (x < 0.0)
    step = f.select(away, bits + 1, bits - 1).cast(x.type)
    out = f.select(x.equals(0.0), smallest, step)
    return f.select(x.is_nan() | y.is_nan(), x + y, f.select(x.equals(y), y, out))


NATIVE = {"floor", "ceil", "trunc", "rint", "nearbyint", "roundeven", "round", "fabs", "copysign", "sqrt", "fma", "fmin",
          "fmax", "fdim", "nextafter", "lround", "llround", "lrint", "llrint"}


# ---- exponents ----
def is_regular(x):
    """Reports whether x is neither 0 nor infinite nor NaN."""
    return (x.abs() > 0.0) & (x.abs() < INFINITY)


def exponent_and_rest(x):
    """Returns (e, y) with x = y 2^e, 1 <= |y| < 2 and e an s32, for x that is neither 0 nor infinite nor NaN."""
    f = x.function
    small = x.abs() < 2.0**-1022
    bits = bits_of(f.select(small, x * 2.0**54, x))
    e = ((bits >> 52) & 0x7ff).convert("u32").cast("s32") - f.select(small, 1023 + 54, f.constant("s32", 1023))
    return e, ((bits & 0x800fffffffffffff) | 0x3ff0000000000000).cast("f64")


def frexp(f, x, address):
    e, y = exponent_and_rest(x)
    regular = is_regular(x)
    f.store(address, f.select(regular, e + 1, 0))
    return f.select(regular, y * 0.5, x + x)


def scalbn(f, x, n):
    """The rest with the new exponent, or, below the normal numbers, with one that is 64 more, times 2^-64."""
    n = f.select(n > 5000, 5000, f.select(n < -5000, -5000, n))
    e, y = exponent_and_rest(x)
    target = e + n
    low = target < -1000
    kept = f.select(low, target + 64, target)
    kept = f.select(kept > 1023, 1023, f.select(kept < -1022, -1022, kept))
    out = y * power_of_two(kept.convert("s64"))
    out = f.select(low, out * 2.0**-64, f.select(target > 1023, out * INFINITY, out))
    out = f.select(target < -1086, f.constant("f64", 0.0).copysign(x), out)
    return f.select(is_regular(x), out, x + x)


ldexp = scalbn


def scalbln(f, x, n):
    n = f.select(n > 5000, 5000, f.select(n < -5000, -5000, n))
    return scalbn(f, x, n.convert("s32"))


def logb(f, x):
    e, _ = exponent_and_rest(x)
    out = f.select(x.equals(0.0), -INFINITY, e.convert("f64"))
    return f.select(x.abs() < INFINITY, out, x * x)


def ilogb(f, x):
    """As in glibc, that of 0 and NaN is the smallest int, that of infinity the largest."""
    e, _ = exponent_and_rest(x)
    out = f.select(x.equals(0.0) | x.is_nan(), -(2**31), e)
    return f.select(x.abs().equals(INFINITY), 2**31 - 1, out)


def modf(f, x, address):
    whole = x.trunc()
    f.store(address, whole.convert("f32", "near") if f.is_f32 else whole)
    rest = f.select(x.abs().equals(INFINITY), 0.0, x - whole)
    return f.select(x.is_nan(), x + x, rest.copysign(x))


# ---- remainders ----
def divided(x, y):
    """Returns |x| modulo |y| and the low bits of the quotient, by long division of 11 bits at a time."""
    f = x.function

    def parts(v):
        bits = bits_of(v)
        field = (bits >> 52) & 0x7ff
        mantissa = bits & 0xfffffffffffff
        normal = field.differs(0)
        return f.select(normal, mantissa | 0x10000000000000, mantissa), f.select(normal, field, 1).cast("s64")

    # What has no remainder is replaced, so that the division ends.
    fine = (y.abs() > 0.0) & (x.abs() < INFINITY) & (y.abs() < INFINITY)
    mx, ex = parts(f.select(fine, x, 1.0))
    my, ey = parts(f.select(fine, y, 1.0))
    rest, distance, quotient = f.variable(mx), f.variable(ex - ey), f.variable(f.constant("u64", 0))
    shift = f.variable(f.constant("s64", 0))
    with f.loop() as leave:
        leave(distance.now() < 0)
        dividend = rest.now() << shift.now().cast("u64").convert("u32")
        q = dividend / my
        rest.set(dividend - q * my)
        quotient.set((quotient.now() << shift.now().cast("u64").convert("u32")) + q)
        left = distance.now()
        leave(left.equals(0))
        shift.set(f.select(left > 11, 11, left))
        distance.set(left - shift.now())
        # The last step has a distance of 0, which the test at the head lets through once more.
    exact = rest.now().convert("f64", "near")
    e = (ey - 1075).convert("s32")
    half = e >> 1
    out = exact * power_of_two(half.convert("s64")) * power_of_two((e - half).convert("s64"))
    out = f.select(x.abs() < y.abs(), x.abs(), out)
    return out, quotient.now()


def remainder_edges(f, x, y, out):
    out = f.select(y.abs().equals(INFINITY) & (x.abs() < INFINITY), x, out)
    bad = y.equals(0.0) | x.abs().equals(INFINITY)
    return f.select(x.is_nan() | y.is_nan(), x + y, f.select(bad, math.nan, out))


def fmod(f, x, y):
    rest, _ = divided(x, y)
    return remainder_edges(f, x, y, rest.copysign(x))


def nearest_remainder(f, x, y):
    rest, quotient = divided(x, y)
    other = y.abs() - rest
    odd = (quotient & 1).differs(0)
    up = (rest > other) | (rest.equals(other) & odd)
    magnitude = f.select(up, -other, rest)
    negative = bits_of(x).cast("s64").compare("lt", 0)
    out = f.select(magnitude.equals(0.0), magnitude.copysign(x), f.select(negative, -magnitude, magnitude))
    return remainder_edges(f, x, y, out), f.select(up, quotient + 1, quotient)


def remainder(f, x, y):
    return nearest_remainder(f, x, y)[0]


def remquo(f, x, y, address):
    out, quotient = nearest_remainder(f, x, y)
    low = (quotient & 0x7fffffff).convert("u32").cast("s32")
    negative = (bits_of(x) ^ bits_of(y)).cast("s64").compare("lt", 0)
    fine = (y.abs() > 0.0) & (y.abs() < INFINITY) & (x.abs() < INFINITY)
    f.store(address, f.select(fine, f.select(negative, -low, low), 0))
    return out
