# SPDX-License-Identifier: Apache-2.0
"""Namespaces in plain cells: entries, device functions, types and variables in them, seen from later cells."""
from playing import play, refuse


def test_namespaces_over_cells(fresh_kernel):
    play(fresh_kernel,
         ("""namespace geo {
struct Point { float x, y; __host__ __device__ float dot(const Point &o) const { return x * o.x + y * o.y; } };
__device__ float dot(const Point &a, const Point &b) { return a.dot(b); }
__constant__ float factor = 2;
__global__ void scale(float *p, int n) { int i = threadIdx.x; if (i < n) p[i] *= factor; }
template <typename T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v; }
namespace deep { const int N = 32; __global__ void scale(float *p) { Point a = {1, 2}; p[0] = dot(a, a) + N; } }
enum class Mode { A, B };
}
float *p; cudaMallocManaged(&p, 32 * sizeof(float));
for (int i = 0; i < 32; i++) p[i] = i;
geo::scale<<<1, 32>>>(p, 32); cudaDeviceSynchronize();
p[5]""", "10.0"),
         ("geo::fill<float><<<1, 32>>>(p, 7); cudaDeviceSynchronize(); p[3]", "7.0"),
         ("geo::deep::scale<<<1, 1>>>(p); cudaDeviceSynchronize(); p[0] + geo::deep::N", "69.0"),
         ("using namespace geo;\nfill<<<1, 32>>>(p, 8.0f); cudaDeviceSynchronize(); p[2]", "8.0"),
         ("namespace g = geo::deep;\ng::scale<<<1, 1>>>(p); cudaDeviceSynchronize();\nPoint q = {3, 4}; q.y + g::N", "36.0"),
         ("""namespace geo { __global__ void user(float *p, Point at, Mode m) { p[0] = dot(at, at) + (m == Mode::B); } }
user<<<1, 1>>>(p, q, Mode::B); cudaDeviceSynchronize(); p[0]""", "26.0"),
         # An entry and a device function that are defined anew, a variable that is written by its symbol.
         ("""namespace geo { __global__ void scale(float *p, int n) { p[threadIdx.x] = -factor; } }
float f = 9; cudaMemcpyToSymbol(geo::factor, &f, 4);
geo::scale<<<1, 32>>>(p, 32); cudaDeviceSynchronize(); p[1]""", "-9.0"),
         ("namespace geo { __device__ float dot(const Point &a, const Point &b) { return 1000; } }\n"
          "geo::user<<<1, 1>>>(p, q, Mode::A); cudaDeviceSynchronize(); p[0]", "1000.0"))
    refuse(fresh_kernel, "geo::scale<<<1, 32>>>((float *)0, 32); cudaDeviceSynchronize();",
           "in the CUDA kernel geo::scale, line 1 of In[7]", "at geo::scale(float *, int)")
    play(fresh_kernel, ("fill<<<1, 32>>>(p, (float)f); cudaDeviceSynchronize(); p[31]", "9.0"))
    for magic, shown in (("%regs geo::scale", "geo::scale(float*, int)  (In[7])"),
                         ("%ptx geo::deep::scale", "// geo::deep::scale(float*): entry"),
                         ("%ptx geo::fill<float>", "void geo::fill<float>(float*, float)")):
        assert shown in fresh_kernel.run(magic).ok().shown, magic
    assert "geo::fill<float>" in fresh_kernel.run("%%profile\nfill<<<1, 32>>>(p, 2.0f); cudaDeviceSynchronize();").ok().shown


def test_errors_name_what_the_user_wrote(fresh_kernel):
    play(fresh_kernel, "namespace geo { __device__ int one(int a) { return a; } __global__ void k(int *p) { *p = one(1); } }")
    refuse(fresh_kernel, "int x;\n  geo::two<<<1, 1>>>(&x);", "In[2]:2", "    2 |   geo::two<<<1, 1>>>(&x);")
    refuse(fresh_kernel, "int *p;\nint y = 1; geo::k(p, y, z, p)",
           "    2 | int y = 1; geo::k(p, y, z, p)\n      |                         ^")
    refuse(fresh_kernel, "namespace geo { __global__ void w(int *p) { *p = one(q); } }",
           "In[4]:1:54: error: use of undeclared identifier 'q'\n"
           "    1 | namespace geo { __global__ void w(int *p) { *p = one(q); } }\n      | " + 53 * " " + "^")


def test_blocks_of_c_linkage(fresh_kernel):
    play(fresh_kernel, ("""extern "C" {
__global__ void seven(int *x) { *x = 7; }
int next(int x) { return x + 1; }
}
extern "C" __global__ void eight(int *x) { *x = 8; }
int *m; cudaMallocManaged(&m, 4); seven<<<1, 1>>>(m); cudaDeviceSynchronize(); next(*m)""", "8"),
         ("eight<<<1, 1>>>(m); cudaDeviceSynchronize(); next(*m)", "9"))
