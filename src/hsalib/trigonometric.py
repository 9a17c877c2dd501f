# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trigonometric functions and their inverses in f64.

Arguments are reduced by multiples of pi/2: those below 2^19 with four parts of pi/2, of which the first three have 33 bits
(Cody and Waite), others with 192 bits of 2/pi (Payne and Hanek). Both give a Pair with a relative error below 2^-70 even for
the arguments that lie nearest to a multiple of pi/2.
"""
import math
from fractions import Fraction

import coefficients as c
from double_double import (Pair, add, add_value, constant, divide, fast_two_sum, head_and_tail, horner, multiply,
                           multiply_value, square_root, two_product, two_sum)
from elementary import INFINITY, bits_of, small_multiple


def compute_pi(bits):
    """pi by Machin's formula, as a Fraction with an error below 2^-bits."""
    one = 1 << (bits + 20)

    def inverse_tangent(n):
        total, term, k = 0, one // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term //= n * n
            k += 2
        return total

    return Fraction(4 * (4 * inverse_tangent(5) - inverse_tangent(239)), one)


PI = compute_pi(1400)
HALF_PI = PI / 2
WORDS = 20  # of 64 bits of 2/pi, after one of zeros
TWO_OVER_PI = [0] + [int((2 / PI) * 2 ** (64 * (i + 1))) & (2**64 - 1) for i in range(WORDS)]
TABLES = {"two_over_pi": TWO_OVER_PI}


def parts_of_half_pi():
    rest, parts = HALF_PI, []
    for _ in range(3):
        head, _ = head_and_tail(rest, 33)
        parts.append(head)
        rest -= Fraction(head)
    return parts + [float(rest)]


def reduce_small(x):
    """Returns (k, Pair) with x = k pi/2 + Pair for |x| below 2^20; k is f64."""
    f = x.function
    first, second, third, fourth = parts_of_half_pi()
    k = (x * float(2 / PI)).rint()
    r = two_sum((-k).fma(first, x), -(k * second))
    t = two_sum(r.high, -(k * third))
    r = fast_two_sum(t.high, t.low + r.low)
    p = two_product(k, f.constant("f64", fourth))
    t = two_sum(r.high, -p.high)
    return k, fast_two_sum(t.high, t.low + (r.low - p.low))


def window(f, position):
    """Returns 192 bits of 2/pi from a bit of the table on, as three u64."""
    index, shift = (position >> 6).convert("u64"), position & 63
    words = [f.load("u64", "two_over_pi", index + i) for i in range(4)]
    whole = shift.equals(0)
    return [f.select(whole, words[i], (words[i] << shift) | (words[i + 1] >> (64 - shift))) for i in range(3)]


def fraction(f0, f1, f2):
    """Returns the fraction whose bits are those of three u64, the most significant first, as a Pair. It must exceed 2^-64."""
    f = f0.function
    zeros = 63 - f0.most_significant()
    none = zeros.equals(0)
    hi = f.select(none, f0, (f0 << zeros) | (f1 >> (64 - zeros)))
    lo = f.select(none, f1, (f1 << zeros) | (f2 >> (64 - zeros)))
    unit = ((1023 - zeros.convert("u64")) << 52).cast("f64")
    head = (hi >> 11).convert("f64", "near") * 2.0**-53
    tail = (((hi & 0x7ff) << 53) | (lo >> 11)).convert("f64", "near") * 2.0**-117
    return fast_two_sum(head * unit, tail * unit)


def reduce_large(x):
    """Returns (k, Pair) with x = k pi/2 + Pair modulo 2 pi, for finite |x| of at least 2^12; k is an s32 from 0 to 4."""
    f = x.function
    bits = bits_of(x)
    exponent = ((bits >> 52) & 0x7ff).convert("u32")
    mantissa = (bits & 0xfffffffffffff) | 0x10000000000000
    # The bits of 2/pi that give multiples of 4 in the product are left out; the table begins with 64 zeros.
    w0, w1, w2 = window(f, exponent - (1075 + 2 - 64))
    p2 = mantissa * w2
    middle = mantissa * w1
    p1 = middle + mantissa.mulhi(w2)
    carry = f.select(p1 < middle, 1, f.constant("u64", 0))
    p0 = mantissa * w0 + mantissa.mulhi(w1) + carry
    k = (p0 >> 62).convert("u32").cast("s32")
    f0, f1, f2 = (p0 << 2) | (p1 >> 62), (p1 << 2) | (p2 >> 62), p2 << 2
    beyond = (f0 >> 63).differs(0)  # more than half a quadrant: count back from the next one
    k = f.select(beyond, k + 1, k)
    # No f64 is nearer to a multiple of pi/2 than 2^-61, so that the first word is not 0.
    rest = fraction(*(f.select(beyond, ~v, v) for v in (f0, f1, f2)))
    r = multiply(rest, constant(f, HALF_PI))
    return k, Pair(f.select(beyond, -r.high, r.high), f.select(beyond, -r.low, r.low))


def reduce(x):
    """Returns (k, Pair) with x = k pi/2 + Pair and k modulo 4 as an s32."""
    f = x.function
    k, r = reduce_small(x)
    quadrant = f.variable(k.convert("s32", "neari_sat"))
    high, low = f.variable(r.high), f.variable(r.low)
    with f.when(x.abs() > 2.0**19):
        k, r = reduce_large(x.abs())
        negative = x < 0.0
        quadrant.set(f.select(negative, -k, k))
        high.set(f.select(negative, -r.high, r.high))
        low.set(f.select(negative, -r.low, r.low))
    return quadrant.now(), Pair(high.now(), low.now())


def sine_of_rest(r):
    """sin r = r - r^3/6 + r^5 S(r^2). The term with r^3 is a Pair, because it is up to a tenth of r."""
    z = two_product(r.high, r.high)
    cubic = multiply_value(z, r.high)
    sixth = multiply(cubic, constant(r.high.function, Fraction(-1, 6)))
    rest = (z.high * cubic.high) * horner(z.high, c.SINE[1:])
    s = fast_two_sum(r.high, sixth.high)
    low = r.low.fma(z.high * -0.5, rest) + (sixth.low + r.low)
    return fast_two_sum(s.high, s.low + low)


def cosine_of_rest(r):
    z = two_product(r.high, r.high)
    half = z.high * 0.5
    top = 1.0 - half
    lost = (1.0 - top) - half
    tail = (z.high * z.high).fma(horner(z.high, c.COSINE), lost - z.low * 0.5)
    return fast_two_sum(top, (-r.high).fma(r.low, tail))


def close_cosine_of_rest(r):
    """As cosine_of_rest, with a relative error of some 2^-62 instead of 2^-56: the term with r^4 is a Pair, too."""
    f = r.high.function
    z = multiply(r, r)
    fourth = multiply(multiply(z, z), constant(f, Fraction(1, 24)))
    rest = (z.high * z.high * z.high) * horner(z.high, c.COSINE[1:])
    s = add(add_value(z.scaled(-0.5), f.constant("f64", 1.0)), fourth)
    return fast_two_sum(s.high, s.low + rest)


def choose(f, condition, a, b):
    return Pair(f.select(condition, a.high, b.high), f.select(condition, a.low, b.low))


def sine_and_cosine(x):
    """Returns both as Pairs, whose errors are up to a fifteenth of a unit in the last place of f64."""
    f = x.function
    k, r = reduce(x)
    s, co = sine_of_rest(r), cosine_of_rest(r)
    odd = (k & 1).differs(0)
    sine, cosine = choose(f, odd, co, s), choose(f, odd, s, co)
    sine_negative = (k & 2).differs(0)
    cosine_negative = ((k + 1) & 2).differs(0)
    return choose(f, sine_negative, -sine, sine), choose(f, cosine_negative, -cosine, cosine)


def finite_only(x, out):
    """Replaces `out` by NaN if x is infinite or NaN."""
    return x.function.select(x.abs() < INFINITY, out, x - x)


def sin(f, x):
    s, _ = sine_and_cosine(x)
    return finite_only(x, f.select(x.abs() < 2.0**-27, x, s.high))


def cos(f, x):
    _, co = sine_and_cosine(x)
    return finite_only(x, co.high)


def tan(f, x):
    s, co = sine_and_cosine(x)
    return finite_only(x, f.select(x.abs() < 2.0**-28, x, divide(s, co).high))


def sincos(f, x, sine_address, cosine_address):
    s, co = sine_and_cosine(x)
    narrow = lambda v: v.convert("f32", "near") if f.is_f32 else v
    f.store(sine_address, narrow(finite_only(x, f.select(x.abs() < 2.0**-27, x, s.high))))
    f.store(cosine_address, narrow(finite_only(x, co.high)))


# ---- inverse functions ----
def half_angle(value):
    """atan of 0, 1/2 or 1 as a Fraction: pi/4 and the sum of the series."""
    if value == Fraction(1, 2):
        total, power, n = Fraction(0), Fraction(1, 2), 1
        while n < 260:
            total += power / n if n % 4 == 1 else -power / n
            power /= 4
            n += 2
        return total
    return PI / 4 if value == 1 else Fraction(0)


def angle(a, b):
    """atan(a / b) as a Pair, for Pairs with 0 <= a <= b and b not 0.

    With c = 0, 1/2 or 1, whichever is near a / b, atan(a/b) = atan c + atan((a - c b) / (b + c a)).
    """
    f = a.high.function
    to_half = a.high > b.high * 0.25
    to_one = a.high > b.high * 0.75
    factor = f.select(to_one, 1.0, f.select(to_half, 0.5, f.constant("f64", 0.0)))
    zero, half, one = (constant(f, half_angle(v)) for v in (Fraction(0), Fraction(1, 2), Fraction(1)))
    start = choose(f, to_one, one, choose(f, to_half, half, zero))
    times = lambda p: Pair(p.high * factor, p.low * factor)
    u = divide(add(a, -times(b)), add(b, times(a)))
    z = u.high * u.high
    tail = (z * u.high).fma(horner(z, c.ARC_TANGENT), u.low)
    s = two_sum(start.high, u.high)
    return fast_two_sum(s.high, s.low + (start.low + tail))


def full_angle(f, y, x):
    """The angle of the point (x, y) from the positive x axis, for Pairs y >= 0 and x that are not both 0 and not extreme."""
    left = x.high < 0.0
    ax = choose(f, left, -x, x)
    steep = y.high > ax.high
    a = angle(choose(f, steep, ax, y), choose(f, steep, y, ax))
    a = choose(f, steep, add(constant(f, HALF_PI), -a), a)
    return choose(f, left, add(constant(f, PI), -a), a)


def atan(f, x):
    ax = x.abs()
    limited = f.select(ax > 2.0**100, 2.0**100, ax)
    zero, one = f.constant("f64", 0.0), f.constant("f64", 1.0)
    out = full_angle(f, Pair(limited, zero), Pair(one, zero)).high.copysign(x)
    return f.select(x.is_nan(), x + x, f.select(ax < 2.0**-28, x, out))


def atan2(f, y, x):
    ax, ay = x.abs(), y.abs()
    more, less = f.select(ax > ay, ax, ay), f.select(ax > ay, ay, ax)
    # The exponent of the larger one becomes 0, so that nothing overflows. The smaller one may then become 0.
    fix = f.select(more < 2.0**-900, 2.0**200, f.select(more > 2.0**900, 2.0**-200, f.constant("f64", 1.0)))
    exponent = bits_of(more * fix) & 0x7ff0000000000000
    unit = (f.constant("u64", 0x7fd0000000000000) - exponent).cast("f64")
    near = more < INFINITY
    zero = f.constant("f64", 0.0)
    down = lambda v: v * fix * unit * 0.5
    b = f.select(near, down(more), 1.0)
    a = f.select(near, down(less), f.select(less.equals(INFINITY), 1.0, zero))
    b = f.select(more.equals(0.0), 1.0, b)
    flat = ax > ay
    out = full_angle(f, Pair(f.select(flat, a, b), zero), Pair(f.select(flat, b, a).copysign(x), zero)).high
    right = bits_of(x).cast("s64").compare("ge", 0)
    tiny = flat & right & (a < 2.0**-40)  # the quotient is below 2^-38 and, unlike a, rounded once if it is subnormal
    out = f.select(tiny, ay / ax, out)
    on_axis = ay.equals(0.0) | (ay < INFINITY) & ax.equals(INFINITY)
    out = f.select(on_axis, f.select(right, 0.0, f.constant("f64", float(PI))), out)
    return f.select(x.is_nan() | y.is_nan(), x + y, out.copysign(y))


def other_leg(x):
    """sqrt(1 - x^2) as a Pair, for |x| <= 1."""
    one = x.function.constant("f64", 1.0)
    return square_root(multiply(two_sum(one, -x), two_sum(one, x)))


def asin(f, x):
    ax = x.abs()
    limited = f.select(ax > 1.0, 1.0, ax)
    zero = f.constant("f64", 0.0)
    out = full_angle(f, Pair(limited, zero), other_leg(limited)).high.copysign(x)
    out = f.select(ax < 2.0**-28, x, out)
    return f.select(ax > 1.0, math.nan, f.select(x.is_nan(), x + x, out))


def acos(f, x):
    limited = f.select(x.abs() > 1.0, f.constant("f64", 1.0).copysign(x), x)
    out = full_angle(f, other_leg(limited), Pair(limited, f.constant("f64", 0.0))).high
    return f.select(x.abs() > 1.0, math.nan, f.select(x.is_nan(), x + x, out))


# ---- multiples of pi ----
def sine_of_pi_times(r, cosine=cosine_of_rest):
    """sin(pi r) as a Pair, for |r| <= 1/2. `cosine` gives cosines of up to pi/4."""
    f = r.function
    far = r.abs() > 0.25
    rest = f.select(far, 0.5 - r.abs(), r)
    p = multiply(constant(f, PI), Pair(rest, f.constant("f64", 0.0)))
    s, co = sine_of_rest(p), cosine(p)
    negative = r < 0.0
    return choose(f, far, choose(f, negative, -co, co), s)


def sinpi(f, x):
    n = x.rint()
    out = sine_of_pi_times(x - n).high
    half = n * 0.5
    out = f.select(half.trunc().differs(half), -out, out)
    out = f.select(x.abs() < 2.0**-400, small_multiple(PI, x.abs()).copysign(x), out)
    return finite_only(x, f.select(x.trunc().equals(x), f.constant("f64", 0.0).copysign(x), out))


def cospi(f, x):
    n = x.rint()
    r = (x - n).abs()
    far = r > 0.25
    p = multiply(constant(f, PI), Pair(f.select(far, 0.5 - r, r), f.constant("f64", 0.0)))
    out = f.select(far, sine_of_rest(p).high, cosine_of_rest(p).high)
    half = n * 0.5
    out = f.select(half.trunc().differs(half), -out, out)
    return finite_only(x, f.select(r.equals(0.5), 0.0, out))
