# SPDX-License-Identifier: Apache-2.0
"""Declarations that replace earlier ones, as they are seen by later cells."""


def test_a_type_keeps_the_size_it_was_made_with_when_a_macro_changes(fresh_kernel):
    run = fresh_kernel.run
    run("#define N 4").ok()
    run("struct s { int a[N]; };\nstruct s v;").ok()
    run("#define N 6").ok()
    assert run("N").ok().text == "6"
    assert run("(int)sizeof(v)").ok().text == "16"
    assert run("struct s w;\n(int)sizeof(w)").ok().text == "16"
    run("#define N 7").ok()
    assert run("(int)(sizeof(v) + N)").ok().text == "23"


def test_a_changed_type_takes_its_variables_along_and_says_so(fresh_kernel):
    run = fresh_kernel.run
    run("struct p { int x; };\nstruct p old = {1};\nint other = 3;").ok()
    r = run("struct p { double x, y; };").ok()
    assert "old (In[1])" in r.stderr and "other" not in r.stderr
    assert "old" in run("old").traceback
    assert run("struct p old = {1, 2};\nold").ok().text == "{.x = 1.0, .y = 2.0}"
    assert run("other").ok().text == "3"


def test_cells_run_again_change_nothing(fresh_kernel):
    cell = "#define M 3\n#include <math.h>\nenum color { RED, BLUE = 2 };\ntypedef struct { enum color c; } paint;\n" \
           "paint p = {BLUE};\nint f(int x) { return x + M; }"
    for _ in range(3):
        assert fresh_kernel.run(cell).ok().stderr == ""
    assert fresh_kernel.run("p").ok().text == "{.c = BLUE (2)}"
    assert fresh_kernel.run("f(1)").ok().text == "4"


def test_variables_and_functions_are_replaced(fresh_kernel):
    run = fresh_kernel.run
    run("int x = 1;\nint f(void) { return 1; }\nint g(void) { return f(); }").ok()
    run("int f(void) { return 2; }").ok()
    assert run("g()").ok().text == "2"
    run("double x = 1.5;").ok()
    assert run("x").ok().text == "1.5"


def test_undo_brings_the_declarations_back(fresh_kernel):
    run = fresh_kernel.run
    run("struct p { int x; };\nstruct p v = {4};").ok()
    run("struct p { double x; };").ok()
    run("%undo").ok()
    assert run("v").ok().text == "{.x = 4}"


def test_a_failed_cell_declares_nothing(fresh_kernel):
    fresh_kernel.run("int never = 1;\n*(volatile int *)0 = 1;")
    r = fresh_kernel.run("never")
    assert r.status == "error" and "never" in r.traceback
    assert fresh_kernel.run("int never = 2;\nnever").ok().text == "2"


def test_what_an_interrupted_cell_has_declared_stays(kernel):
    cell = kernel.start('int kept = 5;\nprintf("on\\n");\nfor (;;) ;').wait_output("on")
    kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    assert kernel.run("kept").ok().text == "5"
