# SPDX-License-Identifier: Apache-2.0
"""%%memcheck: what is found and how it is told, what is fine, and that nothing of a checked cell is kept."""
import cuda_code
import pytest

DEFINITIONS = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { int a; double b; };
int table[10], other[10];
char *text;
static int counters[5];
void fill(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = i;
}
int total(int n)
{
    int local[8], sum = 0;
    fill(local, 8);
    for (int i = 0; i < n; i++)
        sum += local[i];
    return sum;
}
int *escaped(void)
{
    int *p;
    {
        volatile int inner[4] = { 7 };
        p = (int *)inner;
    }
    return p;
}
"""

# name: (kind, READ or WRITE and bytes, words, line of the cell, cell)
FINDINGS = {
    "heap overflow in a function of an earlier cell": (
        "heap-buffer-overflow", "WRITE of 4 bytes",
        ["0 bytes past the end of a block of 40 bytes, allocated at", "in fill("], 3, """
int *p = malloc(40);
fill(p, 11);"""),
    "heap overflow inside of the allocator's rounding": (
        "heap-buffer-overflow", "WRITE of 1 byte", ["1 byte past the end of a block of 13 bytes"], 3, """
char *p = malloc(13);
p[14] = 1;"""),
    "heap underflow": ("heap-buffer-overflow", "READ of 4 bytes", [], 3, """
volatile int *p = malloc(100000);
int v = p[-1];"""),
    "use after free": (
        "heap-use-after-free", "WRITE of 8 bytes",
        ["8 bytes into a block of 16 bytes, allocated at", "line 2, and freed at", "line 3"], 4, """
struct pair *p = malloc(sizeof(*p));
free(p);
p->b = 1.5;"""),
    "use after realloc": ("heap-use-after-free", "READ of 1 byte", ["start of a block of 10 bytes"], 4, """
char *p = malloc(10), *q = realloc(p, 5);
q[0] = 'x';
volatile char c = *p;"""),
    "a variable of an earlier cell": (
        "global-buffer-overflow", "WRITE of 4 bytes", ["0 bytes past the end of the variable table of"], 2, """
fill(table, 11);"""),
    "a variable of this cell": ("global-buffer-overflow", "READ of 8 bytes", ["the variable mine"], 3, """
double mine[4]; volatile int four = 4;
double v = mine[four];"""),
    "an array on the stack": (
        "stack-buffer-overflow", "READ of 4 bytes", ["0 bytes past the end of the variable local", "in total("], 2, """
int v = total(9);"""),
    "a local variable after its block": ("stack-use-after-scope", "READ of 4 bytes", [], 4, """
int *p;
{ volatile int gone[3] = { 1 }; p = (int *)gone; }
int v = *p;"""),
    "strcpy": ("heap-buffer-overflow", "WRITE of 6 bytes", ["block of 5 bytes"], 3, """
char *to = malloc(5);
strcpy(to, "hello");"""),
    "memcpy reads too much": ("global-buffer-overflow", "READ of 48 bytes", ["the variable table"], 3, """
volatile int n = 12; int copy[20];
memcpy(copy, table, n * sizeof(int));"""),
    "sprintf": ("heap-buffer-overflow", "WRITE of 7 bytes", ["block of 6 bytes"], 3, """
char *to = malloc(6);
sprintf(to, "%d", 123456);"""),
    "strlen of what has no end": ("heap-buffer-overflow", "READ of", ["block of 16 bytes"], 4, """
char *s = malloc(16); volatile size_t n;
memset(s, 'x', 16);
n = strlen(s);"""),
    "a block of an earlier cell": (
        "heap-buffer-overflow", "READ of 1 byte", ["0 bytes past the end of a block of 6 bytes, allocated at"], 2, """
volatile char c = text[6];"""),
}


@pytest.fixture(scope="module")
def session(start_kernel):
    s = start_kernel()
    s.run(DEFINITIONS).ok()
    s.run('text = strdup("hello"); table[3] = 33;').ok()
    return s


def assert_untouched(session):
    assert session.run('printf("%d %s %d", table[3], text, counters[2]);').ok().stdout == "33 hello 0"


@pytest.mark.parametrize("name", FINDINGS)
def test_finding(session, name):
    kind, access, words, line, cell = FINDINGS[name]
    result = session.run("%%memcheck" + cell)
    assert result.ename == "MemcheckError", result.shown
    assert f"{kind}: {access}" in result.evalue, result.shown
    for word in words:
        assert word in result.traceback, f"{word!r} is not in:\n{result.traceback}"
    assert f"In[{result.count}], line {line}" in result.traceback, result.traceback
    assert "Nothing of a checked cell is kept" in result.traceback
    assert result.errors == 1
    assert_untouched(session)


FINE = {
    "all of a block": "int *p = malloc(40); fill(p, 10); free(p); p = calloc(7, 3); p = realloc(p, 1000); fill(p, 250);",
    "variables and locals": "fill(table, 10); fill(other, 10); fill(counters, 5); int v = total(8);",
    "small variables side by side": "char c1 = 1; short s1 = 2; int i1 = 3; char c2 = 4; volatile int i2 = 5; char c3[3];\n"
                                    "i2 = c1 + s1 + i1 + c2 + i2; c3[2] = i2; c2 = c3[2]; i1 = c2;",
    "text": 'char b[32]; strcpy(b, text); strcat(b, ", world"); sprintf(b + strlen(b), "%d", 7); puts(b);',
    "struct copies": "struct pair *p = malloc(sizeof(*p)), q = { 1, 2 }; *p = q; q = *p; memset(p, 0, sizeof(*p));",
    "variable length": "int f_vla(int n) { int v[n]; fill(v, n); return v[n - 1]; } int v = f_vla(17);",
    "longjmp": "#include <setjmp.h>\njmp_buf env; void out(int n) { int pad[50]; fill(pad, 50); longjmp(env, pad[n]); }\n"
               "if (!setjmp(env)) out(3); int v = total(8) + total(8);",
    "sorting": "int by(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
               "fill(table, 10); qsort(table, 10, sizeof(int), by);",
    "threads": "#include <pthread.h>\nvoid *work(void *p) { int l[100]; fill(l, 100); fill(p, 10); return NULL; }\n"
               "pthread_t t[4]; for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, malloc(40));\n"
               "for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);",
    "device": "__global__ void twice(int *p) { p[threadIdx.x] *= 2; }\nint *d, h[10]; fill(h, 10);\n"
              "cudaMalloc(&d, 40); cudaMemcpy(d, h, 40, cudaMemcpyHostToDevice); twice<<<1, 10>>>(d);\n"
              "cudaMemcpy(h, d, 40, cudaMemcpyDeviceToHost); cudaFree(d);",
}


@pytest.mark.parametrize("name", cuda_code.marked(FINE))
def test_no_false_alarm(session, name):
    result = session.run("%%memcheck\n" + FINE[name]).ok()
    assert "memcheck: no bad access to memory" in result.stderr, result.shown
    assert_untouched(session)


def test_cpp_cells(session):
    result = session.run("%%memcheck\n%%cpp\n#include <vector>\n#include <stdexcept>\n"
                         "static int last(int n)\n{\n    std::vector<int> v(5, 1);\n    return v.data()[n];\n}\n"
                         "static int thrown() { try { throw std::runtime_error(\"x\"); } catch (std::exception &) { } "
                         "return last(4); }\nint r = thrown() + last(5);")
    assert "heap-buffer-overflow: READ of 4 bytes" in result.evalue, result.shown
    assert "block of 20 bytes" in result.evalue and result.traceback.count("\nERROR ") == 1
    assert "line 8, in last(" in result.traceback
    assert_untouched(session)


def test_earlier_cpp_cells_are_named_as_not_checked(fresh_kernel):
    fresh_kernel.run('%%cpp\nextern "C" int one() { return 1; }').ok()
    result = fresh_kernel.run("%%memcheck\nint r = one();").ok()
    assert "Not checked: functions of In[1] (C++" in result.stderr, result.shown


def test_a_clean_cell_leaves_nothing(session):
    result = session.run("%%memcheck\nint fresh = 5; table[3] = 1; text[0] = 'J'; fresh + 37").ok()
    assert result.text == "42" and "Nothing of a checked cell is kept" in result.stderr
    assert_untouched(session)
    assert session.run("fresh").ename == "CompileError"


def test_a_checkpoint_keeps_nothing(session):
    result = session.run("%%memcheck\ntable[3] = 1;\nint r = cgpu_checkpoint();\ntable[3] = 2; r").ok()
    assert result.text == "0"
    assert_untouched(session)


def test_each_place_is_told_once_and_the_cell_goes_on(session):
    result = session.run("%%memcheck\nfill(table, 1000);\nvolatile int *p = malloc(4); p[1] = 2; p[2] = 3;\nprintf(\"end\");")
    assert result.ename == "MemcheckError" and result.stdout == "end", result.shown
    assert result.traceback.count("\nERROR ") == 3
    assert "bad accesses in all" in result.traceback
    assert_untouched(session)


def test_a_double_free_ends_the_cell(session):
    result = session.run("%%memcheck\nchar *p = malloc(9);\nfree(p);\nfree(p);")
    assert result.ename == "HeapMisuse" and "double free" in result.evalue, result.shown
    assert_untouched(session)


def test_a_crash_tells_what_was_found_before(session):
    result = session.run("%%memcheck\nchar *p = malloc(9);\np[9] = 1;\nfill(NULL, 2);")
    assert result.ename == "SegmentationFault", result.shown
    assert "heap-buffer-overflow: WRITE of 1 byte" in result.traceback
    assert_untouched(session)


def test_an_interrupted_check_keeps_nothing(session):
    cell = session.start('%%memcheck\ntable[3] = 2; printf("running"); for (volatile int i = 0; ; i++) ;')
    cell.wait_output("running")
    session.interrupt()
    assert cell.wait().ename == "Interrupted"
    assert_untouched(session)


def test_a_function_that_does_not_compile_again_is_named(fresh_kernel):
    fresh_kernel.run("#include <stdlib.h>").ok()
    fresh_kernel.run("#define ONE 1\nint two(int *p) { return p[ONE]; }\n#undef ONE\n#define ONE 1").ok()
    fresh_kernel.run("int one(int *p) { return p[ONE]; }").ok()
    fresh_kernel.run("#undef ONE").ok()
    result = fresh_kernel.run("%%memcheck\nint v = one(calloc(2, 4)) + two(calloc(2, 4));").ok()
    assert "Not checked: functions of In[3]" in result.stderr and "In[2]" not in result.stderr, result.shown


def test_a_redefined_function_is_checked_in_its_last_form(fresh_kernel):
    fresh_kernel.run("#include <stdlib.h>\nvoid put(char *p) { p[10] = 1; }").ok()
    fresh_kernel.run("void caller(char *p) { put(p); }").ok()
    fresh_kernel.run("void put(char *p) { p[9] = 1; }").ok()
    fresh_kernel.run("%%memcheck\ncaller(malloc(10));").ok()
    fresh_kernel.run("void put(char *p) { p[11] = 1; }").ok()
    result = fresh_kernel.run("%%memcheck\ncaller(malloc(10));")
    assert "1 byte past the end" in result.evalue and "In[5], line 1, in put(" in result.traceback, result.shown


def test_a_block_that_is_only_written_and_freed(fresh_kernel):
    """Such a block has no use, and no optimisation may leave it out."""
    result = fresh_kernel.run("%%memcheck\n#include <stdlib.h>\n#include <string.h>\n"
                              "void f(const char *s) { char *p = malloc(4); strcpy(p, s); free(p); }\nf(\"hello\");")
    assert "heap-buffer-overflow: WRITE of 6 bytes" in result.evalue and "in f()" in result.evalue, result.shown


def test_each_place_that_calls_the_same_function_is_told(fresh_kernel):
    result = fresh_kernel.run("%%memcheck\n#include <stdlib.h>\n#include <string.h>\n"
                              "char *p = malloc(4), *q = malloc(5);\n"
                              "memset(p, 0, 5);\nmemset(q, 0, 6);")
    assert result.evalue.startswith("2 errors") and "line 6" in result.traceback, result.shown


def test_copies_that_overlap(fresh_kernel):
    result = fresh_kernel.run("%%memcheck\n#include <string.h>\nchar b[32] = \"overlapping memory\";\n"
                              "memcpy(b + 2, b, 16);")
    assert "overlapping-copy: WRITE of 16 bytes" in result.evalue and "line 4" in result.evalue, result.shown
    fresh_kernel.run("%%memcheck\n#include <string.h>\nstruct s { int a[40]; } x, *y = &x;\nx = *y;\n"
                     "memmove(&x.a[1], x.a, 8);\nmemcpy(&x.a[4], x.a, 16);").ok()


@pytest.mark.cuda
def test_the_hosts_side_of_a_copy_from_the_device(fresh_kernel):
    fresh_kernel.run("#include <stdlib.h>\nfloat *d, from[4] = { 1 };\ncudaMalloc(&d, 16);\nfloat *to = malloc(8);").ok()
    fresh_kernel.run("%%memcheck\ncudaMemcpy(d, from, 16, cudaMemcpyDefault);\n"
                     "cudaMemcpy(to, d, 8, cudaMemcpyDeviceToHost);").ok()
    result = fresh_kernel.run("%%memcheck\ncudaMemcpy(to, d, 16, cudaMemcpyDefault);")
    assert "heap-buffer-overflow: WRITE of 16 bytes" in result.evalue, result.shown
    result = fresh_kernel.run("%%memcheck\ncudaMemcpy(d, from + 1, 16, cudaMemcpyHostToDevice);")
    assert "global-buffer-overflow: READ of 16 bytes" in result.evalue, result.shown
