# SPDX-License-Identifier: Apache-2.0
"""Single-file C programs as cells: pasted whole, or split after each top-level item, then main() called.

What a program gives is its output and its exit status. A program file is NAME.c; what it must print stands in
NAME.c.expected or NAME.expect where there is one, and its status must be 0.
"""
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<space>    (?:[ \t\r\n\f\v]|\\\r?\n)+ | //(?:\\\r?\n|[^\n])* | /\*.*?\*/ )
  | (?P<string>   (?:u8|[uUL])?"(?:\\.|[^"\\\n])*" | [uUL]?'(?:\\.|[^'\\\n])*' )
  | (?P<name>     [A-Za-z_$][A-Za-z0-9_$]* )
  | (?P<other>    . )
""", re.VERBOSE | re.DOTALL)

DIRECTIVE = re.compile(r"(?:/\*.*?\*/|\\\r?\n|//(?:\\\r?\n|[^\n])*|\"(?:\\.|[^\"\\\n])*\"|[^\n])*", re.DOTALL)
TAGS = {"struct", "union", "enum"}
MARKS = {"__attribute__", "__attribute", "asm", "__asm__", "__asm"}


def _tokens(source):
    """(kind, text, start, end) without blanks and comments; a directive is one token."""
    at, line_start = 0, True
    while at < len(source):
        match = TOKEN.match(source, at)
        kind, text = match.lastgroup, match.group()
        if kind == "other" and text == "#" and line_start:
            kind, text = "directive", DIRECTIVE.match(source, at).group()
        if kind == "space":
            line_start = line_start or "\n" in text.replace("\\\n", "")
        else:
            yield kind, text, at, at + len(text)
            line_start = False
        at += len(text)


class _Item:
    """The top-level item that is being read."""

    def __init__(self):
        self.start = None
        self.depth = 0
        self.initialiser = self.function = self.old_style = False
        self.names_only = True      # of the parameter list
        self.before_paren = ""      # the token in front of the last top-level `(`
        self.tag = False            # inside `struct __attribute__((x)) {`
        self.last = ""

    def read(self, kind, text):
        """True when the item ends with this token."""
        if text in "([{" and kind == "other":
            if not self.depth:
                self._opens(text)
            self.depth += 1
        elif text in ")]}" and kind == "other":
            self.depth -= 1
            if not self.depth and text == "}" and self.function:
                return True
        elif self.depth:
            self.names_only &= kind == "name" or text == ","
        elif text == ";" and not self.old_style:
            return True
        elif text == "=":
            self.initialiser = True
        elif kind == "name":
            self._word(text)
        self.last = text
        return False

    def _opens(self, text):
        if text == "(":
            self.before_paren, self.names_only = self.last, True
        elif text == "{":
            self.function = (self.last == ")" or self.old_style) and not self.initialiser and not self.tag
            self.tag = False

    def _word(self, text):
        if text in TAGS:
            self.tag = True
        elif text not in MARKS:
            self.tag = self.tag and self.last in TAGS | {")"} and False
            if self.last == ")" and self.names_only and not self.initialiser and self.before_paren not in MARKS:
                self.old_style = True


def split(source):
    """The source's top-level items, each with what stands before it; text between #if and #endif stays together."""
    cells, item, start, conditions = [], _Item(), 0, 0
    for kind, text, begin, end in _tokens(source):
        ended = False
        if kind == "directive":
            word = re.match(r"#\s*([a-z]*)", text).group(1)
            conditions += {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}.get(word, 0)
            ended = item.start is None
        else:
            item.start = begin if item.start is None else item.start
            ended = item.read(kind, text)
        if not ended:
            continue
        item = _Item()
        if not conditions:
            cells.append(source[start:end])
            start = end
    rest = source[start:]
    if any(True for _ in _tokens(rest)):
        cells.append(rest)
    return cells


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
