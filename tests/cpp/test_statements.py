# SPDX-License-Identifier: Apache-2.0
"""Statements at file scope of a %%cpp cell: they run in turn with the initialisers of the variables around them."""
import pytest

INCLUDES = """%%cpp
#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
"""


def cpp(text):
    return INCLUDES + text


@pytest.fixture(scope="module")
def session(kernel):
    return kernel


def shown(session, text):
    return session.run(cpp(text)).ok().text


def test_statements_and_initialisers_run_in_order(session):
    ran = session.run(cpp("""
std::vector<int> trail;
int note(int n) { trail.push_back(n); return n; }
note(1);
int a = note(2);
for (int i = 3; i < 5; i++)
    note(i);
static int b = note(5);
if (a == 2) { note(6); note(7); }
trail
""")).ok()
    assert ran.text == "{1, 2, 3, 4, 5, 6, 7}"


def test_what_follows_the_last_variable_is_shown(session):
    assert shown(session, "std::vector<int> h(4); for (auto &x : h) x = 7;\nh.size()") == "4"
    assert shown(session, "h[0]++; h") == "{8, 7, 7, 7}"
    assert shown(session, "-h[1]") == "-7"
    assert shown(session, "auto [low, high] = std::minmax({ 4, 2, 9 }); high - low") == "7"
    assert session.run(cpp("h.clear();")).ok().text is None


@pytest.mark.parametrize("text, value", [
    ("[](int a) { return a * 2; }(21)", "42"),
    ("int scaled = 0; [&](auto a) { scaled = a; }(5); scaled", "5"),
    ("int local = 0; { struct pair { int a, b; } p{ 1, 2 }; auto sum = [&] { return p.a + p.b; }; local = sum(); } local", "3"),
    ("int calls = 0; for (int i = 0; i < 3; i++) { static int n; calls = ++n; } calls", "3"),
    ("int x1 = 1; if constexpr (sizeof(int) == 4) x1 = 2; else x1 = 3; x1", "2"),
    ("int caught = 0; try { throw 3; } catch (int n) { caught = n; } caught", "3"),
    ("int s = 0; switch (2) { case 2: s = 5; break; default: s = 6; } s", "5"),
    ("int turns = 0; again: if (++turns < 4) goto again; turns", "4"),
    ("int w = 10; while (w) { if (w == 3) break; w--; continue; } w", "3"),
    ("std::map<std::string, int> words; words[\"a\"]++; words[\"a\"]++; words[\"a\"]", "2"),
    ("std::string joined; for (const char *p : { \"x\", \"y\" }) joined += p; joined", '"xy"'),
    ("std::string(__func__).empty()", "false"),
    ("double values[3]; for (double &v : values) v = 0.5; values", "{0.5, 0.5, 0.5}"),
    ("int *p = new int(4); delete p; sizeof *p", "4"),
    ("end: 6 * 7", "42"),
])
def test_a_statement(session, text, value):
    assert shown(session, text) == value


def test_declarations_that_look_like_expressions(session):
    ran = session.run(cpp("""
struct Count { Count(); explicit Count(int); ~Count(); operator int() const; Count &operator+=(int); int n; };
Count::Count() : Count(3) {}
Count::Count(int n) : n(n) {}
Count::~Count() { std::cout << "ends\\n"; }
Count::operator int() const { return n; }
Count &Count::operator+=(int by) { n += by; return *this; }
template <class T> struct Box { T value; Box(T v) : value(v) {} };
template <class T> Box(T) -> Box<T>;
template struct Box<long>;
Box box(2.5);
int parenthesised(4), (nested);
{ Count c; c += 2; nested = c; }
box.value + parenthesised + nested
""")).ok()
    assert (ran.stdout, ran.text) == ("ends\n", "11.5")


def test_main_runs_before_the_last_expression(session):
    ran = session.run(cpp('int set;\nint main() { set = 4; std::cout << "main\\n"; }\nset = 9;\nset')).ok()
    assert (ran.stdout, ran.text) == ("main\n", "4")


def test_return_ends_the_cell(session):
    ran = session.run(cpp("""
int reached = 1;
{ std::string whole = "destroyed"; struct Say { ~Say() { std::cout << "ends\\n"; } } say; if (reached) return; }
reached = 2;
int never = (reached = 3);
reached
""")).ok()
    assert (ran.stdout, ran.text) == ("ends\n", None)
    assert shown(session, "reached * 10 + never") == "10"
    refused = session.run(cpp("if (reached)\n    return 3;\n"))
    assert "In[%d]:9:5: error: a cell should not return a value" % refused.count in refused.evalue


def test_return_of_a_lambda_is_its_own(session):
    assert shown(session, "int past = 0; auto seven = [] { return 7; }; [] { return; }(); past = seven(); past") == "7"


def test_a_fault_is_told_by_line_without_a_function(session):
    session.run(cpp("int before = 1;\nint read(int *p) { return p[3]; }")).ok()
    fault = session.run(cpp("before = 2;\nif (before)\n    std::cout << read(nullptr);"))
    assert fault.ename == "SegmentationFault"
    lines = [line for line in fault.traceback.split("\n") if line.startswith("In[")]
    assert lines[-1] == "In[%d], line 10" % fault.count and lines[-2].endswith("in read(p = 0x0)")
    in_initialiser = session.run(cpp("int started = read(nullptr);"))
    lines = [line for line in in_initialiser.traceback.split("\n") if line.startswith("In[")]
    assert lines[-1] == "In[%d], line 8" % in_initialiser.count and len(lines) == 2
    assert shown(session, "before") == "1"


def test_an_exception_is_told_at_its_statement(session):
    thrown = session.run(cpp('before = 5;\nthrow std::runtime_error("no such file");'))
    assert thrown.evalue == "std::runtime_error: no such file; at In[%d], line 9" % thrown.count
    assert shown(session, "before") == "1"


@pytest.mark.parametrize("text, place, message", [
    ("before = ;", "8:10", "expected expression"),
    ("if (before) before", "8:19", "expected ';' after expression"),
    ("for (int i = 0; i < 3; i++)\n    unknown(i);", "9:5", "use of undeclared identifier 'unknown'"),
    ("break;", "8:1", "'break' statement not in loop or switch statement"),
    ("goto nowhere;", "8:6", "use of undeclared label 'nowhere'"),
    ("before +", "8:9", "expected expression"),
])
def test_errors_stand_at_their_column(session, text, place, message):
    refused = session.run(cpp(text))
    assert refused.evalue == "In[%d]:%s: error: %s" % (refused.count, place, message)
