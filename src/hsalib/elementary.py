# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exponentials, logarithms and powers in f64, and what is made from them.

`exponential` and `logarithm` work in double-double arithmetic, with relative errors of at most some 2^-58 and 2^-69. The other functions
are expressions in them; each says what it does about arguments for which its formula does not hold.
"""
import math
from fractions import Fraction

import coefficients as c
from double_double import (Pair, add, add_value, constant, divide, fast_two_sum, head_and_tail, horner, multiply,
                           multiply_value, square_root, two_product, two_sum)

INFINITY = math.inf
SQUARE_ROOT_OF_HALF = 0x3fe6a09e667f3bcd  # the bits of that f64
LN2 = "0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996"
INVERSE_LN2 = "1.442695040888963407359924681001892137426645954152985934135449406931109219181185079885526622894"
INVERSE_LN10 = "0.434294481903251827651128918916605082294397005803666566114453783165864649208870774729224949338"
LOG10_2 = "0.301029995663981195213738894724493026768189881462108541310427461127108189274424509486927252118"
LN10 = "2.302585092994045684017991454684364207601101488628772976033327900967572609677352480235997205090"
# Multiples of the heads by 11-bit integers are exact in f64.
LN2_HEAD, LN2_TAIL = head_and_tail(LN2, 42)
LOG10_2_HEAD, LOG10_2_TAIL = head_and_tail(LOG10_2, 42)


def bits_of(x):
    return x.cast("u64")


def power_of_two(k):
    """2^k for an s64 k from -1022 to 1023."""
    return ((k + 1023) << 52).cast("f64")


def scale(x, k):
    """x * 2^k for an s32 k of at most 2000 in absolute value, rounded once."""
    half = k >> 1
    return x * power_of_two(half.convert("s64")) * power_of_two((k - half).convert("s64"))


def scale_pair(p, k):
    """The positive Pair times 2^k for an s32 k of at most 1900 in absolute value, rounded once, also to a subnormal number."""
    plain = scale(p.high, k)
    # The unit in the last place of what lies between `large` and its double is 2^64 times the smallest number, so that
    # adding `large` rounds as subnormal numbers do.
    large = 2.0**-958
    up = scale(p.high, k + 64)
    s = fast_two_sum(up.of(large), up)
    out = ((s.high + (s.low + scale(p.low, k + 64))) - large) * 2.0**-64
    return p.high.function.select(plain.abs() < 2.0**-1022, out, plain)


def small_multiple(factor, x):
    """factor * x for a constant and a small x that is not negative. It is rounded once, also to a subnormal number: the Pair is
    that of a larger product, all of whose bits are above the smallest number."""
    f = x.function
    return scale_pair(multiply_value(constant(f, factor), x * 2.0**500), f.constant("s32", -500))


def clamp(x, limit):
    """x, if it is between -limit and limit, otherwise the nearer of the two; NaN stays."""
    f = x.function
    x = f.select(x > limit, limit, x)
    return f.select(x < -limit, -limit, x)


def reduced_exponential(x, low=None):
    """Returns (k, E) such that e^(x + low) = 2^k (1 + E), for |x| of at most 800. k is s32; the Pair E is relatively exact."""
    f = x.function
    k = (x * float(INVERSE_LN2)).rint()
    r = (-k).fma(LN2_HEAD, x)
    p = two_product(k, f.constant("f64", LN2_TAIL))
    r = two_sum(r, -p.high)
    rest = r.low - p.low
    if low is not None:
        rest = rest + low
    square = two_product(r.high, r.high * 0.5)
    cubic = r.high * r.high * r.high * horner(r.high, c.EXPONENTIAL)
    e = fast_two_sum(r.high, square.high)
    tail = cubic + rest.fma(e.high + cubic, rest) + square.low
    return k.convert("s32", "neari_sat"), fast_two_sum(e.high, e.low + tail)


def exponential(x, low=None):
    """Returns (k, P) such that e^(x + low) = 2^k P."""
    k, e = reduced_exponential(x, low)
    s = fast_two_sum(1.0, e.high)
    return k, fast_two_sum(s.high, s.low + e.low)


def power(x, low=None):
    """e^(x + low) as f64, for any x."""
    limited = clamp(x, 800.0)
    k, p = exponential(limited, low)
    return scale_pair(p, k)


def exp(f, x):
    return power(x)


def exp2(f, x):
    limited = clamp(x, 1200.0)
    k = limited.rint()
    r = limited - k
    e, p = exponential(*multiply_value(constant(f, LN2), r))
    return scale_pair(p, k.convert("s32", "neari_sat") + e)


def exp10(f, x):
    """10^x = 2^k e^(r ln 10) with r = x - k log10 2"""
    limited = clamp(x, 400.0)
    k = (limited * (1 / float(LOG10_2))).rint()
    p = two_product(k, f.constant("f64", LOG10_2_TAIL))
    r = two_sum((-k).fma(LOG10_2_HEAD, limited), -p.high)
    e, p = exponential(*multiply(constant(f, LN10), Pair(r.high, r.low - p.low)))
    return scale_pair(p, k.convert("s32", "neari_sat") + e)


def exponential_minus_one(x):
    """e^x - 1 as a Pair, for |x| of at most 700."""
    k, e = reduced_exponential(x)
    factor = power_of_two(k.convert("s64"))
    return add(two_sum(factor, x.of(-1.0)), e.scaled(factor))


def expm1(f, x):
    small = exponential_minus_one(clamp(x, 700.0)).high
    out = f.select(x > 700.0, power(x), small)
    return f.select(x.abs() < 2.0**-54, x, out)


def logarithm(x, low=None):
    """ln(x + low) as (k, P) such that the logarithm is k ln 2 + P, for positive normal x. k is f64, |P| below 0.35.

    With s = f / (2 + f), where 1 + f is x without its power of two, ln(1 + f) = 2 (s + s^3/3 + s^5/5 + ...).
    """
    f = x.function
    bits = bits_of(x).cast("s64")
    k = (bits - SQUARE_ROOT_OF_HALF) >> 52
    fraction = Pair((bits - (k << 52)).cast("f64") - 1.0, f.constant("f64", 0.0))
    if low is not None:  # which does not count if x is so large that 2^-k is no normal number
        fraction = two_sum(fraction.high, low * f.select(k.compare("gt", 1000), 0.0, power_of_two(-k)))
    below = fast_two_sum(2.0, fraction.high)
    s = divide(fraction, Pair(below.high, below.low + fraction.low))
    z = multiply(s, s)
    fifths = constant(f, Fraction(2, 5))
    inner = fast_two_sum(fifths.high, z.high * horner(z.high, c.LOGARITHM))
    inner = multiply(z, Pair(inner.high, inner.low + fifths.low))
    inner = add(constant(f, Fraction(2, 3)), inner)
    return k.convert("f64", "near"), add(s.scaled(2.0), multiply(multiply(z, inner), s))


def times_ln2(k):
    return fast_two_sum(k * LN2_HEAD, k * LN2_TAIL)


def whole_logarithm(x, low=None):
    """ln(x + low) as a Pair, for positive normal x."""
    k, p = logarithm(x, low)
    return add(times_ln2(k), p)


def normalised(x):
    """Returns (y, e) with x = y 2^e and y normal, for positive x; e is f64."""
    f = x.function
    small = x < 2.0**-1022
    return f.select(small, x * 2.0**54, x), f.select(small, -54.0, f.constant("f64", 0.0))


def at_edges(x, out, zero=0.0):
    """Replaces `out` by the value of a logarithm whose argument x - zero is 0, infinite, negative or NaN."""
    f = x.function
    out = f.select(x.equals(zero), -INFINITY, out)
    out = f.select(x < zero, math.nan, out)
    return f.select(x < INFINITY, out, x + x)


def log(f, x):
    y, e = normalised(x)
    k, p = logarithm(y)
    return at_edges(x, add(times_ln2(k + e), p).high)


def log2(f, x):
    y, e = normalised(x)
    k, p = logarithm(y)
    return at_edges(x, add_value(multiply(p, constant(f, INVERSE_LN2)), k + e).high)


def log10(f, x):
    y, e = normalised(x)
    k, p = logarithm(y)
    return at_edges(x, add(multiply_value(constant(f, LOG10_2), k + e), multiply(p, constant(f, INVERSE_LN10))).high)


def logarithm_of_one_and(p):
    """ln(1 + p) for a Pair p above -1, as a Pair that is relatively exact for |p| down to 2^-40."""
    s = two_sum(p.high.function.constant("f64", 1.0), p.high)
    return whole_logarithm(s.high, s.low + p.low)


def log1p(f, x):
    out = logarithm_of_one_and(Pair(x, f.constant("f64", 0.0))).high
    out = f.select(x.abs() < 2.0**-54, x, out)
    return at_edges(x, out, zero=-1.0)


def is_odd(y):
    """Reports whether y is an odd integer."""
    half = y * 0.5
    return y.trunc().equals(y) & half.trunc().differs(half) & (y.abs() < INFINITY)


def pow(f, x, y):
    ax = x.abs()
    base, e = normalised(ax)
    k, p = logarithm(base)
    whole = add(times_ln2(k + e), p)
    exponent = multiply_value(whole, clamp(y, 2.0**64))
    large = exponent.high.abs() > 800.0
    out = power(exponent.high, f.select(large, 0.0, exponent.low))
    out = f.select(y.is_nan(), y, out)
    rises = y > 0.0
    out = f.select(ax.equals(0.0), f.select(rises, 0.0, f.constant("f64", INFINITY)), out)
    out = f.select(ax.equals(INFINITY), f.select(rises, INFINITY, f.constant("f64", 0.0)), out)
    negative = bits_of(x).cast("s64").compare("lt", 0)
    out = f.select(negative & is_odd(y), -out, out)
    bad = (x < 0.0) & (ax < INFINITY) & y.trunc().differs(y) & (y.abs() < INFINITY)
    out = f.select(bad, math.nan, out)
    out = f.select(x.is_nan() | y.is_nan(), x + y, out)
    return f.select(y.equals(0.0) | x.equals(1.0), 1.0, out)


# ---- hyperbolic functions ----
def halved_exponential(x):
    """e^x / 2 for x from 30 on, up to its overflow."""
    k, p = exponential(clamp(x, 800.0))
    return scale(p.high, k - 1)


def sinh(f, x):
    ax = x.abs()
    e = exponential_minus_one(clamp(ax, 40.0))
    out = add(e, divide(e, add_value(e, e.high.of(1.0)))).high * 0.5
    out = f.select(ax > 40.0, halved_exponential(ax), out)
    return f.select(ax < 2.0**-28, x, out.copysign(x))


def cosh(f, x):
    ax = x.abs()
    k, p = exponential(clamp(ax, 40.0))
    factor = power_of_two(k.convert("s64"))
    e = p.scaled(factor)
    out = add(e, divide(Pair(f.constant("f64", 1.0), f.constant("f64", 0.0)), e)).high * 0.5
    return f.select(ax > 40.0, halved_exponential(ax), out)


def tanh(f, x):
    e = exponential_minus_one(clamp(x.abs(), 30.0) * 2.0)
    out = divide(e, add_value(e, e.high.of(2.0))).high
    return f.select(x.abs() < 2.0**-28, x, out.copysign(x))


def asinh(f, x):
    """ln(1 + a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|; ln 2 + ln a if a is large"""
    ax = x.abs()
    a = clamp(ax, 2.0**30)
    square = two_product(a, a)
    root = add_value(square_root(add_value(square, a.of(1.0))), a.of(1.0))
    near = logarithm_of_one_and(add_value(divide(square, root), a)).high
    far = add(whole_logarithm(ax), constant(f, LN2)).high
    out = f.select(ax > 2.0**30, far, near)
    out = f.select(ax < INFINITY, out, ax)
    return f.select(ax < 2.0**-28, x, out.copysign(x))


def acosh(f, x):
    """ln(1 + t + sqrt(2 t + t^2)) with t = x - 1; ln 2 + ln x if x is large"""
    t = two_sum(clamp(x, 2.0**30), x.of(-1.0))
    root = square_root(add(t.scaled(2.0), multiply(t, t)))
    near = logarithm_of_one_and(add(t, root)).high
    far = add(whole_logarithm(x), constant(f, LN2)).high
    out = f.select(x > 2.0**30, far, near)
    out = f.select(x.equals(1.0), 0.0, out)
    out = f.select(x < 1.0, math.nan, out)
    return f.select(x < INFINITY, out, x + x)


def atanh(f, x):
    """ln(1 + 2 a / (1 - a)) / 2 with a = |x|"""
    ax = x.abs()
    below = two_sum(f.constant("f64", 1.0), -ax)
    quotient = divide(Pair(ax + ax, f.constant("f64", 0.0)), below)
    out = logarithm_of_one_and(quotient).high * 0.5
    out = f.select(ax < 2.0**-28, ax, out).copysign(x)
    out = f.select(ax.equals(1.0), x * INFINITY, out)
    return f.select(ax <= 1.0, out, f.select(x.is_nan(), x + x, math.nan))


# ---- roots ----
def cbrt(f, x):
    """Newton's iteration from a third of the exponent on, the last step with the exact residual."""
    ax = x.abs()
    small, large = ax < 2.0**-900, ax > 2.0**900
    one = f.constant("f64", 1.0)
    a = ax * f.select(small, 2.0**180, f.select(large, 2.0**-180, one))
    # A third of the bits has a third of the exponent. The summand restores its bias and makes errors of both signs equally large.
    t = (bits_of(a).mulhi(0x5555555555555556) + 0x2a9f7893782da1ce).cast("f64")
    for _ in range(4):
        square = t * t
        t = t - (square * t - a) / (square * 3.0)
    cube = multiply_value(two_product(t, t), t)
    t = t - ((cube.high - a) + cube.low) / (t * t * 3.0)
    out = (t * f.select(small, 2.0**-60, f.select(large, 2.0**60, one))).copysign(x)
    return f.select((ax > 0.0) & (ax < INFINITY), out, x + x)


def hypot(f, x, y):
    ax, ay = x.abs(), y.abs()
    more = f.select(ax > ay, ax, ay)
    less = f.select(ax > ay, ay, ax)
    large, small = more > 2.0**500, more < 2.0**-400
    down = f.select(large, 2.0**-600, f.select(small, 2.0**600, f.constant("f64", 1.0)))
    up = f.select(large, 600, f.select(small, -600, f.constant("s32", 0)))
    a, b = more * down, less * down
    out = scale_pair(square_root(add(two_product(a, a), two_product(b, b))), up)
    out = f.select(x.is_nan() | y.is_nan(), x + y, out)
    return f.select(ax.equals(INFINITY) | ay.equals(INFINITY), INFINITY, out)


def rsqrt(f, x):
    small = x < 2.0**-900
    y = f.select(small, x * 2.0**200, x)
    zero, one = f.constant("f64", 0.0), f.constant("f64", 1.0)
    out = divide(Pair(one, zero), square_root(Pair(y, zero))).high * f.select(small, 2.0**100, one)
    out = f.select(x.equals(INFINITY), 0.0, out)
    return f.select(x.equals(0.0), f.constant("f64", INFINITY).copysign(x), out)
