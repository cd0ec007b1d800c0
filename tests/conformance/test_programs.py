# SPDX-License-Identifier: Apache-2.0
"""The programs beside this file as cells: each as one, and split after each top-level item."""
import pathlib

import pytest

from conformance import program

PROGRAMS = sorted((pathlib.Path(__file__).parent / "programs").glob("*.c"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_whole(kernel, path):
    assert program.judge(path, program.run(kernel, [path.read_text()])) == ""


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_split(kernel, path):
    cells = program.split(path.read_text())
    assert len(cells) > 3, cells
    assert program.judge(path, program.run(kernel, cells)) == ""


def test_a_wrong_program_is_told(kernel, tmp_path):
    path = tmp_path / "wrong.c"
    path.write_text("int main(void) { puts(\"this\"); return 0; }\n")
    path.with_name("wrong.c.expected").write_text("that\n")
    assert "prints" in program.judge(path, program.run(kernel, [path.read_text()]))
    assert program.judge(path, program.run(kernel, ["int main(void) { return 3; }"])) == "exit status 3"
    assert "CompileError" in program.judge(path, program.run(kernel, ["int main(void) { return x; }"]))


def test_items():
    items = ["#include <a.h>", "int f(a)\n\tint a;\n{ return a; }", "struct s { int x; } v = { 1 };",
             "#if A\nint b;\n#else\nint c;\n#endif"]
    assert [c.strip() for c in program.split("\n".join(items) + "\n")] == items
