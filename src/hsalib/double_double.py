# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on unevaluated sums of two doubles (Dekker 1971, Knuth 4.2.2), for Values of hsail_writer.

A Pair has about 106 bits. Its high part is the sum rounded to nearest. The relative error of the operations is some 2^-100
unless a product underflows.
"""
from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from hsail_writer import Value


class Pair(NamedTuple):
    high: Value
    low: Value

    def __neg__(self):
        return Pair(-self.high, -self.low)

    def scaled(self, factor):
        """Multiplies by a power of two."""
        return Pair(self.high * factor, self.low * factor)


def two_sum(a, b):
    """a + b, exactly."""
    s = a + b
    t = s - a
    return Pair(s, (a - (s - t)) + (b - t))


def fast_two_sum(a, b):
    """a + b, exactly if a is 0 or |a| >= |b|."""
    if not isinstance(a, Value):
        a = b.of(a)
    s = a + b
    return Pair(s, b - (s - a))


def two_product(a, b):
    """a * b, exactly."""
    p = a * b
    return Pair(p, a.fma(b, -p))


def add(a, b):
    s = two_sum(a.high, b.high)
    t = two_sum(a.low, b.low)
    u = fast_two_sum(s.high, s.low + t.high)
    return fast_two_sum(u.high, u.low + t.low)


def add_value(a, b):
    s = two_sum(a.high, b)
    return fast_two_sum(s.high, s.low + a.low)


def multiply(a, b):
    p = two_product(a.high, b.high)
    return fast_two_sum(p.high, a.high.fma(b.low, a.low.fma(b.high, p.low)))


def multiply_value(a, b):
    p = two_product(a.high, b)
    return fast_two_sum(p.high, a.low.fma(b, p.low))


def divide(a, b):
    q = a.high / b.high
    rest = (-q).fma(b.high, a.high)
    rest = (-q).fma(b.low, rest + a.low)
    return fast_two_sum(q, rest / b.high)


def square_root(a):
    s = a.high.sqrt()
    rest = (-s).fma(s, a.high) + a.low
    return fast_two_sum(s, s.function.select(s > 0.0, rest / (s + s), 0.0))


def exact(number):
    """Splits a number, given as a Fraction or as decimal text, into two floats."""
    number = Fraction(number)
    high = float(number)
    return high, float(number - Fraction(high))


def head_and_tail(number, bits):
    """Splits a number into a float with `bits` bits, whose products with short integers are exact, and the float of the rest."""
    number = Fraction(number)
    unit = Fraction(2) ** (math.frexp(float(number))[1] - bits)
    head = (number // unit) * unit
    return float(head), float(number - head)


def constant(function, number):
    high, low = exact(number)
    return Pair(function.constant("f64", high), function.constant("f64", low))


def horner(x, coefficients):
    """Evaluates a polynomial whose constant term comes first."""
    total = x.function.constant("f64", coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = total.fma(x, c)
    return total
