#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes the minimax polynomials of the mathematical library (src/hsalib/coefficients.py) by the exchange algorithm of Remez.

    minimax.py > ../src/hsalib/coefficients.py

Needs mpmath (Debian: python3-mpmath). The build does not run it: it takes minutes, and its result is in the tree. Each
polynomial approximates what is left of a function when its first terms, which need more than 53 bits, are taken away, so that
rounding its coefficients to f64 costs next to nothing.
"""
import sys

import mpmath as mp

mp.mp.dps = 60


def remez(function, low, high, degree, rounds=12):
    """Returns the coefficients, lowest first, and the largest error of the polynomial nearest to `function` on [low, high]."""
    low, high = mp.mpf(low), mp.mpf(high)
    size = degree + 2
    nodes = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / (size - 1)) for i in range(size)]
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / (40 * size)) for i in range(40 * size + 1)]
    values = [function(x) for x in grid]
    for _ in range(rounds):
        system = mp.matrix(size, size)
        right = mp.matrix(size, 1)
        for row, x in enumerate(nodes):
            for power in range(degree + 1):
                system[row, power] = x**power
            system[row, degree + 1] = (-1) ** row
            right[row] = function(x)
        solution = mp.lu_solve(system, right)
        coefficients = [solution[i] for i in range(degree + 1)]
        errors = [value - mp.polyval(coefficients[::-1], x) for x, value in zip(grid, values)]
        nodes = extrema(grid, errors, size)
        largest = max(abs(e) for e in errors)
        if largest <= abs(solution[degree + 1]) * mp.mpf("1.01"):
            break
    return coefficients, largest


def extrema(grid, errors, size):
    """Returns `size` places at which the error is largest, with alternating signs."""
    best = []
    for x, error in zip(grid, errors):
        if best and (error > 0) == (best[-1][1] > 0):
            if abs(error) > abs(best[-1][1]):
                best[-1] = (x, error)
        else:
            best.append((x, error))
    while len(best) > size:
        best.pop(0 if abs(best[0][1]) < abs(best[-1][1]) else -1)
    assert len(best) == size, (len(best), size)
    return [x for x, _ in best]


def series(term, start, x):
    """Sums term(n) * x^(n - start) from n = start on, which has no cancellation at x = 0."""
    return mp.nsum(lambda n: term(n) * x ** (n - start), [start, mp.inf]) if x else mp.mpf(term(start))


def exponential(r):
    """e^r = 1 + r + r^2/2 + r^3 * exponential(r)"""
    total, term, n = mp.mpf(0), 1 / mp.mpf(6), 3
    while abs(term) > mp.mpf(10) ** -70:
        total += term
        n += 1
        term = term * r / n
    return total


def sine(z):
    """sin r = r + r z * sine(z) with z = r^2"""
    total, term, n = mp.mpf(0), -1 / mp.mpf(6), 3
    while abs(term) > mp.mpf(10) ** -70:
        total += term
        term = -term * z / ((n + 1) * (n + 2))
        n += 2
    return total


def cosine(z):
    """cos r = 1 - z/2 + z^2 * cosine(z) with z = r^2"""
    total, term, n = mp.mpf(0), 1 / mp.mpf(24), 4
    while abs(term) > mp.mpf(10) ** -70:
        total += term
        term = -term * z / ((n + 1) * (n + 2))
        n += 2
    return total


def odd_series(first, sign, z):
    """The sum of sign^j * z^j / (2j + first)"""
    total, power, n = mp.mpf(0), mp.mpf(1), first
    while abs(power) > mp.mpf(10) ** -70:
        total += power / n
        power *= sign * z
        n += 2
    return total


def error_series(z):
    """erf x = x * (2/sqrt(pi) + z * error_series(z)) with z = x^2"""
    total, n, factorial = mp.mpf(0), 1, mp.mpf(1)
    power = mp.mpf(1)
    while n < 90:
        total += (-1) ** n * power / (mp.factorial(n) * (2 * n + 1))
        power *= z
        n += 1
    return total * 2 / mp.sqrt(mp.pi)


def scaled_erfc(x):
    return mp.erfc(x) * mp.exp(x * x)


def gamma_kernel(x):
    """lgamma x = (x - 1) (x - 2) * gamma_kernel(x)"""
    if x == 1:
        return mp.euler
    if x == 2:
        return 1 - mp.euler
    return mp.loggamma(x) / ((x - 1) * (x - 2))


def log_of_gamma(x):
    """ln |gamma(x)|"""
    return mp.log(abs(mp.gamma(x)))


def zero_of_log_of_gamma(n, side):
    """The zero next to the pole at -n, above it (side 1) or below (-1)."""
    distance = 1 / mp.factorial(n)
    near, far = -n + side * distance / 1000, -n + side * (mp.mpf(1) / 2 if n < 4 else 4 * distance)
    assert log_of_gamma(near) > 0 > log_of_gamma(far)
    for _ in range(4 * mp.mp.dps):
        middle = (near + far) / 2
        near, far = (middle, far) if log_of_gamma(middle) > 0 else (near, middle)
    return near


def as_f64(values):
    return [float(v) for v in values]


def pair(value):
    high = float(value)
    return (high, float(value - mp.mpf(high)))


def hexadecimal(value):
    return f"float.fromhex('{value.hex()}')"


def show(name, values, note):
    print(f"\n# {note}")
    print(f"{name} = [")
    for i in range(0, len(values), 3):
        print("    " + " ".join(f"{hexadecimal(value)}," for value in values[i : i + 3]))
    print("]")


def polynomial(name, function, low, high, degree):
    coefficients, error = remez(function, low, high, degree)
    show(name, as_f64(coefficients), f"{name} on [{low}, {high}], error {mp.nstr(error, 3)}")
    print(f"{name}: {mp.nstr(error, 3)}", file=sys.stderr)


def pieces(name, function, intervals, degree):
    """Rows of middle, half width, constant term (two parts) and the other coefficients in (x - middle) / half."""
    values, worst = [], mp.mpf(0)
    for low, high in intervals:
        middle, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
        coefficients, error = remez(lambda s, m=middle, h=half: function(m + h * s), -1, 1, degree)
        worst = max(worst, error / abs(coefficients[0]))
        values += [float(middle), float(1 / half), *pair(coefficients[0]), *as_f64(coefficients[1:])]
    show(name, values, f"{name}: {len(intervals)} pieces of degree {degree}, relative error {mp.nstr(worst, 3)}")
    print(f"{name}: {mp.nstr(worst, 3)}", file=sys.stderr)


def zeros_of_log_of_gamma(name, last, degree):
    """Rows for the zeros of ln |gamma| between the poles: the zero (three parts), 1 / half width, constant term (two parts) and the
    other coefficients of ln |gamma(x)| / (x - zero) in (x - zero) / half. The half width is a power of two, so that this quotient
    is exact; beyond it, |ln |gamma|| exceeds 1/20. There are two rows for each pole from -2 to -last, for the zeros above and below
    it; the one above -2, where there is none, is 0."""
    values, worst = [], mp.mpf(0)
    for n, side in ((n, side) for n in range(2, last + 1) for side in (1, -1)):
        if (n, side) == (2, 1):
            values += [0.0] * (degree + 6)
            continue
        zero = zero_of_log_of_gamma(n, side)
        half = mp.mpf(2) ** int(mp.floor(mp.log(abs(zero + n) / 7, 2)))
        assert all(abs(log_of_gamma(zero + d)) > mp.mpf(1) / 20 for d in (half, -half))
        high, low = pair(zero)
        quotient = lambda s, z=zero, h=half: log_of_gamma(z + h * s) / (h * s) if abs(s) > 1e-20 else mp.psi(0, z)
        coefficients, error = remez(quotient, -1, 1, degree)
        worst = max(worst, error / abs(coefficients[0]))
        values += [high, low, float(zero - mp.mpf(high) - mp.mpf(low)), float(1 / half), *pair(coefficients[0]),
                   *as_f64(coefficients[1:])]
    show(name, values, f"{name}: the zeros next to -2 to -{last}, degree {degree}, relative error {mp.nstr(worst, 3)}")
    print(f"{name}: {mp.nstr(worst, 3)}", file=sys.stderr)


def octaves(first, last, parts):
    """Splits [2^first, 2^last) into `parts` intervals for each octave."""
    return [(mp.mpf(2) ** e * (1 + mp.mpf(i) / parts), mp.mpf(2) ** e * (1 + mp.mpf(i + 1) / parts))
            for e in range(first, last) for i in range(parts)]


def main():
    print("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print('"""Written by tools/minimax.py. Polynomials have their constant term first."""')
    polynomial("EXPONENTIAL", exponential, "-0.3466", "0.3466", 11)
    polynomial("LOGARITHM", lambda z: 2 * odd_series(7, 1, z), 0, "0.02945", 8)
    polynomial("SINE", sine, 0, "0.6170", 7)
    polynomial("COSINE", cosine, 0, "0.6170", 7)
    polynomial("ARC_TANGENT", lambda z: -odd_series(3, -1, z), 0, "0.0626", 10)
    polynomial("ERROR", error_series, 0, "0.7657", 14)
    pieces("SCALED_ERFC", scaled_erfc, octaves(-1, 5, 4), 14)
    pieces("GAMMA_KERNEL", gamma_kernel, [(mp.mpf(i) / 8, mp.mpf(i + 1) / 8) for i in range(4, 20)], 13)
    zeros_of_log_of_gamma("LOG_GAMMA_ZEROS", 16, 15)


if __name__ == "__main__":
    main()
