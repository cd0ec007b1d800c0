# SPDX-License-Identifier: Apache-2.0
"""Single-file programs as cells: pasted whole, or split after each top-level item, then main() called.

What a program gives is its output and its exit status. A program file is NAME.c or NAME.cpp; what it must print
stands in NAME.c.expected or NAME.expect where there is one, and its status must be 0.
"""
import re
from dataclasses import dataclass

from conformance import items

CPP = ["-x", "c++", "-std=gnu++20"]
LANGUAGE = {".c": ["-x", "c", "-std=gnu17", "-Wno-implicit-function-declaration", "-Wno-implicit-int"],
            ".cpp": CPP, ".cc": CPP, ".cxx": CPP}


def split(path):
    """A cell for each of the program's top-level items."""
    folder = str(path.resolve().parent)
    return items.split(path.read_text(errors="replace"), LANGUAGE[path.suffix] + [f"-I{folder}"], str(path.resolve()))


@dataclass
class Outcome:
    """What running a program gave; problem says why it did not come to an end."""
    output: str = ""
    status: int = None
    problem: str = ""


def _run_main(session, outcome, deadline):
    """Nobody types what it may ask for."""
    result = session.run("main()", deadline, allow_stdin=False)
    outcome.output += result.stdout
    if result.status == "ok":
        outcome.status = int(result.text or 0) & 255
    elif result.ename == "CellExited":
        outcome.status = int(re.search(r"\d+", result.evalue).group())
    else:
        outcome.problem = f"main() ends with {result.ename}: {result.evalue}"


def run(session, cells, deadline=180, folder=None, fresh=True):
    """Run the cells, then main(), in the folder; in an empty session, unless not fresh."""
    outcome = Outcome()
    if fresh:
        session.run("%reset").ok()
    if folder:
        session.run(f"%cd {folder}").ok()
    for cell in cells:
        result = session.run(cell, deadline)
        outcome.output += result.stdout
        if result.status != "ok":
            outcome.problem = f"{result.ename}: {result.evalue}"
            return outcome
    _run_main(session, outcome, deadline)
    return outcome


def expected(path):
    """What the program must print; None when nobody says."""
    for other in (path.with_name(path.name + ".expected"), path.with_suffix(".expect")):
        if other.exists():
            return other.read_text(errors="replace")
    return None


def judge(path, outcome, reference=None):
    """"" when the outcome is right, otherwise one line that says what is wrong. reference: the Outcome that is right."""
    want = reference.output if reference else expected(path)
    if outcome.problem:
        return outcome.problem.splitlines()[0]
    if outcome.status:
        return f"exit status {outcome.status}"
    if want is not None and outcome.output != want:
        return f"prints {outcome.output[:60]!r}, not {want[:60]!r}"
    return ""
