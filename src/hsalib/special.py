# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The error function and the gamma function in f64."""
import math
from fractions import Fraction

import coefficients as c
from double_double import (Pair, add, add_value, constant, divide, fast_two_sum, horner, multiply, multiply_value,
                           two_product, two_sum)
from elementary import (INFINITY, LN2, bits_of, clamp, exponential, normalised, power_of_two, scale_pair, small_multiple,
                        whole_logarithm)
from trigonometric import PI, choose, close_cosine_of_rest, sine_of_pi_times

TABLES = {"scaled_erfc": c.SCALED_ERFC, "gamma_kernel": c.GAMMA_KERNEL, "log_gamma_zeros": c.LOG_GAMMA_ZEROS}
ERFC_COLUMNS = len(c.SCALED_ERFC) // 24
GAMMA_COLUMNS = len(c.GAMMA_KERNEL) // 16
ZERO_COLUMNS = len(c.LOG_GAMMA_ZEROS) // 30
TWO_OVER_ROOT_PI = "1.128379167095512573896158903121545171688101258657997713688171443421284936882986828973487320"
HALF_LN_TWO_PI = "0.918938533204672741780329736405617639861397473637783412817151540482765695927260397694743298"
LN_PI = "1.144729885849400174143427351353058711647294812915311571513623071472137769884826079783623270"
STIRLING_FROM = 12.0
STIRLING = [Fraction(1, 12), Fraction(-1, 360), Fraction(1, 1260), Fraction(-1, 1680), Fraction(1, 1188),
            Fraction(-691, 360360), Fraction(1, 156), Fraction(-3617, 122400)]


def polynomial(element, first, columns, s):
    """Evaluates the polynomial at s whose constant term, in two parts, is element(first), as a Pair."""
    total = element(columns - 1)
    for i in range(columns - 2, first + 1, -1):
        total = total.fma(s, element(i))
    rest = two_product(total, s)
    top = two_sum(element(first), rest.high)
    return fast_two_sum(top.high, top.low + (rest.low + element(first + 1)))


def piece(f, table, row, columns, x):
    """Evaluates the row of a table of polynomials (tools/minimax.py, pieces) at x, as a Pair. `row` is a u64."""
    base = row * columns
    element = lambda i: f.load("f64", table, base + i)
    return polynomial(element, 2, columns, (x - element(0)) * element(1))


def limit(f, row, last):
    return f.select(row > last, last, row)


# ---- error function ----
FROM_TAIL = 0.875  # from here on, erf x is 1 - erfc x


def error_near_zero(a):
    """erf a = 2/sqrt(pi) (a - a^3/3) + a^5 E(a^2), for a below FROM_TAIL; the first two terms are Pairs"""
    f = a.function
    z = two_product(a, a)
    p = multiply_value(constant(f, TWO_OVER_ROOT_PI), a)
    third = multiply(multiply_value(z, a), constant(f, Fraction(TWO_OVER_ROOT_PI) / -3))
    rest = (z.high * z.high * a) * horner(z.high, c.ERROR[1:])
    s = fast_two_sum(p.high, third.high)
    return fast_two_sum(s.high, s.low + (p.low + third.low + rest))


def error_tail(a):
    """(k, P) with erfc a = 2^k P, for a from 1/2 to 28"""
    f = a.function
    square = two_product(a, a)
    k, p = exponential(-square.high, -square.low)
    row = (bits_of(a) >> 50) - (1022 << 2)
    return k, multiply(p, piece(f, "scaled_erfc", limit(f, row, 23), ERFC_COLUMNS, a))


def error_parts(x):
    """Returns erf |x| as a Pair where that is exact enough, and (k, P) for the tail."""
    f = x.function
    a = x.abs()
    inside = f.select(a < 0.5, 0.5, f.select(a > 28.0, 28.0, f.select(x.is_nan(), 1.0, a)))
    return error_near_zero(f.select(a < 1.0, a, 1.0)), error_tail(inside)


def erf(f, x):
    near, (k, tail) = error_parts(x)
    factor = f.select(k.compare("lt", -200), 0.0, power_of_two(k.convert("s64")))
    far = add_value(-tail.scaled(factor), f.constant("f64", 1.0)).high
    a = x.abs()
    out = f.select(a < FROM_TAIL, near.high, far)
    out = f.select(a < 2.0**-400, small_multiple(TWO_OVER_ROOT_PI, a), out).copysign(x)
    return f.select(x.is_nan(), x + x, f.select(x.equals(0.0), x, out))


def erfc(f, x):
    near, (k, tail) = error_parts(x)
    negative = x < 0.0
    one = f.constant("f64", 1.0)
    middle = add_value(choose(f, negative, near, -near), one).high
    factor = f.select(k.compare("lt", -200), 0.0, power_of_two(k.convert("s64")))
    left = add_value(-tail.scaled(factor), f.constant("f64", 2.0)).high
    out = f.select(negative, left, scale_pair(tail, k))
    out = f.select(x.abs() < 0.5, middle, out)
    out = f.select(x.equals(INFINITY), 0.0, out)
    return f.select(x.is_nan(), x + x, out)


# ---- gamma function ----
def stirling(x):
    """ln gamma(x) for a Pair x of at least STIRLING_FROM, with an absolute error of some 2^-62."""
    f = x.high.function
    inverse = 1.0 / x.high
    square = inverse * inverse
    first = divide(constant(f, STIRLING[0]), x)  # a Pair, because rounding it to 53 bits would be an error of 2^-60
    rest = horner(square, [float(v) for v in STIRLING[1:]]) * square * inverse
    product = multiply(add_value(x, f.constant("f64", -0.5)), whole_logarithm(x.high, x.low))
    total = add(add(product, -x), constant(f, HALF_LN_TWO_PI))
    return add_value(add(total, first), rest)


def rising_product(x):
    """Returns (y, p) with gamma(x) = gamma(y) / p and y of at least STIRLING_FROM, for a Pair x of at least 1/2."""
    f = x.high.function
    variables = [f.variable(v) for v in (x.high, x.low, f.constant("f64", 1.0), f.constant("f64", 0.0))]
    with f.loop() as leave:
        high, low, p_high, p_low = (v.now() for v in variables)
        leave(~(high < STIRLING_FROM))
        p = multiply(Pair(p_high, p_low), Pair(high, low))
        y = add_value(Pair(high, low), f.constant("f64", 1.0))
        for variable, value in zip(variables, (*y, *p)):
            variable.set(value)
    high, low, p_high, p_low = (v.now() for v in variables)
    return Pair(high, low), Pair(p_high, p_low)


def is_integer(x):
    return x.trunc().equals(x)


def sine_at(x):
    """|sin(pi x)|, whose relative error is an absolute one of lgamma"""
    return sine_of_pi_times((x - x.rint()).abs(), close_cosine_of_rest)


def tgamma(f, x):
    """gamma(y) / p from 1/2 on, and pi / (sin(pi x) gamma(1 - x)) below"""
    mirrored = x < 0.5
    one = f.constant("f64", 1.0)
    limited = f.select(x.is_nan(), 1.0, clamp(x, 199.5))
    a = choose(f, mirrored, two_sum(one, -limited), Pair(limited, f.constant("f64", 0.0)))
    y, p = rising_product(a)
    exponent = stirling(y)
    k, e = exponential(clamp(exponent.high, 800.0), exponent.low)
    gamma = divide(e, p)
    reflected = divide(constant(f, PI), multiply(gamma, sine_at(limited)))
    half = x.floor() * 0.5
    negative = half.trunc().differs(half)
    out = scale_pair(choose(f, mirrored, reflected, gamma), f.select(mirrored, -k, k))
    out = f.select(mirrored & negative, -out, out)
    out = f.select(x.abs() < 2.0**-60, 1.0 / x, out)  # also for zeros; gamma(x) is 1/x - 0.577...
    out = f.select((x < 0.0) & is_integer(x), math.nan, out)
    out = f.select(x.equals(INFINITY), INFINITY, out)
    return f.select(x.is_nan(), x + x, out)


def near_zeros_of_logarithm(x, one_less, two_less):
    """ln gamma(x) = (x - 1) (x - 2) G(x), for x from 1/2 to 5/2, with x - 1 and x - 2 as Pairs"""
    f = x.function
    row = (x * 8.0).convert("u64", "zeroi_sat") - 4
    inside = f.select(row > 15, 0, row)
    return multiply(multiply(one_less, two_less), piece(f, "gamma_kernel", inside, GAMMA_COLUMNS, x))


def near_negative_zeros(f, x, out):
    """Replaces `out` by ln |gamma(x)| = (x - zero) P(x - zero) where x is next to one of its zeros below -2 (tools/minimax.py,
    zeros_of_log_of_gamma). The zeros below -17 lie so close to integers that no f64 does."""
    result = f.variable(out)
    with f.when((x < -2.0) & (x > -16.5)):
        n = x.rint()
        below = f.select(x < n, 1, f.constant("u64", 0))
        base = (((-2.0 - n).convert("u64", "zeroi_sat") << 1) + below) * ZERO_COLUMNS
        element = lambda i: f.load("f64", "log_gamma_zeros", base + i)
        t = two_sum(x - element(0), -element(1))
        t = fast_two_sum(t.high, t.low - element(2))
        s = t.high * element(3)
        p = polynomial(element, 4, ZERO_COLUMNS, s)
        value = multiply(t, Pair(p.high, t.low * element(3) * element(6) + p.low)).high
        result.set(f.select((s.abs() <= 1.0) & (element(3) > 0.0), value, out))
    return result.now()


def log_gamma_by_kernel(a, mirrored):
    """ln gamma(a) as a Pair for a from 0 to 5/2, unless `mirrored`: from a or, below 1/2, from 1 + a and ln a"""
    f = a.function
    zero, one = f.constant("f64", 0.0), f.constant("f64", 1.0)
    inside = f.select(mirrored, 1.0, a)
    shifted = inside < 0.5
    offset = f.select(shifted, one, zero)
    kernel = near_zeros_of_logarithm(inside + offset, two_sum(inside, offset - 1.0), two_sum(inside, offset - 2.0))
    positive = f.select(shifted & (inside > 0.0), inside, one)
    y, e = normalised(positive)
    logarithm = add(whole_logarithm(y), multiply_value(constant(f, LN2), e))
    return add(kernel, -logarithm)


def lgamma(f, x):
    """ln |gamma(x)|: by its kernel up to 5/2, as stirling(y) - ln p beyond, and by reflection for negative x"""
    zero, one = f.constant("f64", 0.0), f.constant("f64", 1.0)
    a = f.select(x < 2.0**60, x, 2.0**60)
    a = f.select(a > -(2.0**54), a, 0.75)  # also for NaN
    a = f.select(a.abs() < 2.0**-60, a.abs(), a)  # their logarithms differ by less than x
    mirrored = a < 0.0
    small = a < 0.5
    argument = choose(f, mirrored, two_sum(one, -a), Pair(f.select(small, one, a), zero))
    y, p = rising_product(argument)
    far = add(stirling(y), -whole_logarithm(p.high, p.low))
    near = log_gamma_by_kernel(a, mirrored)
    s = sine_at(a)
    s = choose(f, mirrored & (s.high > 0.0), s, Pair(one, zero))
    reflected = add(add(constant(f, LN_PI), -whole_logarithm(s.high, s.low)), -far)
    out = f.select(mirrored, reflected.high, f.select(a < 2.5, near.high, far.high))
    out = near_negative_zeros(f, x, out)
    # (ln x - 1) x for large x
    l = add_value(whole_logarithm(f.select(x > 2.0**60, x, one)), f.constant("f64", -1.0))
    out = f.select(x > 2.0**60, x.fma(l.high, x * l.low), out)
    pole = (x <= 0.0) & is_integer(x)
    out = f.select(pole | x.abs().equals(INFINITY), INFINITY, out)
    return f.select(x.is_nan(), x + x, out)
