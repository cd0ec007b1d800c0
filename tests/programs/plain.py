# SPDX-License-Identifier: Apache-2.0
"""A program as plain cells of the installed kernel: one cell a file or a top-level item, and %run for its main().

A program that does not compile and says words of C++ is told apart.
"""
import re

from cell_runner import NotCompiled, Runner, quoted
from collection import has_main
from conformance import items

CPP = [
    ("the C++ library", r"#\s*include\s*<(iostream|vector|string|map|algorithm|chrono|memory|random|fstream|sstream|iomanip|"
                        r"functional|numeric|thread|(thrust|cub)/[^>]*)>"),
    ("std::", r"\bstd\s*::"),
    ("a class of the host", r"\bclass\s+\w+|\boperator\b|\b(public|private)\s*:"),
    ("new", r"=\s*new\s+\w|\bdelete\b\s*(\[\])?\s*\w"),
    ("a template", r"\btemplate\s*<"),
    ("a reference", r"\w\s*&\s*\w+\s*[,)]\s*[^;&|]*[{,]|\b(auto|int|float|double|char|dim3|[A-Z]\w*)\s*&\s*\w+\s*[=,)]"),
]
REPORTED = [
    ("a static variable whose first value is computed", r"initializer element is not a compile-time constant"),
    ("a header with C++", r"\.(h|cuh|hpp):\d+:\d+: error: (expected expression|type name requires a specifier)"),
]

CUDA = ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=gnu++20", "-include", "cuda_runtime.h"]


def cpp_of(program, report=""):
    """What of C++ the text of the program has, or what the compiler's report says it has; "" for nothing that is known."""
    for what, pattern in CPP:
        if re.search(pattern, program.text):
            return what
    return next((what for what, words in REPORTED if re.search(words, report)), "")


class PlainRunner(Runner):
    """Like Runner, for plain cells. Files without main() come first, for what they define."""

    def _send(self, program):
        s = self.session
        s.run("%reset").ok()
        s.run(f"%cd {program.folder}").ok()
        flags = " ".join(map(quoted, self._flags(program)))
        s.run(f"%cflags {flags}" + " -fopenmp" * ("-fopenmp" in program.flags)).ok()
        s.run(f"%nvflags {flags}").ok()
        cells = [cell for path in sorted(program.sources, key=has_main) for cell in self._cells(program, path)]
        for cell in cells[:-1]:
            result = s.run(cell)
            if result.status != "ok":
                raise NotCompiled(result)
        arguments = " ".join(map(quoted, program.arguments))
        return s.start(f"%run {arguments}\n" + cells[-1])

    def _cells(self, program, path):
        return [program.source(path)]

    @staticmethod
    def _flags(program):
        folders = dict.fromkeys([program.folder] + [p.parent for p in program.sources])
        return [f"-I{f}" for f in folders] + [f for f in program.flags if re.match("-[IDU]", f)]

    @staticmethod
    def _outcome(result, used):
        outcome = Runner._outcome(result, used)
        for text in (d.get("text/plain", "") for d in result.results + result.displays):
            status = re.fullmatch(r"exit status (\d+)", text)
            if status:
                outcome.status = int(status.group(1))
        return outcome


class SplitRunner(PlainRunner):
    """The same with a cell for each top-level item."""

    def _cells(self, program, path):
        language = {".c": ["-x", "c", "-std=gnu17"], ".cu": CUDA}.get(path.suffix, ["-x", "c++", "-std=gnu++20"])
        wheels = self.prefix.glob("lib/python3*/site-packages/nvidia/*/include")
        return items.split(program.source(path), language + [f"-I{w}" for w in wheels] + self._flags(program), str(path))


def alike(one, other):
    """Do two runs print the same but for numbers, which may be times, and the order of blocks?"""
    first, second = (re.sub(r"0x[0-9a-f]+|[-+]?[\d.]+(e[-+]?\d+)?|\s+", " ", o.stdout) for o in (one, other))
    return sorted(first.split()) == sorted(second.split())
