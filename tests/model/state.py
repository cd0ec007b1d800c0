# SPDX-License-Identifier: Apache-2.0
"""What a session should hold, as plain Python values: the reference that a real session is compared with.

A state prints itself as the words that show() of definitions.c prints. Where a block lies is not predicted but learnt
when it is first seen; from then on it has to stay there, whatever fails, until the block is freed or moved.
"""
import copy
import zlib

BLOCKS, WORDS, BUFFERS, VARIABLES, FUNCTIONS, ON_DEVICE, SHAPES = 24, 6, 6, 8, 4, 5000, 5
PERIOD = bytes(i * 37 + 11 & 255 for i in range(251))


def pattern(size, start):
    """The bytes that pattern() of definitions.c writes."""
    start %= 251
    return (PERIOD * (size // 251 + 2))[start:start + size]


def int32(value):
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def hash_words(values, h=2166136261):
    for v in values:
        h = (h ^ v & 0xffffffff) * 16777619 & 0xffffffff
    return h


def hash_text(text, h=2166136261):
    return hash_words((len(text),), hash_words(text, h))


class State:
    def __init__(self):
        self.blocks = {}     # slot: bytes on the heap
        self.buffers = {}    # slot: bytes on the device
        self.list = []
        self.tree = {}       # key: count
        self.words = {}      # slot: bytes of a string
        self.variables = {}  # slot: (type, bytes)
        self.functions = [(1, 0)] * FUNCTIONS  # x * a + b
        self.answers = [0] * FUNCTIONS
        self.ticks = 0
        self.on_device = bytes(ON_DEVICE)
        self.text = b""
        self.numbers = []
        self.names = {}      # key: bytes
        self.shapes = {}     # slot: number of a shape
        self.sides = {}      # number of a shape: (class, side)
        self.made = self.gone = 0
        self.coin, self.worth, self.priced = 1, 1, 0  # a token, what its class multiplies it with, what a cell was told
        self.where = {}      # name: address, once it is known
        self.fresh = set()     # names of what this cell has moved
        self.defined = set()   # names that this cell has defined,
        self.assigned = set()  # or assigned to
        self.kept = None       # the state at the cell's last cgpu_checkpoint(), which stays however the cell ends

    def next(self):
        """The same, for a cell to change. Values in it are never changed in place, so one level is enough."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (dict, list)):
                setattr(other, name, value.copy())
        other.fresh, other.defined, other.assigned, other.kept = set(), set(), set(), None
        return other

    def learn_from(self, before):
        """Addresses of the state before this one, where the cell between them has moved nothing."""
        for name, where in before.where.items():
            if name not in self.fresh:
                self.where[name] = where

    def moved(self, name):
        """What has this name may lie elsewhere from here on."""
        self.where.pop(name, None)
        self.fresh.add(name)

    def expected(self):
        """{name: value without address}"""
        found = {}
        for letter, pieces in (("b", self.blocks), ("d", self.buffers), ("w", self.words)):
            for i, content in pieces.items():
                found[f"{letter}{i}"] = f"{len(content)}:{zlib.adler32(content):08x}"
        for i, (_, content) in self.variables.items():
            found[f"v{i}"] = f"{len(content)}:{zlib.adler32(content):08x}"
        found["list"] = f"{len(self.list)}:{hash_words(self.list):08x}"
        found["tree"] = f"{hash_words(w for key in sorted(self.tree) for w in (key, self.tree[key])):08x}"
        for i, (a, b) in enumerate(self.functions):
            found[f"a{i}"] = f"{self.answers[i]}:{int32(1000 * a + b + 1)}"
        found["text"] = f"{len(self.text)}:{hash_text(self.text):08x}"
        found["numbers"] = f"{len(self.numbers)}:{hash_words(self.numbers):08x}"
        h = hash_words(())
        for key in sorted(self.names):
            h = hash_text(self.names[key], hash_words((key,), h))
        found["names"] = f"{len(self.names)}:{h:08x}"
        found["shapes"] = f"{hash_words(self.shape(slot) for slot in range(SHAPES)):08x}"
        found["gone"] = f"{self.gone}"
        found["priced"] = f"{self.priced}"
        found["device"] = f"{zlib.adler32(self.on_device):08x}"
        found["ticks"] = f"{self.ticks}"
        return found

    def shape(self, slot):
        """Its area, and how many slots have it."""
        if slot not in self.shapes:
            return 0
        kind, side = self.sides[self.shapes[slot]]
        return (side if kind == "shape" else side * side) + 7 * list(self.shapes.values()).count(self.shapes[slot])

    def differences(self, line, defined):
        """What show() printed against what it should have; learns addresses that were not known yet. Names that the
        cell itself defines are left out: functions and constant initialisers are in place before its first statement."""
        expected, wrong = self.expected(), []
        seen = dict(word.split("=", 1) for word in line.split())
        for name in (expected.keys() | seen.keys()) - defined:
            if name not in seen or name not in expected:
                wrong.append(f"{name} is {seen.get(name, 'missing')}, expected {expected.get(name, 'nothing')}")
                continue
            value, where = seen[name].split("@")
            if value != expected[name]:
                wrong.append(f"{name} is {value}, expected {expected[name]}")
            elif self.where.setdefault(name, where) != where:
                wrong.append(f"{name} lies at {where}, it was at {self.where[name]}")
        return sorted(wrong)
