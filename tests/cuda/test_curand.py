# SPDX-License-Identifier: Apache-2.0
"""cuRAND's device API: the generators of <curand_kernel.h> on the emulated device, and the header of the host API in C."""

# The header's functions are compiled for both sides, so the host says what the device must give: whole numbers bit for
# bit, and what goes through logarithms and roots up to the last bits of a float.
SAME_ON_BOTH_SIDES = """%%cuda
#define QUALIFIERS static __forceinline__ __host__ __device__
#include <curand_kernel.h>
#include <cmath>
#include <cstdio>
#include <cstring>
template <typename S> __host__ __device__ void seeded(int i, float *o) {
    S s;
    curand_init(1234ULL, i, 5, &s);
    o[0] = curand(&s) % 1000; o[1] = curand_uniform(&s); skipahead(1000ULL, &s); o[2] = curand(&s) % 1000;
    o[3] = curand_poisson(&s, 3.0); o[4] = curand_normal(&s); o[5] = curand_log_normal(&s, 0.f, 1.f);
    o[6] = (float)curand_uniform_double(&s); o[7] = (float)curand_normal2_double(&s).y;
}
template <typename S> __global__ void all(float *o) { seeded<S>(threadIdx.x, o + 8 * threadIdx.x); }
template <typename S> void compare(const char *name) {
    float d[512], h[512], *p;
    int same = 0, near = 0;
    cudaMalloc(&p, sizeof d);
    all<S><<<1, 64>>>(p);
    cudaMemcpy(d, p, sizeof d, cudaMemcpyDeviceToHost);
    cudaFree(p);
    for (int i = 0; i < 64; i++) {
        seeded<S>(i, h + 8 * i);
        for (int k = 0; k < 8; k++) {
            float x = d[8 * i + k], y = h[8 * i + k];
            same += k < 4 && x == y;
            near += k >= 4 && fabsf(x - y) <= 1e-6f * (1 + fabsf(y));
        }
    }
    printf("%s %d %d\\n", name, same, near);
}
int main() {
    compare<curandStateXORWOW_t>("xorwow");
    compare<curandStatePhilox4_32_10_t>("philox");
    compare<curandStateMRG32k3a_t>("mrg32k3a");
}"""

TWISTER = """%%cuda
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>
#include <cstdio>
__global__ void draw(curandStateMtgp32 *s, float *o) {
    o[blockIdx.x * blockDim.x + threadIdx.x] = curand_uniform(&s[blockIdx.x]);
}
int main() {
    curandStateMtgp32 *s; mtgp32_kernel_params *k; float *o, h[1024], sum = 0;
    cudaMalloc(&s, 4 * sizeof *s); cudaMalloc(&k, sizeof *k); cudaMalloc(&o, sizeof h);
    int a = curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, k);
    int b = curandMakeMTGP32KernelState(s, mtgp32dc_params_fast_11213, k, 4, 1234);
    draw<<<4, 256>>>(s, o);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    for (float f : h) sum += f;
    printf("%d %d %d\\n", a, b, sum > 450 && sum < 575 && h[0] != h[256]);
}"""

# A Sobol sequence of one dimension with the direction numbers 2^-i is the one of van der Corput: 0, 1/2, 3/4, 1/4, ...
SOBOL = """__global__ void sobol(curandDirectionVectors32_t *v, curandDirectionVectors64_t *w, double *o) {
    curandStateSobol32_t s; curand_init(*v, threadIdx.x, &s);
    curandStateScrambledSobol32_t t; curand_init(*v, 1u << 31, threadIdx.x, &t);
    curandStateSobol64_t u; curand_init(*w, (unsigned long long)threadIdx.x, &u);
    o[3 * threadIdx.x] = curand(&s) / 4294967296.0;
    o[3 * threadIdx.x + 1] = curand(&t) / 4294967296.0;
    o[3 * threadIdx.x + 2] = curand(&u) / 18446744073709551616.0;
}
curandDirectionVectors32_t v, *dv; curandDirectionVectors64_t w, *dw; double *d, h[12];
for (int i = 0; i < 32; i++) v[i] = 1u << (31 - i);
for (int i = 0; i < 64; i++) w[i] = 1ull << (63 - i);
cudaMalloc(&dv, sizeof v); cudaMemcpy(dv, v, sizeof v, cudaMemcpyHostToDevice);
cudaMalloc(&dw, sizeof w); cudaMemcpy(dw, w, sizeof w, cudaMemcpyHostToDevice);
cudaMalloc(&d, sizeof h);
sobol<<<1, 4>>>(dv, dw, d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
for (int i = 0; i < 12; i++) printf("%g ", h[i]);"""


def test_the_generators_of_curand_run_on_the_device(fresh_kernel):
    assert fresh_kernel.run(SAME_ON_BOTH_SIDES).ok().stdout == "xorwow 256 256\nphilox 256 256\nmrg32k3a 256 256\n"
    assert fresh_kernel.run(TWISTER).ok().stdout == "0 0 1\n"
    fresh_kernel.run("#include <curand_kernel.h>").ok()
    assert fresh_kernel.run(SOBOL).ok().stdout == "0 0.5 0 0.5 0 0.5 0.75 0.25 0.75 0.25 0.75 0.25 "
    # The host API is named in C by a header that takes for granted what nvcc includes before it.
    assert fresh_kernel.run("#include <curand.h>\nCURAND_STATUS_NOT_INITIALIZED + MAJOR_VERSION").ok().text == "101"
