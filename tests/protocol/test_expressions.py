# SPDX-License-Identifier: Apache-2.0
"""While a cell stands, expressions of C and C++ are computed with the variables of any of its calls."""
import pytest
from debug_client import Debugger, Stops

C = """#define TWICE(x) (2 * (x))
enum colour { RED, BLUE = 5 };
struct point { int x; double y; unsigned flag : 1; int small : 5; };
struct node { int key; struct node *next; };
float rate = 0.5f;
static struct point points[3] = { { 1, 1.5, 1, -3 }, { 2, 2.5, 0, 7 }, { 3, 3.5, 1, -16 } };
int work(struct point *p, int n, const char *name)
{
    static int calls = 41;
    int a[4] = { 10, 20, 30, 40 }, big = 2000000000;
    unsigned char byte = 250;
    struct node last = { 7, 0 }, first = { 6, &last };
    enum colour c = BLUE;
    calls++;
    {
        double n = 0.25;
        a[0] += (int)n;
    }
    return a[0] + n + byte + first.key + (int)c + big % 2;
}
int z = work(points, 3, "work");"""

# What is asked in line 14: (expression, value, type).
IN_C = [
    ("a[1] + a[2]", "50", "int"),
    ("p[n - 1].x", "3", "int"),
    ("p->y * 2", "3.0", "double"),
    ("TWICE(a[3])", "80", "int"),
    ("first.next->key", "7", "int"),
    ("first.next == &last", "1", "int"),
    ("first.next->next", "(struct node *) NULL", "struct node *"),
    ("calls", "41", "int"),
    ("calls + 1", "42", "int"),
    ("(unsigned char)(byte + 10)", "4", "unsigned char"),
    ("byte + 10", "260", "int"),
    ("big + big", "-294967296", "int"),
    ("(long)big + big", "4000000000", "long"),
    ("-1 < 0u", "0", "int"),
    ("n > 2 && p[2].x == 3 || a[9999999] == 1", "1", "int"),
    ("n > 5 ? a[0] : a[1]", "20", "int"),
    ("p[1].flag", "0", "unsigned int"),
    ("p[0].small + p[2].small", "-19", "int"),
    ("sizeof a / sizeof *a", "4", "unsigned long"),
    ("rate * 3", "1.5", "float"),
    ("(int)(rate * 7)", "3", "int"),
    ("points[2].y", "3.5", "double"),
    ("&a[3] - a", "3", "long"),
    ("name[1]", "'o' (111)", "char"),
    ("~n & 0xff", "252", "int"),
    ("a[0] << 3 >> 1", "40", "int"),
    ("(a[3], 5)", "5", "int"),
    ("!p", "0", "int"),
    ("RED + BLUE", "5", "int"),
    ("c", "BLUE (5)", "enum"),
    ("*p", "{.x = 1, .y = 1.5, .flag = 1, .small = -3}", "struct point"),
    ("a", "{10, 20, 30, 40}", "int[4]"),
]

# (expression, part of the error)
NOT_IN_C = [
    ("a[", "expected"),
    ("nothing + 1", "nothing"),
    ("n = 5", "`=` changes a variable"),
    ("n++", "`++` changes a variable"),
    ("(n = 4, n)", "in front of `,`"),
    ("work(p, 1, name)", "`work` does more than to return an expression"),
    ("first.next->next->key", "a pointer that is null is followed"),
    ("*(int *)99999", "there is no memory at 0x1869f"),
    ("n / (n - 3)", "division by zero"),
    ("(void)n", "it has no value"),
    ("work", "a function is no value"),
    ("({ int k = 5; k; })", "it has statements"),
    ("p->x->y", "not a pointer"),
    ("1 +", "expected expression"),
]

CPP = """%%cpp
#include <map>
#include <memory>
#include <string>
#include <vector>
namespace far { int away = 9; }
struct base { int b = 3; int twice() const { return 2 * b; } };
struct other { long filler = 1; };
template <class T> struct box : other, base {
    T value{};
    const T &get() const { return value; }
    bool is(const T &what) const { return value == what; }
    int work(int k)
    {
        int local = k + b;
        return local;
    }
};
template <class T> T scaled(T x, int by)
{
    T made = x * by;
    return made;
}
int run(const std::vector<double> &v, std::string &text)
{
    box<int> one;
    one.value = 17;
    auto owned = std::make_unique<base>();
    auto &[first, second] = *new std::pair<int, double>(4, 0.5);
    int total = one.work(2);
    auto add = [&, twice = 2 * total](int k) {
        total += k + twice - twice;
        return total;
    };
    add(1);
    return total + (int)scaled(1.5, 2);
}
std::vector<double> numbers = { 1.5, 2.5, 4.5 };
std::string word = "twenty characters long";
int result = run(numbers, word);"""

# What is asked in line 35, in which the lambda is called.
IN_CPP = [
    ("v.size()", "3", "unsigned long"),
    ("v[2] + v.front()", "6.0", "double"),
    ("v.empty()", "false", "bool"),
    ("text.size() > 20 && text[0] == 't'", "true", "bool"),
    ("one.get() + one.twice()", "23", "int"),
    ("one.is(17)", "true", "bool"),
    ("one.b", "3", "int"),
    ("owned->b + (*owned).twice()", "9", "int"),
    ("owned.get() != nullptr", "true", "bool"),
    ("first + second", "4.5", "double"),
    ("far::away * 2", "18", "int"),
    ("std::max(total, 3)", "5", "int"),
    ("static_cast<base &>(one).b", "3", "int"),
    ("v.back()", "4.5", "double"),
    ("*(v.begin() + 1)", "2.5", "double"),
    ("v.end() - v.begin()", "3", "long"),
    ("sizeof(one)", "16", "unsigned long"),
]

NOT_IN_CPP = [
    ("std::string(\"x\")", "it would make an object of type"),
    ("text + \"x\"", "not called while the cell stands"),
    ("total += 1", "`+=` changes a variable"),
    ("std::vector<int>(3)[0]", "while the cell stands"),
    ("numbers[1]", "undeclared"),
]


@pytest.fixture(scope="module")
def debugger(kernel):
    return Debugger(kernel)


def ask(debugger, expression, frame=1):
    return debugger.body("evaluate", expression=expression, frameId=frame)


def values(debugger, expressions):
    told = {e: debugger.command("evaluate", expression=e, frameId=1) for e in expressions}
    return [(e, r["body"].get("result", r.get("message")), r["body"].get("type")) for e, r in told.items()]


def refusal(debugger, expression, frame=1):
    reply = debugger.command("evaluate", expression=expression, frameId=frame)
    assert reply["success"] is False, reply
    return reply["message"]


def standing(debugger, code, *lines):
    cell = debugger.start(code, *lines)
    assert cell.stopped() == "breakpoint"
    return cell


def test_expressions_of_c(debugger):
    cell = standing(debugger, C, 14)
    assert cell.where()[0] == ("work", 14)
    assert values(debugger, [e for e, _, _ in IN_C]) == IN_C
    for expression, error in NOT_IN_C:
        assert error in refusal(debugger, expression), expression
    # Nothing of it is different.
    assert ask(debugger, "n")["result"] == "3" and ask(debugger, "a[1] + n")["result"] == "23"
    assert cell.end().ok() and debugger.session.run("z").ok().results[0]["text/plain"] == "274"


def test_an_object_is_looked_into(debugger):
    cell = standing(debugger, C, 14)
    told = ask(debugger, "p[1]")
    assert {name: v["value"] for name, v in cell.listed(told).items()} == {"x": "2", "y": "2.5", "flag": "0", "small": "7"}
    assert "7" in str(cell.listed(ask(debugger, "first.next")))
    # A value that lies nowhere is not.
    told = ask(debugger, "p + 1")
    assert told["variablesReference"] == 0 and "points + 24 bytes" in told["result"]
    cell.end().ok()


def test_the_call_and_the_block_that_are_meant(debugger):
    cell = standing(debugger, C, 17)
    assert ask(debugger, "n * 2")["result"] == "0.5"
    assert ask(debugger, "points[0].x + 1", frame=2)["result"] == "2"
    assert "undeclared" in refusal(debugger, "calls + 1", frame=2)
    cell.end().ok()


def test_expressions_of_cpp(debugger):
    cell = standing(debugger, CPP, 35)
    assert values(debugger, [e for e, _, _ in IN_CPP]) == IN_CPP
    for expression, error in NOT_IN_CPP:
        assert error in refusal(debugger, expression), expression
    cell.end().ok()


def test_members_captures_and_templates(debugger):
    cell = standing(debugger, CPP, 15, 21, 32)
    assert cell.where()[0][1] == 15
    assert ask(debugger, "k + 1")["result"] == "3" and "template" in refusal(debugger, "value + b")
    cell.go().stopped()
    assert cell.where()[0][1] == 32 and ask(debugger, "total + k")["result"] == "6"
    # A reference is captured as what it refers to, and what the lambda has not captured is not there.
    assert ask(debugger, "twice")["result"] == "10" and ask(debugger, "total * twice")["result"] == "50"
    assert "`v` is not available" in refusal(debugger, "v.size()")
    cell.go().stopped()
    assert "template" in refusal(debugger, "x * 2") and ask(debugger, "made")["type"] == "double"
    cell.end().ok()


# ---- conditions ----

LOOP = """int at[4] = { 3, 1, 4, 1 }, found = 0;
for (int i = 0; i < 2000; i++) {
    int *p = i == 1500 ? 0 : &at[i % 4];
    if (i % 4 == 2)
        found++;
}
found"""


def start_with(debugger, code, *breakpoints):
    path = debugger.body("dumpCell", code=code)["sourcePath"]
    told = debugger.body("setBreakpoints", source={"path": path}, breakpoints=list(breakpoints))["breakpoints"]
    assert all(b["verified"] for b in told), told
    return Stops(debugger, debugger.session.start(code))


def only(debugger, code, *breakpoints):
    path = debugger.body("dumpCell", code=code)["sourcePath"]
    debugger.body("setBreakpoints", source={"path": path}, breakpoints=list(breakpoints))


def test_a_breakpoint_stops_where_its_condition_is_true(debugger):
    cell = start_with(debugger, LOOP, {"line": 4, "condition": "i % 4 == 2 && i > 1200 && found >= 300"})
    assert cell.stopped() == "breakpoint"
    assert cell.line() == 4 and cell.values()["i"] == "1202" and cell.values()["found"] == "300"
    assert cell.go().stopped() == "breakpoint" and cell.values()["i"] == "1206"
    only(debugger, LOOP, {"line": 4, "condition": "i == 1999"})
    assert cell.go().stopped() == "breakpoint" and cell.values()["i"] == "1999"
    result = cell.end().ok()
    # Nobody has heard of the stops at which it was false.
    events = [m["content"]["event"] for m in result.messages if m["msg_type"] == "debug_event"]
    assert events == ["stopped", "continued"] * 3 and result.results[0]["text/plain"] == "500"
    assert debugger.body("debugInfo")["breakpoints"][-1]["breakpoints"] == [{"line": 4, "condition": "i == 1999"}]


def test_a_condition_that_cannot_be_computed_stops_and_says_why(debugger):
    cell = start_with(debugger, LOOP, {"line": 4, "condition": "itself == 2"})
    assert cell.event()["body"]["text"] == "use of undeclared identifier 'itself'"
    only(debugger, LOOP, {"line": 4, "condition": "*p == 9"})
    event = [cell.go().event(), cell.event()][1]
    assert event["body"]["text"] == "a pointer that is null is followed" and cell.values()["i"] == "1500"
    result = cell.end().ok()
    assert "cannot be computed, so the cell stops here: use of undeclared identifier 'itself'\n" in result.stderr
    assert result.results[0]["text/plain"] == "500"


def test_steps_and_conditions(debugger):
    """A step ends at its line, whatever is the condition of a breakpoint there; a cell that was interrupted is rolled back."""
    cell = start_with(debugger, LOOP, {"line": 3, "condition": "i == 7"}, {"line": 4, "condition": "i > 5000"})
    cell.stopped()
    assert cell.step() == 4 and cell.step() == 6 and cell.step() == 2
    only(debugger, LOOP, {"line": 4, "condition": "i > 5000"})
    cell.end().ok()


def test_a_step_over_a_condition_that_is_false_goes_on(debugger):
    """The first time the kernel looks at it, then the worker."""
    code = """int scaled(int k)
{
    int r = k * 2;
    return r;
}
int first = scaled(1);
int second = scaled(2);
int third = first + second;
third = third + 1;"""
    cell = start_with(debugger, code, {"line": 6}, {"line": 4, "condition": "r == 100"})
    cell.stopped()
    assert [cell.step(), cell.step(), cell.step()] == [7, 8, 9]
    only(debugger, code)
    cell.end().ok()


def test_conditions_of_a_lambda_and_of_a_template(debugger):
    """What is captured lies elsewhere in each call, and each instance has its own frame."""
    code = """%%cpp
#include <vector>
template <class T> int add(T by, int k)
{
    T wide[3] = { by };
    return k + (int)wide[0];
}
int total = 0;
std::vector<int> seen;
auto more = [](int n) {
    int sum = 0;
    auto one = [&](int k) {
        sum += k;
        return sum;
    };
    for (int i = 0; i < n; i++)
        one(i), seen.push_back(i);
    return sum;
};
total += more(10);
for (int k = 0; k < 10; k++)
    total += add((char)1, k) + add(1.0, k);"""
    cell = start_with(debugger, code, {"line": 13, "condition": "sum + k == 15"}, {"line": 6, "condition": "k == 8"})
    assert cell.stopped() == "breakpoint" and cell.line() == 13 and cell.values()["k"] == "5"
    assert cell.go().stopped() == "breakpoint" and cell.where()[0][0].startswith("add<char") and cell.values()["k"] == "8"
    assert cell.go().stopped() == "breakpoint" and cell.where()[0][0].startswith("add<double") and cell.values()["k"] == "8"
    cell.end().ok()
    assert debugger.session.run("total").ok().results[0]["text/plain"] == str(45 + 2 * 55)


@pytest.mark.parametrize("is_known", [True, False])
def test_an_interrupt_while_a_condition_is_looked_at(debugger, is_known):
    """By the worker, and by the kernel, which the first stop makes it known to."""
    code = "long n = 0;\nn = 9;\nfor (long i = 0;; i++) {\n    n = i;\n    n = n + 0;\n}"
    last = {"line": 5, "condition": "n < 0"}
    cell = start_with(debugger, code, {"line": 2}, *([{"line": 5, "condition": "n == 3"}] if is_known else [last]))
    assert cell.stopped() == "breakpoint"
    if is_known:
        assert cell.go().stopped() == "breakpoint" and cell.values()["n"] == "3"
        only(debugger, code, {"line": 5, "condition": "n == 3"})
    cell.go()
    debugger.session.interrupt()
    assert cell.pending.wait().ename == "Interrupted"
    only(debugger, code)
    assert debugger.session.run("1 + 1").ok().results[0]["text/plain"] == "2"


def test_conditions_are_bounded(fresh_kernel):
    debugger = Debugger(fresh_kernel)
    code = "\n".join(f"int c{i} = {i};" for i in range(40))
    path = debugger.body("dumpCell", code=code)["sourcePath"]
    wanted = [{"line": i + 1, "condition": f"{i}"} for i in range(40)]
    told = debugger.body("setBreakpoints", source={"path": path}, breakpoints=wanted)["breakpoints"]
    assert [b["verified"] for b in told] == [True] * 32 + [False] * 8 and "too many" in told[-1]["message"]
    told = debugger.body("setBreakpoints", source={"path": path}, breakpoints=[
        {"line": 1, "condition": "1" * 2000}, {"line": 2, "condition": 7}, {"line": 3, "condition": " "}])["breakpoints"]
    assert [b["verified"] for b in told] == [False, True, True] and "1024" in told[0]["message"]
    only(debugger, code)
    assert debugger.body("initialize")["supportsConditionalBreakpoints"] is True
