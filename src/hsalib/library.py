#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the HSAIL text of the mathematical library.

    library.py > libhsamath.hsail

SIGNATURES lists the functions with what they return and take. Each has the name of its C function. Its f32 counterpart, whose
name ends in f, converts its arguments to f64, evaluates the same expression, and rounds the result once more, unless it is in
exact.NATIVE. It is therefore correctly rounded, except for arguments whose result lies within 2^-28 units in the last place of
the middle between two f32.
"""
import elementary
import exact
import special
import trigonometric
from hsail_writer import Function, table

MODULES = (elementary, trigonometric, special, exact)
# Results and arguments: d is f64 or, in the functions of f32, f32; p the address of something; i and l are s32 and s64.
TYPES = {"d": "f64", "p": "u64", "i": "s32", "l": "s64"}
SIGNATURES = {
    "d d": "exp exp2 exp10 expm1 log log2 log10 log1p sinh cosh tanh asinh acosh atanh cbrt rsqrt sin cos tan asin acos atan"
           " sinpi cospi erf erfc tgamma lgamma floor ceil trunc rint nearbyint roundeven round fabs sqrt logb",
    "d dd": "pow hypot atan2 copysign fmin fmax fdim nextafter fmod remainder",
    "d ddd": "fma",
    "d dp": "frexp modf",
    "d ddp": "remquo",
    "d di": "ldexp scalbn",
    "d dl": "scalbln",
    "i d": "ilogb",
    "l d": "lround llround lrint llrint",
    "- dpp": "sincos",
}


def body(name):
    return next(getattr(m, name) for m in MODULES if hasattr(m, name))


def types_of(letters, is_f32):
    return ["f32" if letter == "d" and is_f32 else TYPES[letter] for letter in letters if letter != "-"]


def function_of(name, signature, is_f32):
    results, arguments = signature.split()
    function = Function(name + "f" * is_f32, types_of(results, is_f32), types_of(arguments, is_f32))
    widens = is_f32 and name not in exact.NATIVE
    values = [v.convert("f64") if widens and v.type == "f32" else v for v in function.arguments]
    out = body(name)(function, *values)
    if out is not None:
        function.result(out.convert("f32", "near") if out.type == "f64" and is_f32 else out)
    return function.text()


def text():
    out = ["module &libhsamath:1:0:$full:$large:$default;"]
    for module in MODULES:
        out += [table(name, values) for name, values in getattr(module, "TABLES", {}).items()]
    for signature, names in SIGNATURES.items():
        out += [function_of(name, signature, is_f32) for name in names.split() for is_f32 in (False, True)]
    return "\n".join(out)


if __name__ == "__main__":
    print(text())
