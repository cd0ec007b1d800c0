# SPDX-License-Identifier: Apache-2.0
"""Device code over several cells, as courses and samples have it: what one cell defines, later ones use and change."""
import pytest

from playing import play, refuse

pytestmark = pytest.mark.long

# One int and one float on the device, and their values on the host.
PLACES = "int *di, hi; cudaMalloc(&di, 64 * sizeof(int));\nfloat *df, hf[64]; cudaMalloc(&df, sizeof hf);"
INT = "cudaMemcpy(&hi, di, sizeof hi, cudaMemcpyDeviceToHost); hi"
FLOAT = "cudaMemcpy(hf, df, sizeof hf, cudaMemcpyDeviceToHost); hf[0]"


def test_device_variables_outlive_faults_on_host_and_device(fresh_kernel):
    play(fresh_kernel,
         """__device__ int counter = 5;
__device__ float table[4] = { 1, 2, 3, 4 };
struct params { int n; float scale; };
__constant__ struct params limits;
__global__ void bump() { atomicAdd(&counter, 1); table[threadIdx.x] *= 2; }""",
         """struct params host = { 7, 1.5f };
cudaMemcpyToSymbol(limits, &host, sizeof host);
bump<<<1, 4>>>(); cudaDeviceSynchronize();""")
    refuse(fresh_kernel, "int *none = NULL; bump<<<1, 4>>>(); cudaDeviceSynchronize(); *none = 1;", "SegmentationFault")
    refuse(fresh_kernel, """__global__ void beyond(int *p) { counter = 99; p[1000000] = 1; }
int *p; cudaMalloc(&p, 4); beyond<<<1, 1>>>(p); cudaDeviceSynchronize();""", "IllegalAddress")
    play(fresh_kernel,
         ("""__global__ void show() { printf("%d %g %d %g\\n", counter, table[3], limits.n, limits.scale); }
show<<<1, 1>>>(); cudaDeviceSynchronize();""", "9 8 7 1.5"),
         ("int c; float t[4]; cudaMemcpyFromSymbol(&c, counter, sizeof c); cudaMemcpyFromSymbol(t, table, sizeof t);\n"
          'printf("%d %g\\n", c, t[0]);', "9 2"))


def test_symbols_are_copied_in_part_and_by_address(fresh_kernel):
    play(fresh_kernel,
         "__device__ float table[4] = { 1, 2, 3, 4 };\nfloat two[2] = { 10, 20 }, t[4];",
         ("cudaMemcpyToSymbol(table, two, sizeof two, 2 * sizeof(float));\n"
          'cudaMemcpyFromSymbol(t, table, sizeof t); printf("%g %g %g\\n", t[1], t[2], t[3]);', "2 10 20"),
         ("cudaMemcpyToSymbolAsync(table, two, sizeof two, 0, cudaMemcpyHostToDevice);\n"
          'cudaMemcpyFromSymbol(t, table, 4, sizeof(float)); printf("%g\\n", t[0]);', "20"),
         ("void *place; size_t size; cudaGetSymbolAddress(&place, table); cudaGetSymbolSize(&size, table);\n"
          'cudaMemset(place, 0, 4); cudaMemcpyFromSymbol(t, table, 8, 0, cudaMemcpyDeviceToHost);\n'
          'printf("%zu %g %g\\n", size, t[0], t[1]);', "16 0 20"))


def test_constants_are_shared_by_host_and_device(fresh_kernel):
    play(fresh_kernel,
         """constexpr int BLOCK = 64;
static const int tile = 8;
const float two_pi = 6.28f;
const int both = 2 * BLOCK + tile;
constexpr int twice(int x) { return 2 * x; }
__device__ constexpr int own = 5;
""" + PLACES,
         ("""__global__ void k(int *p) {
    __shared__ int s[BLOCK];
    s[threadIdx.x] = tile;
    __syncthreads();
    p[0] = s[0] + both + (int)two_pi + own;
}
k<<<1, BLOCK>>>(di); """ + INT, str(8 + 136 + 6 + 5)),
         ("int room[BLOCK]; switch (64) { case BLOCK: break; default: abort(); } sizeof room / sizeof *room", "64"),
         ("__global__ void k2(int *p) { p[0] = twice(own); }\nk2<<<1, 1>>>(di); " + INT + " + twice(1)", "12"))


def test_constants_that_are_computed_from_those_of_earlier_cells(fresh_kernel):
    play(fresh_kernel,
         "constexpr int threads = 32;\nconst int lines = 4;",
         "constexpr int size = threads * threads;",
         "const int rest = size % lines + 7, late = clock() * 0;",
         PLACES,
         ("""__global__ void k(int *p) {
    __shared__ int s[size + rest];
    s[threadIdx.x] = rest;
    p[0] = s[0] + sizeof s / sizeof *s;
}
k<<<1, 1>>>(di); """ + INT, str(7 + 1024 + 7)))
    assert "reference to __host__ variable 'late'" in fresh_kernel.run("__global__ void l(int *p) { *p = late; }").traceback


def test_structures_need_no_struct(fresh_kernel):
    play(fresh_kernel,
         """struct Point { float x, y; };
struct Node { int value; Node *next; };
enum Color { RED, GREEN = 5 };
__global__ void move(Point *p, Point by, Color c) { p->x += by.x; p->y += c; }""",
         ("""Point p = { 1, 2 }, *dp;
cudaMalloc(&dp, sizeof(Point)); cudaMemcpy(dp, &p, sizeof(Point), cudaMemcpyHostToDevice);
move<<<1, 1>>>(dp, p, GREEN); cudaMemcpy(&p, dp, sizeof p, cudaMemcpyDeviceToHost);
printf("%g %g\\n", p.x, p.y);""", "2 7"),
         ("""float length2(const Point *q) { return q->x * q->x + q->y * q->y; }
Node n = { 3, &n };
length2(&p) + n.next->value""", "56.0"))


VECTOR = """struct Vec3 {
    float x, y = 0, z;
    __host__ __device__ Vec3() : x(0), y{0}, z(0) {}
    __host__ __device__ Vec3(float a, float b, float c) : x(a), y(b), z(c) {}
    __host__ __device__ Vec3 operator+(const Vec3 &o) const { return Vec3(x + o.x, y + o.y, z + o.z); }
    __device__ float dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
};
"""


def test_host_code_sees_the_fields_of_a_class(fresh_kernel):
    play(fresh_kernel, PLACES,
         VECTOR + "__global__ void norms(const Vec3 *v, float *out) { out[0] = (v[0] + v[1]).dot(v[1]); }",
         ("""Vec3 hv[2] = { { 1, 2, 3 }, { 1, 1, 1 } }, *dv;
cudaMalloc(&dv, sizeof hv); cudaMemcpy(dv, hv, sizeof hv, cudaMemcpyHostToDevice);
norms<<<1, 2>>>(dv, df); """ + FLOAT, "9.0"),
         ("""__device__ Vec3 turned(Vec3 a) { return Vec3(a.y, a.z, a.x); }
__global__ void turn(Vec3 a, Vec3 *out) { *out = turned(a); }
Vec3 r; turn<<<1, 1>>>(hv[0], dv); cudaMemcpy(&r, dv, sizeof r, cudaMemcpyDeviceToHost);
printf("%g %g %g\\n", r.x, r.y, r.z);""", "2 3 1"))
    play(fresh_kernel, ("hv[0].dot(hv[1])", "6.0"))


def test_classes_with_bases_and_virtual_functions(fresh_kernel):
    play(fresh_kernel, PLACES,
         """class Counter {
public:
    __device__ Counter(int start) : n(start) {}
    __device__ void add(int by) { n += by; }
    __device__ int get() const { return n; }
private:
    int n;
};
class Shape { public: __device__ virtual float area() const = 0; };
class Square : public Shape {
    float a;
public:
    __device__ Square(float s) : a(s) {}
    __device__ float area() const override { return a * a; }
};
struct Circle : Shape {
    float r;
    __device__ Circle(float s) : r(s) {}
    __device__ float area() const override { return 3 * r * r; }
};
__device__ Shape *kept;""",
         ("""__global__ void count(int *out) { Counter c(5); c.add(10); *out = c.get(); }
count<<<1, 1>>>(di); """ + INT, "15"),
         "__global__ void keep() { kept = new Square(3); }\nkeep<<<1, 1>>>(); cudaDeviceSynchronize();",
         ("""__global__ void areas(float *out) {
    Circle c(1);
    Shape *all[2] = { kept, &c };
    *out = all[0]->area() + all[1]->area();
}
areas<<<1, 1>>>(df); """ + FLOAT, "12.0"))


def test_lambdas_and_function_templates(fresh_kernel):
    play(fresh_kernel, PLACES,
         """template <typename F> __device__ void each(int n, F f) { for (int i = 0; i < n; i++) f(i); }
template <typename F, typename... A> __device__ auto call(F f, A... a) { return f(a...); }""",
         ("""__global__ void k(int *p, int n) {
    int base = 10;
    auto f = [=](int i) { return base + i; };
    auto larger = [](auto a, auto b) { return a > b ? a : b; };
    each(n, [&](int i) { base += i; });
    p[0] = f(3) + larger(base, 3) + call([](int a, int b) { return a * b; }, 4, 5);
}
k<<<1, 1>>>(di, 4); """ + INT, str(13 + 16 + 20)))


def test_shared_memory_of_unknown_size_at_file_scope(fresh_kernel):
    play(fresh_kernel, PLACES,
         "extern __shared__ float buffer[];",
         ("""__global__ void turn(float *p) {
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = buffer[7 - threadIdx.x];
}
turn<<<1, 8, 8 * sizeof(float)>>>(df); """ + FLOAT, "7.0"),
         ("""__global__ void doubles(float *p) {
    extern __shared__ double wide[];
    wide[threadIdx.x] = 0.5;
    __syncthreads();
    *p = wide[1];
}
doubles<<<1, 2, 2 * sizeof(double)>>>(df); turn<<<1, 8, 32>>>(df + 8); """ + FLOAT + " + hf[9]", "6.5"))


def test_headers_of_the_toolkit_serve_later_cells(fresh_kernel):
    play(fresh_kernel, PLACES,
         """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>
namespace cg = cooperative_groups;
__device__ int total;""",
         ("""__global__ void groups(int *out) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int v = cg::reduce(tile, (int)tile.thread_rank(), cg::plus<int>());
    if (threadIdx.x == 0) *out = v;
}
groups<<<1, 64>>>(di); """ + INT, "496"),
         ("""__global__ void blocks(int *out) {
    typedef cub::BlockReduce<int, 128> Reduce;
    __shared__ typename Reduce::TempStorage room;
    int v = Reduce(room).Sum(threadIdx.x);
    if (threadIdx.x == 0) *out = v;
}
blocks<<<1, 128>>>(di); """ + INT, "8128"),
         ("__global__ void plain(int *out) { *out = 5; }\nplain<<<1, 1>>>(di); " + INT, "5"),
         ("""using namespace cooperative_groups;
__global__ void whole(int *p, int n) {
    grid_group g = this_grid();
    for (int i = g.thread_rank(); i < n; i += g.size()) p[i] = i;
    g.sync();
    if (g.thread_rank() == 0) { total = 0; for (int i = 0; i < n; i++) total += p[i]; }
}
int n = 50;
void *arguments[] = { &di, &n };
cudaLaunchCooperativeKernel((void *)whole, dim3(4), dim3(32), arguments, 0, 0); cudaDeviceSynchronize();
cudaMemcpyFromSymbol(&hi, total, sizeof hi); hi""", "1225"),
         ("""__global__ void blocks(int *out) {
    typedef cub::BlockReduce<int, 64> Reduce;
    __shared__ typename Reduce::TempStorage room;
    int v = Reduce(room).Sum(threadIdx.x);
    if (threadIdx.x == 0) *out = v;
}
blocks<<<1, 64>>>(di); """ + INT, "2016"))
    refuse(fresh_kernel, "\n__global__ void wrong(int *out) { cub::Nothing x; }", "In[8]:2:40: error: no type named 'Nothing'")
    refuse(fresh_kernel, "#include <cub/nothing.cuh>\n__global__ void wrong(int *out) { *out = 1; }",
           "In[9]:1", "cub/nothing.cuh")
    play(fresh_kernel, ("blocks<<<1, 64>>>(di); " + INT, "2016"))


def test_entries_follow_the_functions_that_they_use(fresh_kernel):
    play(fresh_kernel, PLACES,
         """__device__ int base(int x) { return x + 1; }
__device__ int middle(int x) { return base(x); }
template <typename T> __device__ T square(T x) { return x * x; }
__global__ void direct(int *p) { *p = base(10); }
__global__ void indirect(int *p) { *p = middle(10); }
template <typename T> __global__ void squares(T *p) { *p = square(*p); }
__global__ void other(int *p) { *p = 77; }""",
         ("direct<<<1, 1>>>(di); " + INT, "11"),
         ("squares<<<1, 1>>>(di); " + INT, "121"),
         "__device__ int base(int x) { return x * 2; }",
         ("direct<<<1, 1>>>(di); " + INT, "20"),
         ("indirect<<<1, 1>>>(di); " + INT, "20"),
         ("squares<<<1, 1>>>(di); " + INT, "400"),
         "template <typename T> __device__ T square(T x) { return -x; }",
         ("squares<<<1, 1>>>(di); other<<<1, 1>>>(di + 1); " + INT, "-400"))
    refuse(fresh_kernel, "__device__ int base(int x) { return 0; }\n*(int *)0 = 1;", "SegmentationFault")
    play(fresh_kernel, ("indirect<<<1, 1>>>(di); " + INT, "20"))


def test_an_entry_keeps_a_function_that_it_cannot_follow(fresh_kernel):
    play(fresh_kernel, PLACES,
         "__device__ int base(int x) { return x + 1; }\n__global__ void direct(int *p) { *p = base(10); }")
    r = fresh_kernel.run("struct S { int a; };\n__device__ S base(int x) { return S{ 2 * x }; }\n"
                         "__global__ void product(int *p) { *p = base(21).a; }").ok()
    assert "direct (In[2])" in r.stderr and "incompatible type 'S'" in r.stderr, r.shown
    play(fresh_kernel, ("direct<<<1, 1>>>(di); " + INT, "11"), ("product<<<1, 1>>>(di); " + INT, "42"))


def test_an_overload_changes_nothing_for_others(fresh_kernel):
    play(fresh_kernel, PLACES,
         "__device__ int base(int x) { return x + 1; }\n__global__ void direct(int *p) { *p = base(10); }",
         "__device__ int base(int x, int y) { return x * y; }\n__global__ void product(int *p) { *p = base(6, 7); }",
         ("direct<<<1, 1>>>(di); " + INT, "11"), ("product<<<1, 1>>>(di); " + INT, "42"))


def test_a_function_may_come_after_the_entry_that_uses_it(fresh_kernel):
    play(fresh_kernel, PLACES,
         "__device__ int later(int x);\n__global__ void uses(int *p) { *p = later(21); }",
         "__device__ int later(int x) { return 2 * x; }",
         ("uses<<<1, 1>>>(di); " + INT, "42"))


def test_constants_are_arguments_of_templates(fresh_kernel):
    play(fresh_kernel, PLACES,
         "const int early = 16;\ntemplate <int N = 64> __global__ void which(int *p) { *p = N; }",
         ("const int width = 32;\nwhich<width><<<1, 1>>>(di); " + INT, "32"),
         ("which<early * 3><<<1, 1>>>(di); " + INT, "48"),
         ("which<><<<1, 1>>>(di); " + INT, "64"))


def test_arguments_that_contradict_each_other_are_told(fresh_kernel):
    play(fresh_kernel, PLACES, "template <typename T> __global__ void scale(T a, T *x) { x[0] *= a; }")
    refuse(fresh_kernel, "scale<<<1, 1>>>(2.0, df);", "In[3]:1:1: error: no matching function for call to 'scale'",
           "('double' vs. 'float')")
    play(fresh_kernel, ("hf[0] = 3; cudaMemcpy(df, hf, 4, cudaMemcpyHostToDevice);\n"
                        "scale<<<1, 1>>>(2.0f, df); " + FLOAT, "6.0"))


def test_small_floats_of_host_and_device(fresh_kernel):
    play(fresh_kernel, PLACES,
         "#include <cuda_fp16.h>\n#include <cuda_bf16.h>",
         ("""__global__ void h(const __half *a, float *o) { *o = __half2float(__hadd(a[0], a[1])); }
half values[2] = { __float2half(1.5f), __float2half(2.0f) }, *dh; cudaMalloc(&dh, 4);
cudaMemcpy(dh, values, 4, cudaMemcpyHostToDevice); h<<<1, 1>>>(dh, df); """ + FLOAT, "3.5"),
         ("""__global__ void b(const __nv_bfloat16 *a, __nv_bfloat16 *o) { *o = a[0] * a[0]; }
__nv_bfloat16 value = __float2bfloat16(3.01f), *db;
cudaMalloc(&db, 2); cudaMemcpy(db, &value, 2, cudaMemcpyHostToDevice);
b<<<1, 1>>>(db, db); cudaMemcpy(&value, db, 2, cudaMemcpyDeviceToHost);
printf("%g\\n", __bfloat162float(value));""", "9.125"))


def test_random_states_have_the_size_of_the_device(fresh_kernel):
    names = ["curandState", "curandStateXORWOW_t", "curandStatePhilox4_32_10_t", "curandStateMRG32k3a",
             "curandStateMtgp32_t", "curandStateSobol32_t", "curandStateScrambledSobol32_t",
             "curandStateSobol64_t", "curandStateScrambledSobol64_t"]
    play(fresh_kernel, PLACES, "#include <curand_kernel.h>",
         ("__global__ void sizes(int *o) { " + " ".join(f"*o++ = sizeof({n}) + 10000 * alignof({n});" for n in names) + " }\n"
          "int is[16], want[] = { " + ", ".join(f"sizeof({n}) + 10000 * _Alignof({n})" for n in names) + " };\n"
          "sizes<<<1, 1>>>(di); cudaMemcpy(is, di, sizeof want, cudaMemcpyDeviceToHost); memcmp(is, want, sizeof want)", "0"),
         """__global__ void seed(curandState *s) { curand_init(1234, threadIdx.x, 0, &s[threadIdx.x]); }
__global__ void draw(curandState *s, float *o) { o[threadIdx.x] = curand_uniform(&s[threadIdx.x]); }
curandState *states; cudaMalloc(&states, 64 * sizeof(curandState));
seed<<<1, 64>>>(states);""",
         ("draw<<<1, 64>>>(states, df); cudaMemcpy(hf, df, sizeof hf, cudaMemcpyDeviceToHost);\n"
          "float sum = 0; for (int i = 0; i < 64; i++) sum += hf[i];\nsum > 20 && sum < 44 && hf[0] != hf[1]", "true"))


@pytest.mark.parametrize("cell, words", [
    ("__device__ int twice(int x) { return 2 * x; }\ntwice(3)",
     ["In[1]:2:1", "no matching function", "call to __device__ function from __host__ function"]),
    ('std::cout << "hello";', ["In[1]:1:6", "no member named 'cout'", "`#include <iostream>`"]),
    ("#include <vector>\nstd::vector<int> v = 3;", ["In[1]:2:18", "no viable conversion"]),
])
def test_errors_of_cpp_are_those_of_clang(start_kernel, cell, words):
    kernel = start_kernel()
    refuse(kernel, cell, *words)
    kernel.close()


ONE_HALF = """__global__ void k(int *p)
{
#ifdef __CUDA_ARCH__
        *p = nothing_on_the_device;
#endif
}
%s"""


def test_the_halves_of_a_cell_are_told_in_order(fresh_kernel):
    """They are compiled side by side: what is wrong in the device's is told when the host's is well."""
    for _ in range(3):
        host = fresh_kernel.run(ONE_HALF % "int n = nothing_on_the_host;")
        assert host.status == "error" and "nothing_on_the_host" in host.shown, host.shown
        assert "nothing_on_the_device" not in host.shown, host.shown
        device = fresh_kernel.run(ONE_HALF % "int n = 3;")
        assert device.status == "error" and "identifier 'nothing_on_the_device'" in device.shown, device.shown
        assert "]:4:" in device.shown, device.shown
    play(fresh_kernel, PLACES, ("__global__ void k(int *p) { *p = 3; }\nk<<<1, 1>>>(di); " + INT, "3"))


def test_host_code_of_cpp_stands_beside_kernels(fresh_kernel):
    play(fresh_kernel, PLACES,
         ("template <typename T> int all(T *p) { return *p; }\nint n = 4;\nall(&n)", "4"),
         ("struct S { int v; S(int w) : v(w) {} }; S *p = new S(5); p->v", "5"),
         ("__global__ void k(int *p) { *p = 1; }\n__global__ void k(float *p) { *p = 2; }\n"
          "k<<<1, 1>>>(di); k<<<1, 1>>>(df); " + INT, "1"),
         (FLOAT, "2.0"),
         ("#include <vector>\nstd::vector<int> v = {1, 2, 3}; cudaMemcpy(di, v.data(), 12, cudaMemcpyHostToDevice);\n"
          "int third; cudaMemcpy(&third, di + 2, 4, cudaMemcpyDeviceToHost); third", "3"))


def test_macros_may_launch(fresh_kernel):
    play(fresh_kernel, PLACES,
         """#define RUN(entry, blocks, threads, ...) entry<<<blocks, threads>>>(__VA_ARGS__)
#define CHECKED(...) do { \\
        __VA_ARGS__; \\
        if (cudaGetLastError() != cudaSuccess) abort(); \\
    } while (0)
#define GRID dim3(2, 3)
__global__ void count(int *p, int by) { atomicAdd(p, by); }
cudaMemset(di, 0, 4);
RUN(count, 2, 32, di, 1);
CHECKED(count<<<GRID, 1>>>(di, 100));""",
         ("RUN(count, GRID, 4, di, 1000); " + INT, str(64 + 600 + 24000)))


def test_entries_may_have_default_arguments(fresh_kernel):
    play(fresh_kernel, PLACES,
         "__global__ void fill(int *p, int v = 9, float by = 2.0f) { *p = v * by; }",
         ("fill<<<1, 1>>>(di); " + INT, "18"),
         ("fill<<<1, 1>>>(di, 5); " + INT, "10"),
         ("fill<<<1, 1>>>(di, 5, 3.0f); " + INT, "15"))
    refuse(fresh_kernel, "fill<<<1, 1>>>();", "too few arguments")


def test_functors_are_arguments_of_entries(fresh_kernel):
    play(fresh_kernel, PLACES,
         """struct Twice { __device__ float operator()(float x) const { return 2 * x; } };
struct Add { float by; __device__ float operator()(float x) const { return x + by; } };
template <class T, class F> __global__ void map(T *p, int n, F f) { int i = threadIdx.x; if (i < n) p[i] = f(p[i]); }
hf[0] = 3; cudaMemcpy(df, hf, 4, cudaMemcpyHostToDevice);""",
         ("map<<<1, 8>>>(df, 1, Twice()); " + FLOAT, "6.0"),
         ("map<<<1, 8>>>(df, 1, Add{10}); " + FLOAT, "16.0"),
         ("map<float, Twice><<<1, 8>>>(df, 1, Twice{}); " + FLOAT, "32.0"),
         ("Add one = { 1 };\nmap<<<1, 8>>>(df, 1, one); " + FLOAT, "33.0"),
         ("struct same { int n; };\nint same(void) { return 5; }\nint five = same();\nfive", "5"))


NULL_POINTER = "*(volatile int *)0 = 1;"


def test_macros_may_define_entries_and_functions(fresh_kernel):
    play(fresh_kernel, PLACES,
         """#define DEFINE_KERNEL(name, op) __global__ void name(int *p, int v) { *p = *p op v; }
#define KERNEL __global__ void
#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
DEFINE_KERNEL(plus, +)
DEFINE_KERNEL(times, *)
HD int square(int x) { return x * x; }""",
         ("cudaMemset(di, 0, 4); plus<<<1, 1>>>(di, 5); times<<<1, 1>>>(di, 7); " + INT, "35"),
         ("DEFINE_KERNEL(minus, -)\nminus<<<1, 1>>>(di, 5);\nKERNEL squares(int *p) { *p = square(*p); }\n"
          "squares<<<1, 1>>>(di); " + INT + " + square(3)", "909"))
    refuse(fresh_kernel, NULL_POINTER, "SegmentationFault")
    refuse(fresh_kernel, "HD int cube(int x)\n{ return x * square(x); }\nKERNEL wrong(int *p) { *p = nothing(cube(2)); }",
           "In[6]:3", "nothing")
    play(fresh_kernel, ("HD int cube(int x) { return x * square(x); }\nKERNEL cubes(int *p) { *p = cube(2); }\n"
                        "cubes<<<1, 1>>>(di); " + INT + " * 100 + cube(3)", "827"))


def test_vectors_are_made_on_the_host_too(fresh_kernel):
    play(fresh_kernel, PLACES,
         ("float3 v = make_float3(1, 2, 3); double2 d = make_double2(4, 5); uchar4 c = make_uchar4(1, 2, 3, 4);\n"
          "v.z + d.y + c.w", "12.0"),
         ("__global__ void sum(float3 v, float *o) { float4 w = make_float4(v.x, v.y, v.z, 4); *o = w.x + w.w; }\n"
          "sum<<<1, 1>>>(make_float3(7, 8, 9), df); " + FLOAT, "11.0"))


def test_scoped_enums(fresh_kernel):
    play(fresh_kernel, PLACES,
         "enum class Op { Add, Mul = Add + 5 };\nenum class Small : unsigned char { A = 1, B };",
         ("sizeof(Small)", "1"),
         """__global__ void k(int *p, Op op, Small s) { *p = op == Op::Mul ? 50 + (int)s : 10; }
template <Op op> __global__ void t(int *p) { if constexpr (op == Op::Add) *p = 1; else *p = 2; }""",
         ("k<<<1, 1>>>(di, Op::Mul, Small::B); " + INT, "52"),
         ("Op o = Op::Add;\nk<<<1, 1>>>(di, o, Small::A); " + INT, "10"),
         ("t<Op::Mul><<<1, 1>>>(di); " + INT, "2"),
         ("int is(Op x) { switch (x) { case Op::Add: return 1; case Op::Mul: return 2; } return 3; }\nis(Op::Mul)", "2"))
    refuse(fresh_kernel, "o = Op::Mul;\n" + NULL_POINTER, "SegmentationFault")
    play(fresh_kernel, ("is(o)", "1"), ("k<<<1, 1>>>(di, Op::Mul, Small::A); " + INT, "51"))
    noted = fresh_kernel.run("enum class Op { Add, Mul = 9 };").ok().stderr
    assert "'is(Op)' of In[8] was declared with another 'Op'" in noted, noted
    play(fresh_kernel, ("(int)Op::Mul", "9"))


def test_aliases_are_types_of_host_and_device(fresh_kernel):
    play(fresh_kernel, PLACES,
         "using Real = float;\nusing Row = float[4];\nusing Fn = int (*)(int);",
         ("__global__ void k(float *o, Real r) { Row row = { r, r + 1 }; *o = row[1]; }\nk<<<1, 1>>>(df, 1.5f); " + FLOAT, "2.5"),
         ("int negative(int x) { return -x; }\nFn f = negative; Real r = 0.5f;\nf(3) + r + sizeof(Row)", "13.5"),
         ("struct uses { int using; }; int using = 3;\nusing", "3"))


def test_constant_arrays_and_static_members(fresh_kernel):
    play(fresh_kernel, PLACES,
         """constexpr int table[4] = { 1, 2, 3, 4 };
__device__ constexpr float weights[3] = { 0.25f, 0.5f, 0.25f };
struct Config { static constexpr int N = 8; static const int M = 4; int v; };
struct Counter { static __device__ int next() { return 5; } };""",
         ("__global__ void k(int *p, int i) { __shared__ int s[Config::N]; s[0] = Config::M;\n"
          "    *p = table[i] * 1000 + (int)(weights[i] * 100) + s[0] + Counter::next(); }\nk<<<1, 1>>>(di, 1); " + INT, "2059"),
         ("table[2] + sizeof(struct Config)", "7"))


def test_references_are_refused_as_parameters(fresh_kernel):
    play(fresh_kernel, "struct P { int a, b; };")
    refuse(fresh_kernel, "__global__ void k(int n,\n    const P &p) { }\nP p = { 1 };\nk<<<1, 1>>>(1, p);",
           "In[2]:2", "`const P &p` of the CUDA kernel k is a reference", "by value")


def test_attributes_of_entries_and_parameters(fresh_kernel):
    play(fresh_kernel, PLACES, "struct P { int a, b; };",
         ("P p = { 1, 2 };\n__global__ void k(const __grid_constant__ P p, int *__restrict__ o) { *o = p.a + p.b; }\n"
          "k<<<1, 1>>>(p, di); " + INT, "3"),
         ("__global__ void __launch_bounds__(128, 2) k2(int *__restrict__ o, const int *__restrict__ i) { *o = *i + 1; }\n"
          "k2<<<1, 1>>>(di, di); " + INT, "4"),
         ("__launch_bounds__(256) __global__ void k3(int *o) { *o = 9; }\nk3<<<1, 1>>>(di); " + INT, "9"))


def test_device_functions_are_arguments_of_templates(fresh_kernel):
    play(fresh_kernel, PLACES,
         """__device__ int next(int x) { return x + 1; }
__device__ int twice(int x) { return x * 2; }
typedef int (*F)(int);
template <F f> __global__ void map(int *p) { *p = f(*p); }""",
         ("cudaMemset(di, 0, 4); map<next><<<1, 1>>>(di); map<twice><<<1, 1>>>(di); " + INT, "2"),
         "__device__ int twice(int x) { return x * 20; }",
         ("map<twice><<<1, 1>>>(di); " + INT, "40"))


def test_managed_variables_are_state(fresh_kernel):
    play(fresh_kernel,
         "struct S { int a; float b; };\n__managed__ int m = 3;\n__managed__ struct S s;\n__device__ __managed__ float v[8];",
         ("__global__ void k() { m += 10; s.b = 1.5f; v[threadIdx.x] = threadIdx.x; }\n"
          'k<<<1, 8>>>(); cudaDeviceSynchronize(); printf("%d %g %g\\n", m, s.b, v[7]);', "13 1.5 7"))
    refuse(fresh_kernel, "m = 7; s.b = 0; k<<<1, 8>>>(); cudaDeviceSynchronize();\n" + NULL_POINTER, "SegmentationFault")
    play(fresh_kernel, ('printf("%d %g\\n", m, s.b);', "13 1.5"),
         ("m = 100; k<<<1, 1>>>(); cudaDeviceSynchronize(); m", "110"))


def test_lambdas_without_captures_are_objects_of_cells(fresh_kernel):
    play(fresh_kernel, PLACES,
         ("""__device__ auto twice = [](int x) { return 2 * x; };
template <class F> __global__ void apply(F f, int *p) { *p = f(*p); }
__global__ void k(int *p) { *p = twice(21); }
k<<<1, 1>>>(di); """ + INT, "42"),
         ("auto more = [] __device__ (int x) -> int { return x + 5; };\napply<<<1, 1>>>(more, di); " + INT, "47"),
         "constexpr auto thrice = [](int x) { return 3 * x; };",
         ("apply<<<1, 1>>>(thrice, di); " + INT, "141"))
    refuse(fresh_kernel, "auto more = [] __device__ (int x) { return x; };\n" + NULL_POINTER, "SegmentationFault")
    play(fresh_kernel, ("apply<<<1, 1>>>(more, di); " + INT, "146"),
         ("auto more = [] __device__ (int x) { return x + 50; };\napply<<<1, 1>>>(more, di); " + INT, "196"))


def test_device_variables_of_library_types(fresh_kernel):
    play(fresh_kernel, PLACES,
         "#include <cuda/std/array>\n#include <cuda/atomic>",
         """__device__ cuda::atomic<int, cuda::thread_scope_device> count;
__device__ cuda::std::array<int, 3> three = { 1, 2, 3 };
__global__ void bump() { count.fetch_add(1); }
bump<<<2, 32>>>(); cudaDeviceSynchronize();""",
         ("__global__ void get(int *p) { *p = count.load() + 100 * three[2]; }\nget<<<1, 1>>>(di); " + INT, "364"))
    refuse(fresh_kernel, "bump<<<1, 32>>>(); cudaDeviceSynchronize();\n" + NULL_POINTER, "SegmentationFault")
    play(fresh_kernel, ("get<<<1, 1>>>(di); " + INT, "364"))


def test_all_of_cub_for_device_code(fresh_kernel):
    play(fresh_kernel, PLACES, "#include <cub/cub.cuh>",
         ("""__global__ void total(int *p) {
    typedef cub::BlockReduce<int, 64> Reduce;
    __shared__ Reduce::TempStorage room;
    int v = Reduce(room).Sum(threadIdx.x);
    if (!threadIdx.x) *p = v;
}
total<<<1, 64>>>(di); """ + INT, "2016"),
         ("""__global__ void sort(int *p) {
    typedef cub::BlockRadixSort<int, 64, 1> Sort;
    __shared__ Sort::TempStorage room;
    int v[1] = { 63 - (int)threadIdx.x };
    Sort(room).Sort(v);
    p[threadIdx.x] = v[0];
}
sort<<<1, 64>>>(di); """ + INT, "0"))


def test_tables_of_device_functions_serve_later_cells(fresh_kernel):
    play(fresh_kernel, PLACES, "__device__ int add(int a, int b) { return a + b; }",
         """__device__ int multiply(int a, int b) { return a * b; }
typedef int (*op_t)(int, int);
__device__ op_t ops[2] = { add, multiply };
__device__ op_t one = add;
__global__ void own(int *p, int i) { *p = ops[i](3, 4); }""",
         ("own<<<1, 1>>>(di, 1); " + INT, "12"),
         ("__global__ void k(int *p) { *p = ops[0](3, 4) * 100 + ops[1](3, 4) + one(1, 1) * 10000; }\n"
          "k<<<1, 1>>>(di); " + INT, "20712"))
    refuse(fresh_kernel, NULL_POINTER, "SegmentationFault")
    play(fresh_kernel, ("k<<<1, 1>>>(di); " + INT, "20712"), ("own<<<1, 1>>>(di, 0); " + INT, "7"))


def test_entries_follow_a_device_variable_of_another_type(fresh_kernel):
    play(fresh_kernel, "__device__ int n = 5;\n__global__ void show() { printf(\"%g\\n\", n / 2.0); }",
         "__device__ int n = 6;", ("show<<<1, 1>>>(); cudaDeviceSynchronize();", "3"),
         "__device__ double n = 2.5;", ("show<<<1, 1>>>(); cudaDeviceSynchronize();", "1.25"),
         ("__global__ void show2() { printf(\"%g\\n\", n); }\nshow2<<<1, 1>>>(); cudaDeviceSynchronize();", "2.5"))


def test_host_code_with_words_of_cpp(fresh_kernel):
    play(fresh_kernel, """#include <cstdio>
#include <cmath>
#include <iostream>
using namespace std;
""" + PLACES,
         ("auto total = 0.5 + 2; for (auto i = 0; i < 2; ++i) printf(\"%d \", i);\ntotal", "0 1 2.5"),
         ("float part = static_cast<float>(3) / 2; char *bytes = reinterpret_cast<char *>(&part);\n"
          "bytes[3] + std::max(part, 2.0f) + (static_cast<uint3 *>(nullptr == bytes ? NULL : calloc(1, 12))->x)",
          "65.0"),
         ("float *heap = new float[3]; unsigned *zeroed = new unsigned[4](), *one = new unsigned;\n"
          "heap[2] = 1.5f; float kept = heap[2] + zeroed[3]; delete[] heap; delete one; kept", "1.5"),
         ("float below = -2.5f; printf(\"%g %g %d\", abs(below), std::abs(-1.5), abs(-3));", "2.5 1.5 3"),
         ("dim3 grid(2, 2), block{8, 4}, other = {3};\n"
          "block.x + block.y * 10 + block.z * 100 + other.y * 1000 + grid.z * 10000", "11148"),
         ("void local() { dim3 b{8}, c = {1, 2}; printf(\"%d\", b.y * 10 + c.z); }\nlocal();", "11"),
         # Values that a call leaves out, in later cells too.
         """inline int check(cudaError_t code, const char *file, int line = 7, bool stop = true)
{ return line * 10 + stop + code; }
#define CHECK(call) check((call), __FILE__)
__host__ __device__ float clampf(float x, float lo = 0, float hi = 1) { return fminf(fmaxf(x, lo), hi); }
__global__ void clamps(float *r) { *r = clampf(5) + clampf(5, 0, 3); }""",
         ("clamps<<<1, 1>>>(df); " + FLOAT, "4.0"),
         ("CHECK(cudaSuccess) * 1000 + check(cudaSuccess, \"\", 2, false)", "71020"),
         ("clampf(7) + clampf(7, 2, 3)", "4.0"),
         # What C has no function for is device code's.
         """struct V3 { float x, y; };
__host__ __device__ inline V3 operator+(const V3 &a, const V3 &b) { return V3{a.x + b.x, a.y + b.y}; }
__host__ __device__ float length(const V3 &a) { return a.x + a.y; }
__device__ auto offset = 3.5f;
__global__ void adds(float *r) { V3 a = {1, 2}; *r = length(a + a) + offset; }""",
         ("adds<<< 1, 1>> >(df); " + FLOAT, "9.5"), ("adds << <1, 1 >> > (df); " + FLOAT, "9.5"),
         ("cudaArray *image; cudaChannelFormatDesc of = cudaCreateChannelDesc<float>(); cudaMallocArray(&image, &of, 16, 16)",
          "cudaSuccess (0)"))
    play(fresh_kernel, ("V3 a = {1, 2}; length(a)", "3.0"))
    assert fresh_kernel.run('cout << "hello";').ok().stdout == "hello"


def test_pointers_to_device_functions_are_session_state(fresh_kernel):
    play(fresh_kernel, PLACES,
         ("""typedef int (*op_t)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ op_t one = add, ops[2] = { subtract, add };
__global__ void apply(op_t f, int *p) { *p = f(7, 4); }
op_t h_one, h_ops[2];
cudaMemcpyFromSymbol(&h_one, one, sizeof h_one);
cudaMemcpyFromSymbol(&h_ops[0], ops, sizeof(op_t), 0);
apply<<<1, 1>>>(h_one, di); """ + INT, "11"),
         ("__global__ void later(op_t f, int *p) { *p = f(70, 4); }\nlater<<<1, 1>>>(h_ops[0], di); " + INT, "66"),
         "op_t *table; cudaMalloc(&table, sizeof h_ops); cudaMemcpyFromSymbol(table, ops, sizeof h_ops);\n"
         "__global__ void of_table(op_t *t, int *p) { *p = t[0](3, 1) * 100 + t[1](3, 1); }")
    refuse(fresh_kernel, NULL_POINTER, "SegmentationFault")
    play(fresh_kernel, ("later<<<1, 1>>>(h_one, di); " + INT, "74"), ("of_table<<<1, 1>>>(table, di); " + INT, "204"),
         ("__device__ op_t one = subtract;\nop_t other; cudaMemcpyFromSymbol(&other, one, sizeof other);\n"
          "apply<<<1, 1>>>(other, di); " + INT, "3"))
    refuse(fresh_kernel, "later<<<1, 1>>>((op_t)0x123, di); cudaDeviceSynchronize();", "is not a function")
    play(fresh_kernel, ("later<<<1, 1>>>(h_one, di); " + INT, "74"))


def test_functors_and_constructors_in_host_code(fresh_kernel):
    play(fresh_kernel, PLACES, """float a = 3;
class Acc { public: float *p; int n; __device__ Acc(float *q, int m) : p(q), n(m) {} };""",
         """template <typename F> __global__ void each(int n, float *v, F f)
{ if (threadIdx.x < n) v[threadIdx.x] = f(threadIdx.x); }""",
         # A functor does it.
         ("struct Times { float by; __device__ float operator()(int i) const { return by * (i + 1); } };\n"
          "Times times = { a };\neach<<<1, 4>>>(4, df, times); " + FLOAT, "3.0"))
    refuse(fresh_kernel, "Acc acc(df, 32);", "In[5]:1:5", "no matching constructor",
           "call to __device__ function from __host__ function")


def test_bfloat16_by_value(fresh_kernel):
    play(fresh_kernel, PLACES, "#include <cuda_bf16.h>",
         "__global__ void square(__nv_bfloat16 x, float *r) { __nv_bfloat16 t = x * x + x; *r = float(t); }",
         ("square<<<1, 1>>>(__float2bfloat16(2.5f), df); " + FLOAT, "8.75"))


CLOSURES = r"""
template <class F> __device__ int apply(F f, int n) { return f(n); }
template <class F, class T> __device__ T twice(F &&f, T v) { f(v); return f(v); }
__global__ void closures(int *out, int n)
{
    int a = n, b = 10, c[3] = { 1, 2, 3 };
    auto by_value = [=](int i) { return a * i + c[2]; };
    auto by_reference = [&](int i) { b += i; return b; };
    auto changing = [count = 0]() mutable { return ++count; };
    auto generic = [a](auto x, auto y) { return x * y + a; };
    auto nested = [&, d = a + 1] { return [=] { return b + d; }(); };
    out[0] = by_value(2);
    out[1] = by_reference(5);
    out[2] = changing() + changing();
    out[3] = generic(2, 3.5) == a + 7;
    out[4] = generic(2, 3);
    out[5] = apply(by_value, 4);
    out[6] = apply([=](int i) { return i - a; }, 9);
    out[7] = twice([&](int v) { return b += v; }, 100);
    out[8] = nested();
    out[9] = [](auto... v) { return (v + ...); }(1, 2, 3);
}
int *closed, seen[10];
cudaMalloc(&closed, sizeof seen);
closures<<<1, 1>>>(closed, 3);
cudaMemcpy(seen, closed, sizeof seen, cudaMemcpyDeviceToHost);
seen"""


def test_lambdas_of_device_code_capture_what_is_around_them(kernel):
    assert kernel.run(CLOSURES).ok().text == "{9, 15, 3, 1, 9, 15, 6, 215, 219, 6}"
