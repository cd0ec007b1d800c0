# SPDX-License-Identifier: Apache-2.0
"""%%cpp cells: C++ beside C in one session, as a transaction like any cell."""
import re

import pytest

# One list of includes, so that one precompiled header serves all tests.
INCLUDES = """%%cpp
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
"""


def cpp(text):
    return INCLUDES + text


@pytest.fixture(scope="module")
def session(kernel):
    kernel.run("int counter = 3; struct node { int value; struct node *next; }; int twice(int x) { return 2 * x; }\n"
               "#define LIMIT 10").ok()
    return kernel


def test_functions_and_variables_are_names_of_c_cells(session):
    session.run(cpp("""
struct Point { double x, y; };
extern "C" Point middle(const Point &a, const Point *b) { return { (a.x + b->x) / 2, (a.y + b->y) / 2 }; }
extern "C" { double scale = 2.5; bool is_even(unsigned n) noexcept { return n % 2 == 0; } }
class Shape { public: virtual ~Shape() = default; virtual double area() const { return 4; } };
extern "C" Shape *make_shape() { return new Shape; }
extern "C" double area(const Shape &s) { return s.area(); }
""")).ok()
    shown = session.run('Point m = middle(&(Point){ 0, 0 }, &(struct Point){ 2, 4 });\n'
                        'Shape *s = make_shape();\n'
                        'printf("%g %g %g %d %g", m.x, m.y, scale, is_even(3), area(s));').ok()
    assert shown.stdout == "1 2 2.5 0 4"
    assert session.run("scale = 4; scale").ok().text == "4.0"
    assert "scale" in session.run("%who").ok().stdout


def test_what_c_cells_have_declared_is_visible(session):
    session.run("struct node second = { 2, NULL }, first = { 1, &second };").ok()
    session.run(cpp("""
extern "C" int walk() {
    int sum = 0;
    for (const node *n = &first; n; n = n->next)
        sum += n->value;
    return sum + twice(counter) + LIMIT;
}
""")).ok()
    assert session.run("walk()").ok().text == "19"


def test_what_is_no_cpp_is_left_out_and_named_where_it_is_used(session):
    session.run("struct words { int class; }; struct words words; int *restrict pointer;").ok()
    session.run(cpp('extern "C" int fine() { return counter; }\n')).ok()
    refused = session.run(cpp('extern "C" int not_fine() { return words.class; }\n'))
    assert refused.ename == "CompileError"
    assert "'words' of In[" in refused.traceback and "not valid C++" in refused.traceback
    session.run(cpp('extern "C" int *through() { return pointer; }\n')).ok()


def test_text_that_only_cpp_has(session):
    session.run("int behind_raw = 5;").ok()
    session.run(cpp("""
const char *raw = R"x(one " { quote )" and
struct Hidden { int a; };
)x";
int big = 1'000'000;
extern "C" int sum() { return behind_raw + big + (int)std::string(raw).size(); }
""")).ok()
    assert session.run("sum()").ok().text == str(5 + 1000000 + 47)


def test_own_meaning_of_a_name_comes_before_the_sessions(session):
    session.run("struct item { int a; }; double list = 1.5;").ok()
    session.run(cpp("""
struct item { std::string name; };
extern "C" int length() { item i{ "four" }; return (int)i.name.size(); }
""")).ok()
    assert session.run("length()").ok().text == "4"
    assert session.run("list").ok().text == "1.5"


def test_type_that_c_cannot_have_is_told(session):
    told = session.run(cpp('extern "C" std::string name() { return "n"; }\nextern "C" int after() { return 1; }\n'))
    assert "C cells do not see 'name'" in told.ok().stderr
    assert session.run("after()").ok().text == "1"


def test_main_is_run_and_output_keeps_its_order(session):
    shown = session.run(cpp("""
int main(int argc, char **argv) {
    std::ios_base::sync_with_stdio(false);
    std::cout << "one " << argc;
    printf(" two ");
    std::cout << "three";
    return 4;
}
""")).ok()
    assert shown.stdout == "one 1 two three"
    assert "main() returned 4" in shown.stderr


def test_streams_work_in_a_new_worker(session):
    session.run("""%%cpp
#include <iostream>
extern "C" void hello(int n) { std::cout << "hello " << n; printf(" printf "); std::cout << "again"; std::cerr << "err"; }
extern "C" int ask() { int n = 0; std::cin >> n; return n; }
""").ok()
    for n in (1, 2):
        shown = session.run(f"hello({n});").ok()
        assert (shown.stdout, shown.stderr) == (f"hello {n} printf again", "err")
        asked = session.start("ask()", allow_stdin=True)
        assert session.client.get_stdin_msg(timeout=180)["msg_type"] == "input_request"
        session.client.input("17")
        assert asked.wait().ok().text == "17"
        assert session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"


def test_containers_outlive_a_fault_bit_for_bit(session):
    session.run(cpp("""
std::map<std::string, std::vector<int>> table;
std::vector<std::unique_ptr<std::string>> words_kept;
std::string text(1000, 't');
extern "C" void fill() {
    for (int i = 0; i < 1000; i++) {
        table["key " + std::to_string(i)].assign(i, i);
        words_kept.push_back(std::make_unique<std::string>(i, 'a' + i % 26));
    }
}
extern "C" void spoil() {
    table.clear();
    words_kept.resize(3);
    text = "spoilt";
}
extern "C" unsigned long checksum() {
    unsigned long h = std::hash<std::string>()(text);
    for (auto &[key, values] : table) {
        h = h * 31 + std::hash<std::string>()(key);
        for (int v : values)
            h = h * 31 + v;
    }
    for (auto &w : words_kept)
        h = h * 31 + std::hash<std::string>()(*w) + (unsigned long)w.get();
    return h;
}
""")).ok()
    session.run("fill();").ok()
    before = session.run("checksum()").ok().text
    assert session.run("spoil(); *(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert session.run("checksum()").ok().text == before
    # Another cell reaches a variable of C++ by declaring it, as another file would.
    session.run(cpp("""
extern std::map<std::string, std::vector<int>> table;
extern "C" int entries() { table["one more"]; return (int)table.size(); }
""")).ok()
    assert session.run("entries()").ok().text == "1001"


UNCAUGHT = {
    "std::exception": ('throw std::out_of_range("index 7");', "UncaughtException", "std::out_of_range: index 7"),
    "class of the cell": ("throw Own();", "UncaughtException", "Own: my own words"),
    "int": ("throw 42;", "UncaughtException", "int"),
    "through noexcept": ('[]() noexcept { throw std::runtime_error("in noexcept"); }();', "UncaughtException",
                         "std::runtime_error: in noexcept"),
    "rethrown": ('try { throw std::runtime_error("first"); } catch (...) { std::rethrow_exception('
                 'std::current_exception()); }', "UncaughtException", "std::runtime_error: first"),
    "from the library": ("(void)std::stoi(\"none\");", "UncaughtException", "std::invalid_argument: stoi"),
    "terminate": ("std::terminate();", "Aborted", "std::terminate()"),
    "thread that is not joined": ("std::thread t([] {});", "Aborted", "neither joined nor detached"),
    "in a thread": ('std::thread t([] { throw std::runtime_error("in it"); }); t.join();', "UncaughtException",
                    "std::runtime_error: in it"),
    "pure virtual call": ("Derived d;", "Aborted", "pure virtual"),
    "abort": ("abort();", "Aborted", "abort()"),
}


@pytest.mark.parametrize("name", UNCAUGHT)
def test_uncaught_exception_is_an_error_and_rolled_back(session, name):
    body, ename, words = UNCAUGHT[name]
    session.run("counter = 3;").ok()
    session.run(cpp("""
struct Own : std::exception { const char *what() const noexcept override { return "my own words"; } };
struct Base { Base() { hello(); } void hello() { name(); } virtual void name() = 0; virtual ~Base() {} };
struct Derived : Base { void name() override {} };
extern "C" void go_wrong() {
    counter = 99;
    %s
}
""" % body)).ok()
    result = session.run("counter = 98;\ngo_wrong();")
    assert result.ename == ename, result.shown
    assert words in result.evalue
    assert "line 2" in result.traceback or name == "in a thread"
    assert session.run("counter").ok().text == "3"


def test_frames_have_names_and_lines_of_the_cell(session):
    session.run(cpp("""
namespace deep { template <class Key, class Value> class Container {
    std::map<Key, std::vector<Value>> map;
  public:
    Value &get(const Key &key) { return map.at(key).at(0); }
}; }
static deep::Container<std::string, std::map<std::string, std::string>> container;
extern "C" void look() { container.get("nothing"); }
""")).ok()
    result = session.run("look();")
    assert result.evalue.startswith("std::out_of_range: map::at; at In[") and "line 13, in get(" in result.evalue
    assert "inside std::__throw_out_of_range" in result.traceback and "line 16, in look()" in result.traceback
    assert "_Z" not in result.traceback


def test_exception_is_caught_across_cells_and_through_c(session):
    session.run(cpp('extern "C" void throws() { throw std::runtime_error("across"); }\n')).ok()
    session.run("void in_c(void) { throws(); }").ok()
    session.run(cpp("""
extern "C" int catches() {
    try { in_c(); } catch (const std::exception &e) { std::cout << "caught " << e.what(); return 1; }
    return 0;
}
""")).ok()
    shown = session.run("catches()").ok()
    assert (shown.text, shown.stdout) == ("1", "caught across")


def test_uncaught_exception_of_a_constructor_leaves_nothing(session):
    refused = session.run(cpp("""
struct Bad { Bad() { throw std::runtime_error("at load"); } };
Bad bad;
extern "C" int never() { return 1; }
"""))
    assert (refused.ename, "at load" in refused.evalue) == ("UncaughtException", True)
    assert session.run("never()").ename == "CompileError"


def test_cell_may_be_run_again_changed(session):
    for n in (1, 2, 3):
        session.run(cpp("""
struct Config { int values[%d]; };
inline int size() { return (int)(sizeof(Config) / sizeof(int)); }
std::vector<int> numbers = { %d, %d };
extern "C" int again() { return size() * 100 + numbers[0] * 10 + (int)numbers.size(); }
""" % (n, n, n))).ok()
        assert session.run("again()").ok().text == str(n * 100 + n * 10 + 2)


def test_error_inside_a_template_is_told_at_the_cells_line(session):
    refused = session.run(cpp("""struct Unique { Unique() {} Unique(const Unique &) = delete; };
void f(Unique &u) {
    std::vector<Unique> all;
    all.push_back(u);
}
"""))
    assert ":12:9: error: " in refused.evalue
    assert "  12 |     all.push_back(u);\n" in refused.traceback
    assert "requested here" not in refused.traceback
    assert refused.traceback.count("push_back(u)") == 1


def test_headers_behind_the_precompiled_ones(session):
    session.run("""%%cpp
#define BEFORE
#include <cstdarg>
#include <string>
static int add(int n, ...) {
    va_list all;
    va_start(all, n);
    int sum = 0;
    while (n--)
        sum += va_arg(all, int);
    va_end(all);
    return sum;
}
extern "C" int digits() { return (int)std::to_string(add(3, 100, 20, 3)).size(); }
""").ok()
    assert session.run("digits()").ok().text == "3"
    refused = session.run("%%cpp\n#include <string>\n#include <no_such_header>\nstd::string s;\n")
    assert refused.evalue == "In[%d]:3:10: error: 'no_such_header' file not found" % refused.count
    assert refused.traceback.count("error: ") == 1


def test_missing_library_is_one_clear_line(session):
    refused = session.run("%%cpp -nostdinc++\n#include <vector>\n")
    assert refused.ename == "CompileError"
    assert refused.evalue.count("\n") == 0
    assert "C++ library are missing: apt-get install g++" in refused.evalue


def test_file_of_a_stream_is_named_when_it_is_lost(session):
    session.run("""%%cpp
#include <fstream>
std::ofstream *out;
extern "C" void open_it() { out = new std::ofstream("lines.txt"); }
extern "C" void write_it(const char *line) { *out << line << std::endl; }
extern "C" void close_it() { delete out; }
""").ok()
    session.run('open_it(); write_it("one");').ok()
    session.run('write_it("two");').ok()
    assert session.run('!cat lines.txt').ok().stdout.split() == ["one", "two"]
    lost = session.run("*(volatile int *)0 = 1;")
    assert "the open file lines.txt" in lost.shown
    session.run('open_it(); write_it("three"); close_it();').ok()
    assert session.run('!cat lines.txt').ok().stdout.split() == ["three"]
    assert "lines.txt" not in session.run("*(volatile int *)0 = 1;").shown


def test_flags_are_for_the_cell(session):
    session.run('%%cpp -std=c++23 -DSTEP=5\nextern "C" long version() { return __cplusplus + STEP; }').ok()
    assert int(session.run("version()").ok().text) > 202002
    assert "%%cpp: -nosuchflag is not among the flags" in session.run("%%cpp -nosuchflag\nint x;").evalue
    assert "%%cpp -std=c++5: invalid value" in session.run("%%cpp -std=c++5\nint x;").evalue


def test_threads_fill_session_memory(session):
    session.run(cpp("""
std::vector<std::string> results(4);
thread_local int mine = 7;
extern "C" void run_threads() {
    std::vector<std::thread> all;
    for (int i = 0; i < 4; i++)
        all.emplace_back([i] { mine += i; results[i] = std::string(100 + i, 'a' + i) + std::to_string(mine); });
    for (auto &t : all)
        t.join();
}
extern "C" int check_threads() {
    int good = 0;
    for (int i = 0; i < 4; i++)
        good += results[i] == std::string(100 + i, 'a' + i) + std::to_string(7 + i);
    return good;
}
""")).ok()
    session.run("run_threads();").ok()
    assert session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert session.run("check_threads()").ok().text == "4"


def complete(session, text):
    code = cpp(text)
    cursor = code.index("|")
    return session.ask("complete", code.replace("|", ""), cursor)["matches"]


def test_completion_knows_cpp_and_the_session(session):
    assert {"push_back", "push_front"} & set(complete(session, "void f() { std::vector<int> v; v.pu| }")) == {"push_back"}
    assert "make_unique" in complete(session, "void f() { auto p = std::make_u|")
    assert "counter" in complete(session, "int f() { return coun| }")
    assert "weight" in complete(session, "struct Own { double weight; };\ndouble f(Own o) { return o.w| }")


def test_inspection_shows_a_signature(session):
    code = cpp("void f() { std::vector<int> v; v.push_back(1); }")
    found = session.ask("inspect", code, code.index("push_back") + 4)
    assert found["found"] and "void push_back(" in found["data"]["text/plain"]


def test_modules_have_a_clear_answer(session):
    for text, column in (("import std;", 1), ("export module mine;", 1), ("int a;\nimport <vector>;", 1), ("module;", 1)):
        refused = session.run("%%cpp\n" + text)
        assert "a cell can neither be a C++ module nor import one" in refused.evalue, refused.shown
        assert f":{1 + len(text.splitlines())}:{column}: " in refused.evalue and "use #include" in refused.traceback
    session.run("%%cpp\nstruct module { int import; };\nint import = 3;\nint f() { module m{ import }; return m.import; }").ok()


def test_notes_are_folded_and_not_lost(session):
    code = cpp("struct A {};\nvoid f() { A a; std::cout << a; }\n")
    refused = session.run(code)
    assert ":10:27: error: invalid operands" in refused.evalue
    assert refused.traceback.count("note: ") == 3 and "notes more; all of them are shown by" in refused.traceback
    full = session.run(code.replace("%%cpp", "%%cpp -ftemplate-backtrace-limit=0"))
    assert full.traceback.count("note: candidate") > 10 and "more; all" not in full.traceback


def test_way_to_an_error_in_a_template_is_told_in_lines_of_the_cell(session):
    refused = session.run(cpp("""template <class K> void put(std::map<K, int> &m, K k) { m[k] = 1; }
struct NoLess {};
void f() { std::map<NoLess, int> m; put(m, NoLess{}); }
"""))
    assert ":9:57: error: invalid operands" in refused.evalue
    assert ":11:37: note: in instantiation of function template specialization 'put<NoLess>'" in refused.traceback


MORE_ENDS = {
    "in a constructor of a variable": ("struct G { G() { throw Own(\"in G\"); } };\nG g;\nvoid go() {}", "UncaughtException",
                                       "Own: in G"),
    "noexcept": ("void strict() noexcept { throw Own(\"strict\"); }\nvoid go() { strict(); }", "UncaughtException",
                 "Own: strict"),
    "nested": ("void go() { try { throw 1; } catch (...) { std::throw_with_nested(Own(\"outer\")); } }", "UncaughtException",
               "outer"),
    "no memory": ("std::vector<std::string> all;\nvoid go() { for (;;) all.emplace_back(1000000, 'x'); }", "OutOfMemory",
                  "the limit is 200.0 MiB"),
    "exit": ("void go() { std::exit(3); }", "CellExited", "exit status 3"),
    "quick_exit": ("void go() { std::quick_exit(4); }", "CellExited", "exit status 4"),
    "_Exit": ("void go() { std::_Exit(5); }", "CellExited", "exit status 5"),
    "abort": ("void go() { std::abort(); }", "Aborted", "abort()"),
    "out of qsort": ("int compare(const void *, const void *) { throw Own(\"compared\"); }\n"
                     "void go() { int v[3] = { 3, 1, 2 }; qsort(v, 3, sizeof *v, compare); }", "UncaughtException",
                     "Own: compared"),
}


@pytest.mark.parametrize("name", MORE_ENDS)
def test_ends_are_errors_and_rolled_back(session, name):
    text, ename, words = MORE_ENDS[name]
    session.run("%limit ram 200M").ok()
    session.run("counter = 3;").ok()
    failed = session.run(cpp("struct Own : std::runtime_error { using std::runtime_error::runtime_error; };\n" + text +
                             "\nint main() { counter = 4; go(); }"))
    assert (failed.ename, words in failed.evalue) == (ename, True), failed.shown
    if ename == "OutOfMemory":
        assert "holds 19" in failed.traceback
    assert session.run("counter").ok().text == "3"


def test_exception_passes_through_qsort_of_a_c_cell(session):
    session.run(cpp('extern "C" int compare_throws(const void *, const void *) { throw std::runtime_error("compared"); }')).ok()
    session.run("void sort_in_c(void) { int v[3] = { 3, 1, 2 }; qsort(v, 3, sizeof *v, compare_throws); }").ok()
    session.run(cpp("""
extern "C" int sorts() { try { sort_in_c(); } catch (const std::exception &e) { std::cout << e.what(); return 1; } return 0; }
""")).ok()
    shown = session.run("sorts()").ok()
    assert (shown.text, shown.stdout) == ("1", "compared")


def test_state_of_cpp_in_a_snapshot_of_a_fresh_kernel(start_kernel, tmp_path):
    place = {"cwd": tmp_path, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    first = start_kernel(**place)
    first.run(cpp("""
std::map<std::string, std::vector<int>> kept{ { "a", { 1, 2, 3 } } };
struct Base { virtual ~Base() = default; virtual int id() { return 1; } };
struct Derived : Base { std::string text = std::string(50, 'd'); int id() override { return (int)text.size(); } };
std::unique_ptr<Base> object = std::make_unique<Derived>();
thread_local std::string of_thread = "mine";
std::locale place;
extern "C" int all() { return (int)kept["a"].size() * 1000 + object->id() * 10 + (int)of_thread.size(); }
""")).ok()
    assert first.run("all()").ok().text == "3504"
    assert first.run("%snapshot save state").ok()
    first.close()
    second = start_kernel(**place)
    loaded = second.run("%snapshot load state").ok()
    assert "libstdc++" not in loaded.stdout + loaded.stderr
    assert second.run("all()").ok().text == "3504"
    second.run(cpp('extern "C" void add() { kept["b"] = { 9 }; std::cout << kept.size() << of_thread; object.reset(); }')).ok()
    assert second.run("add();").ok().stdout == "2mine"


def test_what_gives_memory_needs_no_cast(kernel):
    kernel.run("%reset").ok()
    assert kernel.run("""%%cpp
int *p, *q = calloc(3, sizeof(int)), *r;
p = malloc(4 * sizeof(int)); r = (int *)malloc(4); p = realloc(p, 100);
struct N { N *next; int v; };
N *make(int v) { N *n = std::malloc(sizeof *n); n->v = v; return n; }
auto any = malloc(3);
p[3] = 7; p[3] + q[2] + make(4)->v + (any != nullptr)""").ok().text == "12"
    # Another void * needs one, which the error spells.
    refused = kernel.run("%%cpp\nvoid *give() { return nullptr; }\nfloat *f;\nf = give();")
    assert refused.ename == "CompileError" and "assigning to 'float *' from incompatible type 'void *'" in refused.evalue
    assert "write `(float *)` in front of it" in refused.traceback
    assert kernel.run("%%cpp\nint *p = malloc(nowhere);").evalue.endswith("use of undeclared identifier 'nowhere'")


def test_functions_are_listed_by_the_names_that_people_write(kernel):
    """Their symbols have the types of their parameters in them."""
    kernel.run("%%cpp\nnamespace halves { double of(double x) { return x / 2; } }\nint listed(int x) { return x; }").ok()
    shown = kernel.run("%whos *l[vi]*").ok().printed
    assert re.search(r"^halves::of +double \(double\) ", shown, re.M) and re.search(r"^listed +int \(int\) ", shown, re.M), shown
    kernel.run("%%cpp\nint listed(int x) { return x + 1; }\nint more_of_it() { return 1; }").ok()
    assert kernel.run("%undo").ok().stdout.splitlines()[1:] == ["As before: listed()", "Gone: more_of_it()"]
