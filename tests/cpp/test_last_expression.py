# SPDX-License-Identifier: Apache-2.0
"""A last expression without `;` of a %%cpp cell is shown, as in a C cell."""
import pytest

PRELUDE = """%%cpp
#include <complex>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>
struct Point { int x; double y; };
struct Streamed { int n; };
std::ostream &operator<<(std::ostream &o, const Streamed &s) { return o << "streamed " << s.n; }
enum class Color { red, green };
std::vector<int> numbers{ 3, 1, 2 };
std::map<std::string, std::vector<double>> table{ { "a", { 1, 2.5 } }, { "b\\n", {} } };
Point point{ 1, 2.5 };
int first() { return 7; }
void nothing() { printf("called"); }
"""

SHOWN = {
    "numbers": "{3, 1, 2}",
    "numbers.size()": "3",
    "table": '{"a": {1.0, 2.5}, "b\\n": {}}',
    "point": "{.x = 1, .y = 2.5}",
    "Point{ 4, 5 }.y + first()": "12.0",
    'std::string("hel") + "lo"': '"hello"',
    '"text"': '"text"',
    "[](int x) { return x * 2; }(4)": "8",
    "std::make_pair(1, 'c')": "{1, 'c'}",
    "std::optional<int>()": "nothing",
    "std::optional<std::string>(\"some\")": '"some"',
    "std::complex<double>(1, 2)": "(1,2)",
    "std::vector<std::string>{ \"a\", \"b\" }": '{"a", "b"}',
    "std::set<bool>{ true, false }": "{false, true}",
    "Streamed{ 5 }": "streamed 5",
    "std::vector<Streamed>{ { 1 }, { 2 } }": "{streamed 1, streamed 2}",
    "Color::green": "green (1)",
    "3.5f": "3.5",
    "1, 2": "2",
    "true": "true",
    "std::vector<int>(200)": "{" + ", ".join(["0"] * 100) + ", ...}",
}


@pytest.fixture(scope="module")
def session(kernel):
    kernel.run(PRELUDE).ok()
    return kernel


@pytest.mark.parametrize("text", SHOWN)
def test_value_is_shown(session, text):
    shown = session.run("%%cpp\n" + text)
    assert shown.ok().text == SHOWN[text]


def test_it_comes_after_declarations_and_main(session):
    shown = session.run("%%cpp\nint main() { printf(\"main\"); }\nstd::string last(3, 'x');\nlast").ok()
    assert (shown.stdout, shown.text) == ("main", '"xxx"')
    assert session.run("%%cpp\nlast.size() // kept").ok().text == "3"


def test_without_a_value_it_only_runs(session):
    shown = session.run("%%cpp\nnothing()").ok()
    assert (shown.stdout, shown.text) == ("called", None)


def test_what_is_no_expression_keeps_its_message(session):
    for text in ("int v = 3", "std::vector<int> w{ 1 }", "struct Q {}"):
        assert "expected ';' after" in session.run("%%cpp\n" + text).evalue
    assert ":2:1: error: use of undeclared identifier 'nowhere'" in session.run("%%cpp\nnowhere + 1").evalue


def test_an_exception_in_it_is_an_error_with_its_line(session):
    failed = session.run("%%cpp\n\ntable.at(\"none\")")
    assert failed.ename == "UncaughtException" and "line 3" in failed.evalue


def test_older_standards_show_what_c_has(session):
    assert session.run("%%cpp -std=c++17\n#include <vector>\nstd::vector<int>{ 4 }.size()").ok().text == "1"


def test_completion_in_it(session):
    code = "%%cpp\nint before;\nnumbers.si"
    assert "size" in session.ask("complete", code, len(code))["matches"]
