# SPDX-License-Identifier: Apache-2.0
"""Variables that a program of several C++ files has once: inline ones, static ones of inline functions and of templates."""
import pytest

DEFINES = """%%cpp
#include <string>
inline int plain = 5;
inline std::string made = std::string("made ") + "once";
inline thread_local int of_thread = 7;
namespace n { inline int &counter() { static int count = 10; return count; } }
template <class T> struct Registry { static int count; static std::string name; };
template <class T> int Registry<T>::count = 100;
template <class T> std::string Registry<T>::name = std::string("r") + std::to_string(sizeof(T));
template <class T> T next() { static T value = 1000; return ++value; }
struct Holder { static inline int members = 20; };
extern "C" int first() { made += "1"; return ++plain + ++n::counter() + ++Registry<int>::count + next<int>() + ++Holder::members
                         + ++of_thread + (int)Registry<int>::name.size(); }
"""

USES = """%%cpp
extern "C" int second() { return plain + n::counter() + Registry<int>::count + next<int>() + Holder::members + of_thread
                          + (int)made.size() + (int)Registry<int>::name.size(); }
extern "C" void third() { made += "x"; plain = 0; of_thread = 0; Registry<int>::name += "longer"; }
"""


@pytest.fixture
def session(kernel):
    kernel.run("%reset").ok()
    return kernel


@pytest.mark.parametrize("ids", [True, False])
def test_there_is_one_of_them(session, ids):
    session.run(DEFINES, cell_id="A" if ids else None).ok()
    session.run(USES, cell_id="B" if ids else None).ok()
    assert session.run("first()").ok().text == str(6 + 11 + 101 + 1001 + 21 + 8 + 2)
    assert session.run("second()").ok().text == str(6 + 11 + 101 + 1002 + 21 + 8 + 10 + 2)
    session.run("third();").ok()
    # A user's cell that is run again starts nothing anew.
    session.run(USES, cell_id="B" if ids else None).ok()
    assert session.run("second()").ok().text == str(0 + 11 + 101 + 1003 + 21 + 0 + 11 + 8)
    # Its own cell does.
    session.run(DEFINES, cell_id="A" if ids else None).ok()
    assert session.run("second()").ok().text == str(5 + 10 + 100 + 1001 + 20 + 7 + 9 + 2)


def test_of_a_header_there_is_one_whoever_includes_it(session):
    session.run("%%writefile shared.h\n#pragma once\ninline int in_header = 3;\ninline int &once() { static int n = 30; "
                "return n; }").ok()
    session.run('%%cpp\n#include "shared.h"\nextern "C" int a() { return ++in_header + ++once(); }').ok()
    session.run('%%cpp\n#include "shared.h"\nextern "C" int b() { return ++in_header + ++once(); }').ok()
    assert [session.run(f).ok().text for f in ("a()", "b()", "a()")] == ["35", "37", "39"]
    assert session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert session.run("b()").ok().text == "41"


def test_another_type_is_another_variable(session):
    session.run('%%cpp\ninline int value = 1;\nextern "C" int a() { return value; }').ok()
    session.run('%%cpp\ninline double value = 2.5;\nextern "C" double b() { return value; }').ok()
    assert (session.run("a()").ok().text, session.run("b()").ok().text) == ("1", "2.5")


def test_types_are_known_in_other_cells(session):
    session.run("""%%cpp
#include <any>
#include <typeinfo>
struct Base { virtual ~Base() = default; };
struct Derived : Base { int n = 4; };
struct Problem { int code; };
Base *make() { return new Derived; }
std::any boxed = Problem{ 3 };
void throws(int code) { throw Problem{ code }; }
""").ok()
    session.run("""%%cpp
extern "C" int f() {
    int code = 0;
    try { throws(5); } catch (const Problem &p) { code = p.code; }
    Base *b = make();
    bool same = typeid(*b) == typeid(Derived);
    return code * 1000 + dynamic_cast<Derived &>(*b).n * 100 + std::any_cast<Problem>(boxed).code * 10 + same;
}
""").ok()
    assert session.run("f()").ok().text == "5431"


def test_variables_of_types_that_c_has_are_those_of_c_cells(session):
    session.run("%%cpp\n#include <vector>\nint n = 5; double x[3] = { 1, 2, 3 }; static int counter = 7; bool flag = true;\n"
                "struct P { int a; float b; }; P p = { 1, 2 }; int &r = n; std::vector<int> v = { 1, 2 };").ok()
    session.run("n += 1; counter++; x[0] = n; p.a = 9; flag = !flag;").ok()
    assert session.run("%%cpp\nn + counter + p.a + (int)x[0] + r + flag").ok().text == "35"
    # A definition of either language takes the place of the other one's.
    session.run("double n = 2.5;").ok()
    assert session.run("%%cpp\nn * 2").ok().text == "5.0"
    session.run('%%cpp\n#include <string>\nstd::string n = "text";').ok()
    assert session.run("n").ok().text == '"text"'
    session.run("int v = 3;").ok()
    assert session.run("%%cpp\nv + 2").ok().text == "5"
    assert session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert session.run("counter").ok().text == "8"


def test_all_variables_are_listed_with_the_types_of_their_language(session):
    session.run("int of_c = 1;").ok()
    session.run("%%cpp\n#include <string>\n#include <vector>\nstd::string s = \"text\"; std::vector<int> v; static int n = 2; "
                "inline int shared = 3; const int constant = 4; auto f = [](int i) { return i; }; shared++;").ok()
    assert session.run("%who").ok().stdout.split() == ["of_c", "s", "v", "n", "shared"]
    rows = {line.split()[0]: line for line in session.run("%whos").ok().printed.splitlines()[1:]}
    assert rows["s"].split()[1:4] == ["std::string", "32", "B"] and "std::vector<int>" in rows["v"]
    assert rows["n"].split()[1:4] == ["int", "4", "B"] and rows["n"].split()[-1] == "2"


def test_what_is_const_and_made_at_run_time_is_the_session_s(session):
    session.run('%%cpp\n#include <string>\nint base = 4; const int made = base * 2;\n'
                'static const double third = base / 3.0; const std::string text = "long enough to be allocated somewhere";').ok()
    assert session.run("base = 5; made + (int)(third * 3) + base").ok().text == "17"
    assert session.run("made + (int)text.size()").ok().text == "45"
    assert session.run("%who").ok().stdout.split() == ["base", "made", "third", "text"]
    session.run("%%cpp\nconst int made = 1;").ok()
    assert session.run("%%cpp\nmade").ok().text == "1"
