#include <string>
__global__ void first(int *p)
{
	std::string s = "x";
	*p = s.size();
}
//---
#include <string>
__device__ int length(const char *s) { return std::string(s).size(); }
__global__ void second(int *p, const char *s)
{
	*p = length(s);
}
//---
__global__ void third(int *p, const char *s) { *p = __builtin_strlen("abc"); }
int *p;
cudaMallocManaged(&p, sizeof *p);
third<<<1, 1>>>(p, NULL);
cudaDeviceSynchronize();
*p
