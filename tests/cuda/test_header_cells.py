# SPDX-License-Identifier: Apache-2.0
"""Files beside the notebook that hold CUDA or C++, included by plain cells."""
from playing import play, refuse

BOOK = """#ifndef BOOK_H
#define BOOK_H
#include <cstdio>
#include <vector>
#include "limits.h"
static void check(cudaError_t e, const char *file, int line) {
    if (e != cudaSuccess) { printf("%s in %s at line %d\\n", cudaGetErrorString(e), file, line); exit(1); }
}
#define CHECK(call) (check(call, __FILE__, __LINE__))
template <typename T> void swap_both(T &a, T &b) { T t = a; a = b; b = t; }
int twice(int x) { return int(x) * 2; }
inline int bump(int &x) { return ++x; }
struct Point { float x, y; __device__ float sum() const { return x + y; } };
__device__ float scale(float v) { return v * SCALE; }
__global__ void scale_all(float *p, int n) { int i = threadIdx.x; if (i < n) p[i] = scale(p[i]); }
__constant__ float coefficients[2];
int uses = 5;
__global__ void scale_all(int *p, int n) { p[0] = n; }
#endif
"""
LIMITS = "#pragma once\n#define SCALE 3\ntypedef struct { int n; } range_t;\nstatic inline int width(void) { return 16; }\n"


def test_a_header_of_a_book(start_kernel, tmp_path):
    (tmp_path / "book.h").write_text(BOOK)
    (tmp_path / "limits.h").write_text(LIMITS)
    kernel = start_kernel(cwd=tmp_path)
    first = kernel.run("""#include "book.h"
float *p, c[2] = { 1, 2 }; CHECK(cudaMallocManaged(&p, 32 * sizeof(float)));
for (int i = 0; i < 32; i++) p[i] = i;
scale_all<<<1, 32>>>(p, 32); CHECK(cudaDeviceSynchronize());
CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
uses++; printf("%g %d", p[5], twice(4));""").ok()
    assert first.stdout == "15 8"
    assert not first.stderr
    play(kernel,
         # It is there already: what has been done with its variables stays.
         ("""#include "book.h"
__global__ void two(float *q, Point a, range_t r) { q[0] = scale(a.sum()) + SCALE + coefficients[1] + r.n; }
struct Point a = { 1, 2 };
range_t r = { width() };
two<<<1, 1>>>(p, a, r); CHECK(cudaDeviceSynchronize()); printf("%g %d", p[0], uses);""", "30 6"))
    assert kernel.run("int z = 3; bump(z)").ok().text == "4"
    refuse(kernel, "CHECK(cudaMalloc(&p, -1));", "book.h:7, in check(", "In[4], line 1",
           "the limit of device memory for this session is")
    refuse(kernel, "scale_all<<<1, 32>>>((float *)0, 32); cudaDeviceSynchronize();", "in the CUDA kernel scale_all, line 15 of",
           "book.h:15")
    play(kernel, ("twice(uses)", "12"))
    (tmp_path / "book.h").write_text(BOOK.replace("int(x) * 2", "int(x) * 20"))
    play(kernel, ("twice(uses)", "12"))
    assert kernel.run('#include "book.h"\ntwice(uses)').ok().text == "100"
    (tmp_path / "book.h").write_text(BOOK.replace("v * SCALE", "v * SKALE"))
    refuse(kernel, '#include "book.h"\nfloat later;', "book.h:14", "use of undeclared identifier 'SKALE'")


def test_device_code_after_a_header_with_a_guard(start_kernel, tmp_path):
    (tmp_path / "plain.h").write_text("#ifndef PLAIN_H\n#define PLAIN_H\n#define FOUR 4\n"
                                      "struct pair { int a, b; };\n#endif\n")
    kernel = start_kernel(cwd=tmp_path)
    play(kernel, '#include "plain.h"\nint here;',
         "__global__ void nothing_of_it(int *p) { *p = 1; }",
         ("__global__ void some_of_it(struct pair *p) { p->a = FOUR; }\nstruct pair *p; cudaMallocManaged(&p, sizeof(*p));\n"
          'some_of_it<<<1, 1>>>(p); cudaDeviceSynchronize(); printf("%d", p->a);', "4"))


def test_an_error_of_a_file_in_a_folder_of_cflags(start_kernel, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "inner.cuh").write_text("__device__ int three() { return 3; }\n")
    (tmp_path / "parts" / "k.cuh").write_text('#pragma once\n\n#include "inner.cuh"\n'
                                              "__global__ void k(int *p) { *p = three(); }\n__global__ void bad(int &p) { }\n")
    kernel = start_kernel(cwd=tmp_path)
    play(kernel, f"%cflags -I{tmp_path}/parts")
    refuse(kernel, '\n#include "k.cuh"\nint after;', "k.cuh:5", "is a reference")
    (tmp_path / "parts" / "k.cuh").write_text('#include "inner.cuh"\n__global__ void k(int *p) { *p = three(); }\n')
    play(kernel,
         ('#include "k.cuh"\nint *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); *p', "3"))
    refuse(kernel, "int a = 1;\nint b = nothing;", "In[4]:2:9")
