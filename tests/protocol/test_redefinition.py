# SPDX-License-Identifier: Apache-2.0
"""Declarations that replace earlier ones, as they are seen by later cells."""
import random

import cuda_code
import pytest

from redefinitions import PAIRS


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


def test_what_an_interrupted_cell_has_declared_comes_back_with_it(kernel):
    cell = kernel.start('int kept = 5;\nprintf("on\\n");\nfor (;;) ;').wait_output("on")
    kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    kernel.run("%redo").ok()
    assert kernel.run("kept").ok().text == "5"
    cell = kernel.start('int gone = 5;\nprintf("on\\n");\nfor (;;) ;').wait_output("on")
    kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    r = kernel.run("gone")
    assert "that cell was interrupted and rolled back" in r.traceback, r.shown


@pytest.fixture(scope="module")
def shared(start_kernel):
    """One session for the pairs; each starts from an empty one."""
    return start_kernel()


@pytest.mark.parametrize("ids", [True, False], ids=["ids", "console"])
@pytest.mark.parametrize("name", cuda_code.marked(PAIRS))
def test_a_pair_of_cells_runs_twice(shared, name, ids):
    first, second, changed, expression, value = PAIRS[name]
    shared.run("%reset").ok()
    for cell_id, code in (("A", first), ("B", second), ("A", changed), ("B", second)):
        shared.run(code, cell_id=cell_id if ids else None).ok()
    assert shared.run(expression, cell_id="E" if ids else None).ok().text == value
    for cell_id, code in (("A", first), ("A", first), ("B", second)):
        shared.run(code, cell_id=cell_id if ids else None).ok()


def names(session):
    """What %who lists."""
    return set(session.run("%who", cell_id="who").ok().stdout.replace("no variables yet", "").split())


def test_a_cell_that_is_run_again_drops_what_it_no_longer_defines(fresh_kernel):
    run = fresh_kernel.run
    run("int a = 1;\nint b = 2;\n#define N 3\nenum color { RED, BLUE };\nint f(int x) { return x + b; }", cell_id="A").ok()
    run("int g(void) { return f(1) + b; }", cell_id="B").ok()
    assert names(fresh_kernel) == {"a", "b"}
    run("int a = 5;", cell_id="A").ok()
    assert names(fresh_kernel) == {"a"}
    for name in ("b", "N", "f(1)", "BLUE"):
        r = run(name, cell_id="C")
        assert r.ename == "CompileError", r.shown
        assert "of In[1] was dropped when that cell was run again, as In[4], without it" in r.traceback
    # What was compiled with it goes on working, and a new definition reaches it.
    assert run("g()", cell_id="C").ok().text == "5"
    run("int b = 10;", cell_id="D").ok()
    assert run("g()", cell_id="C").ok().text == "21"
    assert names(fresh_kernel) == {"a", "b"}


@pytest.mark.cuda
def test_names_of_a_failed_cell_say_why_they_are_not_there(fresh_kernel):
    run = fresh_kernel.run
    run("int before = 1;").ok()
    assert run("""int before = 2, mine = 3;
enum { ONE = 1 };
#define SIZE 10
__global__ void k(int *p) { *p = ONE; }
*(volatile int *)0 = 1;""").ename == "SegmentationFault"
    assert run("before").ok().text == "1"
    for code in ("mine", "ONE", "SIZE", "k<<<1, 1>>>(0)", "__global__ void g(int *p) { *p = mine; }"):
        r = run(code)
        assert r.ename == "CompileError", r.shown
        assert "of In[2] is not there: that cell has failed, and a failed cell defines nothing." in r.traceback, r.shown
    assert run("mine + mine").traceback.count("'mine' of In[2]") == 1
    # A later failure is the one to tell, and a definition ends it.
    run("int mine = 5; abort();")
    assert "'mine' of In[10]" in run("mine").traceback
    run("int mine = 4;").ok()
    assert run("mine").ok().text == "4"
    assert run("%%memcheck\nint checked = 1;").ok().errors == 0
    assert "'checked' of In[14] is not kept: that cell ran as a check only" in run("checked").traceback


def test_a_variable_that_is_dropped_and_defined_again_has_its_place(fresh_kernel):
    run = fresh_kernel.run
    run("int a = 1;", cell_id="A").ok()
    run("int *p = &a;", cell_id="B").ok()
    run("int other;", cell_id="A").ok()
    assert run("*p", cell_id="C").ok().text == "1"
    run("int a = 7;", cell_id="D").ok()
    assert run("p == &a && *p == 7", cell_id="C").ok().text == "1"


def test_what_a_later_cell_has_redefined_stays_that_cells(fresh_kernel):
    run = fresh_kernel.run
    run("int a = 1;\nint b = 1;", cell_id="A").ok()
    run("int a = 2;", cell_id="B").ok()
    run("int c = 1;", cell_id="A").ok()
    assert names(fresh_kernel) == {"a", "c"}
    assert run("a", cell_id="C").ok().text == "2"
    run("int d = 1;", cell_id="B").ok()
    assert names(fresh_kernel) == {"c", "d"}


def test_a_failing_run_drops_nothing(fresh_kernel):
    run = fresh_kernel.run
    run("int a = 1;\nint b = 2;", cell_id="A").ok()
    assert run("int a = 3;\n*(volatile int *)0 = 1;", cell_id="A").ename == "SegmentationFault"
    assert run("int a = 4", cell_id="A").ename == "CompileError"
    assert run("a * 10 + b", cell_id="B").ok().text == "12"
    cell = fresh_kernel.start('int a = 5;\nprintf("on\\n");\nfor (;;) ;', cell_id="A").wait_output("on")
    fresh_kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    assert run("%redo", cell_id="C").ok()
    assert run("a * 10 + b", cell_id="B").ok().text == "52"


def test_undo_brings_back_what_a_cell_has_dropped(fresh_kernel):
    run = fresh_kernel.run
    run("int a = 1;\nint b = 2;\nint f(void) { return b; }", cell_id="A").ok()
    run("int a = 3;", cell_id="A").ok()
    run("%undo", cell_id="B").ok()
    assert names(fresh_kernel) == {"a", "b"}
    assert run("a * 10 + b + f()", cell_id="B").ok().text == "14"
    run("int c = 3;", cell_id="A").ok()
    assert names(fresh_kernel) == {"c"}


def test_the_new_text_of_a_cell_does_not_see_what_it_replaces(fresh_kernel):
    run = fresh_kernel.run
    run("int n = 1;", cell_id="A").ok()
    r = run("n = n + 1;", cell_id="A")
    assert r.ename == "CompileError" and "keep its definition here" in r.traceback
    assert run("n", cell_id="B").ok().text == "1"


@pytest.mark.cuda
def test_names_of_libc_are_libcs_again_when_the_cell_drops_them(fresh_kernel):
    run = fresh_kernel.run
    run("int index = 3;\nint abs(int x) { return 77; }", cell_id="A").ok()
    assert run("index + abs(-1)", cell_id="B").ok().text == "80"
    run("int x;", cell_id="A").ok()
    assert run('abs(-1) + (*index("abc", \'b\') == \'b\')', cell_id="B").ok().text == "2"


def test_an_include_lasts_until_no_cell_has_it(fresh_kernel, tmp_path):
    run = fresh_kernel.run
    (tmp_path / "mine.h").write_text("#define MINE 5\n")
    run(f'#include "{tmp_path}/mine.h"', cell_id="A").ok()
    run(f'#include "{tmp_path}/mine.h"\nMINE', cell_id="B").ok()
    run("int x;", cell_id="A").ok()
    assert run("MINE", cell_id="C").ok().text == "5"
    run("int y;", cell_id="B").ok()
    assert run("MINE", cell_id="C").ename == "CompileError"


def test_a_type_that_other_cells_need_stays_for_them(fresh_kernel):
    run = fresh_kernel.run
    run("#define N 2\nstruct s { int a[N]; };", cell_id="A").ok()
    run("struct s v = {{1, 2}};", cell_id="B").ok()
    run("int x;", cell_id="A").ok()
    assert run("v.a[1]", cell_id="C").ok().text == "2"
    r = run("N", cell_id="C")
    assert r.ename == "CompileError" and "'N' of In[1] was dropped" in r.traceback


def test_without_ids_nothing_is_dropped(fresh_kernel):
    fresh_kernel.run("int a = 1;").ok()
    fresh_kernel.run("int b = 1;").ok()
    assert names(fresh_kernel) == {"a", "b"}


def test_earlier_code_never_reads_an_object_with_another_layout(fresh_kernel):
    """The text of the type is the same, its members are not: what was compiled before keeps what it was compiled for."""
    run = fresh_kernel.run
    run("struct p { int x; float y; };", cell_id="A").ok()
    norm = "double norm(struct p a) { return a.x + a.y; }\nstruct p last;\nstruct p *where = &last;"
    run(norm, cell_id="B").ok()
    run("double g(void) { struct p a = {1, 0.5}; last = a; return norm(a) + where->x; }", cell_id="C").ok()
    assert run("g()", cell_id="D").ok().text == "2.5"
    run("struct p { float y; int x; };", cell_id="A").ok()
    note = run(norm, cell_id="B").ok().stderr
    for name in ("'norm'", "'last'", "'where'"):
        assert f"a type in {name}" in note and "In[3] keep the old one" in note, note
    assert run("struct p b = {4, 9};\nlast = b;\nnorm(b) * 10 + g()", cell_id="D").ok().text == "132.5"
    assert run("last", cell_id="D").ok().text == "{.y = 4.0, .x = 9}"
    run("double g(void) { struct p a = {1, 2}; last = a; return norm(a) + where->x; }", cell_id="C").ok()
    assert run("g() + last.x", cell_id="D").ok().text == "7.0"


def test_earlier_callers_of_a_function_with_another_type_keep_the_old_one_and_are_named(fresh_kernel):
    run = fresh_kernel.run
    run("int f(int a) { return a + 1; }", cell_id="A").ok()
    run("int g(int a) { return f(a); }\nint x = 1;", cell_id="B").ok()
    run("int h(void) { return x; }", cell_id="C").ok()
    run("f(1) + g(1)", cell_id="D").ok()
    assert run("int f(int a) { return a + 2; }", cell_id="A").ok().stderr == ""
    assert run("g(1)", cell_id="D").ok().text == "3"
    assert "'f' is now double (double) and was int (int). Functions of In[2] keep the old one" in \
        run("double f(double a) { return a + 0.5; }", cell_id="A").ok().stderr
    assert run("g(1) + f(1)", cell_id="D").ok().text == "4.5"
    note = run("int g(int a) { return (int)f(a + 1); }\ndouble x = 2;", cell_id="B").ok().stderr
    assert "'x' is now double and was int. Functions of In[3] keep the old one" in note and "'f'" not in note
    assert run("g(1) + h()", cell_id="D").ok().text == "3"
    # All callers have been replaced since: nothing is kept by anybody.
    assert run("int f(int a) { return a; }\nint g(int a) { return f(a); }", cell_id="E").ok().stderr == ""


def test_a_typedef_is_no_other_type(fresh_kernel):
    run = fresh_kernel.run
    run("typedef int number;\nnumber x = 1;\nnumber f(number a) { return a; }\nint *p = &x;").ok()
    run("int g(void) { return f(x); }").ok()
    assert run("int x = 2;\nint f(int a) { return a * 2; }").ok().stderr == ""
    assert run("g() + *p").ok().text == "6"


def test_reset_drops_names(fresh_kernel):
    run = fresh_kernel.run
    run("int a = 1, tmp1 = 2, tmp2 = 3;\nstruct s { int x; };\n#define N 4\nint f(void) { return a; }").ok()
    run("%reset a s N tmp*\nint fresh = 1;").ok()
    assert names(fresh_kernel) == {"fresh"}
    for text in ("a", "tmp1", "struct s v;", "N"):
        r = run(text)
        assert r.ename == "CompileError" and "was dropped by %reset in In[2]" in r.traceback, r.shown
    assert run("f()").ok().text == "1"
    run("%undo 2").ok()
    assert names(fresh_kernel) == {"a", "tmp1", "tmp2"}
    assert run("struct s v = {N};\nv.x + a + tmp2").ok().text == "8"
    r = run("%reset never")
    assert r.status == "error" and "nothing is called 'never'" in r.evalue
    run("%reset -f").ok()
    assert names(fresh_kernel) == set()
    r = run("a")
    assert r.ename == "CompileError" and "dropped" not in r.traceback


@pytest.mark.cuda
def test_whos_shows_what_the_device_holds(fresh_kernel):
    run = fresh_kernel.run
    run("__device__ double d = 2.5;\n__constant__ int c[3] = {1, 2, 3};\n__managed__ int m = 7;").ok()
    run("__global__ void k(void) { d *= 2; }\nk<<<1, 1>>>();").ok()
    rows = {line.split()[0]: line for line in run("%whos").ok().printed.splitlines()}
    assert rows["d"].endswith("device: 5.0") and rows["c"].endswith("device: {1, 2, 3}") and rows["m"].endswith(" 7")
    # While a cell runs nothing is asked of the worker.
    cell = fresh_kernel.start('printf("on\\n");\nfor (;;) ;').wait_output("on")
    assert "double d" in fresh_kernel.ask("inspect", "d", 1)["data"]["text/plain"]
    fresh_kernel.interrupt()
    assert cell.wait().ename == "Interrupted"


BAD_CELLS = ["int x = 9;\nint y = ;", "x = 7;\nundeclared = 1;",
             "struct p { char c; };\nint f(void) { return 7; }\n#define N 7\nf(1, 2);",
             "x = 8;\n}", "#include <there_is_no_such_header.h>\nx = 9;", "typedef char number;\nnumber *n = 3.5;",
             "__global__ void k(int *o) { *o = undeclared; }\nx = 5;", "%nothing\nx = 5;"]


@pytest.mark.cuda
def test_a18_a_cell_that_does_not_compile_changes_nothing(fresh_kernel):
    """Neither values nor definitions, wherever the error stands; Run All goes on as if the cell had not been there."""
    run = fresh_kernel.run
    run("int x = 1, runs;\nstruct p { int a; };\nstruct p v = {2};\ntypedef int number;\n#define N 3\nint f(void) { return N; }\n"
        "__global__ void k(int *o) { *o = 4; }", cell_id="A").ok()
    run(PROBE, cell_id="B").ok()
    before = run("probe()", cell_id="C").ok().text
    listed = run("%whos", cell_id="D").ok().printed
    for cell_id in ("A", "E"):
        for bad in BAD_CELLS:
            r = run(bad, cell_id=cell_id)
            assert r.status == "error" and r.errors == 1, r.shown
            assert run("probe()", cell_id="C").ok().text == before, bad
            assert run("%whos", cell_id="D").ok().printed == listed, bad
    assert run("f() + N + v.a + (number)1.5 + x", cell_id="C").ok().text == "10"


PROBE = """
int probe(void)
{
    int *o, h;
    cudaMalloc(&o, sizeof h);
    k<<<1, 1>>>(o);
    cudaMemcpy(&h, o, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(o);
    return x + 10 * v.a + 100 * f() + 1000 * h;
}"""


def test_a18_a_notebook_is_run_from_the_top_as_often_as_one_likes(fresh_kernel):
    """A class types, makes mistakes, changes types and functions, and runs all again: always as in a new session."""
    run = fresh_kernel.run
    first = ["#include <math.h>\n#define SIZE 4", "struct point { int x, y; };", "struct point p[SIZE];",
             "int norm(struct point a) { return a.x + a.y; }", "for (int i = 0; i < SIZE; i++) p[i] = (struct point){ i, i };",
             "norm(p[SIZE - 1])"]
    second = ["#include <math.h>\n#define SIZE 6", "struct point { double x, y; };", "struct point p[SIZE];",
              "double norm(struct point a) { return sqrt(a.x * a.x + a.y * a.y); }",
              "for (int i = 0; i < SIZE; i++) p[i] = (struct point){ 3 * i, 4 * i };", "norm(p[SIZE - 1])"]
    for notebook, result in ((first, "6"), (first, "6"), (second, "25.0"), (first, "6"), (second, "25.0")):
        for i, text in enumerate(notebook):
            if i == 3:
                assert run(text + "\nsyntax error", cell_id=f"cell{i}").ename == "CompileError"
            r = run(text, cell_id=f"cell{i}").ok()
        assert r.text == result


def test_a_prototype_of_an_earlier_cell_holds_until_the_definition(fresh_kernel):
    run = fresh_kernel.run
    run("int f(int);\nextern int limit;").ok()
    run("int g(int a) { return a > limit ? f(a) : 0; }\nint f(int a) { return a + 1; }\nint limit = 2;").ok()
    assert run("g(3) + g(1)").ok().text == "4"
    r = run("int h(void) { return (int)f(1); }\ndouble f(int a) { return a; }")
    assert r.ename == "CompileError" and "conflicting types for 'f'" in r.traceback


def definition(kind, name, value):
    return {"int": f"int {name} = {value};", "double": f"double {name} = {value};", "array": f"int {name}[] = {{{value}, 1}};",
            "function": f"int {name}(void) {{ return {value}; }}", "macro": f"#define {name} {value}",
            "enum": f"enum {{ {name} = {value} }};"}[kind]


def probe(kind, name):
    return {"array": f"(int)(sizeof {name} / 4) * {name}[0] / 2", "function": f"{name}()"}.get(kind, f"(int){name}")


@pytest.mark.parametrize("seed", range(4))
def test_random_edits_of_a_notebook(fresh_kernel, seed):
    """Cells that define, redefine and lose names, fail and are undone, beside a reference that keeps plain state."""
    choose = random.Random(seed)
    pool = [f"name{i}" for i in range(8)] + ["MACRO1", "MACRO2", "ENUM1", "ENUM2"]
    kinds = ["int", "double", "array", "function"]
    state, past = {}, []
    for step in range(40):
        cell_id = choose.choice("ABCD")
        new = {name: (name[:-1].lower() if name.isupper() else choose.choice(kinds), 2 * choose.randrange(50))
               for name in choose.sample(pool, choose.randrange(4))}
        text = "\n".join(definition(kind, name, value) for name, (kind, value) in new.items()) + f"\nint own{cell_id} = {step};"
        way = choose.random()
        if way < 0.1 and past:
            fresh_kernel.run("%undo", cell_id="undo").ok()
            state = past.pop()
        elif way < 0.3:
            assert fresh_kernel.run(text + choose.choice(["\n*(volatile int *)0 = 0;", "\nwrong wrong;"]),
                                    cell_id=cell_id).status == "error"
        else:
            note = fresh_kernel.run(text, cell_id=cell_id).ok().stderr
            assert note == "", note
            past.append(state)
            state = {name: what for name, what in state.items() if what[0] != cell_id}
            state.update({name: (cell_id, *what) for name, what in new.items()})
            state["own" + cell_id] = (cell_id, "int", step)
        listed = {name for name, (_, kind, _) in state.items() if kind in ("int", "double", "array")}
        assert names(fresh_kernel) == listed, (seed, step)
        if not state:
            continue
        past.append(state)
        values = "".join(f'printf("{name} %d\\n", {probe(kind, name)});\n' for name, (_, kind, _) in state.items())
        shown = fresh_kernel.run(values, cell_id="probe").ok().stdout.split("\n")
        assert dict(line.split() for line in shown if line) == \
            {name: str(value) for name, (_, _, value) in state.items()}, (seed, step)
        gone = choose.choice(sorted(set(pool) - set(state)) or ["never"])
        assert fresh_kernel.run(gone, cell_id="probe").ename == "CompileError", (seed, step, gone)


def test_a_constant_takes_the_name_of_a_variable(fresh_kernel):
    run = fresh_kernel.run
    run("int a = 1, b = 2;\nint c(void) { return 3; }", cell_id="A").ok()
    run("enum e { a /* first, b */ = 10, c = (1 ? 20 : 0) };\na + b + c", cell_id="B").ok()
    assert names(fresh_kernel) == {"b"}
    assert run("a + b + c", cell_id="C").ok().text == "32"


@pytest.mark.cuda
def test_device_code_that_a_cell_drops_is_named_too(fresh_kernel):
    run = fresh_kernel.run
    run("__device__ int f(void) { return 1; }\n__device__ int d = 4;", cell_id="A").ok()
    run("__global__ void k(int *o) { *o = f() + d; }\nint *o, h;\ncudaMalloc(&o, 4);", cell_id="B").ok()
    run("int x;", cell_id="A").ok()
    for name in ("f()", "d"):
        r = run(f"__global__ void other(int *o) {{ *o = {name}; }}", cell_id="C")
        last = r.traceback.splitlines()[-1]
        assert r.ename == "CompileError" and last.endswith("was dropped when that cell was run again, as In[3], without it")
    assert run("k<<<1, 1>>>(o);\ncudaMemcpy(&h, o, 4, cudaMemcpyDeviceToHost);\nh", cell_id="D").ok().text == "5"
    run("int *o, h;", cell_id="B").ok()
    r = run("k<<<1, 1>>>(o);", cell_id="D")
    assert r.ename == "CompileError" and "'k' of In[2] was dropped" in r.traceback


def test_a_definition_takes_the_place_of_a_macro(fresh_kernel):
    run = fresh_kernel.run
    run("#define LIMIT 5", cell_id="A").ok()
    r = run("int LIMIT = 6 + missing;", cell_id="B")
    assert r.ename == "CompileError" and "'LIMIT' is a macro of In[1]: #undef it" in r.traceback
    run("int LIMIT = 6;", cell_id="B").ok()
    assert run("LIMIT", cell_id="C").ok().text == "6"
    # In the cell that had the macro it is not in the way.
    run("#define SIZE 5", cell_id="D").ok()
    run("int SIZE = 7;", cell_id="D").ok()
    assert run("SIZE", cell_id="C").ok().text == "7"
