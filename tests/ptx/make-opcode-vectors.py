#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make-opcode-vectors.py FILE: what PTX operations must give, as a table for test-machine-opcodes.

    VECTOR(form, signature, a, b, c, d, result)      computed with exact rational arithmetic
    BOUND(form, signature, a, b, format, low, high)  of approximate ones, from series with 60 digits and the errors that
                                                     the ISA allows

Nothing here knows how the emulator works: integers are Python's, floating point is a Fraction rounded once to the
format. Signature: one letter an operand, destination first: b 8, h 16, r 32, d 64 bits, p predicate, i immediate.
"""
import decimal
import itertools
import os
import random
import sys
from decimal import Decimal
from fractions import Fraction

random.seed(7)
decimal.getcontext().prec = 60
ROWS = []
BOUNDS = []
MANY = set()
ALWAYS = set()


def row(form, signature, inputs, result):
    ROWS.append((form, signature, tuple(inputs), result))


# ---- integers ----
def mask(v, bits):
    return v & ((1 << bits) - 1)


def signed(v, bits):
    v = mask(v, bits)
    return v - (1 << bits) if v >> (bits - 1) else v


def edges(bits):
    top = 1 << bits
    some = [0, 1, 2, 3, 7, 31, 32, 63, top - 1, top - 2, top // 2, top // 2 - 1, top // 2 + 1, 0x5a]
    some += [random.getrandbits(bits) for _ in range(5)]
    return sorted({mask(v, bits) for v in some})


def pairs(bits, count=90):
    every = list(itertools.product(edges(bits), edges(bits)))
    random.shuffle(every)
    return every[:count]


LETTER = {8: "b", 16: "h", 32: "r", 64: "d"}


def trunc_div(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def integers():
    for bits in (16, 32, 64):
        n = LETTER[bits]
        for s in "us":
            def val(v):
                return signed(v, bits) if s == "s" else v
            t = f"{s}{bits}"
            for a, b in pairs(bits):
                x, y = val(a), val(b)
                row(f"add.{t}", n * 3, (a, b), mask(a + b, bits))
                row(f"sub.{t}", n * 3, (a, b), mask(a - b, bits))
                row(f"mul.lo.{t}", n * 3, (a, b), mask(a * b, bits))
                row(f"mul.hi.{t}", n * 3, (a, b), mask(x * y >> bits, bits))
                row(f"min.{t}", n * 3, (a, b), mask(min(x, y), bits))
                row(f"max.{t}", n * 3, (a, b), mask(max(x, y), bits))
                c = random.getrandbits(bits)
                row(f"mad.lo.{t}", n * 4, (a, b, c), mask(a * b + c, bits))
                row(f"mad.hi.{t}", n * 4, (a, b, c), mask((x * y >> bits) + c, bits))
                row(f"sad.{t}", n * 4, (a, b, c), mask(c + abs(x - y), bits))
                if y:
                    row(f"div.{t}", n * 3, (a, b), mask(trunc_div(x, y), bits))
                    row(f"rem.{t}", n * 3, (a, b), mask(x - y * trunc_div(x, y), bits))
                elif bits > 16:
                    row(f"div.{t}", n * 3, (a, b), mask(-1, bits))
                if bits < 64:
                    w = LETTER[bits * 2]
                    row(f"mul.wide.{t}", w + n + n, (a, b), mask(x * y, bits * 2))
                    c = random.getrandbits(bits * 2)
                    row(f"mad.wide.{t}", w + n + n + w, (a, b, c), mask(x * y + c, bits * 2))
                for word, test in (("eq", x == y), ("ne", x != y), ("lt", x < y), ("le", x <= y), ("gt", x > y),
                                   ("ge", x >= y)):
                    row(f"setp.{word}.{t}", "p" + n + n, (a, b), int(test))
                shift = random.choice([0, 1, 5, bits - 1, bits, bits + 3, 255, 0xffffffff])
                row(f"shr.{t}", n + n + "r", (a, shift), mask(x >> min(shift, bits), bits))
                row(f"shl.b{bits}", n + n + "r", (a, shift), mask(a << shift, bits) if shift < bits else 0)
                if bits >= 32:
                    # The ISA takes a position modulo 256, an H200 does so for 32 bits only.
                    far = 300 if bits == 32 else 200
                    for pos, length in ((0, 0), (0, bits), (4, 8), (bits - 4, 8), (bits, 4), (0, 255), (far, 5),
                                        (random.randrange(bits), random.randrange(bits))):
                        row(f"bfe.{t}", n + n + "rr", (a, pos, length), bfe(x, pos & 255, length & 255, bits, s))
        for a, b in pairs(bits, 40):
            row(f"and.b{bits}", n * 3, (a, b), a & b)
            row(f"or.b{bits}", n * 3, (a, b), a | b)
            row(f"xor.b{bits}", n * 3, (a, b), a ^ b)
        for a in edges(bits):
            row(f"not.b{bits}", n * 2, (a,), mask(~a, bits))
            row(f"cnot.b{bits}", n * 2, (a,), int(a == 0))
            row(f"neg.s{bits}", n * 2, (a,), mask(-a, bits))
            row(f"abs.s{bits}", n * 2, (a,), mask(abs(signed(a, bits)), bits))
    for bits in (32, 64):
        n = LETTER[bits]
        for a in edges(bits):
            row(f"popc.b{bits}", "r" + n, (a,), bin(a).count("1"))
            row(f"clz.b{bits}", "r" + n, (a,), bits - a.bit_length())
            row(f"brev.b{bits}", n + n, (a,), int(format(a, f"0{bits}b")[::-1], 2))
            row(f"bfind.u{bits}", "r" + n, (a,), mask(a.bit_length() - 1, 32))
            row(f"bfind.shiftamt.u{bits}", "r" + n, (a,), mask(bits - a.bit_length(), 32) if a else 0xffffffff)
            flipped = mask(~a, bits) if signed(a, bits) < 0 else a
            row(f"bfind.s{bits}", "r" + n, (a,), mask(flipped.bit_length() - 1, 32))
            for pos, length in ((0, 0), (3, 5), (bits - 4, 8), (bits + 1, 4), (0, bits), (8, 255)):
                b = random.getrandbits(bits)
                row(f"bfi.b{bits}", n * 3 + "rr", (a, b, pos, length), bfi(a, b, pos & 255, length & 255, bits))
    for a, b in pairs(32, 60):
        x, y = signed(a, 32), signed(b, 32)
        row("add.sat.s32", "rrr", (a, b), mask(max(-2**31, min(2**31 - 1, x + y)), 32))
        row("sub.sat.s32", "rrr", (a, b), mask(max(-2**31, min(2**31 - 1, x - y)), 32))
        row("mul24.lo.u32", "rrr", (a, b), mask((a & 0xffffff) * (b & 0xffffff), 32))
        row("mul24.lo.s32", "rrr", (a, b), mask(signed(a, 24) * signed(b, 24), 32))
        row("mul24.hi.s32", "rrr", (a, b), mask(signed(a, 24) * signed(b, 24) >> 16, 32))
        c = random.getrandbits(32)
        for mode, f in (("wrap", lambda v: v & 31), ("clamp", lambda v: min(v, 32))):
            row(f"shf.l.{mode}.b32", "rrrr", (a, b, c), mask((b << 32 | a) << f(c) >> 32, 32))
            row(f"shf.r.{mode}.b32", "rrrr", (a, b, c), mask((b << 32 | a) >> f(c), 32))
        row("prmt.b32", "rrrr", (a, b, c), prmt(a, b, c))
        for ta, tb in itertools.product("us", "us"):
            total = c
            for i in range(4):
                u, v = a >> 8 * i & 255, b >> 8 * i & 255
                total += (signed(u, 8) if ta == "s" else u) * (signed(v, 8) if tb == "s" else v)
            row(f"dp4a.{ta}32.{tb}32", "rrrr", (a, b, c), mask(total, 32))
        for table in (0x80, 0xfe, 0x96, 0xe8, 0x1d):
            r = 0
            for i in range(32):
                r |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i
            row("lop3.b32", "rrrri", (a, b, c, table), r)
        row("bmsk.clamp.b32", "rrr", (a & 63, b & 63), mask(mask(-1, min(b & 63, 32)) << (a & 63), 32))
        packed, total = 0, c
        for i in range(4):
            d = abs((a >> 8 * i & 255) - (b >> 8 * i & 255))
            packed |= d << 8 * i
            total += d
        row("vabsdiff4.u32.u32.u32", "rrrr", (a, b, 0), packed)
        row("vabsdiff4.u32.u32.u32.add", "rrrr", (a, b, c), mask(total, 32))


def bfe(x, pos, length, bits, s):
    value = mask(x >> min(pos, bits), min(length, 255)) if length else 0
    if s == "s" and length:
        wide = x >> min(pos, bits)
        return mask(signed(wide, length) if length < bits else wide, bits)
    return mask(value, bits)


def bfi(a, b, pos, length, bits):
    for i in range(length):
        if pos + i < bits:
            b = b & ~(1 << (pos + i)) | (a >> i & 1) << (pos + i)
    return b


def prmt(a, b, c):
    pool = b << 32 | a
    r = 0
    for i in range(4):
        sel = c >> 4 * i & 15
        byte = pool >> 8 * (sel & 7) & 255
        if sel & 8:
            byte = 255 if byte & 128 else 0
        r |= byte << 8 * i
    return r


# ---- floating point ----
class Format:
    def __init__(self, letter, name, exponent_bits, mantissa_bits, nan):
        self.letter, self.name, self.e, self.m, self.nan = letter, name, exponent_bits, mantissa_bits, nan
        self.bits = 1 + exponent_bits + mantissa_bits
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.inf = ((1 << exponent_bits) - 1) << mantissa_bits
        self.sign = 1 << (self.bits - 1)

    def is_nan(self, b):
        return (b & ~self.sign) > self.inf

    def is_inf(self, b):
        return (b & ~self.sign) == self.inf

    def negative(self, b):
        return bool(b & self.sign)

    def value(self, b):
        e, f = b >> self.m & ((1 << self.e) - 1), b & ((1 << self.m) - 1)
        v = Fraction(f, 1 << self.m) * Fraction(2) ** (1 - self.bias) if e == 0 else \
            (1 + Fraction(f, 1 << self.m)) * Fraction(2) ** (e - self.bias)
        return -v if self.negative(b) else v

    def flush(self, b):
        return b & self.sign if b & self.inf == 0 else b

    def round(self, v, mode="rn", zero_sign=0):
        """The format's bits of the exact value v."""
        if v == 0:
            return self.sign if zero_sign else 0
        s, v = (self.sign, -v) if v < 0 else (0, v)
        e = v.numerator.bit_length() - v.denominator.bit_length()
        while Fraction(2) ** e > v:
            e -= 1
        while Fraction(2) ** (e + 1) <= v:
            e += 1
        e = max(e, 1 - self.bias)
        unit = Fraction(2) ** (e - self.m)
        whole, rest = divmod(v, unit)
        up = {"rn": rest * 2 > unit or (rest * 2 == unit and whole & 1), "rz": False,
              "rm": bool(s) and rest > 0, "rp": not s and rest > 0}[mode]
        whole += int(up)
        bits = int(whole) + ((e + self.bias - 1) << self.m)
        if bits >= self.inf:
            over = mode == "rn" or (mode == "rm" and s) or (mode == "rp" and not s)
            bits = self.inf if over else self.inf - 1
        return s | bits


F16 = Format("h", "f16", 5, 10, 0x7fff)
BF16 = Format("h", "bf16", 8, 7, 0x7fff)
F32 = Format("r", "f32", 8, 23, 0x7fffffff)
F64 = Format("d", "f64", 11, 52, 0xfff8000000000000)


def float_edges(f):
    one = f.bias << f.m
    some = [0, f.sign, 1, f.sign | 1, (1 << f.m) - 1, 1 << f.m, one, one | f.sign, one + 1, one - 1,
            one + (1 << (f.m - 1)),
            f.inf - 1, f.inf, f.inf | f.sign, f.inf + (1 << (f.m - 1)), one + (3 << f.m), one - (2 << f.m)]
    some += [random.getrandbits(f.bits) for _ in range(6)]
    some += [one + random.getrandbits(f.m) + (random.randrange(-4, 5) << f.m) for _ in range(8)]
    return [b for b in some if not f.is_nan(b) or b == f.inf + (1 << (f.m - 1))]


def exact(f, op, args, mode):
    """op on exact values with the IEEE rules for infinities and zeros; None: invalid."""
    nan = any(f.is_nan(a) for a in args)
    if nan:
        return None
    if op in ("add", "sub"):
        a, b = args[0], args[1] ^ (f.sign if op == "sub" else 0)
        if f.is_inf(a) or f.is_inf(b):
            if f.is_inf(a) and f.is_inf(b) and a != b:
                return None
            return a if f.is_inf(a) else b
        v = f.value(a) + f.value(b)
        zero = f.negative(a) and f.negative(b) or (mode == "rm" and (f.negative(a) or f.negative(b)
                                                                     or f.value(a) != 0))
        return f.round(v, mode, zero)
    if op in ("mul", "fma"):
        a, b = args[0], args[1]
        s = (a ^ b) & f.sign
        zero_inf = (f.is_inf(a) and f.value(b & ~f.sign) == 0) or (f.is_inf(b) and f.value(a & ~f.sign) == 0)
        if zero_inf:
            return None
        if op == "mul":
            if f.is_inf(a) or f.is_inf(b):
                return s | f.inf
            return f.round(f.value(a) * f.value(b), mode, s)
        c = args[2]
        if f.is_inf(a) or f.is_inf(b):
            return None if f.is_inf(c) and (c & f.sign) != s else s | f.inf
        if f.is_inf(c):
            return c
        p, z = f.value(a) * f.value(b), f.value(c)
        both = bool(s) and f.negative(c)
        zero = both or (mode == "rm" and (bool(s) or f.negative(c) or p != 0))
        return f.round(p + z, mode, zero)
    if op == "div":
        a, b = args
        s = (a ^ b) & f.sign
        if f.is_inf(a):
            return None if f.is_inf(b) else s | f.inf
        if f.is_inf(b):
            return s
        if f.value(b) == 0:
            return None if f.value(a) == 0 else s | f.inf
        return f.round(f.value(a) / f.value(b), mode, s)
    if op == "rcp":
        return exact(f, "div", (f.bias << f.m, args[0]), mode)
    if op == "sqrt":
        a = args[0]
        if f.value(a & ~f.sign) == 0 and not f.is_inf(a):
            return a
        if f.negative(a):
            return None
        if f.is_inf(a):
            return a
        return sqrt_bits(f, f.value(a), mode)
    raise ValueError(op)


def sqrt_bits(f, v, mode):
    """Correctly rounded square root: an integer root with many bits and a sticky one."""
    shift = 1200
    n = v * (1 << 2 * shift)
    from math import isqrt
    root = isqrt(int(n))
    sticky = root * root != n
    return f.round(Fraction(root * 2 + int(sticky), 1 << (shift + 1)), mode)


def floats():
    for f in (F32, F64):
        n = f.letter
        values = float_edges(f)
        for op, arity in (("add", 2), ("sub", 2), ("mul", 2), ("div", 2), ("fma", 3), ("rcp", 1), ("sqrt", 1)):
            sets = [random.choices(values, k=arity) for _ in range(120)]
            if arity == 1:
                sets = [[v] for v in values]
            for args, mode in itertools.product(sets, ("rn", "rz", "rm", "rp")):
                r = exact(f, op, args, mode)
                if r is None:
                    if f is F64:
                        continue
                    r = f.nan
                row(f"{op}.{mode}.{f.name}", n * (arity + 1), args, r)
                if f is F32:
                    r = exact(f, op, [f.flush(a) for a in args], mode)
                    small = r is not None and r & ~f.sign == 1 << f.m
                    if not small:
                        row(f"{op}.{mode}.ftz.f32", n * (arity + 1), args, f.nan if r is None else f.flush(r))
                if op in ("add", "mul", "fma") and mode == "rn" and f is F32:
                    row(f"{op}.rn.sat.f32", n * (arity + 1), args, saturate(f, exact(f, op, args, mode)))
        for _ in range(150):
            a, b = random.choices(values, k=2)
            for word, r in comparisons(f, a, b):
                row(f"setp.{word}.{f.name}", "p" + n + n, (a, b), int(r))
            row(f"min.{f.name}", n * 3, (a, b), minmax(f, a, b, False))
            row(f"max.{f.name}", n * 3, (a, b), minmax(f, a, b, True))
            row(f"copysign.{f.name}", n * 3, (a, b), b & ~f.sign | a & f.sign)
        for a in values:
            if not f.is_nan(a):
                row(f"abs.{f.name}", n * 2, (a,), a & ~f.sign)
                row(f"neg.{f.name}", n * 2, (a,), a ^ f.sign)
    f = F16
    values = float_edges(f)
    for _ in range(150):
        a, b, c = random.choices(values, k=3)
        for op in ("add", "sub", "mul"):
            r = exact(f, op, (a, b), "rn")
            row(f"{op}.f16", "hhh", (a, b), f.nan if r is None else r)
        r = exact(f, "fma", (a, b, c), "rn")
        row("fma.rn.f16", "hhhh", (a, b, c), f.nan if r is None else r)
        for word, r in comparisons(f, a, b):
            row(f"setp.{word}.f16", "phh", (a, b), int(r))
        d, e = random.choices(values, k=2)
        parts = [exact(f, "add", (a, b), "rn"), exact(f, "add", (d, e), "rn")]
        low, high = [f.nan if p is None else p for p in parts]
        row("add.f16x2", "rrr", (a | d << 16, b | e << 16), low | high << 16)


def saturate(f, r):
    one = f.bias << f.m
    if r is None or f.negative(r):
        return 0
    return min(r, one)


def comparisons(f, a, b):
    un = f.is_nan(a) or f.is_nan(b)
    inf = Fraction(2) ** 5000

    def v(x):
        return (-inf if f.negative(x) else inf) if f.is_inf(x) else f.value(x)
    base = {} if un else {"eq": v(a) == v(b), "ne": v(a) != v(b), "lt": v(a) < v(b), "le": v(a) <= v(b),
                          "gt": v(a) > v(b), "ge": v(a) >= v(b)}
    for word in ("eq", "ne", "lt", "le", "gt", "ge"):
        yield word, base.get(word, False)
        yield word + "u", base.get(word, True)
    yield "num", not un
    yield "nan", un


def minmax(f, a, b, largest):
    if f.is_nan(a) and f.is_nan(b):
        return f.nan if f is F32 else a
    if f.is_nan(a):
        return b
    if f.is_nan(b):
        return a
    key = (lambda x: -(x & ~f.sign) - 1 if f.negative(x) else x & ~f.sign)
    return (max if largest else min)(a, b, key=key)


# ---- conversions ----
def conversions():
    kinds = [("u", 8), ("s", 8), ("u", 16), ("s", 16), ("u", 32), ("s", 32), ("u", 64), ("s", 64)]
    reg = {8: "h", 16: "h", 32: "r", 64: "d"}
    for (ds, db), (ss, sb) in itertools.product(kinds, kinds):
        for a in edges(sb):
            x = signed(a, sb) if ss == "s" else a
            width = max(db, 16)
            r = mask(signed(x, db), width) if ds == "s" else mask(x, db)
            row(f"cvt.{ds}{db}.{ss}{sb}", reg[db] + reg[sb], (a,), r)
            low, high = (-(1 << (db - 1)), (1 << (db - 1)) - 1) if ds == "s" else (0, (1 << db) - 1)
            if (ss == "s" and (ds == "u" or db < sb)) or (ss == "u" and db < sb + (ds == "s")):  # the ISA allows no other
                row(f"cvt.sat.{ds}{db}.{ss}{sb}", reg[db] + reg[sb], (a,), mask(max(low, min(high, x)), width))
    for f in (F16, F32, F64):
        for s, b in kinds:
            for a in edges(b):
                x = signed(a, b) if s == "s" else a
                for mode in ("rn", "rz", "rm", "rp"):
                    row(f"cvt.{mode}.{f.name}.{s}{b}", f.letter + reg[b], (a,), f.round(Fraction(x), mode))
            whole = [f.round(Fraction(v)) for v in (0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 128, 255.5, -129, 32767.5, -1e9,
                                                    2**31, 2**31 - 1, -2**31, 2**32, 2**63, -2**63, 2**64)]
            for a in float_edges(f) + whole:
                for mode in ("rni", "rzi", "rmi", "rpi"):
                    low, high = (-(1 << (b - 1)), (1 << (b - 1)) - 1) if s == "s" else (0, (1 << b) - 1)
                    if f.is_nan(a):
                        r = whole_of_nan(f, s, b)
                    elif f.is_inf(a):
                        r = low if f.negative(a) else high
                    else:
                        r = max(low, min(high, to_whole(f.value(a), mode)))
                    row(f"cvt.{mode}.{s}{b}.{f.name}", reg[b] + f.letter, (a,), mask(r, max(b, 16)))
        for a in float_edges(f):
            for mode in ("rni", "rzi", "rmi", "rpi"):
                if f.is_nan(a):
                    continue
                r = a if f.is_inf(a) else f.round(Fraction(to_whole(f.value(a), mode)), "rn", f.negative(a))
                row(f"cvt.{mode}.{f.name}.{f.name}", f.letter * 2, (a,), r)
    for d, s in ((F32, F64), (F16, F32), (F16, F64)):
        for a in float_edges(s) + [s.round(d.value(b) + Fraction(2) ** -30) for b in float_edges(d)
                                   if not d.is_nan(b) and not d.is_inf(b)]:
            for mode in ("rn", "rz", "rm", "rp"):
                if s.is_nan(a):
                    r = narrow_nan(d, s, a)
                elif s.is_inf(a):
                    r = d.inf | (d.sign if s.negative(a) else 0)
                else:
                    r = d.round(s.value(a), mode, s.negative(a))
                row(f"cvt.{mode}.{d.name}.{s.name}", d.letter + s.letter, (a,), r)
    for d, s in ((F64, F32), (F32, F16), (F64, F16)):
        for a in float_edges(s):
            if not s.is_nan(a):
                infinite = d.inf | (d.sign if s.negative(a) else 0)
                r = infinite if s.is_inf(a) else d.round(s.value(a), "rn", s.negative(a))
                row(f"cvt.{d.name}.{s.name}", d.letter + s.letter, (a,), r)
    for a in float_edges(F32):
        r = None if F32.is_nan(a) else a
        row("cvt.sat.f32.f32", "rr", (a,), saturate(F32, r))


def whole_of_nan(f, s, b):
    """ISA, cvt: zero, unless the source is .f64 or the destination has 64 bits."""
    return 0 if f is not F64 and b != 64 else -(1 << (b - 1)) if s == "s" else 1 << (b - 1)


def narrow_nan(d, s, a):
    """From .f64 the sign and the first bits stay, as an H200 does it; the ISA does not say."""
    if s is not F64:
        return d.nan
    return (d.sign if s.negative(a) else 0) | d.inf | 1 << (d.m - 1) | (a & ((1 << s.m) - 1)) >> (s.m - d.m)


def to_whole(v, mode):
    floor = v.numerator // v.denominator
    if mode == "rmi":
        return floor
    if mode == "rpi":
        return -((-v).numerator // v.denominator)
    if mode == "rzi":
        return floor if v >= 0 else -((-v).numerator // v.denominator)
    return round(v)


# ---- halves, pairs of them, 8-bit floats ----
def many(form, signature, inputs, result):
    MANY.add(form)
    row(form, signature, inputs, result)


def relu(f, r):
    return f.nan if r is None or f.is_nan(r) else 0 if f.negative(r) else r


def half_rows(f):
    """(operation, modifiers, inputs, result) for scalars; pairs are made of two of them."""
    values = float_edges(f)
    ftz = lambda b: f.flush(b) if f is F16 else b
    for op, arity in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)):
        for _ in range(60):
            args = random.choices(values, k=arity)
            r = exact(f, op, args, "rn")
            yield op, ".rn", args, f.nan if r is None else r
            if f is F16:
                yield op, ".rn.sat", args, saturate(f, r)
                r = exact(f, op, [ftz(a) for a in args], "rn")
                yield op, ".rn.ftz", args, f.nan if r is None else ftz(r)
            if op == "fma":
                yield op, ".rn.relu", args, relu(f, exact(f, op, args, "rn"))
    # A product halfway between two results, and a sum that is too small to see: rounding twice goes wrong here.
    one = f.bias << f.m
    for tiny in (1, f.sign | 1, 1 << f.m, f.sign | 1 << f.m):
        args = (one | 1 << (f.m - 1), one + 1, tiny)
        yield "fma", ".rn.tie", args, exact(f, "fma", args, "rn")
    for _ in range(60):
        a, b = random.choices(values, k=2)
        for op, largest in (("min", False), ("max", True)):
            nan = f.is_nan(a) or f.is_nan(b)
            r = f.nan if f.is_nan(a) and f.is_nan(b) else minmax(f, a, b, largest)
            yield op, "", (a, b), r
            yield op, ".NaN", (a, b), f.nan if nan else r
            if not nan:
                magnitude = minmax(f, a & ~f.sign, b & ~f.sign, largest)
                yield op, ".xorsign.abs", (a, b), magnitude | (a ^ b) & f.sign
    for a in values:
        yield "neg", "", (a,), f.nan if f.is_nan(a) else a ^ f.sign
        yield "abs", "", (a,), f.nan if f.is_nan(a) else a & ~f.sign


def halves():
    for f in (F16, BF16):
        rows = {}
        for op, words, args, r in half_rows(f):
            if words == ".rn.tie":
                row(f"{op}.rn.{f.name}", "hhhh", args, r)
                ALWAYS.add(tuple(args))
                continue
            many(f"{op}{words}.{f.name}", "h" * (len(args) + 1), args, r)
            rows.setdefault((op, words), []).append((args, r))
        for (op, words), some in rows.items():
            for _ in range(24):
                (low, r), (high, q) = random.choice(some), random.choice(some)
                many(f"{op}{words}.{f.name}x2", "r" * (len(low) + 1), [a | b << 16 for a, b in zip(low, high)],
                     r | q << 16)
        values = float_edges(f)
        one = f.bias << f.m
        for _ in range(100):
            a, b, c, d = random.choices(values, k=4)
            first, second = dict(comparisons(f, a, b)), dict(comparisons(f, c, d))
            for word, r in first.items():
                many(f"setp.{word}.{f.name}", "phh", (a, b), int(r))
                if word in ("eq", "lt", "geu", "nan"):
                    many(f"set.{word}.{f.name}.{f.name}", "hhh", (a, b), one if r else 0)
                    many(f"set.{word}.u32.{f.name}x2", "rrr", (a | c << 16, b | d << 16),
                         (65535 if r else 0) | (65535 << 16 if second[word] else 0))
                    many(f"set.{word}.{f.name}x2.{f.name}x2", "rrr", (a | c << 16, b | d << 16),
                         (one if r else 0) | (one if second[word] else 0) << 16)
    half_conversions()
    small_floats()
    for _ in range(60):
        a, b = random.choice(pairs(32))
        for t in "us":
            parts = [(signed(v & 65535, 16), signed(v >> 16, 16)) if t == "s" else (v & 65535, v >> 16) for v in (a, b)]
            for op, fn in (("add", lambda x, y: x + y), ("min", min), ("max", max)):
                r = [mask(fn(parts[0][i], parts[1][i]), 16) for i in range(2)]
                many(f"{op}.{t}16x2", "rrr", (a, b), r[0] | r[1] << 16)
                if t == "s" and op != "add":
                    r = [mask(max(0, fn(parts[0][i], parts[1][i])), 16) for i in range(2)]
                    many(f"{op}.s16x2.relu", "rrr", (a, b), r[0] | r[1] << 16)
                    x, y = signed(a, 32), signed(b, 32)
                    many(f"{op}.s32.relu", "rrr", (a, b), max(0, fn(x, y)))


def narrowed(d, s, a, mode):
    if s.is_nan(a):
        return narrow_nan(d, s, a)
    if s.is_inf(a):
        return d.inf | (d.sign if s.negative(a) else 0)
    return d.round(s.value(a), mode, s.negative(a))


def half_conversions():
    for bits, reg in ((8, "h"), (16, "h"), (32, "r"), (64, "d")):
        for t in "us":
            for a in edges(bits):
                x = signed(a, bits) if t == "s" else a
                for mode in ("rn", "rz", "rm", "rp") if bits > 8 else ():  # ptxas 13.0 takes no 8 bits
                    many(f"cvt.{mode}.bf16.{t}{bits}", "h" + reg, (a,), BF16.round(Fraction(x), mode))
                    if bits == 64:
                        many(f"cvt.{mode}.f16.{t}{bits}", "h" + reg, (a,), F16.round(Fraction(x), mode))
            if bits == 8:
                continue
            for a in float_edges(BF16):
                low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if t == "s" else (0, (1 << bits) - 1)
                for mode in ("rni", "rzi", "rmi", "rpi"):
                    r = whole_of_nan(BF16, t, bits) if BF16.is_nan(a) else \
                        (low if BF16.negative(a) else high) if BF16.is_inf(a) else \
                        max(low, min(high, to_whole(BF16.value(a), mode)))
                    many(f"cvt.{mode}.{t}{bits}.bf16", reg + "h", (a,), mask(r, bits))
    ties = [F32.round(BF16.value(b) * (1 + Fraction(1, 256)) + Fraction(k, 2 ** 20)) for b in float_edges(BF16)
            if not BF16.is_nan(b) and not BF16.is_inf(b) for k in (-1, 0, 1)]
    for s in (F32, F64, F16):
        extra = ties if s is F32 else []
        for a in float_edges(s) + extra:
            for mode in ("rn", "rz") if s is not F64 else ("rn", "rz", "rm", "rp"):
                many(f"cvt.{mode}.bf16.{s.name}", "h" + s.letter, (a,), narrowed(BF16, s, a, mode))
            if s is F32:
                many("cvt.rn.relu.bf16.f32", "hr", (a,), relu(BF16, narrowed(BF16, s, a, "rn")))
                many("cvt.rn.relu.f16.f32", "hr", (a,), relu(F16, narrowed(F16, s, a, "rn")))
                b = random.choice(float_edges(F32))
                for d in (F16, BF16):
                    for mode in ("rn", "rz"):
                        high, low = narrowed(d, s, a, mode), narrowed(d, s, b, mode)
                        many(f"cvt.{mode}.{d.name}x2.f32", "rrr", (a, b), high << 16 | low)
                        many(f"cvt.{mode}.relu.{d.name}x2.f32", "rrr", (a, b), relu(d, high) << 16 | relu(d, low))
    for d in (F16, F32, F64):
        for a in float_edges(BF16):
            if not (d is F64 and BF16.is_nan(a)) and not (d is F32 and BF16.is_nan(a)):
                mode = ".rn" if d is F16 else ""
                many(f"cvt{mode}.{d.name}.bf16", d.letter + "h", (a,), narrowed(d, BF16, a, "rn"))
    for a in float_edges(F32):
        if F32.is_nan(a) or F32.is_inf(a):
            continue
        for mode in ("rn", "rz", "rna"):
            low = a & ~0x1fff
            rest = a & 0x1fff
            up = rest > 0x1000 or rest == 0x1000 and (mode == "rna" or low >> 13 & 1) if mode != "rz" else False
            many(f"cvt.{mode}.tf32.f32", "rr", (a,), low + (0x2000 if up else 0))


def small_floats():
    for name, fraction, bias, largest in (("e4m3", 3, 7, 0x7e), ("e5m2", 2, 15, 0x7b)):
        def value(code):
            e, m = code >> fraction, code & ((1 << fraction) - 1)
            unit = Fraction(2) ** (max(e, 1) - bias - fraction)
            return (m + (1 << fraction if e else 0)) * unit
        table = [value(c) for c in range(largest + 1)]

        def nearest(a):
            if F32.is_nan(a):
                return 0x7f
            sign = 0x80 if F32.negative(a) else 0
            v = abs(F32.value(a)) if not F32.is_inf(a) else Fraction(10) ** 9
            return sign | min(range(largest + 1), key=lambda c: (abs(table[c] - v), c & 1))
        halfway = [F32.round((table[c] + table[c + 1]) / 2) for c in random.sample(range(largest), 20)]
        inputs = float_edges(F32) + halfway + [F32.round(Fraction(v)) for v in (448, 464, 480, 57344, 61440, 70000)]
        for a in inputs:
            b = random.choice(inputs)
            many(f"cvt.rn.satfinite.{name}x2.f32", "hrr", (a, b), nearest(a) << 8 | nearest(b))
        for code in range(0, 256, 5):
            def wide(c):
                if (c & 0x7f) > largest:
                    special = F16.inf if name == "e5m2" and (c & 0x7f) == 0x7c else None
                    return F16.nan if special is None else special | (c & 0x80) << 8
                return F16.round(table[c & 0x7f]) | (c & 0x80) << 8
            other = random.randrange(256)
            many(f"cvt.rn.f16x2.{name}x2", "rh", (code | other << 8,), wide(code) | wide(other) << 16)


# ---- approximations ----
def as_decimal(v):
    return Decimal(v.numerator) / Decimal(v.denominator)


def sine(x, first):
    """sin (first term 1) or cos (0) by its series."""
    total, term, n = Fraction(0), x if first else Fraction(1), first
    while abs(term) > Fraction(1, 10 ** 40):
        total += term
        term = -term * x * x / ((n + 1) * (n + 2))
        n += 2
    return as_decimal(total)


def bound(form, f, inputs, v, error, relative=True):
    v, error = Decimal(v), Decimal(error)
    slack = abs(v) * error if relative else error
    # Half a step of the result's format comes on top for results that are subnormal.
    slack += as_decimal(Fraction(2) ** (1 - f.bias - f.m))
    BOUNDS.append((form, f.letter * (len(inputs) + 1), inputs, f.name, v - slack, v + slack))


def approximations():
    two = Decimal(2)
    for _ in range(40):
        x = F32.round(Fraction(random.uniform(1e-3, 100)))
        y = F32.round(Fraction(random.uniform(-50, 50)))
        v, w = as_decimal(F32.value(x)), as_decimal(F32.value(y))
        bound("rcp.approx.f32", F32, (x,), 1 / v, two ** -23)
        bound("sqrt.approx.f32", F32, (x,), v.sqrt(), two ** -23)
        bound("rsqrt.approx.f32", F32, (x,), 1 / v.sqrt(), two ** Decimal("-22.9"))
        bound("lg2.approx.f32", F32, (x,), v.ln() / two.ln(), two ** -22, not Decimal("0.5") <= v <= 2)
        bound("ex2.approx.f32", F32, (y,), (w * two.ln()).exp(), two ** -22)
        bound("ex2.approx.ftz.f32", F32, (y,), (w * two.ln()).exp(), two ** -22)
        bound("div.approx.f32", F32, (y, x), w / v, two ** -22)
        bound("div.full.f32", F32, (y, x), w / v, two ** -22)
        z = F32.round(Fraction(random.uniform(-3.14, 3.14)))
        bound("sin.approx.f32", F32, (z,), sine(F32.value(z), 1), two ** Decimal("-20.5"), False)
        bound("cos.approx.f32", F32, (z,), sine(F32.value(z), 0), two ** Decimal("-20.5"), False)
        for f, ex2, tanh in ((F32, None, "-11"), (F16, "-9.9", "-10.987"), (BF16, "-7", "-8")):
            z = f.round(Fraction(random.uniform(-4, 4)))
            v = as_decimal(f.value(z))
            e = (2 * v).exp()
            bound(f"tanh.approx.{f.name}", f, (z,), (e - 1) / (e + 1), two ** Decimal(tanh), f is F32)
            if ex2:
                words = "ex2.approx.ftz.bf16" if f is BF16 else "ex2.approx.f16"
                bound(words, f, (z,), (v * two.ln()).exp(), two ** Decimal(ex2))


def write_vectors(out):
    groups = {}
    for form, signature, inputs, result in ROWS:
        groups.setdefault((form, signature), {})[inputs] = result
    assert groups
    for (form, signature), rows in groups.items():
        chosen = list(rows.items())
        random.shuffle(chosen)
        chosen.sort(key=lambda c: c[0] not in ALWAYS)
        rounded = form.startswith(("fma", "add.r", "mul.r", "div.r", "sub.r"))
        for inputs, result in chosen[:20 if rounded else 24 if form in MANY else 9]:
            padded = list(inputs) + [0] * (4 - len(inputs))
            out.write(f'VECTOR("{form}", "{signature}", {", ".join(f"0x{v:x}" for v in padded)}, 0x{result:x})\n')


def write_bounds(out):
    for form, signature, inputs, name, low, high in sorted(BOUNDS):
        padded = ", ".join(f"0x{v:x}" for v in (list(inputs) + [0])[:2])
        out.write(f'BOUND("{form}", "{signature}", {padded}, {name}, {float(low)!r}, {float(high)!r})\n')


def main(path):
    integers()
    floats()
    conversions()
    state = random.getstate()
    halves()
    approximations()
    random.setstate(state)
    # A file that is there is whole, also when this is interrupted.
    with open(path + ".part", "w", encoding="ascii") as out:
        write_vectors(out)
        write_bounds(out)
    os.replace(path + ".part", path)


main(sys.argv[1])
