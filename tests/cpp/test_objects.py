# SPDX-License-Identifier: Apache-2.0
"""Static objects of %%cpp cells: when their destructors run, and what becomes of them with a worker."""
import pytest

LOUD = """%%%%cpp
#include <cstdio>
#include <string>
struct Loud {
    const char *name;
    std::string held = std::string(100, 'h');
    explicit Loud(const char *n) : name(n) { printf("+%%s ", name); }
    ~Loud() { printf("-%%s%%zu ", name, held.size()); }
};
%s
"""


def loud(text):
    return LOUD % text


FAULT = "*(volatile int *)0 = 1;"


@pytest.fixture
def session(kernel):
    kernel.run("%reset").ok()
    return kernel


def test_objects_of_a_cell_go_before_it_is_run_again(session):
    code = loud('Loud first("a"); static Loud second("b"); namespace { Loud third("c"); }')
    assert session.run(code, cell_id="A").ok().stdout == "+a +b +c "
    assert session.run(code, cell_id="A").ok().stdout == "-c100 -b100 -a100 +a +b +c "
    # Other text in the same cell of the notebook.
    assert session.run("int nothing;", cell_id="A").ok().stdout == "-c100 -b100 -a100 "
    assert session.run("int nothing;", cell_id="A").ok().stdout == ""


def test_an_object_goes_before_another_takes_its_place(session):
    code = loud('Loud first("a"); Loud second("b");')
    assert session.run(code).ok().stdout == "+a +b "
    assert session.run(code).ok().stdout == "-b100 -a100 +a +b "
    assert session.run(loud('Loud second("B");')).ok().stdout == "-b100 +B "


def test_an_object_that_another_cell_reaches_lives_on(session):
    session.run(loud('extern Loud kept; Loud kept("k"); Loud gone("g");'), cell_id="A").ok()
    session.run(loud('extern Loud kept; extern "C" unsigned long length() { return kept.held.size(); }'), cell_id="B").ok()
    assert session.run("int x;", cell_id="A").ok().stdout == "-g100 "
    assert session.run("length()").ok().text == "100"


def test_destructors_are_rolled_back_and_outlive_the_worker(session):
    code = loud('Loud first("a"); std::string text(50, \'x\');\nextern "C" unsigned long sum() '
                '{ return first.held.size() + text.size(); }')
    session.run(code, cell_id="A").ok()
    failed = session.run(loud('Loud first("a");\nstruct Bad { Bad() { throw 1; } } bad;'), cell_id="A")
    assert failed.ename == "UncaughtException" and failed.stdout == "-a100 +a "
    assert session.run("sum()").ok().text == "150"
    assert session.run(FAULT).ename == "SegmentationFault"
    assert session.run(code, cell_id="A").ok().stdout == "-a100 +a "
    assert session.run("sum()").ok().text == "150"


def test_exception_of_a_destructor_is_an_error(session):
    code = loud("""#include <stdexcept>
struct Bad { int n = 7; ~Bad() noexcept(false) { throw std::runtime_error("in a destructor"); } };
Bad bad; Loud after("l");
extern "C" int value() { return bad.n; }""")
    session.run(code, cell_id="A").ok()
    failed = session.run(code, cell_id="A")
    assert failed.ename == "UncaughtException" and "in a destructor" in failed.evalue
    assert failed.stdout == "-l100 "
    assert session.run("value()").ok().text == "7"


def test_exit_ends_the_objects_of_its_cell_only(session):
    session.run(loud('Loud first("a");')).ok()
    ended = session.run(loud('Loud second("b");\nint main() { exit(3); }'))
    assert (ended.ename, ended.stdout) == ("CellExited", "+b -b100 ")
    assert session.run(loud('Loud first("a");')).ok().stdout == "-a100 +a "


def test_more_objects_than_a_table_would_hold(session):
    objects = ", ".join(f"c{i}" for i in range(600))
    code = loud('int alive; struct Counted { Counted() { alive++; } ~Counted() { alive--; } };\n'
                f'Counted {objects};\nint main() {{ printf("%d", alive); }}')
    assert session.run(code, cell_id="A").ok().stdout == "600"
    # The counter itself has kept its place and is set to 0 again.
    assert session.run(code, cell_id="A").ok().stdout == "600"
