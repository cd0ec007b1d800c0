# SPDX-License-Identifier: Apache-2.0
"""The top-level items of a program as clang's syntax tree has them, by libclang: where one may cut it into cells.

An item is a declaration at file scope with its `;`, or a directive; what stands between #if and #endif stays
together. Errors do not matter, clang goes on behind them: nothing but where its declarations begin and end is asked
for.
"""
import bisect
import ctypes
import functools
import glob
import re

POINTER = ctypes.c_void_p
DETAILED, KEEP_GOING = 0x01, 0x200   # of enum CXTranslationUnit_Flags
MACRO_EXPANSION = 502                # of enum CXCursorKind
PREPROCESSING = range(500, 504)
COMMENT = 4                          # of enum CXTokenKind
DIRECTIVE = re.compile(rb"(?:/\*.*?\*/|\\\r?\n|//(?:\\\r?\n|[^\n])*|\"(?:\\.|[^\"\\\n])*\"|[^\n])*", re.DOTALL)
CONDITION = re.compile(rb"#\s*(if|endif)")


class Cursor(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("xdata", ctypes.c_int), ("data", POINTER * 3)]


class Location(ctypes.Structure):
    _fields_ = [("data", POINTER * 2), ("at", ctypes.c_uint)]


class Range(ctypes.Structure):
    _fields_ = [("data", POINTER * 2), ("begin", ctypes.c_uint), ("end", ctypes.c_uint)]


class Token(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint * 4), ("pointer", POINTER)]


class Unsaved(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("text", ctypes.c_char_p), ("length", ctypes.c_ulong)]


VISITOR = ctypes.CFUNCTYPE(ctypes.c_int, Cursor, Cursor, POINTER)
RESULTS = {
    "clang_createIndex": POINTER, "clang_parseTranslationUnit": POINTER, "clang_getTranslationUnitCursor": Cursor,
    "clang_getCursorExtent": Range, "clang_getRangeStart": Location, "clang_getRangeEnd": Location,
    "clang_getTokenExtent": Range, "clang_getFile": POINTER,
}


@functools.cache
def _library():
    """libclang of the newest LLVM that is installed."""
    paths = glob.glob("/usr/lib/llvm-*/lib/libclang.so*") or glob.glob("/usr/lib/*/libclang*.so*")
    path = max(paths, key=lambda p: (int((re.search(r"llvm-(\d+)|clang-(\d+)", p) or [0, 0])[1] or 0), -len(p)))
    library = ctypes.CDLL(path)
    for name, result in RESULTS.items():
        getattr(library, name).restype = result
    return library


class _Unit:
    """A source that libclang has read."""

    def __init__(self, source, arguments, name):
        self.library, self.source = _library(), source
        self.index = POINTER(self.library.clang_createIndex(0, 0))
        words = [a.encode() for a in arguments]
        texts = (Unsaved * 1)(Unsaved(name.encode(), source, len(source)))
        self.unit = POINTER(self.library.clang_parseTranslationUnit(
            self.index, name.encode(), (ctypes.c_char_p * len(words))(*words), len(words), texts, 1,
            DETAILED | KEEP_GOING))
        if not self.unit:
            raise ValueError(f"libclang does not read {name}")
        self.main = self.library.clang_getFile(self.unit, name.encode())

    def close(self):
        self.library.clang_disposeTranslationUnit(self.unit)
        self.library.clang_disposeIndex(self.index)

    def _place(self, location):
        """(file, offset) where it stands in the text: of what a macro makes, where the macro is called."""
        file, offset = POINTER(), ctypes.c_uint()
        self.library.clang_getExpansionLocation(location, ctypes.byref(file), None, None, ctypes.byref(offset))
        return file.value, offset.value

    def _span(self, extent):
        """(start, end) in the main file; None in another one."""
        file, start = self._place(self.library.clang_getRangeStart(extent))
        _, end = self._place(self.library.clang_getRangeEnd(extent))
        return (start, end) if file == self.main else None

    def declarations(self):
        """(start, end) of what stands at file scope in the main file; `;` is not part of it."""
        found, macros = [], []

        def visit(cursor, _parent, _data):
            span = self._span(self.library.clang_getCursorExtent(cursor))
            if span and cursor.kind not in PREPROCESSING:
                found.append(span)
            elif span and cursor.kind == MACRO_EXPANSION:
                macros.append(span)
            return 1    # of enum CXChildVisitResult: goes on with the next one

        self.library.clang_visitChildren(self.library.clang_getTranslationUnitCursor(self.unit), VISITOR(visit), None)
        macros.sort()

        def whole(span):
            """The end of what ends in a macro is where the macro is called."""
            at = bisect.bisect(macros, (span[1], len(self.source))) - 1
            return span[0], max(span[1], macros[at][1] if at >= 0 and macros[at][0] <= span[1] < macros[at][1] else 0)

        return sorted(map(whole, found))

    def tokens(self):
        """(start, end) of all that is no comment, also of what #if leaves out."""
        library, count, first = self.library, ctypes.c_uint(), ctypes.POINTER(Token)()
        whole = library.clang_getCursorExtent(library.clang_getTranslationUnitCursor(self.unit))
        library.clang_tokenize(self.unit, whole, ctypes.byref(first), ctypes.byref(count))
        for at in range(count.value):
            if library.clang_getTokenKind(first[at]) != COMMENT:
                yield self._span(library.clang_getTokenExtent(self.unit, first[at]))
        library.clang_disposeTokens(self.unit, first, count)


def _directives(source, tokens):
    """(start, end, change of the depth of conditions); the line of a directive may go on in a comment or behind a backslash."""
    line = 0
    for start, _ in tokens:
        first = start >= line and not source[source.rfind(b"\n", 0, start) + 1:start].strip()
        if first and source[start:start + 1] == b"#":
            line = DIRECTIVE.match(source, start).end()
            word = CONDITION.match(source, start)
            yield start, line, {b"if": 1, b"endif": -1}[word.group(1)] if word else 0


def split(source, arguments, name):
    """The items of the source (text), each with what stands before it. arguments: what clang is told besides; name: of a file."""
    source = source.encode()
    unit = _Unit(source, arguments, name)
    tokens = list(unit.tokens())
    spans = [(start, end, 0) for start, end in unit.declarations()]
    unit.close()
    semicolons = [start for start, end in tokens if source[start:end] == b";"]
    spans = sorted(spans + list(_directives(source, tokens)))
    cells, start, end, depth = [], 0, 0, 0
    for at, (_, stop, change) in enumerate(spans):
        end, depth = max(end, stop), depth + change
        follows = spans[at + 1][0] if at + 1 < len(spans) else len(source)
        end = next((s + 1 for s in semicolons if end <= s < follows), end)
        if end <= follows and not depth:
            cells.append(source[start:end])
            start = end
    if any(s >= start for s, _ in tokens):
        cells.append(source[start:])
    return [cell.decode() for cell in cells]
