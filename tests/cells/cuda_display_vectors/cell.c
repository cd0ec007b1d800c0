make_float4(1, 2, 3.5f, 4)
//---
dim3(16, 4)
//---
make_int2(-1, 2)
//---
make_uchar3(1, 2, 255)
//---
double2 pair{ 0.5, 1 };
pair
//---
#include <vector>
std::vector<float2>{ { 1, 2 } }
//---
dim3 grid(8); grid.x * grid.y
