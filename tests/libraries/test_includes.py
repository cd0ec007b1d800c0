# SPDX-License-Identifier: Apache-2.0
"""#include of files beside the notebook: found, renewed when they change, and named by errors."""
import pytest


@pytest.fixture
def folder(tmp_path):
    return tmp_path


@pytest.fixture
def session(start_kernel, folder):
    session = start_kernel(cwd=folder)
    yield session
    session.close()


def test_a_header_is_found_beside_the_notebook(session, folder):
    (folder / "point.h").write_text("struct point { int x, y; };\n#define ORIGIN ((struct point){ 0, 0 })\n"
                                    "static inline int sum(struct point p) { return p.x + p.y; }\n")
    session.run('#include "point.h"\nstruct point p = { 3, 4 };').ok()
    assert session.run("sum(p) + sum(ORIGIN)").ok().text == "7"


def test_a_header_is_found_after_cd(session, folder):
    (folder / "below").mkdir()
    (folder / "below" / "deep.h").write_text("#define DEEP 5\n")
    session.run("%cd below").ok()
    assert session.run('#include "deep.h"\nDEEP').ok().text == "5"


def test_a_c_file_defines_once(session, folder):
    (folder / "counter.c").write_text("int count = 10;\nint next(void) { return ++count; }\n"
                                      "static int twice(int x) { return 2 * x; }\n"
                                      "int doubled(void) { return twice(count); }\n")
    session.run('#include "counter.c"\nnext();').ok()
    assert session.run("next()").ok().text == "12"
    assert session.run("count").ok().text == "12", "a later cell has defined it again"
    assert session.run("doubled()").ok().text == "24"
    assert {"count"} <= set(session.run("%who").ok().stdout.split())


def test_an_inline_function_of_a_header_is_there_as_in_cuda(session, folder):
    (folder / "clock.h").write_text("inline double ticks(double s) { return 10 * s; }\n")
    (folder / "more.h").write_text('#include "clock.h"\n')
    session.run('#include "more.h"\ndouble now(void) { return ticks(2); }').ok()
    assert session.run("now() + ticks(3)").ok().text == "50.0"
    assert session.run("double (*f)(double) = ticks; f(1)").ok().text == "10.0"


def test_a_changed_header_gives_its_new_definitions(session, folder):
    header = "#ifndef RATE_H\n#define RATE_H\n#define RATE {}\nstatic inline int rate(void) {{ return RATE; }}\n#endif\n"
    (folder / "rate.h").write_text(header.format(1))
    assert session.run('#include "rate.h"\nrate()').ok().text == "1"
    (folder / "rate.h").write_text(header.format(20))
    assert session.run('#include "rate.h"\nrate()').ok().text == "20"
    assert session.run("rate()").ok().text == "20"


def test_a_changed_c_file_replaces_its_functions(session, folder):
    (folder / "f.c").write_text("int f(void) { return 1; }\n")
    session.run('#include "f.c"\nint call_f(void) { return f(); }').ok()
    (folder / "f.c").write_text("int f(void) { return 2; }\n")
    session.run('#include "f.c"').ok()
    assert session.run("10 * f() + call_f()").ok().text == "22"


def test_an_error_in_a_file_names_its_line_and_the_include(session, folder):
    (folder / "bad.h").write_text("int good;\n\nint bad = nonsense;\n")
    r = session.run('int before;\n#include "bad.h"\n')
    assert r.status == "error"
    assert "bad.h:3:11" in r.traceback and "int bad = nonsense;" in r.traceback
    assert "In[1]:2" in r.traceback


def test_a_fault_in_a_file_names_its_line(session, folder):
    (folder / "crash.c").write_text("void crash(int *p)\n{\n\t*p = 1;\n}\n")
    session.run('#include "crash.c"').ok()
    r = session.run("crash(0);")
    assert r.ename == "SegmentationFault" and "crash.c:3" in r.traceback, r.traceback


def test_a_header_without_guards_may_be_included_again(session, folder):
    (folder / "plain.h").write_text("struct pair { int a, b; };\nenum color { RED, GREEN };\ntypedef struct pair pair_t;\n")
    session.run('#include "plain.h"\nstruct pair p = { 1, 2 };').ok()
    session.run('#include "plain.h"\npair_t q = { 3, GREEN };').ok()
    assert session.run("p.b + q.a + q.b").ok().text == "6"


def test_a_header_that_changed_behind_the_session_is_named_once(session, folder):
    (folder / "unit.h").write_text("#define SIZE 1\n")
    session.run('#include "unit.h"\nint before = SIZE;').ok()
    (folder / "unit.h").write_text("#define SIZE 2\n")
    r = session.run("int after = SIZE;").ok()
    assert "unit.h has changed since In[1]" in r.stderr
    assert session.run("10 * before + after").ok().text == "12"
    assert "has changed" not in session.run("1").ok().stderr


def test_a_file_that_includes_another(session, folder):
    (folder / "inner.h").write_text("#pragma once\nint inner(void);\n")
    (folder / "outer.c").write_text('#include "inner.h"\nint inner(void) { return 3; }\n'
                                    'int outer(void) { return inner() + 1; }\n')
    session.run('#include "inner.h"\n#include "outer.c"').ok()
    assert session.run("outer() * inner()").ok().text == "12"


def test_variables_of_a_c_file_are_rolled_back(session, folder):
    (folder / "state.c").write_text("int level = 1;\nint table[4];\n")
    session.run('#include "state.c"\nlevel = 5; table[3] = 7;').ok()
    assert session.run("level = 6; table[3] = 8; *(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert session.run("10 * level + table[3]").ok().text == "57"


def test_a_cell_may_define_anew_what_a_file_has_defined(session, folder):
    (folder / "old.c").write_text("int value = 1;\nint get(void) { return value; }\n")
    session.run('#include "old.c"\nint call(void) { return 10 * get(); }').ok()
    session.run("int get(void) { return value + 4; }").ok()
    assert session.run("call() + get()").ok().text == "55"
    session.run("int value = 2;").ok()
    assert session.run("get()").ok().text == "6"
