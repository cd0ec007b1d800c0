# SPDX-License-Identifier: Apache-2.0
"""What CUDA has for device code, and clang by itself has not, in %%cpp cells."""
import pytest

from playing import play, refuse

pytestmark = [pytest.mark.cuda, pytest.mark.emulated]


@pytest.fixture(scope="module")
def session(kernel):
    kernel.run("%%cpp\nint *p, h[64];\nfloat *f, g[64];\ncudaMalloc(&p, sizeof h);\ncudaMalloc(&f, sizeof g);\n"
               "int *get() { cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); return h; }\n"
               "float *getf() { cudaMemcpy(g, f, sizeof g, cudaMemcpyDeviceToHost); return g; }").ok()
    return kernel


def shown(session, text):
    ran = session.run("%%cpp\n" + text).ok()
    assert not ran.stderr, ran.stderr
    return ran.text


# --- launches in device code ---

def test_a_kernel_launches_a_kernel(session):
    assert shown(session, "__global__ void leaf(int *p) { *p += 1; }\n"
                          "__global__ void node(int *p) { leaf<<<1, 1>>>(p); }\n"
                          "cudaMemset(p, 0, 64); node<<<1, 2>>>(p); get()[0]") == "2"


def test_kernels_of_earlier_cells(session):
    session.run("%%cpp\n__global__ void first(int *p, int by) { p[threadIdx.x] = by; }\n"
                "template <class T> __global__ void put(T *p, T by) { p[threadIdx.x] = by; }\n"
                "__device__ void from_function(int *p) { first<<<1, 2>>>(p, 7); }").ok()
    assert shown(session, "__global__ void second(int *p) { first<<<1, 4, 0, cudaStreamFireAndForget>>>(p, 5); }\n"
                          "cudaMemset(p, 0, 64); second<<<1, 1>>>(p); get()[3] * 10 + h[4]") == "50"
    assert shown(session, "second<<<1, 1>>>(p + 4); get()[7]") == "5"
    assert shown(session, "__global__ void third(int *p)\n"
                          "{ put<<<1, 4>>>(p, 6); put<float><<<1, 1>>>((float *)p + 4, 1); }\n"
                          "third<<<1, 1>>>(p); get()[3] * 10 + (*(float *)&h[4] == 1)") == "61"
    assert shown(session, "__global__ void fourth(int *p) { from_function(p); }\n"
                          "fourth<<<1, 1>>>(p); get()[1] * 10 + h[2]") == "76"


def test_launches_of_all_kinds(session):
    assert shown(session, """
namespace n { struct S { char c; double d; float f; };
__global__ void over(int *p, S s, bool b, short w, float4 v, char c)
{ p[0] = s.c + (int)s.d + (int)s.f + b + w + (int)v.w + c; }
__global__ void over(float *p) { *p = 3; } }
template <class T> __global__ void twice(T *p, int depth = 3)
{
    atomicAdd(p, (T)1);
    if (depth)
        twice<<<1, 2>>>(p, depth - 1);
}
struct Walk { template <class T> __device__ void go(T *p) { n::over<<<1, 1>>>(p + 1); } };
template <class T> __global__ void all(T *p, float *f)
{
    int shared = 16;
    n::over<<<dim3(1, 1), dim3(1), shared * sizeof(float)>>>(p, n::S{ 1, 2, 3 }, *p ? false : true, 4,
                                                             make_float4(0, 0, 0, 5), 6);
    twice<<<1, 1>>>(f, 2);
    Walk().go(f);
    auto lambda = [=] { twice<T><<<1, 1>>>(p + 1, 0); };
    lambda();
}
cudaMemset(p, 0, 64); cudaMemset(f, 0, 64);
all<<<1, 1>>>(p, f);
get()[0] * 100 + h[1]""") == "2201"
    assert shown(session, "getf()[0] + 10 * g[1]") == "37.0"


def test_order_and_dynamic_memory_of_launches(session):
    assert shown(session, """
__global__ void step(int *p, int by) { extern __shared__ int room[]; room[0] = by; *p = *p * 10 + room[0]; }
__global__ void steps(int *p)
{
    step<<<1, 1, 4, cudaStreamTailLaunch>>>(p, 3);
    step<<<1, 1, 4>>>(p, 1);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    step<<<1, 1, 4, s>>>(p, 2);
    cudaStreamDestroy(s);
}
cudaMemset(p, 0, 64); steps<<<1, 1>>>(p); get()[0]""") == "123"


def test_a_launch_that_is_wrong_is_told(session):
    refuse(session, "%%cpp\n__global__ void leaf2(int *p) { *p = 1; }\n"
                    "__global__ void node2(int *p) { leaf2<<<1, 1>>>(p, 3); }", "too many arguments")
    refuse(session, "%%cpp\nint on_host() { return 1; }\n__global__ void leaf3(int *p) { *p = 1; }\n"
                    "__global__ void node3(int *p) { leaf3<<<1, on_host()>>>(p); }", "on_host")


# --- shared variables of classes ---

def test_shared_variables_whose_constructors_are_not_called(session):
    assert shown(session, """
struct V {
    float x, y;
    __host__ __device__ V() : x(1), y(2) {}
    __host__ __device__ V(float x, float y) : x(x), y(y) {}
    __host__ __device__ ~V() {}
};
template <class A, int n> struct Many { A all[n]; __device__ Many() { all[0] = A(); } };
__global__ void mix(float *o)
{
    __shared__ V v[2][16], w; static __shared__ Many<V, 4>
        many;
    alignas(16) __shared__ V aligned;
    v[threadIdx.x / 16][threadIdx.x % 16] = V(threadIdx.x, 1);
    w.x = 3; many.all[1] = V(4, 5); aligned.y = 6;
    __syncthreads();
    o[threadIdx.x] = v[1][15].x + w.x + many.all[1].y + aligned.y + sizeof(v) / sizeof(V);
}
template <class T> __global__ void turn(T *o) { __shared__ T all[32]; all[threadIdx.x] = *o; *o = all[threadIdx.x]; }
V *vs; cudaMalloc(&vs, 64);
turn<<<1, 1>>>(vs);
mix<<<1, 32>>>(f);
getf()[5]""") == "77.0"
    ran = session.run("%%cpp\n__global__ void wrong()\n{\n    __shared__ int n = 3;\n}")
    assert "In[" in ran.evalue and ":4:20: error: initialization is not supported for __shared__ variables" in ran.evalue


def test_barriers_pipelines_and_atomics(session):
    assert shown(session, """
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
__device__ cuda::atomic<int, cuda::thread_scope_device> total;
__global__ void meet(int *o)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> ready, others[2];
    __shared__ int s[64];
    if (!threadIdx.x) {
        init(&ready, blockDim.x);
        init(&others[1], blockDim.x);
    }
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    ready.arrive_and_wait();
    int v = s[63 - threadIdx.x];
    others[1].wait(others[1].arrive());
    total.fetch_add(v);
    o[threadIdx.x] = v;
}
meet<<<1, 64>>>(p); get()[5]""") == "58"
    assert shown(session, """
__global__ void piped(int *o, const int *a)
{
    __shared__ int s[64];
    auto block = cooperative_groups::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, s, a, sizeof(s), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    o[threadIdx.x] = s[63 - threadIdx.x] + total.load() / 1000;
    pipe.consumer_release();
}
int *q; cudaMalloc(&q, sizeof h);
piped<<<1, 64>>>(q, p);
cudaMemcpy(h, q, sizeof h, cudaMemcpyDeviceToHost);
h[5]""") == "7"
