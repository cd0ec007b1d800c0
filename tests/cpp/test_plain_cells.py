# SPDX-License-Identifier: Apache-2.0
"""A cell without a word for its language is C, and C++ if C does not take it. Both share one session."""
import pytest

from playing import play, refuse


def test_what_c_does_not_take_is_cpp(fresh_kernel):
    hello = fresh_kernel.run('#include <iostream>\n#include <vector>\nstd::vector<int> v{3, 1, 2};\n'
                             'std::cout << "hello " << v.size() << std::endl;').ok()
    assert hello.stdout == "hello 3\n"
    play(fresh_kernel,
         ("for (auto &x : v) x *= 2;\nv", "{6, 2, 4}"),
         ("int n = 5;\nn + 1", "6"),
         ("auto m = v.size() + n;\nm", "8"),
         ("template <typename T> T sq(T x) { return x * x; }\nsq(3) + sq(1.5)", "11.25"),
         ("class Shape { public: virtual ~Shape() {} virtual double area() const { return 1; } };\n"
          "struct Square : Shape { double s; Square(double s) : s(s) {} double area() const override { return s * s; } };\n"
          "Shape *s = new Square(3);\ns->area()", "9.0"))


def test_a_name_is_what_the_last_cell_made_it_in_either_language(fresh_kernel):
    play(fresh_kernel, "#include <vector>\nstd::vector<int> v{1, 2};",
         ("auto n = v.size(); n", "2"), ("float n = 2.5; n", "2.5"), ("v.size() + n", "4.5"),
         ("auto n = v.size() + 5; n", "7"), ("v.at(0) + n", "8"),
         ("int twice(int x) { return 2 * x; }\ntwice(4)", "8"),
         ("std::vector<int> twice(std::vector<int> x) { x.insert(x.end(), x.begin(), x.end()); return x; }\ntwice(v)",
          "{1, 2, 1, 2}"),
         ("int twice(int x) { return 20 * x; }\ntwice(4)", "80"), ("twice(v.at(1))", "40"))


def test_a_byte_order_mark_in_front_is_nothing(fresh_kernel):
    mark = "\ufeff"
    play(fresh_kernel, (mark + "int n = 3; n", "3"), (mark + "%%cpp\nstd::string(2, 'a').size()", "2"))
    refuse(fresh_kernel, mark + "int m = nowhere;", "In[3]:1:9")


def test_a_function_defined_anew_is_what_its_callers_call(fresh_kernel):
    play(fresh_kernel,
         "#include <vector>\nstd::vector<int> v{1};\nint f(int x) { return x; }\nint ask(int x) { return f(x) + 1; }",
         "v.size();\nint f(int x) { return 2 * x; }", ("ask(5)", "11"),
         # This one C would take, as another function.
         "int f(int x) { return 3 * x; }", ("ask(5)", "16"), ("v.at(0) + f(5)", "16"))
    play(fresh_kernel,
         "namespace geo { int twice(int x) { return 2 * x; } int both(int x) { return twice(x) + 1; } }\n"
         "struct shape { virtual int area() const; int side; };\nint shape::area() const { return side * side; }\n"
         "int area_of(const shape &s) { return s.area(); }\n"
         "int over(int) { return 1; }\nint over(double) { return 2; }\nint overs(void) { return over(1) * 10 + over(1.0); }",
         "namespace geo { int twice(int x) { return 3 * x; } }\nint over(double x) { return 7; }", ("geo::both(5)", "16"),
         ("overs()", "17"), "int shape::area() const { return 100 + side; }",
         ("shape s; s.side = 4; area_of(s)", "104"))


def test_a_function_of_c_that_cpp_defines_anew_stays_one_of_c(fresh_kernel):
    play(fresh_kernel, "#include <stdint.h>\nint32_t g(int32_t x) { return x; }\nint32_t ask(int32_t x) { return g(x) + 1; }")
    again = fresh_kernel.run("int32_t g(int32_t x) { std::string s(x, 'a'); return 2 * s.size(); }").ok()
    assert not again.stderr, again.shown
    play(fresh_kernel, ("ask(5)", "11"), ("g(5)", "10"), ('std::string s = "ab"; ask(s.size())', "5"),
         ("std::string t; g(5)", "10"), "int32_t g(int32_t x) { return 3 * x; }", ("ask(5)", "16"),
         ("std::string u; g(5)", "15"))


def test_kernels_of_c_cells_are_launched_by_cpp(fresh_kernel):
    play(fresh_kernel, "#include <vector>\nstd::vector<float> h(100, 1.0f);",
         "__device__ float more(float x) { return x + 1; }\n__constant__ float by;",
         "__global__ void add(float *a, int n)\n"
         "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = more(a[i]) + by; }",
         "float *d; cudaMalloc(&d, 400);\nfloat two = 2; cudaMemcpyToSymbol(by, &two, sizeof two);",
         ("cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);\nadd<<<1, 128>>>(d, h.size());\n"
          "cudaMemcpy(h.data(), d, h.size() * sizeof(float), cudaMemcpyDeviceToHost);\nh[99]", "4.0"),
         ("template <typename T> struct Halves { __device__ T operator()(T x) const { return x / 2; } };\n"
          "template <typename F> __global__ void each(float *a, F f) { a[threadIdx.x] = f(more(a[threadIdx.x])); }\n"
          "each<<<1, 100>>>(d, Halves<float>()); cudaMemcpy(h.data(), d, 400, cudaMemcpyDeviceToHost);\nh[7]", "2.5"))


def test_what_is_gone_from_cuda_13_is_there(fresh_kernel):
    play(fresh_kernel, ("#include <vector>\nstd::vector<int> got(4);\nint *p; cudaMallocManaged(&p, 16);\n"
                        "cudaMemAdvise(p, 16, cudaMemAdviseSetReadMostly, 0); cudaMemPrefetchAsync(p, 16, 0);\n"
                        "cudaMemPrefetchAsync(p, 16, cudaCpuDeviceId, 0); p[3] = 7; cudaThreadSynchronize();\n"
                        "cudaMemcpy(got.data(), p, 16, cudaMemcpyDefault); got[3]", "7"))


@pytest.mark.parametrize("cell, words", [
    ("int f(void) { if (1) { return 3; ", ["In[1]:1:22: error: this '{' is never closed"]),
    ("int f(void) {\n  return g(1, (2 + 3);\n}", ["In[1]:2:11: error: this '(' is never closed"]),
    ("int f(void) {\n  return 3);\n}", ["In[1]:2:11: error: this ')' closes nothing"]),
    ('int f(void) {\n  puts("hello);\n}', ["In[1]:2:8: error: this '\"hello);' is a text without its closing quote"]),
    ("%timeit\nf(1, (2);", ["In[1]:2:2: error: this '(' is never closed"]),
    ("%%cpp\nint g() { for (;;) { ", ["In[1]:2:22: error: expected '}'", "In[1]:2:20: note: to match this '{'"]),
    ("%%cpp\nint x = 3; foo(", ["In[1]:2:16: error: expected expression"]),
    ("%%cpp\nint q[3", ["In[1]:2:8: error: expected ']'"]),
    ("%%cpp\n3 + 4 }", ["In[1]:2:7: error: extraneous closing brace"]),
    ("int i = 1;\nint *p = i * \"a\";", ["In[1]:2:12: error: invalid operands to binary expression ('int' and 'char[2]')"]),
    ("std::cout << 1;", ["In[1]:1:6: error: no member named 'cout'", "it is declared in <iostream>: `#include <iostream>`"]),
    ("auto t = std::chrono::seconds(3);", ["no member named 'chrono'", "`#include <chrono>`"]),
    ('#include "no_such_file.h"\nstd::vector<int> v;', ["In[1]:1:10: error: 'no_such_file.h' file not found"]),
])
def test_errors_are_those_of_the_language_that_is_meant(fresh_kernel, cell, words):
    refuse(fresh_kernel, cell, *words)
    play(fresh_kernel, ("1 + 1", "2"))


def test_an_error_in_a_file_of_ones_own_is_told_there(start_kernel, tmp_path):
    (tmp_path / "own.h").write_text("#pragma once\nclass Own { public: int f() { return SIZE; } };\n")
    kernel = start_kernel(cwd=tmp_path)
    refuse(kernel, '%%cpp\n#include "own.h"\nint later;', "own.h:2:38: error: use of undeclared identifier 'SIZE'",
           "class Own { public: int f() { return SIZE; } };", "= included by In[1]:2")


def test_a_class_keeps_the_packing_that_it_was_declared_under(fresh_kernel):
    virtual = "{ public: char c; int i; virtual int f() { return 1; } };"
    play(fresh_kernel, (f"%%cpp\n#pragma pack(push, 1)\nclass P {virtual}\n#pragma pack(pop)\nsizeof(P)", "13"),
         ("%%cpp\nsizeof(P)", "13"))
    assert not fresh_kernel.run("%%cpp\n#pragma pack(push, 2)\ntemplate <typename T> struct V { char c; T v; };").ok().stderr
    play(fresh_kernel, (f"%%cpp\nclass Q {virtual} sizeof(Q) * 100 + sizeof(V<int>)", "1406"),
         "%%cpp\n#pragma pack(pop)",
         (f"%%cpp\nclass R {virtual} sizeof(R) * 10000 + sizeof(Q) * 100 + sizeof(V<int>)", "161406"))


def test_pragmas_hold_for_later_cells_of_both_languages(fresh_kernel):
    play(fresh_kernel, "#pragma GCC poison strtok")
    refuse(fresh_kernel, '%%cpp\nchar *p = strtok(nullptr, " ");', "attempt to use a poisoned identifier")
    play(fresh_kernel, "%%cpp\n#pragma GCC poison strspn\nvoid quiet() {\n#pragma GCC diagnostic error \"-Wshadow\"\n}")
    refuse(fresh_kernel, 'size_t n = strspn("a", "a");', "attempt to use a poisoned identifier")
    refuse(fresh_kernel, '%%cpp\nsize_t n = strspn("a", "a");', "attempt to use a poisoned identifier")
    play(fresh_kernel, ("%%cpp\nint shadowed(int s) { { int s = 3; return s; } }\nshadowed(1)", "3"))


def test_host_code_of_cpp_does_not_use_what_the_device_has(fresh_kernel):
    play(fresh_kernel, "%%cpp\nstruct pair { int a; float b; };\n__device__ int count; __constant__ int limit = 3;\n"
                       "__device__ float v[3]; __device__ pair both;")
    for cell in ("int h = count + 1;", "float x = v[1];", "pair q = both;", "struct S { int f() { return limit; } };"):
        refuse(fresh_kernel, "%%cpp\n" + cell, "is a variable of the device", "cudaMemcpyFromSymbol(&x, ")
    for cell in ("v[1] = 2;", "both = pair{1, 2};", "void f() { count++; }"):
        refuse(fresh_kernel, "%%cpp\n" + cell, "is a variable of the device", "cudaMemcpyToSymbol(")
    play(fresh_kernel, ("%%cpp\nint x = 12; cudaMemcpyToSymbol(count, &x, sizeof count);\n"
                        "cudaMemcpyFromSymbol(&x, limit, sizeof x); x", "3"),
         ("%%cpp\nauto f = [=] __device__ (int i) { return i + count; }; count", "12"))
    refuse(fresh_kernel, "%%cpp\n__global__ void k(int n,\n    const pair &p) { }", "In[11]:3:5",
           "the parameter `const pair &p` of the CUDA kernel k is a reference", "by value")
    refuse(fresh_kernel, "%%cpp\nstruct Big { char c[40000]; };\n__global__ void k(Big b) { }", "k have 40000 bytes")
    refuse(fresh_kernel, "%%cpp\nstruct Wide { long double d; };\n__global__ void k(Wide w) { }", "has a long double")


def test_of_a_name_that_cpp_alone_knows_the_errors_are_those_of_cpp(kernel):
    kernel.run("%reset").ok()
    kernel.run("%%cpp\n__device__ int count = 3; __constant__ float v[3]; __managed__ int m = 4;\n"
               "template <class T> T twice(T x) { return 2 * x; }").ok()
    for cell in ("count = 5;", "count++;", "int h = count + 1;", "float x = v[1];"):
        assert "is a variable of the device" in kernel.run(cell).traceback, cell
    assert "no matching function for call to 'twice'" in kernel.run("int z = twice();").traceback
    assert kernel.run("m += 1; m").ok().text == "5"
    assert kernel.run("nowhere + 1").evalue.endswith("use of undeclared identifier 'nowhere'")
