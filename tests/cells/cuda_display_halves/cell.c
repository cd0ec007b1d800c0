#include <cuda_fp16.h>
#include <cuda_bf16.h>
__half h = __float2half(1.5f);
h
//---
__floats2half2_rn(1, 0.25f)
//---
__float2bfloat16(3.0f)
//---
half list[3] = { 1, 2, 0.5 };
list
