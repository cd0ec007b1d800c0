# SPDX-License-Identifier: Apache-2.0
"""Device code in %%cpp cells: clang compiles the same text for the host and for the device."""
import pytest

from playing import play, refuse

pytestmark = pytest.mark.cuda

DEFINITIONS = """%%cpp
#include <cstdio>
#include <vector>
template <class F> __global__ void each(int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}
std::vector<float> h(1000, 1.0f);
float *d;
cudaMalloc(&d, h.size() * sizeof(float));
cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
void fetch() { cudaMemcpy(h.data(), d, h.size() * sizeof(float), cudaMemcpyDeviceToHost); }
"""

# An int on the device, and its value.
PLACE = "%%cpp\nint *di, hi; cudaMalloc(&di, 64 * sizeof(int)); cudaMemset(di, 0, 64 * sizeof(int));"
VALUE = "cudaMemcpy(&hi, di, sizeof hi, cudaMemcpyDeviceToHost); hi"


@pytest.fixture(scope="module")
def session(kernel):
    kernel.run(DEFINITIONS).ok()
    return kernel


def shown(session, text):
    return session.run("%%cpp\n" + text).ok().text


def test_a_kernel_is_launched_where_it_stands_and_later(session):
    assert shown(session, """
__global__ void scale(float *a, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = fmaf(a[i], f, 1);
}
scale<<<4, 256>>>(d, 2.0f, 1000);
fetch();
h[999]""") == "3.0"
    assert shown(session, "scale<<<4, 256>>>(d, 4.0f, 1000); fetch(); h[0]") == "13.0"
    assert shown(session, "void again() { scale<<<4, 256>>>(d, 1.0f, 500); }\n"
                          "cudaMemset(d, 0, 4); again(); fetch(); h[0]") == "1.0"


def test_a_function_launches_kernels_of_its_cell_and_of_earlier_ones(fresh_kernel):
    play(fresh_kernel,
         "__global__ void one(int *p) { *p = 1; }\n__device__ int shift = 40;",
         "template <int N> __global__ void more(int *p) { *p += N; }\n" + PLACE.removeprefix("%%cpp\n"),
         "void both() { one<<<1, 1>>>(di); more<4><<<1, 1>>>(di); int s; cudaMemcpyFromSymbol(&s, shift, sizeof s); hi = s; }",
         ("both(); int two = hi; " + VALUE + " + two", "45"))


def test_shuffles_without_a_mask_are_gone(session):
    """LLVM has no code for them on any device that CUDA has, and would end the compiler."""
    for name in "__shfl", "__shfl_up", "__shfl_down", "__shfl_xor":
        refuse(session, f"__global__ void k(int *p) {{ *p = {name}(*p, 1); }}", f"use of undeclared identifier '{name}'")


def test_a_kernel_that_is_defined_anew(session):
    assert shown(session, "__global__ void put(float *p) { *p = 1; }\nvoid call() { put<<<1, 1>>>(d); }\n"
                          "call(); fetch(); h[0]") == "1.0"
    session.run("%%cpp\n__global__ void put(float *p) { *p = 2; }").ok()
    assert shown(session, "put<<<1, 1>>>(d); fetch(); h[0]") == "2.0"
    assert shown(session, "call(); fetch(); h[0]") == "2.0"
    assert shown(session, "__global__ void put(double *p) { *p = 3; }\n"
                          "put<<<1, 1>>>((double *)d); put<<<1, 1>>>(d + 2); fetch(); h[2]") == "2.0"


def test_templates_are_instantiated_by_each_cell(session):
    session.run("""%%cpp
namespace ns {
template <class T> __device__ T twice(T x) { return x + x; }
template <class T, int by> __global__ void add(T *p) { p[threadIdx.x] = twice(p[threadIdx.x]) + by; }
}""").ok()
    assert shown(session, "cudaMemset(d, 0, 64); ns::add<float, 3><<<1, 4>>>(d); fetch(); h[3]") == "3.0"
    assert shown(session, "ns::add<float, 3><<<1, 4>>>(d); ns::add<float, 4><<<1, 4>>>(d); fetch(); h[0]") == "22.0"
    assert shown(session, "int first; ns::add<int, 5><<<1, 1>>>((int *)d); cudaMemcpy(&first, d, 4, cudaMemcpyDeviceToHost);\n"
                          "first == 2 * *(int *)&h[0] + 5") == "true"


def test_variables_of_the_device(session):
    session.run("""%%cpp
__device__ int counter = 5;
static __device__ int hidden = 7;
__constant__ float weights[3] = { 1, 2, 3 };
__global__ void count(int by) { atomicAdd(&counter, by + hidden); }
""").ok()
    assert shown(session, "count<<<2, 4>>>(1); cudaDeviceSynchronize(); counter") == "69"
    assert shown(session, "weights") == "{1.0, 2.0, 3.0}"
    assert shown(session, """
float other[3] = { 4, 5, 6 };
__global__ void sum(float *p) { *p = weights[0] + weights[1] + weights[2] + hidden; counter = 1; }
cudaMemcpyToSymbol(weights, other, sizeof other);
sum<<<1, 1>>>(d);
fetch();
h[0]""") == "22.0"
    assert shown(session, "int n; cudaMemcpyFromSymbol(&n, counter, sizeof n); n") == "1"
    refused = session.run("%%cpp\ncounter = 3;")
    assert "'counter' is a variable of the device, which the host does not write by its name" in refused.evalue


def test_managed_variables(session):
    session.run("%%cpp\n__managed__ int total = 4;\n__managed__ float cells[8];\n"
                "__global__ void fill() { cells[threadIdx.x] = threadIdx.x; if (!threadIdx.x) total++; }").ok()
    assert shown(session, "fill<<<1, 8>>>(); cudaDeviceSynchronize(); total + cells[7]") == "12.0"
    assert shown(session, "total = 40; fill<<<1, 8>>>(); cudaDeviceSynchronize(); total") == "41"


def test_classes_functors_and_constants_are_for_both(session):
    session.run("""%%cpp
struct V {
    float x, y;
    __host__ __device__ V operator+(V o) const { return { x + o.x, y + o.y }; }
    __device__ float norm() const;
};
__device__ float V::norm() const { return x * x + y * y; }
constexpr int width = 3;
const float offset = 0.5f;
struct Square { float by; __device__ float operator()(float x) const { return x * x * by; } };
template <class F> __global__ void map(float *p, F f) { p[threadIdx.x] = f(p[threadIdx.x]); }
__device__ V sum{ 1, 2 };
""").ok()
    assert shown(session, "__global__ void accumulate(V v) { sum = sum + v; }\n"
                          "accumulate<<<1, 1>>>(V{ 3, 4 }); accumulate<<<1, 1>>>(V{ 1, 1 });\n"
                          "cudaDeviceSynchronize(); sum") == "{.x = 5.0, .y = 7.0}"
    assert shown(session, "__global__ void measure(float *p) { *p = sum.norm() + width + offset; }\n"
                          "measure<<<1, 1>>>(d); fetch(); h[0]") == "77.5"
    assert shown(session, "map<<<1, 1>>>(d, Square{ 2 }); fetch(); h[0]") == "12012.5"


def test_lambdas_capture_variables_of_the_session(session):
    assert shown(session, "int a = 3; float table[3] = { 1, 2, 4 };\n"
                          "each<<<4, 256>>>(1000, [=] __device__ (int i) { d[i] = i * a + table[i % 3]; });\n"
                          "fetch(); h[998] + h[2]") == "3008.0"
    assert shown(session, "a = 5; each<<<1, 32>>>(10, [d, a] __device__ (int i) { d[i] = a; }); fetch(); h[9]") == "5.0"
    assert shown(session, "void local(float by) { each<<<1, 32>>>(10, [=, p = d] __device__ (int i) { p[i] = by; }); }\n"
                          "local(7); fetch(); h[3]") == "7.0"
    assert shown(session, "auto put_nine = [p = d] __device__ (int i) { p[i] = 9; };\n"
                          "each<<<1, 32>>>(10, put_nine); fetch(); h[4]") == "9.0"
    assert shown(session, "each<<<1, 32>>>(5, put_nine); fetch(); h[4]") == "9.0"


def test_shared_memory_groups_and_printf(session):
    ran = session.run("""%%cpp
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void reduce(float *p, int n)
{
    extern __shared__ float all[];
    __shared__ int done;
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    all[threadIdx.x] = threadIdx.x;
    block.sync();
    float v = all[n - 1 - threadIdx.x];
    for (int o = 16; o; o /= 2)
        v += warp.shfl_down(v, o);
    if (!warp.thread_rank())
        atomicAdd(p, v);
    if (!threadIdx.x) {
        done = 1;
        printf("%d threads, %s\\n", n, done ? "done" : "not done");
    }
}
cudaMemset(d, 0, 4);
reduce<<<1, 64, 64 * sizeof(float)>>>(d, 64);
fetch();
h[0]""").ok()
    assert (ran.text, ran.stdout) == ("2016.0", "64 threads, done\n")


def test_a_fault_on_the_device_is_told_by_kernel_and_line(session):
    session.run("%%cpp\nint kept = 1;").ok()
    fault = session.run("%%cpp\nkept = 2;\n__global__ void wild(int *p)\n{\n    p[threadIdx.x + 100000] = 3;\n}\n"
                        "wild<<<1, 64>>>((int *)d);\ncudaDeviceSynchronize();")
    assert fault.ename == "CudaIllegalAddress"
    assert "in the CUDA kernel wild, line 5 of In[%d]" % fault.count in fault.evalue
    assert "at wild(int *)+" in fault.traceback and "5 | p[threadIdx.x + 100000] = 3;" in fault.traceback
    assert shown(session, "kept") == "1"
    fetched = shown(session, "fetch(); h.size()")
    assert fetched == "1000"


@pytest.mark.parametrize("launch, line", [("each<<<1, 2000>>>(1, [] __device__ (int) {});", 3), ("too_many();", 2)])
def test_a_launch_that_the_device_does_not_take_is_told_with_its_line(session, launch, line):
    session.run("%%cpp\n__global__ void empty() {}\nvoid too_many() { empty<<<1, 4000>>>(); }").ok()
    told = session.run("%%cpp\n" + "\n" * (line - 2) + launch).ok()
    assert "returned cudaErrorInvalidConfiguration (invalid configuration argument) in line %d" % line in told.stderr


@pytest.mark.parametrize("text, message", [
    ("int host(int);\n__global__ void k(int *p) { *p = host(3); }", "3:34: error: no matching function for call to 'host'"),
    ("int value = 3;\n__global__ void k(int *p) { *p = value; }",
     "3:34: error: reference to __host__ variable 'value' in __global__ function"),
    ("__global__ int k() { return 1; }", "2:12: error: kernel function type 'int ()' must have void return type"),
    ("__device__ int f() { return 1; }\nint n = f();", "3:9: error: no matching function for call to 'f'"),
    ("each(1, 2);", "2:5: error: call to global function 'each<int>' not configured"),
])
def test_mistakes_are_told_by_clang_at_their_place(session, text, message):
    refused = session.run("%%cpp\n" + text)
    assert refused.evalue == "In[%d]:%s" % (refused.count, message)


def test_lines_of_a_kernel_of_an_earlier_cell_are_told_as_its_lines(fresh_kernel):
    play(fresh_kernel, "%%cpp\ntemplate <typename T> __global__ void fill(T *p, T v) {\n  p[threadIdx.x] = v; }")
    refuse(fresh_kernel, "%%cpp\nfill<<<1, 32>>>((int *)0, 3); cudaDeviceSynchronize();", "line 3 of In[1]")


def test_macros_may_define_kernels_and_functions(fresh_kernel):
    play(fresh_kernel, PLACE, """%%cpp
#define OP(name, op) __global__ void name(int *p, int v) { *p = *p op v; }
#define NEXT(name) int name(int x) { return x + 1; }
OP(plus, +) OP(times, *)
NEXT(following)""",
         ("%%cpp\ncudaMemset(di, 0, 4); plus<<<1, 1>>>(di, 5); times<<<1, 1>>>(di, 7);\n" + VALUE + " + following(4)",
          "40"),
         # One macro, many declarations.
         """%%cpp
#define FAMILY(n) __device__ int n##_of(int x) { return x + 1; } __global__ void n(int *p) { *p = n##_of(*p); } \\
    struct n##_type { int a; }; int n##_get(n##_type x) { return x.a; } int n##_value = 4;
FAMILY(one)
namespace inner { FAMILY(two) }""",
         ("%%cpp\none<<<1, 1>>>(di); inner::two<<<1, 1>>>(di);\n" + VALUE, "37"),
         ("%%cpp\n__global__ void both(int *p) { *p = one_of(4) + inner::two_of(7); }\nboth<<<1, 1>>>(di); " + VALUE,
          "13"),
         ("%%cpp\none_get(one_type{3}) + inner::two_get(inner::two_type{20}) + one_value", "27"),
         ("%%cpp\n__device__ int one_of(int x) { return x + 100; }\none<<<1, 1>>>(di); " + VALUE, "113"))


def test_shared_memory_at_file_scope(fresh_kernel):
    play(fresh_kernel, PLACE, "%%cpp\nextern __shared__ int buffer[];\n__shared__ int tile[8];",
         ("""%%cpp
__global__ void turn(int *p)
{
    buffer[threadIdx.x] = threadIdx.x;
    tile[threadIdx.x] = 10 * threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = buffer[7 - threadIdx.x] + tile[7 - threadIdx.x];
}
turn<<<1, 8, 8 * sizeof(int)>>>(di); """ + VALUE, "77"),
         ("""%%cpp
__global__ void doubles(int *p)
{
    extern __shared__ double wide[];
    wide[threadIdx.x] = 1.5;
    tile[threadIdx.x] = 4;
    __syncthreads();
    *p = wide[1] * 2 + tile[1];
}
doubles<<<1, 2, 2 * sizeof(double)>>>(di); turn<<<1, 8, 32>>>(di + 8); """ + VALUE, "7"))


def test_tables_of_device_functions_serve_later_cells(fresh_kernel):
    play(fresh_kernel, PLACE, """%%cpp
typedef int (*op)(int, int);
struct holder { op f; int n; };
__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ op ops[2] = { add, multiply }, one = add;
__device__ op *behind = ops;
__device__ holder held = { multiply, 5 };
namespace inner { __constant__ op fixed[] = { multiply }; }""",
         ("""%%cpp
__global__ void k(int *p, int i)
{
    *p = ops[i](3, 4) * 100 + ops[1](3, 4) + behind[0](1, 1) * 10000 + held.f(held.n, 2) * 100000 + one(1, 2) * 10000000
        + inner::fixed[0](1, 2) * 100000000;
}
k<<<1, 1>>>(di, 0); """ + VALUE, "231020712"),
         ("%%cpp\nk<<<1, 1>>>(di, 1); " + VALUE, "231021212"),
         ("%%cpp\n__global__ void call(int *p, op f) { *p = f(3, 4); }\n"
          "op f; cudaMemcpyFromSymbol(&f, ops, sizeof f, sizeof f); call<<<1, 1>>>(di, f); " + VALUE, "12"))
    refuse(fresh_kernel, "%%cpp\nint *none = nullptr; *none = 1;", "SegmentationFault")
    play(fresh_kernel, ("%%cpp\nk<<<1, 1>>>(di, 0); " + VALUE, "231020712"),
         ("%%cpp\n__device__ int add(int a, int b) { return a + b + 50; }\nk<<<1, 1>>>(di, 0); " + VALUE, "731525712"))


def test_tables_of_a_header_of_cuda_that_a_c_cell_has_included(fresh_kernel):
    play(fresh_kernel, PLACE[len("%%cpp\n"):], "#include <curand_kernel.h>\nint c = 2;", """%%cpp
__global__ void seed(curandState *s) { curand_init(1234, threadIdx.x, 0, &s[threadIdx.x]); }
__global__ void draw(curandState *s, int *p) { p[threadIdx.x] = 1000 * curand_uniform(&s[threadIdx.x]); }
curandState *states;
cudaMalloc(&states, 64 * sizeof(curandState));
seed<<<1, 64>>>(states);""",
         ("%%cpp\nint all[64], sum = 0; draw<<<1, 64>>>(states, di);\n"
          "cudaMemcpy(all, di, sizeof all, cudaMemcpyDeviceToHost);\n"
          "for (int one : all) sum += one;\nsum > 20000 && sum < 44000 && all[0] != all[1]", "true"),
         ("%%cpp\n__global__ void again(curandState *s) { curand_init(1234, threadIdx.x, 0, &s[threadIdx.x]); }\n"
          "int first = all[0]; again<<<1, 64>>>(states); draw<<<1, 64>>>(states, di); " + VALUE + " == first", "true"))
