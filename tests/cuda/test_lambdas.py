# SPDX-License-Identifier: Apache-2.0
"""Lambdas of host code that device code calls, as programs for nvcc --extended-lambda have them."""
from playing import play, refuse

# `out` on the device, `got` on the host; a kernel that calls what it is given.
PLACES = """float *out, got[64]; cudaMalloc(&out, sizeof got);
template <class F> __global__ void apply(float *p, F f) { p[threadIdx.x] = f((int)threadIdx.x); }
#define GOT(i) (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost), got[i])
int a = 3; float s = 2.5f;"""
NULL_POINTER = "*(volatile int *)0 = 1;"


def launch(text, shown):
    """A cell that hands the lambda to apply() and shows what thread 2 made."""
    return f"apply<<<1, 32>>>(out, {text});\nGOT(2)", shown


def test_what_is_captured_is_copied_at_the_launch(fresh_kernel):
    play(fresh_kernel, PLACES,
         launch("[=] __device__ (int i) { return a * i + s; }", "8.5"),
         ("a = 4; apply<<<1, 32>>>(out, [=] __device__ (int i) { return a * i + s; });\na = 100; GOT(2)", "10.5"),
         launch("[a, s] __device__ (int i) { return a * i + s; }", "202.5"),
         launch("[x = a + 1, y = static_cast<double>(s)] __device__ (int i) -> float { return x * y + i; }", "254.5"),
         launch("[=, x = 7] __host__ __device__ (int i) mutable { x += a; return x; }", "107.0"),
         launch("[] __device__ (int i) { return 2 * i; }", "4.0"),
         ('for (int k = 1; k <= 3; k++) { apply<<<1, 32>>>(out, [=] __device__ (int i) { return k * 10.0f + i; });'
          ' printf("%g ", GOT(1)); }', "11 21 31"),
         ("""template <class F, class G> __global__ void chain(float *p, F f, G g) { p[threadIdx.x] = f(g((int)threadIdx.x)); }
chain<<<1, 32>>>(out, [=] __device__ (float v) { return v * s; }, [=] __device__ (int i) { return i + a; });
GOT(2)""", "255.0"))


def test_lambdas_with_names_are_values_of_the_session(fresh_kernel):
    make = "auto f = [=] __device__ (int i) { return a * i + s; };\n"
    play(fresh_kernel, PLACES, (make + "apply<<<1, 32>>>(out, f); GOT(2)", "8.5"),
         ("a = 50; apply<<<1, 32>>>(out, f); GOT(2)", "8.5"), ("f", "{.a = 3, .s = 2.5}"))
    refuse(fresh_kernel, "a = 7; " + make + NULL_POINTER, "SegmentationFault")
    play(fresh_kernel, ("apply<<<1, 32>>>(out, f); GOT(2)", "8.5"),
         # The same cell once more, with the variables of now.
         (make + "apply<<<1, 32>>>(out, f); GOT(2)", "102.5"), (make + "apply<<<1, 32>>>(out, f); GOT(2)", "102.5"),
         # A copy of it stays what it is; one captures another.
         ("auto g = f; auto both = [f, a] __device__ (int i) { return f(i) + a; };\n"
          "apply<<<1, 32>>>(out, both); GOT(2)", "152.5"),
         ("apply<<<1, 32>>>(out, g); GOT(2)", "102.5"))
    noted = fresh_kernel.run("auto f = [=] __device__ (int i) { return -s; };").ok().stderr
    assert "'g' of In[9] was declared with another 'f'" in noted, noted
    play(fresh_kernel, ("apply<<<1, 32>>>(out, f); GOT(2)", "-2.5"),
         ("template <class F> __global__ void later(float *p, F f) { *p = f(1); }\nlater<<<1, 1>>>(out, f); GOT(0)", "-2.5"),
         ("const auto k = [=] __device__ (int i) { return i * s; };\nlater<<<1, 1>>>(out, k); GOT(0)", "2.5"),
         ("later<<<1, 1>>>(out, k); GOT(0)", "2.5"))


def test_lambdas_in_functions_of_the_host(fresh_kernel):
    play(fresh_kernel, PLACES,
         """void go(float *p, int n) {
    float w[3] = { 1, 2, 3 };
    const int size = 2 * 2;
    constexpr float bias = 0.5f;
    auto g = [=] __host__ __device__ (int i) {
        float sum = 0, t[size];
        for (int k = 0; k < 3; k++) { t[k] = w[k] * n; sum += t[k]; }
        return sum + i + bias;
    };
    apply<<<1, 32>>>(p, g);
}""",
         ("go(out, 2); GOT(2)", "14.5"), ("go(out, 5); GOT(2)", "32.5"),
         ("""template <class F> __global__ void for_each(int n, F f)
{ for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i); }
int start() {
    const float alpha = 2; int n = 1000;
    float *x, *y; cudaMallocManaged(&x, n * sizeof *x); cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < n; i++) x[i] = i, y[i] = 1;
    for_each<<<4, 64>>>(n, [=] __device__ (int i) { y[i] += alpha * x[i]; });
    cudaDeviceSynchronize(); printf("%g", y[999]);
    return 0;
}
int ended = start();""", "1999"))


def test_types_and_names_of_what_is_captured(fresh_kernel):
    play(fresh_kernel, PLACES,
         """struct P { float x, y; int tag; }; P p = { 1.5f, 2, 7 };
typedef struct { double z; bool on; } Q; Q q = { 2.25, true };
enum color { RED, GREEN = 5 } col = GREEN; bool flag = true; unsigned char c = 3; ssize_t m = -2; size_t n = 5;
int mat[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }; volatile int v = 3;
float4 v4 = make_float4(1, 2, 3, 4); dim3 d3 = { 5, 6, 7 };
const float *const cp = out; const int N = 16; int (*put)(const char *) = puts; FILE *file = stdout;
__device__ int counter = 7; float big[100000];""",
         launch("[=] __device__ (int i) { return p.x * i + p.tag; }", "10.0"),
         launch("[=] __device__ (int i) -> float { return q.on ? q.z : 0; }", "2.25"),
         launch("[=] __device__ (int i) { return col == GREEN && flag ? (float)(c + n + m) : 0.f; }", "6.0"),
         launch("[=] __device__ (int i) { return mat[1][i % 3] + v + v4.y + d3.z; }", "18.0"),
         launch("[=] __device__ (int i) { float t[N]; t[i % N] = (put != 0) + (file != 0) + (cp == out);\n"
                "return t[i % N]; }", "3.0"),
         launch("[=] __device__ (int i) { return counter + i + threadIdx.x + sinf(0) + fmaxf(i, a); }", "14.0"),
         # What the body declares itself is not captured.
         launch("[=] __device__ (int i) { float big = 5; { float s = 1; big += s; } return big + s; }", "8.5"),
         launch("[=] __device__ (int i) { auto in = [=] __device__ (int k) { return k * a; }; return in(i) + 1; }", "7.0"),
         ("#include <cuda_fp16.h>\n__half h = __float2half(1.5f);\n"
          "apply<<<1, 32>>>(out, [=] __device__ (int i) { return __half2float(h) * i; }); GOT(2)", "3.0"))


def test_generic_lambdas_and_lambdas_of_device_code(fresh_kernel):
    play(fresh_kernel, PLACES,
         launch("[=] __device__ (auto i) { return i * 0.5f + a; }", "4.0"),
         "__device__ auto sum = [] (auto x, const auto &y) { return x + y; };",
         ("__global__ void sums(float *p) { p[2] = sum(1, 2.5f); }\nsums<<<1, 1>>>(out); GOT(2)", "3.5"),
         ("""template <class F> __device__ float twice(F f, float x) { return f(f(x)); }
__global__ void k(float *p, float c) { p[2] = twice([=] __device__ (float x) { return x * c; }, 2.0f); }
k<<<1, 1>>>(out, 3); GOT(2)""", "18.0"),
         "constexpr int C = 7;", launch("[] __device__ (int i) { return i * C; }", "14.0"),
         ("void local() { constexpr int m = 3;\n"
          "apply<<<1, 32>>>(out, [] __device__ (int i) { float t[m] = { 1 }; return t[0] + m; }); }\nlocal(); GOT(2)", "4.0"))


def test_lambdas_follow_what_is_defined_anew(fresh_kernel):
    play(fresh_kernel, PLACES, "__device__ float part(float x) { return x / 2; }",
         ("void go() { apply<<<1, 32>>>(out, [=] __device__ (int i) { return part(a * i); }); }\ngo(); GOT(2)", "3.0"),
         "__device__ float part(float x) { return x / 4; }",
         ("void go() { apply<<<1, 32>>>(out, [=] __device__ (int i) { return part(a * i); }); }\ngo(); GOT(2)", "1.5"),
         "struct P { int x; }; P p = { 4 };\nauto f = [p] __device__ (int i) { return p.x + i; };",
         ("apply<<<1, 32>>>(out, f); GOT(2)", "6.0"))
    noted = fresh_kernel.run("struct P { int x, y; }; P p = { 4, 5 };").ok().stderr
    assert " f (In[6]). Run" in noted and "cgpu_" not in noted, noted
    refuse(fresh_kernel, "apply<<<1, 32>>>(out, f);", "'f' of In[6] has the type P as it was before")


def test_faults_in_lambdas_are_told_in_lines_of_cells(fresh_kernel):
    play(fresh_kernel, PLACES)
    refuse(fresh_kernel, "apply<<<1, 1>>>(out,\n  [=] __device__ (int i) {\n    *(volatile int *)0 = a;\n    return 1.f; });\n"
           "cudaDeviceSynchronize();", "IllegalAddress", "in the CUDA kernel apply, line 3 of In[2]",
           "at lambda::operator()(const int)", "In[2]:3", "called from apply<lambda>(float *, lambda) in In[1]")
    refuse(fresh_kernel, "auto f = [=] __device__ (int i) { *(volatile int *)0 = a; return 1.f; };\n"
           "apply<<<1, 1>>>(out, f); cudaDeviceSynchronize();", "in the CUDA kernel apply, line 1 of In[3]")
    refuse(fresh_kernel, "apply<<<1, 1>>>(out, [=] __device__ (int i) {\n  float r = s;\n  return r + unheard_of; });",
           "In[4]:3:14: error: use of undeclared identifier 'unheard_of'")


def test_what_a_lambda_cannot_capture_is_said(fresh_kernel):
    play(fresh_kernel, PLACES, "float big[100000]; long double wide = 1; __device__ int counter;")

    def no(text, *words):
        refuse(fresh_kernel, f"apply<<<1, 32>>>(out, {text});", *words)

    no("[a, &s] __device__ (int i) { return 1.f; }", "In[3]:1:28", "by reference in device")
    no("[this] __device__ (int i) { return 1.f; }", "'this' cannot be captured")
    no("[unknown] __device__ (int i) { return 1.f; }", "In[5]:1:24: error: use of undeclared identifier 'unknown'")
    no("[=] __device__ (int i) { return big[i]; }", "apply have 400008 bytes", "In[6]:1:1: note", "a pointer to device memory")
    no("[=] __device__ (int i) { return wide; }", "the CUDA kernel apply has a long double", "use double")
    no("[s] __device__ (int i) { return a * s; }", "In[8]:1:55: error: reference to __host__ variable 'a' in __device__")
    no("[=] __device__ (int i) { a = 5; return s; }", "In[9]:1:50: error: cannot assign to a variable captured by copy")
    refuse(fresh_kernel, "auto f = [unknown] __device__ (int i) { return 1.f; };",
           "In[10]:1:11: error: use of undeclared identifier 'unknown'")
    refuse(fresh_kernel, "void go(int n) { float w[n]; apply<<<1, 32>>>(out, [=] __device__ (int i) { return w[i]; }); }",
           "In[11]:1:53: error: variable-sized object may not be initialized")
    refuse(fresh_kernel, "int broken = ;\n" + "apply<<<1, 32>>>(out, [unknown] __device__ (int i) { return 1.f; });",
           "expected expression")


def test_lambdas_of_cpp(fresh_kernel):
    play(fresh_kernel, PLACES, launch("[&] __device__ (int i) { return 1.f; }", "1.0"),
         launch("[f = [=] __device__ (int i) { return a; }] __device__ (int i) { return f(i); }", "3.0"),
         ("void go() { struct Q { int q; } u = { 7 };\napply<<<1, 32>>>(out, [=] __device__ (int i) { return u.q; }); }\n"
          "go(); GOT(2)", "7.0"),
         ("template <class F> __host__ void each(F f) { apply<<<1, 32>>>(out, f); }\n"
          "each([=] __device__ (int i) { return 5.f; }); GOT(2)", "5.0"))
