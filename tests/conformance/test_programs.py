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
    cells = program.split(path)
    assert len(cells) > 3, cells
    assert program.judge(path, program.run(kernel, cells)) == ""


def test_a_wrong_program_is_told(kernel, tmp_path):
    path = tmp_path / "wrong.c"
    path.write_text("int main(void) { puts(\"this\"); return 0; }\n")
    path.with_name("wrong.c.expected").write_text("that\n")
    assert "prints" in program.judge(path, program.run(kernel, [path.read_text()]))
    assert program.judge(path, program.run(kernel, ["int main(void) { return 3; }"])) == "exit status 3"
    assert "CompileError" in program.judge(path, program.run(kernel, ["int main(void) { return x; }"]))


def test_items(tmp_path):
    """A comma goes on with a declaration, a macro may be one, and old parameters stand behind their list."""
    path = tmp_path / "items.c"
    items = ["#include <stdio.h>", "int f(a)\n\tint a;\n{ return a; }", "struct s { int x; } v = { 1 }, *p;",
             "#if A\nint b;\n#else\nint c;\n#endif", "#define VAR(x) int x \\\n\t= 1;", "VAR(m)", "VAR(n)",
             "int q __attribute__((unused)); /* ; */", "_Static_assert(1, \"a;b\");", "#pragma once"]
    path.write_text("\n".join(items) + "\n")
    cells = program.split(path)
    assert "".join(cells).strip() == "\n".join(items)
    items[7:9] = [items[7].removesuffix(" /* ; */"), "/* ; */\n" + items[8]]
    assert [c.strip() for c in cells] == items


def test_items_of_cpp(tmp_path):
    path = tmp_path / "items.cpp"
    items = ["#include <vector>", "using namespace std;", "namespace a { int x; struct s { s(); int y; }; }",
             "a::s::s() : y{2} { }",
             "template <class T> struct t { T m{}; };", "template <> struct t<int>;", "template struct t<char>;",
             "extern \"C\" { int f(); }", "auto r = R\"(;})\";", "int n = 1'000, k{3};",
             "int main() try { return 0; } catch (...) { }"]
    path.write_text("\n".join(items) + "\n")
    assert [c.strip() for c in program.split(path)] == items
