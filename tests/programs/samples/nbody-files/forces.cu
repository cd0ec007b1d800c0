// The device's half: all pairs, in tiles of shared memory.
#include "bodies.h"

static __device__ float3 pull(float3 sum, body to, float4 from)
{
    float dx = from.x - to.x, dy = from.y - to.y, dz = from.z - to.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + (float)SOFTENING), s = r * r * r;
    return make_float3(sum.x + dx * s, sum.y + dy * s, sum.z + dz * s);
}

static __global__ void accelerate(body *bodies, int n, float dt)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    body me = bodies[i < n ? i : 0];
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += blockDim.x) {
        int other = first + threadIdx.x;
        if (other < n)
            tile[threadIdx.x] = make_float4(bodies[other].x, bodies[other].y, bodies[other].z, 1);
        __syncthreads();
        for (int k = 0; k < blockDim.x && first + k < n; k++)
            sum = pull(sum, me, tile[k]);
        __syncthreads();
    }
    if (i < n) {
        bodies[i].vx += dt * sum.x;
        bodies[i].vy += dt * sum.y;
        bodies[i].vz += dt * sum.z;
    }
}

static __global__ void move(body *bodies, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bodies[i].x += dt * bodies[i].vx;
        bodies[i].y += dt * bodies[i].vy;
        bodies[i].z += dt * bodies[i].vz;
    }
}

void step(body *device, int n, float dt)
{
    const int block = 32;
    accelerate<<<(n + block - 1) / block, block, block * sizeof(float4)>>>(device, n, dt);
    move<<<(n + block - 1) / block, block>>>(device, n, dt);
}
