# SPDX-License-Identifier: Apache-2.0
"""What CUDA has for device code, and clang by itself has not, in %%cpp cells."""
import pytest

from playing import play, refuse

pytestmark = [pytest.mark.long, pytest.mark.cuda, pytest.mark.emulated]


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
    assert ":4:20: error: initialization is not supported for __shared__ variables" in ran.evalue


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


# --- surfaces and textures ---

def test_surfaces_of_two_dimensions(session):
    session.run("""%%cpp
template <class T> __global__ void add(cudaSurfaceObject_t s, T *o, cudaSurfaceBoundaryMode mode)
{
    T v;
    surf2Dread(&v, s, threadIdx.x * sizeof(T), threadIdx.y);
    *(char *)&v += threadIdx.x + 4 * threadIdx.y;
    surf2Dwrite(v, s, threadIdx.x * sizeof(T), threadIdx.y);
    o[threadIdx.x + 4 * threadIdx.y] = surf2Dread<T>(s, (threadIdx.x + 2) * (int)sizeof(T), threadIdx.y, mode);
}
template <class T> unsigned check()
{
    cudaArray_t image;
    cudaSurfaceObject_t s;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    T values[16] = {}, *o;
    unsigned wrong = 0;
    cudaMallocArray(&image, &format, 4, 4, cudaArraySurfaceLoadStore);
    for (int i = 0; i < 16; i++)
        memset(&values[i], i + 1, sizeof(T));
    cudaMemcpy2DToArray(image, 0, 0, values, 4 * sizeof(T), 4 * sizeof(T), 4, cudaMemcpyHostToDevice);
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = image;
    cudaCreateSurfaceObject(&s, &what);
    cudaMalloc(&o, sizeof(values));
    add<<<1, dim3(4, 4)>>>(s, o, cudaBoundaryModeZero);
    T got[16], seen[16];
    cudaMemcpy(seen, o, sizeof(seen), cudaMemcpyDeviceToHost);
    cudaMemcpy2DFromArray(got, 4 * sizeof(T), image, 0, 0, 4 * sizeof(T), 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; i++) {
        T expected = values[i], none = {};
        *(char *)&expected += i;
        wrong += memcmp(&got[i], &expected, sizeof(T)) != 0;
        wrong += i % 4 > 1 && memcmp(&seen[i], &none, sizeof(T)) != 0;
        wrong += i % 4 < 2 && memcmp(&seen[i], &got[i + 2], sizeof(T)) != 0;
    }
    cudaDestroySurfaceObject(s);
    cudaFreeArray(image);
    cudaFree(o);
    return wrong + cudaGetLastError();
}
template <class... T> unsigned check_all() { return (check<T>() + ...); }""").ok()
    assert shown(session, "check_all<char, signed char, unsigned char, short, unsigned short, int, unsigned, "
                          "float>()") == "0"
    assert shown(session, "check_all<char1, uchar2, char4, short1, ushort2, short4, int1, uint2, int4, float1, float2, "
                          "float4>()") == "0"


def test_surfaces_of_other_dimensions(session):
    assert shown(session, """
__global__ void fill(cudaSurfaceObject_t line, cudaSurfaceObject_t box, cudaSurfaceObject_t lines,
                     cudaSurfaceObject_t sheets, cudaSurfaceObject_t cube, int *o)
{
    int i = threadIdx.x;
    surf1Dwrite(i, line, i * 4);
    surf3Dwrite(i + 1, box, i % 2 * 4, i / 2 % 2, i / 4 % 2);
    surf1DLayeredwrite(i + 2, lines, i % 4 * 4, i / 4 % 2);
    surf2DLayeredwrite(i + 3, sheets, i % 2 * 4, i / 2 % 2, i / 4 % 2);
    surfCubemapwrite(i + 4, cube, i % 2 * 4, i / 2 % 2, i / 4 % 2);
    __syncthreads();
    i = 7 - i;
    o[i] = surf1Dread<int>(line, i * 4) + 10 * surf3Dread<int>(box, i % 2 * 4, i / 2 % 2, i / 4)
           + 100 * surf1DLayeredread<int>(lines, i % 4 * 4, i / 4)
           + 1000 * surf2DLayeredread<int>(sheets, i % 2 * 4, i / 2 % 2, i / 4)
           + 10000 * surfCubemapread<int>(cube, i % 2 * 4, i / 2 % 2, i / 4);
}
cudaSurfaceObject_t surface(cudaExtent extent, unsigned flags)
{
    cudaArray_t image;
    cudaSurfaceObject_t s = 0;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMalloc3DArray(&image, &format, extent, flags | cudaArraySurfaceLoadStore);
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = image;
    cudaCreateSurfaceObject(&s, &what);
    return s;
}
fill<<<1, 8>>>(surface(make_cudaExtent(8, 0, 0), 0), surface(make_cudaExtent(2, 2, 2), 0),
               surface(make_cudaExtent(4, 0, 2), cudaArrayLayered), surface(make_cudaExtent(2, 2, 2), cudaArrayLayered),
               surface(make_cudaExtent(2, 2, 6), cudaArrayCubemap), p);
get()[5]""") == str(5 + 60 + 700 + 8000 + 90000)


def test_textures(session):
    session.run("""%%cpp
cudaTextureObject_t texture(cudaArray_t image, cudaTextureFilterMode filter = cudaFilterModePoint)
{
    cudaTextureObject_t t = 0;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = image;
    how.filterMode = filter;
    for (auto &mode : how.addressMode)
        mode = cudaAddressModeClamp;
    cudaCreateTextureObject(&t, &what, &how, NULL);
    return t;
}
template <class T> cudaArray_t image(cudaExtent e, unsigned flags = 0)
{
    cudaArray_t to;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaMemcpy3DParms p = {};
    T values[64];
    for (int i = 0; i < 64; i++)
        for (unsigned j = 0; j < sizeof(T) / 4; j++)
            ((float *)&values[i])[j] = i + 100 * j;
    cudaMalloc3DArray(&to, &format, e, flags);
    e.height += !e.height;
    e.depth += !e.depth;
    p.srcPtr = make_cudaPitchedPtr(values, e.width * sizeof(T), e.width, e.height);
    p.dstArray = to;
    p.extent = e;
    p.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&p);
    return to;
}""").ok()
    assert shown(session, """
#include <vector>
__global__ void sample(cudaTextureObject_t line, cudaTextureObject_t sheet, cudaTextureObject_t box,
                       cudaTextureObject_t layers, cudaTextureObject_t lines, cudaTextureObject_t smooth,
                       cudaTextureObject_t four, float *o)
{
    o[0] = tex1D<float>(line, 3.5f);
    o[1] = tex2D<float>(sheet, 1.5f, 2.5f);
    o[2] = tex3D<float>(box, 1.5f, 1.5f, 1.5f);
    o[3] = tex2DLayered<float>(layers, 1.5f, 0.5f, 1);
    o[4] = tex1DLayered<float>(lines, 2.5f, 1);
    o[5] = tex2D<float>(smooth, 1.0f, 1.0f);
    o[6] = tex2DLod<float>(sheet, 0.5f, 1.5f, 0);
    o[7] = tex2DGrad<float>(sheet, 3.5f, 3.5f, make_float2(0, 0), make_float2(0, 0));
    float4 all = tex2Dgather<float4>(sheet, 1.0f, 1.0f, 0), v = tex2D<float4>(four, 1.5f, 1.5f);
    o[8] = all.x * 1000 + all.y * 100 + all.z * 10 + all.w;
    o[9] = v.w;
    tex2D(&o[10], sheet, 2.5f, 0.5f);
}
cudaExtent flat = make_cudaExtent(4, 4, 0);
sample<<<1, 1>>>(texture(image<float>(make_cudaExtent(8, 0, 0))), texture(image<float>(flat, cudaArrayTextureGather)),
                 texture(image<float>(make_cudaExtent(2, 2, 2))),
                 texture(image<float>(make_cudaExtent(2, 2, 2), cudaArrayLayered)),
                 texture(image<float>(make_cudaExtent(4, 0, 2), cudaArrayLayered)),
                 texture(image<float>(flat), cudaFilterModeLinear), texture(image<float4>(flat)), f);
getf();
std::vector<float>(g, g + 11)""") == "{3.0, 9.0, 7.0, 5.0, 6.0, 2.5, 4.0, 15.0, 4510.0, 305.0, 2.0}"
    assert shown(session, """
__global__ void fetch(cudaTextureObject_t t, float *o) { *o = tex1Dfetch<float>(t, 3); }
cudaTextureObject_t of_buffer;
cudaResourceDesc what = {};
cudaTextureDesc how = {};
what.resType = cudaResourceTypeLinear;
what.res.linear = { f, cudaCreateChannelDesc<float>(), 64 };
cudaCreateTextureObject(&of_buffer, &what, &how, NULL);
fetch<<<1, 1>>>(of_buffer, f + 20);
getf()[20]""") == "5.0"


# --- words and functions ---

def test_words_of_nvcc(session):
    assert shown(session, """
#ifndef __CUDACC__
#error
#endif
#ifdef __CUDA_ARCH__
const int on_device = 1;
#else
const int on_device = 0;
#endif
struct P { int a[4]; };
__device__ __nv_pure__ int f1(int a) { return a; }
__device__ __noinline__ int f2(int a) { return a; }
__device__ __forceinline__ int f3(int a) { return a; }
__host__ __device__ int where()
{
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__ >= 500;
#else
    return 10;
#endif
}
__noinline__ __device__ int f4(int a);
int on_host = 1;
__noinline__ __device__ int f4(int a) { return a; }
on_host += 1;
__global__ void __launch_bounds__(256, 2, 1) all(const __grid_constant__ P p, int *__restrict__ o)
{
    static_assert(__CUDA_ARCH__ >= 500);
    o[0] = p.a[threadIdx.x] + f1(1) + f2(2) + f3(3) + f4(4) + where();
    o[1] = __CUDA_ARCH__ / 100;
}
template <int n> __global__ void __launch_bounds__(n) __maxnreg__(64) bounded(int *o) { o[2] = n; }
P given = { { 10, 20 } };
all<<<1, 1>>>(given, p);
bounded<64><<<1, 1>>>(p);
get()[0] * 1000 + h[2] + where() + on_device + on_host""") == "21076"


def test_warps_and_bits(session):
    assert shown(session, """
__global__ void warp(int *o, unsigned *u)
{
    int i = threadIdx.x, all;
    unsigned same = __match_any_sync(~0u, i / 8), voted = __ballot_sync(~0u, i & 1);
    __match_all_sync(~0u, 3, &all);
    int v = __shfl_sync(~0u, i, 3) + __shfl_up_sync(~0u, i, 1) + __shfl_down_sync(~0u, i, 1);
    v += __shfl_xor_sync(~0u, i, 1);
    __syncwarp();
    if (i == 9) {
        o[0] = v;
        o[2] = (same == 0xff00) + 2 * (voted == 0xaaaaaaaa) + 4 * all + 8 * (__activemask() != 0);
        o[3] = __dp4a(0x01020304, 0x01010101, 5) + __dp2a_lo(0x00020003, 0x0101, 0);
        o[3] += __dp2a_hi(0x00020003, 0x01010000, 0);
        o[4] = __byte_perm(0x11223344, 0x55667788, 0x7654) == 0x55667788;
        o[5] = __funnelshift_l(0x80000000, 1, 1) + __popc(255) + __ffs(8) + __clz(1) + (__brev(1) == 0x80000000);
        o[6] = __dp4a(make_uchar4(1, 2, 3, 4), make_uchar4(1, 1, 1, 1), 1u);
        o[7] = __vadd4(0x01010101, 0x01010101) == 0x02020202;
        long long from = clock64();
        __nanosleep(10);
        o[8] = clock64() >= from && clock() && __isGlobal(o) && !__isShared(o);
    }
}
warp<<<1, 32>>>(p, (unsigned *)p);
get();
(h[0] == 3 + 8 + 10 + 8) + 100 * h[2] + 10000 * h[3] + 1000000 * h[4]""") == \
        str(1 + 1500 + 10000 * (15 + 5 + 5) + 1000000)
    assert shown(session, "h[5] * 1000 + h[6] * 10 + h[7] + h[8]") == str(1000 * (3 + 8 + 4 + 31 + 1) + 110 + 2)


def test_loads_stores_and_atomics(session):
    assert shown(session, """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
struct R {
    half h; half2 h2; __nv_bfloat16 b; __nv_bfloat162 b2;
    double d; unsigned short s, old; float4 v; char c; long long l;
};
__device__ R r;
__global__ void cached(R *o)
{
    R *q = &r;
    q->d = 1; q->l = 4; q->s = 3;
    q->h = __float2half(1); q->h2 = __float2half2_rn(1); q->b = __float2bfloat16(1); q->b2 = __float2bfloat162_rn(1);
    atomicAdd(&q->d, 2.0); atomicAdd(&q->h, __float2half(2)); atomicAdd(&q->h2, __float2half2_rn(2));
    atomicAdd(&q->b, __float2bfloat16(2)); atomicAdd(&q->b2, __float2bfloat162_rn(2));
    q->old = atomicCAS(&q->s, (unsigned short)3, (unsigned short)9);
    atomicMax(&q->l, 8ll);
    __stcs(&q->v, make_float4(1, 2, 3, 4)); __stcg(&q->c, 'x');
    __stwb(&o->v, __ldcg(&q->v)); __stwt(&o->c, __ldcs(&q->c)); __stcg(&o->d, __ldcv(&q->d));
    __stcs(&o->s, __ldcg(&q->s));
    __stwb(&o->l, __ldca(&q->l)); __stcg(&o->h, __ldcs(&q->h)); o->h2 = __ldcg(&q->h2); o->old = q->old;
    o->b = q->b; o->b2 = q->b2;
    o->v.x += __tanhf(0) + __sinf(0) + rsqrtf(1) - 1 + __ldg(&q->v.x) - 1;
}
R *o, got;
cudaMalloc(&o, sizeof(R));
cached<<<1, 1>>>(o);
cudaMemcpy(&got, o, sizeof(R), cudaMemcpyDeviceToHost);
(got.d == 3) + (__half2float(got.h) == 3) + (__low2float(got.h2) == 3) + (__bfloat162float(got.b) == 3)
    + (__high2float(got.b2) == 3) + (got.s == 9) + (got.old == 3) + (got.v.x == 1 && got.v.w == 4)
    + (got.c == 'x') + (got.l == 8)
""") == "10"


def test_device_code_allocates_prints_and_asserts(session):
    ran = session.run("""%%cpp
#include <alloca.h>
#include <cassert>
__global__ void allocate(int n, int *o)
{
    int *a = (int *)malloc(4 * n), *b = new int[n], *c = (int *)alloca(4 * n);
    for (int i = 0; i < n; i++)
        a[i] = b[i] = c[i] = i;
    assert(n == 8);
    if (n == 9)
        __trap();
    o[0] = a[n - 1] + b[n - 1] + c[n - 1];
    o[1] = __syncthreads_count(1) + __syncthreads_or(0) + __syncthreads_and(1);
    free(a);
    delete[] b;
    printf("%d %s %.1f\\n", o[0], "of it", 2.5);
}
allocate<<<1, 1>>>(8, p);
get()[1]""").ok()
    assert ran.stdout == "21 of it 2.5\n" and ran.text == "2"
    failed = session.run("%%cpp\nallocate<<<1, 1>>>(7, p); cudaDeviceSynchronize();")
    assert failed.status == "error" and "in the CUDA kernel allocate, line 9 of In[" in failed.evalue
    assert "Assertion `n == 8` failed" in failed.shown


def test_matrices_small_numbers_and_asynchronous_copies(session):
    assert shown(session, """
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>
__global__ void multiply(const half *a, const half *b, float *c)
{
    namespace w = nvcuda::wmma;
    w::fragment<w::matrix_a, 16, 16, 16, half, w::row_major> x;
    w::fragment<w::matrix_b, 16, 16, 16, half, w::col_major> y;
    w::fragment<w::accumulator, 16, 16, 16, float> z;
    w::fill_fragment(z, 1.0f);
    w::load_matrix_sync(x, a, 16);
    w::load_matrix_sync(y, b, 16);
    w::mma_sync(z, x, y, z);
    w::store_matrix_sync(c, z, 16, w::mem_row_major);
}
__global__ void copy(const int *from, int *to, float *f)
{
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &from[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    to[threadIdx.x] = s[31 - threadIdx.x];
    *f = float(__nv_fp8_e4m3(1.1f));
}
half ones[256], *of_ones;
float *product, products[256];
for (half &one : ones)
    one = 1;
cudaMalloc(&of_ones, sizeof ones); cudaMalloc(&product, sizeof products);
cudaMemcpy(of_ones, ones, sizeof ones, cudaMemcpyHostToDevice);
multiply<<<1, 32>>>(of_ones, of_ones, product);
cudaMemcpy(products, product, sizeof products, cudaMemcpyDeviceToHost);
for (int i = 0; i < 64; i++)
    h[i] = i;
cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
copy<<<1, 32>>>(p, p + 32, f);
getf();
products[255] + 100 * get()[32] + g[0]""") == "3118.125"


def test_runtime_functions_in_device_code(session):
    assert shown(session, """
__global__ void calls(int *o)
{
    int *q = nullptr;
    cudaMemsetAsync(o, 1, 4);
    cudaMemcpyAsync(o + 1, o, 4, cudaMemcpyDeviceToDevice);
    o[2] = cudaMalloc(&q, 64) + cudaGetLastError();
    *q = 5;
    o[3] = *q + cudaFree(q);
}
calls<<<1, 1>>>(p);
get()[1] + h[2] + h[3]""") == str(0x01010101 + 5)


def test_groups_and_clusters(session):
    assert shown(session, """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void groups(int *o)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int sum = cg::reduce(warp, (int)threadIdx.x, cg::plus<int>()), scanned = cg::inclusive_scan(warp, 1);
    auto third = cg::labeled_partition(warp, threadIdx.x % 3);
    if (threadIdx.x % 2) {
        auto odd = cg::coalesced_threads();
        sum += odd.size();
    }
    if (threadIdx.x == 31)
        o[0] = sum + scanned + third.size();
}
groups<<<1, 32>>>(p);
get()[0]""") == str(496 + 16 + 32 + 11)


def test_what_later_devices_have(start_kernel):
    session = start_kernel(CGPU_EMULATED_CAPABILITY="9.0")
    session.run("%%cpp\nint *p, h[64];\ncudaMalloc(&p, sizeof h);\n"
                "int *get() { cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); return h; }").ok()
    assert shown(session, """
#include <cooperative_groups.h>
__global__ void __cluster_dims__(2, 1) __maxnreg__(64) late(int *o)
{
    int i = threadIdx.x, r = __reduce_add_sync(~0u, i) + __reduce_max_sync(~0u, i) + __reduce_min_sync(~0u, i);
    if (!i)
        o[blockIdx.x] = r + __CUDA_ARCH__;
}
__global__ void of_cluster(int *o) { o[3] = cooperative_groups::this_cluster().num_blocks(); }
late<<<2, 32>>>(p);
get()[1]""") == str(496 + 31 + 900)
    said = next(d for d in session.run("%ptx late").ok().displays if "text/html" in d)["text/plain"]
    assert ".maxnreg 64" in said and ".reqnctapercluster 2, 1, 1" in said
