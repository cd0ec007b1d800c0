# SPDX-License-Identifier: Apache-2.0
"""What later %%cpp cells see of earlier ones, and what a changed declaration does to its users."""
import pytest


@pytest.fixture
def session(kernel):
    kernel.run("%reset").ok()
    return kernel


DECLARES = """%%cpp
#include <map>
#include <string>
#include <vector>
#define SCALE 10
#define AREA(w, h) \\
    ((w) * (h))
struct Point { double x = 0, y = 0; double norm() const { return x * x + y * y; } };
template <class T> T biggest(const std::vector<T> &v) { T m = v[0]; for (auto &x : v) if (x > m) m = x; return m; }
template <> std::string biggest(const std::vector<std::string> &v) { return "special"; }
template <class T> concept Small = sizeof(T) <= 4;
namespace geo::deep { enum class Color { red, green }; int area(int w, int h = 2) { return AREA(w, h); } }
std::map<std::string, std::vector<int>> table{ { "a", { 1, 2 } } };
int first = 1, second[] = { 2, 3 }, (*pointer)(int, int) = geo::deep::area;
auto add = [](int a, int b) { return a + b; };
const int limit = 7;
constexpr double half = 0.5;
int calls = 0;
std::string greet(const std::string &who = "you") { calls++; return "hello " + who; }
class Counter { int n = 0; public: int up(); static int made; };
int Counter::up() { return ++n; }
int Counter::made = 5;
typedef struct { int a; } Anonymous, *AnonymousPointer;
using Words = std::vector<std::string>;
extern "C" int plain(int x) { return x + 1; }
static int helper(int x) { return x + 100; }
auto deduced(int x) { return x * 1.5; }
int operator+(const Point &p, int n) { return (int)p.x + n; }
namespace { struct Inner { int held = 8; }; }
"""


def test_declarations_of_all_kinds(session):
    session.run("int twice(int x) { return 2 * x; }").ok()
    session.run(DECLARES).ok()
    session.run("""%%cpp
extern "C" void use() {
    Point p{ 3, 4 };
    Counter c;
    Anonymous a{ 1 };
    AnonymousPointer to = &a;
    static_assert(Small<int> && !Small<double>);
    printf("%g %d %d %zu %d %d %g %s|", p.norm(), biggest(std::vector<int>{ 3, 9 }), geo::deep::area(4), table["a"].size(),
           add(1, 2), limit * SCALE, half, greet().c_str());
    printf("%d %d %d %d %d %g %s %d|", calls, c.up(), Counter::made, plain(1), helper(1), deduced(2),
           biggest(Words{ "x" }).c_str(), twice(3));
    printf("%d %d %d %d %d %d %d %d", first, second[1], pointer(2, 3), to->a, p + 4, (int)geo::deep::Color::green, Inner().held,
           AREA(5, 5));
    table["b"];
}
""").ok()
    shown = session.run("use();").ok()
    assert shown.stdout == "25 9 8 2 3 70 0.5 hello you|1 1 5 2 101 3 special 6|1 3 6 1 7 1 8 25"
    # One object, whichever cell reaches it.
    session.run('%%cpp\nextern "C" int entries() { return (int)table.size() + calls; }').ok()
    assert session.run("entries()").ok().text == "3"


def test_what_c_cells_see_is_not_said_twice(session):
    session.run('%%cpp\nstruct Pair { int a, b; };\nextern "C" int sum(Pair p) { return p.a + p.b; }\nextern "C" int n = 4;').ok()
    session.run("Pair made = { 1, 2 };").ok()
    session.run('%%cpp\nextern "C" int all() { return sum(made) + n; }').ok()
    assert session.run("all()").ok().text == "7"


def test_changed_type_takes_its_users_along(session):
    session.run("%%cpp\nstruct Point { double x, y; };").ok()
    session.run("%%cpp\ndouble norm(const Point &p) { return p.x + p.y; }\nint other() { return 5; }").ok()
    told = session.run("%%cpp\nstruct Point { double x, y, z; };\ndouble z(const Point &p) { return p.z; }").ok().stderr
    assert told.count("note: ") == 1 and "'norm(const Point &)' of In[" in told
    assert session.run('%%cpp\nextern "C" double f() { return norm(Point{}); }').ename == "CompileError"
    assert session.run('%%cpp\nextern "C" double f() { return z(Point{ 1, 2, 3 }) + other(); }').ok().stderr == ""
    assert session.run("f()").ok().text == "8.0"
    session.run("%%cpp\ndouble norm(const Point &p) { return p.x + p.y + p.z; }").ok()
    session.run('%%cpp\nextern "C" double g() { return norm(Point{ 1, 2, 3 }); }').ok()
    assert session.run("g()").ok().text == "6.0"


@pytest.mark.parametrize("ids", [True, False])
def test_the_same_type_again_takes_nothing_along(session, ids):
    for a in ("struct Point { double x, y; };", "struct Point { double x, y; };",
              "// a comment\nstruct Point { double x,\n y; };"):
        session.run("%%cpp\n" + a, cell_id="A" if ids else None).ok()
        session.run("%%cpp\ndouble norm(const Point &p) { return p.x + p.y; }", cell_id="B" if ids else None).ok()
        told = session.run("%%cpp\n" + a, cell_id="A" if ids else None).ok()
        assert told.stderr == ""
        session.run('%%cpp\nextern "C" double f() { return norm(Point{ 1, 2 }); }', cell_id="C" if ids else None).ok()
        assert session.run("f()").ok().text == "3.0"


def test_notebook_cell_drops_what_it_no_longer_says(session):
    session.run("%%cpp\nint one() { return 1; }\nint two() { return 2; }", cell_id="A").ok()
    session.run("%%cpp\nint one() { return 1; }", cell_id="A").ok()
    assert session.run('%%cpp\nextern "C" int f() { return two(); }', cell_id="B").ename == "CompileError"
    session.run('%%cpp\nextern "C" int f() { return one(); }', cell_id="B").ok()
    assert session.run("f()").ok().text == "1"


def test_function_with_another_result_takes_the_place(session):
    session.run("%%cpp\nint f(int x) { return x; }\nint f(double) { return 50; }").ok()
    session.run("%%cpp\ndouble f(int x) { return x + 0.5; }").ok()
    session.run('%%cpp\nextern "C" double g() { return f(1) + f(1.0); }').ok()
    assert session.run("g()").ok().text == "51.5"


def test_rolled_back_cell_declares_nothing(session):
    failed = session.run("%%cpp\nstruct Late { int a; };\nint main() { throw 1; }")
    assert failed.ename == "UncaughtException"
    assert session.run("%%cpp\nLate late;").ename == "CompileError"


def test_session_is_the_same_after_undo_and_snapshot(session, tmp_path):
    session.run("%%cpp\n#include <string>\nstruct Kept { std::string s = \"kept\"; };\nKept kept;").ok()
    session.run("%%cpp\nstruct Kept { int s; };").ok()
    session.run("%undo").ok()
    session.run('%%cpp\nextern "C" unsigned long f() { return kept.s.size(); }').ok()
    assert session.run("f()").ok().text == "4"
    session.run("%snapshot save pieces").ok()
    session.run("%reset").ok()
    session.run("%snapshot load pieces").ok()
    session.run('%%cpp\nextern "C" unsigned long g() { kept.s += Kept().s; return kept.s.size(); }').ok()
    assert session.run("g()").ok().text == "8"


def test_cell_with_other_flags_leaves_the_session_alone(session):
    session.run("%%cpp\ntemplate <class T> concept Any = true;\ntemplate <Any T> T same(T x) { return x; }").ok()
    session.run('%%cpp -std=c++17\nextern "C" int f() { return 1; }').ok()
    session.run('%%cpp\nextern "C" int g() { return same(2); }').ok()
    assert session.run("g()").ok().text == "2"


def test_error_in_the_cell_names_the_earlier_cell(session):
    first = session.run("%%cpp\nvoid only(int *p) { *p = 1; }").ok()
    refused = session.run("%%cpp\nvoid f() { only(3.5); }")
    assert ":2:12: error: no matching function" in refused.evalue
    assert f"In[{first.count}]:2:" in refused.traceback


def test_headers_beside_the_notebook(session):
    session.run("""%%writefile shape.h
#pragma once
#include <string>
struct Shape { std::string name; virtual ~Shape() = default; virtual int sides() const { return 0; } };
int in_header(int x) { return x + 1; }
int of_header = 4;
""").ok()
    session.run('%%cpp\n#include "shape.h"\nstruct Square : Shape { int sides() const override { return 4; } };').ok()
    session.run('%%cpp\nextern "C" int f() { Square s; return s.sides() + in_header(1) + of_header++; }').ok()
    assert session.run("f()").ok().text == "10"
    assert session.run("f()").ok().text == "11"
    session.run('%%cpp\nextern "C" int g() { return of_header; }').ok()
    assert session.run("g()").ok().text == "6"


def test_a_fault_in_code_of_another_cell_or_file_has_its_place(start_kernel, tmp_path):
    (tmp_path / "store.h").write_text("#pragma once\n\nstatic void store(int *p) {\n    *(volatile int *)p = 1;\n}\n")
    kernel = start_kernel(cwd=tmp_path)
    kernel.run('%%cpp\n#include "store.h"\ntemplate <class T> void put(T *p) {\n    *(volatile T *)p = 1;\n}\n'
               "inline void all(int *p) { store(p); }").ok()
    fault = kernel.run("%%cpp\nput((int *)0);")
    assert fault.ename == "SegmentationFault" and "at In[2], line 2" in fault.evalue
    assert "In[1], line 4, in " in fault.traceback and "put" in fault.traceback and "In[2], line 2" in fault.traceback
    fault = kernel.run("%%cpp\nall((int *)0);")
    assert "store.h:4, in store(" in fault.traceback and "In[1], line 6, in all(" in fault.traceback
    # What the C++ library has in between is not the user's.
    fault = kernel.run("%%cpp\n#include <vector>\nstd::vector<int> *none = nullptr;\nnone->push_back(3);")
    assert fault.ename == "SegmentationFault" and "stl_vector.h" not in fault.traceback


def test_a_class_and_its_operator_are_defined_anew(session):
    """An operator has no plain name: looking for it in texts did not end."""
    for order in "<", ">":
        session.run("%%cpp\nstruct item { int n; };\n"
                    f"bool operator<(item a, item b) {{ return a.n {order} b.n; }}").ok()
        assert session.run("%%cpp\nitem{ 1 } < item{ 2 }").ok().text == str(order == "<").lower()
