# SPDX-License-Identifier: Apache-2.0
"""A program as plain cells of the installed kernel: one cell a file, and %run for its main().

A program that does not compile and says words of C++ is told apart.
"""
import re

from cell_runner import NotCompiled, Runner, quoted
from collection import has_main

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
        folders = dict.fromkeys([program.folder] + [p.parent for p in program.sources])
        flags = " ".join([quoted(f"-I{f}") for f in folders] + [quoted(f) for f in program.flags if re.match("-[IDU]", f)])
        s.run(f"%cflags {flags}" + " -fopenmp" * ("-fopenmp" in program.flags)).ok()
        s.run(f"%nvflags {flags}").ok()
        *others, last = sorted(program.sources, key=has_main)
        for path in others:
            result = s.run(program.source(path))
            if result.status != "ok":
                raise NotCompiled(result)
        arguments = " ".join(quoted(a) for a in program.arguments)
        return s.start(f"%run {arguments}\n" + program.source(last))

    @staticmethod
    def _outcome(result, used):
        outcome = Runner._outcome(result, used)
        for text in (d.get("text/plain", "") for d in result.results + result.displays):
            status = re.fullmatch(r"exit status (\d+)", text)
            if status:
                outcome.status = int(status.group(1))
        return outcome
