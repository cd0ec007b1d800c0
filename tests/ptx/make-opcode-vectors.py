#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes opcode-vectors.def: inputs and expected results of PTX operations, computed with exact rational arithmetic.

Nothing here knows how the emulator works: integers are Python's, floating point is a Fraction rounded once to the
format. Rows: VECTOR(form, signature, {a, b, c, d}, result). Signature: one letter an operand, destination first:
b 8, h 16, r 32, d 64 bits, p predicate, i immediate.
"""
import itertools
import random
from fractions import Fraction

random.seed(7)
ROWS = []


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
                    for pos, length in ((0, 0), (0, bits), (4, 8), (bits - 4, 8), (bits, 4), (0, 255), (300, 5),
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
                        r = 0
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
                    r = d.nan
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


def to_whole(v, mode):
    floor = v.numerator // v.denominator
    if mode == "rmi":
        return floor
    if mode == "rpi":
        return -((-v).numerator // v.denominator)
    if mode == "rzi":
        return floor if v >= 0 else -((-v).numerator // v.denominator)
    return round(v)


def main():
    integers()
    floats()
    conversions()
    with open(__file__.rsplit("/", 1)[0] + "/opcode-vectors.def", "w", encoding="ascii") as out:
        out.write("/* SPDX-License-Identifier: Apache-2.0 */\n/* Written by make-opcode-vectors.py. */\n")
        last = None
        groups = {}
        for form, signature, inputs, result in ROWS:
            groups.setdefault((form, signature), {})[inputs] = result
        for (form, signature), rows in groups.items():
            chosen = list(rows.items())
            random.shuffle(chosen)
            for inputs, result in chosen[:20 if form.startswith(("fma", "add.r", "mul.r", "div.r", "sub.r")) else 9]:
                padded = list(inputs) + [0] * (4 - len(inputs))
                out.write(f'VECTOR("{form}", "{signature}", {", ".join(f"0x{v:x}" for v in padded)}, 0x{result:x})\n')
            last = form
        assert last


main()
