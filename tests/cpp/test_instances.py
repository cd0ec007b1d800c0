# SPDX-License-Identifier: Apache-2.0
"""Code of the C++ library that an earlier unit has compiled is there when, and only when, that unit is."""

HEADERS = "#include <algorithm>\n#include <functional>\n#include <map>\n#include <string>\n#include <vector>\n"


def work(name):
    """Uses functions of the library that are too large to be inlined."""
    return (f"std::vector<int> {name}; for (int i = 0; i < 1000; i++) {name}.push_back(i * 7 % 31);\n"
            f"std::sort({name}.begin(), {name}.end(), std::greater<int>());\n"
            f"std::map<int, std::string> words_{name}; for (int x : {name}) words_{name}[x % 7] += std::to_string(x);\n")


SHOWN = 'printf("%d %zu %zu", {name}[3], words_{name}.size(), words_{name}[3].size());'


def check(kernel, name):
    assert kernel.run(work(name) + SHOWN.format(name=name)).ok().stdout == "30 7 224"


def test_behind_a_cell_that_failed(fresh_kernel):
    fresh_kernel.run(HEADERS).ok()
    assert fresh_kernel.run(work("a") + "*(volatile int *)8 = 1;").ename == "SegmentationFault"
    check(fresh_kernel, "a")
    assert fresh_kernel.run("*(volatile int *)8 = 1;").ename == "SegmentationFault"
    check(fresh_kernel, "b")


def test_behind_one_that_was_taken_back(fresh_kernel):
    fresh_kernel.run(HEADERS).ok()
    check(fresh_kernel, "a")
    fresh_kernel.run("%undo").ok()
    check(fresh_kernel, "b")
    check(fresh_kernel, "c")
    assert fresh_kernel.run(SHOWN.format(name="b")).ok().stdout == "30 7 224"


def test_in_a_snapshot_and_behind_a_reset(start_kernel, tmp_path):
    kernel = start_kernel(cwd=tmp_path, HOME=str(tmp_path))
    kernel.run(HEADERS).ok()
    kernel.run("%snapshot save before").ok()
    check(kernel, "a")
    kernel.run("%snapshot save behind").ok()
    kernel.run("%snapshot load before").ok()
    check(kernel, "b")
    kernel.run("%snapshot load behind").ok()
    check(kernel, "b")
    kernel.run("%reset").ok()
    kernel.run(HEADERS).ok()
    check(kernel, "a")
    kernel.close()


def test_by_the_same_cell_again(fresh_kernel):
    fresh_kernel.run(HEADERS).ok()
    for _ in range(3):
        check(fresh_kernel, "a")


def test_a_fault_in_code_of_an_earlier_cell(fresh_kernel):
    fresh_kernel.run(HEADERS).ok()
    check(fresh_kernel, "a")
    result = fresh_kernel.run("int other = 1;\n" + work("b") +
                              "std::sort(b.begin(), b.begin() + 1000000000, std::greater<int>());")
    assert result.evalue.endswith("memory that nobody has allocated; at In[3], line 5")
    assert "  inside std::__introsort_loop" in result.traceback and "line 5\n" in result.traceback
    assert "In[2]" not in result.traceback and "cgpu_instance" not in result.traceback


def test_a_comparison_that_changes(fresh_kernel):
    """Of a type of the cells each cell has its own code."""
    for order, first in ("<", 0), (">", 9):
        fresh_kernel.run(HEADERS + "struct item { int n; };\n"
                         f"bool operator<(item a, item b) {{ return a.n {order} b.n; }}").ok()
        result = fresh_kernel.run("std::vector<item> items; for (int i = 0; i < 1000; i++) items.push_back({ i * 3 % 10 });\n"
                                  "std::sort(items.begin(), items.end());\nitems[0].n").ok()
        assert result.text == str(first)


def test_the_worker_is_killed(fresh_kernel):
    fresh_kernel.run(HEADERS).ok()
    check(fresh_kernel, "a")
    fresh_kernel.kill(fresh_kernel.worker_pid())
    check(fresh_kernel, "b")
    fresh_kernel.kill(fresh_kernel.zygote_pid())
    check(fresh_kernel, "c")


KINDS = """#pragma once
#include <string>
#define LONG(n) for (int i = 1; i < 9; i++) { n ^= n * i / 3; if (n % 5 == i % 7) n += i; \\
    if (n % 11 > i % 13) n -= i / 7; if (n % 9 < i / 5) n += i % 4; }
struct base { int n; base(int n) : n(n) { LONG(this->n) } ~base() { LONG(n) gone += n; } static inline int gone; };
struct derived : base { derived(int n) : base(n) {} };
struct shared : virtual base { shared(int n) : base(n) { LONG(this->n) } ~shared() { LONG(n) } };
struct left { virtual ~left() {} virtual int get() { return 1; } };
struct right { int r = 2; virtual ~right() { LONG(r) } virtual int value(int n) { LONG(n) return n + r; } };
struct both : left, right { int value(int n) override { LONG(n) return n - r; } int get() override { return 3; } };
inline int counted(int n) { static int calls; LONG(n) return n + 1000000 * ++calls; }
inline int (*table[])(int) = { counted };
"""


def test_kinds_of_functions(start_kernel, tmp_path):
    """Those with several symbols, of virtual tables, with a static variable, in a table."""
    (tmp_path / "kinds.h").write_text(KINDS)
    kernel = start_kernel()
    kernel.run(f"#include <{tmp_path}/kinds.h>").ok()
    shown = []
    for n in range(3):
        shown.append(kernel.run(
            f"base *b{n} = new base(5); derived *d{n} = new derived(6); shared *s{n} = new shared(7);\n"
            f"both both{n}; right *r{n} = &both{n}; left *l{n} = new both;\n"
            f'printf("%d %d %d %d %d\\n", b{n}->n, d{n}->n, s{n}->n, r{n}->value(8), l{n}->get());\n'
            f'base::gone = 0; delete b{n}; delete d{n}; delete s{n}; delete l{n}; printf("%d\\n", base::gone);').ok().stdout)
    assert shown == shown[:1] * 3 and shown[0].split()[4] == "3"
    counts = [int(kernel.run(f"counted(9) / 1000000 + table[0](9) / 1000000 * 100 + {n} - {n}").ok().text) for n in range(3)]
    assert [c // 100 + c % 100 for c in counts] == [3, 7, 11]
    kernel.close()
